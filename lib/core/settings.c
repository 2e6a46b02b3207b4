/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/settings.h"

#include <float.h>

#include "support/sized.h"

void hs_settings_init_sized(hs_settings *settings, size_t size)
{
    memset(settings, 0, size);
    settings->struct_size = size;
}

hs_status hsi_settings_resolve(hs_settings *full, const hs_settings *given)
{
    hs_settings_init(full);
    if (given && !hsi_take_sized(full, sizeof *full, given))
        return HS_EINVAL;
    if (!(full->alpha >= 0 && full->alpha <= 1))
        return HS_EINVAL;
    if (!(full->time_limit >= 0) || !(full->gap >= 0))
        return HS_EINVAL;
    if (full->affinity_count && !full->affinities)
        return HS_EINVAL;
    if (full->rank != HS_RANK_DEFAULT && !hs_rank_name(full->rank))
        return HS_EINVAL;
    if (!(full->band >= 0) || !(full->leave >= 0))
        return HS_EINVAL;
    return HS_OK;
}

/*
 * The times of an instance sum to at most a quarter of DBL_MAX, so sums with available[] cannot
 * overflow.
 */
hs_status hsi_settings_check_available(const hs_settings *settings, const hs_instance *in,
                                       int taken)
{
    size_t workers = (size_t)hs_instance_cpus(in) + hs_instance_gpus(in), w;

    if (!settings->available)
        return HS_OK;
    if (settings->available_count != workers)
        return HS_EINVAL;
    for (w = 0; w < workers; w++)
        if (!(settings->available[w] >= 0 && settings->available[w] <= DBL_MAX / 4))
            return HS_EINVAL;
    return taken ? HS_OK : HS_EAVAILABLE;
}
