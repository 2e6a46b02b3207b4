/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "bound/bound.h"
#include "bound/divisible.h"
#include "solver/glpk.h"
#include "support/ratio.h"

/* Beyond this the simplex method takes minutes, and theorem2 gives the same value. */
enum { MOST_ROWS = 100000 };

/* Looks at tasks while climbing. */
enum { MOST_WORK = 10000000 };

/* Of the CPUs' constraint and the GPUs'; not both 0. */
typedef struct multipliers {
    double u, v;
} multipliers;

/* Sign of u p - v q: where a divisible task's smaller term is; < 0: the CPUs'. */
static int side_of(const multipliers *at, double p, double q)
{
    if (at->u > 0 && at->v > 0)
        return hsi_compare_products(at->u, p, at->v, q);
    return at->u > 0 ? 1 : -1;
}

/* Does the LP's dual rise with u:v (or with v:u) from here on? */
static int rises(const hsi_problem *rows, int with_u, const multipliers *at)
{
    double cpu = 0, gpu = 0;
    size_t i;

    for (i = 0; i < rows->n; i++) {
        double p = rows->p[i], q = rows->q[i];
        int    side = isinf(p) ? 1 : isinf(q) ? -1 : side_of(at, p, q);

        if (side > 0 || (side == 0 && with_u))
            gpu += hsi_count(rows, i) * q;
        else
            cpu += hsi_count(rows, i) * p;
    }
    return with_u ? cpu * rows->k > gpu * rows->m : cpu * rows->k < gpu * rows->m;
}

/* To the nearest u:v that makes another task's terms equal, or to the end. */
static void step(const hsi_problem *rows, int with_u, multipliers *at)
{
    multipliers next = {with_u, !with_u};
    size_t      i;

    for (i = 0; i < rows->n; i++) {
        double p = rows->p[i], q = rows->q[i];

        if (isinf(p) || isinf(q) || side_of(at, p, q) != (with_u ? -1 : 1))
            continue;
        if (side_of(&next, p, q) == (with_u ? 1 : -1))
            next = (multipliers){q, p};
    }
    *at = next;
}

/* The dual rises up to the LP's value and then falls. False if it fell at once. */
static int climb(const hsi_problem *rows, int with_u, multipliers *at)
{
    size_t most = MOST_WORK / rows->n + 1, steps;

    for (steps = 0; steps < most && (with_u ? at->v : at->u) > 0; steps++) {
        if (!rises(rows, with_u, at))
            break;
        step(rows, with_u, at);
    }
    return steps > 0;
}

/*
 * Safe whatever the solver did: its multipliers are only a hint, what they prove is
 * computed afresh, rounded down (divisible.c). They are mostly the best already.
 */
static hs_status compute(const hsi_problem *rows, const hs_settings *settings, double *value)
{
    multipliers at = {0, 0};
    hs_status   st;

    (void)settings;
    *value = 0;
    if (rows->n == 0)
        return HS_OK;
    if (rows->n > MOST_ROWS)
        return HS_ETOOBIG;
    st = hsi_glpk_area_multipliers(rows, &at.u, &at.v);
    if (st != HS_OK)
        return st;
    if (!(at.u + at.v > 0 && isfinite(at.u + at.v)))
        at = (multipliers){1, 1};
    if (!climb(rows, 1, &at))
        climb(rows, 0, &at);
    *value = hsi_area_of_multipliers(rows, at.u, at.v);
    return HS_OK;
}

const hs_bound hsi_bound_area = {
    .name = "area",
    .summary = "tasks may be cut: the area LP, solved by GLPK (equals theorem2)",
    .source = "Beaumont, Eyraud-Dubois, Kumar 2017, section 4.2",
    .cost = "a linear program of n columns, n <= 100,000",
    .compute = compute,
};
