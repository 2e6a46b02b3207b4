/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_BENCH_PEER_PEER_H
#define TOOLS_BENCH_PEER_PEER_H

#include <hybridsched/hybridsched.h>

/*
 * Programs of others that solve mixed integer programs, on the assignment model: a binary variable
 * for each task and worker. They get a file (model.c), run as a process (program.c) and leave a
 * file (answer.c), of which only the places of tasks are used: what that takes is computed here.
 */
typedef struct bench_peer bench_peer;

/** By its name; NULL: there is none. */
const bench_peer *bench_peer_find(const char *name);

/** The program that it is, and whether PATH has it. */
const char *bench_peer_program(const bench_peer *peer);
int         bench_peer_is_here(const bench_peer *peer);

/** Make a folder for their files, before there are threads. -1: errno says why not. */
int bench_peer_begin(void);

/**
 * A schedule, of independent tasks, after so many seconds at most; NULL: it found none. It
 * computes on one processor. HS_EIO: its files cannot be written, or it does not start.
 */
hs_status bench_peer_solve(const bench_peer *peer, const hs_instance *in, double seconds,
                           hs_schedule **out);

/** The model, in the LP format that all of them read (model.c). -1: it cannot be written. */
int bench_peer_write_model(const hs_instance *in, const char *path);

/** The worker of each task as the file says (answer.c). 0: not all have one. */
int bench_peer_read_answer(const char *path, size_t tasks, unsigned workers, uint32_t *worker);

enum { BENCH_PEER_WHY = 80 };

/**
 * Run the program, its output to nowhere, and end it if it goes on for longer. -1: it does not
 * start. `why`: what went wrong, "" if nothing did.
 */
int bench_peer_run(char *const *words, double seconds, char why[BENCH_PEER_WHY]);

#endif
