/* SPDX-License-Identifier: BSD-3-Clause */
/* The area LP: every row starts on its faster type, and a column is the row's part on the slower
 * type. The two constraints are the loads of the types; their duals are the multipliers. */
#include "glpk/area_lp.h"

#include <float.h>
#include <math.h>

#include "glpk/error_guard.h"
#include "glpk/simplex.h"

typedef struct area {
    const hsi_problem *rows;
    const hsi_stop    *stop;
    double             u, v;
    bool               stopped;
} area;

#define TOLERANCE 1e-14
#define NEGLIGIBLE 1e-17 /* ratios and scaled times below this value have no effect */

/* Return the exponent of a worker's load if each task runs on its faster type and loads are
 * equal. */
static int scale_of(const hsi_problem *rows)
{
    double sum = 0;
    int    exponent;
    size_t i;

    for (i = 0; i < rows->n; i++) {
        hsi_poll_at(rows->token, i);
        sum += hsi_row_count(rows, i) * fmin(rows->p[i], rows->q[i]);
    }
    frexp(sum / ((double)rows->m + rows->k), &exponent);
    return exponent;
}

/*
 * Add the column of a row: the time that the slower type spends on it, which saves the faster type
 * `ratio` times this time. Thus no coefficient exceeds 1, for any range of times. No type spends
 * more than `most`.
 */
static void add_column(glp_prob *lp, int column, int slow, double time, double ratio, double most,
                       const double *workers)
{
    int    index[3] = {0, slow, 3 - slow};
    double value[3] = {0, 1 / workers[slow], -ratio / workers[3 - slow]};

    if (isfinite(time) && time > NEGLIGIBLE && ratio > NEGLIGIBLE) {
        glp_set_col_bnds(lp, column, GLP_DB, 0, fmin(time, most));
        glp_set_mat_col(lp, column, 2, index, value);
    } else {
        glp_set_col_bnds(lp, column, GLP_FX, 0, 0);
    }
}

/*
 * Build the LP. Rows 1 and 2 are CPUs and GPUs: work / workers - T <= 0; T is the last column.
 * GLPK's own scaling is off, since it hides from the ratio test that columns can be flipped
 * together.
 */
static void build_lp(glp_prob *lp, const hsi_problem *rows)
{
    const double workers[3] = {0, fmax(rows->m, 1), fmax(rows->k, 1)};
    int          t = (int)rows->n + 1, index[3] = {0, 1, 2}, scale = scale_of(rows);
    double       value[3] = {0, -1, -1}, fast[3] = {0, 0, 0}, all = 2 * ((double)rows->m + rows->k);
    size_t       i;

    glp_set_obj_dir(lp, GLP_MIN);
    glp_add_rows(lp, 2);
    glp_add_cols(lp, t);
    for (i = 0; i < rows->n; i++) {
        int    slow = rows->p[i] > rows->q[i] ? 1 : 2;
        double longer = fmax(rows->p[i], rows->q[i]), shorter = fmin(rows->p[i], rows->q[i]);
        double count = hsi_row_count(rows, i);

        hsi_poll_at(rows->token, i);
        fast[3 - slow] += count * ldexp(shorter, -scale);
        add_column(lp, (int)i + 1, slow, count * ldexp(longer, -scale), shorter / longer,
                   all * workers[slow], workers);
    }
    glp_set_mat_col(lp, t, 2, index, value);
    glp_set_col_bnds(lp, t, GLP_LO, 0, 0);
    glp_set_obj_coef(lp, t, 1);
    glp_set_row_bnds(lp, 1, GLP_UP, 0, -fast[1] / workers[1]);
    glp_set_row_bnds(lp, 2, GLP_UP, 0, -fast[2] / workers[2]);
    glp_std_basis(lp);
}

/*
 * Read the multipliers of the basis. If a row's column is basic, the row costs the same on both
 * types, so its times give more precise multipliers. A row left on its faster type must not be
 * cheaper on the slower one: ratios below GLPK's tolerance could make it so, and a long task would
 * count as nothing.
 */
static void read_multipliers(glp_prob *lp, area *a)
{
    const hsi_problem *rows = a->rows;
    double             most_on_gpus = 0, most_on_cpus = 0; /* maxima of q / p and p / q, which may
                                                              underflow */
    size_t i;
    int    scale, unit = scale_of(rows);

    a->u = rows->m ? fmax(0, -glp_get_row_dual(lp, 1)) / rows->m : 0;
    a->v = rows->k ? fmax(0, -glp_get_row_dual(lp, 2)) / rows->k : 0;
    for (i = 0; i < rows->n; i++) {
        double p = rows->p[i], q = rows->q[i];
        int    where = glp_get_col_stat(lp, (int)i + 1);

        hsi_poll_at(rows->token, i);
        if (where == GLP_BS) {
            frexp(fmax(p, q), &scale);
            a->u = ldexp(q, -scale);
            a->v = ldexp(p, -scale);
        } else if (where != GLP_NU && ldexp(fmax(p, q), -unit) > NEGLIGIBLE) {
            most_on_gpus = fmax(most_on_gpus, p > q ? fmax(q / p, DBL_MIN) : 0);
            most_on_cpus = fmax(most_on_cpus, p > q ? 0 : fmax(p / q, DBL_MIN));
        }
    }
    a->u = fmax(a->u, a->v * most_on_gpus);
    a->v = fmax(a->v, a->u * most_on_cpus);
}

static hs_status solve_lp(void *data)
{
    area           *a = data;
    glp_prob       *lp = glp_create_prob();
    hsi_simplex_end end;

    build_lp(lp, a->rows);
    end = hsi_run_simplex(lp, a->stop, INFINITY, TOLERANCE);
    a->stopped = end == HSI_SIMPLEX_STOPPED;
    read_multipliers(lp, a);
    glp_delete_prob(lp);
    if (hsi_poll(a->rows->token))
        return HS_ECANCELED;
    return end == HSI_SIMPLEX_FAILED ? HS_ESOLVER : HS_OK;
}

hs_status hsi_area_multipliers(const hsi_problem *rows, const hsi_stop *stop, double *u, double *v,
                               int *limit_reached)
{
    area      a = {rows, stop, 0, 0, false};
    hs_status st = hsi_glpk_guarded(solve_lp, &a);

    *u = a.u;
    *v = a.v;
    *limit_reached = a.stopped;
    return st;
}
