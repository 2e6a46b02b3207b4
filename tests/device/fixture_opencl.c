/* SPDX-License-Identifier: BSD-3-Clause */
/* The fixture of OpenCL devices, CPUs included: user events hold streams, and calls fail. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>

#include "fixture.h"
#include "opencl_faults.h"

enum { GATES = 8 };

static struct {
    cl_command_queue queue; /* NULL: unused */
    cl_event         open;
} gates[GATES];

static const hs_device_ops *module(const char **why)
{
    hs_device_module_function *entry = NULL;
    void *file = dlopen(".libs/hybridsched-opencl.so", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

    if (file)
        *(void **)&entry = dlsym(file, HS_DEVICE_MODULE_SYMBOL);
    if (!entry) {
        *why = dlerror();
        return NULL;
    }
    ck_assert_ptr_null(entry(HS_DEVICE_ABI + 1));
    return entry(HS_DEVICE_ABI);
}

static planned_fault planned;

static const char *start(unsigned devices, const planned_fault *fault)
{
    (void)devices;
    planned = fault ? *fault : (planned_fault){0};
    opencl_fail_call(planned.call, planned.kind == FAULT_MEMORY ? CL_OUT_OF_HOST_MEMORY
                                                                : CL_DEVICE_NOT_AVAILABLE);
    return "all";
}

static void opened(void)
{
    opencl_fail_copy(planned.operation);
}

static bool happened(void)
{
    return opencl_failed_call() != NULL;
}

static void check_clean(void)
{
    ck_assert_int_eq(opencl_live_objects(), 0);
}

static void hold(hs_stream *stream)
{
    cl_context context;
    cl_int     error;
    int        i = 0;

    while (gates[i].queue)
        i++;
    ck_assert_int_lt(i, GATES);
    gates[i].queue = stream->native;
    ck_assert_int_eq(
        clGetCommandQueueInfo(gates[i].queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL),
        CL_SUCCESS);
    gates[i].open = clCreateUserEvent(context, &error);
    ck_assert_int_eq(error, CL_SUCCESS);
    ck_assert_int_eq(clEnqueueBarrierWithWaitList(gates[i].queue, 1, &gates[i].open, NULL),
                     CL_SUCCESS);
}

static void let_go(hs_stream *stream)
{
    int i = 0;

    while (gates[i].queue != stream->native)
        i++;
    gates[i].queue = NULL;
    ck_assert_int_eq(clSetUserEventStatus(gates[i].open, CL_COMPLETE), CL_SUCCESS);
    clReleaseEvent(gates[i].open);
}

const device_fixture fixture = {.name = "OpenCL devices",
                                .roomy = true,
                                .pageable = true,
                                .module = module,
                                .start = start,
                                .opened = opened,
                                .happened = happened,
                                .hold = hold,
                                .let_go = let_go,
                                .faults = true,
                                .check_clean = check_clean};
