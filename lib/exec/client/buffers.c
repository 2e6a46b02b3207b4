/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/client/buffers_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/instance_store.h"
#include "exec/backend/backends.h"
#include "exec/device/devices.h"
#include "exec/machine/limits.h"

bool hsi_buffers_have_row(const hs_instance *in, size_t number)
{
    hs_task        row;
    size_t         handle;
    hs_access_mode mode;

    hs_instance_row(in, number, &row);
    return row.kernel && strncmp(row.kernel, "plugin:", 7) == 0 &&
           !(row.cpu_command && *row.cpu_command) &&
           hs_instance_access(in, number, 0, &handle, &mode);
}

static hs_status refuse_claimed(const hs_instance *in, size_t row, size_t handle, hs_error *refusal)
{
    char name[HS_MAX_ID + 16];

    hs_instance_row_name(in, row, 0, name, sizeof name);
    return hsi_error_set(refusal, HS_EDEPENDENT,
                         "task %.100s: its data '%.100s' is a tile of a factorisation, which a "
                         "plugin cannot use: give the plugin data of its own",
                         name, hs_instance_handle_name(in, handle));
}

/* Mark the data of the client's rows. HS_EDEPENDENT: another client has one of them. */
static hs_status mark_used(hsi_buffers *buffers, const bool *claimed, hs_error *refusal)
{
    size_t         handle, i;
    hs_access_mode mode;

    for (size_t row = 0; row < hs_instance_rows(buffers->in); row++) {
        if (!hsi_buffers_have_row(buffers->in, row))
            continue;
        for (i = 0; hs_instance_access(buffers->in, row, i, &handle, &mode); i++) {
            if (claimed[handle])
                return refuse_claimed(buffers->in, row, handle, refusal);
            buffers->buffer[handle].used = true;
        }
    }
    return HS_OK;
}

static void free_state(void *state)
{
    hsi_buffers *buffers = state;

    hsi_shared_buffers_free(buffers->shared);
    for (size_t i = 0; buffers->buffer && i < buffers->count; i++)
        if (buffers->buffer[i].owned)
            free(buffers->buffer[i].home);
    free(buffers->named);
    free(buffers->buffer);
    free(buffers);
}

static hs_status create(const hsi_client_run *run, hsi_buffers **out)
{
    hsi_buffers *buffers = calloc(1, sizeof *buffers);

    if (!buffers)
        return HS_ENOMEM;
    *buffers = (hsi_buffers){.in = run->in, .may_fail = run->may_fail, .may_take = run->may_take};
    while (hs_instance_handle_name(run->in, buffers->count))
        buffers->count++;
    buffers->buffer = calloc(buffers->count + 1, sizeof *buffers->buffer);
    buffers->named = calloc(buffers->count + 1, sizeof *buffers->named);
    if (!buffers->buffer || !buffers->named) {
        free_state(buffers);
        return HS_ENOMEM;
    }
    for (size_t i = 0; i < buffers->count; i++)
        buffers->buffer[i].bytes = (size_t)fmin(hs_instance_handle_bytes(run->in, i), 0x1p62);
    *out = buffers;
    return HS_OK;
}

static int by_name(const void *a, const void *b)
{
    const hsi_named_buffer *x = a, *y = b;

    return strcmp(x->name, y->name);
}

static void list_names(hsi_buffers *buffers)
{
    for (size_t i = 0; i < buffers->count; i++)
        if (buffers->buffer[i].used)
            buffers->named[buffers->named_count++] =
                (hsi_named_buffer){hs_instance_handle_name(buffers->in, i), i};
    qsort(buffers->named, buffers->named_count, sizeof *buffers->named, by_name);
}

/* Return the used datum of that name; NULL: there is none. */
static const hsi_named_buffer *find(const hsi_buffers *buffers, const char *name)
{
    const hsi_named_buffer wanted = {.name = name};

    return bsearch(&wanted, buffers->named, buffers->named_count, sizeof wanted, by_name);
}

/* Emulated tasks compute nothing, so there are no buffers if CPUs are emulated. */
static hs_status recognise(const hsi_client_run *run, void **state, hs_error *refusal,
                           hs_error *error)
{
    hsi_buffers *buffers = NULL;
    size_t       row = 0;
    hs_status    st;

    (void)error->why;
    while (row < hs_instance_rows(run->in) && !hsi_buffers_have_row(run->in, row))
        row++;
    if (row == hs_instance_rows(run->in) || run->settings->run.emulate[HS_CPU])
        return HS_OK;
    st = create(run, &buffers);
    if (st != HS_OK)
        return st;
    refusal->status = mark_used(buffers, run->claimed, refusal);
    if (refusal->status != HS_OK) {
        free_state(buffers);
        return HS_OK;
    }
    list_names(buffers);
    if (run->devices)
        st = hsi_shared_buffers_create(buffers, run);
    if (st == HS_OK)
        *state = buffers;
    else
        free_state(buffers);
    return st;
}

/* Check that the memory which the library allocates exists. Reading the limit is slow. */
static hs_status check_memory(const hsi_buffers *buffers, hs_error *error)
{
    double needed = 0, memory;

    for (size_t i = 0; i < buffers->count; i++)
        if (buffers->buffer[i].used && !buffers->buffer[i].home)
            needed += (double)buffers->buffer[i].bytes;
    memory = needed < 0x1p28 ? 0 : hsi_memory_limit();
    if (memory == 0 || needed <= memory)
        return HS_OK;
    return hsi_error_set(error, HS_ERESOURCE,
                         "the data of the tasks needs %.1f GiB of memory, and there are %.1f GiB: "
                         "use smaller data, or raise the memory limit",
                         needed / 0x1p30, memory / 0x1p30);
}

static void *allocate_bytes(size_t bytes)
{
    enum { ALIGNMENT = 64 };

    return bytes <= SIZE_MAX - ALIGNMENT
               ? aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT)
               : NULL;
}

static hs_status allocate(hsi_buffers *buffers, hsi_buffer *b)
{
    b->home = allocate_bytes(b->bytes);
    if (!b->home)
        return HS_ENOMEM;
    memset(b->home, 0, b->bytes);
    b->owned = true;
    buffers->owned++;
    return HS_OK;
}

/* Return true if the library allocated `at` for a datum. O(1) if it allocated none. */
static bool is_owned(const hsi_buffers *buffers, const void *at)
{
    for (size_t i = 0; buffers->owned && i < buffers->count; i++)
        if (buffers->buffer[i].owned && buffers->buffer[i].home == at)
            return true;
    return false;
}

static hs_status fill(void *state, hs_error *error)
{
    hsi_buffers *buffers = state;
    hs_status    st = check_memory(buffers, error);

    for (size_t i = 0; i < buffers->count && st == HS_OK; i++) {
        hsi_buffer *b = &buffers->buffer[i];
        const char *name = hs_instance_handle_name(buffers->in, i);

        if (b->used && b->bytes == 0)
            return hsi_error_set(error, HS_EINVAL,
                                 "the data '%.200s' has no size: add a line '# data %.200s BYTES' "
                                 "to the file, or call hs_exec_data()",
                                 name, name);
        if (b->used && !b->home && allocate(buffers, b) != HS_OK)
            return hsi_error_set(error, HS_ENOMEM,
                                 "out of memory: the data '%.200s' takes %zu bytes", name,
                                 b->bytes);
        b->at = b->home;
    }
    if (st == HS_OK && buffers->shared)
        hsi_shared_buffers_renew(buffers->shared);
    return st;
}

static void flush(void *state)
{
    hsi_buffers *buffers = state;

    for (size_t i = 0; i < buffers->count; i++) {
        hsi_buffer *b = &buffers->buffer[i];

        if (b->at == b->home)
            continue;
        memcpy(b->home, b->at, b->bytes);
        free(b->at);
        b->at = b->home;
    }
}

static hs_status place(void *state, const char *name, void *at, size_t bytes)
{
    hsi_buffers *buffers = state;
    const hsi_named_buffer *found = find(buffers, name);
    hsi_buffer              fresh = {.bytes = bytes, .used = true, .home = at}, *b;
    double       given;

    if (!found || bytes == 0 || (at && is_owned(buffers, at)))
        return HS_EINVAL;
    given = hs_instance_handle_bytes(buffers->in, found->handle);
    if (given > 0 && given != (double)bytes)
        return HS_EINVAL;
    if (!at && allocate(buffers, &fresh) != HS_OK)
        return HS_ENOMEM;
    b = &buffers->buffer[found->handle];
    if (b->owned) {
        free(b->home);
        buffers->owned--;
    }
    *b = fresh;
    return HS_OK;
}

static void *home(const void *state, const char *name, size_t *bytes)
{
    const hsi_buffers *buffers = state;
    const hsi_named_buffer *found = find(buffers, name);
    const hsi_buffer       *b = found ? &buffers->buffer[found->handle] : NULL;

    *bytes = b && b->home ? b->bytes : 0;
    return b ? b->home : NULL;
}

static hs_status verify(void *state, hs_error *error)
{
    const hsi_buffers *buffers = state;

    return buffers->shared &&
                   hsi_devices_lost(hsi_shared_buffers_devices(buffers->shared), error->why)
               ? HS_EFAILED
               : HS_OK;
}

static hsi_devices *devices(const void *state)
{
    const hsi_buffers *buffers = state;

    return buffers->shared ? hsi_shared_buffers_devices(buffers->shared) : NULL;
}

static void prefetch(void *state, size_t row)
{
    const hsi_buffers *buffers = state;

    if (hsi_buffers_have_row(buffers->in, row))
        hsi_shared_buffers_expect(buffers->shared,
                                  (uint32_t)hsi_store_first_task(buffers->in->store, row));
}

const hsi_client hsi_client_buffers = {
    .host = &hsi_backend_plugin,
    .no_resume = "tasks on data in memory cannot resume: the data was in the memory of the earlier "
                 "run; remove the journal and start again without resume",
    .recognise = recognise,
    .fill = fill,
    .flush = flush,
    .verify = verify,
    .free = free_state,
    .devices = devices,
    .prefetch = prefetch,
    .place = place,
    .home = home,
};

size_t hsi_buffers_count(const hsi_buffers *buffers, size_t row)
{
    size_t         count = 0, handle;
    hs_access_mode mode;

    if (!hsi_buffers_have_row(buffers->in, row))
        return 0;
    while (hs_instance_access(buffers->in, row, count, &handle, &mode))
        count++;
    return count;
}

uint32_t hsi_buffers_mode(const hsi_buffers *buffers, size_t row, size_t index)
{
    size_t         handle;
    hs_access_mode mode = HS_READ;

    hs_instance_access(buffers->in, row, index, &handle, &mode);
    return mode;
}

bool hsi_buffers_need_plugin(const hsi_buffers *buffers, size_t row)
{
    size_t         handle, i;
    hs_access_mode mode;

    if (hsi_buffers_have_row(buffers->in, row))
        return true;
    for (i = 0; hs_instance_access(buffers->in, row, i, &handle, &mode); i++)
        if (mode & HS_WRITE && buffers->buffer[handle].used)
            return true;
    return false;
}

bool hsi_buffers_keep(const hsi_buffers *buffers, const hs_task *row)
{
    return buffers->may_fail || (buffers->may_take && isfinite(row->cpu) && isfinite(row->gpu) &&
                                 row->restartable != HS_RESTART_NO);
}

/* Return the memory that an attempt uses for a datum; NULL: memory is short. */
static void *memory_of(const hsi_buffer *b, hs_access_mode mode, bool keep)
{
    void *second;

    if (!keep || mode == HS_READ)
        return b->at;
    second = allocate_bytes(b->bytes);
    if (second && mode == HS_READ_WRITE)
        memcpy(second, b->at, b->bytes);
    return second;
}

/* Set the data of an attempt. Return false if memory is short; nothing is left then. */
static bool set_data(hsi_buffers *buffers, hsi_buffers_attempt *a)
{
    size_t         handle;
    hs_access_mode mode;

    for (unsigned i = 0; hs_instance_access(buffers->in, a->row, i, &handle, &mode); i++) {
        const hsi_buffer *b = &buffers->buffer[handle];

        a->count = i + 1;
        a->data[i] = (hs_plugin_data){.name = hs_instance_handle_name(buffers->in, handle),
                                      .at = memory_of(b, mode, a->keep),
                                      .bytes = b->bytes,
                                      .mode = mode};
        if (a->data[i].at)
            continue;
        while (i-- > 0)
            if (a->data[i].mode != HS_READ)
                free(a->data[i].at);
        return false;
    }
    return true;
}

bool hsi_buffers_begin(hsi_buffers *buffers, hsi_buffers_attempt *a, char why[HS_WHY])
{
    if (buffers->shared && !hsi_shared_buffers_take(buffers->shared, a, why))
        return false;
    if (set_data(buffers, a))
        return true;
    if (buffers->shared)
        hsi_shared_buffers_give(buffers->shared, a, false);
    snprintf(why, HS_WHY,
             "out of memory for the task's own copies of its data, which retries, timeouts and "
             "spoliations need");
    return false;
}

/* Let the memory that the attempt wrote replace the data, and return the replaced memory in the
 * attempt's place. */
static void replace(hsi_buffers *buffers, const hsi_buffers_attempt *a)
{
    size_t         handle;
    hs_access_mode mode;

    for (unsigned i = 0; hs_instance_access(buffers->in, a->row, i, &handle, &mode); i++) {
        hsi_buffer *b = &buffers->buffer[handle];
        void       *old = b->at;

        if (mode == HS_READ)
            continue;
        b->at = a->data[i].at;
        a->data[i].at = old;
    }
}

/* No device copies from the memory that the attempt has replaced, so it is freed. */
void hsi_buffers_end(hsi_buffers *buffers, const hsi_buffers_attempt *a, bool done)
{
    size_t         handle;
    hs_access_mode mode;

    if (a->keep && done)
        replace(buffers, a);
    if (buffers->shared)
        hsi_shared_buffers_give(buffers->shared, a, done);
    for (unsigned i = 0; a->keep && hs_instance_access(buffers->in, a->row, i, &handle, &mode); i++)
        if (mode != HS_READ && a->data[i].at != buffers->buffer[handle].home)
            free(a->data[i].at);
}
