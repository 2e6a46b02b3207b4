/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A trial that finds out whether an event that a graph records is pending as soon as the graph is
 * launched. CUDA's manual does not say. If the event is not pending, a query before the node has
 * run reports that the task has completed.
 *
 * The trial launches a graph that records an event, behind some work, and lets another stream wait
 * for the event. If a query sees the event pending, the launch made the event pending, since
 * nothing else records it. If the work ends before the first query, the next trial has more work.
 */
#include "exec/backend/cuda/tiles/tiles.h"

enum { TRIALS = 4, WORK = 16, WORK_BYTES = 1 << 20 /* at most cuBLAS's work space */ };

typedef struct event_trial {
    cudaStream_t    stream, other;
    cudaEvent_t     event, behind; /* in the graph; in `other`, behind the wait */
    cudaGraphExec_t exec;
} event_trial;

static bool make_trial(hsi_tiles_gpu *gpu, event_trial *t)
{
    cudaGraph_t graph = NULL;
    bool        ok;

    t->stream = gpu->queue[HSI_TILES_GRAPH].stream;
    t->other = gpu->queue[HSI_TILES_GRAPH + 1].stream;
    if (!CUDA(&gpu->fault, cudaEventCreateWithFlags, &t->event, cudaEventDisableTiming) ||
        !CUDA(&gpu->fault, cudaEventCreateWithFlags, &t->behind, cudaEventDisableTiming) ||
        !CUDA(&gpu->fault, cudaStreamBeginCapture, t->stream, cudaStreamCaptureModeRelaxed))
        return false;
    ok = CUDA(&gpu->fault, cudaEventRecordWithFlags, t->event, t->stream, cudaEventRecordExternal);
    ok = CUDA(&gpu->fault, cudaStreamEndCapture, t->stream, &graph) && ok;
    ok = ok && CUDA(&gpu->fault, cudaGraphInstantiate, &t->exec, graph, 0) &&
         CUDA(&gpu->fault, cudaGraphUpload, t->exec, t->stream);
    if (graph)
        cudaGraphDestroy(graph);
    return ok;
}

/* Query both events, the one of the other stream first. If that one has completed, the event of the
 * graph must have completed too. */
static bool look(hsi_tiles_gpu *gpu, const event_trial *t, int *pending)
{
    int behind, over, seen = 0, early = 0;

    do {
        behind = hsi_cuda_event_completed(&gpu->fault, t->behind, false);
        over = hsi_cuda_event_completed(&gpu->fault, t->event, false);
        seen |= over == 0;
        early |= behind > 0 && over == 0;
    } while (behind >= 0 && over == 0);
    *pending = seen && !early;
    return behind >= 0 && over >= 0;
}

static bool run_trial(hsi_tiles_gpu *gpu, const event_trial *t, int work, int *pending)
{
    void *space = gpu->context[HSI_TILES_GRAPH].blas_space;

    for (; work > 0; work--)
        if (!CUDA(&gpu->fault, cudaMemsetAsync, space, 0, WORK_BYTES, t->stream))
            return false;
    return CUDA(&gpu->fault, cudaGraphLaunch, t->exec, t->stream) &&
           CUDA(&gpu->fault, cudaStreamWaitEvent, t->other, t->event, 0) &&
           CUDA(&gpu->fault, cudaEventRecord, t->behind, t->other) && look(gpu, t, pending) &&
           CUDA(&gpu->fault, cudaStreamSynchronize, t->stream) &&
           CUDA(&gpu->fault, cudaStreamSynchronize, t->other);
}

static void end_trial(const event_trial *t)
{
    if (t->exec)
        cudaGraphExecDestroy(t->exec);
    if (t->event)
        cudaEventDestroy(t->event);
    if (t->behind)
        cudaEventDestroy(t->behind);
}

bool hsi_tiles_try_graph_events(hsi_tiles_gpu *gpu)
{
    event_trial t = {.exec = NULL};
    int         ok = make_trial(gpu, &t), i;

    gpu->graph_events = 0;
    for (i = 0; ok && !gpu->graph_events && i < TRIALS; i++)
        ok = run_trial(gpu, &t, WORK << i, &gpu->graph_events);
    end_trial(&t);
    return ok;
}
