/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HEFT without a graph: tasks by decreasing rank, each to the worker that ends
 * it first. The rank is the mean time over the workers, or the smaller time.
 */
#include <math.h>

#include "algorithm/algorithm.h"
#include "core/order.h"
#include "support/worker_tree.h"

static double mean_time(const hsi_problem *pb, size_t i)
{
    if (isinf(pb->p[i]))
        return pb->q[i];
    if (isinf(pb->q[i]))
        return pb->p[i];
    return (pb->m * pb->p[i] + pb->k * pb->q[i]) / ((double)pb->m + pb->k);
}

static double min_time(const hsi_problem *pb, size_t i)
{
    return pb->p[i] < pb->q[i] ? pb->p[i] : pb->q[i];
}

static void place_all(const hsi_problem *pb, const uint32_t *order, hsi_worker_tree *cpus,
                      hsi_worker_tree *gpus, hsi_log *log)
{
    enum { AHEAD = 12 };
    size_t i;

    for (i = 0; i < pb->n; i++) {
        uint32_t task = order[i];
        double   cpu_end = hsi_worker_tree_time(cpus) + pb->p[task];
        double   gpu_end = hsi_worker_tree_time(gpus) + pb->q[task];

        if (pb->n - i > AHEAD) { /* the order tells which times will be wanted */
            __builtin_prefetch(&pb->p[order[i + AHEAD]]);
            __builtin_prefetch(&pb->q[order[i + AHEAD]]);
        }
        if (cpu_end < gpu_end) {
            hsi_log_put(log, task, hsi_worker_tree_first(cpus), cpu_end);
            hsi_worker_tree_set(cpus, hsi_worker_tree_first(cpus), cpu_end);
        } else {
            hsi_log_put(log, task, pb->m + hsi_worker_tree_first(gpus), gpu_end);
            hsi_worker_tree_set(gpus, hsi_worker_tree_first(gpus), gpu_end);
        }
    }
}

static hs_status run_ranked(const hsi_problem *pb, double (*rank)(const hsi_problem *, size_t),
                            hsi_log *log)
{
    hsi_worker_tree cpus = {NULL, 0, 0}, gpus = {NULL, 0, 0};
    uint32_t       *order = malloc((pb->n ? pb->n : 1) * sizeof *order);
    double         *ranks = malloc((pb->n ? pb->n : 1) * sizeof *ranks);
    hs_status       st = HS_ENOMEM;
    size_t          i;

    /* An absent type keeps one worker, on which everything takes for ever. */
    if (!order || !ranks || hsi_worker_tree_open(&cpus, pb->m ? pb->m : 1) ||
        hsi_worker_tree_open(&gpus, pb->k ? pb->k : 1))
        goto out;
    for (i = 0; i < pb->n; i++)
        ranks[i] = rank(pb, i);
    st = hsi_order_by_time(ranks, pb->n, order);
    if (st == HS_OK)
        place_all(pb, order, &cpus, &gpus, log);
out:
    hsi_worker_tree_close(&gpus);
    hsi_worker_tree_close(&cpus);
    free(ranks);
    free(order);
    return st;
}

static hs_status run_mean(const hsi_problem *pb, const hs_settings *settings, hsi_log *log)
{
    (void)settings;
    return run_ranked(pb, mean_time, log);
}

static hs_status run_min(const hsi_problem *pb, const hs_settings *settings, hsi_log *log)
{
    (void)settings;
    return run_ranked(pb, min_time, log);
}

const hs_algorithm hsi_alg_heft = {
    .name = "heft",
    .summary = "by decreasing mean time, each task to the worker that ends it first",
    .source = "Topcuoglu, Hariri, Wu 2002, without a graph",
    .cost = "O(n log n)",
    .guarantee = hsi_no_guarantee,
    .run = run_mean,
};

const hs_algorithm hsi_alg_heft_min = {
    .name = "heft-min",
    .summary = "by decreasing smaller time, each task to the worker that ends it first",
    .source = "as heft, with the min ranking of Beaumont et al. 2017",
    .cost = "O(n log n)",
    .guarantee = hsi_no_guarantee,
    .run = run_min,
};
