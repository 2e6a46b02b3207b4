/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "bound/bound.h"
#include "bound/divisible.h"
#include "solver/glpk.h"

/* Beyond this the simplex method takes minutes, and theorem2 gives the same value. */
enum { MOST_ROWS = 100000 };

/*
 * Safe whatever the solver did: its multipliers are only a hint, and what they
 * prove is computed afresh, rounded down (divisible.c). If one is 0, tasks that the
 * solver was not shown prove more with it a little larger.
 */
static hs_status compute(const hsi_problem *rows, const hs_settings *settings, double *value)
{
    double    u = 0, v = 0;
    hs_status st;

    (void)settings;
    *value = 0;
    if (rows->n == 0)
        return HS_OK;
    if (rows->n > MOST_ROWS)
        return HS_ETOOBIG;
    st = hsi_glpk_area_multipliers(rows, &u, &v);
    if (st == HS_OK && u + v > 0)
        *value = fmax(hsi_area_of_multipliers(rows, u, v),
                      hsi_area_of_multipliers(rows, fmax(u, v / HSI_GLPK_MOST_RATIO),
                                              fmax(v, u / HSI_GLPK_MOST_RATIO)));
    return st;
}

const hs_bound hsi_bound_area = {
    .name = "area",
    .summary = "tasks may be cut: the area LP, solved by GLPK (equals theorem2)",
    .source = "Beaumont, Eyraud-Dubois, Kumar 2017, section 4.2",
    .cost = "a linear program of n columns, n <= 100,000",
    .compute = compute,
};
