/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HEFT for independent tasks (for graphs see graph/heft.c): tasks by decreasing rank, each on the
 * worker that ends it first. The rank is the mean time over workers, or the smaller time. Only the
 * worker of each type that is free first is a candidate: O(n log n) to sort, O(log(m + k)) per
 * task.
 */
#include <math.h>

#include "algorithm/algorithm.h"
#include "algorithm/graph/heft.h"
#include "core/order.h"
#include "support/worker_tree.h"

/* Place a copy of a row on the worker that ends it first. */
static inline void place(const hsi_problem *pb, uint32_t row, uint32_t copy, hsi_worker_tree *cpus,
                         hsi_worker_tree *gpus, hsi_recorder *recorder)
{
    double   cpu_end = hsi_worker_tree_time(cpus) + pb->p[row];
    double   gpu_end = hsi_worker_tree_time(gpus) + pb->q[row];
    uint32_t worker;

    if (cpu_end < gpu_end) {
        worker = hsi_worker_tree_first(cpus);
        hsi_record_copy(recorder, row, copy, worker, cpu_end);
        hsi_worker_tree_set(cpus, worker, cpu_end);
    } else {
        worker = hsi_worker_tree_first(gpus);
        hsi_record_copy(recorder, row, copy, pb->m + worker, gpu_end);
        hsi_worker_tree_set(gpus, worker, gpu_end);
    }
}

static void place_all(const hsi_problem *pb, const uint32_t *order, hsi_worker_tree *cpus,
                      hsi_worker_tree *gpus, hsi_recorder *recorder)
{
    enum { AHEAD = 12 };
    size_t i;

    for (i = 0; i < pb->n && !hsi_poll_at_iteration(pb->token, i); i++) {
        uint32_t row = order[i], count = hsi_row_count(pb, row), copy;

        if (pb->n - i > AHEAD) { /* the order shows which times are needed next */
            __builtin_prefetch(&pb->p[order[i + AHEAD]]);
            __builtin_prefetch(&pb->q[order[i + AHEAD]]);
        }
        for (copy = 0; copy < count && !(copy && hsi_poll_at_iteration(pb->token, copy)); copy++)
            place(pb, row, copy, cpus, gpus, recorder);
    }
}

static hs_status order_by_rank(const hsi_problem *pb, double (*rank)(const hsi_problem *, size_t),
                               uint32_t          *order)
{
    hsi_mark  mark = hsi_arena_mark(pb->arena);
    double   *ranks = hsi_arena_alloc(pb->arena, pb->n, sizeof *ranks);
    hs_status st = HS_ENOMEM;
    size_t    i;

    if (ranks) {
        for (i = 0; i < pb->n && !hsi_poll_at_iteration(pb->token, i); i++)
            ranks[i] = rank(pb, i);
        st = hsi_order_by_time(pb->arena, ranks, pb->n, order, pb->token);
    }
    hsi_arena_release(pb->arena, mark);
    return st;
}

static hs_status run_ranked(const hsi_problem *pb, double (*rank)(const hsi_problem *, size_t),
                            hsi_recorder      *recorder)
{
    hsi_worker_tree cpus, gpus;
    uint32_t       *order = hsi_arena_alloc(pb->arena, pb->n, sizeof *order);
    hs_status       st;

    /* an absent type gets one worker with infinite times */
    if (!order || hsi_worker_tree_open_in(&cpus, pb->arena, pb->m ? pb->m : 1) ||
        hsi_worker_tree_open_in(&gpus, pb->arena, pb->k ? pb->k : 1))
        return HS_ENOMEM;
    hsi_worker_tree_start(&cpus, hsi_available(pb, HS_CPU));
    hsi_worker_tree_start(&gpus, hsi_available(pb, HS_GPU));
    st = order_by_rank(pb, rank, order);
    if (st == HS_OK)
        st = hsi_recorder_open(recorder, pb, 0);
    if (st == HS_OK)
        place_all(pb, order, &cpus, &gpus, recorder);
    return st;
}

static hs_status run_by(const hsi_problem *pb, hs_rank rank, hsi_recorder *recorder)
{
    if (pb->graph)
        return hsi_heft_schedule_graph(pb, rank, recorder);
    return run_ranked(pb, rank == HS_RANK_MIN ? hsi_min_time : hsi_mean_time, recorder);
}

static hs_status run(const hsi_problem *pb, const hs_settings *settings, hsi_recorder *recorder)
{
    return run_by(pb, settings->rank == HS_RANK_MIN ? HS_RANK_MIN : HS_RANK_AVG, recorder);
}

static hs_status run_min(const hsi_problem *pb, const hs_settings *settings, hsi_recorder *recorder)
{
    (void)settings;
    return run_by(pb, HS_RANK_MIN, recorder);
}

const hsi_algorithm hsi_alg_heft = {
    .about =
        {
            .struct_size = sizeof(hs_algorithm),
            .name = "heft",
            .summary = "in decreasing order of mean time, each task to the worker that ends it "
                       "first",
            .source = "Topcuoglu, Hariri, Wu 2002",
            .cost = "O(n log n); O(n (m + k) + dependencies) on graphs, if there are few gaps",
            .supports_graphs = true,
            .supports_available = true,
            .supported_ranks = 1 << HS_RANK_MIN | 1 << HS_RANK_AVG,
        },
    .by_rows = true,
    .run = run,
};

const hsi_algorithm hsi_alg_heft_min = {
    .about =
        {
            .struct_size = sizeof(hs_algorithm),
            .name = "heft-min",
            .summary = "in decreasing order of the smaller time, each task to the worker that "
                       "ends it first",
            .source = "as heft, with the min ranking of Beaumont et al. 2017",
            .cost = "O(n log n); O(n (m + k) + dependencies) on graphs, if there are few gaps",
            .supports_graphs = true,
            .supports_available = true,
        },
    .by_rows = true,
    .run = run_min,
};
