/* SPDX-License-Identifier: BSD-3-Clause */
/* The rule of energy, for the host with several CPUs and for all GPUs together. */
#include "refine/graph/places/place_rules.h"

/* Return true if the items with at least this tail fit on the workers before it, from each head
 * on. */
static bool fit_before(const hsi_place_rules *rules, double workers, double tail)
{
    double work = 0;

    for (size_t i = rules->count; i-- > 0;) {
        const hsi_place_item *item = &rules->items[i];

        if (item->tail < tail)
            continue;
        work = hsi_down(work + item->time);
        if (hsi_down(hsi_down(item->head + hsi_down(work / workers)) + tail) >= rules->limit)
            return false;
    }
    return true;
}

/* Sort the indices of the items by falling tail; in rising order of heads, tails mostly fall. */
static void sort_by_tail(hsi_place_rules *rules)
{
    for (uint32_t i = 0; i < rules->count; i++) {
        size_t at = i;

        for (; at > 0 && rules->items[rules->by_tail[at - 1]].tail < rules->items[i].tail; at--)
            rules->by_tail[at] = rules->by_tail[at - 1];
        rules->by_tail[at] = i;
    }
}

/* Test the tail of each item. Most tests are decided by the sum of all times and the last head. */
static bool items_fit(hsi_place_rules *rules, uint32_t workers)
{
    double work = 0, last = 0;

    sort_by_tail(rules);
    for (size_t i = 0; i < rules->count; i++) {
        const hsi_place_item *item = &rules->items[rules->by_tail[i]];

        work += item->time;
        last = hsi_later(last, item->head);
        if (last + work / workers + item->tail >= rules->limit &&
            !fit_before(rules, workers, item->tail))
            return false;
    }
    return true;
}

static bool group_fits(hsi_place_rules *rules, const hsi_place_state *state, uint32_t places,
                       uint32_t workers)
{
    if (workers < 2 || !hsi_place_group_has_changed(rules, state, places, true, true))
        return true;
    hsi_place_collect(rules, state, places, false);
    return items_fit(rules, workers);
}

bool hsi_place_rule_energy(hsi_place_rules *rules, hsi_place_state *state)
{
    const hsi_problem *pb = rules->model->arcs->pb;

    return group_fits(rules, state, 1, pb->m) &&
           group_fits(rules, state, hsi_all_gpus(rules->model), pb->k);
}
