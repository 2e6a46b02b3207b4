/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CLB2C: compare the tasks at both ends of the rho order, the best one for a CPU and the best one
 * for a GPU, and place the one that would end first. The remaining tasks are always a range of the
 * order. O(n log n) to sort, O(log(m + k)) per task.
 */
#include "algorithm/algorithm.h"
#include "core/order.h"
#include "support/worker_tree.h"

/* The remaining tasks: order[low, high), without low_copies of the first row and high_copies of the
 * last. */
typedef struct rest {
    const hsi_problem *pb;
    const uint32_t    *order;
    size_t             low, high;
    uint32_t           low_copies, high_copies; /* copies taken from the first and the last row */
} rest;

/* Take a copy and return its number: first rows are taken from copy 0 up, last rows from the last
 * copy down. */
static inline uint32_t take_low(rest *r)
{
    uint32_t row = r->order[r->low], copy = r->low_copies++, left = hsi_row_count(r->pb, row);

    if (r->low + 1 == r->high)
        left -= r->high_copies;
    if (r->low_copies == left) {
        r->low++;
        r->low_copies = 0;
    }
    return copy;
}

static inline uint32_t take_high(rest *r)
{
    uint32_t row = r->order[r->high - 1], count = hsi_row_count(r->pb, row);
    uint32_t copy = count - ++r->high_copies;

    if (copy == (r->low + 1 == r->high ? r->low_copies : 0)) {
        r->high--;
        r->high_copies = 0;
    }
    return copy;
}

static void place_all(const hsi_problem *pb, const uint32_t *order, hsi_worker_tree *cpus,
                      hsi_worker_tree *gpus, hsi_recorder *recorder)
{
    enum { AHEAD = 12 };
    rest   r = {.pb = pb, .order = order, .high = pb->n};
    size_t placed;

    for (placed = 0; r.low < r.high && !hsi_poll_at_iteration(pb->token, placed); placed++) {
        uint32_t for_cpu = order[r.low], for_gpu = order[r.high - 1], worker;
        double   cpu_end = hsi_worker_tree_time(cpus) + pb->p[for_cpu];
        double   gpu_end = hsi_worker_tree_time(gpus) + pb->q[for_gpu];

        if (r.high - r.low > AHEAD) { /* the order shows which times are needed next */
            __builtin_prefetch(&pb->p[order[r.low + AHEAD]]);
            __builtin_prefetch(&pb->q[order[r.high - 1 - AHEAD]]);
        }
        if (cpu_end < gpu_end) {
            worker = hsi_worker_tree_first(cpus);
            hsi_record_copy(recorder, for_cpu, take_low(&r), worker, cpu_end);
            hsi_worker_tree_set(cpus, worker, cpu_end);
        } else {
            worker = hsi_worker_tree_first(gpus);
            hsi_record_copy(recorder, for_gpu, take_high(&r), pb->m + worker, gpu_end);
            hsi_worker_tree_set(gpus, worker, gpu_end);
        }
    }
}

static hs_status run(const hsi_problem *pb, const hs_settings *settings, hsi_recorder *recorder)
{
    hsi_worker_tree cpus, gpus;
    uint32_t       *order = hsi_arena_alloc(pb->arena, pb->n, sizeof *order);
    hs_status       st;

    (void)settings;
    /* an absent type gets one worker with infinite times */
    if (!order || hsi_worker_tree_open_in(&cpus, pb->arena, pb->m ? pb->m : 1) ||
        hsi_worker_tree_open_in(&gpus, pb->arena, pb->k ? pb->k : 1))
        return HS_ENOMEM;
    hsi_worker_tree_start(&cpus, hsi_available(pb, HS_CPU));
    hsi_worker_tree_start(&gpus, hsi_available(pb, HS_GPU));
    st = hsi_order_by_rho(pb, HSI_RHO_UP, order);
    if (st == HS_OK)
        st = hsi_recorder_open(recorder, pb, 0);
    if (st == HS_OK)
        place_all(pb, order, &cpus, &gpus, recorder);
    return st;
}

const hsi_algorithm hsi_alg_clb2c = {
    .about =
        {
            .struct_size = sizeof(hs_algorithm),
            .name = "clb2c",
            .summary = "of the best task for CPUs and the best for GPUs, places the task that ends "
                       "first",
            .source = "Cheriere, Saule 2015; 2 if no time exceeds the optimum",
            .cost = "O(n log n)",
            .supports_available = true,
        },
    .by_rows = true,
    .run = run,
};
