/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/settings.h"

#include <float.h>
#include <math.h>

#include "core/order.h"
#include "support/sized.h"

void hs_settings_init_sized(hs_settings *settings, size_t size)
{
    memset(settings, 0, size);
    settings->struct_size = size;
}

static bool is_finite_nonnegative(double x)
{
    return x >= 0 && !isinf(x);
}

hs_status hsi_parameters_resolve(hs_parameters *p)
{
    if (!(p->alpha >= 0 && p->alpha <= 1) || !is_finite_nonnegative(p->band) ||
        !is_finite_nonnegative(p->leave) || !hsi_is_cell_width(p->ratio_tolerance))
        return HS_EINVAL;
    if (p->band == 0)
        p->band = 8;
    if (p->leave == 0)
        p->leave = 16;
    return HS_OK;
}

hs_status hsi_settings_resolve(hs_settings *full, const hs_settings *given)
{
    hs_settings_init(full);
    if (given && !hsi_sized_copy_in(full, sizeof *full, given))
        return HS_EINVAL;
    if (!(full->time_limit >= 0) || !(full->gap >= 0))
        return HS_EINVAL;
    if (full->affinity_count && !full->affinities)
        return HS_EINVAL;
    if (full->rank != HS_RANK_DEFAULT && !hs_rank_name(full->rank))
        return HS_EINVAL;
    return hsi_parameters_resolve(&full->parameters);
}

/*
 * The times of an instance sum to at most a quarter of DBL_MAX, so sums with available[] cannot
 * overflow.
 */
hs_status hsi_settings_check_available(const hs_settings *settings, const hs_instance *in,
                                       int supported)
{
    size_t workers = (size_t)hs_instance_cpus(in) + hs_instance_gpus(in), w;

    if (!settings->available)
        return HS_OK;
    if (settings->available_count != workers)
        return HS_EINVAL;
    for (w = 0; w < workers; w++)
        if (!(settings->available[w] >= 0 && settings->available[w] <= DBL_MAX / 4))
            return HS_EINVAL;
    return supported ? HS_OK : HS_EAVAILABLE;
}
