/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_BENCH_COMPARE_INFERENCE_H
#define TOOLS_BENCH_COMPARE_INFERENCE_H

#include <stddef.h>

/*
 * Statistics of positive quotients, such as the makespan of an algorithm over that of a baseline on
 * the same instance. A quotient may be infinite (only the algorithm lacks a result) or 0 (only the
 * baseline lacks one).
 */

/* Relative difference up to which two values are equal. */
#define INFERENCE_EQUAL 1e-9

/* A mean, and the bounds of its 95% confidence interval. */
typedef struct interval {
    size_t count;           /* number of finite positive values */
    double mean, low, high; /* NaN: no value; low and high: fewer than two values */
} interval;

/* Number of quotients below, at and above 1. */
typedef struct win_count {
    size_t less, equal, more;
} win_count;

/**
 * Return the value that the absolute value of Student's t with `freedom` degrees of freedom exceeds
 * with probability 5%; freedom >= 1.
 */
double student_bound(size_t freedom);

/**
 * Compute the geometric mean of the finite positive values. The interval is the t interval of the
 * mean of their logarithms.
 */
interval geometric_interval(const double *value, size_t count);

/** Count the quotients below, at and above 1. */
win_count count_wins(const double *quotient, size_t count);

/**
 * Return the two-sided p-value of Wilcoxon's signed-rank test that log(quotient) is symmetric around
 * 0. Quotients at 1 are left out, equal magnitudes share the mean of their ranks, and 0 and infinity
 * have the largest ranks. The distribution is exact, with ties, up to 200 quotients; the normal
 * approximation beyond corrects for ties and continuity. 1 if all quotients are 1.
 */
double wilcoxon_p(const double *quotient, size_t count);

/** Replace p-values by those adjusted with Holm's method. NaN: no test. */
void holm_adjust(double *p, size_t count);

#endif
