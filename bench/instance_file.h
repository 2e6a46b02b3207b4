/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_INSTANCE_FILE_H
#define BENCH_INSTANCE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* The files for measuring the readers. */

enum ids { NO_IDS, COUNTED, SHUFFLED }; /* ids task-0, task-1, ... in order, or shuffled */

struct layout {
    const char *name;
    enum ids    ids;
    bool        has_kernels; /* whether the file has kernels and priorities */
    int         digits;      /* number of decimals of the times; 17: every double */
    bool        is_graph;    /* whether tasks access the tiles of a Cholesky factorisation */
};

extern const struct layout layouts[];
extern const size_t        layout_count;

/** Print the reason, as perror() does, and exit. */
void fail(const char *what);

/** Write a file in this layout with `tasks` tasks. */
void make_file(const char *path, const struct layout *layout, size_t tasks);

/** Write to new memory and free it, so the system has it at hand for the next measurement. */
double touch_memory(size_t size);

#endif
