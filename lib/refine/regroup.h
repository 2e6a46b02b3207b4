/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_REGROUP_H
#define HSI_REFINE_REGROUP_H

#include <hybridsched/status.h>

#include "refine/completion.h"

/* Tasks of integer weights on equal workers, with their assignment. */
typedef struct hsi_regroup {
    size_t         n;
    const int64_t *weight;
    unsigned       workers;
    uint32_t      *worker; /* worker (0 .. workers - 1) of each task, changed in place */
    int64_t       *load;   /* load of each worker */
    hsi_random    *random;
    uint64_t       steps; /* result: number of steps, as of a bin completion */
} hsi_regroup;

/*
 * Redistribute the tasks of random groups of a few workers, mostly with one above `capacity`, so
 * that no worker of the group exceeds it. Repeat until no worker does (*complete = 1), the steps
 * are used up, or `stop`.
 */
hs_status hsi_regroup_search(hsi_regroup *r, int64_t capacity, uint64_t most_steps,
                             const hsi_stop *stop, int *complete);

#endif
