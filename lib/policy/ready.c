/* SPDX-License-Identifier: BSD-3-Clause */
#include "policy/ready.h"

#include <stdlib.h>

#include "core/graph/graph.h"
#include "support/pages.h"
#include "support/sort.h"

static void become_ready(hsi_ready *ready, uint32_t vertex);

/* Barriers are followed by tasks or by one more barrier, so the recursion is shallow. */
static void vertex_done(hsi_ready *ready, uint32_t vertex)
{
    size_t          count;
    const uint32_t *after = hsi_successors(ready->graph, vertex, &count);

    for (size_t i = 0; i < count; i++)
        if (--ready->unfinished[after[i]] == 0)
            become_ready(ready, after[i]);
}

static void become_ready(hsi_ready *ready, uint32_t vertex)
{
    if (hsi_is_barrier(ready->graph, vertex)) {
        vertex_done(ready, vertex);
        return;
    }
    ready->news[ready->news_count++] = vertex;
}

void hsi_ready_record_done(hsi_ready *ready, uint32_t task)
{
    if (ready->graph)
        vertex_done(ready, task);
}

void hsi_ready_record_done_concurrently(hsi_ready *ready, uint32_t task, hsi_release *release,
                                        void *data)
{
    size_t          count;
    const uint32_t *after = hsi_successors(ready->graph, task, &count);

    for (size_t i = 0; i < count; i++) {
        if (__atomic_sub_fetch(&ready->unfinished[after[i]], 1, __ATOMIC_SEQ_CST) != 0)
            continue;
        if (hsi_is_barrier(ready->graph, after[i]))
            hsi_ready_record_done_concurrently(ready, after[i], release, data);
        else
            release(data, after[i]);
    }
}

/* each vertex is pushed at most once, so `scratch` has room for all */
void hsi_ready_record_dropped(hsi_ready *ready, uint32_t task)
{
    size_t waiting = 0;

    if (!ready->graph)
        return;
    ready->scratch[waiting++] = task;
    while (waiting > 0) {
        size_t          count;
        const uint32_t *after = hsi_successors(ready->graph, ready->scratch[--waiting], &count);

        for (size_t i = 0; i < count; i++) {
            if (hsi_is_never_ready(ready, after[i]))
                continue;
            __atomic_fetch_or(&ready->unfinished[after[i]], HSI_NEVER_READY, __ATOMIC_SEQ_CST);
            ready->scratch[waiting++] = after[i];
        }
    }
}

void hsi_ready_exclude(hsi_ready *ready, uint32_t task)
{
    ready->unfinished[task] = UINT32_MAX;
}

void hsi_ready_mark_done_before_start(hsi_ready *ready, uint32_t task)
{
    hsi_ready_exclude(ready, task);
    hsi_ready_record_done(ready, task);
}

static int comes_first(const void *graph, uint32_t a, uint32_t b)
{
    return hsi_position(graph, a) < hsi_position(graph, b);
}

static bool is_sorted(const hsi_ready *ready)
{
    for (size_t i = 1; i < ready->news_count; i++)
        if (comes_first(ready->graph, ready->news[i], ready->news[i - 1]))
            return false;
    return true;
}

size_t hsi_ready_collect(hsi_ready *ready, const uint32_t **tasks)
{
    size_t count = 0;

    for (size_t i = 0; i < ready->news_count; i++)
        if (ready->unfinished[ready->news[i]] == 0)
            ready->news[count++] = ready->news[i];
    ready->news_count = count;
    *tasks = ready->news;
    if (ready->graph && !is_sorted(ready) &&
        hsi_sort_indices_polling(ready->news, ready->scratch, count, comes_first, ready->graph,
                                 ready->token))
        count = 0;
    ready->news_count = 0;
    return count;
}

static void begin(hsi_ready *ready, const hsi_problem *pb)
{
    const hs_graph *g = ready->graph;

    if (!g) {
        for (; ready->news_count < pb->n && !hsi_poll_at_iteration(pb->token, ready->news_count);
             ready->news_count++)
            ready->news[ready->news_count] = (uint32_t)ready->news_count;
        return;
    }
    if (g->number) { /* tasks arrive later */
        for (size_t v = 0; v < g->vertices && !hsi_poll_at_iteration(pb->token, v); v++)
            ready->unfinished[v] = HSI_NEVER_READY;
        return;
    }
    for (size_t v = 0; v < g->vertices && !hsi_poll_at_iteration(pb->token, v); v++)
        ready->unfinished[v] = (uint32_t)hsi_predecessor_count(g, v);
    for (uint32_t t = 0; t < g->tasks && !hsi_poll_at_iteration(pb->token, t); t++)
        if (hsi_predecessor_count(g, t) == 0)
            ready->news[ready->news_count++] = t;
}

hs_status hsi_ready_open(hsi_ready *ready, const hsi_problem *pb)
{
    size_t vertices = pb->graph ? pb->graph->vertices : pb->n;

    *ready = (hsi_ready){.graph = pb->graph, .token = pb->token};
    ready->news = hsi_large_pages_alloc((pb->n + 1) * sizeof *ready->news);
    ready->unfinished = hsi_large_pages_zeroed(vertices + 1, sizeof *ready->unfinished);
    ready->scratch = hsi_large_pages_alloc((vertices + 1) * sizeof *ready->scratch);
    if (!ready->news || !ready->unfinished || !ready->scratch) {
        hsi_ready_close(ready);
        return HS_ENOMEM;
    }
    begin(ready, pb);
    return HS_OK;
}

void hsi_ready_close(hsi_ready *ready)
{
    free(ready->unfinished);
    free(ready->news);
    free(ready->scratch);
    *ready = (hsi_ready){0};
}
