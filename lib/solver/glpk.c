/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GLPK reports programming errors and lack of memory through its error hook and
 * then aborts the process, unless the hook frees the thread's GLPK environment
 * and jumps out. That frees every GLPK object of the thread, so a problem lives
 * only within one call here; a program that uses GLPK itself in the same thread
 * loses its objects in that case, and only in that case. GLPK cannot tell which hooks
 * were set before, so none are afterwards.
 */
#include "solver/glpk.h"

#include <glpk.h>
#include <math.h>
#include <setjmp.h>

static void escape(void *jump)
{
    glp_free_env();
    longjmp(*(jmp_buf *)jump, 1);
}

/* GLPK prints its errors even where its output is switched off. */
static int swallow(void *nothing, const char *text)
{
    (void)nothing;
    (void)text;
    return 1;
}

/*
 * To cut a task that is so much slower on one type than on the other, or so small a
 * share of all, changes less than rounding does: it stays on its faster type. Without
 * these, no time is out of the solver's range.
 */
#define MOST_RATIO  0x1p70
#define LEAST_SHARE 0x1p-100

static double faster_time(const hsi_problem *rows, size_t i)
{
    return fmin(rows->p[i], rows->q[i]);
}

static double sum_of_all(const hsi_problem *rows)
{
    double sum = 0;
    size_t i;

    for (i = 0; i < rows->n; i++)
        sum += hsi_count(rows, i) * faster_time(rows, i);
    return sum;
}

static int is_divisible(const hsi_problem *rows, size_t i, double sum)
{
    double slower = fmax(rows->p[i], rows->q[i]), faster = faster_time(rows, i);

    return hsi_count(rows, i) * faster >= LEAST_SHARE * sum && slower / faster <= MOST_RATIO;
}

/* A task is on its faster type; its column is the share of it that goes to the other. */
static void add_task(glp_prob *lp, int column, double p, double q, int divisible, double load[2])
{
    int    faster = p <= q ? 0 : 1, index[3] = {0, 1, 2};
    double value[3] = {0, 0, 0};

    load[faster] += faster == 0 ? p : q;
    if (divisible) {
        value[1] = faster == 0 ? -p : p;
        value[2] = faster == 0 ? q : -q;
    }
    glp_set_col_bnds(lp, column, divisible ? GLP_DB : GLP_FX, 0, divisible);
    glp_set_mat_col(lp, column, 2, index, value);
}

/* Rows 1 and 2 are the loads, T the last column: what goes there - workers x T <= -load. */
static void build_area(glp_prob *lp, const hsi_problem *rows)
{
    int    t = (int)rows->n + 1, index[3] = {0, 1, 2};
    double value[3] = {0, -(double)rows->m, -(double)rows->k}, load[2] = {0, 0};
    double sum = sum_of_all(rows);
    int    exponent;
    size_t i;

    frexp(sum, &exponent); /* all times together are about 1 */
    glp_set_obj_dir(lp, GLP_MIN);
    glp_add_rows(lp, 2);
    glp_add_cols(lp, t);
    for (i = 0; i < rows->n; i++)
        add_task(lp, (int)i + 1, hsi_count(rows, i) * ldexp(rows->p[i], -exponent),
                 hsi_count(rows, i) * ldexp(rows->q[i], -exponent), is_divisible(rows, i, sum),
                 load);
    glp_set_mat_col(lp, t, 2, index, value);
    glp_set_col_bnds(lp, t, GLP_LO, 0, 0);
    glp_set_obj_coef(lp, t, 1);
    glp_set_row_bnds(lp, 1, GLP_UP, 0, -load[0]);
    glp_set_row_bnds(lp, 2, GLP_UP, 0, -load[1]);
}

/*
 * The long-step rule moves many shares at once. Where times range widely GLPK's
 * tolerances leave tasks on the wrong side, or stop it: the multipliers are a hint.
 * (Its exact simplex is no way out: GMP ends the process when memory is short.)
 */
static void solve_area(glp_prob *lp)
{
    glp_smcp parameters;

    glp_init_smcp(&parameters);
    parameters.msg_lev = GLP_MSG_OFF;
    parameters.meth = GLP_DUALP;
    parameters.r_test = GLP_RT_FLIP;
    glp_scale_prob(lp, GLP_SF_GM | GLP_SF_EQ | GLP_SF_2N);
    glp_std_basis(lp);
    (void)glp_simplex(lp, &parameters);
}

/* The cut task is basic, and its times are the multipliers; else the duals are. */
static void read_area(glp_prob *lp, const hsi_problem *rows, double *u, double *v)
{
    double sum = sum_of_all(rows);
    size_t i;

    *u = fmax(0, -glp_get_row_dual(lp, 1));
    *v = fmax(0, -glp_get_row_dual(lp, 2));
    for (i = 0; i < rows->n; i++)
        if (glp_get_col_stat(lp, (int)i + 1) == GLP_BS && is_divisible(rows, i, sum)) {
            *u = rows->q[i];
            *v = rows->p[i];
        }
}

hs_status hsi_glpk_area_multipliers(const hsi_problem *rows, double *u, double *v)
{
    jmp_buf            jump;
    glp_prob *volatile lp = NULL;
    int                found = glp_init_env(), terminal;

    if (found > 1)
        return HS_ENOMEM;
    terminal = glp_term_out(GLP_OFF);
    glp_term_hook(swallow, NULL);
    if (setjmp(jump))
        return HS_ESOLVER; /* the environment is gone, and the problem with it */
    glp_error_hook(escape, &jump);
    lp = glp_create_prob();
    build_area(lp, rows);
    solve_area(lp);
    read_area(lp, rows, u, v);
    glp_delete_prob(lp);
    glp_error_hook(NULL, NULL);
    glp_term_hook(NULL, NULL);
    glp_term_out(terminal);
    if (found == 0) /* it was made here: nobody else would free it when the thread ends */
        glp_free_env();
    return HS_OK;
}
