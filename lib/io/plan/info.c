/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/plan/info.h"

#include <math.h>
#include <string.h>

#include "io/text/csv_write.h"

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

void hs_plan_info_init_sized(hs_plan_info *info, size_t size)
{
    hs_plan_info full;

    memset(&full, 0, sizeof full);
    full.makespan = NAN;
    memset(info, 0, size);
    memcpy(info, &full, smaller(size, sizeof full));
    info->struct_size = size;
}

static int is_bound(const hs_named_bound *bound)
{
    return memchr(bound->name, '\0', sizeof bound->name) && hsi_is_word(bound->name) &&
           isfinite(bound->value);
}

hs_status hsi_plan_info_resolve(hs_plan_info *full, const hs_plan_info *info)
{
    hs_plan_info_init(full);
    if (!info)
        return HS_OK;
    if (info->struct_size < sizeof info->struct_size)
        return HS_EINVAL;
    memcpy(full, info, smaller(info->struct_size, sizeof *full));
    full->struct_size = sizeof *full;
    if (!memchr(full->algorithm, '\0', sizeof full->algorithm) || !hsi_is_line(full->algorithm) ||
        full->bound_count > sizeof full->bounds / sizeof full->bounds[0])
        return HS_EINVAL;
    for (unsigned i = 0; i < full->bound_count; i++)
        if (!is_bound(&full->bounds[i]))
            return HS_EINVAL;
    return HS_OK;
}

void hsi_plan_info_give(const hs_plan_info *full, hs_plan_info *info)
{
    size_t size;

    if (!info || info->struct_size < sizeof info->struct_size)
        return;
    size = info->struct_size;
    memcpy(info, full, smaller(size, sizeof *full));
    info->struct_size = size;
}
