/* SPDX-License-Identifier: BSD-3-Clause */
/* Read results of a configuration bound, and set its options. */
#include <math.h>
#include <string.h>

#include "bound/configuration/state.h"

double hsi_configuration_bound(const hsi_configuration *cf)
{
    return fmax(cf->from, hsi_makespan_refusal_bound(&cf->refusal));
}

double hsi_configuration_possible_growth(const hsi_configuration *cf)
{
    return cf->ended ? 0 : cf->hope;
}

int hsi_configuration_ended(const hsi_configuration *cf)
{
    return cf->ended;
}

uint32_t hsi_configuration_kind_of_row(const hsi_configuration *cf, size_t row)
{
    return cf->refusal.kind_of ? cf->refusal.kind_of[row] : 0;
}

double hsi_configuration_row_worth(const hsi_configuration *cf, size_t row)
{
    return cf->refusal.kind_of ? cf->centre[cf->refusal.kind_of[row]] : 0;
}

void hsi_configuration_set_multipliers(hsi_configuration *cf, const double *worth, size_t rows)
{
    size_t i;

    for (i = 0; cf->refusal.kind_of && i < rows; i++)
        cf->centre[cf->refusal.kind_of[i]] = worth[i];
}

void hsi_configuration_set_sufficient_bound(hsi_configuration *cf, double bound)
{
    cf->enough = bound;
}

void hsi_configuration_cpu_shares(const hsi_configuration *cf, double *share)
{
    hs_type type = cf->fluid == HS_CPU || cf->refusal.workers[HS_CPU] == 0 ? HS_GPU : HS_CPU;
    size_t  patterns = cf->master ? hsi_master_columns(cf->master) : 0, column, size, i;

    for (i = 0; i < cf->refusal.kinds; i++)
        share[i] = 0;
    for (column = 0; column < patterns; column++) {
        const hsi_master_item *items = hsi_master_pattern_items(cf->master, column, &size);
        double                 workers = hsi_master_pattern_workers(cf->master, column);

        for (i = 0; hsi_master_pattern_type(cf->master, column) == type && workers > 0 && i < size;
             i++)
            share[items[i].item] += workers * items[i].copies;
    }
    for (i = 0; i < cf->refusal.kinds; i++) {
        double part = fmin(1, share[i] / cf->refusal.count[i]);

        share[i] = type == HS_CPU ? part : 1 - part;
    }
}

bool hsi_configuration_get_proof(const hsi_configuration *cf, hsi_configuration_proof *proof)
{
    if (!cf->refusal.proved)
        return false;
    proof->bound = hsi_makespan_refusal_bound(&cf->refusal);
    proof->grid = cf->refusal.grid;
    proof->capacity = cf->refusal.refused;
    memcpy(proof->most, cf->refusal.best_most, sizeof proof->most);
    return true;
}

int64_t hsi_configuration_row_multiplier(const hsi_configuration *cf, size_t row)
{
    return cf->refusal.best_multiplier[cf->refusal.kind_of[row]];
}
