/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The task of stencil.c for OpenCL devices, in the same plugin:
 *
 *     cc -O2 -shared -fPIC $(pkg-config --cflags hybridsched OpenCL) -o stencil.so stencil.c \
 *         stencil_opencl.c $(pkg-config --libs OpenCL)
 *
 * The function enqueues a kernel and returns. The library queues the next task behind it, and
 * copies data while it runs.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <pthread.h>
#include <stdio.h>

#include <hybridsched/plugin.h>

#include "stencil.h"

/* Data of the library are parts of buffers, so a kernel gets each buffer with an index. */
static const char source[] =
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "kernel void relax(global const double *above, ulong a, global const double *own, ulong o,\n"
    "                  global const double *below, ulong b, global double *next, ulong n)\n"
    "{\n"
    "    size_t column = get_global_id(0), columns = get_global_size(0);\n"
    "    size_t row = get_global_id(1), rows = get_global_size(1), i = row * columns + column;\n"
    "    double up = row > 0 ? own[o + i - columns] : above[a + column];\n"
    "    double down = row + 1 < rows ? own[o + i + columns] : below[b + column];\n"
    "    double left = column > 0 ? own[o + i - 1] : 0;\n"
    "    double right = column + 1 < columns ? own[o + i + 1] : 0;\n"
    "    next[n + i] = (up + left + own[o + i] + right + down) / 5;\n"
    "}\n";

enum { MOST_CONTEXTS = 64 };

/* Programs by context, compiled once. A program keeps its context. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cl_context      contexts[MOST_CONTEXTS];
static cl_program      programs[MOST_CONTEXTS];
static size_t          count;

static cl_program compile(cl_context context, cl_int *error)
{
    const char *text = source;
    cl_program  program = clCreateProgramWithSource(context, 1, &text, NULL, error);

    if (*error == CL_SUCCESS)
        *error = clBuildProgram(program, 0, NULL, "", NULL, NULL);
    if (*error == CL_SUCCESS || !program)
        return program;
    clReleaseProgram(program);
    return NULL;
}

/* Return the program for a context, with the lock. NULL: an error, or too many contexts. */
static cl_program find_program(cl_context context, cl_int *error)
{
    for (size_t i = 0; i < count; i++)
        if (contexts[i] == context)
            return programs[i];
    if (count == MOST_CONTEXTS)
        return NULL;
    contexts[count] = context;
    programs[count] = compile(context, error);
    return programs[count] ? programs[count++] : NULL;
}

/* Return a kernel for the queue, which the caller releases; NULL: an error. */
static cl_kernel create_kernel(cl_command_queue queue, cl_int *error)
{
    cl_context context;
    cl_program program;

    *error = clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    if (*error != CL_SUCCESS)
        return NULL;
    pthread_mutex_lock(&lock);
    program = find_program(context, error);
    pthread_mutex_unlock(&lock);
    return program ? clCreateKernel(program, "relax", error) : NULL;
}

static cl_int set_argument(cl_kernel kernel, cl_uint number, const hs_plugin_data *data)
{
    cl_mem   buffer = data->buffer;
    cl_ulong index = data->offset / sizeof(double);
    cl_int   error;

    if (number == 0) /* the last row of the block above */
        index += data->bytes / sizeof(double) - COLUMNS;
    error = clSetKernelArg(kernel, 2 * number, sizeof buffer, &buffer);
    return error == CL_SUCCESS ? clSetKernelArg(kernel, 2 * number + 1, sizeof index, &index)
                               : error;
}

HS_PLUGIN_OPENCL_TASK(relax)
{
    const size_t size[] = {COLUMNS, task->data[1].bytes / sizeof(double[COLUMNS])};
    cl_int       error = CL_SUCCESS;
    cl_kernel    kernel = create_kernel(task->stream, &error);

    for (cl_uint i = 0; kernel && i < 4 && error == CL_SUCCESS; i++)
        error = set_argument(kernel, i, &task->data[i]);
    if (kernel && error == CL_SUCCESS)
        error = clEnqueueNDRangeKernel(task->stream, kernel, 2, NULL, size, NULL, 0, NULL, NULL);
    if (kernel)
        clReleaseKernel(kernel);
    if (kernel && error == CL_SUCCESS)
        return HS_PLUGIN_DONE;
    snprintf(task->message, task->message_size, "OpenCL error %d", (int)error);
    return HS_PLUGIN_FAILED;
}
