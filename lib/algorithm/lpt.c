/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithm/lpt.h"

#include "algorithm/algorithm.h"
#include "core/order.h"

hs_status hsi_lpt_open(hsi_lpt *lpt, const hsi_problem *pb)
{
    size_t    bytes = (pb->n ? pb->n : 1) * sizeof *lpt->by_cpu;
    hs_status st = HS_ENOMEM;

    *lpt = (hsi_lpt){.pb = pb};
    lpt->by_cpu = malloc(bytes);
    lpt->by_gpu = malloc(bytes);
    if (!lpt->by_cpu || !lpt->by_gpu)
        goto fail;
    if (hsi_worker_tree_open(&lpt->cpus, pb->m) || hsi_worker_tree_open(&lpt->gpus, pb->k))
        goto fail;
    st = hsi_order_by_time(pb->p, pb->n, lpt->by_cpu);
    if (st != HS_OK)
        goto fail;
    st = hsi_order_by_time(pb->q, pb->n, lpt->by_gpu);
    if (st != HS_OK)
        goto fail;
    return HS_OK;
fail:
    hsi_lpt_close(lpt);
    return st;
}

void hsi_lpt_close(hsi_lpt *lpt)
{
    hsi_worker_tree_close(&lpt->gpus);
    hsi_worker_tree_close(&lpt->cpus);
    free(lpt->by_gpu);
    free(lpt->by_cpu);
    lpt->by_cpu = lpt->by_gpu = NULL;
}

static double run_type(size_t n, const uint32_t *order, const unsigned char *type, hs_type wanted,
                       const double *time, hsi_worker_tree *free_first, uint32_t first_worker,
                       hsi_log *log)
{
    enum { AHEAD = 16 };
    double makespan = 0;
    size_t i;

    for (i = 0; i < n; i++) {
        uint32_t task = order[i], rank;
        double   end;

        if (n - i > AHEAD) { /* the order tells what will be wanted */
            __builtin_prefetch(&type[order[i + AHEAD]]);
            __builtin_prefetch(&time[order[i + AHEAD]]);
        }
        if (type[task] != wanted)
            continue;
        rank = hsi_worker_tree_first(free_first);
        end = hsi_worker_tree_time(free_first) + time[task];
        if (log)
            hsi_log_put(log, task, first_worker + rank, end);
        if (end > makespan)
            makespan = end;
        hsi_worker_tree_set(free_first, rank, end);
    }
    return makespan;
}

double hsi_lpt_run(hsi_lpt *lpt, const unsigned char *type, hsi_log *log)
{
    const hsi_problem *pb = lpt->pb;
    double             cpu_makespan, gpu_makespan;

    hsi_worker_tree_reset(&lpt->cpus);
    hsi_worker_tree_reset(&lpt->gpus);
    cpu_makespan = run_type(pb->n, lpt->by_cpu, type, HS_CPU, pb->p, &lpt->cpus, 0, log);
    gpu_makespan = run_type(pb->n, lpt->by_gpu, type, HS_GPU, pb->q, &lpt->gpus, pb->m, log);
    return cpu_makespan > gpu_makespan ? cpu_makespan : gpu_makespan;
}

hs_status hsi_lpt_once(const hsi_problem *pb, const unsigned char *type, hsi_log *log)
{
    hsi_lpt   lpt;
    hs_status st = hsi_lpt_open(&lpt, pb);

    if (st != HS_OK)
        return st;
    hsi_lpt_run(&lpt, type, log);
    hsi_lpt_close(&lpt);
    return HS_OK;
}

/* The algorithm: each task on its faster type. */
static hs_status run_faster_type(const hsi_problem *pb, const hs_settings *settings, hsi_log *log)
{
    unsigned char *type = malloc(pb->n ? pb->n : 1);
    hs_status      st;
    size_t         i;

    (void)settings;
    if (!type)
        return HS_ENOMEM;
    for (i = 0; i < pb->n; i++)
        type[i] = pb->p[i] <= pb->q[i] ? HS_CPU : HS_GPU;
    st = hsi_lpt_once(pb, type, log);
    free(type);
    return st;
}

const hs_algorithm hsi_alg_lpt = {
    .name = "lpt",
    .summary = "each task on its faster type, longest first there",
    .source = "Graham 1969 within each type",
    .cost = "O(n log n)",
    .guarantee = hsi_no_guarantee,
    .run = run_faster_type,
};
