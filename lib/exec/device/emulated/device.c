/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "exec/device/emulated/emulated_private.h"

enum { ALIGNMENT = 256, NOT_A_NUMBER = 0xff /* each byte of a NaN */ };

pthread_mutex_t hsi_emulated_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t  hsi_emulated_change = PTHREAD_COND_INITIALIZER;

static const char domain;

/* Count a call; repeated queries count once, since their number depends on timing. Return whether
 * the settings chose it to fail. */
static bool is_chosen(emulated_device *d, const char *call)
{
    bool repeated = d->last_call == call && strcmp(call, "query") == 0;

    d->last_call = call;
    if (repeated)
        return false;
    d->calls++;
    return (double)d->calls == d->settings.fail_call;
}

bool hsi_emulated_begin_call(hs_device *device, const char *call)
{
    emulated_device *d = hsi_emulated_of(device);
    hs_fault_kind kind = d->settings.fault == HSI_EMULATED_MEMORY ? HS_FAULT_MEMORY : HS_FAULT_LOST;

    if (hsi_device_is_lost(device))
        return false;
    pthread_mutex_lock(&hsi_emulated_lock);
    if (d->lost) {
        hsi_device_note_fault(device, HS_FAULT_LOST, call, "an operation failed");
    } else if (is_chosen(d, call)) {
        d->lost = kind == HS_FAULT_LOST;
        pthread_cond_broadcast(&hsi_emulated_change);
        hsi_device_note_fault(device, kind, call, "its setting fail-call chose it");
    } else {
        return true;
    }
    pthread_mutex_unlock(&hsi_emulated_lock);
    return false;
}

static void end_call(void)
{
    pthread_mutex_unlock(&hsi_emulated_lock);
}

static hs_status list(const char *which, hs_device_info *info, unsigned room, unsigned *count,
                      hs_error *error)
{
    hsi_emulated_settings s;
    hs_status             st = hsi_emulated_read_settings(which, &s, error);
    unsigned              i;

    if (st != HS_OK)
        return st;
    *count = (unsigned)s.devices;
    if (*count == 0)
        return hsi_error_set(error, HS_ERESOURCE, "no device is emulated: set devices=1 or more");
    for (i = 0; i < room && i < *count; i++) {
        info[i] = (hs_device_info){.memory = (uint64_t)s.memory};
        snprintf(info[i].name, sizeof info[i].name, "emulated device %u", i);
    }
    return HS_OK;
}

static hs_status open_device(const char *which, unsigned index, hs_device **out, hs_error *error)
{
    hsi_emulated_settings s;
    hs_status             st = hsi_emulated_read_settings(which, &s, error);
    emulated_device      *d;
    uint32_t              kinds = hsi_emulated_kinds();

    if (st != HS_OK)
        return st;
    if (s.operations > 0)
        kinds &= (uint32_t)s.operations;
    if (index >= s.devices)
        return hsi_error_set(error, HS_ERESOURCE, "there is no emulated device %u; set devices=%u",
                             index, index + 1);
    d = calloc(1, sizeof *d);
    if (!d)
        return HS_ENOMEM;
    d->settings = s;
    d->base = (hs_device){.ops = &hsi_device_emulated,
                          .domain = &domain,
                          .operations = {kinds, kinds},
                          .memory = (size_t)s.memory,
                          .chunk = (size_t)(s.chunk < s.memory ? s.chunk : s.memory)};
    *out = &d->base;
    return HS_OK;
}

/* The threads of a hung device still use it. */
static void close_device(hs_device *device)
{
    if (device->fault.kind != HS_FAULT_HUNG)
        free(hsi_emulated_of(device));
}

static emulated_buffer *make_buffer(size_t bytes)
{
    emulated_buffer *b = malloc(sizeof *b);
    size_t           whole = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;

    if (!b)
        return NULL;
    b->bytes = bytes;
    b->at = aligned_alloc(ALIGNMENT, whole ? whole : ALIGNMENT);
    if (!b->at) {
        free(b);
        return NULL;
    }
    memset(b->at, NOT_A_NUMBER, bytes);
    return b;
}

static int alloc(hs_device *device, size_t bytes, hs_buffer *out)
{
    emulated_device *d = hsi_emulated_of(device);
    emulated_buffer *b = NULL;

    if (!hsi_emulated_begin_call(device, "alloc"))
        return 0;
    if (bytes <= device->chunk && bytes <= device->memory - d->used)
        b = make_buffer(bytes);
    if (b)
        d->used += bytes;
    else
        hsi_device_note_fault(device, HS_FAULT_MEMORY, "alloc", "the device has no memory left");
    end_call();
    if (b)
        *out = b;
    return b != NULL;
}

static void release(hs_device *device, hs_buffer buffer)
{
    emulated_buffer *b = buffer;

    if (!b || device->fault.kind == HS_FAULT_HUNG)
        return;
    pthread_mutex_lock(&hsi_emulated_lock);
    hsi_emulated_of(device)->used -= b->bytes;
    pthread_mutex_unlock(&hsi_emulated_lock);
    free(b->at);
    free(b);
}

/* Host memory needs no lock here. Missing memory is no fault. */
static void *host_alloc(hs_device *device, void *at, size_t bytes)
{
    hs_fault before = device->fault;

    if (!hsi_emulated_begin_call(device, "host_alloc")) {
        if (device->fault.kind == HS_FAULT_MEMORY)
            device->fault = before;
        return NULL;
    }
    end_call();
    return at ? at : aligned_alloc(ALIGNMENT, (bytes / ALIGNMENT + 1) * ALIGNMENT);
}

static void host_release(hs_device *device, void *at, int locked_only)
{
    if (!locked_only && device->fault.kind != HS_FAULT_HUNG)
        free(at);
}

static int peer(hs_device *to, hs_device *from)
{
    if (!hsi_emulated_begin_call(to, "peer"))
        return 0;
    end_call();
    return from->domain == &domain;
}

static void *pointer(hs_buffer buffer, size_t offset)
{
    return ((emulated_buffer *)buffer)->at + offset;
}

unsigned hsi_emulated_calls(const hs_device *device)
{
    return ((const emulated_device *)(const void *)device)->calls;
}

static const hs_call_ops calls = {.suffix = "", .call = hsi_emulated_call, .pointer = pointer};

const hs_device_ops hsi_device_emulated = {
    .abi = HS_DEVICE_ABI,
    .name = "emulated",
    .list = list,
    .open = open_device,
    .close = close_device,
    .alloc = alloc,
    .release = release,
    .host_alloc = host_alloc,
    .host_release = host_release,
    .peer = peer,
    .stream_open = hsi_emulated_stream_open,
    .stream_close = hsi_emulated_stream_close,
    .copy = hsi_emulated_copy,
    .event_open = hsi_emulated_event_open,
    .event_close = hsi_emulated_event_close,
    .record = hsi_emulated_record,
    .wait = hsi_emulated_wait,
    .query = hsi_emulated_query,
    .elapsed = hsi_emulated_elapsed,
    .launch = hsi_emulated_launch,
    .calls = &calls,
};
