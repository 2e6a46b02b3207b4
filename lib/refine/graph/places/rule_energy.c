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

static bool items_fit(const hsi_place_rules *rules, uint32_t workers)
{
    for (size_t i = 0; i < rules->count; i++)
        if (!fit_before(rules, workers, rules->items[i].tail))
            return false;
    return true;
}

bool hsi_place_rule_energy(hsi_place_rules *rules, hsi_place_state *state)
{
    const hsi_problem *pb = rules->model->arcs->pb;

    if (pb->m > 1) {
        hsi_place_collect_on(rules, state, 0, false);
        if (!items_fit(rules, pb->m))
            return false;
    }
    if (pb->k > 1) {
        hsi_place_collect_on_gpus(rules, state, false);
        if (!items_fit(rules, pb->k))
            return false;
    }
    return true;
}
