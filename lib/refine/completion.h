/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_COMPLETION_H
#define HSI_REFINE_COMPLETION_H

#include "bound/proof/refute.h"
#include "core/problem.h"
#include "core/time_limit.h"
#include "support/random.h"

/* Bin completion: distribute tasks of integer weights over equal workers, none of which may exceed
 * a capacity. Suited to few tasks per worker; see completion.c for the method. */
typedef struct hsi_completion hsi_completion;

/* Create a search. HS_ETOOBIG: too many tasks or different weights. `weight` is read during the
 * call only. */
hs_status hsi_completion_open(size_t count, const int64_t *weight, unsigned workers,
                              hsi_completion **out);
void      hsi_completion_close(hsi_completion *c);

typedef struct hsi_completion_query {
    int64_t  capacity;
    uint64_t most_steps;
    unsigned sparing; /* skip one of this many completions at random; 0: none, so that the search
                         can refute */
    hsi_random *random;
    uint64_t    steps;  /* result: number of steps, of at least 20 ns each; more with many kinds */
    uint32_t   *worker; /* result: worker (0 .. workers - 1) of each task, if a packing was found */
} hsi_completion_query;

hsi_verdict hsi_completion_search(hsi_completion *c, hsi_completion_query *query,
                                  const hsi_stop *stop);

#endif
