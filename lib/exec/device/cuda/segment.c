/* SPDX-License-Identifier: BSD-3-Clause */
/* Segments are CUDA graphs. If events in graphs are not pending from the launch on, they are
 * recorded behind the graph. */
#include <stdlib.h>

#include "exec/device/cuda/cuda_device.h"

enum { STREAMS = 32, TRIAL_BYTES = 1 << 20 };

struct cuda_segment {
    cuda_device    *device;
    cudaGraphExec_t exec;
    cuda_stream    *stream[STREAMS]; /* streams of the capture; the first began it */
    unsigned        streams;
    cuda_event    **event;
    size_t          events, room;
};

static cuda_segment *segment_of(hs_segment *segment)
{
    return (cuda_segment *)(void *)segment;
}

/* A segment of more streams fails at its end: CUDA then misses a join. */
void hsi_cuda_segment_add_stream(cuda_segment *segment, cuda_stream *stream)
{
    if (stream->segment || segment->streams == STREAMS)
        return;
    stream->segment = segment;
    segment->stream[segment->streams++] = stream;
}

bool hsi_cuda_segment_add_event(cuda_segment *segment, cuda_event *event)
{
    size_t       room = 2 * segment->room + 16;
    cuda_event **more = segment->event;

    if (segment->events == segment->room) {
        more = realloc(more, room * sizeof *more);
        if (!more)
            return false;
        segment->event = more;
        segment->room = room;
    }
    event->segment = segment;
    more[segment->events++] = event;
    return true;
}

/* Find out by a trial whether events in graphs are pending from the launch on. The stream is idle. */
static bool try_events(cuda_device *d, cudaStream_t stream)
{
    void *space = NULL;
    int   pending = 0;
    bool  done = CUDA(&d->fault, cudaMalloc, &space, TRIAL_BYTES) &&
                hsi_cuda_try_graph_events(&d->fault, d->own.stream, stream, space, &pending);

    if (space)
        cudaFree(space);
    if (done)
        d->graph_events = pending;
    return done;
}

static void free_segment(cuda_segment *segment)
{
    if (segment->exec)
        cudaGraphExecDestroy(segment->exec);
    free(segment->event);
    free(segment);
}

static int begin(hs_stream *lead)
{
    cuda_device  *d = hsi_cuda_device_of(lead->device);
    cuda_stream  *s = lead->own;
    cuda_segment *segment;

    if (!hsi_cuda_device_begin_call(lead->device))
        return 0;
    if (d->graph_events < 0 && !try_events(d, s->context.stream))
        return hsi_cuda_device_end_call(lead->device, 0);
    segment = calloc(1, sizeof *segment);
    if (!segment) {
        hsi_device_note_fault(lead->device, HS_FAULT_MEMORY, "begin", "out of memory");
        return 0;
    }
    if (!CUDA(&d->fault, cudaStreamBeginCapture, s->context.stream, cudaStreamCaptureModeRelaxed)) {
        free_segment(segment);
        return hsi_cuda_device_end_call(lead->device, 0);
    }
    segment->device = d;
    hsi_cuda_segment_add_stream(segment, s);
    return 1;
}

/* Nothing is collected any more. */
static void let_go(cuda_segment *segment)
{
    unsigned i;
    size_t   k;

    for (i = 0; i < segment->streams; i++)
        segment->stream[i]->segment = NULL;
    for (k = 0; k < segment->events; k++)
        segment->event[k]->segment = NULL;
}

/* End the capture, also of a lost device, and make the graph. */
static int end(hs_stream *lead, hs_segment **out)
{
    cuda_device  *d = hsi_cuda_device_of(lead->device);
    cuda_stream  *s = lead->own;
    cuda_segment *segment = s->segment;
    cudaGraph_t   graph = NULL;
    bool          lives = hsi_cuda_device_begin_call(lead->device), done;

    *out = NULL;
    if (!segment)
        return 0;
    done = CUDA(&d->fault, cudaStreamEndCapture, s->context.stream, &graph) && lives &&
           CUDA(&d->fault, cudaGraphInstantiate, &segment->exec, graph, 0) &&
           CUDA(&d->fault, cudaGraphUpload, segment->exec, s->context.stream);
    if (graph)
        cudaGraphDestroy(graph);
    let_go(segment);
    if (done)
        *out = (hs_segment *)(void *)segment;
    else
        free_segment(segment);
    return hsi_cuda_device_end_call(lead->device, done);
}

static bool launch_graph(cuda_segment *segment, cudaStream_t stream)
{
    cuda_device *d = segment->device;
    size_t       i;

    if (!CUDA(&d->fault, cudaGraphLaunch, segment->exec, stream))
        return false;
    for (i = 0; i < segment->events; i++) {
        segment->event[i]->recorded = true;
        segment->event[i]->reached = false;
        if (!d->graph_events && !CUDA(&d->fault, cudaEventRecord, segment->event[i]->event, stream))
            return false;
    }
    return true;
}

static int launch(hs_segment *segment, hs_stream *stream)
{
    cuda_stream *s = stream->own;

    return hsi_cuda_device_begin_call(stream->device) &&
           hsi_cuda_device_end_call(stream->device,
                                    launch_graph(segment_of(segment), s->context.stream));
}

static void release(hs_segment *public_segment)
{
    cuda_segment *segment = segment_of(public_segment);

    if (segment->device->base.fault.kind == HS_FAULT_HUNG)
        segment->exec = NULL;
    else
        cudaSetDevice(segment->device->number);
    free_segment(segment);
}

const hs_segment_ops hsi_cuda_device_segments = {begin, end, launch, release};
