/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows 1 and 2: the loads of CPUs and GPUs, minus T times their number. Then one row per path.
 * Column 1 is T, then one for each task that may run on both types. A new row keeps the basis dual
 * feasible, so the dual simplex method continues from it.
 */
#include "glpk/path_lp.h"

#include <limits.h>
#include <math.h>

#include "core/order.h"
#include "glpk/simplex.h"

#define TOLERANCE 1e-9

static bool is_divisible(const hsi_problem *pb, size_t task)
{
    return isfinite(pb->p[task]) && isfinite(pb->q[task]);
}

hs_status hsi_path_lp_open(hsi_path_lp *path_lp, const hsi_problem *pb)
{
    hsi_arena  *arena = &path_lp->arena;
    hsi_problem work = *pb;
    double      sum = 0;
    int         next = 2;

    *path_lp = (hsi_path_lp){.pb = pb};
    if (pb->n > INT_MAX / 2)
        return HS_ETOOBIG;
    path_lp->column = hsi_arena_alloc(arena, pb->n, sizeof *path_lp->column);
    path_lp->share = hsi_arena_alloc(arena, pb->n, sizeof *path_lp->share);
    path_lp->index = hsi_arena_alloc(arena, pb->n + 2, sizeof *path_lp->index);
    path_lp->value = hsi_arena_alloc(arena, pb->n + 2, sizeof *path_lp->value);
    path_lp->order = hsi_arena_alloc(arena, pb->n, sizeof *path_lp->order);
    if (!path_lp->order || !path_lp->column || !path_lp->share || !path_lp->index ||
        !path_lp->value)
        return HS_ENOMEM;
    for (size_t i = 0; i < pb->n; i++) {
        path_lp->column[i] = is_divisible(pb, i) ? next++ : 0;
        path_lp->share[i] = isfinite(pb->p[i]);
        sum += fmin(pb->p[i], pb->q[i]);
    }
    frexp(sum / ((double)pb->m + pb->k), &path_lp->exponent);
    work.arena = arena;
    return hsi_order_by_rho(&work, HSI_RHO_UP, path_lp->order);
}

void hsi_path_lp_close(hsi_path_lp *path_lp)
{
    hsi_arena_close(&path_lp->arena);
}

/* Return a time in units of the LP; infinity is kept. */
static double scaled_time(const hsi_path_lp *path_lp, double time)
{
    return isinf(time) ? time : hsi_lp_coefficient(ldexp(time, -path_lp->exponent));
}

/* Set the load row of a type; its right side is the work that runs there in any case. */
static void set_load(hsi_path_lp *path_lp, hs_type type)
{
    const hsi_problem *pb = path_lp->pb;
    double             workers = type == HS_CPU ? pb->m : pb->k, fixed = 0;
    int                size = 1;

    path_lp->index[1] = 1;
    path_lp->value[1] = -1;
    for (size_t i = 0; i < pb->n; i++) {
        double time = scaled_time(path_lp, type == HS_CPU ? pb->p[i] : pb->q[i]) / fmax(workers, 1);

        hsi_poll_at_iteration(pb->token, i);
        if (path_lp->column[i]) {
            path_lp->index[++size] = path_lp->column[i];
            path_lp->value[size] = type == HS_CPU ? time : -time;
        }
        if (isfinite(time) && (type == HS_GPU || !path_lp->column[i]))
            fixed += time;
    }
    glp_set_mat_row(path_lp->lp, 1 + (int)type, size, path_lp->index, path_lp->value);
    glp_set_row_bnds(path_lp->lp, 1 + (int)type, GLP_UP, 0, -fixed);
}

/*
 * Set the optimal basis of the LP without paths: by increasing p / q, tasks are on CPUs until their
 * work equals the GPUs' remaining work. This last task and T are basic, or T and a row if there is
 * none. Saves about one simplex step per task.
 */
static void set_basis(hsi_path_lp *path_lp)
{
    const hsi_problem *pb = path_lp->pb;
    glp_prob          *lp = path_lp->lp;
    double             cpus = -glp_get_row_ub(lp, 1), gpus = -glp_get_row_ub(lp, 2);
    int                cut = 0;

    for (size_t i = 0; i < pb->n; i++) {
        uint32_t task = path_lp->order[i];
        int      column = path_lp->column[task];

        hsi_poll_at_iteration(pb->token, i);
        if (!column)
            continue;
        if (!cut && cpus < gpus) {
            cpus += scaled_time(path_lp, pb->p[task]) / pb->m;
            gpus -= scaled_time(path_lp, pb->q[task]) / pb->k;
            if (cpus >= gpus)
                cut = column;
            glp_set_col_stat(lp, column, cut ? GLP_BS : GLP_NU);
        } else {
            glp_set_col_stat(lp, column, GLP_NL);
        }
    }
    glp_set_col_stat(lp, 1, GLP_BS);
    glp_set_row_stat(lp, 1, cut || cpus >= gpus ? GLP_NU : GLP_BS);
    glp_set_row_stat(lp, 2, cut || cpus < gpus ? GLP_NU : GLP_BS);
}

void hsi_path_lp_create_glpk_problem(hsi_path_lp *path_lp)
{
    const hsi_problem *pb = path_lp->pb;
    glp_prob          *lp = path_lp->lp = glp_create_prob();
    int                columns = 1;

    for (size_t i = 0; i < pb->n; i++)
        columns += path_lp->column[i] > 0;
    glp_set_obj_dir(lp, GLP_MIN);
    glp_add_rows(lp, 2);
    glp_add_cols(lp, columns);
    glp_set_col_bnds(lp, 1, GLP_LO, 0, 0);
    glp_set_obj_coef(lp, 1, 1);
    for (int column = 2; column <= columns; column++)
        glp_set_col_bnds(lp, column, GLP_DB, 0, 1);
    set_load(path_lp, HS_CPU);
    set_load(path_lp, HS_GPU);
    set_basis(path_lp);
}

void hsi_path_lp_delete_glpk_problem(hsi_path_lp *path_lp)
{
    glp_delete_prob(path_lp->lp);
    path_lp->lp = NULL;
}

/* Return the length that a task adds to a path on a type, scaled. */
static double counts_for(const hsi_path_lp *path_lp, const hsi_counted *counted, hs_type type)
{
    const hsi_problem *pb = path_lp->pb;
    double             time = scaled_time(path_lp, (type == HS_CPU ? pb->p : pb->q)[counted->task]);

    if (!counted->over)
        return time;
    if (counted->over != (type == HS_CPU ? HSI_OVER_CPUS : HSI_OVER_GPUS))
        return 0;
    return time / (type == HS_CPU ? pb->m : pb->k);
}

void hsi_path_lp_add_path(hsi_path_lp *path_lp, const hsi_counted *counted, size_t count)
{
    const hsi_problem *pb = path_lp->pb;
    int                size = 1, row = glp_add_rows(path_lp->lp, 1);
    double             fixed = 0;

    path_lp->index[1] = 1;
    path_lp->value[1] = -1;
    for (size_t i = 0; i < count; i++) {
        uint32_t task = counted[i].task;
        double   on_cpus = counts_for(path_lp, &counted[i], HS_CPU);
        double   on_gpus = counts_for(path_lp, &counted[i], HS_GPU);

        if (path_lp->column[task]) {
            path_lp->index[++size] = path_lp->column[task];
            path_lp->value[size] = on_cpus - on_gpus;
        }
        fixed += isfinite(pb->q[task]) ? on_gpus : on_cpus;
    }
    glp_set_mat_row(path_lp->lp, row, size, path_lp->index, path_lp->value);
    glp_set_row_bnds(path_lp->lp, row, GLP_UP, 0, -fixed);
    glp_set_row_stat(path_lp->lp, row, GLP_BS);
}

hs_status hsi_path_lp_solve(hsi_path_lp *path_lp, const hsi_stop *stop, int *optimal)
{
    const hsi_problem *pb = path_lp->pb;
    glp_prob          *lp = path_lp->lp;
    hsi_simplex_end    end = hsi_run_simplex(lp, stop, GLP_DUALP, TOLERANCE);

    *optimal = end == HSI_SIMPLEX_OPTIMAL;
    if (!*optimal)
        return end == HSI_SIMPLEX_STOPPED ? HS_OK : HS_ESOLVER;
    path_lp->makespan = ldexp(glp_get_obj_val(lp), path_lp->exponent);
    for (size_t i = 0; i < pb->n; i++)
        if (path_lp->column[i])
            path_lp->share[i] = fmin(1, fmax(0, glp_get_col_prim(lp, path_lp->column[i])));
    path_lp->multiplier[HS_CPU] = pb->m ? fmax(0, -glp_get_row_dual(lp, 1)) / pb->m : 0;
    path_lp->multiplier[HS_GPU] = pb->k ? fmax(0, -glp_get_row_dual(lp, 2)) / pb->k : 0;
    return HS_OK;
}

double hsi_path_lp_multiplier(const hsi_path_lp *path_lp, size_t path)
{
    return fmax(0, -glp_get_row_dual(path_lp->lp, (int)path + 3));
}
