/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_MEDIAN_H
#define BENCH_MEDIAN_H

#include <stdlib.h>

static inline int median_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Return the median of an odd number of values, which are sorted then. */
static inline double median(double *all, size_t count)
{
    qsort(all, count, sizeof *all, median_order);
    return all[count / 2];
}

#endif
