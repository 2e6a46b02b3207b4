/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "algorithm/algorithm.h"

/* What `--list`, completion, the property tests and the benchmark walk. */
static const hs_algorithm *const registry[] = {
    &hsi_alg_heteroprio,
    &hsi_alg_heteroprio_ns,
    &hsi_alg_balanced_estimate,
    &hsi_alg_balanced_makespan,
    &hsi_alg_dualhp,
    &hsi_alg_dada,
    &hsi_alg_clb2c,
    &hsi_alg_lpt,
    &hsi_alg_heft,
    &hsi_alg_heft_min,
    &hsi_alg_best,
    &hsi_alg_exact,
};

size_t hs_algorithm_count(void)
{
    return sizeof registry / sizeof *registry;
}

const hs_algorithm *hs_algorithm_at(size_t index)
{
    return index < hs_algorithm_count() ? registry[index] : NULL;
}

const hs_algorithm *hs_algorithm_find(const char *name)
{
    size_t i;

    for (i = 0; i < hs_algorithm_count(); i++)
        if (strcmp(registry[i]->name, name) == 0)
            return registry[i];
    return NULL;
}

const char *hs_algorithm_name(const hs_algorithm *alg)
{
    return alg->name;
}

const char *hs_algorithm_summary(const hs_algorithm *alg)
{
    return alg->summary ? alg->summary : "";
}

const char *hs_algorithm_source(const hs_algorithm *alg)
{
    return alg->source ? alg->source : "";
}

const char *hs_algorithm_cost(const hs_algorithm *alg)
{
    return alg->cost ? alg->cost : "";
}

double hs_algorithm_guarantee(const hs_algorithm *alg, unsigned cpus, unsigned gpus,
                              const hs_settings *settings)
{
    hs_settings full;

    if (!alg || !alg->guarantee || hsi_settings_resolve(&full, settings) != HS_OK)
        return INFINITY;
    return alg->guarantee(cpus, gpus, &full);
}
