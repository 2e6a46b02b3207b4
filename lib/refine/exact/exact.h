/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_EXACT_EXACT_H
#define HSI_REFINE_EXACT_EXACT_H

#include "algorithm/algorithm.h"
#include "bound/proof/refute.h"

/* What exact.c is made of: what is known, and the ways to learn more. */
typedef struct hsi_exact {
    const hsi_members *members;
    const hs_instance *in;
    const hs_settings *settings;
    hsi_stop           stop;
    hsi_asker          asker; /* the caller's, not the time's */
    hsi_problem        pb;    /* one item a task */
    hs_schedule       *best;
    double             longest; /* what of it is certified */
    double             bound;
    char               bound_name[sizeof((hs_report *)0)->bound_name];
    double             grid;     /* bound/grid.h */
    int                shortest; /* every shorter schedule is refuted */
    uint64_t          *worth[2]; /* a task: by the area bound, by the configuration bound */
    int                worths;
    uint32_t          *worker;
    uint64_t           nodes;
} hsi_exact;

/* To the gap that the settings ask for. */
int hsi_exact_is_proved(const hsi_exact *pf);

void hsi_exact_raise(hsi_exact *pf, double bound, const char *name);

/* What the verdict on a target says: of HSI_FOUND, the assignment in `worker`. */
hs_status hsi_exact_learn(hsi_exact *pf, double target, hsi_verdict verdict,
                          const uint32_t *worker);

void hsi_exact_report_progress(const hsi_exact *pf);

/* The settings for a part of the time that is left, but no more than `most` seconds. */
hs_settings hsi_exact_part(const hsi_exact *pf, double part, double most);

/* `best`, with what is known so far; ends at a gap that the settings ask for, or at `gap`. */
hs_status hsi_exact_schedule(hsi_exact *pf, double part, double most, double gap);

/* What the area bound values each task at; and the configuration bound, which is raised. */
hs_status hsi_exact_value_by_area(hsi_exact *pf, double *value);
hs_status hsi_exact_value_by_configuration(hsi_exact *pf, double *value);

/* Tasks of few kinds are searched by those (gap.h). */
hs_status hsi_exact_by_kinds(hsi_exact *pf);

/* Task by task, in so many rounds, each more patient than the one before. */
hs_status hsi_exact_by_tasks(hsi_exact *pf, unsigned rounds);

/* Branch and price: what settles nearly all that is not settled at once. */
hs_status hsi_exact_by_tree(hsi_exact *pf);

#endif
