/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Segments. A segment is a sequence of consecutive tasks in a worker's list that the module
 * collects before the start and that is launched once, as a whole. Segments need room for a replica
 * of each handle and tasks that work in place, since the addresses of all replicas are then known.
 * The tasks use streams that only segments use, since a segment contains the address of a stream's
 * work space. Each task is a step of its stream: the segment records an event behind the task, and
 * other streams wait for that event as for any other.
 *
 * All segments are launched in the first of these streams, so they follow each other.
 */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "exec/device/devices.h"

enum { MOST_COLLECTED = 1 << 16 }; /* tasks in all segments of a device */

struct hsi_device_segment {
    hs_segment *collected;
    uint32_t    first; /* task */
    size_t      count;
    hs_event    over[HSI_SEGMENT]; /* by task: its end */
};

static unsigned stream_of(size_t item)
{
    return HSI_SEGMENT_STREAM + (unsigned)(item % HSI_KERNEL_STREAMS);
}

static hs_stream *native(hsi_device_node *node, unsigned stream)
{
    return &node->stream[stream].stream;
}

static const hsi_device_body *body_at(const hsi_ahead *list, size_t item)
{
    return hsi_device_body_of(list[item].body);
}

/* Give each handle a range, which stays its place. The caller has the issue mutex. */
static bool fix_addresses(hsi_device_node *node)
{
    hsi_devices *d = node->devices;
    bool         done = true;

    node->fixed = calloc(d->handles + 1, sizeof *node->fixed);
    if (!node->fixed)
        return false;
    pthread_mutex_lock(&d->lock);
    for (uint32_t h = 0; h < d->handles && done; h++) {
        hsi_use     use = {.handle = h, .mode = HS_WRITE};
        hsi_entered none = {.locked = hsi_node_bit(node->node)};

        use.version = hsi_ledger_newest(d->ledger, h);
        done = hsi_ledger_begin(d->ledger, node->node, &use, 1, &none) == HSI_LEDGER_OK;
        if (!done)
            continue;
        node->fixed[h] = hsi_node_address(node, use.range);
        hsi_ledger_end(d->ledger, node->node, &use, 1);
    }
    pthread_mutex_unlock(&d->lock);
    return done;
}

/* Return whether the device's replica of a handle is at its fixed address. */
static bool is_in_place(const hsi_device_node *node, uint32_t handle)
{
    uint32_t   range = hsi_ledger_range_of(node->devices->ledger, handle, node->node);
    hs_address at;

    if (range == HS_NONE)
        return false;
    at = hsi_node_address(node, range);
    return at.buffer == node->fixed[handle].buffer && at.offset == node->fixed[handle].offset;
}

static bool open_streams(hsi_device_node *node)
{
    for (unsigned i = HSI_SEGMENT_STREAM; i < HSI_WORK_STREAMS; i++)
        if (!hsi_node_open_stream(node, i) || !hsi_node_warm_up(node, i))
            return false;
    return node->ops->event_open(node->device, &node->fork);
}

/* Let the other streams of the segment begin behind the first one. */
static bool fork_streams(hsi_device_node *node, size_t count)
{
    const hs_device_ops *ops = node->ops;

    if (!ops->record(native(node, HSI_SEGMENT_STREAM), &node->fork))
        return false;
    for (size_t i = 1; i < count && i < HSI_KERNEL_STREAMS; i++)
        if (!ops->wait(native(node, stream_of(i)), &node->fork))
            return false;
    return true;
}

/* Let the first stream wait for the last task of each other stream. */
static bool join_streams(hsi_device_node *node, const hsi_device_segment *s)
{
    for (size_t i = s->count; i > 0 && i + HSI_KERNEL_STREAMS > s->count; i--)
        if (stream_of(i - 1) != HSI_SEGMENT_STREAM &&
            !node->ops->wait(native(node, HSI_SEGMENT_STREAM), &s->over[i - 1]))
            return false;
    return true;
}

static bool conflict(const hsi_device_body *a, const hsi_device_body *b)
{
    for (unsigned i = 0; i < a->count; i++)
        for (unsigned k = 0; k < b->count; k++)
            if (a->use[i].handle == b->use[k].handle &&
                (a->use[i].mode | b->use[k].mode) & HS_WRITE)
                return true;
    return false;
}

/* Let a task wait for the tasks before it in the segment that use its data. */
static bool wait_within(hsi_device_node *node, const hsi_ahead *list, const hsi_device_segment *s,
                        size_t item)
{
    for (size_t i = 0; i < item; i++)
        if (stream_of(i) != stream_of(item) && conflict(body_at(list, i), body_at(list, item)) &&
            !node->ops->wait(native(node, stream_of(item)), &s->over[i]))
            return false;
    return true;
}

static bool collect_task(hsi_device_node *node, const hsi_ahead *list, hsi_device_segment *s,
                         size_t item)
{
    const hsi_device_body *body = body_at(list, item);
    hsi_in_flight          f = {.body = body};

    memcpy(f.use, body->use, sizeof f.use);
    for (unsigned k = 0; k < body->count; k++) {
        f.use[k].range = hsi_ledger_range_of(node->devices->ledger, f.use[k].handle, node->node);
        f.use[k].second = HS_NONE;
    }
    return wait_within(node, list, s, item) && hsi_in_flight_launch(node, &f, stream_of(item)) &&
           node->ops->record(native(node, stream_of(item)), &s->over[item]);
}

static bool collect_tasks(hsi_device_node *node, const hsi_ahead *list, hsi_device_segment *s)
{
    if (!fork_streams(node, s->count))
        return false;
    for (size_t i = 0; i < s->count; i++)
        if (!collect_task(node, list, s, i))
            return false;
    return join_streams(node, s);
}

static bool collect(hsi_device_node *node, const hsi_ahead *list, hsi_device_segment *s)
{
    const hs_segment_ops *ops = node->ops->segments;
    bool                  done;

    if (!ops->begin(native(node, HSI_SEGMENT_STREAM)))
        return false;
    done = collect_tasks(node, list, s);
    return ops->end(native(node, HSI_SEGMENT_STREAM), &s->collected) && done;
}

static void release_segment(hsi_device_node *node, hsi_device_segment *s)
{
    if (s->collected)
        node->ops->segments->release(s->collected);
    s->collected = NULL;
}

static void close_events(hsi_device_node *node, hsi_device_segment *s)
{
    for (size_t i = 0; i < HSI_SEGMENT; i++)
        if (s->over[i].device)
            node->ops->event_close(&s->over[i]);
}

/* Return the number of tasks at the head of the list that can form a segment. */
static size_t find_together(const hsi_device_node *node, const hsi_ahead *list, size_t count)
{
    size_t n = 0;

    if (!node->ops->segments || node->no_segments || node->units < node->devices->handles)
        return 0;
    while (n < count && n < HSI_SEGMENT && node->captured + n < MOST_COLLECTED &&
           !body_at(list, n)->call && !hsi_operation_has_info(&body_at(list, n)->operation) &&
           !body_at(list, n)->keeps)
        n++;
    return n > 1 ? n : 0;
}

static hsi_device_segment *add_segment(hsi_device_node *node)
{
    hsi_device_segment *more;
    size_t              room = 2 * node->segments + 16;

    if (node->segments == node->segment_room) {
        more = realloc(node->segment, room * sizeof *more);
        if (!more)
            return NULL;
        node->segment = more;
        node->segment_room = room;
    }
    node->segment[node->segments] = (hsi_device_segment){.count = 0};
    return &node->segment[node->segments++];
}

static bool put_together(hsi_device_node *node, const hsi_ahead *list, hsi_device_segment *s)
{
    if (!node->captured && !open_streams(node))
        return false;
    for (size_t i = 0; i < s->count; i++)
        if (!node->ops->event_open(node->device, &s->over[i]))
            return false;
    return collect(node, list, s);
}

/* Create a segment. Without memory, set *count to 0, and the tasks are launched one by one. The
 * caller has the issue mutex. */
static hs_status make(hsi_device_node *node, const hsi_ahead *list, size_t *count)
{
    hsi_device_segment *s;

    if (!node->fixed && !fix_addresses(node)) {
        *count = 0;
        node->no_segments = true;
        return HS_OK;
    }
    s = add_segment(node);
    if (!s)
        return HS_ENOMEM;
    s->first = list->task;
    s->count = *count;
    if (put_together(node, list, s)) {
        node->captured += *count;
        return HS_OK;
    }
    if (node->device->fault.kind > HS_FAULT_MEMORY)
        return HS_ERESOURCE;
    *count = 0;
    node->device->fault = (hs_fault){.kind = HS_FAULT_NONE};
    node->no_segments = true;
    release_segment(node, s);
    close_events(node, s);
    node->segments--;
    return HS_OK;
}

hs_status hsi_device_segment_make(hs_backend_worker *worker, const hsi_ahead *list, size_t *count,
                                  hs_error *error)
{
    hsi_device_node *node = hsi_node_of_worker(worker);
    hs_status        st = HS_OK;

    pthread_mutex_lock(&node->issue);
    *count = find_together(node, list, *count);
    if (*count)
        st = make(node, list, count);
    if (st == HS_ERESOURCE)
        hsi_error_set(error, st, "GPU %u (%s) takes no segment: %s", node->number, node->label,
                      node->device->fault.text);
    pthread_mutex_unlock(&node->issue);
    return st;
}

bool hsi_device_segment_begins_with(const hsi_device_node *node, uint32_t task)
{
    return node->passed < node->segments && node->segment[node->passed].first == task;
}

void hsi_device_segment_skip(hsi_device_node *node)
{
    node->passed++;
}

static bool is_all_certain(const hsi_ahead *list, size_t count)
{
    while (count > 0 && list[count - 1].certain)
        count--;
    return count == 0;
}

/* Return whether a task before the item writes the handle. */
static bool is_made_within(const hsi_ahead *list, size_t item, uint32_t handle)
{
    while (item-- > 0)
        for (unsigned k = 0; k < body_at(list, item)->count; k++)
            if (body_at(list, item)->use[k].handle == handle &&
                body_at(list, item)->use[k].mode & HS_WRITE)
                return true;
    return false;
}

/* Return whether the device has the data that a task needs from outside of the segment, and all its
 * replicas are in place. */
static bool is_ready(const hsi_device_node *node, const hsi_ahead *list, size_t item)
{
    const hsi_ledger *l = node->devices->ledger;

    for (unsigned k = 0; k < body_at(list, item)->count; k++) {
        const hsi_use *use = &body_at(list, item)->use[k];

        if (!is_in_place(node, use->handle))
            return false;
        if (is_made_within(list, item, use->handle))
            continue;
        if (hsi_ledger_newest(l, use->handle) != use->version ||
            (use->mode & HS_READ &&
             hsi_ledger_state(l, use->handle, node->node) == HSI_REPLICA_INVALID))
            return false;
    }
    return true;
}

/* Enter the transfers of the data that the tasks need from outside of the segment. */
static bool provide(hsi_device_node *node, const hsi_ahead *list, size_t count, hsi_issue *issue)
{
    for (size_t i = 0; i < count; i++) {
        const hsi_device_body *body = body_at(list, i);
        hsi_ledger_answer      answer;

        do
            answer = hsi_ledger_prefetch(node->devices->ledger, node->node, body->use, body->count,
                                         (uint32_t)i, &issue->entered);
        while (hsi_issue_again(issue, answer, true));
        if (answer != HSI_LEDGER_OK)
            return false;
    }
    for (size_t i = 0; i < count; i++)
        if (!is_ready(node, list, i))
            return false;
    return true;
}

/* Begin the tasks in the ledger and number their steps. Return the number of tasks that have begun:
 * all, since nothing is missing. */
static size_t begin_all(hsi_device_node *node, hsi_in_flight **f, size_t count, hsi_issue *issue,
                        hsi_waits *waits)
{
    size_t i;

    for (i = 0; i < count; i++) {
        hsi_ledger_answer answer = hsi_ledger_begin(node->devices->ledger, node->node, f[i]->use,
                                                    f[i]->body->count, &issue->entered);

        if (answer != HSI_LEDGER_OK)
            break;
        hsi_in_flight_begun(node, f[i], waits);
    }
    return i;
}

/* Note the steps of the segment, with its events. The segment keeps the replaced events. */
static void note_steps(hsi_device_node *node, hsi_device_segment *s, hsi_in_flight **f,
                       const hsi_waits *waits)
{
    for (size_t i = 0; i < s->count; i++) {
        hs_event *place = &node->stream[f[i]->stream].event[f[i]->number % HSI_STREAM_EVENTS];
        hs_event  unused = *place;

        hsi_node_note_step(node, f[i]->stream, f[i]->number, waits);
        *place = s->over[i];
        s->over[i] = unused;
    }
}

/* Launch the tasks in the first stream, without the segment. */
static bool launch_one_by_one(hsi_device_node *node, hsi_in_flight **f, size_t count,
                              const hsi_waits *waits)
{
    for (size_t i = 0; i < count; i++) {
        hsi_device_stream *s = &node->stream[f[i]->stream];

        hsi_node_note_step(node, f[i]->stream, f[i]->number, waits);
        if (!hsi_in_flight_launch(node, f[i], HSI_SEGMENT_STREAM) ||
            !node->ops->record(native(node, HSI_SEGMENT_STREAM),
                               &s->event[f[i]->number % HSI_STREAM_EVENTS]))
            return false;
    }
    return true;
}

static bool launch_segment(hsi_device_node *node, const hsi_device_segment *s)
{
    const hs_device_ops *ops = node->ops;
    bool                 launched;

    if (ops->ranges)
        ops->ranges->begin("segment");
    launched = ops->segments->launch(s->collected, native(node, HSI_SEGMENT_STREAM));
    if (ops->ranges)
        ops->ranges->end();
    return launched;
}

/*
 * Launch the tasks that have begun behind all steps that one of them waits for. Steps of earlier
 * segments are before them in the stream, but count as waited for when the new steps are reached.
 */
static bool launch_all(hsi_device_node *node, hsi_device_segment *s, hsi_in_flight **f,
                       size_t begun, hsi_waits *waits)
{
    uint64_t *own = &waits->number[hsi_stream_number(node, HSI_SEGMENT_STREAM)];

    if (hsi_node_is_lost(node))
        return true;
    memset(own, 0, HSI_KERNEL_STREAMS * sizeof *own);
    if (!hsi_node_wait(node, HSI_SEGMENT_STREAM, waits))
        return false;
    for (unsigned i = 0; i < HSI_KERNEL_STREAMS; i++)
        own[i] = node->stream[HSI_SEGMENT_STREAM + i].recorded;
    if (begun == s->count && launch_segment(node, s)) {
        note_steps(node, s, f, waits);
        return true;
    }
    if (node->device->fault.kind > HS_FAULT_MEMORY)
        return false;
    node->device->fault = (hs_fault){.kind = HS_FAULT_NONE};
    return launch_one_by_one(node, f, begun, waits);
}

/* Register all tasks of the segment as in flight. */
static bool add_all(hsi_device_node *node, const hsi_ahead *list, size_t count, hsi_in_flight **f)
{
    for (size_t i = 0; i < count; i++) {
        f[i] = hsi_in_flight_add(node, body_at(list, i), list[i].task, stream_of(i));
        if (f[i])
            continue;
        while (i-- > 0)
            f[i]->there = false;
        return false;
    }
    return true;
}

/* Return a set of devices, one bit each: `node`, and every device whose steps are in `waits`. */
static uint64_t find_nodes(const hsi_device_node *node, const hsi_waits *waits)
{
    uint64_t nodes = hsi_node_bit(node->node);

    for (uint32_t s = 0; s < node->devices->streams; s++)
        if (waits->number[s])
            nodes |= hsi_node_bit(hsi_node_of_stream(node->devices, s)->node);
    return nodes;
}

size_t hsi_device_segment_launch(hsi_device_node *node, const hsi_ahead *list, size_t count)
{
    hsi_device_segment *s = &node->segment[node->passed];
    hsi_devices        *d = node->devices;
    hsi_in_flight      *f[HSI_SEGMENT];
    hsi_waits           waits;
    hsi_issue           issue;
    size_t              begun = 0, i;

    if (count < s->count || !is_all_certain(list, s->count) || !add_all(node, list, s->count, f))
        return 0;
    memset(waits.number, 0, d->streams * sizeof *waits.number);
    hsi_issue_lock(&issue, d, UINT64_MAX);
    if (provide(node, list, s->count, &issue))
        begun = begin_all(node, f, s->count, &issue, &waits);
    hsi_issue_transfers(&issue);
    hsi_issue_unlock_others(&issue, find_nodes(node, &waits));
    if (begun && !launch_all(node, s, f, begun, &waits))
        hsi_node_lose(node);
    hsi_issue_unlock(&issue);
    for (i = begun; i < s->count; i++)
        f[i]->there = false;
    for (i = 0; i < begun; i++)
        hsi_in_flight_flush_results(node, f[i]);
    return begun;
}

/* Release the segments before their events: a later segment may hold events of an earlier one. */
void hsi_device_segment_free_all(hsi_device_node *node)
{
    size_t i;

    for (i = 0; i < node->segments; i++)
        release_segment(node, &node->segment[i]);
    for (i = 0; i < node->segments; i++)
        close_events(node, &node->segment[i]);
    free(node->segment);
    free(node->fixed);
    node->segment = NULL;
    node->fixed = NULL;
    node->segments = node->segment_room = node->passed = node->captured = 0;
    node->no_segments = false;
}
