/* SPDX-License-Identifier: BSD-3-Clause */
#include "generate/worst/worst.h"

/* Worker 0 is the CPU, 1 .. K are the GPUs. */

static void workers_balanced(unsigned k, unsigned *cpus, unsigned *gpus)
{
    *cpus = 1;
    *gpus = k;
}

/*
 * The heuristic balances the averages by moving every small task to the CPU, but then a GPU has two
 * large tasks. In the witness the CPU has a large task, and each GPU a large and a small task:
 * every worker ends at Ks.
 */
static void write_balanced(unsigned k, hsi_worst_case *c)
{
    uint64_t s = 2 * ((uint64_t)k - 1);
    uint32_t small = hsi_worst_add_tasks(c, "small", s + 1, s, 0, k);
    uint32_t large = hsi_worst_add_tasks(c, "large", k * s, (k - 1) * s, 0, k + 1);
    uint32_t i;

    hsi_worst_add_run(c, c->witness, 0, 0, k * s, large + k);
    for (i = 0; i < k; i++) {
        uint64_t end = hsi_worst_add_run(c, c->witness, 1 + i, 0, (k - 1) * s, large + i);

        hsi_worst_add_run(c, c->witness, 1 + i, end, s, small + i);
    }
}

const hs_worst hsi_worst_balanced = {
    "balanced",
    "BalancedEstimate and BalancedMakespan on 1 CPU and K GPUs, argument K: (2K - 2)/K, "
    "towards 2 (Canon, Marchal, Vivien 2017, Figure 1)",
    2, 165140, 1, /* the times sum to less than 2^53 */
    workers_balanced, write_balanced,
};
