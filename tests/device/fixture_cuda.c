/* SPDX-License-Identifier: BSD-3-Clause */
/* The fixture of CUDA devices: the module on the fake CUDA, which has faults, or on a card. */
#include <dlfcn.h>
#include <semaphore.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "fixture.h"

enum { GATES = 8 };

/* A function of the host in a stream waits for its gate. */
typedef struct gate {
    cudaStream_t stream; /* NULL: unused */
    sem_t        open;
} gate;

static gate gates[GATES];

static const hs_device_ops *load(const char *path, const char **why)
{
    hs_device_module_function *entry = NULL;
    void                      *file = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

    if (file)
        *(void **)&entry = dlsym(file, HS_DEVICE_MODULE_SYMBOL);
    if (!entry) {
        *why = dlerror();
        return NULL;
    }
    ck_assert_ptr_null(entry(HS_DEVICE_ABI + 1));
    return entry(HS_DEVICE_ABI);
}

static void CUDART_CB wait_at(void *context)
{
    gate *g = context;

    while (sem_wait(&g->open) != 0)
        ;
}

static void hold(hs_stream *stream)
{
    gate *g = gates;

    while (g->stream)
        g++;
    ck_assert_ptr_ne(g, gates + GATES);
    g->stream = stream->native;
    ck_assert_int_eq(sem_init(&g->open, 0, 0), 0);
    ck_assert_int_eq(cudaLaunchHostFunc(g->stream, wait_at, g), cudaSuccess);
}

static void let_go(hs_stream *stream)
{
    gate *g = gates;

    while (g->stream != stream->native)
        g++;
    g->stream = NULL;
    sem_post(&g->open);
}

#ifdef DEVICE_CARD

static const hs_device_ops *module(const char **why)
{
    return load(".libs/hybridsched-cuda.so", why);
}

static const char *start(unsigned devices, const planned_fault *fault)
{
    (void)devices;
    (void)fault;
    return NULL;
}

const device_fixture fixture = {.name = "CUDA devices of this machine",
                                .roomy = true,
                                .module = module,
                                .start = start,
                                .hold = hold,
                                .let_go = let_go};

#else

#include "fake.h"

static planned_fault planned;
static bool          is_late;

static const hs_device_ops *module(const char **why)
{
    return load("tests/fakecuda/.libs/hybridsched-cuda.so", why);
}

static const char *start(unsigned devices, const planned_fault *fault)
{
    fake_settings settings = FAKE_SETTINGS;

    planned = fault ? *fault : (planned_fault){0};
    memset(gates, 0, sizeof gates);
    settings.devices = (int)devices;
    settings.memory = 200000000;
    settings.peers = 1;
    settings.late = is_late;
    settings.fail_call = planned.call;
    settings.sticky = planned.kind == FAULT_LOST;
    fake_reset(&settings);
    return NULL;
}

static void opened(void)
{
    if (planned.kind == FAULT_HANG)
        fake_hold_operations(FAKE_COPY_IN, 1);
    else if (planned.operation)
        fake_fail_operation(planned.operation);
}

static void choose_late(bool late)
{
    is_late = late;
}

static const char *start_without(void)
{
    fake_settings settings = FAKE_SETTINGS;

    settings.devices = 0;
    fake_reset(&settings);
    return NULL;
}

static bool happened(void)
{
    return fake_name_of_failed_call() != NULL;
}

static void end_hang(void)
{
    fake_hold_operations(FAKE_COPY_IN, 0);
}

static void check_clean(void)
{
    char left[200];

    fake_list_live_objects(left, sizeof left);
    ck_assert_msg(fake_live_objects() == 0, "left: %s", left);
    ck_assert_msg(fake_misuse_count() == 0, "%u misuses: %s", fake_misuse_count(),
                  fake_first_misuse());
}

const device_fixture fixture = {.name = "CUDA devices, fake",
                                .required = true,
                                .module = module,
                                .start = start,
                                .opened = opened,
                                .start_without = start_without,
                                .happened = happened,
                                .hold = hold,
                                .let_go = let_go,
                                .faults = true,
                                .hangs = true,
                                .fail_operation = fake_fail_operation,
                                .choose_late = choose_late,
                                .end_hang = end_hang,
                                .check_clean = check_clean};

#endif
