/* SPDX-License-Identifier: BSD-3-Clause */

/* A plugin whose tasks mix the data that they share, and fail if two tasks use a datum at once of
 * which one writes it. Tasks named fail... damage what they write, and fail, at the first attempt;
 * tasks named long... compute on CPUs until they are cancelled, or for a while. */

#include "mixer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

HS_PLUGIN_FILE;

enum { LONG = 2000 };

/* Readers of each datum; -1: it is being written. */
static int users[MIXER_DATA];

static int *users_of(const hs_plugin_data *data)
{
    return &users[atoi(data->name + 1) % MIXER_DATA];
}

static int enter(const hs_plugin_data *data)
{
    int none = 0;

    if (data->mode & HS_WRITE)
        return __atomic_compare_exchange_n(users_of(data), &none, -1, 0, __ATOMIC_ACQ_REL,
                                           __ATOMIC_ACQUIRE);
    return __atomic_fetch_add(users_of(data), 1, __ATOMIC_ACQ_REL) >= 0;
}

static void leave(const hs_plugin_data *data)
{
    if (data->mode & HS_WRITE)
        __atomic_store_n(users_of(data), 0, __ATOMIC_RELEASE);
    else
        __atomic_fetch_sub(users_of(data), 1, __ATOMIC_ACQ_REL);
}

static int compute(const hs_plugin_task *task)
{
    uint64_t hash = mixer_read(task->task, task->data, task->data_count);

    if (strncmp(task->id, "fail", 4) == 0 && task->attempt == 1) {
        mixer_write(~hash, task->data, task->data_count);
        return HS_PLUGIN_FAILED;
    }
    for (int i = 0; i < LONG && strncmp(task->id, "long", 4) == 0 && task->type == HS_CPU; i++) {
        mixer_write(~hash, task->data, task->data_count);
        if (hs_plugin_cancelled(task))
            return HS_PLUGIN_ABORTED;
    }
    mixer_write(hash, task->data, task->data_count);
    return HS_PLUGIN_DONE;
}

static int mix(const hs_plugin_task *task)
{
    int result;

    for (size_t i = 0; i < task->data_count; i++)
        if (!enter(&task->data[i])) {
            snprintf(task->message, task->message_size, "%s: a race for %s", task->id,
                     task->data[i].name);
            return HS_PLUGIN_FAILED;
        }
    result = compute(task);
    for (size_t i = 0; i < task->data_count; i++)
        leave(&task->data[i]);
    return result;
}

HS_PLUGIN_MODES(produce, HS_WRITE);
HS_PLUGIN_TASK(produce)
{
    return mix(task);
}

HS_PLUGIN_MODES(update, HS_READ_WRITE);
HS_PLUGIN_TASK(update)
{
    return mix(task);
}

HS_PLUGIN_MODES(step, HS_READ, HS_WRITE);
HS_PLUGIN_TASK(step)
{
    return mix(task);
}

HS_PLUGIN_MODES(add, HS_READ, HS_READ_WRITE);
HS_PLUGIN_TASK(add)
{
    return mix(task);
}

HS_PLUGIN_MODES(blend, HS_READ, HS_READ_WRITE, HS_WRITE, HS_READ);
HS_PLUGIN_TASK(blend)
{
    return mix(task);
}

HS_PLUGIN_TASK(undeclared)
{
    return mix(task);
}
