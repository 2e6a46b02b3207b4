/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Choose a branching by rank: a single task that the LP runs where it takes longer than the bound;
 * a single task that the LP splits between types; a cell with a fractional share; any cell not
 * fixed. Among equal ranks, the most time at stake. O(cells).
 */
#include "glpk/branching.h"

#include <math.h>

#define ROUNDING 1e-9 /* relative excess of a time over the bound that counts as rounding */
#define WHOLE 1e-6    /* LP shares this close to an integer count as integral */

static hsi_branching branch_on_cell(const hsi_model *model, size_t cell, double time, int64_t low,
                                    int64_t high)
{
    double        share = fmin(fmax(model->share[cell], (double)low), (double)high);
    double        part = share - floor(share + WHOLE);
    int64_t       value = (int64_t)floor(share + WHOLE);
    int           up_first = part > 0.5;
    hsi_branching s = {
        HSI_BRANCHING_ANY_CELL, time, (uint32_t)cell, {0, 0}, {HSI_AT_MOST, HSI_AT_LEAST}};

    if (part > WHOLE) {
        s.rank = HSI_BRANCHING_FRACTIONAL_CELL;
        s.worth = time * fmin(part, 1 - part);
    }
    if (value >= high) {
        value = high - 1;
        up_first = 1;
    }
    s.kind[up_first] = HSI_AT_LEAST;
    s.kind[!up_first] = HSI_AT_MOST;
    s.value[up_first] = (uint32_t)value + 1;
    s.value[!up_first] = (uint32_t)value;
    return s;
}

/* Compute the shares of both types. Return 0 if the row is not free to run on either. */
static int type_shares(const hsi_model *model, size_t row, double share[2])
{
    size_t   first = row * model->groups;
    uint32_t room[2] = {0, 0};
    unsigned g;

    share[HS_CPU] = share[HS_GPU] = 0;
    for (g = 0; g < model->groups; g++) {
        int type = hsi_model_type(model, g);

        if (model->lower[first + g])
            return 0;
        share[type] += model->share[first + g];
        room[type] += model->upper[first + g];
    }
    return room[HS_CPU] && room[HS_GPU];
}

/* Branch on a single task that may run on both types: exclude one type, or the other. */
static hsi_branching branch_on_type(const hsi_model *model, size_t row, double bound)
{
    hsi_branching s = {HSI_BRANCHING_NOTHING,
                       0,
                       (uint32_t)(row * model->groups),
                       {0, 0},
                       {HSI_NOT_ON_TYPE, HSI_NOT_ON_TYPE}};
    double        share[2];
    int           type, avoid;

    if (!type_shares(model, row, share))
        return s;
    avoid = share[HS_CPU] > share[HS_GPU] ? HS_GPU : HS_CPU;
    if (share[avoid] > WHOLE) {
        s.rank = HSI_BRANCHING_FRACTIONAL_TYPE;
        s.worth = fmin(model->time[HS_CPU][row], model->time[HS_GPU][row]) * share[avoid];
    }
    /* the LP ignores that T is at least the time of each task */
    for (type = HS_CPU; type <= HS_GPU; type++) {
        double time = model->time[type][row];

        if (share[type] > WHOLE && time > bound &&
            (s.rank != HSI_BRANCHING_TOO_LONG || time > s.worth)) {
            s.rank = HSI_BRANCHING_TOO_LONG;
            s.worth = time;
            avoid = type;
        }
    }
    s.value[0] = avoid == HS_CPU ? HS_GPU : HS_CPU;
    s.value[1] = (uint32_t)avoid;
    return s;
}

static void keep_better(hsi_branching *best, hsi_branching s)
{
    if (s.rank > best->rank || (s.rank == best->rank && s.worth > best->worth))
        *best = s;
}

hsi_branching hsi_branching_choose(const hsi_model *model, double bound)
{
    hsi_branching best = {HSI_BRANCHING_NOTHING, 0, 0, {0, 0}, {HSI_AT_MOST, HSI_AT_LEAST}};
    size_t        i;
    unsigned      g;

    bound *= 1 + ROUNDING;
    for (i = 0; i < model->rows->n; i++) {
        hsi_slack slack = hsi_model_slack(model, i);
        uint32_t  count = hsi_count(model->rows, i);

        if (slack.upper == (int64_t)count)
            continue; /* all copies are fixed */
        if (count == 1)
            keep_better(&best, branch_on_type(model, i, bound));
        for (g = 0; g < model->groups && best.rank <= HSI_BRANCHING_FRACTIONAL_CELL; g++) {
            size_t  cell = i * model->groups + g;
            int64_t low = hsi_model_lower(model, cell, slack, count);
            int64_t high = hsi_model_upper(model, cell, slack, count);

            if (low < high)
                keep_better(&best,
                            branch_on_cell(model, cell, hsi_model_time(model, i, g), low, high));
        }
    }
    return best;
}
