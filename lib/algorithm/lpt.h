/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_ALGORITHM_LPT_H
#define HSI_ALGORITHM_LPT_H

#include "core/log.h"
#include "core/problem.h"
#include "support/worker_tree.h"

/* Longest processing time first on one allocation after another. */
typedef struct hsi_lpt {
    const hsi_problem *pb;
    uint32_t          *by_cpu, *by_gpu; /* all tasks, longest first, for either type */
    hsi_worker_tree    cpus, gpus;
    hsi_arena          own; /* for a problem without an arena */
} hsi_lpt;

hs_status hsi_lpt_open(hsi_lpt *lpt, const hsi_problem *pb);
void      hsi_lpt_close(hsi_lpt *lpt);

/*
 * Makespan for an allocation, type[i] an hs_type. `log` may be NULL. O(n log(m + k)). Nothing of
 * the kind where the problem's asker wants no more.
 */
double hsi_lpt_run(hsi_lpt *lpt, const unsigned char *type, hsi_log *log);

/* The same for a single allocation, in a problem with an arena, of rows if the problem has counts.
 */
hs_status hsi_lpt_once(const hsi_problem *pb, const unsigned char *type, hsi_log *log,
                       double *makespan);

#endif
