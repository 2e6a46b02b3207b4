/* SPDX-License-Identifier: BSD-3-Clause */
/* Round LP shares to solutions, used as cutoffs only. Any number is safe as a cutoff: the tree
 * proves that skipped solutions take at least as long. */
#include <math.h>
#include <string.h>

#include "glpk/model.h"

#define WHOLE      1e-6    /* shares this close to an integer count as integral */
#define MOST_STEPS 4000000 /* limit of groups tried in total */

static void give(hsi_model *model, double *load, size_t row, unsigned group, uint32_t copies)
{
    model->amount[row * model->groups + group] += copies;
    load[group] += copies * hsi_model_time(model, row, group) / hsi_model_weight(model, group);
}

/* Give the integral part of the LP's shares. Return the number of remaining copies. */
static uint32_t give_whole(hsi_model *model, double *load, size_t row)
{
    uint32_t rest = hsi_count(model->rows, row);
    unsigned g;

    for (g = 0; g < model->groups && rest; g++) {
        double share = model->share[row * model->groups + g];

        if (share >= 1 - WHOLE && isfinite(hsi_model_time(model, row, g))) {
            uint32_t copies = share >= rest ? rest : (uint32_t)floor(share + WHOLE);

            give(model, load, row, g, copies);
            rest -= copies;
        }
    }
    return rest;
}

/* Distribute many copies by the speeds of the groups. Return the number of remaining copies. */
static uint32_t give_in_bulk(hsi_model *model, double *load, size_t row, uint32_t rest)
{
    double   speed = 0;
    uint32_t left = rest;
    unsigned g;

    for (g = 0; g < model->groups; g++) {
        speed += hsi_model_weight(model, g) / hsi_model_time(model, row, g);
        if (isinf(speed)) { /* a time scaled to 0 */
            give(model, load, row, g, rest);
            return 0;
        }
    }
    for (g = 0; g < model->groups; g++) {
        double   part = hsi_model_weight(model, g) / hsi_model_time(model, row, g) / speed;
        uint32_t copies = part > 0 && part <= 1 ? (uint32_t)(part * rest) : 0;

        if (copies > left)
            copies = left;
        if (copies)
            give(model, load, row, g, copies);
        left -= copies;
    }
    return left;
}

/* Distribute copies in turn, one per group, since they are too many to place one by one. */
static void give_in_turn(hsi_model *model, double *load, size_t row, uint32_t rest)
{
    unsigned g;

    while (rest)
        for (g = 0; g < model->groups && rest; g++)
            if (isfinite(hsi_model_time(model, row, g))) {
                give(model, load, row, g, 1);
                rest--;
            }
}

/* Give a copy to the group where it ends first. */
static void give_one(hsi_model *model, double *load, size_t row)
{
    unsigned g, best = 0;
    double   earliest = INFINITY;

    for (g = 0; g < model->groups; g++) {
        double time = hsi_model_time(model, row, g);
        double end = fmax(load[g] + time / hsi_model_weight(model, g), time);

        if (end < earliest) {
            earliest = end;
            best = g;
        }
    }
    give(model, load, row, best, 1);
}

/* Return the T of the amounts, rounded down. */
static double measure(hsi_model *model)
{
    double   longest = 0;
    size_t   i;
    unsigned g;

    memset(model->load, 0, model->groups * sizeof *model->load);
    for (i = 0; i < model->rows->n; i++)
        for (g = 0; g < model->groups; g++) {
            uint32_t copies = model->amount[i * model->groups + g];

            if (copies) {
                hsi_sum_add_product(&model->load[g], hsi_model_time(model, i, g), copies);
                longest = fmax(longest, hsi_model_time(model, i, g));
            }
        }
    for (g = 0; g < model->groups; g++)
        if (model->load[g].high > 0)
            longest = fmax(longest, hsi_divide_down_by(&model->load[g],
                                                       hsi_model_weight(model, g)));
    return longest;
}

double hsi_model_round(hsi_model *model)
{
    size_t    at, n = model->rows->n;
    double   *load = model->level;
    uint32_t *rest = model->rest;

    memset(model->amount, 0, n * model->groups * sizeof *model->amount);
    memset(load, 0, model->groups * sizeof *load);
    for (at = 0; at < n; at++)
        rest[at] = give_whole(model, load, at);
    for (at = 0; at < n; at++) {
        uint32_t row = model->order[at];

        if (rest[row] > 4 * model->groups)
            rest[row] = give_in_bulk(model, load, row, rest[row]);
        if ((double)rest[row] * model->groups > MOST_STEPS / (double)n)
            give_in_turn(model, load, row, rest[row]);
        else
            for (; rest[row]; rest[row]--)
                give_one(model, load, row);
    }
    return measure(model);
}
