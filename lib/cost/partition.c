/* SPDX-License-Identifier: BSD-3-Clause */
/* Divide long matrix products into tasks that share the columns of the result. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/builder.h"
#include "cost/fill.h"
#include "cost/kernel_work.h"

enum { LEAST_COLUMNS = 64, USUAL_MOST = 64 };

typedef struct partition {
    const hs_instance *in;
    hs_cost           *cost;
    double             second; /* a second in the instance's unit */
    double             limit;  /* in the instance's unit */
    double             most;   /* largest number of parts */
    unsigned char     *bound;  /* by row: 1: the row accesses data, or an edge has bytes */
    unsigned char     *source; /* of the times, two for each row */
} partition;

/* The times of one part of a row on both types, and their sources. */
typedef struct part {
    double        time[2];
    unsigned char source[2];
    char          kernel[64];
} part;

static bool is_set(const char *text)
{
    return text && *text;
}

/* Mark rows with bytes on an edge, and rows that access data. */
static void mark_bound_rows(const partition *p)
{
    size_t         predecessor, handle;
    uint32_t       copy;
    double         bytes;
    hs_access_mode mode;

    for (size_t row = 0; row < hs_instance_rows(p->in); row++) {
        if (hs_instance_access(p->in, row, 0, &handle, &mode))
            p->bound[row] = 1;
        for (size_t i = 0;
             hs_instance_predecessor(p->in, row, i, &predecessor, &copy, &bytes); i++) {
            if (bytes > 0)
                p->bound[predecessor] = p->bound[row] = 1;
        }
    }
}

static bool is_divisible(const partition *p, size_t row, const hs_task *task,
                         const hsi_kernel_name *name)
{
    return !p->bound[row] && task->count == 1 && name->work && !strchr(task->kernel, '/') &&
           strcmp(name->work->name, "gemm") == 0 && !is_set(task->cpu_command) &&
           !is_set(task->gpu_command) && fmin(task->cpu, task->gpu) > p->limit;
}

/* Return the time to copy the first matrix to a GPU once more for each further part, by part. */
static double more_transfer(const partition *p, const hsi_kernel_name *name, double parts)
{
    double latency, bandwidth;

    if (!hs_instance_link(p->in, HS_H2D, &latency, &bandwidth))
        return 0;
    return (1 - 1 / parts) * name->element * name->size * name->size / bandwidth * p->second;
}

/* Predict the times of a part: measured times of the same part, else the time of the row. */
static void predict_part(const partition *p, const hs_task *task, const hsi_kernel_name *name,
                         double parts, part *out)
{
    double      whole[2] = {[HS_CPU] = task->cpu, [HS_GPU] = task->gpu};
    hs_features features;

    snprintf(out->kernel, sizeof out->kernel, "%.*s:%.0f/%.0f", (int)name->length, task->kernel,
             name->size, parts);
    hs_features_init(&features);
    features.size = task->size;
    features.flops = task->flops / parts;
    hsi_kernel_features(out->kernel, &features);
    for (int type = HS_CPU; type <= HS_GPU; type++) {
        hs_prediction prediction;

        hs_prediction_init(&prediction);
        out->time[type] = whole[type] / parts;
        if (isinf(whole[type]))
            continue;
        if (type == HS_GPU)
            out->time[type] += more_transfer(p, name, parts);
        hs_cost_predict(p->cost, (hs_type)type, &features, &prediction);
        if (prediction.source > HS_COST_HISTORY)
            continue;
        out->time[type] = prediction.time * p->second;
        out->source[type] = (unsigned char)prediction.source;
    }
}

/* Divide a row by the least number of parts that makes it short enough, or by the largest. */
static void divide(const partition *p, size_t row, hs_task *task, const hsi_kernel_name *name,
                   part *best)
{
    uint32_t parts = 1;

    for (double b = 2; b <= p->most && b <= name->size / LEAST_COLUMNS; b *= 2) {
        parts = (uint32_t)b;
        memcpy(best->source, p->source + 2 * row, 2);
        predict_part(p, task, name, b, best);
        if (fmin(best->time[HS_CPU], best->time[HS_GPU]) <= p->limit)
            break;
    }
    if (parts == 1)
        return;
    memcpy(p->source + 2 * row, best->source, 2);
    task->count = parts;
    task->cpu = best->time[HS_CPU];
    task->gpu = best->time[HS_GPU];
    task->flops /= parts;
    task->kernel = best->kernel;
}

static hs_status add_rows(const partition *p, hs_builder *b)
{
    hs_status st = HS_OK;

    for (size_t row = 0; st == HS_OK && row < hs_instance_rows(p->in); row++) {
        hsi_kernel_name name;
        hs_task         task;
        part            best;

        hs_instance_row(p->in, row, &task);
        if (is_set(task.kernel)) {
            name = hsi_kernel_name_split(task.kernel);
            if (is_divisible(p, row, &task, &name))
                divide(p, row, &task, &name, &best);
        }
        task.guess = hsi_guess_of(p->source + 2 * row);
        st = hs_builder_add_row(b, &task);
    }
    return st;
}

static hs_status build(const partition *p, hs_instance **out)
{
    hs_builder *b = NULL;
    hs_status   st = hs_builder_create(&b);

    if (st == HS_OK)
        st = hsi_copy_header(b, p->in);
    if (st == HS_OK)
        st = add_rows(p, b);
    if (st == HS_OK && (hs_instance_has_graph(p->in) || p->in->store->relations ||
                        hsi_listed_nodes(p->in)))
        st = hs_builder_copy_graph(b, p->in);
    if (st == HS_OK)
        st = hs_builder_finish(b, out, NULL);
    hs_builder_free(b);
    return st;
}

/* Return the least power of two with a part for each worker, at most USUAL_MOST. */
static unsigned usual_most(const hs_instance *in)
{
    unsigned workers = hs_instance_cpus(in) + hs_instance_gpus(in), parts = 1;

    while (parts < workers && parts < USUAL_MOST)
        parts *= 2;
    return parts;
}

hs_status hs_instance_partition(const hs_instance *in, hs_cost *cost, double limit, unsigned most,
                                hs_instance **out)
{
    partition p = {.in = in, .cost = cost};
    hs_status st = HS_ENOMEM;

    if (!in || !out || !(limit > 0))
        return HS_EINVAL;
    if (hs_instance_unknown(in) > 0)
        return HS_EUNKNOWN;
    p.second = 1 / hs_unit_seconds(hs_instance_unit(in));
    p.limit = limit * p.second;
    p.most = most ? most : usual_most(in);
    p.bound = calloc(hs_instance_rows(in) + 1, 1);
    p.source = hsi_copy_sources(in);
    if (p.bound && p.source) {
        mark_bound_rows(&p);
        st = build(&p, out);
    }
    if (st == HS_OK) {
        (*out)->store->source = p.source;
        p.source = NULL;
    }
    free(p.bound);
    free(p.source);
    return st;
}
