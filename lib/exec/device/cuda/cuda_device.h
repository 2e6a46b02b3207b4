/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_DEVICE_CUDA_H
#define HSI_EXEC_DEVICE_CUDA_H

/* CUDA devices as a module for devices, over the functions of the backend for CUDA. */
#include "exec/backend/cuda/cuda.h"
#include "exec/device/fault.h"

typedef struct cuda_segment cuda_segment;

typedef struct cuda_device {
    hs_device          base;
    int                number;
    hsi_cuda_fault     fault;   /* of the call that runs; empty between calls */
    hsi_stream_context own;     /* a stream, and cuSOLVER's handle for sizes */
    void              *unit[2]; /* unit matrices of HSI_KERNEL_PANEL rows, by precision; NULL: not
                                   needed yet */
    int graph_events; /* whether events in graphs are pending from the launch on; -1: unknown */
} cuda_device;

typedef struct cuda_stream {
    hsi_stream_context context;
    cuda_segment      *segment; /* collects the work of the stream; NULL: none */
} cuda_stream;

typedef struct cuda_event {
    cudaEvent_t   event;
    cudaEvent_t   fork;    /* the step within a segment that is being collected */
    cuda_segment *segment; /* the segment that is being collected and records it; NULL: none */
    bool          recorded, reached;
} cuda_event;

static inline cuda_device *hsi_cuda_device_of(hs_device *device)
{
    return (cuda_device *)(void *)device;
}

/* Make the device current for a call. Return whether the call may be made. */
bool hsi_cuda_device_begin_call(hs_device *device);

/* Keep the fault of the call, if it failed. Return the result of the call. */
int hsi_cuda_device_end_call(hs_device *device, int result);

/* Upload the unit matrix of a precision, unless it is there. Return false for a fault. */
bool hsi_cuda_device_make_unit(cuda_device *d, int single);

/* operation.c */
int hsi_cuda_device_work(hs_device *device, const hs_operation *operation, size_t *bytes);
int hsi_cuda_device_launch(hs_stream *stream, const hs_operation *operation);

/* stream.c */
int  hsi_cuda_device_stream_open(hs_device *device, hs_stream *out);
void hsi_cuda_device_stream_close(hs_stream *stream);
int  hsi_cuda_device_copy(hs_stream *stream, hs_address to, hs_address from, size_t bytes);
int  hsi_cuda_device_event_open(hs_device *device, hs_event *out);
void hsi_cuda_device_event_close(hs_event *event);
int  hsi_cuda_device_record(hs_stream *stream, hs_event *event);
int  hsi_cuda_device_wait(hs_stream *stream, const hs_event *event);
int  hsi_cuda_device_query(hs_event *event);
int  hsi_cuda_device_elapsed(const hs_event *anchor, const hs_event *event, int64_t *ns);

/* segment.c */
extern const hs_segment_ops hsi_cuda_device_segments;

/* Let a segment collect the work of a stream; let it note an event that it records. */
void hsi_cuda_segment_add_stream(cuda_segment *segment, cuda_stream *stream);
bool hsi_cuda_segment_add_event(cuda_segment *segment, cuda_event *event);

#endif
