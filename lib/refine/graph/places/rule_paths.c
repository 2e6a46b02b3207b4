/* SPDX-License-Identifier: BSD-3-Clause */
/* The rule of paths: heads forward and tails backward along the arcs and the orders. */
#include "refine/graph/places/place_rules.h"

#include <math.h>

/* Return the earliest arrival at `place` of an arc's data, over the open places of its source; by
 * exchange of `from` and `to` likewise the least tail over an arc. */
static double least_over_arc(const hsi_place_rules *rules, const hsi_place_state *state,
                             const hsi_arc *arc, uint32_t place, bool backward)
{
    const hsi_arcs *arcs = rules->model->arcs;
    const double   *end = rules->ends + arc->task * rules->model->places;
    double          least = INFINITY;

    for (uint32_t open = state->open[arc->task]; open; open &= open - 1) {
        uint32_t other = (uint32_t)__builtin_ctz(open);
        double   move = backward ? hsi_arc_transfer_time(arcs, arc, place, other)
                                 : hsi_arc_transfer_time(arcs, arc, other, place);

        least = fmin(least, end[other] + move);
    }
    return hsi_down(least);
}

/* Raise a task's values over the arcs from `first` to `last`, and set its `ends`: the value with
 * the task's time. Return false if no place remains open. */
static bool pass_task(hsi_place_rules *rules, hsi_place_state *state, uint32_t task,
                      const hsi_arc *first, const hsi_arc *last, bool backward)
{
    const hsi_place_model *model = rules->model;
    size_t                 at = (size_t)task * model->places;
    double                *value = (backward ? state->tail : state->head) + at;
    const double          *beyond = (backward ? state->head : state->tail) + at;

    for (uint32_t open = state->open[task]; open; open &= open - 1) {
        uint32_t place = (uint32_t)__builtin_ctz(open);
        double   to = backward ? 0 : hsi_initial_data_arrival(model->arcs, task, place);

        for (const hsi_arc *arc = first; arc < last; arc++)
            to = fmax(to, least_over_arc(rules, state, arc, place, backward));
        hsi_place_raise(rules, &value[place], to);
        rules->ends[at + place] = hsi_down(value[place] + model->time[at + place]);
        if (hsi_down(rules->ends[at + place] + beyond[place]) >= rules->limit) {
            state->open[task] &= ~(1u << place);
            rules->changed = true;
        }
    }
    return state->open[task] != 0;
}

/* Raise the heads of all tasks ordered after a task, or its tail above all of theirs. */
static void pass_orders(hsi_place_rules *rules, hsi_place_state *state, uint32_t task,
                        bool backward)
{
    const hsi_place_model *model = rules->model;
    const uint64_t        *set = state->order + task * model->words;
    uint32_t               place = (uint32_t)__builtin_ctz(state->open[task]);
    size_t                 at = (size_t)task * model->places + place;

    for (size_t word = 0; word < model->words; word++)
        for (uint64_t bits = set[word]; bits; bits &= bits - 1) {
            size_t later = (64 * word + (size_t)__builtin_ctzll(bits)) * model->places + place;

            if (backward)
                hsi_place_raise(rules, &state->tail[at],
                                hsi_down(state->tail[later] + model->time[later]));
            else
                hsi_place_raise(rules, &state->head[later],
                                hsi_down(state->head[at] + model->time[at]));
        }
}

bool hsi_place_rule_paths(hsi_place_rules *rules, hsi_place_state *state)
{
    const hsi_place_model *model = rules->model;
    const hsi_arcs        *arcs = model->arcs;

    for (uint32_t i = 0; i < model->n; i++) {
        uint32_t task = arcs->order[i];

        if (!pass_task(rules, state, task, model->before + model->before_at[task],
                       model->before + model->before_at[task + 1], false))
            return false;
        pass_orders(rules, state, task, false);
    }
    for (uint32_t i = model->n; i-- > 0;) {
        uint32_t task = arcs->order[i];

        pass_orders(rules, state, task, true);
        if (!pass_task(rules, state, task, arcs->after + arcs->after_at[task],
                       arcs->after + arcs->after_at[task + 1], true))
            return false;
    }
    return true;
}
