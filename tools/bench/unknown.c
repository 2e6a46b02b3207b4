/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-bench: simulate a policy that does not know the times of the tasks. */
#include "bench/bench.h"

hs_status bench_observe(const hs_schedule *s, const hs_instance *in, hs_cost *cost)
{
    double            second = hs_unit_seconds(hs_instance_unit(in));
    hs_feature_index *index = NULL;
    hs_features       features;
    hs_status         status = hs_feature_index_create(in, &index);
    unsigned          cpus = hs_instance_cpus(in);

    hs_features_init(&features);
    for (unsigned worker = 0; status == HS_OK && worker < cpus + hs_instance_gpus(in); worker++) {
        hs_type         type = worker < cpus ? HS_CPU : HS_GPU;
        size_t          count;
        const hs_entry *entry = hs_schedule_entries(s, worker, &count);

        for (size_t i = 0; i < count && status == HS_OK; i++) {
            if (entry[i].state != HS_RUN || !(entry[i].end > entry[i].start))
                continue;
            hs_feature_index_get(index, hs_instance_row_of(in, entry[i].task), type, &features);
            status = hs_cost_observe(cost, type, &features,
                                     (entry[i].end - entry[i].start) * second, 0);
        }
    }
    hs_feature_index_free(index);
    return status;
}

/* Fill the unknown times from the cost models and simulate the policy. */
static hs_status simulate(const bench_algorithm *a, const hs_instance *unknown,
                          const hs_instance *truth, hs_policy_settings *settings, hs_cost *cost,
                          hs_schedule **out)
{
    hs_instance *filled = NULL;
    hs_status    status = hs_instance_fill(unknown, cost, &filled);

    settings->cost = cost;
    settings->guesses = a->guesses;
    if (status == HS_OK)
        status = hs_policy_simulate(a->policy, filled, NULL, truth, settings, out, NULL);
    hs_instance_free(filled);
    return status;
}

hs_status bench_simulate_unknown(const bench_algorithm *a, const hs_instance *in,
                                 const hs_instance *truth, hs_policy_settings *settings,
                                 hs_schedule **out)
{
    hs_instance *unknown = NULL;
    hs_schedule *first = NULL;
    hs_cost     *cost = NULL;
    hs_status    status = bench_instance_forget(in, &unknown);

    if (status == HS_OK)
        status = hs_cost_create(&cost);
    if (status == HS_OK && a->manner == BENCH_SECOND_RUN) {
        status = simulate(a, unknown, truth, settings, cost, &first);
        if (status == HS_OK)
            status = bench_observe(first, unknown, cost);
    }
    if (status == HS_OK)
        status = simulate(a, unknown, truth, settings, cost, out);
    hs_schedule_free(first);
    hs_instance_free(unknown);
    hs_cost_free(cost);
    return status;
}
