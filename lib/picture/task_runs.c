/* SPDX-License-Identifier: BSD-3-Clause */
#include "picture/task_runs.h"

#include <stdlib.h>

static void find_runs(hsi_runs *runs)
{
    unsigned workers = hs_schedule_cpus(runs->s) + hs_schedule_gpus(runs->s);

    for (size_t t = 0; t < runs->graph->tasks; t++)
        runs->worker[t] = HS_NONE;
    for (unsigned w = 0; w < workers; w++) {
        size_t          count;
        const hs_entry *e = hs_schedule_entries(runs->s, w, &count);

        for (size_t i = 0; i < count; i++)
            if (e[i].state == HS_RUN) {
                runs->worker[e[i].task] = w;
                runs->entry[e[i].task] = i;
            }
    }
}

hs_status hsi_runs_open(hsi_runs *runs, const hs_instance *in, const hs_schedule *s)
{
    hs_status st;

    *runs = (hsi_runs){.in = in, .s = s};
    st = hsi_graph_of(in, NULL, &runs->graph);
    if (st != HS_OK || !runs->graph)
        return st;
    runs->worker = malloc((runs->graph->tasks + 1) * sizeof *runs->worker);
    runs->entry = malloc((runs->graph->tasks + 1) * sizeof *runs->entry);
    if (!runs->worker || !runs->entry)
        return HS_ENOMEM;
    find_runs(runs);
    return HS_OK;
}

void hsi_runs_close(hsi_runs *runs)
{
    free(runs->worker);
    free(runs->entry);
    *runs = (hsi_runs){.graph = NULL};
}

int hsi_visit_predecessors(const hs_graph *g, uint32_t task, hsi_neighbour *visit, void *data)
{
    size_t          count;
    const uint32_t *before = hsi_predecessors(g, task, &count);
    int             stop = 0;

    for (size_t i = 0; i < count && !stop; i++)
        stop = hsi_is_barrier(g, before[i]) ? hsi_visit_predecessors(g, before[i], visit, data)
                                            : visit(data, before[i]);
    return stop;
}

int hsi_visit_successors(const hs_graph *g, uint32_t task, hsi_neighbour *visit, void *data)
{
    size_t          count;
    const uint32_t *after = hsi_successors(g, task, &count);
    int             stop = 0;

    for (size_t i = 0; i < count && !stop; i++)
        stop = hsi_is_barrier(g, after[i]) ? hsi_visit_successors(g, after[i], visit, data)
                                           : visit(data, after[i]);
    return stop;
}

typedef struct tally {
    size_t count, most;
} tally;

static int count_one(void *data, uint32_t task)
{
    tally *t = data;

    (void)task;
    return ++t->count > t->most;
}

size_t hsi_count_dependent_pairs(const hs_graph *g, size_t most)
{
    tally t = {0, most};

    for (uint32_t task = 0; task < g->tasks && t.count <= most; task++)
        hsi_visit_predecessors(g, task, count_one, &t);
    return t.count;
}
