/* SPDX-License-Identifier: BSD-3-Clause */

/* Plugin tasks for tests: each function ends in a different way. */

#include <hybridsched/plugin.h>

#include <poll.h>
#include <stdio.h>

HS_PLUGIN_FILE;

/* Fail with every field of the task in the message. */
HS_PLUGIN_TASK(tell)
{
    snprintf(task->message, task->message_size,
             "%s task %u attempt %u on %s type %u index %u core %d device %s for %g s, log %s%s",
             task->id, task->task, task->attempt, task->worker, task->type, task->index,
             task->os_cpu, task->device ? task->device : "none", task->seconds,
             task->log ? task->log : "none",
             HS_PLUGIN_HAS(task, log) && task->struct_size == sizeof *task ? "" : " size?");
    return HS_PLUGIN_FAILED;
}

HS_PLUGIN_TASK(poll_until_cancelled)
{
    while (!hs_plugin_cancelled(task))
        ;
    return HS_PLUGIN_ABORTED;
}

HS_PLUGIN_TASK(sleep_until_cancelled)
{
    struct pollfd wake = {.fd = task->wake_fd, .events = POLLIN};

    while (!hs_plugin_cancelled(task))
        poll(&wake, 1, -1);
    return HS_PLUGIN_ABORTED;
}

HS_PLUGIN_TASK(done_although_cancelled)
{
    while (!hs_plugin_cancelled(task))
        ;
    return HS_PLUGIN_DONE;
}

HS_PLUGIN_TASK(gives_up)
{
    (void)task;
    return HS_PLUGIN_ABORTED;
}

HS_PLUGIN_TASK(returns_7)
{
    (void)task;
    return 7;
}

HS_PLUGIN_TASK(fails_in_two_lines)
{
    snprintf(task->message, task->message_size, "one\ntwo");
    return HS_PLUGIN_FAILED;
}

/* Count calls in static storage: the file is loaded once and shared by its users. */
HS_PLUGIN_TASK(counts)
{
    static int count;

    snprintf(task->message, task->message_size, "%d",
             __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED));
    return HS_PLUGIN_FAILED;
}

/* Report the variant (for CPUs or GPUs) and whether a stream was passed. */
HS_PLUGIN_TASK(on_both)
{
    snprintf(task->message, task->message_size, "for CPUs, %s stream", task->stream ? "a" : "no");
    return HS_PLUGIN_FAILED;
}

HS_PLUGIN_GPU_TASK(on_both)
{
    snprintf(task->message, task->message_size, "for GPUs, %s stream", task->stream ? "a" : "no");
    return HS_PLUGIN_FAILED;
}
