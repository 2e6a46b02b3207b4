/* SPDX-License-Identifier: BSD-3-Clause */
/* Choose the log files of attempts, and pass printed lines to settings.report.line. */
#include "exec/run/worker/worker_private.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exec/run/report/report.h"
#include "exec/run/results.h"

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           strchr("-_+=#@,", c);
}

enum { LONGEST = 180, LOG_NAME = 3 * LONGEST + 64 };

/* Write a file name that is unique for the task. Characters that are not plain become %XX; a name
 * that is too long is cut and gets the number of the task. */
static void name_log(const hs_exec *exec, uint32_t task, uint32_t number, const char *suffix,
                     char log[LOG_NAME])
{
    static const char hex[] = "0123456789ABCDEF";
    char              name[LONGEST + 1], *to = log;
    size_t            length = hs_instance_name(exec->spec.in, task, name, sizeof name), i;

    for (i = 0; name[i]; i++)
        if (is_plain(name[i]) || (name[i] == '.' && i))
            *to++ = name[i];
        else
            to += sprintf(to, "%%%c%c", hex[(unsigned char)name[i] >> 4], hex[name[i] & 15]);
    if (length > LONGEST || to - log > LONGEST)
        to = log + LONGEST, to += sprintf(to, "~%lu", (unsigned long)task);
    sprintf(to, ".%lu.%s", (unsigned long)number, suffix);
}

size_t hs_exec_log_path(const hs_exec *exec, uint32_t task, uint32_t number, int error, char *path,
                        size_t size)
{
    char name[LOG_NAME];
    int  apart, length = 0;

    if (size > 0)
        path[0] = '\0';
    if (!exec || !exec->spec.logs || task >= hs_instance_tasks(exec->spec.in))
        return 0;
    apart = exec->spec.settings.keep.separate_errors;
    if (error && !apart)
        return 0;
    name_log(exec, task, number, error ? "err" : apart ? "out" : "log", name);
    length = snprintf(path, size, "%s/%s", exec->spec.logs, name);
    return length > 0 ? (size_t)length : 0;
}

void hsi_attempt_report_line(hs_exec *exec, const hs_attempt *attempt, int error, const char *line,
                             size_t length)
{
    const hs_exec_line printed = {.struct_size = sizeof printed,
                                  .task = attempt->task,
                                  .number = attempt->number,
                                  .worker = attempt->worker,
                                  .error = error,
                                  .text = line,
                                  .length = length};

    hsi_report_call_line(exec, &printed);
}

static void report_line(const hs_attempt *attempt, int error, const char *line, size_t length)
{
    const hsi_thread *thread =
        (const hsi_thread *)((const char *)attempt - offsetof(hsi_thread, attempt));

    hsi_attempt_report_line(thread->worker->exec, attempt, error, line, length);
}

hs_status hsi_attempt_log_create(hsi_worker *worker)
{
    const hsi_run_spec *spec = &worker->exec->spec;
    hsi_thread         *thread = worker->thread;
    const bool          apart = spec->settings.keep.separate_errors;

    if (spec->settings.report.line)
        thread->attempt.line_printed = report_line;
    if (!spec->logs)
        return HS_OK;
    thread->path_bytes = strlen(spec->logs) + 1 + LOG_NAME;
    thread->attempt.log = worker->log = malloc(thread->path_bytes);
    if (apart)
        thread->attempt.error_log = thread->errors = malloc(thread->path_bytes);
    return worker->log && (thread->errors || !apart) ? HS_OK : HS_ENOMEM;
}

static void name_both(hsi_worker *worker)
{
    const hsi_thread *thread = worker->thread;
    const hs_attempt *a = &thread->attempt;

    hs_exec_log_path(worker->exec, a->task, a->number, 0, worker->log, thread->path_bytes);
    if (thread->errors)
        hs_exec_log_path(worker->exec, a->task, a->number, 1, thread->errors, thread->path_bytes);
}

static bool log_exists(const hsi_worker *worker)
{
    return access(worker->log, F_OK) == 0 ||
           (worker->thread->errors && access(worker->thread->errors, F_OK) == 0);
}

/* Choose the log files of the attempt, and delete old ones. When a run is resumed, an existing file
 * belongs to an earlier attempt, perhaps one without a record in the journal: skip its number. */
void hsi_log_begin(hsi_worker *worker)
{
    const hs_exec *exec = worker->exec;
    hs_attempt    *a = &worker->thread->attempt;

    name_both(worker);
    while (exec->spec.settings.keep.resume && log_exists(worker) &&
           hsi_results_count_attempt(exec->results, a->task)) {
        a->number = hsi_results_attempts(exec->results, a->task) + 1u;
        name_both(worker);
    }
    hsi_attempt_log_remove(worker);
}

void hsi_attempt_log_remove(const hsi_worker *worker)
{
    unlink(worker->log);
    if (worker->thread->errors)
        unlink(worker->thread->errors);
}
