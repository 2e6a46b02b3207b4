/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks of a worker. A task that was launched ahead is in flight or complete when the dispatcher
 * gives it to the worker, since its kernels were queued behind those of its predecessors.
 */
#include <stdio.h>

#include "exec/device/devices.h"
#include "support/clock.h"

static void look(hsi_device_node *node)
{
    hsi_devices_look(node->devices, hsi_node_bit(node->node));
    hsi_in_flight_settle(node);
}

static void explain(hsi_device_node *node, hsi_ledger_answer answer, char why[HS_WHY])
{
    hsi_devices *d = node->devices;

    pthread_mutex_lock(&d->lock);
    if (answer == HSI_LEDGER_STALE)
        snprintf(why, HS_WHY, "its data are not those that the tasks before it have made");
    else if (answer == HSI_LEDGER_LOST)
        snprintf(why, HS_WHY, "its data are lost with a GPU: %.300s", d->why_lost);
    else if (hsi_node_is_lost(node))
        snprintf(why, HS_WHY, "%.500s", d->why_lost);
    else
        snprintf(why, HS_WHY, "the memory has no room for the data of the task; GPU %u (%.150s)",
                 node->number, node->label);
    pthread_mutex_unlock(&d->lock);
}

/* Launch the task that the worker was given. Wait for tasks that occupy the memory. Return NULL and
 * set attempt->why if the task cannot be launched. */
static hsi_in_flight *launch_now(hsi_device_node *node, const hsi_device_body *body,
                                 hs_attempt *attempt)
{
    int64_t           start = hsi_clock_ns();
    hsi_ledger_answer answer = HSI_LEDGER_OK;
    bool              is_empty = false;

    while (!hsi_node_is_lost(node)) {
        hsi_in_flight *f;
        hsi_launched   how;

        look(node);
        how = hsi_in_flight_start(node, body, attempt->task, attempt->number, &f, &answer);
        if (how == HSI_LAUNCHED)
            return f;
        if (how == HSI_NOT_LAUNCHED || is_empty)
            break;
        is_empty = node->settled == node->begun;
        if (is_empty)
            hsi_node_evict_all(node); /* the parts of a task may be scattered */
        else
            hsi_device_pause(start);
    }
    explain(node, answer, attempt->why);
    return NULL;
}

/* Prefetch the inputs of the next task once. Another worker may take the task later, and that
 * worker waits only for copies that were started before. */
static void prefetch_next(hsi_device_node *node)
{
    const hs_body         *next = __atomic_exchange_n(&node->wanted, NULL, __ATOMIC_ACQUIRE);
    const hsi_device_body *body;

    if (!next)
        return;
    body = hsi_device_body_of(next);
    hsi_devices_renew_window(node->devices, node->node);
    hsi_devices_prefetch(node->devices, node->node, body->use, body->count, 0);
}

void hsi_device_next(hs_backend_worker *worker, const hs_body *body)
{
    __atomic_store_n(&hsi_node_of_worker(worker)->wanted, body, __ATOMIC_RELEASE);
}

static void await(hsi_device_node *node, const hsi_in_flight *f)
{
    int64_t start = hsi_clock_ns();

    for (look(node); !f->settled; look(node)) {
        prefetch_next(node);
        hsi_device_pause(start);
    }
}

hs_outcome hsi_device_run(hs_backend_worker *worker, const hs_body *public_body,
                          hs_attempt *attempt)
{
    hsi_device_node       *node = hsi_node_of_worker(worker);
    const hsi_device_body *body = hsi_device_body_of(public_body);
    hsi_in_flight         *f = hsi_in_flight_find(node, attempt->task);

    if (!f && hs_attempt_cancelled(attempt))
        return HS_OUTCOME_ABORTED;
    if (!f)
        f = launch_now(node, body, attempt);
    if (!f)
        return hsi_node_is_lost(node) ? HS_OUTCOME_LOST : HS_OUTCOME_FAILED;
    await(node, f);
    if (body->call)
        snprintf(attempt->why, HS_WHY, "%s", f->why);
    else if (f->outcome != HS_OUTCOME_DONE)
        snprintf(attempt->why, HS_WHY, "%.39s: %.400s", body->name, f->why);
    f->there = false;
    return f->outcome;
}

/* Launch a task ahead. Return false if that is not possible now. */
static bool launch_ahead(hsi_device_node *node, const hsi_ahead *next)
{
    hsi_ledger_answer answer;
    hsi_in_flight    *f;

    return hsi_in_flight_start(node, hsi_device_body_of(next->body), next->task, 1, &f, &answer) ==
           HSI_LAUNCHED;
}

/*
 * Launch the tasks of the list that are certain, and prefetch the inputs of the others and of a
 * task for which there is no room. A task that may fail and be repeated is not launched ahead. A
 * segment is launched as a whole. Later tasks wait until the segment is launched or given up. A
 * segment is given up if part of it is still uncertain in the first or second place of the list.
 */
void hsi_device_ahead(hs_backend_worker *worker, const hsi_ahead *list, size_t count)
{
    hsi_device_node *node = hsi_node_of_worker(worker);
    bool             launches = true;
    size_t           i, together;

    look(node);
    hsi_devices_renew_window(node->devices, node->node);
    for (i = 0; i < count && !hsi_node_is_lost(node); i += together ? together : 1) {
        const hsi_device_body *body = hsi_device_body_of(list[i].body);

        together = hsi_in_flight_find(node, list[i].task) != NULL;
        if (!together && launches && hsi_device_segment_begins_with(node, list[i].task)) {
            together = hsi_device_segment_launch(node, list + i, count - i);
            launches = together || i <= 1;
            if (launches)
                hsi_device_segment_skip(node);
        }
        if (together || hsi_node_is_lost(node))
            continue;
        if (launches && list[i].certain && !body->keeps) {
            launches = launch_ahead(node, &list[i]);
            if (launches)
                continue;
            if (i == 0)
                break; /* hsi_device_run() reports the reason */
        }
        hsi_devices_prefetch(node->devices, node->node, body->use, body->count, (uint32_t)i);
    }
}
