/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: lower bound on any schedule's makespan if the measured times had been known. */
#include <math.h>
#include <stdlib.h>

#include <hybridsched/bound.h>

#include "exec/exec.h"

#define LEAST 1e-9 /* least time of a task in seconds, for tasks shorter than a tick of the clock */

static unsigned workers_of(const exec_measured *m, hs_type type)
{
    return type == HS_CPU ? m->cpus : m->gpus;
}

/*
 * Return the time of a task on the type it did not run on: its estimate or guess, scaled by the
 * mean error of its kernel on that type; NaN: a guess that no measurement corrects.
 */
static double other_time(const exec_job *job, const exec_measured *m, uint32_t task, hs_type type)
{
    double             time = hs_instance_time(job->plan.in, task, type);
    const exec_kernel *k = NULL;

    if (isfinite(time))
        k = exec_kernel_find(m, exec_kernel_name(job, m, task, type), type);
    if (k)
        return fmax(time * k->scale, LEAST / job->unit);
    return workers_of(m, type) > 0 && hs_cost_is_guess(hs_instance_source(job->plan.in, task, type))
               ? NAN
               : time;
}

/*
 * Collect the times of all finished attempts, by type; return their number, or 0 if one is unknown.
 */
static size_t collect_times(const exec_job *job, const exec_measured *m, double *time[2])
{
    size_t done = 0;

    for (size_t i = 0; i < m->attempt_count; i++) {
        const exec_attempt *a = &m->attempts[i];
        hs_type             other = a->type == HS_CPU ? HS_GPU : HS_CPU;

        if (!a->done)
            continue;
        time[a->type][done] = fmax(a->time, LEAST / job->unit);
        time[other][done] = other_time(job, m, a->task, other);
        if (isnan(time[other][done++]))
            return 0;
    }
    return done;
}

static hs_status area_bound(const exec_measured *m, size_t n, double *time[2], double *bound)
{
    hs_instance *measured = NULL;
    hs_status    status;

    if (n == 0)
        return HS_OK;
    status = hs_instance_wrap(n, time[HS_CPU], time[HS_GPU], NULL, m->cpus, m->gpus, &measured);
    if (status == HS_OK) /* the area bound in closed form: no solver */
        status = hs_bound_compute(hs_bound_find("theorem2"), measured, NULL, bound);
    hs_instance_free(measured);
    return status;
}

hs_status exec_measured_bound(const exec_job *job, const exec_measured *m, double *bound)
{
    size_t    room = m->attempt_count ? m->attempt_count : 1;
    double   *time[] = {calloc(room, sizeof(double)), calloc(room, sizeof(double))};
    hs_status status = HS_ENOMEM;

    *bound = NAN;
    if (time[HS_CPU] && time[HS_GPU])
        status = area_bound(m, collect_times(job, m, time), time, bound);
    free(time[HS_CPU]);
    free(time[HS_GPU]);
    return status;
}
