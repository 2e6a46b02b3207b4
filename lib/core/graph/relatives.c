/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/graph/relatives.h"

/* Add a task and its set to the set of another task. */
static void add_set(uint64_t *sets, size_t words, uint32_t to, uint32_t task)
{
    hsi_set_add(sets + to * words, task);
    for (size_t word = 0; word < words; word++)
        sets[to * words + word] |= sets[task * words + word];
}

/* Add all arcs of a task: its ancestors to the sets of the targets, or the targets' descendants to
 * its set. Return false if cancelled. */
static bool add_arcs(const hsi_arcs *arcs, hsi_relatives *relatives, uint32_t task, bool forward)
{
    size_t first = arcs->after_at[task], last = arcs->after_at[task + 1], words = relatives->words;

    for (size_t i = first; i < last; i++)
        if (forward)
            add_set(relatives->ancestors, words, arcs->after[i].task, task);
        else
            add_set(relatives->descendants, words, task, arcs->after[i].task);
    return !hsi_poll_after_work(arcs->pb->token, (1 + last - first) * words);
}

hs_status hsi_relatives_find(const hsi_arcs *arcs, hsi_arena *arena, hsi_relatives *relatives)
{
    size_t n = arcs->pb->n, words = (n + 63) / 64;

    *relatives = (hsi_relatives){.words = words};
    relatives->ancestors = hsi_arena_alloc_zeroed(arena, n * words, sizeof *relatives->ancestors);
    relatives->descendants =
        hsi_arena_alloc_zeroed(arena, n * words, sizeof *relatives->descendants);
    if (!relatives->ancestors || !relatives->descendants)
        return HS_ENOMEM;
    for (size_t i = 0; i < n; i++)
        if (!add_arcs(arcs, relatives, arcs->order[i], true) ||
            !add_arcs(arcs, relatives, arcs->order[n - 1 - i], false))
            return HS_ECANCELED;
    return HS_OK;
}
