/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_EXEC_ROWS_H
#define BENCH_EXEC_ROWS_H

/* Shared by the C and C++ programs that run empty tasks with other runtime systems. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS = 9, WORKERS = 2 };

typedef struct stamp {
    int64_t start, end;
} stamp;

static inline int64_t clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline void take_time_stamps(stamp *at)
{
    at->start = clock_ns();
    at->end = clock_ns();
}

static inline stamp *make_stamps(uint32_t tasks)
{
    stamp *stamps = (stamp *)malloc(tasks * sizeof *stamps);

    if (!stamps)
        abort();
    memset(stamps, 0, tasks * sizeof *stamps);
    return stamps;
}

static inline double us_per_task(int64_t ns, uint32_t tasks)
{
    return 1e-3 * (double)ns * WORKERS / tasks;
}

static inline int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static inline void print_row(const char *what, uint32_t tasks, double us[REPEATS])
{
    qsort(us, REPEATS, sizeof *us, by_value);
    printf("%s,%lu,%d,%.4f,,%.4f\n", what, (unsigned long)tasks, WORKERS, us[REPEATS / 2], us[0]);
}

#endif
