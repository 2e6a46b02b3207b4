/* SPDX-License-Identifier: BSD-3-Clause */
#include "refine/graph/places/place_rules.h"

enum {
    MOST_ROUNDS = 50, /* limit of the rounds of rules */
    MOST_PASSES = 50  /* limit of the passes of the rule of paths in a round */
};

static const double notable = 1e-6; /* share of the cutoff by which a value must rise for another
                                       round */

hs_status hsi_place_rules_open(hsi_place_rules *rules, const hsi_place_model *model)
{
    *rules = (hsi_place_rules){.model = model};
    rules->ends =
        hsi_arena_alloc(&rules->arena, (size_t)model->n * model->places, sizeof *rules->ends);
    rules->items = hsi_arena_alloc(&rules->arena, model->n, sizeof *rules->items);
    rules->head_of_type = hsi_arena_alloc(&rules->arena, model->n, sizeof *rules->head_of_type);
    rules->tail_of_type = hsi_arena_alloc(&rules->arena, model->n, sizeof *rules->tail_of_type);
    rules->open_types = hsi_arena_alloc(&rules->arena, model->n, sizeof *rules->open_types);
    if (!rules->ends || !rules->items || !rules->head_of_type || !rules->tail_of_type ||
        !rules->open_types)
        return HS_ENOMEM;
    return hsi_window_loads_open(&rules->loads, model->arcs->pb, &rules->arena);
}

void hsi_place_rules_close(hsi_place_rules *rules)
{
    hsi_arena_close(&rules->arena);
}

void hsi_place_rules_set_cutoff(hsi_place_rules *rules, double cutoff)
{
    rules->limit = cutoff * (1 + rules->model->error);
}

void hsi_place_raise(hsi_place_rules *rules, double *value, double to)
{
    if (!(to > *value))
        return;
    rules->changed |= to > *value + notable * rules->limit;
    *value = to;
}

void hsi_place_raise_task(hsi_place_rules *rules, hsi_place_state *state, uint32_t task, double to,
                          bool backward)
{
    double *value = (backward ? state->tail : state->head) + task * rules->model->places;

    for (uint32_t open = state->open[task]; open; open &= open - 1)
        hsi_place_raise(rules, &value[__builtin_ctz(open)], to);
}

/* Insert a task that takes `time` at its place by head. */
static void collect_item(hsi_place_rules *rules, const hsi_place_state *state, uint32_t task,
                         double time, bool backward)
{
    double         head = hsi_least_open(rules->model, state, state->head, task);
    double         tail = hsi_least_open(rules->model, state, state->tail, task);
    hsi_place_item item = {backward ? tail : head, backward ? head : tail, time, 0, 0, 0, task};
    size_t         at = rules->count++;

    for (; at > 0 && rules->items[at - 1].head > item.head; at--)
        rules->items[at] = rules->items[at - 1];
    rules->items[at] = item;
}

void hsi_place_collect_on(hsi_place_rules *rules, const hsi_place_state *state, uint32_t place,
                          bool backward)
{
    const hsi_place_model *model = rules->model;

    rules->count = 0;
    for (uint32_t task = 0; task < model->n; task++)
        if (state->open[task] == 1u << place)
            collect_item(rules, state, task, model->time[task * model->places + place], backward);
}

void hsi_place_collect_on_gpus(hsi_place_rules *rules, const hsi_place_state *state, bool backward)
{
    const hsi_place_model *model = rules->model;

    rules->count = 0;
    for (uint32_t task = 0; task < model->n; task++)
        if (!(state->open[task] & 1u))
            collect_item(rules, state, task, model->time[task * model->places + 1], backward);
}

bool hsi_place_rules_apply(hsi_place_rules *rules, hsi_place_state *state)
{
    rules->applied++;
    rules->changed = true;
    for (int round = 0; rules->changed && round < MOST_ROUNDS; round++) {
        for (int pass = 0; rules->changed && pass < MOST_PASSES; pass++) {
            rules->changed = false;
            if (!hsi_place_rule_paths(rules, state))
                return false;
        }
        rules->changed = false;
        hsi_place_rule_joins(rules, state);
        if (!hsi_place_rule_unary(rules, state) || !hsi_place_rule_energy(rules, state))
            return false;
    }
    return true;
}
