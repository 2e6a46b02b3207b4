/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include <hybridsched/schedule.h>

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

void hs_schedule_compute_metrics(const hs_instance *in, const hs_schedule *s, hs_metrics *out)
{
    unsigned limits[3] = {0, hs_schedule_cpus(s), hs_schedule_cpus(s) + hs_schedule_gpus(s)};
    int      t;

    out->makespan = hs_schedule_makespan(s);
    for (t = HS_CPU; t <= HS_GPU; t++) {
        hs_type_metrics *type = &out->type[t];
        double           sums[2] = {0, 0};
        unsigned         w;

        *type = (hs_type_metrics){0};
        for (w = limits[t]; w < limits[t + 1]; w++)
            add_worker(in, s, w, type, sums);
        type->idle = (limits[t + 1] - limits[t]) * out->makespan - type->busy;
        type->acceleration = type->tasks ? sums[HS_CPU] / sums[HS_GPU] : NAN;
    }
}
