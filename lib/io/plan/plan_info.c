/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/plan/plan_info.h"

#include <math.h>
#include <string.h>

#include "core/error.h"
#include "io/text/csv_write.h"
#include "support/sized.h"

void hs_plan_info_init_sized(hs_plan_info *info, size_t size)
{
    hs_plan_info full;

    memset(&full, 0, sizeof full);
    full.makespan = NAN;
    hsi_sized_init(info, size, &full, sizeof full);
}

#define MOST_BOUNDS ((unsigned)(sizeof((hs_plan_info *)0)->bounds / sizeof(hs_named_bound)))

static bool is_bound(const hs_named_bound *bound)
{
    return memchr(bound->name, '\0', sizeof bound->name) && hsi_is_word(bound->name) &&
           isfinite(bound->value);
}

hs_status hsi_plan_info_resolve(hs_plan_info *full, const hs_plan_info *info, hs_error *error)
{
    hs_plan_info_init(full);
    if (info && !hsi_sized_copy_in(full, sizeof *full, info))
        return hsi_error_set_status(error, HS_EINVAL);
    if (!memchr(full->algorithm, '\0', sizeof full->algorithm) ||
        !hsi_is_single_line(full->algorithm))
        return hsi_error_set(error, HS_EINVAL, "the algorithm's name is not a line of UTF-8");
    if (full->bound_count > MOST_BOUNDS)
        return hsi_error_set(error, HS_EINVAL, "%u bounds; expected at most %u", full->bound_count,
                             MOST_BOUNDS);
    for (unsigned i = 0; i < full->bound_count; i++)
        if (!is_bound(&full->bounds[i]))
            return hsi_error_set(error, HS_EINVAL,
                                 "bound %u; expected a name of one word and a finite value", i + 1);
    return HS_OK;
}
