/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hsched-bench: a made machine, for the estimates of cost models. A task with work F and bytes B
 * takes c F / P + b B / M + l L on a type, where P, M and L are the rates and the launch time of
 * the type, and the factors c, b and l are drawn for each kernel and type; then it deviates at
 * random. Graphs by shape get the work and the kernels of their tasks from the instance's times.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "common/checked_memory.h"
#include "common/message.h"

enum { KERNELS = 4, OTHER_INSTANCES = 10, TABLE = 64, NAME = 32 };

#define NOMINAL_RATE 4e10 /* operations for each second of a task's mean time in the instance */

static const struct {
    double flops, bytes, launch; /* operations and bytes per second; seconds */
} rates[] = {[HS_CPU] = {1.6e11, 2e10, 2e-6}, [HS_GPU] = {6.4e11, 4e11, 1e-5}};

static const double tiles[] = {64, 96, 128, 192, 256, 384};

/* Return a random sequence for a kernel on a type. */
static uint64_t sequence_of(const bench_case *one, const char *key, hs_type type)
{
    uint64_t hash = one->seed * 2 + type + UINT64_C(0xcbf29ce484222325);

    for (; *key; key++)
        hash = (hash ^ (unsigned char)*key) * UINT64_C(0x100000001b3);
    return hash;
}

/* Return the time of a task on a type without deviation, in seconds. */
static double time_of(const bench_case *one, const hs_features *f, hs_type type)
{
    uint64_t state = sequence_of(one, f->key, type);
    bool     is_measured = strcmp(f->key, "dgemm") == 0 || strcmp(f->key, "copy") == 0;
    double   c = 1, b = 1, l = 1;

    if (!is_measured) {
        c += 7 * bench_draw(&state);
        b += 2 * bench_draw(&state);
        l += 4 * bench_draw(&state);
    }
    return c * f->flops / rates[type].flops +
           b * (f->bytes_in + f->bytes_out) / rates[type].bytes + l * rates[type].launch;
}

/* Give each row a program and work; the program is one of a few, with arguments of its own. */
static hs_status add_programs(const void *of, const hs_instance *in, hs_builder *b)
{
    const bench_case *one = of;
    uint64_t          state = one->line.request.seed + UINT64_C(0x5851f42d4c957f2d);
    double            second = hs_unit_seconds(hs_instance_unit(in));
    hs_status         status = HS_OK;

    for (size_t i = 0; i < hs_instance_rows(in) && status == HS_OK; i++) {
        hs_task task;
        char    command[64];

        hs_instance_row(in, i, &task);
        snprintf(command, sizeof command, "kernel-%d %llu %zu",
                 (int)(KERNELS * bench_draw(&state)),
                 (unsigned long long)one->line.request.seed, i);
        task.flops = (task.cpu + task.gpu) / 2 * second * NOMINAL_RATE;
        task.cpu_command = task.gpu_command = command;
        status = hs_builder_add_row(b, &task);
    }
    return status;
}

/* A machine with the features of an instance's rows. */
typedef struct machine {
    const bench_case *one;
    hs_feature_index *features;
} machine;

static hs_status add_timed_rows(const void *of, const hs_instance *in, hs_builder *b)
{
    const machine *m = of;
    double         second = hs_unit_seconds(hs_instance_unit(in)), part = m->one->machine;
    uint64_t       state = (m->one->line.request.seed + 1) * 1000003 + m->one->run;
    hs_features    features;
    hs_status      status = HS_OK;

    hs_features_init(&features);
    for (size_t i = 0; i < hs_instance_rows(in) && status == HS_OK; i++) {
        hs_task task;
        double *time[] = {[HS_CPU] = &task.cpu, [HS_GPU] = &task.gpu};

        hs_instance_row(in, i, &task);
        for (int type = HS_CPU; type <= HS_GPU; type++) {
            hs_feature_index_get(m->features, i, (hs_type)type, &features);
            *time[type] = time_of(m->one, &features, (hs_type)type) / second *
                          (1 - part + 2 * part * bench_draw(&state));
        }
        status = hs_builder_add_row(b, &task);
    }
    return status;
}

/* Make the factorisation with kernels for tiles of B x B numbers. */
static hs_status make_tiled(const bench_case *one, hs_instance **out)
{
    hs_kernel_table table = *hs_kernel_table_find("k40m-960");
    hs_kernel       kernels[TABLE];
    char            names[TABLE][NAME];

    if (table.count > TABLE)
        return HS_ETOOBIG;
    for (size_t i = 0; i < table.count; i++) {
        const char *name = table.kernels[i].kernel;

        kernels[i] = table.kernels[i];
        snprintf(names[i], NAME, "%.*s:%.0f", (int)strcspn(name, ":"), name, one->tile);
        kernels[i].kernel = names[i];
    }
    table.kernels = kernels;
    return bench_tiled(&one->line.request, &table, 1, out);
}

static int make_shaped(const bench_case *one, hs_instance **out)
{
    gen_result made = {0};
    hs_status  status;
    int        code = gen_make(&one->line.request, &made);

    if (code)
        return code;
    status = bench_instance_rebuild(made.instance, add_programs, one, out);
    gen_result_free(&made);
    return status == HS_OK ? EXIT_OK : message_status(status, one->recipe);
}

int bench_machine_instance(const bench_case *one, hs_instance **out)
{
    machine      m = {.one = one};
    hs_instance *untimed = NULL;
    hs_status    status = HS_OK;
    int          code = EXIT_OK;

    if (one->tile > 0)
        status = make_tiled(one, &untimed);
    else
        code = make_shaped(one, &untimed);
    if (!code && status == HS_OK)
        status = hs_feature_index_create(untimed, &m.features);
    if (!code && status == HS_OK)
        status = bench_instance_rebuild(untimed, add_timed_rows, &m, out);
    hs_feature_index_free(m.features);
    hs_instance_free(untimed);
    return status == HS_OK ? code : message_status(status, one->recipe);
}

/* Observe a kernel of hsched-calibrate. */
static hs_status observe_kernel(const bench_case *one, hs_type type, const char *key, double size,
                                double flops, double bytes, hs_cost *cost)
{
    hs_features f;

    hs_features_init(&f);
    snprintf(f.key, sizeof f.key, "%s", key);
    f.size = size;
    f.flops = flops;
    f.bytes_in = f.bytes_out = bytes / 2;
    return hs_cost_observe(cost, type, &f, time_of(one, &f, type), 0);
}

/* Observe what hsched-calibrate measures of a machine: large and small products and copies. */
static hs_status observe_rates(const bench_case *one, hs_cost *cost)
{
    static const double sizes[] = {8, 1024}, bytes[] = {4096, 67108864};
    hs_status           status = HS_OK;

    for (int i = 0; i < 4 && status == HS_OK; i++) {
        hs_type type = i % 2 ? HS_GPU : HS_CPU;
        double  n = sizes[i / 2], size = bytes[i / 2];

        status = observe_kernel(one, type, "dgemm", n, 2 * n * n * n, 32 * n * n, cost);
        if (status == HS_OK)
            status = observe_kernel(one, type, "copy", size, 0, 2 * size, cost);
    }
    return status;
}

/* Observe each task of an instance on each type. */
static hs_status observe_all(const hs_instance *in, hs_cost *cost)
{
    double            second = hs_unit_seconds(hs_instance_unit(in));
    hs_feature_index *index = NULL;
    hs_features       features;
    hs_status         status = hs_feature_index_create(in, &index);

    hs_features_init(&features);
    for (size_t i = 0; i < 2 * hs_instance_rows(in) && status == HS_OK; i++) {
        hs_type type = i % 2 ? HS_GPU : HS_CPU;
        hs_task task;

        hs_instance_row(in, i / 2, &task);
        hs_feature_index_get(index, i / 2, type, &features);
        status = hs_cost_observe(cost, type, &features,
                                 (type == HS_CPU ? task.cpu : task.gpu) * second, 0);
    }
    hs_feature_index_free(index);
    return status;
}

/*
 * Observe other instances on the same machine: graphs of the same recipe with other seeds, or
 * factorisations with other tiles.
 */
static hs_status observe_others(const bench_case *one, hs_cost *cost)
{
    size_t    others = one->tile > 0 ? sizeof tiles / sizeof *tiles : OTHER_INSTANCES;
    hs_status status = HS_OK;

    for (size_t i = 0; i < others && status == HS_OK; i++) {
        bench_case   other = *one;
        hs_instance *in = NULL;

        if (one->tile > 0)
            other.tile = tiles[i];
        else
            other.line.request.seed += (i + 1) * UINT64_C(0x100000000);
        if (one->tile > 0 && other.tile == one->tile)
            continue;
        if (bench_machine_instance(&other, &in) != EXIT_OK)
            return HS_ENOMEM;
        status = observe_all(in, cost);
        hs_instance_free(in);
    }
    return status;
}

hs_status bench_machine_measure(const bench_case *one, bench_estimates estimates, hs_cost **out)
{
    hs_status status = hs_cost_create(out);

    if (status == HS_OK)
        status = observe_rates(one, *out);
    if (status == HS_OK && estimates >= BENCH_POWER)
        status = observe_others(one, *out);
    return status;
}
