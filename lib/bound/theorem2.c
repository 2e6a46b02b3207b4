/* SPDX-License-Identifier: BSD-3-Clause */
/* The area bound in closed form, under the names `theorem2` and `area`. In order of rising p/q the
 * CPUs take tasks from the front and the GPUs from the back; the task at which both finish together
 * is cut. */
#include <float.h>

#include "bound/bound.h"
#include "bound/divisible.h"

/* The value is safe by the argument in divisible.c. */
static hs_status compute(const hsi_problem *rows, const hs_settings *settings, double *value,
                         hs_bound_report *report)
{
    hsi_divisible d;
    hs_status     st = hsi_divisible_open(&d, rows);

    (void)settings;
    (void)report;
    if (st == HS_OK)
        *value = hsi_divisible_bound(&d, DBL_MAX);
    hsi_divisible_close(&d);
    return st;
}

const hs_bound hsi_bound_theorem2 = {
    .name = "theorem2",
    .summary = "the area bound in closed form: tasks may be divided between the types",
    .source = "Canon, Marchal, Vivien 2017, Theorem 2",
    .cost = "O(n log n)",
    .supports_available = true,
    .compute = compute,
    .certify = hsi_certify_divisible,
};

const hs_bound hsi_bound_area = {
    .name = "area",
    .summary = "the area LP: tasks may be divided between the types (another name of theorem2)",
    .source = "Beaumont, Eyraud-Dubois, Kumar 2017, section 4.2",
    .cost = "O(n log n)",
    .supports_available = true,
    .compute = compute,
    .certify = hsi_certify_divisible,
};
