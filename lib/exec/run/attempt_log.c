/* SPDX-License-Identifier: BSD-3-Clause */
/* Choose the log files of attempts, and pass printed lines to settings.line. */
#include "exec/run/run.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    size_t            length = hs_instance_name(exec->work.in, task, name, sizeof name), i;

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
    if (!exec || !exec->work.logs || task >= hs_instance_tasks(exec->work.in))
        return 0;
    apart = exec->work.settings.keep.separate_errors;
    if (error && !apart)
        return 0;
    name_log(exec, task, number, error ? "err" : apart ? "out" : "log", name);
    length = snprintf(path, size, "%s/%s", exec->work.logs, name);
    return length > 0 ? (size_t)length : 0;
}

static void report_line(const hs_attempt *attempt, int error, const char *line, size_t length)
{
    const hsi_worker *worker =
        (const hsi_worker *)((const char *)attempt - offsetof(hsi_worker, attempt));
    hs_exec     *exec = worker->exec;
    hs_exec_line printed = {.struct_size = sizeof printed,
                            .task = attempt->task,
                            .number = attempt->number,
                            .worker = worker->number,
                            .error = error,
                            .text = line,
                            .length = length};

    pthread_mutex_lock(&exec->callbacks);
    exec->work.settings.report.line(exec->work.settings.report.data, &printed);
    pthread_mutex_unlock(&exec->callbacks);
}

hs_status hsi_recorder_make(hsi_worker *worker)
{
    const hs_exec *exec = worker->exec;
    size_t         room;

    if (exec->work.settings.report.line)
        worker->attempt.line_printed = report_line;
    if (!exec->work.logs)
        return HS_OK;
    room = strlen(exec->work.logs) + 1 + LOG_NAME;
    worker->log_room = room;
    worker->attempt.log = worker->log = malloc(room);
    if (exec->work.settings.keep.separate_errors)
        worker->attempt.error_log = worker->errors = malloc(room);
    return worker->log && (worker->errors || !exec->work.settings.keep.separate_errors) ? HS_OK
                                                                                        : HS_ENOMEM;
}

static void name_both(hsi_worker *worker)
{
    const hs_attempt *a = &worker->attempt;

    hs_exec_log_path(worker->exec, a->task, a->number, 0, worker->log, worker->log_room);
    if (worker->errors)
        hs_exec_log_path(worker->exec, a->task, a->number, 1, worker->errors, worker->log_room);
}

static bool is_there(const hsi_worker *worker)
{
    return access(worker->log, F_OK) == 0 || (worker->errors && access(worker->errors, F_OK) == 0);
}

/* Choose the log files of the attempt, and delete old ones. When a run is resumed, an existing file
 * belongs to an earlier attempt, perhaps one without a record in the journal: skip its number. */
void hsi_recorder_begin(hsi_worker *worker)
{
    const hs_exec *exec = worker->exec;
    hs_attempt    *a = &worker->attempt;

    name_both(worker);
    while (exec->work.settings.keep.resume && is_there(worker) &&
           hsi_results_count_attempt(exec->results, a->task)) {
        a->number = hsi_results_attempts(exec->results, a->task) + 1u;
        name_both(worker);
    }
    hsi_recorder_remove(worker);
}

void hsi_recorder_remove(const hsi_worker *worker)
{
    unlink(worker->log);
    if (worker->errors)
        unlink(worker->errors);
}
