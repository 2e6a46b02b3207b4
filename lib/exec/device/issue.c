/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps of streams, and the transfers that the ledger enters. */
#include <stdio.h>
#include <string.h>

#include "exec/device/devices.h"

bool hsi_node_wait(hsi_device_node *node, unsigned stream, const hsi_waits *waits)
{
    hsi_devices *d = node->devices;

    for (uint32_t s = 0; s < d->streams; s++) {
        const hsi_device_node *other = hsi_node_of_stream(d, s);

        if (waits->number[s] && !hsi_step_is_over(d, s, waits->number[s]) &&
            !node->ops->wait(
                &node->stream[stream].stream,
                &other->stream[s % HSI_STREAMS].event[waits->number[s] % HSI_STREAM_EVENTS]))
            return false;
    }
    return true;
}

void hsi_node_note_step(hsi_device_node *node, unsigned stream, uint64_t number,
                        const hsi_waits *waits)
{
    hsi_device_stream *s = &node->stream[stream];
    unsigned           streams = node->devices->streams;

    memcpy(s->waits + number % HSI_STREAM_EVENTS * streams, waits->number,
           streams * sizeof *waits->number);
    s->recorded = number;
}

bool hsi_node_record(hsi_device_node *node, unsigned stream, uint64_t number,
                     const hsi_waits *waits)
{
    hsi_device_stream *s = &node->stream[stream];

    hsi_node_note_step(node, stream, number, waits);
    return node->ops->record(&s->stream, &s->event[number % HSI_STREAM_EVENTS]);
}

static hs_address address_of(const hsi_devices *d, uint32_t node, const hsi_address *a)
{
    if (node == HSI_LEDGER_HOST)
        return (hs_address){.buffer = a->at};
    return (hs_address){d->device[node - 1].device, d->device[node - 1].chunk[a->chunk], a->offset};
}

hs_address hsi_node_address(const hsi_device_node *node, uint32_t number)
{
    const hsi_range  *range = hsi_ledger_range(node->devices->ledger, node->node, number);
    const hsi_address a = {.offset = range->offset, .chunk = range->chunk};

    return address_of(node->devices, node->node, &a);
}

static void begin_range(const hs_device_ops *ops, const hsi_transfer_op *op)
{
    if (ops->ranges)
        ops->ranges->begin(op->to == HSI_LEDGER_HOST     ? "tile to host"
                           : op->from == HSI_LEDGER_HOST ? "tile to GPU"
                                                         : "tile from peer");
}

/* Nothing is copied from a device that was lost since the transfer was entered. */
static bool copy(hsi_device_node *node, hs_stream *stream, const hsi_transfer_op *op)
{
    hsi_devices         *d = node->devices;
    size_t               bytes = d->bytes[op->handle];
    hsi_transfer_record *record;
    bool                 made;

    if (op->from != HSI_LEDGER_HOST && hsi_node_is_lost(&d->device[op->from - 1]))
        return true;
    begin_range(node->ops, op);
    made = hsi_record_begin(node, stream, op, bytes, &record) &&
           node->ops->copy(stream, address_of(d, op->to, &op->target),
                           address_of(d, op->from, &op->source), bytes) &&
           hsi_record_end(record, stream);
    if (node->ops->ranges)
        node->ops->ranges->end();
    return made;
}

static void make_transfer(hsi_devices *d, const hsi_transfer_op *op, const hsi_moment *wait)
{
    hsi_device_node *node = hsi_node_of_stream(d, op->step.stream);
    unsigned         stream = op->step.stream % HSI_STREAMS;
    hsi_waits        waits;

    if (hsi_node_is_lost(node))
        return;
    memset(waits.number, 0, d->streams * sizeof *waits.number);
    for (size_t i = 0; i < op->waits; i++)
        if (waits.number[wait[i].stream] < wait[i].number)
            waits.number[wait[i].stream] = wait[i].number;
    if (!hsi_node_wait(node, stream, &waits) || !copy(node, &node->stream[stream].stream, op) ||
        !hsi_node_record(node, stream, op->step.number, &waits))
        hsi_node_lose(node);
}

static void lock_nodes(hsi_issue *issue, uint64_t nodes)
{
    for (uint32_t v = 1; v <= issue->devices->count; v++)
        if (nodes >> v & 1)
            pthread_mutex_lock(&issue->devices->device[v - 1].issue);
    issue->entered.locked = nodes;
    pthread_mutex_lock(&issue->devices->lock);
}

void hsi_issue_lock(hsi_issue *issue, hsi_devices *d, uint64_t nodes)
{
    issue->devices = d;
    issue->entered = (hsi_entered){.transfer = issue->transfer,
                                   .room = sizeof issue->transfer / sizeof *issue->transfer,
                                   .wait = issue->wait,
                                   .wait_room = sizeof issue->wait / sizeof *issue->wait};
    lock_nodes(issue, nodes);
}

void hsi_issue_transfers(hsi_issue *issue)
{
    hsi_entered *e = &issue->entered;

    pthread_mutex_unlock(&issue->devices->lock);
    for (size_t i = 0; i < e->count; i++)
        make_transfer(issue->devices, &e->transfer[i], e->wait + e->transfer[i].first_wait);
    e->count = e->waits = 0;
}

void hsi_issue_relock(hsi_issue *issue)
{
    pthread_mutex_lock(&issue->devices->lock);
}

void hsi_issue_unlock_others(hsi_issue *issue, uint64_t nodes)
{
    for (uint32_t v = issue->devices->count; v > 0; v--)
        if ((issue->entered.locked & ~nodes) >> v & 1)
            pthread_mutex_unlock(&issue->devices->device[v - 1].issue);
    issue->entered.locked &= nodes;
}

void hsi_issue_unlock(hsi_issue *issue)
{
    hsi_issue_unlock_others(issue, 0);
}

/* Wait for steps, with everything unlocked. */
static void await_steps(hsi_issue *issue, const hsi_moment *step, size_t count)
{
    uint64_t nodes = issue->entered.locked;

    hsi_issue_transfers(issue);
    hsi_issue_unlock(issue);
    hsi_devices_await(issue->devices, step, count);
    lock_nodes(issue, nodes);
}

/* Wait for the steps that use a range of the host. */
static void await_range(hsi_issue *issue)
{
    hsi_moment step[HSI_MOST_STREAMS + 1];
    size_t count = hsi_ledger_order(issue->devices->ledger, HSI_LEDGER_HOST, issue->entered.range,
                                    issue->entered.write, HS_NONE, step);

    await_steps(issue, step, count);
}

bool hsi_issue_again(hsi_issue *issue, hsi_ledger_answer answer, bool may_wait)
{
    uint64_t nodes = issue->entered.locked | issue->entered.needed;

    switch (answer) {
    case HSI_LEDGER_NEED:
        hsi_issue_transfers(issue);
        hsi_issue_unlock(issue);
        lock_nodes(issue, nodes);
        return true;
    case HSI_LEDGER_FULL:
        hsi_issue_transfers(issue);
        hsi_issue_relock(issue);
        return true;
    case HSI_LEDGER_WAIT:
        if (may_wait)
            await_range(issue);
        return may_wait;
    case HSI_LEDGER_BUSY:
        if (may_wait)
            await_steps(issue, &issue->entered.late, 1);
        return may_wait;
    default:
        return false;
    }
}

void hsi_node_order(hsi_device_node *node, uint32_t range, bool write, unsigned stream,
                    hsi_waits *waits)
{
    hsi_moment step[HSI_MOST_STREAMS + 1];
    size_t     count = hsi_ledger_order(node->devices->ledger, node->node, range, write,
                                        hsi_stream_number(node, stream), step);

    for (size_t i = 0; i < count; i++)
        if (waits->number[step[i].stream] < step[i].number)
            waits->number[step[i].stream] = step[i].number;
}

void hsi_node_note(hsi_device_node *node, const hsi_use *use, unsigned count, hsi_moment step)
{
    hsi_ledger *l = node->devices->ledger;

    for (unsigned i = 0; i < count; i++) {
        bool writes = use[i].mode & HS_WRITE;

        if (use[i].range != HS_NONE)
            hsi_ledger_note(l, node->node, use[i].range, writes && !use[i].keep, step);
        if (use[i].second != HS_NONE)
            hsi_ledger_note(l, node->node, use[i].second, true, step);
    }
}

void hsi_devices_prefetch(hsi_devices *d, uint32_t node, const hsi_use *use, size_t count,
                          uint32_t entry)
{
    hsi_issue         issue;
    hsi_ledger_answer answer;

    hsi_issue_lock(&issue, d, node == HSI_LEDGER_HOST ? 0 : hsi_node_bit(node));
    do
        answer = hsi_ledger_prefetch(d->ledger, node, use, count, entry, &issue.entered);
    while (hsi_issue_again(&issue, answer, false));
    hsi_issue_transfers(&issue);
    hsi_issue_unlock(&issue);
}

void hsi_node_evict_all(hsi_device_node *node)
{
    hsi_devices      *d = node->devices;
    hsi_issue         issue;
    hsi_ledger_answer answer;

    hsi_issue_lock(&issue, d, hsi_node_bit(node->node));
    do
        answer = hsi_ledger_evict_all(d->ledger, node->node, &issue.entered);
    while (hsi_issue_again(&issue, answer, true));
    hsi_issue_transfers(&issue);
    hsi_issue_unlock(&issue);
}

void hsi_devices_renew_window(hsi_devices *d, uint32_t node)
{
    pthread_mutex_lock(&d->lock);
    hsi_ledger_renew_window(d->ledger, node);
    pthread_mutex_unlock(&d->lock);
}
