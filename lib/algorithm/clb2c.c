/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CLB2C: of the two ends of the rho order, the best task for a CPU and the best
 * for a GPU, the one that would end first is placed for good.
 */
#include "algorithm/algorithm.h"
#include "core/order.h"
#include "support/worker_tree.h"

static void place_all(const hsi_problem *pb, const uint32_t *order, hsi_worker_tree *cpus,
                      hsi_worker_tree *gpus, hsi_log *log)
{
    enum { AHEAD = 12 };
    size_t low = 0, high = pb->n; /* order[low, high) is left */

    while (low < high) {
        uint32_t for_cpu = order[low], for_gpu = order[high - 1];
        double   cpu_end = hsi_worker_tree_time(cpus) + pb->p[for_cpu];
        double   gpu_end = hsi_worker_tree_time(gpus) + pb->q[for_gpu];

        if (high - low > AHEAD) { /* the order tells which times will be wanted */
            __builtin_prefetch(&pb->p[order[low + AHEAD]]);
            __builtin_prefetch(&pb->q[order[high - 1 - AHEAD]]);
        }
        if (cpu_end < gpu_end) {
            hsi_log_put(log, for_cpu, hsi_worker_tree_first(cpus), cpu_end);
            hsi_worker_tree_set(cpus, hsi_worker_tree_first(cpus), cpu_end);
            low++;
        } else {
            hsi_log_put(log, for_gpu, pb->m + hsi_worker_tree_first(gpus), gpu_end);
            hsi_worker_tree_set(gpus, hsi_worker_tree_first(gpus), gpu_end);
            high--;
        }
    }
}

static hs_status run(const hsi_problem *pb, const hs_settings *settings, hsi_log *log)
{
    hsi_worker_tree cpus = {NULL, 0, 0}, gpus = {NULL, 0, 0};
    uint32_t       *order = malloc((pb->n ? pb->n : 1) * sizeof *order);
    hs_status       st = HS_ENOMEM;

    (void)settings;
    /* An absent type keeps one worker, on which everything takes for ever. */
    if (!order || hsi_worker_tree_open(&cpus, pb->m ? pb->m : 1) ||
        hsi_worker_tree_open(&gpus, pb->k ? pb->k : 1))
        goto out;
    st = hsi_order_by_rho(pb, HSI_RHO_UP, order);
    if (st == HS_OK)
        place_all(pb, order, &cpus, &gpus, log);
out:
    hsi_worker_tree_close(&gpus);
    hsi_worker_tree_close(&cpus);
    free(order);
    return st;
}

const hs_algorithm hsi_alg_clb2c = {
    .name = "clb2c",
    .summary = "best task for a CPU against best for a GPU: the one that ends first is placed",
    .source = "Cheriere, Saule 2015; 2 if no time exceeds the optimum",
    .cost = "O(n log n)",
    .guarantee = hsi_no_guarantee,
    .run = run,
};
