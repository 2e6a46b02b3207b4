/* SPDX-License-Identifier: BSD-3-Clause */
/* The rule of loads, for the workers of both types together. */
#include "refine/graph/places/place_rules.h"

#include <math.h>

/* Set the least of a task's heads or tails over the open places of each type. */
static void find_least(const double *value, uint32_t open, double of_type[2])
{
    of_type[HS_CPU] = of_type[HS_GPU] = INFINITY;
    for (; open; open &= open - 1) {
        int place = __builtin_ctz(open);

        of_type[place > 0] = fmin(of_type[place > 0], value[place]);
    }
}

bool hsi_place_rule_loads(hsi_place_rules *rules, const hsi_place_state *state)
{
    const hsi_place_model *model = rules->model;

    for (uint32_t task = 0; task < model->n; task++) {
        size_t   at = (size_t)task * model->places;
        uint32_t open = state->open[task];

        find_least(state->head + at, open, rules->head_of_type[task]);
        find_least(state->tail + at, open, rules->tail_of_type[task]);
        rules->open_types[task][HS_CPU] = open & 1;
        rules->open_types[task][HS_GPU] = open > 1;
    }
    return hsi_window_loads_fit(&rules->loads, rules->head_of_type, rules->tail_of_type,
                                rules->open_types, rules->limit);
}
