/* SPDX-License-Identifier: BSD-3-Clause */
/* State of the fake: settings, counters, and the entry and exit of each call. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "state.h"

pthread_mutex_t fake_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t  fake_change = PTHREAD_COND_INITIALIZER;

struct fake_state fake;

static char         first_misuse[256];
static int          quiet;
static fake_object *objects[4096]; /* hash table by address */

/* The state that CUDA keeps for each thread. */
static _Thread_local struct {
    unsigned    generation;
    int         device;
    cudaError_t last;
    int         failing; /* the present call is made to fail */
    const char *name;    /* name of the present or last call */
} own;

int64_t fake_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void *grown(void *array, size_t *room, size_t size)
{
    *room = *room ? 2 * *room : 256;
    array = realloc(array, *room * size);
    if (!array)
        abort();
    return array;
}

void fake_add_record(const fake_record *record)
{
    if (fake.record_count == fake.record_room)
        fake.records = grown(fake.records, &fake.record_room, sizeof *fake.records);
    fake.records[fake.record_count++] = *record;
}

void fake_complain(const char *format, ...)
{
    va_list list;
    char    text[sizeof first_misuse];

    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (fake.misuses++ == 0)
        memcpy(first_misuse, text, sizeof text);
    if (!quiet)
        fprintf(stderr, "fake CUDA: misuse: %s\n", text);
}

enum { PLACES = sizeof objects / sizeof *objects };

static fake_object **place_of(const void *object)
{
    return &objects[((uintptr_t)object >> 5) * 0x9e3779b97f4a7c15u >> 52];
}

static void dispose_of(fake_object *object)
{
    fake_object *next;

    for (; object; object = next) {
        next = object->next;
        if (object->dispose)
            object->dispose(object);
        free(object);
    }
}

static void dispose_all(void)
{
    int i;

    for (i = 0; i < PLACES; i++)
        dispose_of(objects[i]);
    memset(objects, 0, sizeof objects);
}

static void begin(const fake_settings *settings)
{
    unsigned generation = fake.generation + 1;

    fake_captures_reset();
    fake_streams_reset();
    dispose_all();
    free(fake.records);
    memset(&fake, 0, sizeof fake);
    fake.settings = *settings;
    fake.generation = generation;
    first_misuse[0] = '\0';
    quiet = 0;
}

void fake_reset(const fake_settings *settings)
{
    pthread_mutex_lock(&fake_lock);
    begin(settings);
    pthread_mutex_unlock(&fake_lock);
}

/* Set a property beside computation by its name. */
static void set_manner(fake_settings *settings, const char *name, double value)
{
    if (strcmp(name, "host") == 0)
        settings->host = value;
    else if (strcmp(name, "speed") == 0)
        settings->speed = value;
    else if (strcmp(name, "engines") == 0)
        settings->engines = (int)value;
    else if (strcmp(name, "queues") == 0)
        settings->queues = (int)value;
    else if (strcmp(name, "queue") == 0)
        settings->queue = (int)value;
    else if (strcmp(name, "overlap") == 0)
        settings->overlap = (int)value;
    else if (strcmp(name, "late") == 0)
        settings->late = (int)value;
    else if (strcmp(name, "handle") == 0)
        settings->handle = (size_t)value;
    else if (strcmp(name, "peers") == 0)
        settings->peers = (int)value;
    else if (strcmp(name, "hidden") == 0)
        settings->hidden = (int)value;
    else if (strcmp(name, "lazy") == 0)
        settings->lazy = value;
    else
        fprintf(stderr, "fake CUDA: there is no setting '%s'\n", name);
}

static void set_by_name(fake_settings *settings, const char *name, double value)
{
    if (strcmp(name, "devices") == 0)
        settings->devices = (int)value;
    else if (strcmp(name, "memory") == 0)
        settings->memory = (size_t)value;
    else if (strcmp(name, "bandwidth") == 0)
        settings->bandwidth = value;
    else if (strcmp(name, "launch") == 0)
        settings->launch = value;
    else if (strcmp(name, "kernel") == 0)
        settings->kernel = value;
    else if (strcmp(name, "compute") == 0)
        settings->compute = (int)value;
    else if (strcmp(name, "mig") == 0)
        settings->mig = (int)value;
    else if (strcmp(name, "fail-call") == 0)
        settings->fail_call = (unsigned)value;
    else if (strcmp(name, "fail-operation") == 0)
        settings->fail_operation = (unsigned)value;
    else if (strcmp(name, "error") == 0)
        settings->error = (int)value;
    else if (strcmp(name, "sticky") == 0)
        settings->sticky = (int)value;
    else if (strcmp(name, "skip") == 0)
        settings->skip = (unsigned)value;
    else if (strcmp(name, "skip-from") == 0)
        settings->skip_from = (size_t)value;
    else
        set_manner(settings, name, value);
}

/* Read the settings from FAKECUDA, for programs without fake_reset(). */
static void begin_by_environment(void)
{
    fake_settings settings = FAKE_SETTINGS;
    const char   *text = getenv("FAKECUDA");
    char          name[32];
    double        value;
    int           length;

    for (; text && sscanf(text, " %31[a-z-]=%lf%n", name, &value, &length) == 2; text += length)
        set_by_name(&settings, name, value);
    begin(&settings);
}

static void know_thread(void)
{
    if (!fake.generation)
        begin_by_environment();
    if (own.generation == fake.generation)
        return;
    own.generation = fake.generation;
    own.device = 0;
    own.last = cudaSuccess;
}

int fake_current_device(void)
{
    return own.device;
}

cudaError_t fake_set_device(int device)
{
    if (device < 0 || device >= fake.settings.devices)
        return cudaErrorInvalidDevice;
    own.device = device;
    return cudaSuccess;
}

/* Break a device: every further operation in its streams has no effect. */
void fake_break_device(int device, cudaError_t error)
{
    if (device >= 0 && device < FAKE_DEVICES && !fake.device[device].broken)
        fake.device[device].broken = error;
    pthread_cond_broadcast(&fake_change);
}

static cudaError_t usual_error(const char *name)
{
    if (fake.settings.sticky)
        return cudaErrorLaunchFailure;
    if (strstr(name, "Malloc") || strstr(name, "Alloc") || strstr(name, "Create") ||
        strstr(name, "Instantiate"))
        return cudaErrorMemoryAllocation;
    return cudaErrorInvalidValue;
}

/* Make the call fail. A failing query of the device count breaks no device. */
static cudaError_t fail(const char *name, int device)
{
    cudaError_t error = (cudaError_t)fake.settings.error;

    if (!error)
        error = usual_error(name);
    fake.failed = name;
    own.failing = 1;
    if (fake.settings.sticky)
        fake_break_device(device, error);
    return error;
}

static cudaError_t enter(const char *name, int device)
{
    int repeated = 0;

    own.failing = 0;
    if (own.name != name || !strstr(name, "Query"))
        fake.calls++;
    else
        repeated = 1; /* repeated queries count once, because their number depends on timing */
    own.name = name;
    if (fake.settings.devices < 0)
        return cudaErrorInsufficientDriver;
    if (fake.settings.devices == 0)
        return cudaErrorNoDevice;
    if (!repeated && fake.settings.fail_call && fake.calls == fake.settings.fail_call)
        return fail(name, device);
    if (fake.settings.fail_name && !fake.failed && strcmp(name, fake.settings.fail_name) == 0 &&
        fake.settings.spared-- == 0)
        return fail(name, device);
    return cudaSuccess;
}

cudaError_t fake_begin_call_on_device(const char *name, int device)
{
    pthread_mutex_lock(&fake_lock);
    know_thread();
    return enter(name, device);
}

cudaError_t fake_begin_call_even_if_broken(const char *name)
{
    pthread_mutex_lock(&fake_lock);
    know_thread();
    return enter(name, own.device);
}

cudaError_t fake_begin_call(const char *name)
{
    cudaError_t error = fake_begin_call_even_if_broken(name);

    return error ? error : fake.device[own.device].broken;
}

/* Wait until broken devices have stopped: a caller that learns of a broken device may free its
 * memory and copies' targets. */
static void let_broken_stop(void)
{
    int i;

    for (i = 0; i < FAKE_DEVICES; i++)
        while (fake.device[i].broken && fake.device[i].running)
            pthread_cond_wait(&fake_change, &fake_lock);
}

cudaError_t fake_end_call(cudaError_t error)
{
    int64_t until = fake_now() + (int64_t)(1e9 * fake.settings.host);

    if (error && error != cudaErrorNotReady)
        own.last = error;
    let_broken_stop();
    pthread_mutex_unlock(&fake_lock);
    while (fake_now() < until) /* busy waiting, like the CPU time of a call */
        ;
    return error;
}

cudaError_t fake_last_error(int forget)
{
    cudaError_t error;

    pthread_mutex_lock(&fake_lock);
    know_thread();
    error = own.last ? own.last : fake.device[own.device].broken;
    if (forget)
        own.last = cudaSuccess;
    let_broken_stop();
    pthread_mutex_unlock(&fake_lock);
    return error;
}

static const char *const type_names[FAKE_TYPES] = {
    "stream", "event", "graph", "instantiated graph", "cuBLAS handle", "cuSOLVER handle", "memory"};

cudaError_t fake_take_handle_memory(void)
{
    struct fake_device *device = &fake.device[own.device];

    if (fake.settings.handle > fake.settings.memory - device->used)
        return cudaErrorInitializationError;
    device->used += fake.settings.handle;
    device->peak = device->used > device->peak ? device->used : device->peak;
    return cudaSuccess;
}

void fake_return_handle_memory(const fake_object *object)
{
    fake.device[object->device].used -= fake.settings.handle;
}

void *fake_object_create(fake_type type, size_t size)
{
    fake_object *object = calloc(1, size);

    if (!object)
        abort();
    object->type = type;
    object->alive = 1;
    object->device = own.device;
    object->next = *place_of(object);
    *place_of(object) = object;
    return object;
}

void fake_object_destroy(fake_object *object)
{
    object->alive = 0;
}

int fake_object_kept_by_failure(fake_object *object)
{
    object->doubtful |= own.failing;
    return own.failing;
}

int fake_is_live_object(const void *pointer, fake_type type, const char *call)
{
    const fake_object *object;

    for (object = *place_of(pointer); object && object != pointer; object = object->next)
        ;
    if (object && object->type == type && object->alive)
        return 1;
    fake_complain("%s: %s is %s", call, type_names[type],
                  object && object->type == type ? "destroyed" : "none");
    return 0;
}

static unsigned count_live(unsigned count[FAKE_TYPES])
{
    const fake_object *object;
    unsigned           all = 0;
    int                i;

    pthread_mutex_lock(&fake_lock);
    for (i = 0; i < PLACES; i++)
        for (object = objects[i]; object; object = object->next)
            if (object->alive && !object->doubtful) {
                count[object->type]++;
                all++;
            }
    pthread_mutex_unlock(&fake_lock);
    return all;
}

unsigned fake_live_objects(void)
{
    unsigned count[FAKE_TYPES] = {0};

    return count_live(count);
}

void fake_list_live_objects(char *text, size_t size)
{
    unsigned count[FAKE_TYPES] = {0};
    size_t   used = 0;
    int      type;

    count_live(count);
    *text = '\0';
    for (type = 0; type < FAKE_TYPES && used < size; type++)
        if (count[type])
            used += (size_t)snprintf(text + used, size - used, "%s%s: %u", used ? ", " : "",
                                     type_names[type], count[type]);
}

static unsigned asked(const unsigned *value)
{
    unsigned now;

    pthread_mutex_lock(&fake_lock);
    now = *value;
    pthread_mutex_unlock(&fake_lock);
    return now;
}

unsigned fake_call_count(void)
{
    return asked(&fake.calls);
}

unsigned fake_misuse_count(void)
{
    return asked(&fake.misuses);
}

unsigned fake_pageable_copies(void)
{
    return asked(&fake.pageable);
}

unsigned fake_default_workspaces(void)
{
    return asked(&fake.default_workspaces);
}

unsigned fake_full_queue_waits(void)
{
    return asked(&fake.full);
}

unsigned fake_queue_length(void)
{
    return asked((const unsigned *)&fake.settings.queue);
}

unsigned fake_begun_count(fake_kind kind)
{
    return asked(&fake.begun[kind]);
}

unsigned fake_ended_count(fake_kind kind)
{
    return asked(&fake.ended[kind]);
}

const char *fake_name_of_failed_call(void)
{
    const char *name;

    pthread_mutex_lock(&fake_lock);
    name = fake.failed;
    pthread_mutex_unlock(&fake_lock);
    return name;
}

const char *fake_first_misuse(void)
{
    return first_misuse;
}

void fake_set_quiet(int wanted)
{
    pthread_mutex_lock(&fake_lock);
    quiet = wanted;
    pthread_mutex_unlock(&fake_lock);
}

void fake_fail_call(unsigned call, int error, int sticky)
{
    pthread_mutex_lock(&fake_lock);
    fake.settings.fail_call = call ? fake.calls + call : 0;
    fake.settings.error = error;
    fake.settings.sticky = sticky;
    fake.failed = NULL;
    pthread_mutex_unlock(&fake_lock);
}

void fake_fail_operation(unsigned operation)
{
    pthread_mutex_lock(&fake_lock);
    fake.settings.fail_operation = operation ? fake.operations + operation : 0;
    fake.failed = NULL;
    pthread_mutex_unlock(&fake_lock);
}

void fake_hold_operations(fake_kind kind, int held)
{
    pthread_mutex_lock(&fake_lock);
    fake.held[kind] = held;
    pthread_cond_broadcast(&fake_change);
    pthread_mutex_unlock(&fake_lock);
}

void fake_hold_when_queue_is_full(void)
{
    pthread_mutex_lock(&fake_lock);
    fake.full = 0;
    fake.holds_when_full = 1;
    pthread_mutex_unlock(&fake_lock);
}

size_t fake_record_count(void)
{
    size_t count;

    pthread_mutex_lock(&fake_lock);
    count = fake.record_count;
    pthread_mutex_unlock(&fake_lock);
    return count;
}

fake_record fake_record_at(size_t index)
{
    fake_record record;

    pthread_mutex_lock(&fake_lock);
    record = fake.records[index];
    pthread_mutex_unlock(&fake_lock);
    return record;
}

size_t fake_memory_used(int device)
{
    size_t used;

    pthread_mutex_lock(&fake_lock);
    used = fake.device[device].used;
    pthread_mutex_unlock(&fake_lock);
    return used;
}

size_t fake_memory_peak(int device)
{
    size_t peak;

    pthread_mutex_lock(&fake_lock);
    peak = fake.device[device].peak;
    pthread_mutex_unlock(&fake_lock);
    return peak;
}
