/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/plan.h"

#include <stdarg.h>
#include <stdio.h>

#include "common/escape.h"
#include "common/input.h"
#include "common/message.h"
#include "common/progress.h"

int plan_not_valid(const plan *p, const char *format, ...)
{
    char    text[8 * HS_MAX_ID];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    printable(text); /* ids may hold line ends and worse */
    message_plain("%s: not valid: %s", p->path, text);
    return EXIT_WORK;
}

int plan_read(plan *p, const hs_read_options *reading)
{
    hs_diagnostic why = {0};
    input         file;
    int           code;

    progress_step(0, "reading %s", p->path);
    code = input_open(p->path, &file);
    if (code)
        return code;
    p->path = file.name;
    hs_plan_info_init(&p->info);
    code = input_status(&file, hs_plan_read(file.fd, reading, &p->in, &p->s, &p->info, &why), &why);
    input_close(&file);
    return code;
}

static int report_violation(const plan *p, const hs_violation *v)
{
    char task[HS_MAX_ID + 16], worker[16], expected[32], found[32];

    hs_instance_name(p->in, v->task, task, sizeof task);
    hs_worker_name(hs_schedule_cpus(p->s), v->worker, worker);
    hs_format_double(v->expected, expected);
    hs_format_double(v->found, found);
    switch (v->kind) {
    case HS_VALID:
        break;
    case HS_WORKERS_DIFFER:
    case HS_UNKNOWN_TASK:
        return plan_not_valid(p, "%s", hs_violation_text(v->kind));
    case HS_NEVER_RUN:
        return plan_not_valid(p, "task %s is never run to its end", task);
    case HS_NOT_FINITE:
    case HS_CANNOT_RUN:
        return plan_not_valid(p, "task %s on %s: %s", task, worker, hs_violation_text(v->kind));
    case HS_WRONG_END:
        return plan_not_valid(p, "task %s on %s: it ends at %s, but its start plus its time is %s",
                              task, worker, found, expected);
    case HS_ABORTED_TOO_LATE:
        return plan_not_valid(p, "task %s on %s: it is aborted at %s, but would have ended at %s",
                              task, worker, found, expected);
    case HS_OVERLAP:
        return plan_not_valid(p, "task %s on %s: it starts at %s, but the worker is busy until %s",
                              task, worker, found, expected);
    case HS_RUN_TWICE:
        return plan_not_valid(p,
                              "task %s on %s: it is run to its end twice, starting at %s and at %s",
                              task, worker, expected, found);
    case HS_RUN_BEFORE_ABORT:
        return plan_not_valid(p, "task %s: it is run from %s, but aborted elsewhere only at %s",
                              task, found, expected);
    case HS_TASK_OVERLAP:
        return plan_not_valid(p,
                              "task %s on %s: it starts at %s, but is aborted elsewhere only at %s",
                              task, worker, found, expected);
    }
    return EXIT_OK;
}

int plan_check(const plan *p)
{
    hs_violation first = {0};
    hs_status    status = hs_schedule_check(p->in, p->s, &first);

    if (status == HS_ESCHEDULE)
        return report_violation(p, &first);
    return status == HS_OK ? EXIT_OK : message_status(status, p->path);
}

void plan_free(plan *p)
{
    hs_schedule_free(p->s);
    hs_instance_free(p->in);
    p->s = NULL;
    p->in = NULL;
}
