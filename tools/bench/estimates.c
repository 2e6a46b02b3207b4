/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-bench: estimates of tasks by one source of predictions, and their errors. */
#include <math.h>

#include "bench/bench.h"

static const hs_cost_source sources[] = {[BENCH_ROOFLINE] = HS_COST_ROOFLINE,
                                         [BENCH_POWER] = HS_COST_POWER,
                                         [BENCH_LEARNED] = HS_COST_LEARNED,
                                         [BENCH_LAWS] = HS_COST_TASK,
                                         [BENCH_ONLINE] = HS_COST_TASK};

/* Estimates of the rows of an instance. */
typedef struct estimator {
    hs_cost          *cost;
    hs_feature_index *features;
    bench_estimates   estimates;
} estimator;

hs_cost_source bench_predict(hs_cost *cost, bench_estimates estimates, hs_type type,
                             const hs_features *features, double *seconds)
{
    hs_prediction p;

    hs_prediction_init(&p);
    hs_cost_predict_from(cost, sources[estimates], type, features, &p);
    *seconds = p.time;
    return p.source;
}

static hs_status add_estimated_rows(const void *of, const hs_instance *in, hs_builder *b)
{
    const estimator *e = of;
    double           second = hs_unit_seconds(hs_instance_unit(in));
    hs_features      features;
    hs_status        status = HS_OK;

    hs_features_init(&features);
    for (size_t i = 0; i < hs_instance_rows(in) && status == HS_OK; i++) {
        hs_task task;
        double *time[] = {[HS_CPU] = &task.cpu, [HS_GPU] = &task.gpu};

        hs_instance_row(in, i, &task);
        for (int type = HS_CPU; type <= HS_GPU; type++) {
            double seconds;

            hs_feature_index_get(e->features, i, (hs_type)type, &features);
            bench_predict(e->cost, e->estimates, (hs_type)type, &features, &seconds);
            *time[type] = seconds / second;
        }
        status = hs_builder_add_row(b, &task);
    }
    return status;
}

hs_status bench_estimate(const hs_instance *in, hs_cost *cost, bench_estimates estimates,
                         hs_instance **out)
{
    estimator e = {.cost = cost, .estimates = estimates};
    hs_status status = hs_feature_index_create(in, &e.features);

    if (status == HS_OK)
        status = bench_instance_rebuild(in, add_estimated_rows, &e, out);
    hs_feature_index_free(e.features);
    return status;
}

double bench_mean_error(const hs_schedule *s, const hs_instance *estimates,
                        const hs_instance *truth)
{
    unsigned cpus = hs_instance_cpus(truth);
    double   sum = 0;
    size_t   tasks = 0;

    for (unsigned worker = 0; worker < cpus + hs_instance_gpus(truth); worker++) {
        hs_type         type = worker < cpus ? HS_CPU : HS_GPU;
        size_t          count;
        const hs_entry *entry = hs_schedule_entries(s, worker, &count);

        for (size_t i = 0; i < count; i++) {
            double time = hs_instance_time(truth, entry[i].task, type);

            if (entry[i].state != HS_RUN || !(time > 0))
                continue;
            sum += fabs(hs_instance_time(estimates, entry[i].task, type) - time) / time;
            tasks++;
        }
    }
    return tasks > 0 ? sum / (double)tasks : NAN;
}
