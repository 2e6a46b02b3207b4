/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CALIBRATE_SETTLED_TIMES_H
#define TOOLS_CALIBRATE_SETTLED_TIMES_H

#include <stddef.h>

#include <hybridsched/exec.h>

/*
 * Decides when the times of a kernel have settled, and whether a kernel with unsettled times is
 * measured again.
 */

typedef struct quartiles {
    double low, median, high;
} quartiles;

/** Sort `count` times, at least one, in place; return their quartiles. */
quartiles quartiles_of(double *times, size_t count);

enum { SETTLE_LEAST = 8 }; /* least number of runs per worker whose halves are compared */

/**
 * Return the largest relative difference of the quartiles between the first and the second half of
 * the runs: 0.5 if one is 1.5 times the other. `times` has `runs` consecutive runs per worker,
 * worker by worker; with an odd number the middle run is in neither half. Return 0 for fewer than
 * SETTLE_LEAST runs.
 */
double halves_differ(const double *times, size_t workers, size_t runs);

/**
 * Return whether the runs have settled: their halves agree, and by the report the cores did little
 * else. Few runs always count as settled. If not settled, `why` has the reason.
 */
enum { SETTLE_WHY = 128 };
bool settle(const double *times, size_t workers, size_t runs, const hs_exec_report *report,
            char why[SETTLE_WHY]);

/**
 * Return whether another round, with twice as many runs, is allowed after `done` rounds of at most
 * `most`, which took `spent` seconds in total and `last` seconds for the last.
 */
bool may_repeat(unsigned done, unsigned most, double spent, double last);

#endif
