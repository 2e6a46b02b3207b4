/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Longest processing time first (Graham 1969): within a type, each task goes to the worker that is
 * free first. With sorted tasks each allocation to types takes O(n log(m + k)); for one allocation
 * only the type's own tasks are sorted.
 */
#include "algorithm/lpt.h"

#include "algorithm/algorithm.h"
#include "core/order.h"

hs_status hsi_lpt_open(hsi_lpt *lpt, const hsi_problem *pb)
{
    hsi_arena *arena = pb->arena ? pb->arena : &lpt->own;
    hs_status  st = HS_ENOMEM;

    *lpt = (hsi_lpt){.pb = pb};
    lpt->by_cpu = hsi_arena_alloc(arena, pb->n, sizeof *lpt->by_cpu);
    lpt->by_gpu = hsi_arena_alloc(arena, pb->n, sizeof *lpt->by_gpu);
    lpt->chosen = hsi_arena_alloc(arena, pb->n + 1, sizeof *lpt->chosen);
    if (lpt->by_cpu && lpt->by_gpu && lpt->chosen &&
        !hsi_worker_tree_open_in(&lpt->cpus, arena, pb->m) &&
        !hsi_worker_tree_open_in(&lpt->gpus, arena, pb->k))
        st = hsi_order_by_time(arena, pb->p, pb->n, lpt->by_cpu, pb->token);
    if (st == HS_OK)
        st = hsi_order_by_time(arena, pb->q, pb->n, lpt->by_gpu, pb->token);
    if (st != HS_OK)
        hsi_lpt_close(lpt);
    return st;
}

void hsi_lpt_close(hsi_lpt *lpt)
{
    hsi_arena_close(&lpt->own);
    lpt->by_cpu = lpt->by_gpu = NULL;
}

/* List the tasks of one type, in the given order or by index. Return their number. */
static size_t list_type(size_t n, const unsigned char *type, hs_type wanted, const uint32_t *order,
                        uint32_t *list)
{
    size_t i, count = 0;

    for (i = 0; i < n; i++) {
        list[count] = order ? order[i] : (uint32_t)i;
        count += type[list[count]] == wanted;
    }
    return count;
}

/* Place rows in their order, copy by copy. Return the makespan. */
static double place_all(const hsi_problem *pb, const uint32_t *order, size_t n, const double *time,
                        hsi_worker_tree *free_first, uint32_t first_worker, hsi_recorder *recorder)
{
    enum { AHEAD = 16 };
    double   makespan = 0;
    size_t   i;
    uint32_t copy;

    for (i = 0; i < n && !hsi_poll_at_iteration(pb->token, i); i++) {
        uint32_t row = order[i], copies = hsi_row_count(pb, row);

        if (n - i > AHEAD) /* the order shows which times are needed next */
            __builtin_prefetch(&time[order[i + AHEAD]]);
        for (copy = 0; copy < copies && !(copy && hsi_poll_at_iteration(pb->token, copy)); copy++) {
            uint32_t rank = hsi_worker_tree_first(free_first);
            double   end = hsi_worker_tree_time(free_first) + time[row];

            if (recorder)
                hsi_record_copy(recorder, row, copy, first_worker + rank, end);
            if (end > makespan)
                makespan = end;
            hsi_worker_tree_set(free_first, rank, end);
        }
    }
    return makespan;
}

static double run_type(hsi_lpt *lpt, const unsigned char *type, hs_type wanted,
                       hsi_recorder *recorder)
{
    const hsi_problem *pb = lpt->pb;
    bool               cpus = wanted == HS_CPU;
    hsi_worker_tree   *free_first = cpus ? &lpt->cpus : &lpt->gpus;
    size_t count = list_type(pb->n, type, wanted, cpus ? lpt->by_cpu : lpt->by_gpu, lpt->chosen);

    hsi_worker_tree_reset(free_first);
    return place_all(pb, lpt->chosen, count, cpus ? pb->p : pb->q, free_first, cpus ? 0 : pb->m,
                     recorder);
}

double hsi_lpt_run(hsi_lpt *lpt, const unsigned char *type, hsi_recorder *recorder)
{
    double cpu_makespan = run_type(lpt, type, HS_CPU, recorder);

    return fmax(cpu_makespan, run_type(lpt, type, HS_GPU, recorder));
}

static hs_status run_type_once(const hsi_problem *pb, const unsigned char *type, hs_type wanted,
                               hsi_recorder *recorder, double *makespan)
{
    const double   *time = wanted == HS_CPU ? pb->p : pb->q;
    uint32_t        first_worker = wanted == HS_CPU ? 0 : pb->m;
    hsi_mark        mark = hsi_arena_mark(pb->arena);
    uint32_t       *order = hsi_arena_alloc(pb->arena, pb->n, sizeof *order);
    hsi_worker_tree free_first;
    hs_status       st = HS_ENOMEM;
    size_t          n;

    if (!order || hsi_worker_tree_open_in(&free_first, pb->arena, wanted == HS_CPU ? pb->m : pb->k))
        goto out;
    hsi_worker_tree_start(&free_first, hsi_available(pb, wanted));
    n = list_type(pb->n, type, wanted, NULL, order);
    st = hsi_sort_by_time(pb->arena, time, n, order, pb->token);
    if (st == HS_OK)
        *makespan =
            fmax(*makespan, place_all(pb, order, n, time, &free_first, first_worker, recorder));
out:
    hsi_arena_release(pb->arena, mark);
    return st;
}

hs_status hsi_lpt_once(const hsi_problem *pb, const unsigned char *type, hsi_recorder *recorder,
                       double *makespan)
{
    hs_status st;

    *makespan = 0;
    st = run_type_once(pb, type, HS_CPU, recorder, makespan);
    if (st == HS_OK)
        st = run_type_once(pb, type, HS_GPU, recorder, makespan);
    return st == HS_OK && hsi_poll(pb->token) ? HS_ECANCELED : st;
}

/* The algorithm lpt: each task on its faster type. */
static hs_status run_faster_type(const hsi_problem *pb, const hs_settings *settings,
                                 hsi_recorder *recorder)
{
    unsigned char *type = hsi_arena_alloc(pb->arena, pb->n, 1);
    double         makespan;
    hs_status      st;
    size_t         i;

    (void)settings;
    if (!type)
        return HS_ENOMEM;
    for (i = 0; i < pb->n; i++)
        type[i] = pb->p[i] <= pb->q[i] ? HS_CPU : HS_GPU;
    st = hsi_recorder_open(recorder, pb, 0);
    return st == HS_OK ? hsi_lpt_once(pb, type, recorder, &makespan) : st;
}

const hsi_algorithm hsi_alg_lpt = {
    .about =
        {
            .struct_size = sizeof(hs_algorithm),
            .name = "lpt",
            .summary = "each task on its faster type, longest first",
            .source = "Graham 1969 within each type",
            .cost = "O(n log n)",
            .supports_available = true,
        },
    .by_rows = true,
    .run = run_faster_type,
};
