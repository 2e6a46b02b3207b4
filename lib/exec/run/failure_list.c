/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/run/run.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exec/why.h"
#include "support/sized.h"

/* Return a copy of the path of the attempt's log if the file exists, else NULL. */
static char *kept_log(const hsi_worker *worker, int attempted, int *no_memory)
{
    char *log;

    if (!attempted || !worker->log || access(worker->log, F_OK) != 0)
        return NULL;
    log = strdup(worker->log);
    *no_memory |= !log;
    return log;
}

/* Append a failure to the table, and take ownership of the strings. */
static void add(hs_exec *exec, hsi_failure *f, int no_memory)
{
    if (no_memory) {
        free(f->why);
        f->why = NULL;
    }
    if (!hsi_results_add_failure(exec->results, f))
        hsi_break_off(exec, HS_ENOMEM, hs_status_text(HS_ENOMEM));
    else if (exec->work.settings.report.failure)
        hsi_wake_caller(&exec->control);
}

static char *printable_copy(const char *text)
{
    char why[HS_WHY];

    snprintf(why, sizeof why, "%.*s", HS_WHY - 1, text); /* text of a backend may lack a NUL */
    hsi_why_make_printable(why);
    return strdup(why);
}

void hsi_failure_note(hsi_worker *worker, uint32_t task, bool final, unsigned retired,
                      const char *why)
{
    hs_exec    *exec = worker->exec;
    int         attempted = !why, no_memory = 0;
    const char *text = why ? why : worker->why[0] ? worker->why : "it failed and did not say why";
    hsi_failure f = {.task = task,
                     .number = hsi_results_attempts(exec->results, task),
                     .worker = worker->number,
                     .final = final,
                     .retired = retired,
                     .why = printable_copy(text)};

    f.log = kept_log(worker, attempted, &no_memory);
    add(exec, &f, no_memory);
}

void hsi_done_note(hsi_worker *worker)
{
    hsi_failure f = {.task = worker->attempt.task,
                     .number = worker->attempt.number,
                     .worker = worker->number,
                     .final = true,
                     .done = true,
                     .why = printable_copy(worker->why)};

    hsi_lock(&worker->exec->control);
    add(worker->exec, &f, 0);
    hsi_unlock(&worker->exec->control);
}

/* Cast away const: only the lock of the handle changes. */
static hs_exec *lockable(const hs_exec *exec)
{
    return (hs_exec *)(uintptr_t)exec;
}

/* Copy an entry: the table moves when growing, but the strings stay. */
static bool look_up(hs_exec *exec, size_t index, hs_exec_failure *out)
{
    const hsi_failure *f;

    hsi_lock(&exec->control);
    f = hsi_results_failure(exec->results, index);
    if (f)
        *out = (hs_exec_failure){sizeof *out, f->task, f->number, f->worker,
                                 f->final,    f->done, f->why,    f->log,
                                 f->retired};
    hsi_unlock(&exec->control);
    return f != NULL;
}

int hs_exec_failure_at(const hs_exec *exec, size_t index, hs_exec_failure *out)
{
    hs_exec_failure full = {0};

    if (!exec || !out || !look_up(lockable(exec), index, &full))
        return 0;
    hsi_fill_sized(out, &full, sizeof full);
    return 1;
}

void hsi_failures_report(hs_exec *exec)
{
    hs_exec_failure f;

    while (exec->work.settings.report.failure &&
           look_up(exec, exec->failures_reported, &f)) {
        exec->failures_reported++;
        exec->work.settings.report.failure(exec->work.settings.report.data, &f);
    }
}
