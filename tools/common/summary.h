/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_SUMMARY_H
#define TOOLS_SUMMARY_H

#include <stddef.h>
#include <stdio.h>

/*
 * Statistics of many instances per algorithm. A value is a makespan over a bound or a similar
 * ratio: less is better, and values of one instance are compared with each other. An instance
 * counts only if every algorithm has a value for it; algorithms without any value are ignored.
 */

typedef struct summary_row {
    const char *name;
    size_t      count; /* number of compared instances */
    double least, low, first, median, third, ninth, high, worst; /* quantiles; low: 2.5%, ninth: 90%,
                                                                        high: 97.5% */
    double wins;   /* share of instances on which the algorithm is best, alone or not */
    double behind; /* largest of value / best value - 1 over the instances */
    double rank;   /* mean rank; equal values share the mean of their ranks */
} summary_row;

typedef struct summary summary;

/** Create a summary of `algorithms` algorithms; the caller keeps the names alive. */
summary *summary_create(size_t algorithms, const char *const *names);
void     summary_free(summary *s);

/** Add an instance with a value per algorithm; NaN: no value. */
void summary_add(summary *s, const double *values);

/** Compute the statistics of an algorithm over the compared instances; NaN without any. */
void summary_statistics(const summary *s, size_t algorithm, summary_row *row);

/**
 * Return the number of instances, and of compared instances, for which all algorithms have a value.
 */
size_t summary_instances(const summary *s);
size_t summary_compared_instances(const summary *s);

/**
 * Write the statistics as a text table, as CSV, or as a JSON array, in the order of the medians. A
 * message lists the algorithms that lack instances.
 */
void summary_text(const summary *s, const char *measure, FILE *out);
void summary_csv(const summary *s, FILE *out);
void summary_json(const summary *s, FILE *out);

#endif
