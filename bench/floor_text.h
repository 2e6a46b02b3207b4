/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_FLOOR_TEXT_H
#define BENCH_FLOOR_TEXT_H

#include <stddef.h>

/*
 * What converting numbers costs where nothing else is done: with C++17's <charconv>,
 * which reads them correctly rounded and writes them with the fewest digits.
 */

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The sum of the two numbers of each row behind the header, which begins with a letter;
 * they stand first in the row or behind one field, the rest of which is skipped. -1: `fd`
 * cannot be read, or there is something else.
 */
double floor_scan(int fd, int behind_id);

/* A row of a plan, ready to be written. */
typedef struct floor_row {
    const char *id, *worker, *state;
    double      number[4]; /* start, end, cpu, gpu */
} floor_row;

/** Rows as hs_plan_write() writes them, without its header. 0, or -1 as errno says. */
int floor_write(int fd, const floor_row *rows, size_t count);

#ifdef __cplusplus
}
#endif

#endif
