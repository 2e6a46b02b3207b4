/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_FILES_H
#define TOOLS_FILES_H

#include <stddef.h>

#include "common/output.h"

/* Several output files of one tool, in arrays indexed by kind. A NULL path means no output. */

/** Return whether the path is `-`, which stands for standard input or output; false for NULL. */
bool is_dash(const char *path);

/** Call usage_error() about `option` if the path ends like a picture format besides SVG. */
void files_check_svg(const char *option, const char *path);

/** Return the number of paths that are `-`. */
int files_count_stdout(const char *const *path, int count);

/**
 * Call usage_error() if two outputs go to standard output or to one file, or if an output file is
 * also an input file.
 */
void files_check(const char *const *outputs, int count, const char *const *inputs,
                 size_t input_count);

/** Call output_open(), or output_check_creatable(), for each non-NULL path. Return 0, or an exit
 * code. */
int files_open(const char *const *path, output **file, int count);
int files_check_creatable(const char *const *path, int count);

/** Write result number `which` to `fd`. HS_EIO: errno says why. */
typedef hs_status files_writer(int which, int fd, const void *data);

/**
 * Write all open files, and only then rename them to their final names: either all files appear, or
 * none.
 */
int files_write(output **file, int count, files_writer *write, const void *data);

void files_discard(output **file, int count);

/**
 * Return whether `path` is an executable file; whether a folder of PATH contains one named `word`.
 */
bool files_is_program(const char *path);
bool files_in_path(const char *word);

#endif
