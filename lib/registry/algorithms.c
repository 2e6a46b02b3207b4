/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "registry/algorithms.h"
#include "support/sized.h"

/* All algorithms, in the order of `--list`, completions, property tests and the benchmark. */
static const hsi_algorithm *const registry[] = {
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
    &hsi_alg_mct,
    &hsi_alg_cpu_only,
    &hsi_alg_gpu_only,
    &hsi_alg_random,
    &hsi_alg_hp_sp,
    &hsi_alg_hp_corrected,
    &hsi_alg_dynamic,
    &hsi_alg_h_ratio,
    &hsi_alg_d_rank,
    &hsi_alg_dmda,
    &hsi_alg_best,
    &hsi_alg_exact,
};

size_t hs_algorithm_count(void)
{
    return sizeof registry / sizeof *registry;
}

const hs_algorithm *hs_algorithm_at(size_t index)
{
    return index < hs_algorithm_count() ? &registry[index]->about : NULL;
}

const hs_algorithm *hs_algorithm_find(const char *name)
{
    size_t i;

    for (i = 0; name && i < hs_algorithm_count(); i++)
        if (strcmp(registry[i]->about.name, name) == 0)
            return &registry[i]->about;
    return NULL;
}

const hsi_algorithm *hsi_algorithm_builtin(const hs_algorithm *alg)
{
    size_t i;

    for (i = 0; i < hs_algorithm_count(); i++)
        if (&registry[i]->about == alg)
            return registry[i];
    return NULL;
}

hs_algorithm hsi_algorithm_complete_copy(const hs_algorithm *alg)
{
    hs_algorithm known = {0};

    (void)hsi_sized_copy_in(&known, sizeof known, alg);
    return known;
}

static const char *text_or_empty(const char *said)
{
    return said ? said : "";
}

const char *hs_algorithm_name(const hs_algorithm *alg)
{
    return hsi_algorithm_complete_copy(alg).name;
}

const char *hs_algorithm_summary(const hs_algorithm *alg)
{
    return text_or_empty(hsi_algorithm_complete_copy(alg).summary);
}

const char *hs_algorithm_source(const hs_algorithm *alg)
{
    return text_or_empty(hsi_algorithm_complete_copy(alg).source);
}

const char *hs_algorithm_cost(const hs_algorithm *alg)
{
    return text_or_empty(hsi_algorithm_complete_copy(alg).cost);
}

int hs_algorithm_supports_graphs(const hs_algorithm *alg)
{
    return hsi_algorithm_complete_copy(alg).supports_graphs;
}

unsigned hs_algorithm_supported_ranks(const hs_algorithm *alg)
{
    return hsi_algorithm_complete_copy(alg).supported_ranks;
}

int hs_algorithm_supports_available(const hs_algorithm *alg)
{
    return hsi_algorithm_complete_copy(alg).supports_available;
}

double hs_algorithm_guarantee(const hs_algorithm *alg, unsigned cpus, unsigned gpus,
                              const hs_settings *settings)
{
    hs_algorithm known = alg ? hsi_algorithm_complete_copy(alg) : (hs_algorithm){0};
    hs_settings  full;

    if (!known.guarantee || hsi_settings_resolve(&full, settings) != HS_OK)
        return INFINITY;
    return known.guarantee(known.data, cpus, gpus, &full);
}
