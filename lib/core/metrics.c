/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include <hybridsched/schedule.h>

#include "support/sized.h"

double hs_schedule_load(const hs_schedule *s, unsigned worker)
{
    size_t          count, i;
    const hs_entry *entries = hs_schedule_entries(s, worker, &count);
    double          load = 0;

    for (i = 0; i < count; i++)
        if (entries[i].state == HS_RUN)
            load += entries[i].end - entries[i].start;
    return load;
}

double hs_metrics_idle_share(const hs_metrics *metrics, hs_type type, unsigned workers,
                             double bound)
{
    return workers > 0 && bound > 0 ? metrics->type[type].idle / (workers * bound) : NAN;
}

static void add_worker(const hs_instance *in, const hs_schedule *s, unsigned worker,
                       hs_type_metrics *type, double sums[2])
{
    size_t          count, i;
    const hs_entry *entries = hs_schedule_entries(s, worker, &count);

    for (i = 0; i < count; i++) {
        if (entries[i].state != HS_RUN) {
            type->aborted++;
            continue;
        }
        type->tasks++;
        sums[HS_CPU] += hs_instance_time(in, entries[i].task, HS_CPU);
        sums[HS_GPU] += hs_instance_time(in, entries[i].task, HS_GPU);
    }
    type->busy += hs_schedule_load(s, worker);
}

static void add_type(const hs_instance *in, const hs_schedule *s, unsigned first, unsigned end,
                     double makespan, hs_type_metrics *type)
{
    double   sums[2] = {0, 0};
    unsigned w;

    for (w = first; w < end; w++)
        add_worker(in, s, w, type, sums);
    type->idle = (end - first) * makespan - type->busy;
    type->acceleration = type->tasks ? sums[HS_CPU] / sums[HS_GPU] : NAN;
}

void hs_schedule_compute_metrics_sized(const hs_instance *in, const hs_schedule *s, hs_metrics *out,
                                       size_t size)
{
    unsigned   cpus = hs_schedule_cpus(s), workers = cpus + hs_schedule_gpus(s);
    hs_metrics full = {.makespan = hs_schedule_makespan(s)};

    add_type(in, s, 0, cpus, full.makespan, &full.type[HS_CPU]);
    add_type(in, s, cpus, workers, full.makespan, &full.type[HS_GPU]);
    hsi_sized_init(out, size, &full, sizeof full);
}
