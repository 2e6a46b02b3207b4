/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/journal/outdated.h"

#include <stdlib.h>

#include "exec/walk.h"

static uint64_t latest_before(const hsi_walk *walk, const uint64_t *done, uint32_t vertex)
{
    size_t          count;
    const uint32_t *before = hs_graph_predecessors(walk->graph, vertex, &count, NULL);
    uint64_t        latest = 0;

    for (; count > 0; count--, before++)
        if (done[*before] > latest)
            latest = done[*before];
    return latest;
}

/* Compare in topological order. done[vertex]: the line of the task's record, or for a barrier of
 * the last record before it; UINT64_MAX: not done. */
static void compare_all(const hsi_walk *walk, size_t tasks, const uint64_t *line,
                        const hsi_journal_past *past, uint64_t *done)
{
    for (size_t i = 0; i < walk->count; i++) {
        uint32_t v = walk->vertex[i];
        uint64_t before = latest_before(walk, done, v);

        done[v] = before;
        if (v >= tasks)
            continue;
        if (past->state[v] == HSI_PAST_DONE && before > line[v])
            past->state[v] = HSI_PAST_CHANGED;
        done[v] = past->state[v] == HSI_PAST_DONE ? line[v] : UINT64_MAX;
    }
}

hs_status hsi_journal_outdated(const hs_instance *in, const uint64_t *line,
                               const hsi_journal_past *past)
{
    hsi_walk  walk;
    hs_status st = hsi_walk_begin(&walk, in);
    uint64_t *done = NULL;

    if (st == HS_OK && walk.count > 0) {
        done = malloc(walk.count * sizeof *done);
        if (done)
            compare_all(&walk, hs_instance_tasks(in), line, past, done);
        else
            st = HS_ENOMEM;
    }
    free(done);
    hsi_walk_end(&walk);
    return st;
}
