/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows 1 .. n: the demand of each item. Rows n + 1, n + 2: the shares of a type's patterns minus
 * theta times its workers is <= 0. Column 1 is theta, the objective; then one column per item while
 * a type is fluid; then the patterns.
 *
 * The patterns and the basis are kept here, and GLPK's problem is rebuilt from them when needed,
 * since it must not outlive the run of the guard.
 */
#include "glpk/master_lp.h"

#include <glpk.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "glpk/simplex.h"
#include "support/arena.h"
#include "support/vector.h"

/* a worker's multiplier: large compared with GLPK's tolerance of 10^-7 */
#define PRICE 1000.0

typedef struct column {
    size_t        first, size; /* range in `items` */
    double        share;
    unsigned char type, status;
} column;

struct hsi_master {
    hsi_arena       arena;   /* memory of the arrays */
    glp_prob       *lp;      /* NULL between runs of the guard */
    size_t          in_lp;   /* number of columns in `lp` */
    size_t          n;
    unsigned        workers[2];
    uint32_t       *demand;
    hsi_vector      items;   /* hsi_master_item each */
    hsi_vector      columns; /* column each */
    unsigned char  *row_status, *fluid_status;
    unsigned char   theta_status;
    bool            has_basis;
    const double   *time; /* NULL: no type is fluid */
    hs_type         fluid_type;
    double          unit, span; /* span of a fluid worker at first, and now */
    int            *index;      /* scratch for one column: n + 3 entries */
    double         *value;
};

static column *columns_of(const hsi_master *master)
{
    return master->columns.data;
}

size_t hsi_master_columns(const hsi_master *master)
{
    return master->columns.size / sizeof(column);
}

hs_status hsi_master_open(size_t items, const uint32_t *demand, const unsigned workers[2],
                          hsi_master **out)
{
    hsi_master *master;

    if (items > INT_MAX / 4)
        return HS_ETOOBIG;
    master = calloc(1, sizeof *master);
    if (!master)
        return HS_ENOMEM;
    master->n = items;
    memcpy(master->workers, workers, sizeof master->workers);
    master->demand = hsi_arena_alloc(&master->arena, items + 1, sizeof *master->demand);
    master->row_status = hsi_arena_alloc(&master->arena, items + 2, 1);
    master->fluid_status = hsi_arena_alloc(&master->arena, items + 1, 1);
    master->index = hsi_arena_alloc(&master->arena, items + 4, sizeof *master->index);
    master->value = hsi_arena_alloc(&master->arena, items + 4, sizeof *master->value);
    if (!master->demand || !master->row_status || !master->fluid_status || !master->index ||
        !master->value) {
        hsi_master_close(master);
        return HS_ENOMEM;
    }
    memcpy(master->demand, demand, items * sizeof *demand);
    *out = master;
    return HS_OK;
}

void hsi_master_close(hsi_master *master)
{
    if (!master)
        return;
    hsi_arena_close(&master->arena);
    hsi_vector_free(&master->items);
    hsi_vector_free(&master->columns);
    free(master);
}

hs_status hsi_master_add_pattern(hsi_master *master, hs_type type, const hsi_master_item *items,
                                 size_t size)
{
    column col = {.first = master->items.size / sizeof *items,
                  .size = size,
                  .type = (unsigned char)type,
                  .status = GLP_NL};

    if (hsi_vector_append(&master->items, items, size * sizeof *items))
        return HS_ENOMEM;
    return hsi_vector_append(&master->columns, &col, sizeof col) ? HS_ENOMEM : HS_OK;
}

hs_type hsi_master_pattern_type(const hsi_master *master, size_t index)
{
    return columns_of(master)[index].type;
}

const hsi_master_item *hsi_master_pattern_items(const hsi_master *master, size_t index,
                                                size_t *size)
{
    *size = columns_of(master)[index].size;
    return (const hsi_master_item *)master->items.data + columns_of(master)[index].first;
}

double hsi_master_pattern_workers(const hsi_master *master, size_t index)
{
    return columns_of(master)[index].share;
}

static int worker_row(const hsi_master *master, int type)
{
    return (int)master->n + 1 + type;
}

/* Return GLPK's number of a pattern's column. */
static int column_number(const hsi_master *master, size_t index)
{
    return (int)(index + 2 + (master->time ? master->n : 0));
}

static double cost_of_theta(const hsi_master *master)
{
    return PRICE * ((double)master->workers[HS_CPU] + (double)master->workers[HS_GPU]);
}

static void set_theta(hsi_master *master)
{
    int type;

    for (type = HS_CPU; type <= HS_GPU; type++) {
        master->index[type + 1] = worker_row(master, type);
        master->value[type + 1] = -(double)master->workers[type];
        if (master->time && type == (int)master->fluid_type)
            master->value[type + 1] *= hsi_lp_coefficient(master->span / master->unit);
    }
    glp_set_mat_col(master->lp, 1, 2, master->index, master->value);
}

/* Set up the fluid column of an item that fits into the span. */
static void allow_fluid(hsi_master *master, size_t item)
{
    int number = (int)item + 2;

    master->index[1] = (int)item + 1;
    master->value[1] = 1;
    master->index[2] = worker_row(master, (int)master->fluid_type);
    master->value[2] = hsi_lp_coefficient(master->time[item] / master->unit);
    glp_set_mat_col(master->lp, number, 2, master->index, master->value);
    glp_set_col_bnds(master->lp, number, GLP_LO, 0, 0);
}

static void add_fluid_columns(hsi_master *master)
{
    size_t i;

    glp_add_cols(master->lp, (int)master->n);
    for (i = 0; i < master->n; i++)
        if (master->time[i] <= master->span)
            allow_fluid(master, i);
        else
            glp_set_col_bnds(master->lp, (int)i + 2, GLP_FX, 0, 0);
}

static void add_new_columns(hsi_master *master)
{
    size_t total = hsi_master_columns(master), i;
    int    number;

    if (master->in_lp == total)
        return;
    number = glp_add_cols(master->lp, (int)(total - master->in_lp));
    for (; master->in_lp < total; master->in_lp++, number++) {
        size_t                 size;
        const hsi_master_item *items = hsi_master_pattern_items(master, master->in_lp, &size);

        for (i = 0; i < size; i++) {
            master->index[i + 1] = (int)items[i].item + 1;
            master->value[i + 1] = items[i].copies;
        }
        master->index[size + 1] = worker_row(master, columns_of(master)[master->in_lp].type);
        master->value[size + 1] = 1;
        glp_set_mat_col(master->lp, number, (int)size + 1, master->index, master->value);
        glp_set_col_bnds(master->lp, number, GLP_LO, 0, 0);
    }
}

static void restore_basis(hsi_master *master)
{
    size_t i;

    for (i = 0; i < master->n + 2; i++)
        glp_set_row_stat(master->lp, (int)i + 1, master->row_status[i]);
    glp_set_col_stat(master->lp, 1, master->theta_status);
    for (i = 0; master->time && i < master->n; i++)
        glp_set_col_stat(master->lp, (int)i + 2, master->fluid_status[i]);
    for (i = 0; i < hsi_master_columns(master); i++)
        glp_set_col_stat(master->lp, column_number(master, i), columns_of(master)[i].status);
}

static void save_basis(hsi_master *master)
{
    size_t i;

    for (i = 0; i < master->n + 2; i++)
        master->row_status[i] = (unsigned char)glp_get_row_stat(master->lp, (int)i + 1);
    master->theta_status = (unsigned char)glp_get_col_stat(master->lp, 1);
    for (i = 0; master->time && i < master->n; i++)
        master->fluid_status[i] = (unsigned char)glp_get_col_stat(master->lp, (int)i + 2);
    for (i = 0; i < master->in_lp; i++)
        columns_of(master)[i].status =
            (unsigned char)glp_get_col_stat(master->lp, column_number(master, i));
    master->has_basis = true;
}

static void set_demand(hsi_master *master)
{
    size_t i;

    for (i = 0; i < master->n; i++)
        glp_set_row_bnds(master->lp, (int)i + 1, GLP_LO, master->demand[i], 0);
}

static void build_lp(hsi_master *master)
{
    glp_prob *lp = master->lp = glp_create_prob();
    int       n = (int)master->n;

    master->in_lp = 0;
    glp_set_obj_dir(lp, GLP_MIN);
    glp_add_rows(lp, n + 2);
    set_demand(master);
    glp_set_row_bnds(lp, n + 1, GLP_UP, 0, 0);
    glp_set_row_bnds(lp, n + 2, GLP_UP, 0, 0);
    glp_add_cols(lp, 1);
    glp_set_col_bnds(lp, 1, GLP_LO, 0, 0);
    glp_set_obj_coef(lp, 1, cost_of_theta(master));
    set_theta(master);
    if (master->time)
        add_fluid_columns(master);
    add_new_columns(master);
    if (master->has_basis)
        restore_basis(master);
}

void hsi_master_free_glpk_problem(hsi_master *master)
{
    if (!master->lp)
        return;
    save_basis(master);
    glp_delete_prob(master->lp);
    master->lp = NULL;
}

void hsi_master_forget_glpk_problem(hsi_master *master)
{
    size_t i;

    master->lp = NULL;
    master->has_basis = false;
    for (i = 0; i < hsi_master_columns(master); i++)
        columns_of(master)[i].status = GLP_NL;
}

void hsi_master_make_type_fluid(hsi_master *master, hs_type type, const double *time, double span)
{
    master->fluid_type = type;
    master->time = time;
    master->unit = master->span = span;
}

void hsi_master_set_span(hsi_master *master, double span)
{
    double before = master->span;
    size_t i;

    master->span = span;
    if (!master->lp)
        return;
    set_theta(master);
    for (i = 0; master->time && i < master->n; i++)
        if (master->time[i] > before && master->time[i] <= span)
            allow_fluid(master, i);
}

void hsi_master_end_fluid(hsi_master *master)
{
    if (master->lp)
        glp_delete_prob(master->lp);
    hsi_master_forget_glpk_problem(master);
    master->time = NULL;
}

static void read_multipliers(hsi_master *master, hsi_master_solution *solution, double *y)
{
    double scale = 0;
    size_t i;
    int    type;

    for (type = HS_CPU; type <= HS_GPU; type++) {
        solution->price[type] =
            fmax(0, -glp_get_row_dual(master->lp, worker_row(master, type)));
        scale += master->workers[type] * solution->price[type];
    }
    scale = scale > 0 ? 1 / scale : 1;
    for (type = HS_CPU; type <= HS_GPU; type++)
        solution->price[type] *= scale;
    for (i = 0; i < master->n; i++)
        y[i] = fmax(0, glp_get_row_dual(master->lp, (int)i + 1)) * scale;
}

hs_status hsi_master_solve(hsi_master *master, const hsi_stop *stop, hsi_master_solution *solution,
                           double *multiplier)
{
    hsi_simplex_end end;
    size_t          i;

    if (master->lp)
        add_new_columns(master);
    else
        build_lp(master);
    end = hsi_run_simplex(master->lp, stop, GLP_PRIMAL, 0);
    solution->optimal = end == HSI_SIMPLEX_OPTIMAL;
    if (!solution->optimal)
        return end == HSI_SIMPLEX_STOPPED ? HS_OK : HS_ESOLVER;
    solution->theta = glp_get_obj_val(master->lp) / cost_of_theta(master);
    for (i = 0; i < master->in_lp; i++)
        columns_of(master)[i].share = glp_get_col_prim(master->lp, column_number(master, i));
    read_multipliers(master, solution, multiplier);
    return HS_OK;
}
