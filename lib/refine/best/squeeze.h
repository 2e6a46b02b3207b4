/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_BEST_SQUEEZE_H
#define HSI_REFINE_BEST_SQUEEZE_H

#include "bound/kinds/kinds.h"

/*
 * Asks about one makespan after another (kinds.h), until nothing is left between the
 * lower bound and the best schedule, or what is left resists. The caller learns what
 * each answer says.
 */
typedef struct hsi_squeeze hsi_squeeze;

typedef struct hsi_squeeze_answer {
    hsi_verdict     verdict;
    double          target;
    const uint32_t *worker; /* of each task, if HSI_FOUND */
    uint64_t        nodes;
} hsi_squeeze_answer;

/* `pb` has one item a task and outlives the state. HS_ETOOBIG: this is not for it. */
hs_status hsi_squeeze_open(const hsi_problem *pb, hsi_squeeze **out);
void      hsi_squeeze_close(hsi_squeeze *sq);

/* Are kinds few, at most so many that it may be of use? O(n). */
int hsi_squeeze_may_open(const hsi_problem *pb);

/* What tasks are worth, as for hsi_kinds_value(). */
void hsi_squeeze_value(hsi_squeeze *sq, const double *worth);

/*
 * One question. No schedule is shorter than `bound`; to refute `last`, which is not below
 * it, is all that is wanted. With at most so many nodes (0: as many as seem right).
 */
hs_status hsi_squeeze_ask(hsi_squeeze *sq, double bound, double last, uint64_t most_nodes,
                          const hsi_stop *stop, hsi_squeeze_answer *answer);

/* What was found is no shorter than what is known, by rounding: the target is too near to it. */
void hsi_squeeze_vain(hsi_squeeze *sq);

/* Nothing more is to be learned. */
int hsi_squeeze_ended(const hsi_squeeze *sq);

#endif
