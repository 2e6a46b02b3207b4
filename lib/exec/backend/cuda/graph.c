/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Graphs of the cuBLAS tasks of a list, captured before the start of a run. The tasks of a batch
 * are captured in stream contexts that only graphs use, since a graph contains addresses of its
 * stream contexts.
 */
#include <stdlib.h>
#include <string.h>

#include "exec/backend/cuda/cuda.h"
#include "exec/backend/cuda/range.h"
#include "support/clock.h"

typedef struct graph_batch {
    cudaGraphExec_t exec;
    size_t          first, count; /* range of items */
    double          flops;
    bool            launched;
    size_t          collected;
    int64_t         start, end; /* times of the batch; end is 0 until known */
    int             anchor;
} graph_batch;

typedef struct graph_item {
    const hsi_cuda_body *body;
    uint32_t             task;
    uint32_t             batch;
    bool                 checked;      /* true: the host verifies the results */
    size_t               staged;       /* offset of the results in the staging buffer */
    double               flops_before; /* operations of earlier items of the batch */
} graph_item;

struct hsi_cuda_graph {
    hsi_stream_context context[HSI_CUDA_CONTEXTS];
    unsigned           contexts;
    graph_item        *items;
    size_t             count;
    graph_batch       *batches;
    size_t             batch_count;
    size_t             next;       /* next item to submit */
    bool               abandoned;  /* true: no further batch is launched */
    char              *staging[2]; /* results to verify, of even and of odd batches */
    cudaEvent_t        done[2];
    cudaEvent_t        fork, join[HSI_CUDA_CONTEXTS];
};

static double flops_of(const hsi_cuda_body *body)
{
    return body->cuda->flops * body->n * body->n * (double)body->n;
}

static bool is_batched(const hsi_cuda_body *body)
{
    return !body->cuda->solver;
}

/* Return whether the next item can join the batch. */
static bool goes_on(const graph_batch *b, size_t staged, bool neighbour)
{
    const size_t most = (size_t)256 << 20;

    return neighbour && b->count < HSI_CUDA_BATCH && staged < most;
}

static size_t staged_bytes(const graph_item *it)
{
    return it->checked ? hsi_cuda_results_bytes(it->body) : 0;
}

static void add_item(hsi_cuda_gpu *gpu, hsi_cuda_graph *g, const hs_backend_item *from,
                     bool neighbour)
{
    const hsi_cuda_body *body = hsi_cuda_body_of(from->body);
    graph_item          *it = &g->items[g->count], *before = it - 1;
    graph_batch         *b = g->batch_count ? &g->batches[g->batch_count - 1] : NULL;
    size_t               staged = g->count ? before->staged + staged_bytes(before) : 0;

    if (!b || !goes_on(b, staged, neighbour)) {
        b = &g->batches[g->batch_count++];
        *b = (graph_batch){.first = g->count};
        staged = 0;
    }
    *it = (graph_item){.body = body,
                       .task = from->task,
                       .batch = (uint32_t)(g->batch_count - 1),
                       .checked = hsi_cuda_check_is_due(gpu, body),
                       .staged = staged,
                       .flops_before = b->flops};
    b->flops += flops_of(body);
    b->count++;
    g->count++;
}

static void make_batches(hsi_cuda_gpu *gpu, hsi_cuda_graph *g, const hs_backend_item *items,
                         size_t count)
{
    bool   neighbour = false;
    size_t i;

    for (i = 0; i < count && g->count < HSI_CUDA_CAPTURED_MOST; i++) {
        bool batched = is_batched(hsi_cuda_body_of(items[i].body));

        if (batched)
            add_item(gpu, g, &items[i], neighbour);
        neighbour = batched;
    }
}

static bool fit_context(hsi_cuda_gpu *gpu, const hsi_cuda_graph *g, hsi_stream_context *context)
{
    size_t i, arena = 0, room = 0;

    for (i = 0; i < g->count; i++) {
        size_t needed = hsi_cuda_arena_bytes(gpu, context, g->items[i].body);
        size_t results = hsi_cuda_results_bytes(g->items[i].body);

        arena = needed > arena ? needed : arena;
        room = results > room ? results : room;
    }
    return hsi_stream_context_reserve_arena(context, arena) &&
           hsi_stream_context_reserve_room(context, room) &&
           CUDA(&gpu->fault, cudaStreamSynchronize, context->stream);
}

static bool make_context(hsi_cuda_gpu *gpu, hsi_cuda_graph *g, unsigned i)
{
    return hsi_stream_context_open(&g->context[i], &gpu->fault, hsi_cuda_blas_bytes(gpu)) &&
           fit_context(gpu, g, &g->context[i]) &&
           CUDA(&gpu->fault, cudaEventCreateWithFlags, &g->join[i], cudaEventDisableTiming);
}

/* Open as many stream contexts as fit into memory. One stream context is needed. */
static bool make_contexts(hsi_cuda_gpu *gpu, hsi_cuda_graph *g)
{
    unsigned i;

    for (i = 0; i < gpu->contexts && i < HSI_CUDA_CONTEXTS; i++) {
        g->contexts = i + 1;
        if (make_context(gpu, g, i))
            continue;
        if (i == 0 || !gpu->fault.memory)
            return false;
        gpu->fault.text[0] = '\0';
        hsi_stream_context_close(&g->context[i]);
        g->contexts = i;
        break;
    }
    return CUDA(&gpu->fault, cudaEventCreateWithFlags, &g->fork, cudaEventDisableTiming) &&
           CUDA(&gpu->fault, cudaEventCreateWithFlags, &g->done[0], cudaEventDefault) &&
           CUDA(&gpu->fault, cudaEventCreateWithFlags, &g->done[1], cudaEventDefault);
}

static bool make_staging(hsi_cuda_gpu *gpu, hsi_cuda_graph *g)
{
    size_t most = 0, i;
    void  *memory = NULL;

    for (i = 0; i < g->count; i++) {
        size_t end = g->items[i].staged + staged_bytes(&g->items[i]);

        most = end > most ? end : most;
    }
    for (i = 0; most > 0 && i < 2 && i < g->batch_count; i++) {
        if (!CUDA(&gpu->fault, cudaHostAlloc, &memory, most, cudaHostAllocDefault))
            return false;
        g->staging[i] = memory;
    }
    return true;
}

static hsi_cuda_results results_of(const hsi_cuda_graph *g, const graph_item *it)
{
    char            *room = it->checked ? g->staging[it->batch % 2] + it->staged
                                        : g->context[(size_t)(it - g->items) % g->contexts].room;
    hsi_cuda_results results = hsi_cuda_results_at(it->body, room, false);

    results.checked = it->checked;
    return results;
}

/* A resident result that the host verifies is copied within the time of its batch, since the next
 * task of the stream context overwrites the result. */
static bool capture_item(hsi_cuda_gpu *gpu, hsi_cuda_graph *g, const hs_instance *instance,
                         const graph_item *it)
{
    hsi_stream_context *context = &g->context[(size_t)(it - g->items) % g->contexts];
    hsi_cuda_results    results = results_of(g, it);
    hsi_cuda_run        run;

    return hsi_cuda_copy_in_and_launch(gpu, context, it->body, instance, it->task, &results,
                                       &run) &&
           hsi_cuda_copy_out(gpu, &run, &results) &&
           hsi_cuda_copy_out_to_verify(gpu, &run, &results);
}

/* Capture a batch. The streams of the other stream contexts fork from the stream of the first
 * stream context and join it at the end. */
static bool capture_items(hsi_cuda_gpu *gpu, hsi_cuda_graph *g, const hs_instance *instance,
                          const graph_batch *b)
{
    hsi_cuda_fault *fault = &gpu->fault;
    cudaStream_t    lead = g->context[0].stream;
    unsigned        i;
    size_t          k;

    if (!CUDA(fault, cudaEventRecord, g->fork, lead))
        return false;
    for (i = 1; i < g->contexts; i++)
        if (!CUDA(fault, cudaStreamWaitEvent, g->context[i].stream, g->fork, 0))
            return false;
    for (k = 0; k < b->count; k++)
        if (!capture_item(gpu, g, instance, &g->items[b->first + k]))
            return false;
    for (i = 1; i < g->contexts; i++)
        if (!CUDA(fault, cudaEventRecord, g->join[i], g->context[i].stream) ||
            !CUDA(fault, cudaStreamWaitEvent, lead, g->join[i], 0))
            return false;
    return true;
}

/* Capture, instantiate and upload a graph. The upload moves the cost of the first and only launch
 * before the start. */
static bool capture(hsi_cuda_gpu *gpu, hsi_cuda_graph *g, const hs_instance *instance,
                    graph_batch *b)
{
    cudaStream_t lead = g->context[0].stream;
    cudaGraph_t  made = NULL;
    bool         ok;

    if (!CUDA(&gpu->fault, cudaStreamBeginCapture, lead, cudaStreamCaptureModeRelaxed))
        return false;
    ok = capture_items(gpu, g, instance, b);
    ok = CUDA(&gpu->fault, cudaStreamEndCapture, lead, &made) && ok;
    ok = ok && CUDA(&gpu->fault, cudaGraphInstantiate, &b->exec, made, 0) &&
         CUDA(&gpu->fault, cudaGraphUpload, b->exec, lead);
    if (made)
        cudaGraphDestroy(made);
    return ok;
}

/* Run each kernel once with the stream context's own handle, since a capture must load no code.
 */
static bool warm_up(hsi_cuda_gpu *gpu, const hsi_cuda_graph *g, hsi_stream_context *context,
                    const hs_instance *instance)
{
    const hsi_cuda_kernel *kernel;
    size_t                 i, k;

    for (k = 0; (kernel = hsi_cuda_kernel_at(k)); k++) {
        for (i = 0; i < g->count && g->items[i].body->cuda != kernel; i++)
            continue;
        if (i < g->count &&
            !hsi_cuda_run_warm_up_task(gpu, context, instance, g->items[i].body, g->items[i].task))
            return false;
    }
    return true;
}

static bool make(hsi_cuda_gpu *gpu, hsi_cuda_graph *g, const hs_instance *instance)
{
    size_t i;

    if (!make_contexts(gpu, g) || !make_staging(gpu, g))
        return false;
    for (i = 0; i < g->contexts; i++)
        if (!warm_up(gpu, g, &g->context[i], instance))
            return false;
    for (i = 0; i < g->batch_count; i++)
        if (!capture(gpu, g, instance, &g->batches[i]))
            return false;
    return CUDA(&gpu->fault, cudaStreamSynchronize, g->context[0].stream);
}

hs_status hsi_cuda_graph_create(hsi_cuda_gpu *gpu, const hs_instance *instance,
                                const hs_backend_item *items, size_t count, hsi_cuda_graph **out)
{
    hsi_cuda_graph *g = calloc(1, sizeof *g);
    size_t          most = count < HSI_CUDA_CAPTURED_MOST ? count : HSI_CUDA_CAPTURED_MOST;
    hs_status       st = HS_ENOMEM;

    if (!g)
        return st;
    g->items = calloc(most + 1, sizeof *g->items);
    g->batches = calloc(most + 1, sizeof *g->batches);
    if (g->items && g->batches) {
        make_batches(gpu, g, items, count);
        st = g->count == 0 || make(gpu, g, instance) ? HS_OK : HS_ERESOURCE;
    }
    if (st == HS_OK && g->count)
        *out = g;
    else
        hsi_cuda_graph_free(g);
    return st;
}

void hsi_cuda_graph_free_host_memory(hsi_cuda_graph *g)
{
    if (!g)
        return;
    free(g->items);
    free(g->batches);
    free(g);
}

void hsi_cuda_graph_free(hsi_cuda_graph *g)
{
    unsigned i;
    size_t   k;

    if (!g)
        return;
    for (i = 0; i < g->contexts; i++)
        hsi_cuda_drain_stream(&g->context[i]);
    for (k = 0; k < g->batch_count; k++)
        if (g->batches[k].exec)
            cudaGraphExecDestroy(g->batches[k].exec);
    for (i = 0; i < g->contexts; i++) {
        if (g->join[i])
            cudaEventDestroy(g->join[i]);
        hsi_stream_context_close(&g->context[i]);
    }
    for (i = 0; i < 2; i++) {
        if (g->staging[i])
            cudaFreeHost(g->staging[i]);
        if (g->done[i])
            cudaEventDestroy(g->done[i]);
    }
    if (g->fork)
        cudaEventDestroy(g->fork);
    hsi_cuda_graph_free_host_memory(g);
}

static void launch(hsi_cuda_gpu *gpu, hsi_cuda_graph *g, graph_batch *b, size_t which)
{
    cudaStream_t lead = g->context[0].stream;
    bool         launched;

    b->launched = true;
    b->start = hsi_clock_ns();
    gpu->broken = true; /* reset below; the tasks learn of a fault when they are collected */
    if (!hsi_cuda_time_anchor(&gpu->time, &gpu->fault, b->start))
        return;
    b->anchor = gpu->time.current;
    hsi_cuda_range_begin("batch");
    launched = CUDA(&gpu->fault, cudaGraphLaunch, b->exec, lead);
    hsi_cuda_range_end();
    if (!launched || !CUDA(&gpu->fault, cudaEventRecord, g->done[which % 2], lead))
        return;
    gpu->time.users[b->anchor]++;
    gpu->broken = false;
}

/* Return whether all tasks of the batch before the last one are collected. The new batch reuses its
 * event and its staging buffer. */
static bool has_turn(const hsi_cuda_graph *g, size_t which)
{
    const graph_batch *before = which >= 2 ? &g->batches[which - 2] : NULL;

    return !before || before->collected == before->count;
}

int hsi_cuda_graph_submit(hsi_cuda_gpu *gpu, hsi_cuda_in_flight *in_flight)
{
    hsi_cuda_graph   *g = gpu->graph;
    const graph_item *it = &g->items[g->next];
    graph_batch      *b;

    if (g->abandoned || g->next == g->count || it->task != in_flight->attempt->task ||
        it->body != in_flight->body)
        return 0;
    if (!has_turn(g, it->batch))
        return -1;
    b = &g->batches[it->batch];
    in_flight->item = g->next++;
    in_flight->results = results_of(g, it);
    if (it->checked)
        hsi_cuda_check_fill_with_nan(it->body, &in_flight->results);
    if (g->next == b->first + b->count)
        launch(gpu, g, b, it->batch);
    return 1;
}

bool hsi_cuda_graph_item_is_unlaunched(const hsi_cuda_graph *g, size_t number)
{
    return g && !g->batches[g->items[number].batch].launched;
}

void hsi_cuda_graph_drop_next_batch(hsi_cuda_graph *g)
{
    g->abandoned = true;
}

static int date_batch(hsi_cuda_gpu *gpu, hsi_cuda_graph *g, graph_batch *b, size_t which)
{
    int over = hsi_cuda_event_completed(&gpu->fault, g->done[which % 2], false);

    if (over != 1)
        return over;
    gpu->time.users[b->anchor]--;
    b->end = hsi_cuda_time_of_event(&gpu->time, &gpu->fault, b->anchor, g->done[which % 2]);
    if (gpu->fault.text[0])
        return -1;
    b->start = b->start > gpu->last ? b->start : gpu->last;
    b->end = b->end > b->start ? b->end : b->start;
    return 1;
}

/* Divide the time of the batch among its tasks in proportion to their operations. */
int hsi_cuda_graph_item_completed(hsi_cuda_gpu *gpu, size_t number, hsi_cuda_in_flight *in_flight)
{
    hsi_cuda_graph   *g = gpu->graph;
    const graph_item *it = &g->items[number];
    graph_batch      *b = &g->batches[it->batch];
    double            span;

    if (b->end == 0) {
        int over = date_batch(gpu, g, b, it->batch);

        if (over != 1)
            return over;
    }
    span = (double)(b->end - b->start) / b->flops;
    in_flight->start = b->start + (int64_t)(span * it->flops_before);
    in_flight->end = b->start + (int64_t)(span * (it->flops_before + flops_of(it->body)));
    return 1;
}

void hsi_cuda_graph_count_collected(hsi_cuda_graph *g, size_t number)
{
    g->batches[g->items[number].batch].collected++;
}
