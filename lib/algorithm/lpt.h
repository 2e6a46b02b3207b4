/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_ALGORITHM_LPT_H
#define HSI_ALGORITHM_LPT_H

#include "core/recorder.h"
#include "core/problem.h"
#include "support/worker_tree.h"

/* Longest processing time first for a sequence of allocations. */
typedef struct hsi_lpt {
    const hsi_problem *pb;
    uint32_t          *by_cpu, *by_gpu; /* all tasks by decreasing CPU time, and by decreasing GPU
                                           time */
    uint32_t       *chosen;             /* scratch: the tasks of one type */
    hsi_worker_tree cpus, gpus;
    hsi_arena       own; /* used if the problem has no arena */
} hsi_lpt;

hs_status hsi_lpt_open(hsi_lpt *lpt, const hsi_problem *pb);
void      hsi_lpt_close(hsi_lpt *lpt);

/* Return the makespan of an allocation, where type[i] is an hs_type. `log` may be NULL. O(n log(m +
 * k)). The result is invalid once the problem's cancel token is cancelled. */
double hsi_lpt_run(hsi_lpt *lpt, const unsigned char *type, hsi_recorder *recorder);

/* Run LPT on a single allocation, in a problem with an arena; with counts, type[i] is that of row
 * i. HS_ENOMEM, HS_ECANCELED. */
hs_status hsi_lpt_once(const hsi_problem *pb, const unsigned char *type, hsi_recorder *recorder,
                       double *makespan);

#endif
