/* SPDX-License-Identifier: BSD-3-Clause */
#include "open_devices.h"

#include <string.h>
#include <time.h>

static void open_device(open_devices *s, unsigned index)
{
    hs_error  error = {0};
    unsigned  i;
    hs_status st = s->ops->open(s->which, index, &s->device[index], &error);

    ck_assert_msg(st == HS_OK, "open: %s", error.why);
    for (i = 0; i < MOST_STREAMS; i++)
        ck_assert(s->ops->stream_open(s->device[index], &s->stream[index][i]));
    for (i = 0; i < MOST_EVENTS; i++)
        ck_assert(s->ops->event_open(s->device[index], &s->event[index][i]));
}

void devices_open(open_devices *s, unsigned devices, const planned_fault *fault)
{
    const char *why = NULL;
    hs_error    error = {0};
    unsigned    i;

    memset(s, 0, sizeof *s);
    s->ops = fixture.module(&why);
    ck_assert_msg(s->ops, "%s", why);
    s->which = fixture.start(devices, fault);
    ck_assert_msg(s->ops->list(s->which, NULL, 0, &s->count, &error) == HS_OK, "%s", error.why);
    s->count = s->count < devices ? s->count : devices;
    for (i = 0; i < s->count; i++)
        open_device(s, i);
    if (fixture.opened)
        fixture.opened();
}

void devices_close(open_devices *s, bool whole)
{
    unsigned d, i;

    for (d = 0; d < s->count; d++) {
        for (i = 0; i < MOST_STREAMS; i++)
            s->ops->stream_close(&s->stream[d][i]);
        for (i = 0; i < MOST_EVENTS; i++)
            s->ops->event_close(&s->event[d][i]);
    }
    for (d = 0; d < s->count; d++)
        s->ops->close(s->device[d]);
    if (whole && fixture.check_clean)
        fixture.check_clean();
}

hs_buffer devices_alloc(open_devices *s, unsigned device, size_t bytes)
{
    hs_buffer buffer = NULL;

    ck_assert_msg(s->ops->alloc(s->device[device], bytes, &buffer), "alloc of %zu bytes: %s", bytes,
                  s->device[device]->fault.text);
    ck_assert_ptr_nonnull(buffer);
    return buffer;
}

void *devices_host(open_devices *s, size_t bytes)
{
    void    *at = s->ops->host_alloc(s->device[0], NULL, bytes);
    unsigned i = 0;

    if (at)
        return at;
    while (i < MOST_PAGEABLE && s->pageable[i])
        i++;
    ck_assert_uint_lt(i, MOST_PAGEABLE);
    at = s->pageable[i] = malloc(bytes);
    ck_assert_ptr_nonnull(at);
    return at;
}

void devices_host_free(open_devices *s, void *at)
{
    unsigned i = 0;

    while (i < MOST_PAGEABLE && s->pageable[i] != at)
        i++;
    if (i == MOST_PAGEABLE) {
        s->ops->host_release(s->device[0], at, 0);
        return;
    }
    free(at);
    s->pageable[i] = NULL;
}

int devices_await(open_devices *s, hs_event *event)
{
    const struct timespec nap = {0, 50000};
    int                   state;

    while ((state = s->ops->query(event)) == 0)
        nanosleep(&nap, NULL);
    return state;
}

void devices_finish(open_devices *s, hs_stream *stream)
{
    unsigned  d = stream->device == s->device[0] ? 0 : 1;
    hs_event *event = &s->event[d][0];

    ck_assert_msg(s->ops->record(stream, event), "%s", stream->device->fault.text);
    ck_assert_msg(devices_await(s, event) == 1, "%s", stream->device->fault.text);
}

void devices_write(open_devices *s, hs_buffer to, size_t offset, const void *from, size_t bytes)
{
    union {
        const void *in;
        void       *out;
    } source = {from};

    ck_assert(
        s->ops->copy(&s->stream[0][0], on(s->device[0], to, offset), on_host(source.out), bytes));
    devices_finish(s, &s->stream[0][0]);
}

void devices_read(open_devices *s, void *to, hs_buffer from, size_t offset, size_t bytes)
{
    ck_assert(s->ops->copy(&s->stream[0][0], on_host(to), on(s->device[0], from, offset), bytes));
    devices_finish(s, &s->stream[0][0]);
}

static unsigned char byte_of(size_t i, unsigned seed)
{
    return (unsigned char)((i * 2654435761u + seed * 40503u) >> 7);
}

void devices_fill(void *at, size_t bytes, unsigned seed)
{
    size_t i;

    for (i = 0; i < bytes; i++)
        ((unsigned char *)at)[i] = byte_of(i, seed);
}

bool devices_has(const void *at, size_t bytes, unsigned seed)
{
    size_t i;

    for (i = 0; i < bytes; i++)
        if (((const unsigned char *)at)[i] != byte_of(i, seed))
            return false;
    return true;
}
