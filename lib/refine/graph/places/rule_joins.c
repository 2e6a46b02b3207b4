/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rule of joins. The ancestors of a task that are fixed on one place run one after the other
 * if it has one worker; else their work is spread over the workers. The task starts no earlier than
 * the last of them ends. Backward: descendants and tails.
 */
#include "refine/graph/places/place_rules.h"

#include <string.h>

/* Return the earliest end of those items that are in `set`, on one worker. */
static double end_on_one(const hsi_place_rules *rules, const uint64_t *set)
{
    double end = 0;

    for (size_t i = 0; i < rules->count; i++) {
        const hsi_place_item *item = &rules->items[i];

        if (hsi_set_has(set, item->task))
            end = hsi_down(hsi_later(end, item->head) + item->time);
    }
    return end;
}

/* Return a bound of the last end of those items that are in `set`, on several workers: the work
 * from each head on takes this long. */
static double end_on_several(const hsi_place_rules *rules, const uint64_t *set, double workers)
{
    double end = 0, work = 0;

    for (size_t i = rules->count; i-- > 0;) {
        const hsi_place_item *item = &rules->items[i];

        if (!hsi_set_has(set, item->task))
            continue;
        work = hsi_down(work + item->time);
        end = hsi_later(end, hsi_down(item->head + hsi_down(work / workers)));
    }
    return end;
}

/* Find the tasks that follow, or if `backward` precede, an item that has changed. */
static void find_raisable(hsi_place_rules *rules, bool backward)
{
    const hsi_place_model *model = rules->model;

    memset(rules->raisable, 0, model->words * sizeof *rules->raisable);
    for (size_t i = 0; i < rules->count; i++) {
        uint32_t        item = rules->items[i].task;
        const uint64_t *set =
            (backward ? model->ancestors : model->descendants) + item * model->words;

        if (!hsi_set_has(rules->recent[backward], item))
            continue;
        for (size_t word = 0; word < model->words; word++)
            rules->raisable[word] |= set[word];
    }
}

/* Raise tasks by the collected items. The items keep the heads by which they were sorted. */
static void raise_by_items(hsi_place_rules *rules, hsi_place_state *state, uint32_t workers,
                           bool backward)
{
    const hsi_place_model *model = rules->model;
    uint32_t               task;

    find_raisable(rules, backward);
    for (size_t word = 0; word < model->words; word++)
        for (uint64_t bits = rules->raisable[word]; bits; bits &= bits - 1) {
            const uint64_t *set = backward ? model->descendants : model->ancestors;
            double          end;

            task = (uint32_t)(64 * word) + (uint32_t)__builtin_ctzll(bits);
            set += task * model->words;
            end = workers == 1 ? end_on_one(rules, set) : end_on_several(rules, set, workers);
            hsi_place_raise_task(rules, state, task, end, backward);
        }
}

static void join_group(hsi_place_rules *rules, hsi_place_state *state, uint32_t places,
                       uint32_t workers, bool backward)
{
    if (!hsi_place_group_has_changed(rules, state, places, !backward, backward))
        return;
    hsi_place_collect(rules, state, places, backward);
    raise_by_items(rules, state, workers, backward);
}

static void join_side(hsi_place_rules *rules, hsi_place_state *state, bool backward)
{
    const hsi_place_model *model = rules->model;

    for (uint32_t place = 0; place < model->places; place++)
        join_group(rules, state, 1u << place, hsi_worker_count_at(model->arcs, place), backward);
    if (model->arcs->pb->k > 1)
        join_group(rules, state, hsi_all_gpus(model), model->arcs->pb->k, backward);
}

void hsi_place_rule_joins(hsi_place_rules *rules, hsi_place_state *state)
{
    join_side(rules, state, false);
    join_side(rules, state, true);
}
