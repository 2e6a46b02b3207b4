/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_COST_STATISTICS_H
#define HSI_COST_STATISTICS_H

#include <stdbool.h>
#include <stdint.h>

/* Mean and variance of equal executions; old executions fade. A zeroed structure is empty. */
typedef struct hsi_statistics {
    double   runs;    /* weight of the executions, at most HSI_MOST_RUNS */
    double   mean;    /* seconds */
    double   m2;      /* sum of squared differences from the mean */
    double   least;   /* shortest execution in seconds */
    int64_t  last;    /* date of the latest execution, seconds since 1970; 0: unknown */
    uint64_t strange; /* executions left out since the latest one that was added */
} hsi_statistics;

enum { HSI_MOST_RUNS = 64 };

typedef enum hsi_observed {
    HSI_OBSERVED_ADDED,
    HSI_OBSERVED_STRANGE,   /* counted, but not added */
    HSI_OBSERVED_RESTARTED, /* alone in the statistics: the task has changed */
    HSI_OBSERVED_WARM       /* alone in the statistics: the few earlier executions were cold */
} hsi_observed;

/*
 * Add an execution of `seconds`, unless it is strange: beyond 3 times the mean or below a third of
 * the mean of at least 4 executions. The fifth strange execution in a row replaces the statistics.
 * The first executions are often cold (caches, libraries, clock rates): an execution below a third
 * of the least of fewer than 4 replaces them.
 */
hsi_observed hsi_statistics_observe(hsi_statistics *s, double seconds, int64_t date);

/* Add an execution without a test for strangeness. */
void hsi_statistics_add(hsi_statistics *s, double seconds, int64_t date);

/* Merge the executions of `from`, the later ones, into `into`. */
void hsi_statistics_merge(hsi_statistics *into, const hsi_statistics *from);

/*
 * Merge later executions as hsi_statistics_observe() adds single ones: if their mean is strange,
 * they are left out, or replace `into` if they are many.
 */
void hsi_statistics_append(hsi_statistics *into, const hsi_statistics *from);

/* Return the standard deviation over the mean; NaN: fewer than two executions. */
double hsi_statistics_spread(const hsi_statistics *s);

#endif
