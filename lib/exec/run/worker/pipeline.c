/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run a worker's list through a backend that accepts several in-flight tasks, and collect the tasks
 * as they end. Other tasks run one at a time, without the pipeline: tasks with deadlines, and tasks
 * that the policy gives one by one.
 */
#include "exec/run/worker/worker_private.h"

#include <stdlib.h>
#include <string.h>

#include "exec/run/control.h"
#include "exec/run/dispatcher/dispatcher.h"
#include "exec/run/report/report.h"
#include "support/clock.h"

typedef struct in_flight_task {
    hs_attempt  attempt;
    hsi_worker *worker;
    char        why[HS_WHY];
    char       *log, *errors; /* paths of log files; NULL: none are kept */
} in_flight_task;

typedef struct pipeline {
    hsi_worker        *worker;
    const hs_backend  *backend;
    hs_backend_worker *state;
    unsigned           slot;
    bool               on_node; /* tasks are commands, with output, processes and core time */
    in_flight_task    *in_flight;
    in_flight_task   **idle; /* a stack of entries of `in_flight` that are free */
    unsigned           room, idle_count, count;
    uint32_t           newest;  /* the task submitted last */
    unsigned           in_hand; /* tasks taken from the list and not yet submitted: 0 or 1 */
    uint32_t          *again;   /* tasks that did not begin, to submit again in this order */
    unsigned           again_count;
    unsigned           came_back; /* tasks of `again` that came back since the last submission */
    bool               after_failure; /* tasks behind a failure come back: collect them first */
    uint32_t          *lost;    /* tasks in flight when the worker was lost */
    unsigned           lost_count;
    char               lost_why[HS_WHY];
} pipeline;

/* Return the policy's list for this worker, in order; NULL: not known, or attempts have
 * deadlines. */
static const uint32_t *own_list(const hsi_worker *worker, size_t *count)
{
    return worker->exec->spec.timed ? NULL : hsi_own_list(worker, count);
}

static bool serves(const hsi_worker *worker, unsigned slot)
{
    return worker->states[slot] &&
           hsi_bodies_slot_runs_type(worker->exec->bodies, slot, worker->type);
}

unsigned hsi_pipeline_slot(const hsi_worker *worker)
{
    const hsi_bodies *bodies = worker->exec->bodies;
    unsigned          slot;
    size_t            count;

    for (slot = 0; own_list(worker, &count) && slot < hsi_bodies_slot_count(bodies); slot++)
        if (hsi_bodies_backend(bodies, slot)->submit && serves(worker, slot))
            return slot;
    return HS_NONE;
}

static void add_item(const hsi_worker *worker, unsigned slot, uint32_t task, hs_backend_item *items,
                     size_t *count)
{
    const hsi_body *body = hsi_worker_body(worker, task);

    if (body->body && body->slot == slot)
        items[(*count)++] = (hs_backend_item){body->body, task};
}

/* List one task of each row; return the number of items. */
static size_t list_rows(const hsi_worker *worker, unsigned slot, hs_backend_item *items)
{
    const hs_instance *in = worker->exec->spec.in;
    size_t             rows = hs_instance_rows(in), count = 0, i;
    uint32_t           task = 0;
    hs_task            row;

    for (i = 0; i < rows; i++) {
        add_item(worker, slot, task, items, &count);
        hs_instance_row(in, i, &row);
        task += row.count ? row.count : 1;
    }
    return count;
}

static hs_status prepare_slot(hsi_worker *worker, unsigned slot, hs_error *error)
{
    const hs_exec    *exec = worker->exec;
    const hs_backend *backend = hsi_bodies_backend(exec->bodies, slot);
    size_t            length = 0, count = 0, i;
    const uint32_t   *own = own_list(worker, &length);
    hs_backend_item  *items;
    hs_status         st;

    if (!own)
        length = hs_instance_rows(exec->spec.in);
    items = calloc(length + 1, sizeof *items);
    if (!items)
        return HS_ENOMEM;
    for (i = 0; own && i < length; i++)
        add_item(worker, slot, own[i], items, &count);
    if (!own)
        count = list_rows(worker, slot, items);
    st = backend->prepare(worker->states[slot], exec->spec.in, items, count, own != NULL, error);
    free(items);
    return st;
}

hs_status hsi_worker_prepare_backends(hsi_worker *worker, hs_error *error)
{
    const hs_exec *exec = worker->exec;
    unsigned       slot;
    hs_status      st = HS_OK;

    for (slot = 0; slot < hsi_bodies_slot_count(exec->bodies) && st == HS_OK; slot++)
        if (hsi_bodies_backend(exec->bodies, slot)->prepare && serves(worker, slot))
            st = prepare_slot(worker, slot, error);
    return st;
}

static void collect_one(pipeline *p, bool wait);

static void report_line(const hs_attempt *attempt, int error, const char *line, size_t length)
{
    const in_flight_task *f = (const in_flight_task *)(const void *)attempt;

    hsi_attempt_report_line(f->worker->exec, attempt, error, line, length);
}

/* Fill the next attempt of the task; choose its log files if it is a command on a node. */
static void describe(pipeline *p, in_flight_task *f, uint32_t task)
{
    hsi_thread *thread = p->worker->thread;

    hsi_attempt_describe(p->worker, task, &thread->attempt);
    if (f->log)
        hsi_log_begin(p->worker);
    f->attempt = thread->attempt;
    f->attempt.log = f->log;
    f->attempt.error_log = f->errors;
    f->attempt.why = f->why;
    f->why[0] = '\0';
    if (f->log)
        memcpy(f->log, p->worker->log, thread->path_bytes);
    if (f->errors)
        memcpy(f->errors, thread->errors, thread->path_bytes);
    if (!p->on_node)
        f->attempt.line_printed = NULL;
    else if (f->attempt.line_printed)
        f->attempt.line_printed = report_line;
}

/* Submit a task; if the backend has no room, collect in-flight tasks first. */
static void submit(pipeline *p, uint32_t task)
{
    hsi_worker     *worker = p->worker;
    const hsi_body *body = hsi_worker_body(worker, task);
    in_flight_task *f;

    p->in_hand = 1;
    while (p->count == p->room)
        collect_one(p, true);
    p->in_hand = 0;
    if (p->after_failure) {
        p->again[p->again_count++] = task; /* a failure may have ended the run */
        return;
    }
    if (!hsi_attempt_revoke_record(worker, task))
        return;
    f = p->idle[--p->idle_count];
    describe(p, f, task);
    while (!p->backend->submit(p->state, body->body, &f->attempt)) {
        if (p->count == 0) {
            hsi_lock(worker->exec->control);
            hsi_fail_run(worker->exec, HS_EINVAL,
                         "a backend without in-flight tasks refused a task");
            hsi_unlock(worker->exec->control);
            return;
        }
        collect_one(p, true);
    }
    p->newest = task;
    p->came_back = 0;
    if (p->count++ == 0)
        hsi_account_show_task(worker, task, hsi_clock_ns());
}

/* Show the newest in-flight task as the running task. */
static void show_next(pipeline *p)
{
    if (p->count)
        hsi_account_show_task(p->worker, p->newest, p->worker->now);
    else
        hsi_account_show_no_task(p->worker);
}

static void settle(pipeline *p, uint32_t task, hs_outcome outcome)
{
    hsi_worker *worker = p->worker;

    hsi_lock(worker->exec->control);
    hsi_settle_attempt(worker, task, outcome);
    hsi_decide_for_woken_workers(worker->exec, worker->now);
    hsi_unlock(worker->exec->control);
}

/* Keep a lost task until all in-flight tasks are collected, because the policy retires only idle
 * workers. */
static void note_lost(pipeline *p, uint32_t task)
{
    if (p->lost_count == 0)
        memcpy(p->lost_why, p->worker->why, sizeof p->lost_why);
    p->lost[p->lost_count++] = task;
}

static bool has_room(pipeline *p)
{
    if (hsi_account_make_room(p->worker))
        return true;
    hsi_fail_run_without_memory(p->worker->exec);
    return false;
}

/* Return true if the attempt never began: the run was stopped, or an attempt before it failed. */
static bool never_began(const hs_completion *end)
{
    return end->outcome == HS_OUTCOME_ABORTED && end->end == 0;
}

/* Make the log files those of the worker's last attempt. Remove them if they need not be kept, or
 * if the attempt did not begin: a resumed run takes each log as one of an attempt. */
static void take_logs(pipeline *p, const in_flight_task *f, const hs_completion *end)
{
    hsi_worker *worker = p->worker;

    if (!f->log) {
        if (worker->log)
            worker->log[0] = '\0'; /* pipelined tasks on GPUs have no log */
        return;
    }
    memcpy(worker->log, f->log, worker->thread->path_bytes);
    if (f->errors)
        memcpy(worker->thread->errors, f->errors, worker->thread->path_bytes);
    if (never_began(end) ||
        (end->outcome == HS_OUTCOME_DONE && worker->exec->spec.settings.keep.failed_logs_only))
        hsi_attempt_log_remove(worker);
}

/* Keep a task whose attempt did not begin. It is submitted again before the tasks behind it. */
static void come_back(pipeline *p, uint32_t task)
{
    uint32_t *at = &p->again[p->came_back++];

    memmove(at + 1, at, (p->again_count++ - (p->came_back - 1)) * sizeof *at);
    *at = task;
}

static void take_in(pipeline *p, const hs_completion *end)
{
    in_flight_task *f = (in_flight_task *)(void *)end->attempt;
    hsi_worker     *worker = p->worker;
    hs_attempt *attempt = &worker->thread->attempt;
    uint32_t    task = end->attempt->task;
    hs_outcome  outcome = HS_OUTCOME_ABORTED;

    attempt->task = task;
    attempt->number = end->attempt->number;
    attempt->status = end->attempt->status;
    attempt->signal = end->attempt->signal;
    attempt->verification = end->attempt->verification;
    attempt->core_seconds = end->attempt->core_seconds;
    attempt->core_wait = end->attempt->core_wait;
    worker->now = hsi_clock_ns();
    take_logs(p, f, end);
    if (p->on_node)
        hsi_attempt_add_core_time(worker, 1e-9 * (double)(end->end - end->start));
    memcpy(worker->why, end->attempt->why, sizeof worker->why);
    if (!never_began(end) && has_room(p))
        outcome = hsi_attempt_record_end(worker, end->start, end->end, end->outcome);
    p->idle[p->idle_count++] = f;
    p->count--;
    if (never_began(end))
        come_back(p, task);
    p->after_failure |= p->on_node && outcome == HS_OUTCOME_FAILED;
    worker->in_flight = p->count + p->in_hand + p->again_count;
    show_next(p);
    if (never_began(end))
        return;
    if (outcome == HS_OUTCOME_LOST)
        note_lost(p, task);
    else if (outcome == HS_OUTCOME_DONE)
        hsi_own_task_done(worker, task);
    else
        settle(p, task, outcome);
}

static void collect_one(pipeline *p, bool wait)
{
    hs_completion end = {.struct_size = sizeof end};

    if (p->backend->collect(p->state, wait, &end))
        take_in(p, &end);
}

static void collect_all(pipeline *p)
{
    while (p->count)
        collect_one(p, true);
}

/* Run a task through another backend, which must not overlap in-flight tasks: collect all first. */
static void run_other(pipeline *p, uint32_t task)
{
    p->in_hand = 1;
    collect_all(p);
    p->in_hand = 0;
    p->worker->in_flight = p->again_count;
    if (p->lost_count) {
        p->lost[p->lost_count++] = task; /* the list will not return the task again */
        return;
    }
    if (hsi_may_start_own_task(p->worker))
        hsi_run_own_task(p->worker, task);
}

static bool next_task(pipeline *p, uint32_t *task)
{
    hsi_worker *worker = p->worker;

    if (p->after_failure)
        collect_all(p);
    p->after_failure = false;
    if (hsi_is_near_retirement(worker))
        collect_all(p); /* a worker that may be retired after a failure gets one task at a time */
    if (p->lost_count || !hsi_may_start_own_task(worker))
        return false;
    if (p->again_count == 0)
        return hsi_next_own_task(worker, task);
    *task = p->again[0];
    memmove(p->again, p->again + 1, --p->again_count * sizeof *p->again);
    return true;
}

/* Give tasks back that did not begin and will not, with those of a lost worker or by a halt. */
static void return_unbegun(pipeline *p)
{
    unsigned i;

    for (i = 0; i < p->again_count; i++)
        if (p->lost_count)
            p->lost[p->lost_count++] = p->again[i];
        else
            settle(p, p->again[i], HS_OUTCOME_ABORTED);
    p->again_count = p->worker->in_flight = 0;
}

static void run_list(pipeline *p)
{
    uint32_t task;

    do {
        while (next_task(p, &task)) {
            if (hsi_worker_body(p->worker, task)->slot == p->slot)
                submit(p, task);
            else
                run_other(p, task);
        }
        collect_all(p);
    } while (p->again_count && !p->lost_count && hsi_may_run_own(p->worker));
    return_unbegun(p);
}

/* Report the lost tasks: the first carries the reason; the others only return to the policy. */
static void report_lost(pipeline *p)
{
    hsi_worker *worker = p->worker;
    unsigned    i;

    if (!p->lost_count)
        return;
    hsi_lock(worker->exec->control);
    for (i = 1; i < p->lost_count; i++)
        hsi_return_lost_task(worker, p->lost[i]);
    memcpy(worker->why, p->lost_why, sizeof worker->why);
    hsi_settle_attempt(worker, p->lost[0], HS_OUTCOME_LOST);
    hsi_decide_for_woken_workers(worker->exec, worker->now);
    hsi_unlock(worker->exec->control);
}

/* Allocate what an in-flight task needs. Return false if memory is short. */
static bool open_task(const pipeline *p, in_flight_task *f)
{
    const hsi_thread *thread = p->worker->thread;

    f->worker = p->worker;
    if (p->on_node && p->worker->log && !(f->log = malloc(thread->path_bytes)))
        return false;
    return !(f->log && thread->errors && !(f->errors = malloc(thread->path_bytes)));
}

/* Return false if memory is short. */
static bool open_pipeline(pipeline *p)
{
    p->room = p->backend->depth(p->state);
    p->in_flight = calloc(p->room + 1, sizeof *p->in_flight);
    p->idle = calloc(p->room + 1, sizeof *p->idle);
    p->lost = calloc(2 * p->room + 4, sizeof *p->lost);
    p->again = calloc(p->room + 2, sizeof *p->again);
    if (!p->in_flight || !p->idle || !p->lost || !p->again)
        return false;
    while (p->idle_count < p->room) {
        p->idle[p->idle_count] = &p->in_flight[p->idle_count];
        if (!open_task(p, p->idle[p->idle_count++]))
            return false;
    }
    return true;
}

static void close_pipeline(pipeline *p)
{
    for (unsigned i = 0; p->in_flight && i < p->room; i++) {
        free(p->in_flight[i].log);
        free(p->in_flight[i].errors);
    }
    free(p->in_flight);
    free(p->idle);
    free(p->lost);
    free(p->again);
}

void hsi_pipeline_run(hsi_worker *worker, unsigned slot)
{
    pipeline p = {.worker = worker,
                  .backend = hsi_bodies_backend(worker->exec->bodies, slot),
                  .state = worker->states[slot],
                  .slot = slot,
                  .on_node = hsi_bodies_node_name(worker->exec->bodies, worker->number) != NULL};

    if (open_pipeline(&p)) {
        run_list(&p);
        report_lost(&p);
    } else {
        hsi_fail_run_without_memory(worker->exec);
    }
    close_pipeline(&p);
}
