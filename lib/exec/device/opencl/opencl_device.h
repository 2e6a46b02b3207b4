/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_DEVICE_OPENCL_H
#define HSI_EXEC_DEVICE_OPENCL_H

/* OpenCL 1.2 devices as a module for devices. Each device has a context, so events and buffers are
 * not shared between devices. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "exec/device/fault.h"

enum { OPENCL_BLOCK = 32 }; /* columns that the kernel of trsm solves at once */

typedef struct opencl_device {
    hs_device        base;
    cl_device_id     id;
    cl_context       context;
    cl_command_queue own; /* fills new buffers */
    cl_program       program;
    cl_kernel        solve[2]; /* trsm of a block, by precision; NULL: no such precision */
} opencl_device;

typedef struct opencl_stream opencl_stream;

/* A command that was not seen to end. */
typedef struct opencl_command {
    cl_event       event;
    opencl_stream *from;     /* a wait for a step of this stream; NULL: no wait */
    uint64_t       commands; /* of `from` before the step */
} opencl_command;

struct opencl_stream {
    opencl_device   *device;
    cl_command_queue queue;
    unsigned         users;   /* references: the stream, its last events, waits for its steps */
    opencl_command  *command; /* in order */
    size_t           count, room;
    uint64_t         passed; /* commands that were seen to end well */
};

/* A marker ends well even if a command before it failed, and so does a barrier behind it: on POCL,
 * a barrier that waits for a command that fails never ends. So a step is reached when its marker
 * and each command before it have ended well, those before the steps that it waits for included. */
typedef struct opencl_event {
    cl_event       marker; /* NULL: nothing is recorded */
    opencl_stream *stream;
    uint64_t       commands; /* of the stream before the marker */
    bool           reached;
} opencl_event;

static inline opencl_device *hsi_opencl_of(hs_device *device)
{
    return (opencl_device *)(void *)device;
}

/* Keep the fault of a call that returned `error`. Return whether there was none. */
bool hsi_opencl_ok(opencl_device *device, cl_int error, const char *call);

/* stream.c: append a command, which is no wait, to the list of its stream, which owns it. */
bool hsi_opencl_add_command(opencl_stream *stream, cl_event command);

int  hsi_opencl_stream_open(hs_device *device, hs_stream *out);
void hsi_opencl_stream_close(hs_stream *stream);
int  hsi_opencl_copy(hs_stream *stream, hs_address to, hs_address from, size_t bytes);
int  hsi_opencl_event_open(hs_device *device, hs_event *out);
void hsi_opencl_event_close(hs_event *event);
int  hsi_opencl_record(hs_stream *stream, hs_event *event);
int  hsi_opencl_wait(hs_stream *stream, const hs_event *event);
int  hsi_opencl_query(hs_event *event);
int  hsi_opencl_elapsed(const hs_event *anchor, const hs_event *event, int64_t *ns);

/* operation.c: compile the kernels and set the mask of operations. */
bool hsi_opencl_build(opencl_device *device);
int  hsi_opencl_launch(hs_stream *stream, const hs_operation *operation);

#endif
