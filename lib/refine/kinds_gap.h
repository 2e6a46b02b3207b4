/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_KINDS_GAP_H
#define HSI_REFINE_KINDS_GAP_H

#include "bound/kinds/kinds.h"

/*
 * Close the gap between a lower bound and a schedule of tasks of few kinds: test one target
 * makespan after another (kinds.h), until the gap is closed or the remaining targets resist. The
 * caller applies each answer.
 */
typedef struct hsi_kinds_gap hsi_kinds_gap;

typedef struct hsi_kinds_gap_answer {
    hsi_verdict     verdict;
    double          target;
    const uint32_t *worker; /* assignment of each task, if HSI_FOUND */
    uint64_t        nodes;
} hsi_kinds_gap_answer;

/* Create a search. `pb` has one item per task and must outlive it; the gap counts as closed at
 * relative size `allowed_gap`. HS_ETOOBIG: too many kinds. */
hs_status hsi_kinds_gap_open(const hsi_problem *pb, double allowed_gap, hsi_kinds_gap **out);
void      hsi_kinds_gap_close(hsi_kinds_gap *gap);

/* Return HS_ETOOBIG if hsi_kinds_gap_open() would. O(n log n). */
hs_status hsi_kinds_gap_check_kinds(const hsi_problem *pb);

/* Set the values of tasks, as for hsi_kinds_set_worths(). */
void hsi_kinds_gap_set_multipliers(hsi_kinds_gap *gap, const double *worth);

/* Test one target. `bound` is a lower bound, `certified` the certified makespan of the best
 * schedule. `most_nodes`: limit of nodes; 0: chosen by the search. */
hs_status hsi_kinds_gap_test_target(hsi_kinds_gap *gap, double bound, double certified,
                                    uint64_t most_nodes, const hsi_stop *stop,
                                    hsi_kinds_gap_answer *answer);

/* Return 1 if testing further targets cannot change the bound or the schedule. */
int hsi_kinds_gap_ended(const hsi_kinds_gap *gap);

#endif
