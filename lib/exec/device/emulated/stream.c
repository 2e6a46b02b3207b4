/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams, each a queue of items with a thread, and events. */
#include <stdlib.h>
#include <string.h>

#include "exec/device/emulated/emulated_private.h"
#include "support/clock.h"

typedef struct emulated_stream {
    emulated_device *device;
    pthread_t        thread;
    emulated_item   *first, **last;
    bool             held, closing;
    bool             steps; /* hsi_emulated_step() lets one item run */
} emulated_stream;

static void drop_user(emulated_event *event)
{
    if (event && --event->users == 0)
        free(event);
}

/* Return whether a wait may end. The streams of a lost device still execute records. */
static bool wait_is_over(const emulated_stream *s, const emulated_item *item)
{
    return item->event->done >= item->ticket || s->device->lost;
}

static bool may_run(const emulated_stream *s)
{
    const emulated_item *item = s->first;

    if (!item)
        return false;
    if (s->held && !s->steps && !s->closing && !s->device->lost)
        return false;
    return item->kind != ITEM_WAIT || wait_is_over(s, item);
}

/* Sleep until the copy or operation that began at `start` has taken its time. */
static void take_time(const emulated_item *item, int64_t start)
{
    int64_t         end = start + (int64_t)(1e9 * item->seconds);
    struct timespec until = hsi_timespec(end);

    while (hsi_clock_ns() < end)
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

/* Copy, compute or call; without the lock. */
static void work(const emulated_item *item)
{
    int64_t start = hsi_clock_ns();

    if (item->kind == ITEM_COPY)
        memmove(item->to, item->from, item->bytes);
    else if (item->kind == ITEM_CALL)
        item->function(item->argument);
    else
        hsi_emulated_compute(&item->operation);
    take_time(item, start);
}

/* Fail a copy, operation or call as the settings say, under the lock. A call has no wrong result.
 */
static void fail(emulated_stream *s, const emulated_item *item)
{
    hsi_emulated_fault fault = s->device->settings.fault;

    if (fault == HSI_EMULATED_WRONG && !item->to)
        return;
    if (fault == HSI_EMULATED_WRONG) {
        memset(item->to, 0xc1,
               item->kind == ITEM_COPY && item->bytes < sizeof(float) ? item->bytes
                                                                      : sizeof(float));
        return;
    }
    while (fault == HSI_EMULATED_HANG)
        pthread_cond_wait(&hsi_emulated_change, &hsi_emulated_lock);
    s->device->lost = true;
}

static void run_item(emulated_stream *s, emulated_item *item)
{
    bool dies = item->fails && s->device->settings.fault != HSI_EMULATED_WRONG;

    if (item->kind == ITEM_RECORD) {
        item->event->ns = hsi_clock_ns();
        item->event->done = item->ticket;
        return;
    }
    if (item->kind == ITEM_WAIT || s->device->lost)
        return;
    if (!dies) {
        pthread_mutex_unlock(&hsi_emulated_lock);
        work(item);
        pthread_mutex_lock(&hsi_emulated_lock);
    }
    if (item->fails)
        fail(s, item);
}

static void run_first(emulated_stream *s)
{
    emulated_item *item = s->first;

    run_item(s, item);
    s->first = item->next;
    if (!s->first)
        s->last = &s->first;
    s->steps = false;
    drop_user(item->event);
    free(item);
    pthread_cond_broadcast(&hsi_emulated_change);
}

static void *serve(void *context)
{
    emulated_stream *s = context;

    pthread_mutex_lock(&hsi_emulated_lock);
    while (s->first || !s->closing)
        if (may_run(s))
            run_first(s);
        else
            pthread_cond_wait(&hsi_emulated_change, &hsi_emulated_lock);
    pthread_mutex_unlock(&hsi_emulated_lock);
    return NULL;
}

int hsi_emulated_stream_open(hs_device *device, hs_stream *out)
{
    emulated_stream *s;
    bool             made;

    if (!hsi_emulated_begin_call(device, "stream_open"))
        return 0;
    s = calloc(1, sizeof *s);
    if (s) {
        s->device = hsi_emulated_of(device);
        s->last = &s->first;
        s->held = s->device->settings.manual > 0;
    }
    made = s && pthread_create(&s->thread, NULL, serve, s) == 0;
    if (!made) {
        free(s);
        hsi_device_note_fault(device, HS_FAULT_MEMORY, "stream_open", "no memory for a thread");
    }
    pthread_mutex_unlock(&hsi_emulated_lock);
    if (made)
        *out = (hs_stream){.device = device, .own = s};
    return made;
}

void hsi_emulated_stream_close(hs_stream *stream)
{
    emulated_stream *s = stream->own;

    if (!s)
        return;
    stream->own = NULL;
    if (stream->device->fault.kind == HS_FAULT_HUNG) {
        pthread_detach(s->thread);
        return;
    }
    pthread_mutex_lock(&hsi_emulated_lock);
    s->closing = true;
    pthread_cond_broadcast(&hsi_emulated_change);
    pthread_mutex_unlock(&hsi_emulated_lock);
    pthread_join(s->thread, NULL);
    free(s);
}

/* Append a copy of the item to the queue; called with the lock, which is released. */
static int enqueue(hs_stream *stream, const emulated_item *item, const char *call)
{
    emulated_stream *s = stream->own;
    emulated_item   *copy = malloc(sizeof *copy);

    if (copy) {
        *copy = *item;
        copy->next = NULL;
        if (copy->kind != ITEM_RECORD && copy->kind != ITEM_WAIT)
            copy->fails = ++s->device->operations == s->device->settings.fail_operation;
        if (copy->kind == ITEM_RECORD)
            copy->ticket = ++copy->event->asked;
        if (copy->event)
            copy->event->users++;
        *s->last = copy;
        s->last = &copy->next;
        pthread_cond_broadcast(&hsi_emulated_change);
    } else {
        hsi_device_note_fault(stream->device, HS_FAULT_MEMORY, call, "no memory for the queue");
    }
    pthread_mutex_unlock(&hsi_emulated_lock);
    return copy != NULL;
}

/* Return the host's address of `bytes` bytes; NULL: they are not in the buffer. */
static void *locate(const hs_address *address, size_t bytes)
{
    const emulated_buffer *b = address->buffer;

    if (!address->device)
        return (char *)address->buffer + address->offset;
    if (address->offset > b->bytes || bytes > b->bytes - address->offset)
        return NULL;
    return b->at + address->offset;
}

int hsi_emulated_copy(hs_stream *stream, hs_address to, hs_address from, size_t bytes)
{
    const hsi_emulated_settings *settings = &hsi_emulated_of(stream->device)->settings;
    emulated_item                item = {.kind = ITEM_COPY, .bytes = bytes};

    if (!hsi_emulated_begin_call(stream->device, "copy"))
        return 0;
    item.to = locate(&to, bytes);
    item.from = locate(&from, bytes);
    if (!item.to || !item.from) {
        hsi_device_note_fault(stream->device, HS_FAULT_LOST, "copy", "it leaves its buffer");
        pthread_mutex_unlock(&hsi_emulated_lock);
        return 0;
    }
    item.seconds = settings->launch;
    if (settings->bandwidth > 0)
        item.seconds += (double)bytes / settings->bandwidth;
    return enqueue(stream, &item, "copy");
}

int hsi_emulated_launch(hs_stream *stream, const hs_operation *operation)
{
    const hsi_emulated_settings *settings = &hsi_emulated_of(stream->device)->settings;
    emulated_item                item = {.kind = ITEM_OPERATION};
    const char                  *fault;

    if (!(stream->device->operations[operation->single] >> operation->kind & 1) ||
        !hsi_emulated_begin_call(stream->device, "launch"))
        return 0;
    fault = hsi_emulated_resolve(operation, &item.operation, &item.to);
    if (fault) {
        hsi_device_note_fault(stream->device, HS_FAULT_LOST, "launch", fault);
        pthread_mutex_unlock(&hsi_emulated_lock);
        return 0;
    }
    item.seconds = settings->launch;
    if (settings->speed > 0)
        item.seconds += hsi_emulated_flops(&item.operation) / settings->speed;
    return enqueue(stream, &item, "launch");
}

int hsi_emulated_call(hs_stream *stream, void (*function)(void *argument), void *argument)
{
    const emulated_item item = {.kind = ITEM_CALL,
                                .seconds = hsi_emulated_of(stream->device)->settings.launch,
                                .function = function,
                                .argument = argument};

    return hsi_emulated_begin_call(stream->device, "call") && enqueue(stream, &item, "call");
}

int hsi_emulated_event_open(hs_device *device, hs_event *out)
{
    emulated_event *e;

    if (!hsi_emulated_begin_call(device, "event_open"))
        return 0;
    e = calloc(1, sizeof *e);
    if (e)
        *e = (emulated_event){.device = hsi_emulated_of(device), .users = 1};
    else
        hsi_device_note_fault(device, HS_FAULT_MEMORY, "event_open", "no memory for an event");
    pthread_mutex_unlock(&hsi_emulated_lock);
    if (e)
        *out = (hs_event){.device = device, .own = e};
    return e != NULL;
}

void hsi_emulated_event_close(hs_event *event)
{
    pthread_mutex_lock(&hsi_emulated_lock);
    drop_user(event->own);
    pthread_mutex_unlock(&hsi_emulated_lock);
    event->own = NULL;
}

int hsi_emulated_record(hs_stream *stream, hs_event *event)
{
    emulated_item item = {.kind = ITEM_RECORD, .event = event->own};

    return hsi_emulated_begin_call(stream->device, "record") && enqueue(stream, &item, "record");
}

int hsi_emulated_wait(hs_stream *stream, const hs_event *event)
{
    emulated_item item = {.kind = ITEM_WAIT, .event = event->own};

    if (!hsi_emulated_begin_call(stream->device, "wait"))
        return 0;
    item.ticket = item.event->asked;
    return enqueue(stream, &item, "wait");
}

/* Return the state of the last record, as query() does, if the call may be made. */
static int state_of(const emulated_event *e, bool called)
{
    if (e->seen == e->asked)
        return 1;
    if (!called || e->device->lost)
        return -1;
    return e->done >= e->asked;
}

int hsi_emulated_query(hs_event *event)
{
    emulated_event *e = event->own;
    bool            called = hsi_emulated_begin_call(event->device, "query");
    int             state;

    if (!called)
        pthread_mutex_lock(&hsi_emulated_lock);
    state = state_of(e, called);
    if (state == 1)
        e->seen = e->asked;
    pthread_mutex_unlock(&hsi_emulated_lock);
    return state;
}

int hsi_emulated_elapsed(const hs_event *anchor, const hs_event *event, int64_t *ns)
{
    const emulated_event *a = anchor->own, *e = event->own;

    if (!hsi_emulated_begin_call(event->device, "elapsed"))
        return 0;
    *ns = e->ns - a->ns;
    pthread_mutex_unlock(&hsi_emulated_lock);
    return 1;
}

void hsi_emulated_hold(hs_stream *stream)
{
    pthread_mutex_lock(&hsi_emulated_lock);
    ((emulated_stream *)stream->own)->held = true;
    pthread_mutex_unlock(&hsi_emulated_lock);
}

void hsi_emulated_continue(hs_stream *stream)
{
    pthread_mutex_lock(&hsi_emulated_lock);
    ((emulated_stream *)stream->own)->held = false;
    pthread_cond_broadcast(&hsi_emulated_change);
    pthread_mutex_unlock(&hsi_emulated_lock);
}

int hsi_emulated_step(hs_stream *stream)
{
    emulated_stream *s = stream->own;
    bool             runs;

    pthread_mutex_lock(&hsi_emulated_lock);
    s->steps = s->first != NULL;
    runs = may_run(s);
    s->steps = runs;
    pthread_cond_broadcast(&hsi_emulated_change);
    while (s->steps)
        pthread_cond_wait(&hsi_emulated_change, &hsi_emulated_lock);
    pthread_mutex_unlock(&hsi_emulated_lock);
    return runs;
}
