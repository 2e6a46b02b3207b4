/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/run/results.h"

#include <stdlib.h>
#include <string.h>

#include "exec/vertex_order.h"

hs_status hsi_results_open(hsi_results *results, const hsi_work *work)
{
    size_t n = hs_instance_tasks(work->in);

    results->state = calloc(n + 1, sizeof *results->state);
    results->attempts = calloc(n + 1, sizeof *results->attempts);
    results->failures = calloc(n + 1, sizeof *results->failures);
    return results->state && results->attempts && results->failures ? HS_OK : HS_ENOMEM;
}

/* Set state[] to IS_OUT for vertices left out when only failed tasks are resumed. Failed tasks run
 * again, and so do their successors, unless another predecessor is not done. */
static void leave_out(hsi_results *results, const hsi_vertex_order *order, size_t tasks,
                      unsigned char *state)
{
    enum { IS_OUT = 1, IS_AGAIN = 2 };

    for (size_t i = 0; i < (order->graph ? order->count : tasks); i++) {
        size_t          v = order->graph ? order->vertex[i] : i, count = 0;
        const uint32_t *before =
            order->graph ? hs_graph_predecessors(order->graph, v, &count, NULL) : NULL;
        unsigned char all = 0;

        for (; count > 0; count--, before++)
            all |= state[*before];
        if (v < tasks) {
            hsi_past past = (hsi_past)results->past.state[v];

            all |= past == HSI_PAST_FAILED ? IS_AGAIN : 0;
            all = past == HSI_PAST_DONE ? 0 : all & IS_OUT || !(all & IS_AGAIN) ? IS_OUT : IS_AGAIN;
        }
        state[v] = all;
    }
    for (size_t t = 0; t < tasks; t++)
        results->left_out += state[t] &= IS_OUT;
}

static hs_status find_left_out(hsi_results *results, const hsi_work *work)
{
    size_t    tasks = hs_instance_tasks(work->in);
    hsi_vertex_order order;
    hs_status st = HS_OK;

    if (work->settings.keep.resume != HS_RESUME_FAILED)
        return HS_OK;
    st = hsi_vertex_order_find(&order, work->in);
    if (st != HS_OK)
        return st;
    results->is_out = calloc((order.graph ? order.count : tasks) + 1, 1);
    if (results->is_out)
        leave_out(results, &order, tasks, results->is_out);
    hsi_vertex_order_free(&order);
    return results->is_out ? HS_OK : HS_ENOMEM;
}

hs_status hsi_results_open_journal(hsi_results *results, const hsi_work *work, hs_error *error)
{
    const hs_exec_settings *s = &work->settings;
    hsi_journal_past       *past = &results->past;
    int                     resume = s->keep.resume != HS_RESUME_NOT;
    hs_status               st;

    if (!s->keep.journal)
        return HS_OK;
    past->state = calloc(hs_instance_tasks(work->in) + 1, 1);
    if (!past->state)
        return HS_ENOMEM;
    past->attempts = results->attempts;
    past->emulated = s->run.emulate[HS_CPU] || s->run.emulate[HS_GPU];
    if (s->keep.dry_run)
        st = hsi_journal_look(s->keep.journal, work->in, resume, past, error);
    else
        st = hsi_journal_open(s->keep.journal, work->in, resume, past, &results->journal, error);
    return st == HS_OK ? find_left_out(results, work) : st;
}

void hsi_results_close(hsi_results *results)
{
    size_t i;

    hsi_journal_close(results->journal, &(uint64_t){0}, &(hs_error){0});
    for (i = 0; i < results->failure_count; i++) {
        free(results->failure[i].why);
        free(results->failure[i].log);
    }
    free(results->failure);
    free(results->retries.list);
    free(results->state);
    free(results->attempts);
    free(results->failures);
    free(results->past.state);
    free(results->is_out);
    free(results->blocker);
}

/* Call this in the worker's thread, so that the memory is near the core; writing to the memory
 * avoids later page faults. */
int hsi_records_prepare(hsi_records *records)
{
    records->list = malloc(records->capacity * sizeof *records->list);
    if (!records->list)
        return 0;
    memset(records->list, 0, records->capacity * sizeof *records->list);
    return 1;
}

int hsi_waits_room(hsi_waits *waits)
{
    size_t   capacity = 2 * waits->capacity + 8;
    hs_wait *more;

    if (waits->count < waits->capacity)
        return 1;
    more = realloc(waits->list, capacity * sizeof *more);
    if (!more)
        return 0;
    waits->list = more;
    waits->capacity = capacity;
    return 1;
}

int hsi_records_room(hsi_records *records)
{
    hs_exec_record *more;

    if (records->count < records->capacity)
        return 1;
    more = realloc(records->list, 2 * records->capacity * sizeof *more);
    if (!more)
        return 0;
    records->list = more;
    records->capacity *= 2;
    return 1;
}
