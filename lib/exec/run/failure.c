/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/run/dispatcher.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exec/why.h"
#include "support/sized.h"

static int make_room(hsi_results *r)
{
    size_t       capacity = r->failure_capacity ? 2 * r->failure_capacity : 16;
    hsi_failure *more;

    if (r->failure_count < r->failure_capacity)
        return 1;
    more = realloc(r->failure, capacity * sizeof *more);
    if (!more)
        return 0;
    r->failure = more;
    r->failure_capacity = capacity;
    return 1;
}

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
static void add(hs_exec *exec, const hsi_failure *f, int no_memory)
{
    if (f->why && !no_memory && make_room(&exec->results)) {
        exec->results.failure[exec->results.failure_count++] = *f;
        if (exec->work.settings.report.failure)
            hsi_wake_caller(&exec->control);
        return;
    }
    free(f->why);
    free(f->log);
    hsi_break_off(exec, HS_ENOMEM, hs_status_text(HS_ENOMEM));
}

static char *printable_copy(const char *text)
{
    char why[HS_WHY];

    snprintf(why, sizeof why, "%.*s", HS_WHY - 1, text); /* text of a backend may lack a NUL */
    hsi_why_make_printable(why);
    return strdup(why);
}

void hsi_failure_note(hsi_worker *worker, uint32_t task, int final, unsigned retired,
                      const char *why)
{
    hs_exec    *exec = worker->exec;
    int         attempted = !why, no_memory = 0;
    const char *text = why ? why : worker->why[0] ? worker->why : "it failed and did not say why";
    hsi_failure f = {.task = task,
                     .number = exec->results.attempts[task],
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
                     .final = 1,
                     .done = 1,
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
static int look_up(hs_exec *exec, size_t index, hs_exec_failure *out)
{
    int found;

    hsi_lock(&exec->control);
    found = index < exec->results.failure_count;
    if (found) {
        const hsi_failure *f = &exec->results.failure[index];

        *out = (hs_exec_failure){sizeof *out, f->task, f->number, f->worker,
                                 f->final,    f->done, f->why,    f->log,
                                 f->retired};
    }
    hsi_unlock(&exec->control);
    return found;
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
           look_up(exec, exec->results.failures_reported, &f)) {
        exec->results.failures_reported++;
        exec->work.settings.report.failure(exec->work.settings.report.data, &f);
    }
}
