/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_INSTANCE_FILE_H
#define BENCH_INSTANCE_FILE_H

#include <stddef.h>

/* The files that readers are measured on. */

enum ids { NO_IDS, COUNTED, SHUFFLED }; /* task-0, task-1, ... or in no order */

struct layout {
    const char *name;
    enum ids    ids;
    int         has_kernels; /* and priorities */
    int         digits;      /* 17: every double; else so many decimals */
    int         is_graph;    /* tasks access the tiles of a Cholesky factorisation */
};

extern const struct layout layouts[];
extern const size_t        layout_count;

/** Print why, as perror() does, and exit. */
void fail(const char *what);

/** Write such a file of so many tasks. */
void make_file(const char *path, const struct layout *layout, size_t tasks);

/** Write to so much new memory and give it back: for what comes next the system has it at hand. */
double touch_memory(size_t size);

#endif
