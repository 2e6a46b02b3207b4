/* SPDX-License-Identifier: BSD-3-Clause */
/* The bound `min-time`: each task takes at least its smaller time, so no schedule is shorter than
 * the longest of these. */
#include "bound/bound.h"
#include "bound/divisible.h"
#include "support/exact.h"

double hsi_min_time_bound(const hsi_problem *rows)
{
    double from[2] = {hsi_first_available_time(rows, HS_CPU),
                      hsi_first_available_time(rows, HS_GPU)};
    double longest = 0;
    size_t i;

    for (i = 0; i < rows->n; i++) {
        double least =
            fmin(hsi_add_down(from[HS_CPU], rows->p[i]), hsi_add_down(from[HS_GPU], rows->q[i]));

        if (least > longest)
            longest = least;
    }
    return longest;
}

/* The value is safe: a time of the instance, or a sum that is rounded down. */
static hs_status compute(const hsi_problem *rows, const hs_settings *settings, double *value,
                         hs_bound_report *report)
{
    (void)settings;
    (void)report;
    *value = hsi_min_time_bound(rows);
    return HS_OK;
}

const hs_bound hsi_bound_min_time = {
    .name = "min-time",
    .summary = "the maximum over tasks of the smaller time",
    .source = "Canon, Marchal, Vivien 2017, section 5",
    .cost = "O(n)",
    .supports_available = true,
    .compute = compute,
    .certify = hsi_certify_divisible,
};
