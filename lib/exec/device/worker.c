/* SPDX-License-Identifier: BSD-3-Clause */
/* The device of a worker: its streams, and the memory for replicas. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "exec/device/devices.h"

static bool open_events(hsi_device_node *node, hsi_device_stream *s)
{
    for (unsigned i = 0; i < HSI_STREAM_EVENTS; i++)
        if (!node->ops->event_open(node->device, &s->event[i]))
            return false;
    return true;
}

static bool open_stream(hsi_device_node *node, unsigned stream)
{
    hsi_device_stream *s = &node->stream[stream];
    size_t             waits = (size_t)HSI_STREAM_EVENTS * node->devices->streams;

    memset(s->waits, 0, waits * sizeof *s->waits);
    s->is_open = node->ops->stream_open(node->device, &s->stream);
    return s->is_open && open_events(node, s);
}

bool hsi_node_open_stream(hsi_device_node *node, unsigned stream)
{
    return open_stream(node, stream) &&
           (!node->work_bytes ||
            node->ops->alloc(node->device, node->work_bytes, &node->work[stream]));
}

/* Find out the name and the memory of the device. */
static hs_status describe(hsi_device_node *node, hs_error *error)
{
    const hsi_device_choice *choice = node->choice;
    hs_device_info          *list = calloc((size_t)choice->index + 1, sizeof *list), *info;
    unsigned                 count;
    hs_status                st = HS_ENOMEM;

    if (list)
        st = node->ops->list(choice->which, list, choice->index + 1, &count, error);
    if (st == HS_OK && choice->index >= count)
        st = hsi_error_set(error, HS_ERESOURCE, "there are %u only", count);
    if (st == HS_OK) {
        info = &list[choice->index];
        node->memory = (size_t)info->memory;
        snprintf(node->label, sizeof node->label, "%.127s%s%.47s", info->name,
                 info->uuid[0] ? ", " : "", info->uuid);
    }
    free(list);
    return st;
}

/* Find the largest work space of all operations. */
static bool measure_work(hsi_device_node *node)
{
    hsi_devices *d = node->devices;

    node->work_bytes = 0;
    for (size_t i = 0; node->ops->work && i < d->operations; i++) {
        size_t bytes = 0;

        if (!node->ops->work(node->device, &d->operation[i], &bytes))
            return false;
        node->work_bytes = bytes > node->work_bytes ? bytes : node->work_bytes;
    }
    return true;
}

static bool knows_operations(hsi_device_node *node)
{
    hsi_devices *d = node->devices;

    for (size_t i = 0; i < d->operations; i++) {
        const hs_operation *op = &d->operation[i];

        if (node->device->operations[op->single] >> op->kind & 1)
            continue;
        snprintf(node->why, sizeof node->why,
                 "it has no %s of %ss, which tasks of this run need: give their rows no GPU time, "
                 "or run without this GPU",
                 hsi_operation_name(op->kind), op->single ? "float" : "double");
        return false;
    }
    return true;
}

static bool open_streams(hsi_device_node *node)
{
    for (unsigned i = 0; i < HSI_KERNEL_STREAMS; i++)
        if (!hsi_node_open_stream(node, i))
            return false;
    return open_stream(node, HSI_STREAM_IN) && open_stream(node, HSI_STREAM_OUT);
}

static bool take_info(hsi_device_node *node)
{
    const hs_device_ops *ops = node->ops;

    if (!ops->alloc(node->device, sizeof node->pageable_info, &node->info))
        return false;
    node->info_here = ops->host_alloc(node->device, NULL, sizeof node->pageable_info);
    if (!node->info_here)
        node->info_here = node->pageable_info;
    return true;
}

/* Return the bytes for replicas. The number does not depend on other processes. */
static double share_of(const hsi_device_node *node)
{
    const hsi_devices *d = node->devices;

    return d->limit > 0 ? d->limit : d->share * (double)node->memory;
}

static const double MiB = 1 << 20;

static double share_in_MiB(const hsi_device_node *node)
{
    return (double)node->units * (double)node->devices->unit / MiB;
}

/* Explain that less memory was free when the device was opened than the replicas take. */
static void explain_lack(hsi_device_node *node)
{
    snprintf(node->why, sizeof node->why,
             "%.0f of its %.0f MiB are free and the data take %.0f: other processes hold the rest; "
             "wait for them, or set a smaller %s",
             (double)node->device->memory / MiB, (double)node->memory / MiB, share_in_MiB(node),
             node->devices->limit_setting);
}

/* Explain that memory for replicas could not be allocated, although enough was free before. */
static void explain_refusal(hsi_device_node *node)
{
    snprintf(node->why, sizeof node->why,
             "it gives no %.0f MiB for the data, although %.0f of its %.0f MiB were free when it "
             "was opened: set a smaller %s, or wait for other processes that use the GPU",
             share_in_MiB(node), (double)node->device->memory / MiB, (double)node->memory / MiB,
             node->devices->limit_setting);
}

/* Decide how many replicas the device has room for. Nothing is allocated yet: freeing memory would
 * wait for other runs on the device. */
static bool count_units(hsi_device_node *node)
{
    const hsi_devices *d = node->devices;
    double             fit = share_of(node) / (double)d->unit;
    size_t             most = node->device->chunk / d->unit;

    node->units = fit < (double)d->most_units ? (size_t)fit : d->most_units;
    if (node->units < d->least_units) {
        snprintf(
            node->why, sizeof node->why,
            "the data may take %.0f bytes, too few for the %zu that one task uses: set a larger "
            "%s",
            share_of(node), d->least_units * d->unit, d->limit_setting);
        return false;
    }
    if (most < d->together) {
        snprintf(node->why, sizeof node->why,
                 "a buffer there has at most %zu bytes, too few for %zu of one task: use smaller "
                 "data, or set the GPU times of such tasks to inf",
                 node->device->chunk, d->together * d->unit);
        return false;
    }
    if (node->device->memory < node->units * d->unit) {
        explain_lack(node);
        return false;
    }
    node->chunk = calloc(node->units / most + 2 + HSI_MOST_OPERANDS, sizeof(hs_buffer));
    node->chunk_bytes =
        calloc(node->units / most + 2 + HSI_MOST_OPERANDS, sizeof *node->chunk_bytes);
    if (node->chunk && node->chunk_bytes)
        return true;
    snprintf(node->why, sizeof node->why, "out of memory");
    return false;
}

/* Allocate room for `units` replicas in chunks as large as the device has them. */
static bool take_chunks(hsi_device_node *node, size_t units)
{
    size_t unit = node->devices->unit, most = node->device->chunk / unit;

    while (units > 0) {
        size_t count = units < most ? units : most;

        if (!node->ops->alloc(node->device, count * unit, &node->chunk[node->chunks])) {
            if (node->device->fault.kind == HS_FAULT_MEMORY)
                explain_refusal(node);
            return false;
        }
        node->chunk_bytes[node->chunks++] = count * unit;
        units -= count;
    }
    return true;
}

static bool warm_up(hsi_device_node *node)
{
    for (unsigned i = 0; i < HSI_KERNEL_STREAMS; i++)
        if (!hsi_node_warm_up(node, i))
            return false;
    return true;
}

/*
 * Allocate the whole share or fail, so a run does not depend on other processes. The warm-up takes
 * memory of the device, of which the share may leave none, so only its operands are allocated
 * before.
 */
static bool take_memory(hsi_device_node *node)
{
    size_t first = node->units < HSI_MOST_OPERANDS ? node->units : HSI_MOST_OPERANDS;

    if (node->devices->operations == 0)
        first = 0;
    return take_chunks(node, first) && warm_up(node) && take_chunks(node, node->units - first);
}

static void close_streams(hsi_device_node *node)
{
    const hs_device_ops *ops = node->ops;

    for (unsigned i = 0; i < HSI_STREAMS; i++) {
        hsi_device_stream *s = &node->stream[i];

        if (s->is_open)
            ops->stream_close(&s->stream);
        s->is_open = false;
        for (unsigned k = 0; k < HSI_STREAM_EVENTS; k++)
            if (s->event[k].device)
                ops->event_close(&s->event[k]);
        memset(s->event, 0, sizeof s->event);
        __atomic_store_n(&s->reached, s->recorded, __ATOMIC_RELEASE);
    }
}

static void release_memory(hsi_device_node *node)
{
    const hs_device_ops *ops = node->ops;

    for (unsigned i = 0; i < HSI_WORK_STREAMS; i++) {
        if (node->work[i])
            ops->release(node->device, node->work[i]);
        node->work[i] = NULL;
    }
    for (uint32_t i = 0; i < node->chunks; i++)
        ops->release(node->device, node->chunk[i]);
    free(node->chunk);
    free(node->chunk_bytes);
    node->chunk = NULL;
    node->chunk_bytes = NULL;
    node->chunks = 0;
    node->units = 0;
    if (node->info)
        ops->release(node->device, node->info);
    if (node->info_here && node->info_here != node->pageable_info)
        ops->host_release(node->device, node->info_here, 0);
    node->info = NULL;
    node->info_here = NULL;
}

static void release_device(hsi_device_node *node)
{
    hsi_device_segment_free_all(node);
    close_streams(node);
    if (node->anchor.event.device)
        node->ops->event_close(&node->anchor.event);
    node->anchor.event = (hs_event){.device = NULL};
    if (node->fork.device)
        node->ops->event_close(&node->fork);
    node->fork = (hs_event){.device = NULL};
    release_memory(node);
    node->ops->close(node->device);
    node->device = NULL;
    memset(node->in_flight, 0, sizeof node->in_flight);
}

/* Free everything. No work of the device is in flight. The caller has the issue mutex. */
static void release_all(hsi_device_node *node)
{
    if (node->device)
        release_device(node);
    free(node->called);
    node->called = NULL;
}

/* Return the number of the device's domain in the ledger: that of a device which is there, else its
 * own. The caller has the lock. */
static uint32_t domain_of(const hsi_device_node *node)
{
    const hsi_devices *d = node->devices;

    for (unsigned i = 0; i < d->count; i++)
        if (d->device[i].is_in_ledger && d->device[i].device->domain == node->device->domain)
            return d->device[i].domain;
    return node->node;
}

/* Link the device to those to and from which it can copy. The caller has all issue mutexes. */
static void link_peers(hsi_device_node *node)
{
    hsi_devices *d = node->devices;

    for (unsigned i = 0; i < d->count; i++) {
        hsi_device_node *other = &d->device[i];

        if (other != node && other->is_in_ledger && other->ops == node->ops &&
            node->ops->peer(node->device, other->device) &&
            node->ops->peer(other->device, node->device))
            hsi_ledger_link_peers(d->ledger, node->node, other->node);
    }
}

static hs_status enter_ledger(hsi_device_node *node)
{
    hsi_devices *d = node->devices;
    hs_status    st;

    node->domain = domain_of(node);
    st = hsi_ledger_open_node(d->ledger, node->node, node->domain, node->chunk_bytes, node->chunks);
    node->is_in_ledger = st == HS_OK;
    return st;
}

/* The caller has the issue mutex and the lock. */
static void close_in_ledger(hsi_device_node *node)
{
    if (node->is_in_ledger)
        hsi_ledger_lose(node->devices->ledger, node->node);
    node->is_in_ledger = false;
}

static bool equip(hsi_device_node *node)
{
    return knows_operations(node) && count_units(node) && measure_work(node) &&
           open_streams(node) && take_info(node) && take_memory(node) &&
           (!node->devices->keeps_records ||
            hsi_anchor_set(&node->anchor, &node->stream[HSI_STREAM_IN].stream));
}

/* Let the ledger use the device. */
static hs_status join(hsi_device_node *node)
{
    hsi_issue issue;
    hs_status st;

    hsi_issue_lock(&issue, node->devices, UINT64_MAX);
    st = enter_ledger(node);
    if (st == HS_OK) {
        hsi_issue_transfers(&issue);
        link_peers(node);
        hsi_issue_relock(&issue);
    }
    if (st == HS_OK && node->device->fault.kind >= HS_FAULT_LOST) {
        close_in_ledger(node);
        st = HS_ERESOURCE;
    }
    hsi_issue_transfers(&issue);
    hsi_issue_unlock(&issue);
    return st;
}

static hs_status open_device(hsi_device_node *node, hs_error *error)
{
    hs_status st = node->ops->open(node->choice->which, node->choice->index, &node->device, error);

    if (st == HS_OK)
        st = equip(node) ? join(node) : HS_ERESOURCE;
    if (st == HS_ERESOURCE && node->device && !node->why[0])
        snprintf(node->why, sizeof node->why, "%s", node->device->fault.text);
    return st;
}

hs_status hsi_device_worker_open(const hs_backend_options     *options,
                                 const hs_backend_worker_info *info, hs_backend_worker **out,
                                 hs_error *error)
{
    hsi_devices     *d = options->data;
    hsi_device_node *node = &d->device[info->index];
    hs_status        st;

    node->base.backend = d->backend;
    node->number = info->device_index;
    node->choice = &d->choice[info->device_index];
    node->ops = node->choice->ops;
    node->why[0] = '\0';
    node->label[0] = '\0';
    node->wanted = NULL;
    node->begun = node->settled = 0;
    __atomic_store_n(&node->is_lost, false, __ATOMIC_RELEASE);
    st = describe(node, error);
    if (st == HS_OK && !hsi_node_prepare_calls(node, info))
        st = HS_ENOMEM;
    if (st == HS_OK)
        st = open_device(node, error);
    if (st == HS_OK)
        *out = &node->base;
    else
        release_all(node);
    return st == HS_ERESOURCE && node->why[0] ? hsi_error_set(error, st, "no GPU %u (%s): %s",
                                                              node->number, node->label, node->why)
                                              : st;
}

static void await_own_steps(hsi_device_node *node)
{
    hsi_moment last[HSI_STREAMS];

    pthread_mutex_lock(&node->issue);
    for (unsigned i = 0; i < HSI_STREAMS; i++)
        last[i] = (hsi_moment){.stream = hsi_stream_number(node, i) & 0xffff,
                               .number = node->stream[i].recorded & UINT64_C(0xffffffffffff)};
    pthread_mutex_unlock(&node->issue);
    hsi_devices_await(node->devices, last, HSI_STREAMS);
}

/* End the tasks in flight that the dispatcher does not ask for any more. */
static void abandon_tasks(hsi_device_node *node)
{
    await_own_steps(node);
    hsi_in_flight_settle(node);
}

/* Find steps of other devices that use a range of this device, and transfers anywhere whose data
 * came from this device. Return their number; the caller has the lock. */
static size_t find_users(const hsi_device_node *node, hsi_moment *step, size_t room)
{
    const hsi_devices *d = node->devices;
    const hsi_range   *range;
    hsi_moment         users[HSI_MOST_STREAMS + 1];
    size_t             count = 0, found;

    for (uint32_t v = 0; v <= d->count; v++)
        for (uint32_t r = 0; (range = hsi_ledger_range(d->ledger, v, r)) != NULL; r++) {
            users[0] = range->copied;
            found = range->origins >> node->node & 1 && range->copied.number;
            if (v == node->node)
                found = hsi_ledger_order(d->ledger, v, r, true, HS_NONE, users);
            for (size_t i = 0; i < found && count < room; i++)
                if (!hsi_step_is_over(d, users[i].stream, users[i].number))
                    step[count++] = users[i];
        }
    return count;
}

/* Close the node when no step uses its data. No new one does, since it has no valid replica. */
static void leave_ledger(hsi_device_node *node)
{
    hsi_devices *d = node->devices;
    hsi_issue    issue;
    hsi_moment   step[64];
    size_t       count = 1;

    while (count > 0) {
        hsi_issue_lock(&issue, d, hsi_node_bit(node->node));
        count = find_users(node, step, sizeof step / sizeof *step);
        if (count == 0)
            close_in_ledger(node);
        hsi_issue_transfers(&issue);
        hsi_issue_unlock(&issue);
        hsi_devices_await(d, step, count);
    }
}

void hsi_device_worker_close(hs_backend_worker *worker)
{
    hsi_device_node *node = worker ? hsi_node_of_worker(worker) : NULL;

    if (!node)
        return;
    abandon_tasks(node);
    if (!hsi_node_is_lost(node))
        hsi_node_evict_all(node);
    await_own_steps(node);
    leave_ledger(node);
    pthread_mutex_lock(&node->issue);
    hsi_records_collect(node);
    release_all(node);
    pthread_mutex_unlock(&node->issue);
}
