/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CALIBRATE_SETTLE_H
#define TOOLS_CALIBRATE_SETTLE_H

#include <stddef.h>

#include <hybridsched/exec.h>

/* When the times of a kernel have settled, and for how long it is measured again if not. */

typedef struct quartiles {
    double low, median, high;
} quartiles;

/** Sort `count` times, at least one, in place; return their quartiles. */
quartiles quartiles_of(double *times, size_t count);

enum { SETTLE_LEAST = 8 }; /* runs in a row from which on halves are compared */

/**
 * Return by what part the quartiles of the first and of the second half of the runs differ, at
 * most: 0.5 where one is 1.5 times the other. `times` are those of `runs` runs in a row of each
 * worker, one worker after another; a run in the middle is in neither half. Runs fewer than
 * SETTLE_LEAST: 0.
 */
double halves_differ(const double *times, size_t workers, size_t runs);

/**
 * Have these runs settled, that is: do their halves agree, and did the cores do little else meanwhile, by
 * the report of the run? Few runs do not tell. If not, `why` says in words what happened.
 */
enum { SETTLE_WHY = 128 };
int settle(const double *times, size_t workers, size_t runs, const hs_exec_report *report,
           char why[SETTLE_WHY]);

/**
 * May there be another round, of twice as many runs as the last one? `done` rounds of at most
 * `most` have been measured, in `spent` seconds, the last of them in `last`.
 */
int may_repeat(unsigned done, unsigned most, double spent, double last);

#endif
