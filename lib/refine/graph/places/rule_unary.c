/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules for places with one worker: pairs and edge finding. */
#include "refine/graph/places/place_rules.h"

#include <math.h>

/* Return true if `first` may run directly before `second`. */
static bool may_precede(const hsi_place_rules *rules, const hsi_place_item *first,
                        const hsi_place_item *second)
{
    double end = hsi_down(hsi_down(first->head + first->time) + second->time);

    return hsi_down(end + second->tail) < rules->limit;
}

static bool is_ordered(const hsi_place_model *model, const hsi_place_state *state, uint32_t first,
                       uint32_t second)
{
    return hsi_set_has(model->descendants + first * model->words, second) ||
           hsi_set_has(state->order + first * model->words, second);
}

static bool order_pair(hsi_place_rules *rules, hsi_place_state *state, const hsi_place_item *a,
                       const hsi_place_item *b)
{
    bool forward, backward;

    if (is_ordered(rules->model, state, a->task, b->task) ||
        is_ordered(rules->model, state, b->task, a->task))
        return true;
    forward = may_precede(rules, a, b);
    backward = may_precede(rules, b, a);
    if (forward && !backward)
        hsi_place_add_order(rules, state, a->task, b->task);
    if (backward && !forward)
        hsi_place_add_order(rules, state, b->task, a->task);
    return forward || backward;
}

static bool has_changed(const hsi_place_rules *rules, const hsi_place_item *item)
{
    return hsi_set_has(rules->recent[0], item->task) || hsi_set_has(rules->recent[1], item->task);
}

/* Order the pairs with an item that has changed. */
static bool order_pairs(hsi_place_rules *rules, hsi_place_state *state)
{
    const hsi_place_item *items = rules->items;

    for (size_t i = 0; i < rules->count; i++)
        for (size_t j = 0; has_changed(rules, &items[i]) && j < rules->count; j++)
            if (j != i && (j < i || !has_changed(rules, &items[j])) &&
                !order_pair(rules, state, &items[i], &items[j]))
                return false;
    return true;
}

/* For each item, compute the work of those items from it on that have at least this tail, and the
 * earliest end of any number of the last of them. */
static double sum_from_each(hsi_place_rules *rules, double tail)
{
    double work = 0, ended = 0;

    for (size_t i = rules->count; i-- > 0;) {
        hsi_place_item *item = &rules->items[i];

        if (item->tail >= tail) {
            work = hsi_down(work + item->time);
            ended = hsi_later(ended, hsi_down(item->head + work));
        }
        item->work = work;
        item->ended = ended;
    }
    return ended;
}

/* If an item with a smaller tail and a set of items with at least `tail` do not fit before this
 * tail, the item comes last, so that it starts after the earliest end of the set. Return false if
 * the set alone does not fit. Heads keep the values by which the items were sorted. */
static bool find_last_items(hsi_place_rules *rules, double tail)
{
    double room, all = sum_from_each(rules, tail), earlier = 0;

    if (hsi_down(all + tail) >= rules->limit)
        return false;
    for (size_t i = 0; i < rules->count; i++) {
        hsi_place_item *item = &rules->items[i];
        double          with_later = hsi_down(item->head + item->work);

        if (item->tail >= tail) {
            earlier = hsi_later(earlier, with_later);
            continue;
        }
        room = hsi_down(item->time + tail);
        if (item->work > 0 && hsi_down(with_later + room) >= rules->limit)
            item->raised = hsi_later(item->raised, item->ended);
        if (earlier > 0 && hsi_down(earlier + room) >= rules->limit)
            item->raised = hsi_later(item->raised, all);
    }
    return true;
}

/* Apply edge finding to the collected items. */
static bool find_edges(hsi_place_rules *rules, hsi_place_state *state, bool backward)
{
    for (size_t i = 0; i < rules->count; i++)
        if (!find_last_items(rules, rules->items[i].tail))
            return false;
    for (size_t i = 0; i < rules->count; i++)
        hsi_place_raise_task(rules, state, rules->items[i].task, rules->items[i].raised, backward);
    return true;
}

static bool apply_on(hsi_place_rules *rules, hsi_place_state *state, uint32_t place)
{
    hsi_place_collect(rules, state, 1u << place, false);
    if (!order_pairs(rules, state))
        return false;
    if (rules->few)
        return true;
    if (!find_edges(rules, state, false))
        return false;
    hsi_place_collect(rules, state, 1u << place, true);
    return find_edges(rules, state, true);
}

bool hsi_place_rule_unary(hsi_place_rules *rules, hsi_place_state *state)
{
    for (uint32_t place = 0; place < rules->model->places; place++)
        if (hsi_is_unary(rules->model, place) &&
            hsi_place_group_has_changed(rules, state, 1u << place, true, true) &&
            !apply_on(rules, state, place))
            return false;
    return true;
}
