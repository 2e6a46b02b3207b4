/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "peer.h"

#ifdef HAVE_GLPK

#include <glpk.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/*
 * Build the model. Rows: the tasks, then the workers. Columns: the makespan, then for each task its
 * workers.
 */
static glp_prob *build_mip(const hs_instance *in)
{
    int n = (int)hs_instance_tasks(in), m = (int)hs_instance_cpus(in),
        workers = m + (int)hs_instance_gpus(in), i, w;
    glp_prob *lp = glp_create_prob();

    glp_add_rows(lp, n + workers);
    glp_add_cols(lp, 1 + n * workers);
    glp_set_obj_dir(lp, GLP_MIN);
    glp_set_obj_coef(lp, 1, 1);
    glp_set_col_bnds(lp, 1, GLP_LO, 0, 0);
    for (i = 1; i <= n; i++)
        glp_set_row_bnds(lp, i, GLP_FX, 1, 1);
    for (w = 1; w <= workers; w++)
        glp_set_row_bnds(lp, n + w, GLP_UP, 0, 0);
    for (i = 0; i < n; i++)
        for (w = 0; w < workers; w++) {
            double time = hs_instance_time(in, (size_t)i, w < m ? HS_CPU : HS_GPU);
            int    column = 2 + i * workers + w, row[3] = {0, 1 + i, 1 + n + w};
            double value[3] = {0, 1, time};

            if (isinf(time)) {
                glp_set_col_bnds(lp, column, GLP_FX, 0, 0);
                continue;
            }
            glp_set_col_kind(lp, column, GLP_BV);
            glp_set_mat_col(lp, column, 2, row, value);
        }
    return lp;
}

/* Fill the makespan's column: minus one in every worker's row. */
static int relate_makespan(glp_prob *lp, int tasks, int workers)
{
    int    *row = malloc(((size_t)workers + 1) * sizeof *row), w;
    double *value = malloc(((size_t)workers + 1) * sizeof *value);

    if (row && value) {
        for (w = 1; w <= workers; w++) {
            row[w] = tasks + w;
            value[w] = -1;
        }
        glp_set_mat_col(lp, 1, workers, row, value);
    }
    w = row && value;
    free(row);
    free(value);
    return w;
}

/* Record the best bound; GLPK reports it only to a callback. */
static void watch_search(glp_tree *tree, void *data)
{
    double *bound = data;
    int     node = glp_ios_best_node(tree);

    if (node)
        *bound = fmax(*bound, glp_ios_node_bound(tree, node));
}

static void solve_mip(glp_prob *lp, double seconds, peer_result *result)
{
    glp_iocp options;
    int      code;

    glp_init_iocp(&options);
    options.msg_lev = GLP_MSG_OFF;
    options.presolve = GLP_ON;
    options.gmi_cuts = options.mir_cuts = options.cov_cuts = options.clq_cuts = GLP_ON;
    options.fp_heur = GLP_ON;
    options.tm_lim = (int)(1000 * seconds);
    options.cb_func = watch_search;
    options.cb_info = &result->bound;
    code = glp_intopt(lp, &options);
    if (glp_mip_status(lp) == GLP_OPT || glp_mip_status(lp) == GLP_FEAS)
        result->makespan = glp_mip_obj_val(lp);
    if (code == 0 && glp_mip_status(lp) == GLP_OPT)
        result->bound = result->makespan;
}

bool peer_glpk(const hs_instance *in, double seconds, peer_result *result)
{
    size_t    workers = hs_instance_cpus(in) + hs_instance_gpus(in);
    double    begin = now();
    glp_prob *lp;

    if (hs_instance_tasks(in) * workers > PEER_MOST_COLUMNS)
        return false;
    *result = (peer_result){INFINITY, 0, 0};
    glp_term_out(GLP_OFF);
    lp = build_mip(in);
    if (!relate_makespan(lp, (int)hs_instance_tasks(in), (int)workers))
        abort();
    solve_mip(lp, seconds, result);
    glp_delete_prob(lp);
    result->seconds = now() - begin;
    return true;
}

#else

int peer_glpk(const hs_instance *in, double seconds, peer_result *result)
{
    (void)in;
    (void)seconds;
    (void)result;
    return 0;
}

#endif
