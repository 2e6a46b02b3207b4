/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_GAP_H
#define HSI_REFINE_GAP_H

#include "bound/kinds/kinds.h"

/*
 * Closes the gap between a lower bound and a schedule where tasks are of few kinds: asks about
 * one makespan after another (kinds.h), until nothing is left between the two, or what is left
 * resists. The caller learns what each answer says.
 */
typedef struct hsi_gap hsi_gap;

typedef struct hsi_gap_answer {
    hsi_verdict     verdict;
    double          target;
    const uint32_t *worker; /* of each task, if HSI_FOUND */
    uint64_t        nodes;
} hsi_gap_answer;

/*
 * `pb` has one item a task and outlives the state; a schedule within the relative gap
 * `allowed` of a bound is all that is wanted. HS_ETOOBIG: this is not for it.
 */
hs_status hsi_gap_open(const hsi_problem *pb, double allowed, hsi_gap **out);
void      hsi_gap_close(hsi_gap *gap);

/* HS_ETOOBIG where kinds are so many that hsi_gap_open() says so. O(n log n). */
hs_status hsi_gap_suits(const hsi_problem *pb);

/* What tasks are worth, as for hsi_kinds_value(). */
void hsi_gap_value(hsi_gap *gap, const double *worth);

/*
 * One question. No schedule is shorter than `bound`, and there is one that takes `certified`.
 * With at most so many nodes (0: as many as seem right).
 */
hs_status hsi_gap_ask(hsi_gap *gap, double bound, double certified, uint64_t most_nodes,
                      const hsi_stop *stop, hsi_gap_answer *answer);

/* Nothing more is to be learned. */
int hsi_gap_ended(const hsi_gap *gap);

#endif
