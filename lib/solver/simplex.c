/* SPDX-License-Identifier: BSD-3-Clause */
/* GLPK is left alone for a slice of time and is then asked to go on from where it was. */
#include "solver/simplex.h"

#include <float.h>
#include <math.h>

enum { SLICE_MS = 50 };

static int slice(const hsi_stop *stop)
{
    double left = 1000 * hsi_stop_left(stop);

    return left < SLICE_MS ? 1 + (int)left : SLICE_MS;
}

static hsi_simplex_end verdict(glp_prob *lp, int code)
{
    if (code == GLP_EOBJUL)
        return HSI_SIMPLEX_ABOVE;
    return code == 0 && glp_get_status(lp) == GLP_OPT ? HSI_SIMPLEX_OPTIMAL : HSI_SIMPLEX_FAILED;
}

/* Far more than any LP needs that does not run in circles. */
static int patience(glp_prob *lp)
{
    return 2000 + 20 * (glp_get_num_rows(lp) + glp_get_num_cols(lp));
}

static hsi_simplex_end attempt(glp_prob *lp, const hsi_stop *stop, glp_smcp *parameters)
{
    int code, first = glp_get_it_cnt(lp);

    do {
        parameters->tm_lim = slice(stop);
        parameters->it_lim = patience(lp) - (glp_get_it_cnt(lp) - first);
        if (parameters->it_lim <= 0)
            return HSI_SIMPLEX_FAILED;
        code = glp_simplex(lp, parameters);
        if (code == GLP_ETMLIM && hsi_stop_now(stop))
            return HSI_SIMPLEX_STOPPED;
    } while (code == GLP_ETMLIM);
    return verdict(lp, code);
}

hsi_simplex_end hsi_simplex(glp_prob *lp, const hsi_stop *stop, double limit, double tolerance)
{
    glp_smcp        parameters;
    hsi_simplex_end end;

    glp_init_smcp(&parameters);
    parameters.msg_lev = GLP_MSG_OFF;
    parameters.meth = GLP_DUALP;
    parameters.r_test = GLP_RT_FLIP;
    parameters.obj_ul = isinf(limit) ? DBL_MAX : limit;
    parameters.tol_bnd = parameters.tol_dj = tolerance;
    end = attempt(lp, stop, &parameters);
    if (end != HSI_SIMPLEX_FAILED)
        return end;
    glp_init_smcp(&parameters); /* its own tolerances, its own ways, from the start */
    parameters.msg_lev = GLP_MSG_OFF;
    glp_std_basis(lp);
    return attempt(lp, stop, &parameters);
}
