/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_TESTS_REMOTE_FIXTURE_H
#define HSI_TESTS_REMOTE_FIXTURE_H

#include <hybridsched/exec.h>
#include <hybridsched/hybridsched.h>

/*
 * Runs with settings.run.nodes on this machine. The test program is the program of the nodes, too:
 * it serves a coordinator if its argument is --node.
 */
enum { NODES = 3 };

extern char         self[4096]; /* path of the test program */
extern hs_exec_node nodes[NODES];
extern char         launch[NODES][5000]; /* the commands of `nodes` */

/* Enter an empty folder, and let the nodes be processes of this program. */
void set_up(void);
void remove_folder(void);

/* Let the first node be a program that writes `text`. */
void pretend(const char *text);

hs_instance     *read_text(const char *text);
hs_exec_settings settings_of(const char *policy);

/* Run the tasks; return the status, with the report. */
hs_status run(const hs_instance *in, const hs_exec_settings *s, hs_exec_report *report,
              hs_error *error);

/* Read a file as text; a missing file is empty. Return the length. */
size_t read_file(const char *path, char *text, size_t size);

/* The main function of a node. Otherwise find the path of this program, and return -1. */
int serve_if_node(int argc, char **argv);

#endif
