/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows are equations 1 to 8 of the kernel-graph paper, with two changes. Pairs of tasks, not
 * positions, give the order on a worker, with far fewer binaries. Redundant rows strengthen the
 * relaxation: loads of workers, and the work before and after each task. The product of two
 * binaries in equation 4 becomes T (u + v - 1). Equal workers are ordered: task 0 uses the first
 * one, and so on.
 */
#include "glpk/order_lp.h"

#include <float.h>
#include <math.h>

#include "glpk/simplex.h"
#include "support/exact.h"

enum { MOST_TASKS = 24, MOST_ROWS = 4000 };

#define TOLERANCE 1e-9

static const double penalty = 1024; /* cost of the excuse: more than any row is worth */
static const double safely = 1e-12; /* bound of the rounding errors of short sums */
static const double decided = 1e-6; /* tolerance of binaries */

static double time_of(const hsi_order_lp *o, uint32_t task, uint32_t worker)
{
    return o->time[worker >= o->arcs->pb->m][task];
}

static int start_of(uint32_t task)
{
    return 3 + (int)task;
}

static int ran_on(const hsi_order_lp *o, uint32_t task, uint32_t worker)
{
    return o->ran[task * o->workers + worker];
}

/* Begin a row; entries follow by put(). Returns 1 without memory; callers combine failures and
 * check once. */
static int begin_row(hsi_order_lp *o, double limit)
{
    size_t at = o->index.size / sizeof(int);

    return hsi_vector_reserve(&o->limit, sizeof limit) ||
           hsi_vector_append(&o->at, &at, sizeof at) ||
           hsi_vector_append(&o->limit, &limit, sizeof limit);
}

/* Add a value to the last row's entry of a column. Returns 1 if memory is short or no row has
 * begun. */
static int put(hsi_order_lp *o, int column, double value)
{
    size_t     rows = o->at.size / sizeof(size_t);
    size_t     from = rows ? ((size_t *)o->at.data)[rows - 1] : 0;
    const int *index = o->index.data;
    double    *values = o->value.data;

    if (!rows)
        return 1;
    for (size_t i = from; i < o->index.size / sizeof(int); i++)
        if (index[i] == column) {
            values[i] += value;
            return 0;
        }
    return hsi_vector_reserve(&o->value, sizeof value) || /* keep both vectors equally long */
           hsi_vector_append(&o->index, &column, sizeof column) ||
           hsi_vector_append(&o->value, &value, sizeof value);
}

/* Add factor x (time + more) for each worker that can run the task. */
static int put_time(hsi_order_lp *o, uint32_t task, double factor, double more)
{
    int failed = 0;

    for (uint32_t w = 0; w < o->workers; w++)
        if (isfinite(time_of(o, task, w)))
            failed |= put(o, ran_on(o, task, w), factor * (time_of(o, task, w) + more));
    return failed;
}

/* Add `factor` for each worker in [from, to) except `not` that can run the task. */
static int put_ran(hsi_order_lp *o, uint32_t task, uint32_t from, uint32_t to, uint32_t not,
                   double factor)
{
    int failed = 0;

    for (uint32_t w = from; w < to; w++)
        if (w != not &&isfinite(time_of(o, task, w)))
            failed |= put(o, ran_on(o, task, w), factor);
    return failed;
}

static int add_task(hsi_order_lp *o, uint32_t task)
{
    double fetch = ldexp(o->arcs->fetch[task], -o->exponent);
    int    failed = begin_row(o, 1);

    failed |= put_ran(o, task, 0, o->workers, HS_NONE, 1);
    failed |= begin_row(o, -1);
    failed |= put_ran(o, task, 0, o->workers, HS_NONE, -1);
    failed |= begin_row(o, o->tail[task]);
    failed |= put(o, HSI_ORDER_MAKESPAN, 1) || put(o, start_of(task), -1);
    failed |= put_time(o, task, -1, 0);
    if (fetch > 0) {
        failed |= begin_row(o, 0) || put(o, start_of(task), 1);
        failed |= put_ran(o, task, o->arcs->pb->m, o->workers, HS_NONE, -fetch);
    }
    return failed;
}

static int add_load(hsi_order_lp *o, uint32_t worker)
{
    int failed = begin_row(o, 0) || put(o, HSI_ORDER_MAKESPAN, 1);

    for (uint32_t task = 0; task < o->n; task++)
        if (isfinite(time_of(o, task, worker)))
            failed |= put(o, ran_on(o, task, worker), -time_of(o, task, worker));
    return failed;
}

/* Add a row: `second` starts after `first` ends, plus `transfer`; callers subtract the transfer
 * unless both binaries apply. */
static int add_wait(hsi_order_lp *o, uint32_t first, uint32_t second, double transfer)
{
    return begin_row(o, -transfer) || put(o, start_of(second), 1) || put(o, start_of(first), -1) ||
           put_time(o, first, -1, 0);
}

static int add_arc(hsi_order_lp *o, uint32_t from, const hsi_arc *arc)
{
    const double *move = o->arcs->move + (size_t)3 * arc->move;
    uint32_t      m = o->arcs->pb->m, w = o->workers;
    double        up = ldexp(move[HS_H2D], -o->exponent), down = ldexp(move[HS_D2H], -o->exponent);
    double        across = ldexp(move[HS_D2D], -o->exponent);
    int           failed = add_wait(o, from, arc->task, 0);

    if (arc->move == 0)
        return failed;
    failed |= add_wait(o, from, arc->task, up) || put_ran(o, from, 0, m, HS_NONE, -up) ||
              put_ran(o, arc->task, m, w, HS_NONE, -up);
    failed |= add_wait(o, from, arc->task, down) || put_ran(o, from, m, w, HS_NONE, -down) ||
              put_ran(o, arc->task, 0, m, HS_NONE, -down);
    for (uint32_t gpu = m; gpu < w; gpu++)
        failed |= add_wait(o, from, arc->task, across) ||
                  put_ran(o, from, gpu, gpu + 1, HS_NONE, -across) ||
                  put_ran(o, arc->task, m, w, gpu, -across);
    return failed;
}

/* Add a row: if both tasks run on the worker and `order` equals is_one (1: first before second),
 * the second starts after the first. */
static int add_turn(hsi_order_lp *o, uint32_t worker, uint32_t first, uint32_t second, int order,
                    int is_one)
{
    double least = fmin(o->time[HS_CPU][first], o->time[HS_GPU][first]);
    double time = time_of(o, first, worker);
    double most = (1 - o->tail[first] - least + time - o->head[second]) * (1 + safely) + safely;

    return begin_row(o, time - (is_one ? 3 : 2) * most - safely * (most + time)) ||
           put(o, start_of(second), 1) || put(o, start_of(first), -1) ||
           put(o, ran_on(o, first, worker), -most) || put(o, ran_on(o, second, worker), -most) ||
           put(o, order, is_one ? -most : most);
}

static int add_pair(hsi_order_lp *o, uint32_t i, uint32_t j)
{
    int order = o->order[i * o->n + j], failed = 0;

    for (uint32_t w = 0; w < o->workers; w++)
        if (isfinite(time_of(o, i, w)) && isfinite(time_of(o, j, w)))
            failed |= add_turn(o, w, i, j, order, 1) || add_turn(o, w, j, i, order, 0);
    return failed;
}

static int add_rows(hsi_order_lp *o)
{
    const hsi_arcs *arcs = o->arcs;
    int             failed = 0;

    for (uint32_t task = 0; task < o->n; task++) {
        failed |= add_task(o, task);
        for (size_t i = arcs->after_at[task]; i < arcs->after_at[task + 1]; i++)
            failed |= add_arc(o, task, &arcs->after[i]);
        for (uint32_t other = task + 1; other < o->n; other++)
            if (o->order[task * o->n + other])
                failed |= add_pair(o, task, other);
    }
    for (uint32_t worker = 0; worker < o->workers; worker++)
        failed |= add_load(o, worker);
    return failed;
}

static size_t row_count(const hsi_order_lp *o)
{
    return o->limit.size / sizeof(double);
}

/* Return the entries of a row. */
static size_t row_of(const hsi_order_lp *o, size_t row, const int **index, const double **value)
{
    const size_t *at = o->at.data;
    size_t        end = row + 1 < row_count(o) ? at[row + 1] : o->index.size / sizeof(int);

    *index = (const int *)o->index.data + at[row];
    *value = (const double *)o->value.data + at[row];
    return end - at[row];
}

/* Compute how far each row can fall below its limit. */
static void find_needs(hsi_order_lp *o)
{
    for (size_t row = 0; row < row_count(o); row++) {
        const int    *index;
        const double *value;
        size_t        size = row_of(o, row, &index, &value);
        double        least = 0;

        for (size_t i = 0; i < size; i++)
            least += value[i] * (value[i] > 0 ? o->low[index[i]] : o->high[index[i]]);
        o->most[row] = fmax(0, ((double *)o->limit.data)[row] - least) * (1 + safely) + safely;
    }
}

/* Compute longest paths before and after each task, by shorter times and without transfers; a
 * schedule of at most 1 exists by the scale. */
static void find_longest_paths(hsi_order_lp *o)
{
    const hsi_arcs *arcs = o->arcs;

    for (uint32_t place = o->n; place-- > 0;) {
        uint32_t task = arcs->order[place];

        for (size_t i = arcs->after_at[task]; i < arcs->after_at[task + 1]; i++) {
            uint32_t next = arcs->after[i].task;
            double   least = fmin(o->time[HS_CPU][next], o->time[HS_GPU][next]);

            o->after[task] |= 1ull << next | o->after[next];
            o->tail[task] = fmax(o->tail[task], (o->tail[next] + least) * (1 - safely));
        }
    }
    for (uint32_t place = 0; place < o->n; place++) {
        uint32_t task = arcs->order[place];
        double   least = fmin(o->time[HS_CPU][task], o->time[HS_GPU][task]);

        for (size_t i = arcs->after_at[task]; i < arcs->after_at[task + 1]; i++) {
            uint32_t next = arcs->after[i].task;

            o->head[next] = fmax(o->head[next], (o->head[task] + least) * (1 - safely));
        }
    }
}

/* Choose the scale from the sequential schedule: tasks on their faster types, each after all its
 * transfers. */
static void find_scale(hsi_order_lp *o)
{
    const hsi_arcs *arcs = o->arcs;
    double          sum = 0;

    for (uint32_t task = 0; task < o->n; task++) {
        double longest = 0;

        for (size_t i = arcs->after_at[task]; i < arcs->after_at[task + 1]; i++)
            for (int link = 0; link < HS_LINKS; link++)
                longest = fmax(longest, arcs->move[3 * arcs->after[i].move + (size_t)link]);
        sum += fmin(arcs->pb->p[task], arcs->pb->q[task]) + arcs->fetch[task] + longest;
    }
    frexp(sum * (1 + safely), &o->exponent);
    for (uint32_t task = 0; task < o->n; task++) {
        o->time[HS_CPU][task] = ldexp(arcs->pb->p[task], -o->exponent);
        o->time[HS_GPU][task] = ldexp(arcs->pb->q[task], -o->exponent);
    }
}

/* Number the columns and set their bounds. */
static void make_columns(hsi_order_lp *o, double least)
{
    uint32_t m = o->arcs->pb->m;
    int      next = start_of(o->n);

    o->low[HSI_ORDER_MAKESPAN] = fmin(1, ldexp(least, -o->exponent));
    for (uint32_t task = 0; task < o->n; task++)
        o->low[start_of(task)] = o->head[task];
    o->first_binary = next;
    for (uint32_t task = 0; task < o->n; task++)
        for (uint32_t w = 0; w < o->workers; w++)
            o->ran[task * o->workers + w] = next++;
    for (uint32_t i = 0; i < o->n; i++)
        for (uint32_t j = i + 1; j < o->n; j++)
            if (!(o->after[i] >> j & 1) && !(o->after[j] >> i & 1))
                o->order[i * o->n + j] = next++;
    o->columns = next - 1;
    for (int column = 1; column <= o->columns; column++)
        o->high[column] = 1;
    for (uint32_t task = 0; task < o->n; task++)
        for (uint32_t w = 0; w < o->workers; w++)
            if (isinf(time_of(o, task, w)) || (w < m ? w : w - m) > task)
                o->high[ran_on(o, task, w)] = 0;
}

static int take_arrays(hsi_order_lp *o)
{
    hsi_arena *arena = &o->arena;
    size_t     n = o->n, columns = 3 + n + n * o->workers + n * n;

    o->time[HS_CPU] = hsi_arena_take(arena, n, sizeof(double));
    o->time[HS_GPU] = hsi_arena_take(arena, n, sizeof(double));
    o->head = hsi_arena_take_zeroed(arena, n, sizeof *o->head);
    o->tail = hsi_arena_take_zeroed(arena, n, sizeof *o->tail);
    o->after = hsi_arena_take_zeroed(arena, n, sizeof *o->after);
    o->ran = hsi_arena_take(arena, n * o->workers, sizeof *o->ran);
    o->order = hsi_arena_take_zeroed(arena, n * n, sizeof *o->order);
    o->low = hsi_arena_take_zeroed(arena, columns, sizeof *o->low);
    o->high = hsi_arena_take(arena, columns, sizeof *o->high);
    o->gradient = hsi_arena_take(arena, 2 * columns, sizeof *o->gradient);
    o->solution = hsi_arena_take_zeroed(arena, columns, sizeof *o->solution);
    o->most = hsi_arena_take(arena, MOST_ROWS, sizeof *o->most);
    return o->time[HS_CPU] && o->time[HS_GPU] && o->head && o->tail && o->after && o->ran &&
           o->order && o->low && o->high && o->gradient && o->solution && o->most;
}

hs_status hsi_order_lp_open(hsi_order_lp *o, const hsi_arcs *arcs, double least)
{
    size_t n = arcs->pb->n, workers = (size_t)arcs->pb->m + arcs->pb->k;

    *o = (hsi_order_lp){.arcs = arcs, .n = (uint32_t)n, .workers = (uint32_t)workers};
    if (n > MOST_TASKS || n * n * workers > MOST_ROWS / 2)
        return HS_ETOOBIG;
    if (!take_arrays(o))
        return HS_ENOMEM;
    find_scale(o);
    find_longest_paths(o);
    make_columns(o, least);
    if (add_rows(o))
        return HS_ENOMEM;
    if (row_count(o) > MOST_ROWS)
        return HS_ETOOBIG;
    find_needs(o);
    return HS_OK;
}

void hsi_order_lp_close(hsi_order_lp *o)
{
    hsi_vector_free(&o->at);
    hsi_vector_free(&o->index);
    hsi_vector_free(&o->value);
    hsi_vector_free(&o->limit);
    hsi_arena_close(&o->arena);
}

static void bound_column(hsi_order_lp *o, int column)
{
    glp_set_col_bnds(o->lp, column, o->low[column] < o->high[column] ? GLP_DB : GLP_FX,
                     o->low[column], o->high[column]);
}

/* Copy a row to GLPK, which counts from 1, and add the coefficient of the excuse. */
static void set_row(hsi_order_lp *o, size_t row)
{
    const int    *index;
    const double *value;
    size_t        size = row_of(o, row, &index, &value);
    int          *columns = (int *)(o->gradient + o->columns + 1);
    double       *values = o->gradient;

    for (size_t i = 0; i < size; i++) {
        columns[i + 1] = index[i];
        values[i + 1] = value[i];
    }
    columns[size + 1] = HSI_ORDER_EXCUSE;
    values[size + 1] = o->most[row];
    glp_set_mat_row(o->lp, (int)row + 1, (int)size + 1, columns, values);
    glp_set_row_bnds(o->lp, (int)row + 1, GLP_LO, ((double *)o->limit.data)[row], 0);
}

void hsi_order_lp_build(hsi_order_lp *o)
{
    o->lp = glp_create_prob();
    glp_set_obj_dir(o->lp, GLP_MIN);
    glp_add_rows(o->lp, (int)row_count(o));
    glp_add_cols(o->lp, o->columns);
    for (int column = 1; column <= o->columns; column++)
        bound_column(o, column);
    glp_set_obj_coef(o->lp, HSI_ORDER_MAKESPAN, 1);
    glp_set_obj_coef(o->lp, HSI_ORDER_EXCUSE, penalty);
    for (size_t row = 0; row < row_count(o); row++)
        set_row(o, row);
}

void hsi_order_lp_drop(hsi_order_lp *o)
{
    glp_delete_prob(o->lp);
    o->lp = NULL;
}

void hsi_order_lp_fix(hsi_order_lp *o, int column, int value)
{
    glp_set_col_bnds(o->lp, column, GLP_FX, value, value);
}

void hsi_order_lp_free(hsi_order_lp *o, int column)
{
    bound_column(o, column);
}

static double objective_of(int column)
{
    return column == HSI_ORDER_MAKESPAN ? 1 : column == HSI_ORDER_EXCUSE ? penalty : 0;
}

/*
 * Return the proved bound. For multipliers y >= 0 of the rows, each solution costs at least y b +
 * the sum over columns of the least of (c - y A) x between the column's bounds in the node. Sums
 * have 106 bits and error bounds; the gradient has a margin above its rounding error.
 */
static double prove(const hsi_order_lp *o)
{
    hsi_sum sum = {0, 0, 0};
    double *size = o->gradient + o->columns + 1; /* sum of absolute values behind each gradient */

    for (int column = 1; column <= o->columns; column++)
        o->gradient[column] = size[column] = objective_of(column);
    for (size_t row = 0; row < row_count(o); row++) {
        double        y = fmax(0, glp_get_row_dual(o->lp, (int)row + 1));
        const int    *index;
        const double *value;
        size_t        count = y > 0 ? row_of(o, row, &index, &value) : 0;

        hsi_sum_add_product(&sum, y, ((double *)o->limit.data)[row]);
        o->gradient[HSI_ORDER_EXCUSE] -= y * o->most[row];
        size[HSI_ORDER_EXCUSE] += y * o->most[row];
        for (size_t i = 0; i < count; i++) {
            o->gradient[index[i]] -= y * value[i];
            size[index[i]] += y * fabs(value[i]);
        }
    }
    for (int column = 1; column <= o->columns; column++) {
        double slope =
            o->gradient[column] - size[column] * DBL_EPSILON * (double)(row_count(o) + 2);

        hsi_sum_add_product(
            &sum, slope, slope > 0 ? glp_get_col_lb(o->lp, column) : glp_get_col_ub(o->lp, column));
    }
    return sum.high + sum.low - sum.error - DBL_EPSILON * fabs(sum.high);
}

int hsi_order_lp_solve(hsi_order_lp *o, const hsi_stop *stop, double *bound)
{
    hsi_simplex_end end = hsi_simplex(o->lp, stop, INFINITY, TOLERANCE);

    if (end == HSI_SIMPLEX_STOPPED)
        return 0;
    *bound = prove(o);
    for (int column = 1; column <= o->columns; column++)
        o->solution[column] = glp_get_col_prim(o->lp, column);
    return 1;
}

static int is_free(const hsi_order_lp *o, int column)
{
    return glp_get_col_lb(o->lp, column) < glp_get_col_ub(o->lp, column);
}

/* Task-worker binaries come first: the order of tasks matters only when workers are fixed. */
int hsi_order_lp_undecided(const hsi_order_lp *o)
{
    int    orders = o->first_binary + (int)(o->n * o->workers), chosen = 0;
    double most = decided;

    for (int column = o->first_binary; column <= o->columns; column++) {
        double part = fmin(o->solution[column], 1 - o->solution[column]);

        if (column == orders && chosen)
            break;
        if (is_free(o, column) && part > most) {
            most = part;
            chosen = column;
        }
    }
    for (int column = o->first_binary;
         !chosen && o->solution[HSI_ORDER_EXCUSE] > decided / penalty && column <= o->columns;
         column++)
        if (is_free(o, column))
            chosen = column;
    return chosen;
}
