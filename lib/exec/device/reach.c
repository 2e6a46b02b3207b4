/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps that are reached, and the loss of a device. */
#include <stdio.h>
#include <time.h>

#include "exec/device/devices.h"
#include "support/clock.h"

void hsi_device_pause(int64_t start)
{
    const struct timespec nap = {0, 10000};
    const int64_t         patience = 50000;

    if (hsi_clock_ns() - start > patience)
        nanosleep(&nap, NULL);
}

bool hsi_step_is_over(const hsi_devices *d, uint32_t stream, uint64_t number)
{
    const hsi_device_node *node = hsi_node_of_stream(d, stream);

    return number <=
               __atomic_load_n(&node->stream[stream % HSI_STREAMS].reached, __ATOMIC_ACQUIRE) ||
           hsi_node_is_lost(node);
}

/* Return true if every step is over; else *nodes gets the device of an unfinished step. */
static bool are_over(const hsi_devices *d, const uint64_t *waits, uint64_t *nodes)
{
    for (uint32_t s = 0; s < d->streams; s++)
        if (waits[s] && !hsi_step_is_over(d, s, waits[s])) {
            *nodes |= hsi_node_bit(hsi_node_of_stream(d, s)->node);
            return false;
        }
    return true;
}

/* Count the next step of a stream as reached, if it is; *nodes gets the devices that it waits for.
 */
static bool advance(hsi_device_node *node, unsigned number, uint64_t *nodes)
{
    hsi_devices       *d = node->devices;
    hsi_device_stream *s = &node->stream[number];
    uint64_t           step = s->reached + 1, event = step % HSI_STREAM_EVENTS;
    int                state;

    if (s->reached >= s->recorded || !are_over(d, s->waits + event * d->streams, nodes))
        return false;
    state = node->ops->query(&s->event[event]);
    if (state < 0)
        hsi_node_lose(node);
    if (state <= 0)
        return false;
    pthread_mutex_lock(&d->lock);
    hsi_ledger_reach(d->ledger, hsi_stream_number(node, number), step);
    pthread_mutex_unlock(&d->lock);
    __atomic_store_n(&s->reached, step, __ATOMIC_RELEASE);
    return true;
}

static void look(hsi_device_node *node, uint64_t *nodes)
{
    bool goes_on = true;

    while (goes_on) {
        goes_on = false;
        for (unsigned i = 0; i < HSI_STREAMS; i++)
            while (!hsi_node_is_lost(node) && advance(node, i, nodes))
                goes_on = true;
    }
}

void hsi_devices_look(hsi_devices *d, uint64_t nodes)
{
    uint64_t seen = 0;

    for (uint32_t v = 1; v <= d->count; v++) {
        hsi_device_node *node = &d->device[v - 1];

        if (!(nodes >> v & 1) || seen >> v & 1)
            continue;
        seen |= hsi_node_bit(v);
        if (hsi_node_is_lost(node) || pthread_mutex_trylock(&node->issue) != 0)
            continue;
        look(node, &nodes);
        pthread_mutex_unlock(&node->issue);
        if (nodes & ~seen)
            v = 0;
    }
}

void hsi_devices_await(hsi_devices *d, const hsi_moment *step, size_t count)
{
    int64_t start = hsi_clock_ns();

    for (size_t i = 0; i < count; i++)
        while (!hsi_step_is_over(d, step[i].stream, step[i].number)) {
            hsi_devices_look(d, hsi_node_bit(hsi_node_of_stream(d, step[i].stream)->node));
            if (!hsi_step_is_over(d, step[i].stream, step[i].number))
                hsi_device_pause(start);
        }
}

/* Wait for copies that may still run after a fault, and that use memory of the host. */
static void close_streams(hsi_device_node *node)
{
    for (unsigned i = 0; i < HSI_STREAMS; i++)
        if (node->stream[i].is_open) {
            node->ops->stream_close(&node->stream[i].stream);
            node->stream[i].is_open = false;
        }
}

void hsi_node_lose(hsi_device_node *node)
{
    hsi_devices *d = node->devices;

    if (hsi_node_is_lost(node))
        return;
    close_streams(node);
    pthread_mutex_lock(&d->lock);
    if (!d->why_lost[0])
        snprintf(d->why_lost, HS_WHY, "%.239s; GPU %u (%.150s)", node->device->fault.text,
                 node->number, node->label);
    if (node->is_in_ledger)
        hsi_ledger_lose(d->ledger, node->node);
    node->is_in_ledger = false;
    __atomic_store_n(&node->is_lost, true, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&d->lock);
}
