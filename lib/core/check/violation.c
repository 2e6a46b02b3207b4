/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages about violations: the task, the worker, and both times. */
#include <math.h>
#include <stdio.h>

#include "core/check/violation.h"
#include "core/error.h"
#include "support/decimal/decimal.h"

static const char *quote_task(const hs_instance *in, size_t task, char shown[HSI_QUOTE])
{
    char   name[HS_MAX_ID + 16];
    size_t length = hs_instance_name(in, task, name, sizeof name);

    return hsi_quote(name, length, shown);
}

/* Write the fault of an entry, without its task and worker. */
static void describe_entry(const hs_instance *in, const hs_violation *v, char *text, size_t size)
{
    char expected[HSI_DECIMAL_MAX], found[HSI_DECIMAL_MAX], name[HSI_QUOTE];

    hsi_decimal_write(v->expected, expected);
    hsi_decimal_write(v->found, found);
    if (v->predecessor < hs_instance_tasks(in))
        quote_task(in, v->predecessor, name);
    switch (v->kind) {
    case HS_NOT_FINITE:
        if (v->found >= 0 && v->found < v->expected)
            snprintf(text, size, "it ends at %s, before its start at %s", found, expected);
        else
            snprintf(text, size, "its time %s is not a finite number >= 0", found);
        break;
    case HS_CANNOT_RUN:
        snprintf(text, size, "the task cannot run on this type of worker");
        break;
    case HS_WRONG_END:
        snprintf(text, size, "it ends at %s, but its start plus its time is %s", found, expected);
        break;
    case HS_ABORTED_TOO_LATE:
        snprintf(text, size, "it is aborted at %s, but would have ended at %s", found, expected);
        break;
    case HS_OVERLAP:
        snprintf(text, size, "it starts at %s, but the worker is busy until %s", found, expected);
        break;
    case HS_RUN_TWICE:
        snprintf(text, size, "it is run to its end twice, starting at %s and at %s", expected,
                 found);
        break;
    case HS_TASK_OVERLAP:
        snprintf(text, size, "it starts at %s, but on another worker it is aborted only at %s",
                 found, expected);
        break;
    case HS_TOO_EARLY:
        snprintf(text, size, "it starts at %s, but its predecessor %s ends at %s", found, name,
                 expected);
        break;
    case HS_INPUT_LATE:
        snprintf(text, size, "it starts at %s, but its input from %s arrives only at %s", found,
                 v->predecessor == SIZE_MAX ? "before the start" : name, expected);
        break;
    case HS_RUN_AGAIN:
        snprintf(text, size, "it starts at %s, but the task was done before the start", found);
        break;
    case HS_NOT_AVAILABLE:
        snprintf(text, size, "it starts at %s, but the worker is available from %s", found,
                 expected);
        break;
    default:
        text[0] = '\0';
    }
}

hs_status hsi_violation_describe(const hs_instance *in, const hs_schedule *s,
                                 const hs_violation *v, hs_error *error)
{
    char worker[16], task[HSI_QUOTE], fault[HS_WHY - HSI_QUOTE], start[HSI_DECIMAL_MAX],
        end[HSI_DECIMAL_MAX];

    if (!error)
        return HS_ESCHEDULE;
    hs_worker_name(hs_schedule_cpus(s), v->worker, worker);
    if (v->kind == HS_WORKERS_DIFFER)
        return hsi_error_set(error, HS_ESCHEDULE, "the schedule is for %u CPUs and %u GPUs, the "
                             "instance for %u and %u", hs_schedule_cpus(s), hs_schedule_gpus(s),
                             hs_instance_cpus(in), hs_instance_gpus(in));
    if (v->kind == HS_UNKNOWN_TASK)
        return hsi_error_set(error, HS_ESCHEDULE, "task number %zu on %s: the instance has only "
                             "%zu tasks", v->task, worker, hs_instance_tasks(in));
    quote_task(in, v->task, task);
    if (v->kind == HS_NEVER_RUN)
        return hsi_error_set(error, HS_ESCHEDULE, "task %s is never run to its end", task);
    if (v->kind == HS_RUN_BEFORE_ABORT) {
        hsi_decimal_write(v->found, start);
        hsi_decimal_write(v->expected, end);
        return hsi_error_set(error, HS_ESCHEDULE, "task %s: it is run from %s, but on another "
                             "worker it is aborted only at %s", task, start, end);
    }
    describe_entry(in, v, fault, sizeof fault);
    return hsi_error_set(error, HS_ESCHEDULE, "task %s on %s: %s", task, worker, fault);
}
