/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hsched-exec: the makespan that known times would have given: heteroprio, simulated on the times
 * that the run measured.
 */
#include <math.h>
#include <stdlib.h>

#include <hybridsched/policy.h>

#include "common/time_sources.h"
#include "exec/exec.h"

/* Return whether this run executed all tasks. Only then its makespan is comparable with a schedule. */
static bool is_whole(const exec_job *job)
{
    const hs_exec_report *r = &job->report;

    return r->done == r->tasks && r->resumed == 0 && r->left_out == 0 && r->tasks > 0;
}

/* Add the run's measured times, in seconds of the plan. */
static hs_status observe(const exec_job *job, const exec_measured *m, hs_cost *cost)
{
    const double      second = hs_unit_seconds(hs_instance_unit(job->plan.in));
    hs_feature_index *index = NULL;
    hs_features       features;
    hs_status         status = hs_feature_index_create(job->plan.in, &index);

    hs_features_init(&features);
    for (size_t i = 0; status == HS_OK && i < m->attempt_count; i++) {
        const exec_attempt *a = &m->attempts[i];

        if (!a->done || !(a->time > 0) || exec_is_emulated(job, a))
            continue;
        hs_feature_index_get(index, hs_instance_row_of(job->plan.in, a->task), a->type, &features);
        if (hs_cost_observe(cost, a->type, &features, a->time * second, 0) == HS_ENOMEM)
            status = HS_ENOMEM;
    }
    hs_feature_index_free(index);
    return status;
}

/* Create the instance of measured times; predict the times that were not measured. */
static hs_status create_known(const exec_job *job, const exec_measured *m, hs_instance **out)
{
    hs_instance *measured = NULL;
    hs_cost     *cost = NULL;
    hs_status    status = exec_measured_instance(job, m, &measured);

    if (status == HS_OK)
        status = hs_cost_create(&cost);
    if (status == HS_OK)
        status = observe(job, m, cost);
    if (status == HS_OK)
        status = hs_instance_fill(measured, cost, out);
    hs_cost_free(cost);
    hs_instance_free(measured);
    return status;
}

hs_status exec_measure_known(const exec_job *job, exec_measured *m)
{
    hs_instance *known = NULL;
    hs_schedule *s = NULL;
    hs_status    status = HS_OK;

    m->known_makespan = NAN;
    if (!job->has_unknown || !is_whole(job))
        return HS_OK;
    status = create_known(job, m, &known);
    if (status == HS_OK)
        status = hs_policy_simulate(hs_policy_find("heteroprio"), known, NULL, known, NULL, &s, NULL);
    if (status == HS_OK) {
        m->known_makespan = hs_schedule_makespan(s);
        m->known_guesses = time_sources_of(known).guesses;
    }
    hs_schedule_free(s);
    hs_instance_free(known);
    return status == HS_ENOMEM ? HS_ENOMEM : HS_OK;
}
