/* SPDX-License-Identifier: BSD-3-Clause */
#include "refine/graph/places/place_rules.h"

#include <string.h>

enum {
    MOST_ROUNDS = 50, /* limit of the rounds of rules */
    MOST_PASSES = 50  /* limit of the passes of the rule of paths in a round */
};

static const double notable = 1e-6; /* share of the cutoff by which a value must rise for another
                                       round */

static bool open_marks(hsi_place_rules *rules)
{
    size_t words = rules->model->words;

    rules->raisable = hsi_arena_alloc(&rules->arena, words, sizeof *rules->raisable);
    for (int side = 0; side < 2; side++) {
        rules->pending[side] = hsi_arena_alloc_zeroed(&rules->arena, words, sizeof(uint64_t));
        rules->moved[side] = hsi_arena_alloc_zeroed(&rules->arena, words, sizeof(uint64_t));
        rules->recent[side] = hsi_arena_alloc_zeroed(&rules->arena, words, sizeof(uint64_t));
        if (!rules->pending[side] || !rules->moved[side] || !rules->recent[side])
            return false;
    }
    return rules->raisable != NULL;
}

hs_status hsi_place_rules_open(hsi_place_rules *rules, const hsi_place_model *model)
{
    *rules = (hsi_place_rules){.model = model};
    rules->items = hsi_arena_alloc(&rules->arena, model->n, sizeof *rules->items);
    rules->by_tail = hsi_arena_alloc(&rules->arena, model->n, sizeof *rules->by_tail);
    rules->head_of_type = hsi_arena_alloc(&rules->arena, model->n, sizeof *rules->head_of_type);
    rules->tail_of_type = hsi_arena_alloc(&rules->arena, model->n, sizeof *rules->tail_of_type);
    rules->open_types = hsi_arena_alloc(&rules->arena, model->n, sizeof *rules->open_types);
    if (!rules->items || !rules->by_tail || !rules->head_of_type || !rules->tail_of_type ||
        !rules->open_types || !open_marks(rules))
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

/* Mark the heads or, if `backward`, the tails that depend on those of a task, and its own. */
static void mark_dependents(hsi_place_rules *rules, uint32_t task, bool backward)
{
    const hsi_place_model *model = rules->model;
    const hsi_arc         *arcs = backward ? model->before : model->arcs->after;
    const size_t          *at = backward ? model->before_at : model->arcs->after_at;

    for (size_t i = at[task]; i < at[task + 1]; i++)
        hsi_set_add(rules->pending[backward], model->position[arcs[i].task]);
    hsi_set_add(rules->pending[backward], model->position[task]);
    hsi_set_add(rules->moved[backward], task);
}

void hsi_place_mark(hsi_place_rules *rules, uint32_t task)
{
    rules->changed = true;
    mark_dependents(rules, task, false);
    mark_dependents(rules, task, true);
}

void hsi_place_keep_open(hsi_place_rules *rules, hsi_place_state *state, uint32_t task,
                         uint32_t places)
{
    if (!(state->open[task] & ~places))
        return;
    state->open[task] &= places;
    hsi_place_mark(rules, task);
}

void hsi_place_add_order(hsi_place_rules *rules, hsi_place_state *state, uint32_t first,
                         uint32_t second)
{
    hsi_set_add(state->order + first * rules->model->words, second);
    hsi_set_add(rules->pending[0], rules->model->position[first]);
    hsi_set_add(rules->pending[1], rules->model->position[second]);
    rules->changed = true;
}

void hsi_place_raise(hsi_place_rules *rules, hsi_place_state *state, uint32_t task, uint32_t place,
                     double to, bool backward)
{
    double *value = (backward ? state->tail : state->head) + task * rules->model->places + place;

    if (!(to > *value))
        return;
    rules->changed |= to > *value + notable * rules->limit;
    *value = to;
    mark_dependents(rules, task, backward);
}

void hsi_place_raise_task(hsi_place_rules *rules, hsi_place_state *state, uint32_t task, double to,
                          bool backward)
{
    for (uint32_t open = state->open[task]; open; open &= open - 1)
        hsi_place_raise(rules, state, task, (uint32_t)__builtin_ctz(open), to, backward);
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

void hsi_place_collect(hsi_place_rules *rules, const hsi_place_state *state, uint32_t places,
                       bool backward)
{
    const hsi_place_model *model = rules->model;
    size_t                 first = (size_t)__builtin_ctz(places);

    rules->count = 0;
    for (uint32_t task = 0; task < model->n; task++)
        if (!(state->open[task] & ~places))
            collect_item(rules, state, task, model->time[task * model->places + first], backward);
}

bool hsi_place_group_has_changed(const hsi_place_rules *rules, const hsi_place_state *state,
                                 uint32_t places, bool heads, bool tails)
{
    for (size_t word = 0; word < rules->model->words; word++) {
        uint64_t bits = (heads ? rules->recent[0][word] : 0) | (tails ? rules->recent[1][word] : 0);

        for (; bits; bits &= bits - 1)
            if (!(state->open[64 * word + (size_t)__builtin_ctzll(bits)] & ~places))
                return true;
    }
    return false;
}

/* Begin with what has changed since the rules for groups were applied, or forget all changes. */
static void take_moved(hsi_place_rules *rules)
{
    size_t bytes = rules->model->words * sizeof(uint64_t);

    for (int side = 0; side < 2; side++) {
        memcpy(rules->recent[side], rules->moved[side], bytes);
        memset(rules->moved[side], 0, bytes);
    }
}

static void forget_changes(hsi_place_rules *rules)
{
    for (int side = 0; side < 2; side++) {
        memset(rules->pending[side], 0, rules->model->words * sizeof(uint64_t));
        memset(rules->moved[side], 0, rules->model->words * sizeof(uint64_t));
    }
}

static bool apply_rounds(hsi_place_rules *rules, hsi_place_state *state)
{
    rules->changed = true;
    for (int round = 0; rules->changed && round < MOST_ROUNDS; round++) {
        for (int pass = 0; rules->changed && pass < MOST_PASSES; pass++) {
            rules->changed = false;
            if (!hsi_place_rule_paths(rules, state))
                return false;
        }
        rules->changed = false;
        take_moved(rules);
        if (!rules->few)
            hsi_place_rule_joins(rules, state);
        if (!hsi_place_rule_unary(rules, state) || !hsi_place_rule_energy(rules, state))
            return false;
    }
    return true;
}

bool hsi_place_rules_apply_to_changes(hsi_place_rules *rules, hsi_place_state *state)
{
    bool holds;

    rules->applied++;
    holds = apply_rounds(rules, state);
    forget_changes(rules);
    return holds;
}

bool hsi_place_rules_apply(hsi_place_rules *rules, hsi_place_state *state)
{
    for (uint32_t task = 0; task < rules->model->n; task++)
        hsi_place_mark(rules, task);
    return hsi_place_rules_apply_to_changes(rules, state);
}
