/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/plan/info.h"

#include <math.h>
#include <string.h>

#include "io/text/csv_write.h"
#include "support/sized.h"

void hs_plan_info_init_sized(hs_plan_info *info, size_t size)
{
    hs_plan_info full;

    memset(&full, 0, sizeof full);
    full.makespan = NAN;
    hsi_init_sized(info, size, &full, sizeof full);
}

static int is_bound(const hs_named_bound *bound)
{
    return memchr(bound->name, '\0', sizeof bound->name) && hsi_is_word(bound->name) &&
           isfinite(bound->value);
}

hs_status hsi_plan_info_resolve(hs_plan_info *full, const hs_plan_info *info)
{
    hs_plan_info_init(full);
    if (info && !hsi_take_sized(full, sizeof *full, info))
        return HS_EINVAL;
    if (!memchr(full->algorithm, '\0', sizeof full->algorithm) || !hsi_is_line(full->algorithm) ||
        full->bound_count > sizeof full->bounds / sizeof full->bounds[0])
        return HS_EINVAL;
    for (unsigned i = 0; i < full->bound_count; i++)
        if (!is_bound(&full->bounds[i]))
            return HS_EINVAL;
    return HS_OK;
}
