/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_CONFIGURATION_CONFIGURATION_H
#define HSI_BOUND_CONFIGURATION_CONFIGURATION_H

#include "core/problem.h"
#include "core/stop.h"
#include "solver/master_lp.h"

/*
 * The configuration bound, computed in slices of time. A makespan is refused if no
 * fractional combination of at most m CPU patterns and k GPU patterns (what a worker
 * can run in that time) covers every task; multipliers of the tasks prove it. The
 * search moves a target up from one refusal to the next.
 */
typedef struct hsi_configuration hsi_configuration;

/*
 * `from` is a bound known to be safe, where the search begins; with 0 it is deadline's.
 * HS_ETOOBIG: too many kinds of tasks for this bound to be of use. The problem may
 * be one of tasks or of rows; it need not outlive the call.
 */
hs_status hsi_configuration_open(const hsi_problem *pb, double from, hsi_configuration **out);

/* Counts in cells that are as small as can be for makespans up to about `longest`. */
hs_status hsi_configuration_open_exact(const hsi_problem *pb, double from, double longest,
                                       hsi_configuration **out);
void      hsi_configuration_close(hsi_configuration *cf);

/*
 * Both before the first step, if at all. What a similar problem's tasks were worth
 * (rows of this one), to begin with; and a bound at which step() may rest, because
 * more is of no use.
 */
void hsi_configuration_begin_with(hsi_configuration *cf, const double *worth, size_t rows);
void hsi_configuration_enough(hsi_configuration *cf, double bound);

/*
 * Goes on until `stop`, which is asked every few milliseconds while tasks are a few
 * hundred, or until the search has ended or has enough. HS_OK unless memory was short; what was
 * proved stays good in any case. Slices of less than 20 ms waste a part of them.
 */
hs_status hsi_configuration_step(hsi_configuration *cf, const hsi_stop *stop);

/* Never above the optimum; grows. */
double hsi_configuration_bound(const hsi_configuration *cf);

/*
 * By how much, relatively, the bound may still grow, about: a guess; 0 once the
 * search has ended, INFINITY before the first round.
 */
double hsi_configuration_hope(const hsi_configuration *cf);
int    hsi_configuration_ended(const hsi_configuration *cf);

typedef struct hsi_pattern {
    hs_type                type;
    double                 share; /* workers that run it in the LP's last solution; mostly 0 */
    size_t                 size;
    const hsi_master_item *items; /* kinds; valid until the next step() */
} hsi_pattern;

/* All those priced so far; later ones are better. */
size_t      hsi_configuration_patterns(const hsi_configuration *cf);
hsi_pattern hsi_configuration_pattern(const hsi_configuration *cf, size_t index);

/* The kind of a row of the problem: rows with the same two times are of one kind. */
uint32_t hsi_configuration_kind(const hsi_configuration *cf, size_t row);

/* How much of each kind the LP's last solution runs on CPUs: 0 to 1. Room for a row each. */
void hsi_configuration_cpu_shares(const hsi_configuration *cf, double *share);

/*
 * What the search values a row's task at (each of them, if the row has a count), on no
 * particular scale: the multipliers that come nearest to refusing the next makespan.
 */
double hsi_configuration_worth(const hsi_configuration *cf, size_t row);

/*
 * With w_i = floor(time_i / 2^grid), on each type, no set of tasks with weights
 * adding up to at most `capacity` has multipliers adding up to more than
 * most[type], while all multipliers add up to more than m most[HS_CPU] + k
 * most[HS_GPU]. So no schedule is shorter than (capacity + 1) 2^grid; `bound` is that,
 * rounded down. (Refused is any T with floor(T / 2^grid) = capacity.) The multipliers of all tasks
 * add up to 2^50 at most. `most` is not the knapsack's optimum exactly, but never less: a search
 * that checks it may leave out what is not above it.
 */
typedef struct hsi_configuration_proof {
    double   bound;
    int      grid;
    int64_t  capacity;
    int64_t  most[2]; /* 0 for a type without workers */
} hsi_configuration_proof;

/* 0 if there is none: nothing is proved beyond the bound that the search began with. */
int hsi_configuration_proved(const hsi_configuration *cf, hsi_configuration_proof *proof);

/* The proof's multiplier of a row's task (of each of them, if the row has a count). */
int64_t hsi_configuration_multiplier(const hsi_configuration *cf, size_t row);

#endif
