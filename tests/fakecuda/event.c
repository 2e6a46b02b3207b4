/* SPDX-License-Identifier: BSD-3-Clause */
#include "state.h"

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    fake_event *made;
    cudaError_t error = fake_begin_call("cudaEventCreateWithFlags");

    if (error)
        return fake_end_call(error);
    made = fake_object_create(FAKE_EVENT, sizeof *made);
    made->flags = flags;
    *event = made;
    return fake_end_call(cudaSuccess);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    cudaError_t error = fake_begin_call("cudaEventDestroy");

    if (!fake_is_live_object(event, FAKE_EVENT, "cudaEventDestroy"))
        return fake_end_call(cudaErrorInvalidResourceHandle);
    if (event->graphs)
        fake_complain("cudaEventDestroy: an instantiated graph records it");
    if (!fake_object_kept_by_failure(&event->object))
        fake_object_destroy(&event->object);
    return fake_end_call(error);
}

/* Record an event. In a capture, an external event becomes a node; any other event marks a point to
 * continue from. */
static cudaError_t record(fake_event *event, fake_stream *stream, unsigned flags)
{
    fake_operation operation = {.kind = FAKE_RECORD, .name = "cudaEventRecord", .event = event};
    cudaError_t    error;

    if (!fake_is_live_object(event, FAKE_EVENT, "cudaEventRecord") ||
        !fake_is_live_object(stream, FAKE_STREAM, "cudaEventRecord"))
        return cudaErrorInvalidResourceHandle;
    if (event->object.device != stream->object.device) {
        fake_complain("cudaEventRecord: event and stream are of two devices");
        return cudaErrorInvalidResourceHandle;
    }
    if (stream->capture && !(flags & cudaEventRecordExternal)) {
        fake_capture_record(stream, event);
        return cudaSuccess;
    }
    if (!stream->capture) {
        event->capture = NULL;
        operation.ticket = ++event->asked;
    }
    error = fake_enqueue(stream, &operation);
    if (!stream->capture)
        event->known = stream->known;
    return error;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    cudaError_t error = fake_begin_call("cudaEventRecord");

    if (!error)
        error = record(event, stream, cudaEventRecordDefault);
    return fake_end_call(error);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
    cudaError_t error = fake_begin_call("cudaEventRecordWithFlags");

    if (!error)
        error = record(event, stream, flags);
    return fake_end_call(error);
}

static cudaError_t wait_in(fake_stream *stream, fake_event *event)
{
    fake_operation operation = {.kind = FAKE_WAIT, .name = "cudaStreamWaitEvent", .event = event};

    if (!fake_is_live_object(event, FAKE_EVENT, "cudaStreamWaitEvent") ||
        !fake_is_live_object(stream, FAKE_STREAM, "cudaStreamWaitEvent"))
        return cudaErrorInvalidResourceHandle;
    if (event->capture)
        return fake_capture_wait(stream, event);
    if (stream->capture)
        return cudaErrorStreamCaptureIsolation;
    operation.ticket = event->asked;
    fake_clock_merge(&stream->known, &event->known);
    return fake_enqueue(stream, &operation);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    cudaError_t error = fake_begin_call("cudaStreamWaitEvent");

    (void)flags;
    if (!error)
        error = wait_in(stream, event);
    return fake_end_call(error);
}

static cudaError_t usable(const fake_event *event, const char *call)
{
    if (!fake_is_live_object(event, FAKE_EVENT, call))
        return cudaErrorInvalidResourceHandle;
    if (event->capture)
        return cudaErrorCapturedEvent;
    return fake_is_forbidden(call) ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

static cudaError_t outcome(const fake_event *event)
{
    if (fake.device[event->object.device].broken)
        return fake.device[event->object.device].broken;
    if (event->done < event->asked)
        return cudaErrorNotReady;
    fake_host_clock_merge(&event->known);
    return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    cudaError_t error = fake_begin_call("cudaEventQuery");

    if (!error)
        error = usable(event, "cudaEventQuery");
    if (!error)
        error = outcome(event);
    return fake_end_call(error);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    cudaError_t error = fake_begin_call("cudaEventSynchronize");

    if (!error)
        error = usable(event, "cudaEventSynchronize");
    if (error)
        return fake_end_call(error);
    while ((error = outcome(event)) == cudaErrorNotReady)
        pthread_cond_wait(&fake_change, &fake_lock);
    return fake_end_call(error);
}

static cudaError_t elapsed(float *ms, const fake_event *start, const fake_event *end)
{
    if (!fake_is_live_object(start, FAKE_EVENT, "cudaEventElapsedTime") ||
        !fake_is_live_object(end, FAKE_EVENT, "cudaEventElapsedTime"))
        return cudaErrorInvalidResourceHandle;
    if (start->capture || end->capture)
        return cudaErrorCapturedEvent;
    if ((start->flags | end->flags) & cudaEventDisableTiming || !start->done || !end->done ||
        start->device_of_record != end->device_of_record)
        return cudaErrorInvalidResourceHandle;
    if (start->done < start->asked || end->done < end->asked)
        return cudaErrorNotReady;
    *ms = (float)((double)(end->ns - start->ns) * 1e-6);
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    cudaError_t error = fake_begin_call("cudaEventElapsedTime");

    if (!error)
        error = elapsed(ms, start, end);
    return fake_end_call(error);
}
