/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of plugins on devices. They get the addresses that their data have on the device. */
#include <stdio.h>
#include <stdlib.h>

#include "exec/backend/plugin/function.h"
#include "exec/device/devices.h"

/* Return the number of a kind of call; d->call_kinds: it is not listed. */
static unsigned find_kind(const hsi_devices *d, const hs_call_ops *calls)
{
    unsigned i = 0;

    while (i < d->call_kinds && d->call_kind[i] != calls)
        i++;
    return i;
}

const char *hsi_devices_allow_calls(hsi_devices *d)
{
    for (unsigned i = 0; i < d->count; i++) {
        const hs_device_ops *ops = d->choice[i].ops;
        unsigned             kind = find_kind(d, ops->calls);

        if (!ops->calls || kind == HSI_MOST_CALL_KINDS)
            return ops->name;
        d->call_kind[kind] = ops->calls;
        d->call_kinds += kind == d->call_kinds;
    }
    return NULL;
}

bool hsi_node_prepare_calls(hsi_device_node *node, const hs_backend_worker_info *info)
{
    const hsi_devices *d = node->devices;

    if (d->call_kinds == 0)
        return true;
    node->call_kind = find_kind(d, node->ops->calls);
    node->described = hsi_function_described(info, node->worker_name);
    node->called = calloc(HSI_MOST_IN_FLIGHT, sizeof *node->called);
    return node->called != NULL;
}

static void call(void *argument)
{
    hsi_called *called = argument;

    called->result = called->function(&called->task);
}

/* Describe the use of a handle as the device's functions see it. */
static hs_plugin_data data_of(const hsi_device_node *node, const hsi_in_flight *f, unsigned use)
{
    const hs_call_ops *calls = node->ops->calls;
    hs_address         at = hsi_in_flight_address(node, f, use + 1);
    uint32_t           handle = f->use[use].handle;
    hs_plugin_data     data = {.name = hs_instance_handle_name(f->body->call->in, handle),
                               .bytes = node->devices->bytes[handle],
                               .mode = f->use[use].mode};

    if (calls->pointer) {
        data.at = calls->pointer(at.buffer, at.offset);
    } else {
        data.buffer = at.buffer;
        data.offset = at.offset;
    }
    return data;
}

bool hsi_in_flight_call(hsi_device_node *node, const hsi_in_flight *f, unsigned stream)
{
    static const int       never = HS_CANCEL_NONE;
    const hsi_device_call *c = f->body->call;
    hsi_called            *called = &node->called[f - node->in_flight];

    called->function = c->function[node->call_kind];
    called->attempt = (hs_attempt){.task = f->task,
                                   .number = f->attempt,
                                   .seconds = c->seconds,
                                   .cancel = &never,
                                   .wake_fd = -1,
                                   .why = called->message};
    called->message[0] = '\0';
    called->task = node->described;
    hsi_function_set_attempt(&called->task, &called->attempt);
    hs_instance_name(c->in, f->task, called->id, sizeof called->id);
    called->task.id = called->id;
    called->task.stream = node->stream[stream].stream.native;
    called->task.data = called->data;
    called->task.data_count = f->body->count;
    for (unsigned i = 0; i < f->body->count; i++)
        called->data[i] = data_of(node, f, i);
    called->result = HS_PLUGIN_FAILED;
    return node->ops->calls->call(&node->stream[stream].stream, call, called);
}

hs_outcome hsi_in_flight_judge_call(hsi_device_node *node, const hsi_in_flight *f, char why[HS_WHY])
{
    hsi_called *called = &node->called[f - node->in_flight];
    hs_outcome  outcome = hsi_function_judge(called->result, "plugin", &called->attempt);

    snprintf(why, HS_WHY, "%s", called->message);
    return outcome;
}
