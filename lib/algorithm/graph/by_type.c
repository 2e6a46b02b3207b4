/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Algorithms that fix or draw each task's type, and place the task on the worker of this type that
 * ends it first, after the worker's other tasks; tasks in topological order. They show what a run
 * without one of the types achieves, a baseline for schedulers.
 */
#include <math.h>

#include "algorithm/algorithm.h"
#include "algorithm/graph/placing.h"
#include "support/random.h"

/* Return 1 << type for a task; `able` is the set of types that can run it. */
typedef unsigned choose_type(unsigned able, hsi_random *random);

static unsigned the_cpu(unsigned able, hsi_random *random)
{
    (void)random;
    return able & 1 << HS_CPU;
}

static unsigned the_gpu(unsigned able, hsi_random *random)
{
    (void)random;
    return able & 1 << HS_GPU;
}

/* Draw a type only if both can run the task. */
static unsigned a_drawn_one(unsigned able, hsi_random *random)
{
    return able == HSI_EITHER_TYPE ? 1u << hsi_random_below(random, 2) : able;
}

static hs_status place_all(const hsi_problem *pb, uint64_t seed, choose_type *choose,
                           hsi_placing *placing)
{
    size_t     vertices = pb->graph ? pb->graph->vertices : pb->n;
    hsi_random random;

    hsi_random_seed(&random, seed, 0);
    for (size_t i = 0; i < vertices; i++) {
        uint32_t  task = pb->graph ? hsi_vertex_at_position(pb->graph, i) : (uint32_t)i;
        unsigned  types;
        hs_status st;

        if (task >= pb->n) /* a barrier */
            continue;
        types = choose((unsigned)isfinite(pb->p[task]) << HS_CPU | (unsigned)isfinite(pb->q[task])
                                                                       << HS_GPU,
                       &random);
        if (!types)
            return HS_EWORKER;
        st = hsi_placing_append(placing, task, types);
        if (st != HS_OK)
            return st;
    }
    return HS_OK;
}

static hs_status run_by(const hsi_problem *pb, uint64_t seed, choose_type *choose,
                        hsi_recorder *recorder)
{
    hsi_placing placing;
    hs_status   st = hsi_placing_open(&placing, pb);

    if (st == HS_OK)
        st = place_all(pb, seed, choose, &placing);
    if (st == HS_OK)
        st = hsi_placing_record(&placing, recorder);
    hsi_placing_close(&placing);
    return st;
}

static hs_status run_cpu_only(const hsi_problem *pb, const hs_settings *settings,
                              hsi_recorder *recorder)
{
    return run_by(pb, settings->seed, the_cpu, recorder);
}

static hs_status run_gpu_only(const hsi_problem *pb, const hs_settings *settings,
                              hsi_recorder *recorder)
{
    return run_by(pb, settings->seed, the_gpu, recorder);
}

static hs_status run_random(const hsi_problem *pb, const hs_settings *settings,
                            hsi_recorder *recorder)
{
    return run_by(pb, settings->seed, a_drawn_one, recorder);
}

#define SOURCE "Zhang, Hou: High-Performance Task Scheduling for Heterogeneous Systems"
#define COST "O(n (m + k)), and O(1) a dependency, O(k) where transfers take time"

const hsi_algorithm hsi_alg_cpu_only = {
    .about =
        {
            .struct_size = sizeof(hs_algorithm),
            .name = "cpu-only",
            .summary = "only CPUs, each task to the CPU that ends it first",
            .source = SOURCE,
            .cost = COST,
            .supports_graphs = true,
            .supports_available = true,
        },
    .run = run_cpu_only,
};

const hsi_algorithm hsi_alg_gpu_only = {
    .about =
        {
            .struct_size = sizeof(hs_algorithm),
            .name = "gpu-only",
            .summary = "only GPUs, each task to the GPU that ends it first",
            .source = SOURCE,
            .cost = COST,
            .supports_graphs = true,
            .supports_available = true,
        },
    .run = run_gpu_only,
};

const hsi_algorithm hsi_alg_random = {
    .about =
        {
            .struct_size = sizeof(hs_algorithm),
            .name = "random",
            .summary = "random types, each task to the worker of its type that ends it first",
            .source = SOURCE,
            .cost = COST,
            .supports_graphs = true,
            .supports_available = true,
        },
    .run = run_random,
};
