/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_NEXT */
#endif
#define CL_TARGET_OPENCL_VERSION 120
#pragma GCC visibility push(default) /* the program's functions replace those of the library */
#include <CL/cl.h>
#pragma GCC visibility pop
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "opencl_faults.h"

static unsigned    calls, failing, copies, failing_copy;
static cl_int      planned;
static const char *last_call, *failed_call;
static int         live;

void opencl_fail_call(unsigned call, int error)
{
    calls = copies = failing_copy = 0;
    failing = call;
    planned = error;
    last_call = failed_call = NULL;
}

void opencl_fail_copy(unsigned copy)
{
    copies = 0;
    failing_copy = copy;
}

const char *opencl_failed_call(void)
{
    return failed_call;
}

int opencl_live_objects(void)
{
    return live;
}

/* Return true if the address is in CLBlast and the call creates a buffer. */
static bool is_temporary(const char *call, void *caller)
{
    Dl_info info;

    return strcmp(call, "clCreateBuffer") == 0 && dladdr(caller, &info) && info.dli_fname &&
           strstr(info.dli_fname, "libclblast");
}

/* Count a call, and return true if it must fail. */
static bool fails(const char *call, void *caller)
{
    bool repeated = last_call == call && strcmp(call, "clGetEventInfo") == 0;

    last_call = call;
    if (repeated || is_temporary(call, caller) || ++calls != failing)
        return false;
    failed_call = call;
    return true;
}

static void *real_function(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

/* Define a function that returns a status. */
#define STATUS(name, parameters, ...)                                                              \
    cl_int name parameters                                                                         \
    {                                                                                              \
        static cl_int(*real) parameters;                                                           \
                                                                                                   \
        if (fails(#name, __builtin_return_address(0)))                                             \
            return planned;                                                                        \
        if (!real)                                                                                 \
            *(void **)&real = real_function(#name);                                                \
        return real(__VA_ARGS__);                                                                  \
    }

/* Define a function that returns an object; `counts`: the object counts as live. */
#define OBJECT(type, name, counts, parameters, ...)                                                \
    type name parameters                                                                           \
    {                                                                                              \
        static type(*real) parameters;                                                             \
        type object;                                                                               \
                                                                                                   \
        if (fails(#name, __builtin_return_address(0))) {                                           \
            if (error)                                                                             \
                *error = planned;                                                                  \
            return NULL;                                                                           \
        }                                                                                          \
        if (!real)                                                                                 \
            *(void **)&real = real_function(#name);                                                \
        object = real(__VA_ARGS__);                                                                \
        live += (counts) && object != NULL;                                                        \
        return object;                                                                             \
    }

/* Define a function that releases an object that is counted. */
#define RELEASE(name, type)                                                                        \
    cl_int name(type object)                                                                       \
    {                                                                                              \
        static cl_int (*real)(type);                                                               \
                                                                                                   \
        if (!real)                                                                                 \
            *(void **)&real = real_function(#name);                                                \
        live--;                                                                                    \
        return real(object);                                                                       \
    }

/* Call a function that copies. If this copy must fail, its command waits for an event that fails.
 */
#define COPY(name, parameters, queue, count, list, ...)                                            \
    cl_int name parameters                                                                         \
    {                                                                                              \
        static cl_int(*real) parameters;                                                           \
        cl_event stop;                                                                             \
        cl_int   status;                                                                           \
                                                                                                   \
        if (fails(#name, __builtin_return_address(0)))                                             \
            return planned;                                                                        \
        if (!real)                                                                                 \
            *(void **)&real = real_function(#name);                                                \
        if (!(stop = stop_of_copy(queue)))                                                         \
            return real(__VA_ARGS__, count, list, event);                                          \
        status = real(__VA_ARGS__, 1, &stop, event);                                               \
        clSetUserEventStatus(stop, CL_DEVICE_NOT_AVAILABLE);                                       \
        clReleaseEvent(stop);                                                                      \
        return status;                                                                             \
    }

/* Return an event for the copy that must fail; NULL: this copy is none. */
static cl_event stop_of_copy(cl_command_queue queue)
{
    static cl_int (*get_info)(cl_command_queue, cl_command_queue_info, size_t, void *, size_t *);
    cl_context context;

    if (++copies != failing_copy)
        return NULL;
    *(void **)&get_info = real_function("clGetCommandQueueInfo");
    if (get_info(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL) != CL_SUCCESS)
        return NULL;
    return clCreateUserEvent(context, NULL);
}

STATUS(clGetPlatformIDs, (cl_uint room, cl_platform_id *list, cl_uint *count), room, list, count)
STATUS(clGetDeviceIDs,
       (cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *list,
        cl_uint *count),
       platform, type, room, list, count)
STATUS(clGetDeviceInfo,
       (cl_device_id device, cl_device_info what, size_t size, void *at, size_t *used), device,
       what, size, at, used)
STATUS(clGetCommandQueueInfo,
       (cl_command_queue queue, cl_command_queue_info what, size_t size, void *at, size_t *used),
       queue, what, size, at, used)
STATUS(clGetMemObjectInfo, (cl_mem memory, cl_mem_info what, size_t size, void *at, size_t *used),
       memory, what, size, at, used)
STATUS(clGetProgramInfo,
       (cl_program program, cl_program_info what, size_t size, void *at, size_t *used), program,
       what, size, at, used)
STATUS(clGetProgramBuildInfo,
       (cl_program program, cl_device_id device, cl_program_build_info what, size_t size, void *at,
        size_t *used),
       program, device, what, size, at, used)
STATUS(clGetKernelWorkGroupInfo,
       (cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what, size_t size,
        void *at, size_t *used),
       kernel, device, what, size, at, used)
STATUS(clGetEventInfo, (cl_event event, cl_event_info what, size_t size, void *at, size_t *used),
       event, what, size, at, used)
STATUS(clGetEventProfilingInfo,
       (cl_event event, cl_profiling_info what, size_t size, void *at, size_t *used), event, what,
       size, at, used)
STATUS(clBuildProgram,
       (cl_program program, cl_uint count, const cl_device_id *list, const char *options,
        void(CL_CALLBACK *notify)(cl_program, void *), void *data),
       program, count, list, options, notify, data)
STATUS(clSetKernelArg, (cl_kernel kernel, cl_uint index, size_t size, const void *at), kernel,
       index, size, at)
STATUS(clFlush, (cl_command_queue queue), queue)
STATUS(clFinish, (cl_command_queue queue), queue)
STATUS(clWaitForEvents, (cl_uint count, const cl_event *list), count, list)
STATUS(clEnqueueFillBuffer,
       (cl_command_queue queue, cl_mem buffer, const void *pattern, size_t size, size_t offset,
        size_t bytes, cl_uint count, const cl_event *list, cl_event *event),
       queue, buffer, pattern, size, offset, bytes, count, list, event)
STATUS(clEnqueueNDRangeKernel,
       (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
        const size_t *global, const size_t *local, cl_uint count, const cl_event *list,
        cl_event *event),
       queue, kernel, dimensions, offset, global, local, count, list, event)
STATUS(clEnqueueMarkerWithWaitList,
       (cl_command_queue queue, cl_uint count, const cl_event *list, cl_event *event), queue, count,
       list, event)
STATUS(clEnqueueBarrierWithWaitList,
       (cl_command_queue queue, cl_uint count, const cl_event *list, cl_event *event), queue, count,
       list, event)
COPY(clEnqueueWriteBuffer,
     (cl_command_queue queue, cl_mem buffer, cl_bool blocks, size_t offset, size_t bytes,
      const void *from, cl_uint count, const cl_event *list, cl_event *event),
     queue, count, list, queue, buffer, blocks, offset, bytes, from)
COPY(clEnqueueReadBuffer,
     (cl_command_queue queue, cl_mem buffer, cl_bool blocks, size_t offset, size_t bytes, void *to,
      cl_uint count, const cl_event *list, cl_event *event),
     queue, count, list, queue, buffer, blocks, offset, bytes, to)
COPY(clEnqueueCopyBuffer,
     (cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset,
      size_t bytes, cl_uint count, const cl_event *list, cl_event *event),
     queue, count, list, queue, from, to, from_offset, to_offset, bytes)
OBJECT(cl_context, clCreateContext, true,
       (const cl_context_properties *properties, cl_uint count, const cl_device_id *list,
        void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data,
        cl_int *error),
       properties, count, list, notify, data, error)
OBJECT(cl_command_queue, clCreateCommandQueue, true,
       (cl_context context, cl_device_id device, cl_command_queue_properties properties,
        cl_int *error),
       context, device, properties, error)
OBJECT(cl_mem, clCreateBuffer, true,
       (cl_context context, cl_mem_flags flags, size_t bytes, void *at, cl_int *error), context,
       flags, bytes, at, error)
OBJECT(cl_program, clCreateProgramWithSource, false,
       (cl_context context, cl_uint count, const char **texts, const size_t *lengths,
        cl_int *error),
       context, count, texts, lengths, error)
OBJECT(cl_program, clCreateProgramWithBinary, false,
       (cl_context context, cl_uint count, const cl_device_id *list, const size_t *lengths,
        const unsigned char **binaries, cl_int *status, cl_int *error),
       context, count, list, lengths, binaries, status, error)
OBJECT(cl_kernel, clCreateKernel, false, (cl_program program, const char *name, cl_int *error),
       program, name, error)
RELEASE(clReleaseContext, cl_context)
RELEASE(clReleaseCommandQueue, cl_command_queue)
RELEASE(clReleaseMemObject, cl_mem)
