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
    size_t          at = (size_t)arc->task * rules->model->places;
    const double   *value = (backward ? state->tail : state->head) + at;
    const double   *time = rules->model->time + at;
    double          least = INFINITY;

    for (uint32_t open = state->open[arc->task]; open; open &= open - 1) {
        uint32_t other = (uint32_t)__builtin_ctz(open);
        double   move = backward ? hsi_arc_transfer_time(arcs, arc, place, other)
                                 : hsi_arc_transfer_time(arcs, arc, other, place);

        move += hsi_down(value[other] + time[other]);
        least = least < move ? least : move;
    }
    return hsi_down(least);
}

/* Return the least length of a schedule with a task on a place, by its head and its tail. */
static double least_length(const hsi_place_model *model, const hsi_place_state *state,
                           uint32_t task, uint32_t place)
{
    size_t at = (size_t)task * model->places + place;

    return hsi_down(hsi_down(state->head[at] + model->time[at]) + state->tail[at]);
}

/* Raise a task's values over the arcs from `first` to `last`. Return false if no place remains
 * open. */
static bool pass_task(hsi_place_rules *rules, hsi_place_state *state, uint32_t task,
                      const hsi_arc *first, const hsi_arc *last, bool backward)
{
    const hsi_place_model *model = rules->model;
    uint32_t               left = 0;

    for (uint32_t open = state->open[task]; open; open &= open - 1) {
        uint32_t place = (uint32_t)__builtin_ctz(open);
        double   to = backward ? 0 : hsi_initial_data_arrival(model->arcs, task, place);

        for (const hsi_arc *arc = first; arc < last; arc++)
            to = hsi_later(to, least_over_arc(rules, state, arc, place, backward));
        hsi_place_raise(rules, state, task, place, to, backward);
        if (least_length(model, state, task, place) < rules->limit)
            left |= 1u << place;
    }
    hsi_place_keep_open(rules, state, task, left);
    return left != 0;
}

/* Raise the heads of all tasks ordered after a task. */
static void pass_orders_forward(hsi_place_rules *rules, hsi_place_state *state, uint32_t task)
{
    const hsi_place_model *model = rules->model;
    const uint64_t        *set = state->order + task * model->words;
    uint32_t               place = (uint32_t)__builtin_ctz(state->open[task]);
    size_t                 at = (size_t)task * model->places + place;
    double                 end = hsi_down(state->head[at] + model->time[at]);

    for (size_t word = 0; word < model->words; word++)
        for (uint64_t bits = set[word]; bits; bits &= bits - 1)
            hsi_place_raise(rules, state, (uint32_t)(64 * word) + (uint32_t)__builtin_ctzll(bits),
                            place, end, false);
}

/* Raise the tails of all tasks ordered before a task. */
static void pass_orders_backward(hsi_place_rules *rules, hsi_place_state *state, uint32_t task)
{
    const hsi_place_model *model = rules->model;
    uint32_t               place = (uint32_t)__builtin_ctz(state->open[task]);
    size_t                 at = (size_t)task * model->places + place;
    double                 tail = hsi_down(state->tail[at] + model->time[at]);

    for (uint32_t first = 0; first < model->n; first++)
        if (hsi_set_has(state->order + first * model->words, task))
            hsi_place_raise(rules, state, first, place, tail, true);
}

/* Set *position to the first member of a set from it on. Return false if there is none. */
static bool find_from(const uint64_t *set, size_t words, uint32_t *position)
{
    uint64_t mask = ~0ull << *position % 64;

    for (size_t word = *position / 64; word < words; word++, mask = ~0ull)
        if (set[word] & mask) {
            *position = (uint32_t)(64 * word) + (uint32_t)__builtin_ctzll(set[word] & mask);
            return true;
        }
    return false;
}

/* Set *position to the last member of a set up to it. Return false if there is none. */
static bool find_back(const uint64_t *set, uint32_t *position)
{
    uint64_t mask = ~0ull >> (63 - *position % 64);

    for (size_t word = *position / 64 + 1; word-- > 0; mask = ~0ull)
        if (set[word] & mask) {
            *position = (uint32_t)(64 * word) + 63 - (uint32_t)__builtin_clzll(set[word] & mask);
            return true;
        }
    return false;
}

static void remove_from(uint64_t *set, uint32_t position)
{
    set[position / 64] &= ~(1ull << position % 64);
}

bool hsi_place_rule_paths(hsi_place_rules *rules, hsi_place_state *state)
{
    const hsi_place_model *model = rules->model;
    const hsi_arcs        *arcs = model->arcs;

    for (uint32_t at = 0; find_from(rules->pending[0], model->words, &at); at++) {
        uint32_t task = arcs->order[at];

        if (!pass_task(rules, state, task, model->before + model->before_at[task],
                       model->before + model->before_at[task + 1], false))
            return false;
        pass_orders_forward(rules, state, task);
        remove_from(rules->pending[0], at);
    }
    for (uint32_t at = model->n - 1; find_back(rules->pending[1], &at); at--) {
        uint32_t task = arcs->order[at];

        if (!pass_task(rules, state, task, arcs->after + arcs->after_at[task],
                       arcs->after + arcs->after_at[task + 1], true))
            return false;
        pass_orders_backward(rules, state, task);
        remove_from(rules->pending[1], at);
        if (at == 0)
            break;
    }
    return true;
}
