/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams, copies and events. */
#include <math.h>
#include <stdlib.h>

#include "exec/device/cuda/cuda_device.h"

int hsi_cuda_device_stream_open(hs_device *device, hs_stream *out)
{
    cuda_device *d = hsi_cuda_device_of(device);
    cuda_stream *s;

    if (!hsi_cuda_device_begin_call(device))
        return 0;
    s = calloc(1, sizeof *s);
    if (!s) {
        hsi_device_note_fault(device, HS_FAULT_MEMORY, "stream_open", "out of memory");
        return 0;
    }
    s->context.fault = &d->fault;
    if (!CUDA(&d->fault, cudaStreamCreateWithFlags, &s->context.stream, cudaStreamNonBlocking)) {
        free(s);
        return hsi_cuda_device_end_call(device, 0);
    }
    *out = (hs_stream){device, s->context.stream, s};
    return 1;
}

void hsi_cuda_device_stream_close(hs_stream *stream)
{
    cuda_stream *s = stream->own;

    if (!s)
        return;
    if (stream->device->fault.kind != HS_FAULT_HUNG) {
        cudaSetDevice(hsi_cuda_device_of(stream->device)->number);
        hsi_stream_context_close(&s->context);
    }
    free(s);
    stream->own = NULL;
}

static void *address(const hs_address *a)
{
    return (char *)a->buffer + a->offset;
}

static bool copy(cuda_device *d, cudaStream_t stream, const hs_address *to, const hs_address *from,
                 size_t bytes)
{
    if (to->device && from->device && to->device != from->device)
        return CUDA(&d->fault, cudaMemcpyPeerAsync, address(to),
                    hsi_cuda_device_of(to->device)->number, address(from),
                    hsi_cuda_device_of(from->device)->number, bytes, stream);
    return CUDA(&d->fault, cudaMemcpyAsync, address(to), address(from), bytes,
                !from->device ? cudaMemcpyHostToDevice
                : to->device  ? cudaMemcpyDeviceToDevice
                              : cudaMemcpyDeviceToHost,
                stream);
}

int hsi_cuda_device_copy(hs_stream *stream, hs_address to, hs_address from, size_t bytes)
{
    cuda_stream *s = stream->own;

    return hsi_cuda_device_begin_call(stream->device) &&
           hsi_cuda_device_end_call(stream->device, copy(hsi_cuda_device_of(stream->device),
                                                         s->context.stream, &to, &from, bytes));
}

int hsi_cuda_device_event_open(hs_device *device, hs_event *out)
{
    cuda_device *d = hsi_cuda_device_of(device);
    cuda_event  *e;

    if (!hsi_cuda_device_begin_call(device))
        return 0;
    e = calloc(1, sizeof *e);
    if (!e) {
        hsi_device_note_fault(device, HS_FAULT_MEMORY, "event_open", "out of memory");
        return 0;
    }
    if (!CUDA(&d->fault, cudaEventCreateWithFlags, &e->event, cudaEventDefault)) {
        free(e);
        return hsi_cuda_device_end_call(device, 0);
    }
    *out = (hs_event){device, e};
    return 1;
}

void hsi_cuda_device_event_close(hs_event *event)
{
    cuda_event *e = event->own;

    if (event->device->fault.kind != HS_FAULT_HUNG) {
        cudaSetDevice(hsi_cuda_device_of(event->device)->number);
        cudaEventDestroy(e->event);
        if (e->fork)
            cudaEventDestroy(e->fork);
    }
    free(e);
    event->own = NULL;
}

/* Record a step of a segment: for waits within the segment, and for those who launch it. */
static bool record_in_segment(cuda_device *d, cuda_stream *s, cuda_event *e)
{
    if (!e->fork && !CUDA(&d->fault, cudaEventCreateWithFlags, &e->fork, cudaEventDisableTiming))
        return false;
    if ((d->graph_events && !CUDA(&d->fault, cudaEventRecordWithFlags, e->event, s->context.stream,
                                  cudaEventRecordExternal)) ||
        !CUDA(&d->fault, cudaEventRecord, e->fork, s->context.stream))
        return false;
    if (hsi_cuda_segment_add_event(s->segment, e))
        return true;
    hsi_device_note_fault(&d->base, HS_FAULT_MEMORY, "record", "out of memory");
    return false;
}

int hsi_cuda_device_record(hs_stream *stream, hs_event *event)
{
    cuda_device *d = hsi_cuda_device_of(stream->device);
    cuda_stream *s = stream->own;
    cuda_event  *e = event->own;
    bool         done;

    if (!hsi_cuda_device_begin_call(stream->device))
        return 0;
    if (s->segment)
        return hsi_cuda_device_end_call(stream->device, record_in_segment(d, s, e));
    done = CUDA(&d->fault, cudaEventRecord, e->event, s->context.stream);
    if (done) {
        e->recorded = true;
        e->reached = false;
    }
    return hsi_cuda_device_end_call(stream->device, done);
}

int hsi_cuda_device_wait(hs_stream *stream, const hs_event *event)
{
    cuda_device      *d = hsi_cuda_device_of(stream->device);
    cuda_stream      *s = stream->own;
    const cuda_event *e = event->own;

    if (!hsi_cuda_device_begin_call(stream->device))
        return 0;
    if (e->segment)
        hsi_cuda_segment_add_stream(e->segment, s);
    return hsi_cuda_device_end_call(stream->device,
                                    CUDA(&d->fault, cudaStreamWaitEvent, s->context.stream,
                                         e->segment ? e->fork : e->event, 0));
}

int hsi_cuda_device_query(hs_event *event)
{
    cuda_device *d = hsi_cuda_device_of(event->device);
    cuda_event  *e = event->own;
    int          state;

    if (!e->recorded || e->reached)
        return 1;
    if (!hsi_cuda_device_begin_call(event->device))
        return -1;
    state = hsi_cuda_event_completed(&d->fault, e->event, false);
    e->reached = state > 0;
    return hsi_cuda_device_end_call(event->device, state);
}

int hsi_cuda_device_elapsed(const hs_event *anchor, const hs_event *event, int64_t *ns)
{
    cuda_device      *d = hsi_cuda_device_of(event->device);
    const cuda_event *a = anchor->own, *e = event->own;
    float             ms = 0;
    bool              done;

    if (!hsi_cuda_device_begin_call(event->device))
        return 0;
    done = CUDA(&d->fault, cudaEventElapsedTime, &ms, a->event, e->event);
    *ns = llround(1e6 * (double)ms);
    return hsi_cuda_device_end_call(event->device, done);
}
