/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams are queues in order; events are markers, with the commands before them. */
#include <stdlib.h>
#include <string.h>

#include "exec/device/opencl/opencl_device.h"

static int no_memory(hs_device *device, const char *call)
{
    hsi_device_note_fault(device, HS_FAULT_MEMORY, call, "out of memory");
    return 0;
}

int hsi_opencl_stream_open(hs_device *device, hs_stream *out)
{
    opencl_device *d = hsi_opencl_of(device);
    opencl_stream *s;
    cl_int         error;

    if (hsi_device_is_lost(device))
        return 0;
    s = calloc(1, sizeof *s);
    if (!s)
        return no_memory(device, "stream_open");
    s->device = d;
    s->users = 1;
    s->queue = clCreateCommandQueue(d->context, d->id, CL_QUEUE_PROFILING_ENABLE, &error);
    if (!hsi_opencl_ok(d, error, "clCreateCommandQueue")) {
        free(s);
        return 0;
    }
    *out = (hs_stream){device, s->queue, s};
    return 1;
}

static void drop_user(opencl_stream *s)
{
    size_t i;

    if (!s || --s->users > 0)
        return;
    for (i = 0; i < s->count; i++)
        clReleaseEvent(s->command[i].event);
    free(s->command);
    free(s);
}

/* Return 1 if a command has ended well, 0: not yet, -1: a fault. */
static int state_of(opencl_device *d, cl_event command)
{
    cl_int status = CL_QUEUED;

    if (!hsi_opencl_ok(d,
                       clGetEventInfo(command, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                                      &status, NULL),
                       "clGetEventInfo"))
        return -1;
    if (status >= 0)
        return status == CL_COMPLETE;
    hsi_device_note_fault(&d->base, HS_FAULT_LOST, "a command", "its event has an error");
    return -1;
}

static void drop_first(opencl_stream *s)
{
    clReleaseEvent(s->command[0].event);
    drop_user(s->command[0].from);
    s->passed++;
    s->count--;
    memmove(s->command, s->command + 1, s->count * sizeof *s->command);
}

/* Look at the commands of a stream up to a number, and at those that they wait for in other
 * streams; drop those that have ended well. A stream whose first command waits may be looked at
 * again by the other stream, but up to a smaller number. */
static int state_of_commands(opencl_stream *s, uint64_t last)
{
    while (s->passed < last) {
        const opencl_command *first = &s->command[0];
        int                   state = state_of(s->device, first->event);

        if (state > 0 && first->from)
            state = state_of_commands(first->from, first->commands);
        if (state <= 0)
            return state;
        drop_first(s);
    }
    return 1;
}

void hsi_opencl_stream_close(hs_stream *stream)
{
    opencl_stream *s = stream->own;
    size_t         i;

    if (!s)
        return;
    stream->own = NULL;
    if (stream->device->fault.kind == HS_FAULT_HUNG)
        return;
    clFinish(s->queue);
    clReleaseCommandQueue(s->queue);
    state_of_commands(s, s->passed + s->count);
    for (i = 0; i < s->count; i++) { /* the device is lost, so no query looks at these */
        drop_user(s->command[i].from);
        s->command[i].from = NULL;
    }
    drop_user(s);
}

/* Make room for a command before it is enqueued. */
static bool reserve(opencl_stream *s)
{
    size_t          room = 2 * s->room + 16;
    opencl_command *more;

    if (s->count < s->room)
        return true;
    more = realloc(s->command, room * sizeof *more);
    if (!more)
        return no_memory(&s->device->base, "enqueue");
    s->command = more;
    s->room = room;
    return true;
}

bool hsi_opencl_add_command(opencl_stream *s, cl_event command)
{
    if (!reserve(s)) {
        clReleaseEvent(command);
        s->device->base.fault.kind = HS_FAULT_LOST; /* the end of the command stays unknown */
        return false;
    }
    s->command[s->count++] = (opencl_command){command, NULL, 0};
    return true;
}

static cl_int enqueue_copy(cl_command_queue queue, const hs_address *to, const hs_address *from,
                           size_t bytes, cl_event *command)
{
    if (!from->device)
        return clEnqueueWriteBuffer(queue, to->buffer, CL_FALSE, to->offset, bytes,
                                    (const char *)from->buffer + from->offset, 0, NULL, command);
    if (!to->device)
        return clEnqueueReadBuffer(queue, from->buffer, CL_FALSE, from->offset, bytes,
                                   (char *)to->buffer + to->offset, 0, NULL, command);
    return clEnqueueCopyBuffer(queue, from->buffer, to->buffer, from->offset, to->offset, bytes, 0,
                               NULL, command);
}

int hsi_opencl_copy(hs_stream *stream, hs_address to, hs_address from, size_t bytes)
{
    opencl_stream *s = stream->own;
    cl_event       command;

    if (hsi_device_is_lost(stream->device))
        return 0;
    if (bytes == 0)
        return 1;
    return reserve(s) &&
           hsi_opencl_ok(s->device, enqueue_copy(s->queue, &to, &from, bytes, &command),
                         "copy to or from a buffer") &&
           hsi_opencl_add_command(s, command);
}

int hsi_opencl_event_open(hs_device *device, hs_event *out)
{
    opencl_event *e = hsi_device_is_lost(device) ? NULL : calloc(1, sizeof *e);

    if (!e)
        return hsi_device_is_lost(device) ? 0 : no_memory(device, "event_open");
    *out = (hs_event){device, e};
    return 1;
}

static void forget(opencl_event *e)
{
    if (e->marker)
        clReleaseEvent(e->marker);
    drop_user(e->stream);
    *e = (opencl_event){NULL, NULL, 0, false};
}

void hsi_opencl_event_close(hs_event *event)
{
    if (event->device->fault.kind != HS_FAULT_HUNG)
        forget(event->own);
    free(event->own);
    event->own = NULL;
}

int hsi_opencl_record(hs_stream *stream, hs_event *event)
{
    opencl_stream *s = stream->own;
    opencl_event  *e = event->own;
    cl_event       marker;

    if (hsi_device_is_lost(stream->device) ||
        !hsi_opencl_ok(s->device, clEnqueueMarkerWithWaitList(s->queue, 0, NULL, &marker),
                       "clEnqueueMarkerWithWaitList"))
        return 0;
    forget(e);
    *e = (opencl_event){marker, s, s->passed + s->count, false};
    s->users++;
    return hsi_opencl_ok(s->device, clFlush(s->queue), "clFlush");
}

int hsi_opencl_wait(hs_stream *stream, const hs_event *event)
{
    opencl_stream      *s = stream->own;
    const opencl_event *e = event->own;
    cl_event            command;

    if (hsi_device_is_lost(stream->device))
        return 0;
    if (!e->marker)
        return 1;
    if (!reserve(s) ||
        !hsi_opencl_ok(s->device, clEnqueueBarrierWithWaitList(s->queue, 1, &e->marker, &command),
                       "clEnqueueBarrierWithWaitList"))
        return 0;
    s->command[s->count++] = (opencl_command){command, e->stream, e->commands};
    e->stream->users++;
    return 1;
}

int hsi_opencl_query(hs_event *event)
{
    opencl_event *e = event->own;
    int           state;

    if (!e->marker || e->reached)
        return 1;
    if (hsi_device_is_lost(event->device))
        return -1;
    state = state_of(hsi_opencl_of(event->device), e->marker);
    if (state > 0)
        state = state_of_commands(e->stream, e->commands);
    e->reached = state > 0;
    return state;
}

static bool time_of(opencl_device *d, const opencl_event *e, cl_ulong *out)
{
    return hsi_opencl_ok(
        d, clGetEventProfilingInfo(e->marker, CL_PROFILING_COMMAND_END, sizeof *out, out, NULL),
        "clGetEventProfilingInfo");
}

int hsi_opencl_elapsed(const hs_event *anchor, const hs_event *event, int64_t *ns)
{
    opencl_device *d = hsi_opencl_of(event->device);
    cl_ulong       first, last;

    if (hsi_device_is_lost(event->device) || !time_of(d, anchor->own, &first) ||
        !time_of(d, event->own, &last))
        return 0;
    *ns = (int64_t)last - (int64_t)first;
    return 1;
}
