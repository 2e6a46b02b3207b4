/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The simplex method in slices of time, each continuing from the last basis. If an LP has several
 * optima, interruptions decide which optimum results; so without a time limit a slice is a number
 * of steps.
 */
#include "glpk/simplex.h"

#include <limits.h>
#include <math.h>

enum {
    SLICE_MS = 50,
    LEAST_ROWS = 100,      /* constant added to the rows in the estimate of a step's cost */
    SLICE_WORK = 100000000 /* limit of steps x rows x columns in a slice, about as long as
                              SLICE_MS */
};

/* Limit of the work of all dual steps for an LP in a search with counted iterations: below a second
 * on most machines. */
static const double counted_work = 1e9;

/* Return the work of a step of the simplex method: rows x columns, with a constant for each row. */
static double work_of_step(glp_prob *lp)
{
    return (LEAST_ROWS + (double)glp_get_num_rows(lp)) * glp_get_num_cols(lp);
}

static void set_slice(glp_prob *lp, const hsi_stop *stop, int steps, glp_smcp *parameters)
{
    double left = 1000 * hsi_stop_seconds_left(stop);
    double slice = 1 + floor(SLICE_WORK / fmax(work_of_step(lp), 1));

    parameters->tm_lim = left < SLICE_MS ? 1 + (int)left : SLICE_MS;
    parameters->it_lim = steps;
    if (isinf(left)) {
        parameters->tm_lim = INT_MAX;
        parameters->it_lim = slice < steps ? (int)slice : steps;
    }
}

/* Return a limit of steps far above the need of any LP that does not cycle. */
static int step_limit(glp_prob *lp)
{
    return 2000 + 20 * (glp_get_num_rows(lp) + glp_get_num_cols(lp));
}

/* Return whether all steps for this LP, if they were as long as one now, took more work than a
 * search with counted iterations allows. */
static bool is_beyond_counted_work(glp_prob *lp, const hsi_stop *stop)
{
    return stop->settings->iterations > 0 && glp_get_it_cnt(lp) * work_of_step(lp) > counted_work;
}

static hsi_simplex_end run_within_slice(glp_prob *lp, const hsi_stop *stop, glp_smcp *parameters)
{
    int code, last = glp_get_it_cnt(lp) + step_limit(lp);

    do {
        if (glp_get_it_cnt(lp) >= last)
            return HSI_SIMPLEX_FAILED;
        if (parameters->meth == GLP_DUALP && is_beyond_counted_work(lp, stop))
            return HSI_SIMPLEX_STOPPED;
        set_slice(lp, stop, last - glp_get_it_cnt(lp), parameters);
        code = glp_simplex(lp, parameters);
        if (code == GLP_ETMLIM || code == GLP_EITLIM)
            if (hsi_stop_is_due(stop))
                return HSI_SIMPLEX_STOPPED;
    } while (code == GLP_ETMLIM || code == GLP_EITLIM);
    return code == 0 && glp_get_status(lp) == GLP_OPT ? HSI_SIMPLEX_OPTIMAL : HSI_SIMPLEX_FAILED;
}

hsi_simplex_end hsi_run_simplex(glp_prob *lp, const hsi_stop *stop, int method, double tolerance)
{
    glp_smcp        parameters;
    hsi_simplex_end end;

    glp_init_smcp(&parameters);
    parameters.msg_lev = GLP_MSG_OFF;
    parameters.meth = method;
    if (method == GLP_DUALP)
        parameters.r_test = GLP_RT_FLIP;
    if (tolerance > 0)
        parameters.tol_bnd = parameters.tol_dj = tolerance;
    end = run_within_slice(lp, stop, &parameters);
    if (end != HSI_SIMPLEX_FAILED)
        return end;
    glp_init_smcp(&parameters);
    parameters.msg_lev = GLP_MSG_OFF;
    glp_std_basis(lp);
    return run_within_slice(lp, stop, &parameters);
}
