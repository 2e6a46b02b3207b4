/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_FLOOR_TEXT_H
#define BENCH_FLOOR_TEXT_H

#include <stddef.h>

/*
 * The cost of converting numbers without any other work, by C++17's <charconv>, which reads them
 * correctly rounded and writes them with the fewest digits.
 */

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Return the sum of the first two numbers of each row after the header, which begins with a letter;
 * the numbers start the row or follow one field, and the rest of the row is skipped. -1: `fd` is
 * unreadable, or its content differs.
 */
double scan_numbers(int fd, int behind_id);

/* A row of a plan, ready for writing. */
typedef struct floor_row {
    const char *id, *worker, *state;
    double      number[4]; /* start, end, CPU time and GPU time */
} floor_row;

/** Write rows as hs_plan_write() does, without the header. Returns 0, or -1 with errno. */
int write_plan_rows(int fd, const floor_row *rows, size_t count);

#ifdef __cplusplus
}
#endif

#endif
