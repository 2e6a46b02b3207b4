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
#include "exec/backend/cuda/cuda.h"

enum { TRIALS = 4, WORK = 16, WORK_BYTES = 1 << 20 /* at most cuBLAS's work space */ };

typedef struct event_trial {
    cudaStream_t    stream, other;
    cudaEvent_t     event, behind; /* in the graph; in `other`, behind the wait */
    cudaGraphExec_t exec;
} event_trial;

static bool make_trial(hsi_cuda_fault *fault, event_trial *t)
{
    cudaGraph_t graph = NULL;
    bool        ok;

    if (!CUDA(fault, cudaEventCreateWithFlags, &t->event, cudaEventDisableTiming) ||
        !CUDA(fault, cudaEventCreateWithFlags, &t->behind, cudaEventDisableTiming) ||
        !CUDA(fault, cudaStreamBeginCapture, t->stream, cudaStreamCaptureModeRelaxed))
        return false;
    ok = CUDA(fault, cudaEventRecordWithFlags, t->event, t->stream, cudaEventRecordExternal);
    ok = CUDA(fault, cudaStreamEndCapture, t->stream, &graph) && ok;
    ok = ok && CUDA(fault, cudaGraphInstantiate, &t->exec, graph, 0) &&
         CUDA(fault, cudaGraphUpload, t->exec, t->stream);
    if (graph)
        cudaGraphDestroy(graph);
    return ok;
}

/* Query both events, the one of the other stream first. If that one has completed, the event of the
 * graph must have completed too. */
static bool look(hsi_cuda_fault *fault, const event_trial *t, int *pending)
{
    int behind, over, seen = 0, early = 0;

    do {
        behind = hsi_cuda_event_completed(fault, t->behind, false);
        over = hsi_cuda_event_completed(fault, t->event, false);
        seen |= over == 0;
        early |= behind > 0 && over == 0;
    } while (behind >= 0 && over == 0);
    *pending = seen && !early;
    return behind >= 0 && over >= 0;
}

static bool run_trial(hsi_cuda_fault *fault, const event_trial *t, void *space, int work,
                      int *pending)
{
    for (; work > 0; work--)
        if (!CUDA(fault, cudaMemsetAsync, space, 0, WORK_BYTES, t->stream))
            return false;
    return CUDA(fault, cudaGraphLaunch, t->exec, t->stream) &&
           CUDA(fault, cudaStreamWaitEvent, t->other, t->event, 0) &&
           CUDA(fault, cudaEventRecord, t->behind, t->other) && look(fault, t, pending) &&
           CUDA(fault, cudaStreamSynchronize, t->stream) &&
           CUDA(fault, cudaStreamSynchronize, t->other);
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

bool hsi_cuda_try_graph_events(hsi_cuda_fault *fault, cudaStream_t stream, cudaStream_t other,
                               void *space, int *pending)
{
    event_trial t = {.stream = stream, .other = other};
    int         ok = make_trial(fault, &t), i;

    *pending = 0;
    for (i = 0; ok && !*pending && i < TRIALS; i++)
        ok = run_trial(fault, &t, space, WORK << i, pending);
    end_trial(&t);
    return ok;
}
