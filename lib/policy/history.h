/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_POLICY_HISTORY_H
#define HSI_POLICY_HISTORY_H

#include "core/problem.h"

/*
 * How far estimates have been off so far: of what was done, the ratios of time taken to
 * estimate, by kernel and type. Of each such class, and of all that a type did, there is a
 * histogram over quarters of octaves, whose bins know the sum and the greatest of what is in
 * them. So what a task may still take is the mean of the bins that it has not outlasted: O(bins),
 * whatever the number of tasks. A class without any is judged by its type.
 */
enum { HSI_RATIO_BINS = 64, HSI_CLASSES = 64 };
#define HSI_RATIO_MOST 256.0 /* a greater ratio counts as this one: sums stay finite */

typedef struct hsi_ratios {
    uint64_t count, wrong; /* wrong: off by more than the tolerance */
    struct hsi_ratio_bin {
        uint64_t count;
        double   sum, most;
    } bin[HSI_RATIO_BINS];
} hsi_ratios;

typedef struct hsi_history {
    double         tolerance;
    int            has_misestimates; /* some estimate was, by more than that */
    unsigned char *class_of;         /* a task; 0: without a kernel, or there are too many */
    hsi_ratios    *of[2];            /* by hs_type and class; [0]: of all that the type did */
} hsi_history;

hs_status hsi_history_open(hsi_history *x, const hs_instance *estimates, double tolerance,
                           hsi_asker *asker);
void      hsi_history_close(hsi_history *x);

/*
 * A task took `ratio` times its estimate. 1: what is known has changed, which it does not while
 * all estimates are right, but for the first of a class.
 */
int hsi_history_add(hsi_history *x, hs_type type, uint32_t task, double ratio);

/* What is known of such tasks. */
static inline const hsi_ratios *hsi_history_of(const hsi_history *x, hs_type type, uint32_t task)
{
    const hsi_ratios *own = &x->of[type][x->class_of[task]];

    return own->count ? own : x->of[type];
}

/*
 * The ratio up to which the bin counts for a task that runs: of the longest in it and a quarter
 * more, unless that was right. 0: there is nothing in it.
 */
double hsi_ratios_limit(const hsi_ratios *r, unsigned bin);

/*
 * The mean of the bins that a task has not outlasted which began at `start` and for which 1 is
 * `unit` of time; 0 if there are none.
 */
double hsi_ratios_expected(const hsi_ratios *r, double start, double unit, double now);

/*
 * The ratio to count on where it is worse to take longer than that than it is good to be done
 * sooner, three times; 1 if nothing is known.
 */
double hsi_ratios_pessimistic(const hsi_ratios *r);

/* The part of the estimates that were wrong; 1 if nothing is known. */
static inline double hsi_ratios_wrong_share(const hsi_ratios *r)
{
    return r->count ? (double)r->wrong / (double)r->count : 1;
}

#endif
