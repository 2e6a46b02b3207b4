/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * T is the last column; each group has a row: work / workers - T <= 0. With two groups there is one
 * column per row of the instance, the copies on the first group; otherwise one per cell, and a
 * constraint per row that all copies run.
 */
#include "glpk/assignment_lp.h"

#include <math.h>

#define TOLERANCE  1e-10 /* below GLPK's 1e-7: gives better multipliers at no cost */
#define NEGLIGIBLE 1e-12 /* smaller coefficients only harm the simplex method numerically */

static double coefficient(const hsi_model *model, size_t row, unsigned group)
{
    double time = hsi_model_time(model, row, group) / hsi_model_weight(model, group);

    if (model->most[row * model->groups + group] == 0 || time < NEGLIGIBLE)
        return 0;
    return time;
}

static void set_bounds(glp_prob *lp, int column, double low, double high, int implied)
{
    if (low >= high)
        glp_set_col_bnds(lp, column, GLP_FX, high, high);
    else
        glp_set_col_bnds(lp, column, implied ? GLP_LO : GLP_DB, low, high);
}

void hsi_assignment_lp_row(glp_prob *lp, const hsi_model *model, size_t row)
{
    size_t   first = row * model->groups;
    double   count = hsi_count(model->rows, row);
    unsigned g;

    if (model->groups == 2) {
        set_bounds(lp, (int)row + 1, fmax(model->lower[first], count - model->upper[first + 1]),
                   fmin(model->upper[first], count - model->lower[first + 1]), 0);
        return;
    }
    for (g = 0; g < model->groups; g++)
        set_bounds(lp, (int)(first + g) + 1, model->lower[first + g], model->upper[first + g],
                   model->upper[first + g] >= count);
}

/* Add the column T. GLPK owns the temporary arrays, so an error frees them. */
static void add_bound_column(glp_prob *lp, const hsi_model *model, int first_row)
{
    int    *index = glp_alloc((int)model->groups + 1, sizeof *index);
    double *value = glp_alloc((int)model->groups + 1, sizeof *value);
    int     column = glp_add_cols(lp, 1), g;

    for (g = 1; g <= (int)model->groups; g++) {
        index[g] = first_row + g - 1;
        value[g] = -1;
    }
    glp_set_mat_col(lp, column, (int)model->groups, index, value);
    glp_set_col_bnds(lp, column, GLP_LO, 0, 0);
    glp_set_obj_coef(lp, column, 1);
    glp_free(index);
    glp_free(value);
}

/* Build the LP for two groups: copies not on the first group run on the second, whose load row
 * changes sign. */
static void build_complements(glp_prob *lp, const hsi_model *model)
{
    size_t i, n = model->rows->n;
    int    index[3] = {0, 1, 2};
    double value[3], all = 0;

    glp_add_rows(lp, 2);
    glp_add_cols(lp, (int)n);
    for (i = 0; i < n; i++) {
        value[1] = coefficient(model, i, 0);
        value[2] = -coefficient(model, i, 1);
        all -= hsi_count(model->rows, i) * value[2];
        glp_set_mat_col(lp, (int)i + 1, 2, index, value);
        hsi_assignment_lp_row(lp, model, i);
    }
    glp_set_row_bnds(lp, 1, GLP_UP, 0, 0);
    glp_set_row_bnds(lp, 2, GLP_UP, 0, -all);
    add_bound_column(lp, model, 1);
}

static void build_cells(glp_prob *lp, const hsi_model *model)
{
    size_t   i, n = model->rows->n;
    int      index[3];
    double   value[3];
    unsigned g;

    glp_add_rows(lp, (int)(n + model->groups));
    glp_add_cols(lp, (int)(n * model->groups));
    value[1] = 1;
    for (i = 0; i < n; i++) {
        double count = hsi_count(model->rows, i);

        index[1] = (int)i + 1;
        glp_set_row_bnds(lp, index[1], GLP_FX, count, count);
        for (g = 0; g < model->groups; g++) {
            index[2] = (int)(n + g) + 1;
            value[2] = coefficient(model, i, g);
            glp_set_mat_col(lp, (int)(i * model->groups + g) + 1, 2, index, value);
        }
        hsi_assignment_lp_row(lp, model, i);
    }
    for (g = 0; g < model->groups; g++)
        glp_set_row_bnds(lp, (int)(n + g) + 1, GLP_UP, 0, 0);
    add_bound_column(lp, model, (int)n + 1);
}

glp_prob *hsi_assignment_lp(const hsi_model *model)
{
    glp_prob *lp = glp_create_prob();

    glp_set_obj_dir(lp, GLP_MIN);
    if (model->groups == 2)
        build_complements(lp, model);
    else
        build_cells(lp, model);
    glp_std_basis(lp);
    return lp;
}

/* Return the multiplier if it is safe to multiply (neither negative, huge nor tiny), else 0. */
static double tame(double multiplier)
{
    return multiplier >= 1e-30 && multiplier <= 1e30 ? multiplier : 0;
}

static void read_solution(glp_prob *lp, hsi_model *model)
{
    size_t   i, cell, n = model->rows->n, cells = n * model->groups;
    int      first = model->groups == 2 ? 1 : (int)n + 1;
    unsigned g;

    for (g = 0; g < model->groups; g++)
        model->multiplier[g] =
            tame(-glp_get_row_dual(lp, first + (int)g) / hsi_model_weight(model, g));
    if (model->groups == 2) {
        for (i = 0; i < n; i++) {
            model->share[2 * i] = glp_get_col_prim(lp, (int)i + 1);
            model->share[2 * i + 1] = hsi_count(model->rows, i) - model->share[2 * i];
        }
    } else {
        for (cell = 0; cell < cells; cell++)
            model->share[cell] = glp_get_col_prim(lp, (int)cell + 1);
    }
}

hsi_simplex_end hsi_assignment_lp_solve(glp_prob *lp, hsi_model *model, const hsi_stop *stop,
                                        double limit)
{
    hsi_simplex_end end = hsi_simplex(lp, stop, limit, TOLERANCE);

    if (end == HSI_SIMPLEX_OPTIMAL || end == HSI_SIMPLEX_ABOVE)
        read_solution(lp, model);
    return end;
}
