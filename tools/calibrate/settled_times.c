/* SPDX-License-Identifier: BSD-3-Clause */
#include "calibrate/settled_times.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/granted_core_share.h"
#include "common/checked_memory.h"

#define TOLERANCE 0.1 /* largest relative difference of the quartiles of settled times */
#define SLACK 1e-7    /* seconds: time to read the clock */
#define PATIENCE 30   /* seconds for all rounds of a kernel */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Return a quantile of sorted values; interpolate linearly between neighbours. */
static double quantile(const double *sorted, size_t count, double part)
{
    double place = part * (double)(count - 1);
    size_t below = (size_t)place;

    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

quartiles quartiles_of(double *times, size_t count)
{
    qsort(times, count, sizeof *times, by_value);
    return (quartiles){.low = quantile(times, count, 0.25),
                       .median = quantile(times, count, 0.5),
                       .high = quantile(times, count, 0.75)};
}

/* Return the relative excess of the longer time over the shorter time plus the slack. */
static double excess(double x, double y)
{
    double least = fmin(x, y) + SLACK;

    return fmax(0, fmax(x, y) - least) / least;
}

/* Return the quartiles of the runs from `from` to `from` + `length` of all workers. */
static quartiles quartiles_of_part(const double *times, size_t workers, size_t runs, size_t from,
                                   size_t length)
{
    double   *part = checked_calloc(workers * length, sizeof *part);
    quartiles q;

    for (size_t w = 0; w < workers; w++)
        for (size_t i = 0; i < length; i++)
            part[w * length + i] = times[w * runs + from + i];
    q = quartiles_of(part, workers * length);
    free(part);
    return q;
}

double halves_differ(const double *times, size_t workers, size_t runs)
{
    size_t    half = runs / 2;
    quartiles first, second;

    if (runs < SETTLE_LEAST)
        return 0;
    first = quartiles_of_part(times, workers, runs, 0, half);
    second = quartiles_of_part(times, workers, runs, runs - half, half);
    return fmax(excess(first.median, second.median),
                fmax(excess(first.low, second.low), excess(first.high, second.high)));
}

bool settle(const double *times, size_t workers, size_t runs, const hs_exec_report *report,
            char why[SETTLE_WHY])
{
    double differ = halves_differ(times, workers, runs);
    char   share[8];

    if (differ > TOLERANCE)
        snprintf(why, SETTLE_WHY, "the quartiles of the two halves of its runs differ by %.0f%%",
                 100 * differ);
    else if (runs >= SETTLE_LEAST && core_share_is_low(report, share))
        snprintf(why, SETTLE_WHY, "this machine was busy: the kernel got %s of its cores", share);
    else
        return true;
    return false;
}

bool may_repeat(unsigned done, unsigned most, double spent, double last)
{
    return done < most && spent + 2 * last <= PATIENCE;
}
