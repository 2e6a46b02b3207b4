/* SPDX-License-Identifier: BSD-3-Clause */
/* In-flight tasks of a device: their begin in the ledger, their kernels and their outcomes. */
#include <stdio.h>
#include <string.h>

#include "exec/device/devices.h"

hsi_in_flight *hsi_in_flight_add(hsi_device_node *node, const hsi_device_body *body, uint32_t task,
                                 unsigned stream)
{
    for (int i = 0; i < HSI_MOST_IN_FLIGHT; i++) {
        hsi_in_flight *f = &node->in_flight[i];

        if (f->there)
            continue;
        *f = (hsi_in_flight){.there = true,
                             .task = task,
                             .body = body,
                             .stream = stream,
                             .outcome = HS_OUTCOME_DONE};
        memcpy(f->use, body->use, sizeof f->use);
        return f;
    }
    return NULL;
}

hsi_in_flight *hsi_in_flight_find(hsi_device_node *node, uint32_t task)
{
    for (int i = 0; i < HSI_MOST_IN_FLIGHT; i++)
        if (node->in_flight[i].there && node->in_flight[i].task == task)
            return &node->in_flight[i];
    return NULL;
}

/* Return the range that the kernels of a task use for a use, counted from 1. */
static uint32_t range_of(const hsi_in_flight *f, unsigned use)
{
    return f->use[use - 1].second != HS_NONE ? f->use[use - 1].second : f->use[use - 1].range;
}

hs_address hsi_in_flight_address(const hsi_device_node *node, const hsi_in_flight *f, unsigned use)
{
    return hsi_node_address(node, range_of(f, use));
}

static void set_operand(const hsi_device_node *node, const hsi_in_flight *f, unsigned use,
                        hs_operand *operand)
{
    hs_address at;

    if (!use)
        return;
    at = hsi_in_flight_address(node, f, use);
    operand->buffer = at.buffer;
    operand->offset = at.offset;
}

static hs_operation operation_of(const hsi_device_node *node, const hsi_in_flight *f,
                                 unsigned stream)
{
    hs_operation op = f->body->operation;
    hs_operand  *operand[] = {&op.a, &op.b, &op.c, &op.t};

    for (unsigned k = 0; k < HSI_MOST_OPERANDS; k++)
        set_operand(node, f, f->body->operand[k], operand[k]);
    if (hsi_operation_has_info(&op))
        op.info = (hs_operand){node->info, (size_t)(f - node->in_flight) * sizeof(int), 0};
    op.work.buffer = node->work[stream];
    op.work_bytes = node->work_bytes;
    return op;
}

/* Copy the data that the task updates to the task's second range. */
static bool copy_inputs(hsi_device_node *node, const hsi_in_flight *f, hs_stream *stream)
{
    for (unsigned i = 0; i < f->body->count; i++) {
        const hsi_use *use = &f->use[i];

        if (use->second != HS_NONE && use->mode & HS_READ &&
            !node->ops->copy(stream, hsi_node_address(node, use->second),
                                      hsi_node_address(node, use->range),
                                      node->devices->bytes[use->handle]))
            return false;
    }
    return true;
}

static bool copy_result(hsi_device_node *node, const hsi_in_flight *f, hs_stream *stream)
{
    const hsi_device_body *body = f->body;

    return !body->copy_to ||
           node->ops->copy(stream, hsi_node_address(node, range_of(f, body->copy_to)),
                                    hsi_node_address(node, range_of(f, body->copy_from)),
                                    node->devices->bytes[f->use[body->copy_to - 1].handle]);
}

/* Copy the status of an operation to the host. */
static bool copy_info(hsi_device_node *node, const hsi_in_flight *f, const hs_operation *op,
                      hs_stream *stream)
{
    ptrdiff_t        number = f - node->in_flight;
    const hs_address from = {node->device, op->info.buffer, op->info.offset};

    return !op->info.buffer || node->ops->copy(stream,
                                                        (hs_address){.buffer = node->info_here +
                                                                               number},
                                                        from, sizeof(int));
}

bool hsi_in_flight_launch(hsi_device_node *node, const hsi_in_flight *f, unsigned number)
{
    hs_stream   *stream = &node->stream[number].stream;
    hs_operation op;

    if (f->body->call)
        return copy_inputs(node, f, stream) && hsi_in_flight_call(node, f, number);
    op = operation_of(node, f, number);
    return copy_inputs(node, f, stream) && node->ops->launch(stream, &op) &&
           copy_result(node, f, stream) && copy_info(node, f, &op, stream);
}

void hsi_in_flight_flush_results(hsi_device_node *node, const hsi_in_flight *f)
{
    hsi_devices *d = node->devices;

    for (unsigned i = 0; i < f->body->count; i++) {
        hsi_issue         issue;
        hsi_ledger_answer answer;

        if (!f->body->is_last[i])
            continue;
        hsi_issue_lock(&issue, d, hsi_node_bit(node->node));
        do
            answer = hsi_ledger_flush(d->ledger, f->use[i].handle, &issue.entered);
        while (hsi_issue_again(&issue, answer, false));
        hsi_issue_transfers(&issue);
        hsi_issue_unlock(&issue);
    }
}

static void fail(hsi_in_flight *f, hs_outcome outcome, const char *why, const char *what)
{
    f->outcome = outcome;
    snprintf(f->why, sizeof f->why, "%.40s%.460s", why, what);
}

/* Find out how a task ended whose step is reached. The caller has the lock. */
static void judge(hsi_device_node *node, hsi_in_flight *f)
{
    hsi_devices *d = node->devices;
    int          info = hsi_operation_has_info(&f->body->operation)
                            ? node->info_here[f - node->in_flight]
                            : 0;
    char         text[32];

    if (hsi_ledger_input_was_lost(d->ledger, node->node, f->use, f->body->count)) {
        fail(f, HS_OUTCOME_FAILED, "its data are lost with a GPU: ", d->why_lost);
    } else if (info) {
        snprintf(text, sizeof text, "gave up (info %d)", info);
        fail(f, HS_OUTCOME_FAILED, "the device ", text);
    } else if (f->body->call) {
        f->outcome = hsi_in_flight_judge_call(node, f, f->why);
    }
    if (f->outcome == HS_OUTCOME_DONE && f->body->keeps)
        hsi_ledger_commit(d->ledger, node->node, f->use, f->body->count, f->body->version);
    if (f->outcome != HS_OUTCOME_DONE)
        hsi_ledger_fail(d->ledger, node->node, f->use, f->body->count, f->body->version);
}

static void settle(hsi_device_node *node, hsi_in_flight *f)
{
    hsi_devices *d = node->devices;

    pthread_mutex_lock(&d->lock);
    if (hsi_node_is_lost(node))
        fail(f, HS_OUTCOME_LOST, "", d->why_lost);
    else
        judge(node, f);
    hsi_ledger_end(d->ledger, node->node, f->use, f->body->count);
    pthread_mutex_unlock(&d->lock);
    f->settled = true;
    node->settled++;
    if (f->outcome == HS_OUTCOME_DONE && f->body->keeps)
        hsi_in_flight_flush_results(node, f);
}

static hsi_in_flight *find_oldest(hsi_device_node *node)
{
    for (int i = 0; i < HSI_MOST_IN_FLIGHT; i++)
        if (node->in_flight[i].there && !node->in_flight[i].settled &&
            node->in_flight[i].place == node->settled)
            return &node->in_flight[i];
    return NULL;
}

void hsi_in_flight_settle(hsi_device_node *node)
{
    hsi_in_flight *f;

    while (node->settled < node->begun && (f = find_oldest(node)) != NULL &&
           hsi_step_is_over(node->devices, hsi_stream_number(node, f->stream), f->number))
        settle(node, f);
}

/* Return whether the stream has room for `kernels` kernels. An empty stream takes any number. */
static bool has_room(const hsi_device_node *node, unsigned stream, unsigned kernels)
{
    unsigned held = 0;

    for (int i = 0; i < HSI_MOST_IN_FLIGHT; i++)
        if (node->in_flight[i].there && !node->in_flight[i].settled &&
            node->in_flight[i].stream == stream)
            held += node->in_flight[i].kernels;
    return held == 0 || held + kernels <= hsi_stream_bound();
}

void hsi_in_flight_begun(hsi_device_node *node, hsi_in_flight *f, hsi_waits *waits)
{
    hsi_ledger *l = node->devices->ledger;
    hsi_moment  step = hsi_ledger_next_step(l, hsi_stream_number(node, f->stream));

    f->place = node->begun++;
    f->number = step.number;
    for (unsigned i = 0; i < f->body->count; i++) {
        const hsi_use *use = &f->use[i];

        if (use->range != HS_NONE)
            hsi_node_order(node, use->range, use->mode & HS_WRITE && !use->keep, f->stream, waits);
        if (use->second != HS_NONE)
            hsi_node_order(node, use->second, true, f->stream, waits);
    }
    hsi_node_note(node, f->use, f->body->count, step);
    if (!f->body->keeps)
        hsi_ledger_commit(l, node->node, f->use, f->body->count, f->body->version);
}

static bool launch_and_record(hsi_device_node *node, const hsi_in_flight *f, const hsi_waits *waits)
{
    const hs_range_ops *ranges = node->ops->ranges;
    bool                launched;

    if (hsi_node_is_lost(node))
        return true;
    if (ranges)
        ranges->begin(f->body->kernel);
    launched =
        hsi_node_wait(node, f->stream, waits) && hsi_in_flight_launch(node, f, f->stream);
    if (ranges)
        ranges->end();
    return launched && hsi_node_record(node, f->stream, f->number, waits);
}

/* Begin the task and launch its kernels, with the locks. */
static hsi_ledger_answer begin(hsi_device_node *node, hsi_in_flight *f)
{
    hsi_devices      *d = node->devices;
    hsi_issue         issue;
    hsi_waits         waits;
    hsi_ledger_answer answer;

    memset(waits.number, 0, d->streams * sizeof *waits.number);
    hsi_issue_lock(&issue, d, hsi_node_bit(node->node));
    do
        answer = hsi_ledger_begin(d->ledger, node->node, f->use, f->body->count, &issue.entered);
    while (hsi_issue_again(&issue, answer, true));
    if (answer == HSI_LEDGER_OK)
        hsi_in_flight_begun(node, f, &waits);
    hsi_issue_transfers(&issue);
    /* Kernels in a stream can be neither removed nor repeated. */
    if (answer == HSI_LEDGER_OK && !launch_and_record(node, f, &waits))
        hsi_node_lose(node);
    hsi_issue_unlock(&issue);
    return answer;
}

hsi_launched hsi_in_flight_start(hsi_device_node *node, const hsi_device_body *body, uint32_t task,
                                 uint32_t attempt, hsi_in_flight **out, hsi_ledger_answer *answer)
{
    const unsigned of_function = 8; /* an estimate */
    unsigned       stream = node->next % HSI_KERNEL_STREAMS;
    unsigned       kernels = body->call ? of_function : hsi_operation_kernels(&body->operation);
    hsi_in_flight *f = NULL;

    *answer = HSI_LEDGER_NO_ROOM;
    if (has_room(node, stream, kernels))
        f = hsi_in_flight_add(node, body, task, stream);
    *out = f;
    if (!f)
        return HSI_NO_ROOM;
    f->kernels = kernels;
    f->attempt = attempt;
    *answer = begin(node, f);
    if (*answer != HSI_LEDGER_OK) {
        f->there = false;
        return *answer == HSI_LEDGER_NO_ROOM ? HSI_NO_ROOM : HSI_NOT_LAUNCHED;
    }
    node->next++;
    if (!body->keeps)
        hsi_in_flight_flush_results(node, f);
    return HSI_LAUNCHED;
}
