/* SPDX-License-Identifier: BSD-3-Clause */
#include "policy/prefetched_transfers.h"

#include <stdlib.h>

#include "core/graph/graph.h"
#include "policy/inputs.h"

/* The completed run of a task in the schedule. */
typedef struct task_run {
    uint32_t worker; /* worker of the run; HS_NONE: the task has no completed run */
    double   end;
} task_run;

static void find_runs(const hs_schedule *s, size_t tasks, task_run *runs)
{
    unsigned workers = hs_schedule_cpus(s) + hs_schedule_gpus(s);

    for (size_t t = 0; t < tasks; t++)
        runs[t] = (task_run){.worker = HS_NONE};
    for (unsigned w = 0; w < workers; w++) {
        size_t          count;
        const hs_entry *e = hs_schedule_entries(s, w, &count);

        for (; count > 0; count--, e++)
            if (e->state == HS_RUN)
                runs[e->task] = (task_run){w, e->end};
    }
}

/* Return the work of visiting a vertex's inputs: its predecessors and, recursively, the inputs of
 * the barriers among them. */
static size_t count_reads(const hs_graph *g, uint32_t vertex)
{
    size_t          count, all;
    const uint32_t *before = hsi_predecessors(g, vertex, &count);

    all = count;
    for (size_t i = 0; i < count; i++)
        all += hsi_is_barrier(g, before[i]) ? count_reads(g, before[i]) : 0;
    return all;
}

/* Record the transfers task by task in topological order: a writer precedes its readers. */
static hs_status replay_runs(hsi_inputs *inputs, const hs_graph *g, const task_run *runs,
                             hsi_token *token)
{
    for (size_t i = 0; i < g->vertices; i++) {
        uint32_t v = hsi_vertex_at_position(g, i);

        if (hsi_is_barrier(g, v) || runs[v].worker == HS_NONE)
            continue;
        if (hsi_poll_after_work(token, 8 * (1 + count_reads(g, v))))
            return HS_ECANCELED;
        hsi_inputs_prefetch(inputs, v, runs[v].worker);
        hsi_inputs_record_end(inputs, v, runs[v].worker, runs[v].end);
    }
    return HS_OK;
}

static hs_status replay_all(hsi_inputs *inputs, hs_schedule *s, hsi_token *token)
{
    size_t    tasks = inputs->pb->n;
    task_run *runs = malloc((tasks + 1) * sizeof *runs);
    hs_status st;

    if (!runs)
        return HS_ENOMEM;
    inputs->records = 1;
    find_runs(s, tasks, runs);
    st = replay_runs(inputs, inputs->pb->graph, runs, token);
    free(runs);
    return st == HS_OK ? hsi_inputs_move_transfers(inputs, s) : st;
}

hs_status hsi_add_prefetched_transfers(const hs_instance *in, hs_schedule *s, hsi_token *token)
{
    hsi_problem pb;
    hsi_inputs  inputs;
    size_t      count;
    hs_status   st;

    if (hs_schedule_transfers(s, &count))
        return HS_OK;
    st = hsi_problem_of_tasks(in, token, &pb);
    if (st != HS_OK)
        return st;
    st = hsi_inputs_open(&inputs, in, &pb);
    if (st == HS_OK && hsi_inputs_are_tracked(&inputs))
        st = replay_all(&inputs, s, token);
    hsi_inputs_close(&inputs);
    hsi_problem_close(&pb);
    return st;
}
