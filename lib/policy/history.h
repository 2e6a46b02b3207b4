/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_POLICY_HISTORY_H
#define HSI_POLICY_HISTORY_H

#include "core/problem.h"

/*
 * The history of a run: ratios of measured time to estimate of finished tasks, by type and kernel.
 * Each class (a kernel on a type) and each type has a histogram over quarters of octaves; a bin has
 * the count, the sum and the maximum of its ratios. The expected ratio of a running task is the
 * mean of the bins that the task has not outlasted: O(bins), for any number of tasks. A class
 * without finished tasks uses the histogram of its type.
 */
enum { HSI_RATIO_BINS = 64, HSI_CLASSES = 64 };
#define HSI_RATIO_MOST 256.0 /* upper limit of stored ratios: sums stay finite */

typedef struct hsi_ratios {
    uint64_t count, wrong; /* number of ratios that differ from 1 by more than the tolerance
                              (misestimates) */
    struct hsi_ratio_bin {
        uint64_t count;
        double   sum, most;
    } bin[HSI_RATIO_BINS];
} hsi_ratios;

typedef struct hsi_history {
    double         tolerance;
    bool           has_misestimates; /* whether an estimate was wrong by more than the tolerance */
    const unsigned char *class_of;   /* indexed by task: class of the kernel; 0: no kernel, or no
                                        class left */
    unsigned char *own_classes;      /* memory of `class_of`; NULL: the instance has it */
    hsi_ratios *of[2];       /* indexed by hs_type, then class; [0]: all tasks of the type */
} hsi_history;

hs_status hsi_history_open(hsi_history *history, const hs_instance *estimates, double tolerance,
                           hsi_token *token);
void      hsi_history_close(hsi_history *history);

/*
 * Add a finished task that took `ratio` times its estimate; a ratio within the tolerance counts as
 * 1. Return true if expected ratios may have changed: always after a misestimate, else only at the
 * first task of a class or type.
 */
bool hsi_history_add(hsi_history *history, hs_type type, uint32_t task, double ratio);

/* Return the ratios of the task's class on a type, or of the whole type while the class has
 * none. */
static inline const hsi_ratios *hsi_history_ratios(const hsi_history *history, hs_type type,
                                                   uint32_t task)
{
    const hsi_ratios *own = &history->of[type][history->class_of[task]];

    return own->count ? own : history->of[type];
}

/* Return the largest ratio in the bin times 1.25, or 1 if that ratio is 1: a task beyond this ratio
 * has outlasted the bin. 0: the bin is empty. */
double hsi_ratios_bin_limit(const hsi_ratios *r, unsigned bin);

/* Return the mean ratio of the bins that a task started at `start` has not outlasted; ratio 1 is
 * `estimate` of time. 0: the task has outlasted all bins. */
double hsi_ratios_expected(const hsi_ratios *r, double start, double estimate, double now);

/* Return the ratio to expect when a time above the expected one costs three times what a shorter
 * time gains; 1 without history. */
double hsi_ratios_pessimistic(const hsi_ratios *r);

/* Return the share of misestimates among the ratios; 1 without history. */
static inline double hsi_ratios_misestimate_share(const hsi_ratios *r)
{
    return r->count ? (double)r->wrong / (double)r->count : 1;
}

#endif
