/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_REGROUP_H
#define HSI_REFINE_REGROUP_H

#include <hybridsched/status.h>

#include "refine/completion.h"

/* Tasks of whole weights on like workers, and where each is. */
typedef struct hsi_regroup {
    size_t         n;
    const int64_t *weight;
    unsigned       workers;
    uint32_t      *worker; /* of a task: 0 .. workers - 1 */
    int64_t       *load;   /* of a worker */
    hsi_random    *random;
    uint64_t       steps; /* out: as of a completion */
} hsi_regroup;

/*
 * Shares out the tasks of a few workers anew, one of them fuller than `capacity`, so that none of
 * these is; again and again, until nobody is, the steps are used up or it is time to stop.
 */
hs_status hsi_regroup_go(hsi_regroup *r, int64_t capacity, uint64_t most_steps,
                         const hsi_stop *stop, int *done);

#endif
