/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_COMPLETION_H
#define HSI_REFINE_COMPLETION_H

#include "bound/proof/refute.h"
#include "core/problem.h"
#include "core/stop.h"
#include "support/random.h"

/*
 * Can tasks of whole weights be shared out so that no worker of some that are alike holds more than
 * a capacity? Bin completion (completion.c says how), for where few tasks share a worker.
 */
typedef struct hsi_completion hsi_completion;

/* HS_ETOOBIG: there are too many different weights. `weight` is not needed afterwards. */
hs_status hsi_completion_open(size_t n, const int64_t *weight, unsigned workers,
                              hsi_completion **out);
void      hsi_completion_close(hsi_completion *c);

typedef struct hsi_completion_query {
    int64_t     capacity;
    uint64_t    most_steps;
    unsigned    sparing; /* leaves out one try in so many at random; 0: none, so that it refutes */
    hsi_random *random;
    uint64_t    steps;  /* out: what it took, 20 ns each or more, the more kinds there are */
    uint32_t   *worker; /* out, if found: 0 .. workers - 1, of each task */
} hsi_completion_query;

hsi_verdict hsi_completion_ask(hsi_completion *c, hsi_completion_query *query,
                               const hsi_stop *stop);

#endif
