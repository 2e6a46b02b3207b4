/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Why a node's bound is safe. A group's work is at most its weight w_g times T. So for any
 * multipliers u_g >= 0, the sum of u_g times these inequalities gives
 *
 * T x sum of w_g u_g >= sum over groups and rows of u_g t_ig x_ig >= sum over rows of the least
 * cost of its copies,
 *
 * where a copy costs u_g t_ig on group g, and cells stay within the node's bounds: copies beyond
 * the lower bounds go to the cheapest cells. GLPK's row duals are only a hint for u. Sums carry
 * their errors, and the division rounds down. Rounded products decide which cell is cheaper, so a
 * chosen cost is at most 1 + 2^-51 times the least: the result is reduced by more than that. In
 * addition, the lower bounds of a group prove its load, and the longest time that a lower bound
 * requires is a bound.
 */
#include "glpk/model.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/order.h"
#include "support/exact.h"

/* Allocate all arrays of the model. */
static hs_status allocate(hsi_model *model)
{
    size_t n = model->rows->n, cells = n * model->groups;

    model->time[HS_CPU] = hsi_arena_take(&model->arena, n + 1, sizeof(double));
    model->time[HS_GPU] = hsi_arena_take(&model->arena, n + 1, sizeof(double));
    model->order = hsi_arena_take(&model->arena, n + 1, sizeof *model->order);
    model->lower = hsi_arena_take_zeroed(&model->arena, cells + 1, sizeof *model->lower);
    model->upper = hsi_arena_take(&model->arena, cells + 1, sizeof *model->upper);
    model->most = hsi_arena_take_zeroed(&model->arena, cells + 1, sizeof *model->most);
    model->amount = hsi_arena_take(&model->arena, cells + 1, sizeof *model->amount);
    model->share = hsi_arena_take_zeroed(&model->arena, cells + 1, sizeof *model->share);
    model->load = hsi_arena_take(&model->arena, model->groups, sizeof *model->load);
    model->level = hsi_arena_take(&model->arena, model->groups, sizeof *model->level);
    model->rest = hsi_arena_take(&model->arena, n + 1, sizeof *model->rest);
    model->multiplier = hsi_arena_take_zeroed(&model->arena, model->groups, sizeof *model->multiplier);
    return model->time[HS_CPU] && model->time[HS_GPU] && model->order && model->lower &&
                   model->upper && model->most && model->amount && model->share &&
                   model->load && model->level && model->rest && model->multiplier
               ? HS_OK
               : HS_ENOMEM;
}

void hsi_model_close(hsi_model *model)
{
    hsi_arena_close(&model->arena);
}

static double scaled(double time, int exponent)
{
    double result = ldexp(time, -exponent);

    return result < 0x1p-900 ? 0 : result;
}

static void set_times(hsi_model *model)
{
    const hsi_problem *rows = model->rows;
    size_t             i;

    for (i = 0; i < rows->n; i++) {
        model->time[HS_CPU][i] = scaled(rows->p[i], model->exponent);
        model->time[HS_GPU][i] = scaled(rows->q[i], model->exponent);
        if (isfinite(rows->p[i]) && rows->p[i] != floor(rows->p[i]))
            model->integral = 0;
        if (isfinite(rows->q[i]) && rows->q[i] != floor(rows->q[i]))
            model->integral = 0;
    }
}

static hs_status longest_first(hsi_model *model)
{
    size_t    i, n = model->rows->n;
    double   *least = malloc((n + 1) * sizeof *least);
    hs_status st = HS_ENOMEM;

    if (least) {
        for (i = 0; i < n; i++)
            least[i] = fmin(model->rows->p[i], model->rows->q[i]);
        st = hsi_order_by_time(least, n, model->order);
    }
    free(least);
    return st;
}

/* Set the upper bounds at the root. Workers of a type can be renumbered by the first copy that they
 * run, with rows in `order`: then the j-th copy is on one of the first j workers. */
static void set_most(hsi_model *model)
{
    const hsi_problem *rows = model->rows;
    uint64_t           copies = 0;
    size_t             at;
    unsigned           g;

    for (at = 0; at < rows->n; at++) {
        uint32_t row = model->order[at], count = hsi_count(rows, row);

        copies += count;
        for (g = 0; g < model->groups; g++) {
            unsigned number = g < model->cpu_groups ? g : g - model->cpu_groups;

            if (number < copies && isfinite(hsi_model_time(model, row, g)))
                model->most[(size_t)row * model->groups + g] = count;
        }
    }
    memcpy(model->upper, model->most, rows->n * model->groups * sizeof *model->upper);
}

hs_status hsi_model_open(hsi_model *model, const hsi_problem *rows, hsi_grouping grouping,
                         double scale)
{
    hs_status st;

    memset(model, 0, sizeof *model);
    model->rows = rows;
    if (grouping == HSI_GROUP_A_TYPE) {
        model->cpu_groups = rows->m > 0;
        model->groups = model->cpu_groups + (rows->k > 0);
        model->weight[HS_CPU] = rows->m;
        model->weight[HS_GPU] = rows->k;
    } else {
        model->cpu_groups = rows->m;
        model->groups = rows->m + rows->k;
        model->weight[HS_CPU] = model->weight[HS_GPU] = 1;
        model->integral = 1;
    }
    model->cutoff = INFINITY;
    frexp(scale, &model->exponent);
    if (rows->n > HSI_ASSIGNMENT_CELLS / model->groups)
        return HS_ETOOBIG;
    st = allocate(model);
    if (st == HS_OK)
        st = longest_first(model);
    if (st != HS_OK)
        return st;
    set_times(model);
    set_most(model);
    return HS_OK;
}

void hsi_model_cut(hsi_model *model, double cutoff)
{
    size_t   i;
    unsigned g;

    model->cutoff = cutoff;
    for (i = 0; i < model->rows->n; i++)
        for (g = 0; g < model->groups; g++)
            if (hsi_model_time(model, i, g) >= cutoff)
                model->most[i * model->groups + g] = model->upper[i * model->groups + g] = 0;
}

hsi_slack hsi_model_slack(const hsi_model *model, size_t row)
{
    size_t    cell = row * model->groups, end = cell + model->groups;
    hsi_slack slack = {0, 0};

    for (; cell < end; cell++) {
        slack.lower += model->lower[cell];
        slack.upper += model->upper[cell];
    }
    return slack;
}

/* Add the least cost of the row's copies to *sum. */
static void add_cost(const hsi_model *model, size_t row, hsi_slack slack, hsi_sum *sum)
{
    size_t  first = row * model->groups;
    int64_t rest = hsi_count(model->rows, row) - slack.lower;
    double  done = -1; /* cells cheaper than `done` are full, and equal ones up to `last` */
    int64_t last = -1;
    unsigned g;

    for (g = 0; g < model->groups; g++)
        if (model->lower[first + g]) {
            hsi_sum term = {0, 0, 0};

            hsi_sum_add_product(&term, model->multiplier[g], hsi_model_time(model, row, g));
            hsi_sum_add_sum_times(sum, &term, model->lower[first + g]);
        }
    while (rest > 0) {
        hsi_sum term = {0, 0, 0};
        int64_t best = -1, room;
        double  least = INFINITY;

        for (g = 0; g < model->groups; g++) {
            double cost = model->multiplier[g] * hsi_model_time(model, row, g);

            if (model->upper[first + g] > model->lower[first + g] && cost < least &&
                (cost > done || (cost >= done && g > last))) {
                least = cost;
                best = g;
            }
        }
        room = (int64_t)model->upper[first + best] - model->lower[first + best];
        room = room < rest ? room : rest;
        hsi_sum_add_product(&term, model->multiplier[best],
                            hsi_model_time(model, row, (unsigned)best));
        hsi_sum_add_sum_times(sum, &term, (double)room);
        rest -= room;
        done = least;
        last = best;
    }
}

/* Add the loads that the lower bounds require, and raise *longest to the longest required time. */
static void demand(const hsi_model *model, size_t row, hsi_slack slack, double *longest)
{
    uint32_t count = hsi_count(model->rows, row);
    unsigned g;

    for (g = 0; g < model->groups; g++) {
        size_t  cell = row * model->groups + g;
        int64_t lower = hsi_model_lower(model, cell, slack, count);
        double  time = hsi_model_time(model, row, g);

        if (lower <= 0)
            continue;
        hsi_sum_add_product(&model->load[g], time, (double)lower);
        *longest = fmax(*longest, time);
    }
}

static double proved(const hsi_model *model, const hsi_sum *cost, double bound)
{
    hsi_sum  denominator = {0, 0, 0};
    unsigned g;

    for (g = 0; g < model->groups; g++) {
        hsi_sum_add_product(&denominator, model->multiplier[g], hsi_model_weight(model, g));
        if (model->load[g].high > 0)
            bound = fmax(bound, hsi_divide_down_by(&model->load[g], hsi_model_weight(model, g)));
    }
    if (denominator.high > 0 && cost->high > 0)
        bound = fmax(bound, hsi_divide_down(cost, &denominator) * (1 - 8 * DBL_EPSILON));
    return bound;
}

double hsi_model_prove(const hsi_model *model)
{
    hsi_sum cost = {0, 0, 0};
    double  longest = 0;
    size_t  i;

    memset(model->load, 0, model->groups * sizeof *model->load);
    for (i = 0; i < model->rows->n; i++) {
        hsi_slack slack = hsi_model_slack(model, i);
        int64_t   count = hsi_count(model->rows, i);

        if (slack.lower > count || slack.upper < count)
            return INFINITY;
        add_cost(model, i, slack, &cost);
        demand(model, i, slack, &longest);
    }
    return proved(model, &cost, longest);
}

/* Return the least cost of a row with one copy. *place: the only group that can run it, or the
 * number of groups. */
static double cost_of_one(const hsi_model *model, size_t row, unsigned *place)
{
    const uint32_t *lower = model->lower + row * model->groups;
    const uint32_t *upper = model->upper + row * model->groups;
    double          least = INFINITY;
    unsigned        g, places = 0;

    for (g = 0; g < model->groups; g++) {
        double cost;

        if (lower[g]) {
            *place = g;
            return model->multiplier[g] * hsi_model_time(model, row, g);
        }
        if (upper[g] == 0)
            continue;
        cost = model->multiplier[g] * hsi_model_time(model, row, g);
        least = cost < least ? cost : least;
        *place = g;
        places++;
    }
    if (places > 1)
        *place = model->groups;
    return least;
}

static double cost_of_several(const hsi_model *model, size_t row)
{
    hsi_slack slack = hsi_model_slack(model, row);
    hsi_sum   cost = {0, 0, 0};
    int64_t   count = hsi_count(model->rows, row);

    if (slack.lower > count || slack.upper < count)
        return INFINITY;
    add_cost(model, row, slack, &cost);
    return cost.high;
}

/* Sums of at most `cells` nonnegative terms, each rounded at most three times: relative errors of
 * at most (cells + 3) units, in numerator and denominator. */
double hsi_model_estimate(const hsi_model *model)
{
    size_t   i, cells = model->rows->n * model->groups;
    double   cost = 0, weight = 0, bound = 0;
    unsigned g, place = 0;

    memset(model->level, 0, model->groups * sizeof *model->level);
    for (i = 0; i < model->rows->n; i++) {
        if (hsi_count(model->rows, i) > 1) {
            cost += cost_of_several(model, i);
            continue;
        }
        cost += cost_of_one(model, i, &place);
        if (isinf(cost))
            return INFINITY;
        if (place < model->groups)
            model->level[place] += hsi_model_time(model, i, place);
    }
    for (g = 0; g < model->groups; g++) {
        weight += model->multiplier[g] * hsi_model_weight(model, g);
        bound = fmax(bound, model->level[g] / hsi_model_weight(model, g));
    }
    if (weight > 0)
        bound = fmax(bound, cost / weight);
    return bound * (1 - (2 * (double)cells + 16) * DBL_EPSILON);
}
