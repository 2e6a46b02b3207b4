/* SPDX-License-Identifier: BSD-3-Clause */
/* The bound `area`: the area LP solved by the simplex method. It checks theorem2, and could take
 * more constraints. */
#include "bound/bound.h"
#include "bound/divisible.h"
#include "core/time_limit.h"
#include "glpk/area_lp.h"

/* limit of the tasks: GLPK takes half a gigabyte and a second at this size; theorem2 gives the
 * same value */
enum { MOST_ROWS = 1000000 };

/* The value is safe for any result of the solver: its multipliers are only a hint, and the value
 * that they prove is computed anew and rounded down (divisible.c). */
static hs_status compute(const hsi_problem *rows, const hs_settings *settings, double *value,
                         hs_bound_report *report)
{
    hsi_stop  stop = hsi_stop_after(settings, HSI_BOUND_SECONDS);
    double    u = 0, v = 0;
    hs_status st;

    *value = 0;
    if (rows->n == 0)
        return HS_OK;
    if (rows->n > MOST_ROWS)
        return HS_ETOOBIG;
    st = hsi_area_multipliers(rows, &stop, &u, &v, &report->limit_reached);
    if (st == HS_OK && u + v > 0)
        *value = hsi_area_of_multipliers(rows, u, v);
    return st;
}

const hs_bound hsi_bound_area = {
    .name = "area",
    .summary = "the area LP, solved by GLPK: tasks may be divided between the types (equals "
               "theorem2)",
    .source = "Beaumont, Eyraud-Dubois, Kumar 2017, section 4.2",
    .cost = "a linear program of n columns; up to 1,000,000",
    .compute = compute,
    .certify = hsi_certify_divisible,
};
