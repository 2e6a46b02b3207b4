/* SPDX-License-Identifier: BSD-3-Clause */
/* Failures of attempts, and notes of attempts that succeeded. */
#include "exec/run/report/report_private.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exec/error_text.h"
#include "exec/run/control.h"
#include "exec/run/results.h"
#include "support/sized.h"

/* Return a copy of the text that is fit for a terminal; NULL: memory is short. */
static char *printable_copy(const char *text)
{
    char why[HS_WHY];

    snprintf(why, sizeof why, "%.*s", HS_WHY - 1, text); /* text of a backend may lack a NUL */
    hsi_text_make_printable(why);
    return strdup(why);
}

/* Append a failure with a copy of the reason to the results. Return false if memory is short. */
static bool add(hs_exec *exec, hsi_failure *failure, const char *why)
{
    failure->why = printable_copy(why);
    if (!hsi_results_add_failure(exec->results, failure))
        return false;
    if (exec->spec.settings.report.failure)
        hsi_wake_caller(exec->control);
    return true;
}

bool hsi_report_add_failure(hsi_worker *worker, uint32_t task, bool final, unsigned retired,
                            const char *why)
{
    hs_exec    *exec = worker->exec;
    const char *text = worker->why[0] ? worker->why : "the attempt failed without a reason";
    hsi_failure f = {.task = task,
                     .number = hsi_results_attempts(exec->results, task),
                     .worker = worker->number,
                     .final = final,
                     .retired = retired};

    if (!why && worker->log && access(worker->log, F_OK) == 0) {
        f.log = strdup(worker->log);
        if (!f.log)
            return false;
    }
    return add(exec, &f, why ? why : text);
}

bool hsi_report_add_note(hsi_worker *worker, uint32_t task, uint32_t number)
{
    hsi_failure f = {
        .task = task, .number = number, .worker = worker->number, .final = true, .done = true};

    return add(worker->exec, &f, worker->why);
}

/* Return the handle without const: only its lock changes. */
static hs_exec *lockable(const hs_exec *exec)
{
    return (hs_exec *)(uintptr_t)exec;
}

/* Copy a failure under the lock: the table moves when it grows, but its strings stay. */
static bool look_up(hs_exec *exec, size_t index, hs_exec_failure *out)
{
    const hsi_failure *f;

    hsi_lock(exec->control);
    f = hsi_results_failure(exec->results, index);
    if (f)
        *out = (hs_exec_failure){sizeof *out, f->task, f->number, f->worker, f->final,
                                 f->done,     f->why,  f->log,    f->retired};
    hsi_unlock(exec->control);
    return f != NULL;
}

int hs_exec_failure_at(const hs_exec *exec, size_t index, hs_exec_failure *out)
{
    hs_exec_failure full = {0};

    if (!exec || !out || !look_up(lockable(exec), index, &full))
        return 0;
    hsi_sized_copy_out(out, &full, sizeof full);
    return 1;
}

void hsi_report_failures(hs_exec *exec)
{
    hs_exec_failure f;

    while (exec->spec.settings.report.failure &&
           look_up(exec, exec->report->failures_reported, &f)) {
        exec->report->failures_reported++;
        exec->spec.settings.report.failure(exec->spec.settings.report.data, &f);
    }
}
