/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_FILES_H
#define TOOLS_FILES_H

#include <stddef.h>

#include "common/output.h"

/* Several results of one tool, in arrays by what they are. A path is NULL where none is wanted. */

/** Is it `-`, which is standard input or output? NULL is not. */
int is_dash(const char *path);

/** A usage error of that option if the path is that of a picture in another format than SVG. */
void files_check_svg(const char *option, const char *path);

/** How many of them go to standard output. */
int files_to_stdout(const char *const *path, int count);

/**
 * A usage error if two results are to go to standard output or to one file, or one of them
 * to a file that is read.
 */
void files_check(const char *const *path, int count, const char *const *read, size_t read_count);

/** output_open(), or output_look(), for each that is wanted. 0, or an exit code. */
int files_open(const char *const *path, output **file, int count);
int files_look(const char *const *path, int count);

/** Writes result number `which`. HS_EIO: errno says why. */
typedef hs_status files_writer(int which, int fd, const void *data);

/** Write all that are open, and only then give any its name: all are there in the end, or none. */
int files_write(output **file, int count, files_writer *write, const void *data);

void files_discard(output **file, int count);

/** Is it a program; and does a folder of PATH have one of that name? */
int files_is_program(const char *path);
int files_in_path(const char *word);

#endif
