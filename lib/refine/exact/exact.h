/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_EXACT_EXACT_H
#define HSI_REFINE_EXACT_EXACT_H

#include "algorithm/algorithm.h"
#include "bound/proof/refute.h"

/* State of `exact`: the best schedule, the best bound, and the data of its searches. */
typedef struct hsi_exact {
    const hsi_members *members;
    const hs_instance *in;
    const hs_settings *settings;
    hsi_stop           stop;
    hsi_token          token; /* the caller's cancel token, without time limit */
    hsi_problem        pb;    /* problem with one item per task */
    hs_schedule       *best;
    double             longest; /* certified makespan of the best schedule */
    char               found_by[sizeof((hs_report *)0)->found_by]; /* what found it */
    double             bound;
    char               bound_name[sizeof((hs_report *)0)->bound_name];
    double             grid;     /* grid of makespans (bound/grid.h), or 0 */
    bool               shortest; /* whether all shorter schedules are refuted */
    uint64_t          *worth[2]; /* value of each task in the area bound and in the configuration
                                    bound */
    int       worths;
    uint32_t *worker;
    uint64_t  nodes;
} hsi_exact;

/* Return true if the gap of the settings is reached. */
bool hsi_exact_is_proved(const hsi_exact *pf);

void hsi_exact_raise_bound(hsi_exact *pf, double bound, const char *name);

/* Apply the verdict on a target: keep the assignment `assignment` after HSI_FOUND, raise the bound
 * after HSI_REFUTED. */
hs_status hsi_exact_apply_verdict(hsi_exact *pf, double target, hsi_verdict verdict,
                                  const uint32_t *assignment);

void hsi_exact_report_progress(const hsi_exact *pf);

/* Return the settings for a part of the remaining time, at most `most_seconds` seconds. */
hs_settings hsi_exact_settings_for_share(const hsi_exact *pf, double time_share,
                                         double most_seconds);

/* Run `best` from the current schedule; stop at the gap of the settings or at `gap`, whichever is
 * larger. */
hs_status hsi_exact_improve_schedule(hsi_exact *pf, double time_share, double most_seconds,
                                     double gap);

/* Compute the value of each task in the area bound. The values are a hint for searches. */
hs_status hsi_exact_worths_by_area(hsi_exact *pf, double *worth);

/* Compute the value of each task in the configuration bound, and raise the lower bound. *found = 0:
 * the instance is too large for this bound, or the solver failed; `worth` is unset. */
hs_status hsi_exact_worths_by_configuration(hsi_exact *pf, double *worth, int *found);

/* Search instances of few kinds by kind (kinds_gap.h). */
hs_status hsi_exact_search_by_kinds(hsi_exact *pf);

/* Search task by task, in up to `rounds` rounds with increasing node limits. */
hs_status hsi_exact_search_by_tasks(hsi_exact *pf, unsigned rounds);

/* Search by branch and price. */
hs_status hsi_exact_search_price_tree(hsi_exact *pf);

#endif
