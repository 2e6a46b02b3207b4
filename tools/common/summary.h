/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_SUMMARY_H
#define TOOLS_SUMMARY_H

#include <stddef.h>
#include <stdio.h>

/*
 * What many instances say of each algorithm. A value is a makespan over a bound or the like: less
 * is better, and values of one instance are compared with each other. Where an algorithm has no
 * value, the instance counts for none of them; algorithms without any value are not there at all.
 */

typedef struct summary_row {
    const char *name;
    size_t      count; /* of the instances that are compared */
    double least, low, first, median, third, high, worst; /* quantiles: low 2.5 %, high 97.5 % */
    double wins;   /* share of instances where nothing is better */
    double behind; /* how much worse than the best there it is at most, as a share */
    double rank;   /* mean; equal values share the mean of their ranks */
} summary_row;

typedef struct summary summary;

/** Algorithms by their number; names stay the caller's. */
summary *summary_create(size_t algorithms, const char *const *names);
void     summary_free(summary *s);

/** One instance: a value an algorithm, NaN where there is none. */
void summary_add(summary *s, const double *values);

/** Of the instances that are compared, of one algorithm; NaN of none. */
void summary_of(const summary *s, size_t algorithm, summary_row *row);

/** All instances, and those that all algorithms have a value of. */
size_t summary_instances(const summary *s);
size_t summary_compared(const summary *s);

/**
 * As a table for people, algorithms by their median; as CSV; as an array of JSON. A message says
 * which algorithms lack instances.
 */
void summary_text(const summary *s, const char *measure, FILE *out);
void summary_csv(const summary *s, FILE *out);
void summary_json(const summary *s, FILE *out);

#endif
