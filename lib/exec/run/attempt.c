/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/run/dispatcher.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exec/run/atomic.h"
#include "exec/run/clock.h"

/* In the worker's thread: so the memory is near it, and no page is missing later. */
int hsi_records_prepare(hsi_worker *worker)
{
    worker->records = malloc(worker->capacity * sizeof *worker->records);
    if (!worker->records)
        return 0;
    memset(worker->records, 0, worker->capacity * sizeof *worker->records);
    return 1;
}

static int grow(hsi_worker *worker)
{
    hs_exec_record *more;

    more = realloc(worker->records, 2 * worker->capacity * sizeof *more);
    if (!more)
        return 0;
    worker->records = more;
    worker->capacity *= 2;
    return 1;
}

int hsi_records_room(hsi_worker *worker)
{
    return worker->count < worker->capacity || grow(worker);
}

static double since_start(const hs_exec *exec, int64_t ns)
{
    return 1e-9 * (double)(ns - exec->start_ns);
}

static hs_exec_record *add_record(hsi_worker *worker, int64_t start, int64_t end,
                                  hs_outcome outcome)
{
    hs_exec_record *record = &worker->records[worker->count++];

    record->start = since_start(worker->exec, start);
    record->end = since_start(worker->exec, end);
    record->task = worker->attempt.task;
    record->number = (uint16_t)worker->attempt.number;
    record->outcome = (uint16_t)outcome;
    return record;
}

static int is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           strchr("-_+=#@,", c);
}

/* Any id as a file name, different for different ids: what is not plain is %XX, and of a
 * long one the beginning and the number of the task are left. */
static void name_log(const hsi_worker *worker)
{
    enum { LONGEST = 180 };
    static const char hex[] = "0123456789ABCDEF";
    const hs_exec    *exec = worker->exec;
    const hs_attempt *a = &worker->attempt;
    char              name[LONGEST + 1], *to = worker->log;
    size_t            length = hs_instance_name(exec->in, a->task, name, sizeof name), i;

    to += sprintf(to, "%s/", exec->logs);
    for (i = 0; name[i]; i++)
        if (is_plain(name[i]) || (name[i] == '.' && i))
            *to++ = name[i];
        else
            to += sprintf(to, "%%%c%c", hex[(unsigned char)name[i] >> 4], hex[name[i] & 15]);
    if (length > LONGEST || (size_t)(to - worker->log) > strlen(exec->logs) + 1 + LONGEST)
        to = worker->log + strlen(exec->logs) + 1 + LONGEST,
        to += sprintf(to, "~%lu", (unsigned long)a->task);
    sprintf(to, ".%lu.log", (unsigned long)a->number);
}

/* What stands there was printed in another run. */
static void begin_log(const hsi_worker *worker)
{
    name_log(worker);
    unlink(worker->log);
}

void hsi_show(hsi_worker *worker, uint32_t task, int64_t since)
{
    hsi_poke(&worker->running, (int)task);
    hsi_poke64(&worker->running_since, (uint64_t)since);
}

/* 0: it could not be put on record, and is not done. */
static int put_on_record(hsi_worker *worker, const hs_exec_record *record)
{
    const hsi_journal_record done = {record->task, worker->number, record->number, record->start,
                                     record->end};
    hs_exec                 *exec = worker->exec;
    hs_status                st = hsi_journal_done(exec->journal, &done);

    if (st == HS_OK)
        return 1;
    hsi_lock(exec);
    exec->unrecorded++;
    hsi_break_off(exec, st, "the journal cannot be written");
    hsi_unlock(exec);
    return 0;
}

/* The attempt of worker->attempt: its record, and all that follows if it is done. */
hs_outcome hsi_attempt_close(hsi_worker *worker, int64_t start, int64_t end, hs_outcome outcome)
{
    hs_exec        *exec = worker->exec;
    hs_exec_record *record = add_record(worker, start, end, outcome);

    if (outcome != HS_OUTCOME_DONE)
        return outcome;
    if (exec->journal && !put_on_record(worker, record))
        return HS_OUTCOME_ABORTED;
    hsi_poke64(&worker->done, worker->done + 1);
    if (exec->settings.progress)
        hsi_progress_add(worker, worker->attempt.task);
    return outcome;
}

void hsi_attempt_describe(const hsi_worker *worker, uint32_t task, hs_attempt *attempt)
{
    const hs_exec *exec = worker->exec;

    attempt->task = task;
    attempt->number = exec->attempts[task] + 1u;
    attempt->seconds = hs_instance_time(exec->in, task, worker->type) * exec->seconds_per_unit;
}

hs_outcome hsi_attempt(hsi_worker *worker, uint32_t task)
{
    const hsi_body   *body = hsi_body_of(worker->exec, task, worker->type);
    const hs_backend *backend = worker->exec->backends[body->slot];
    int64_t           start;
    hs_outcome        outcome;

    hsi_attempt_describe(worker, task, &worker->attempt);
    worker->why[0] = '\0';
    if (worker->log)
        begin_log(worker);
    start = hsi_clock_ns();
    hsi_show(worker, task, start);
    outcome = backend->run(worker->states[body->slot], body->body, &worker->attempt);
    worker->now = hsi_clock_ns();
    hsi_poke64(&worker->running_since, 0);
    if (worker->log && outcome == HS_OUTCOME_DONE && worker->exec->settings.logs_of_failures)
        unlink(worker->log);
    return hsi_attempt_close(worker, start, worker->now, outcome);
}
