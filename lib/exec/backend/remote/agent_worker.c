/* SPDX-License-Identifier: BSD-3-Clause */
/* The workers of a node: each runs its attempts one after another in a thread of its own. */
#include "config.h"

#include "exec/backend/remote/agent_private.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "core/error.h"
#include "exec/backend/backends.h"
#include "support/atomic.h"
#include "support/clock.h"
#include "support/cond.h"
#include "support/decimal/decimal.h"

typedef struct order {
    uint32_t  task, number;
    hs_cancel cancel;
} order;

struct hsi_agent_worker {
    hsi_agent         *agent;
    pthread_t          id;
    unsigned           local, number; /* number among the node's workers, and among all workers */
    hs_type            type;
    hs_backend_worker *commands; /* state of the backend of commands; NULL: no command runs here */
    hs_attempt         attempt;
    char               why[HS_WHY];
    int                cancel; /* of `attempt` */

    pthread_mutex_t lock; /* for the members below */
    pthread_cond_t  changed;
    order           orders[HSI_REMOTE_DEPTH]; /* a ring; the first is the running attempt */
    unsigned        first, count;
    bool            begun; /* the first attempt has begun */
    bool            drain; /* no attempt begins */
    bool            ready, stop, over;
};

/* Return true if an order is at hand that takes so long that messages are not kept back for it. */
static bool will_last(const hsi_agent_worker *w)
{
    const double   soon = 1e-4; /* seconds */
    const order   *next = &w->orders[w->first];
    const hs_body *body =
        w->agent->bodies[2 * hs_instance_row_of(w->agent->in, next->task) + w->type];

    return !body || body->backend != &hsi_backend_emulated ||
           hs_instance_time(w->agent->in, next->task, w->type) * w->agent->spec.seconds_per_unit >
               soon;
}

/* Wait for an order, and make it the running attempt. Messages that the worker has kept back are
 * sent before it waits or works for long. Return false if the worker is to stop. */
static bool next_order(hsi_agent_worker *w)
{
    uint64_t events;
    bool     sent = false;

    pthread_mutex_lock(&w->lock);
    while (!w->stop && !sent && (w->count == 0 || will_last(w))) {
        pthread_mutex_unlock(&w->lock);
        hsi_sender_flush(&w->agent->sender);
        pthread_mutex_lock(&w->lock);
        sent = true;
    }
    while (!w->stop && w->count == 0)
        pthread_cond_wait(&w->changed, &w->lock);
    if (w->count > 0) {
        while (read(w->attempt.wake_fd, &events, sizeof events) < 0 && errno == EINTR)
            continue;
        w->attempt.task = w->orders[w->first].task;
        w->attempt.number = w->orders[w->first].number;
        hsi_atomic_store(&w->cancel,
                         w->stop || w->drain ? HS_CANCEL_STOP : (int)w->orders[w->first].cancel);
        w->begun = true;
    }
    sent = w->count > 0;
    pthread_mutex_unlock(&w->lock);
    return sent;
}

static void send_line(const hs_attempt *attempt, int error, const char *line, size_t length)
{
    hsi_agent_worker *w =
        (hsi_agent_worker *)((char *)(uintptr_t)attempt - offsetof(hsi_agent_worker, attempt));

    hsi_sender_put(&w->agent->sender, HSI_SEND_NOW, line, length, "line %u %lu %lu %d +%zu\n",
                   w->number, (unsigned long)attempt->task, (unsigned long)attempt->number, error,
                   length);
}

static void send_end(hsi_agent_worker *w, hs_outcome outcome, double seconds)
{
    const hs_attempt *a = &w->attempt;
    char              time[HSI_DECIMAL_MAX], used[HSI_DECIMAL_MAX], waited[HSI_DECIMAL_MAX];

    hsi_decimal_write(seconds, time);
    hsi_decimal_write(a->core_seconds, used);
    hsi_decimal_write(a->core_wait, waited);
    hsi_sender_put(&w->agent->sender, HSI_SEND_LATER, w->why, strlen(w->why),
                   "ended %u %lu %lu %d %s %d %d %s %s +%zu\n", w->number, (unsigned long)a->task,
                   (unsigned long)a->number, (int)outcome, time, a->status < 0 ? 256 : a->status,
                   a->signal, used, waited, strlen(w->why));
}

/* Run the attempt. *seconds: its duration. */
static hs_outcome run_attempt(hsi_agent_worker *w, double *seconds)
{
    const hsi_agent *agent = w->agent;
    hs_attempt      *a = &w->attempt;
    const hs_body   *body = agent->bodies[2 * hs_instance_row_of(agent->in, a->task) + w->type];
    int64_t          begin = hsi_clock_ns();
    hs_outcome       outcome = HS_OUTCOME_FAILED;

    w->why[0] = '\0';
    a->status = -1;
    a->signal = 0;
    a->core_seconds = a->core_wait = 0;
    a->seconds = hs_instance_time(agent->in, a->task, w->type) * agent->spec.seconds_per_unit;
    if (hs_attempt_cancelled(a))
        outcome = (hs_outcome)HSI_REMOTE_UNBEGUN;
    else if (body)
        outcome = body->backend->run(w->commands, body, a);
    else
        snprintf(w->why, sizeof w->why, "this node cannot run the task");
    *seconds = 1e-9 * (double)(hsi_clock_ns() - begin);
    return outcome;
}

/* Make room for another attempt, and begin none after a failure. Only then may the coordinator
 * learn of the end, because it may send an attempt and `begin` at once. */
static void end_order(hsi_agent_worker *w, hs_outcome outcome)
{
    pthread_mutex_lock(&w->lock);
    w->drain |= outcome == HS_OUTCOME_FAILED;
    w->first = (w->first + 1) % HSI_REMOTE_DEPTH;
    w->count--;
    w->begun = false;
    pthread_mutex_unlock(&w->lock);
}

static void run_order(hsi_agent_worker *w)
{
    double     seconds;
    hs_outcome outcome = run_attempt(w, &seconds);

    end_order(w, outcome);
    send_end(w, outcome, seconds);
}

/* Describe the worker to the backend as among all workers of the run. */
static hs_backend_worker_info describe(const hsi_agent_worker *w)
{
    const hsi_agent         *agent = w->agent;
    const hsi_node_options  *o = &agent->options;
    const hs_backend_device *device = hsi_machine_device(&agent->machine, &agent->spec, w->local);
    const unsigned           before = w->type == HS_CPU ? 0 : o->total[HS_CPU];

    return (hs_backend_worker_info){
        .struct_size = sizeof(hs_backend_worker_info),
        .number = w->number,
        .type = w->type,
        .index = w->type == HS_CPU ? w->number - before : w->local - agent->spec.cpus,
        .cpus = o->total[HS_CPU],
        .gpus = o->total[HS_GPU],
        .os_cpu = agent->machine.os_cpu[w->local],
        .core_count = agent->spec.settings.place.cores[w->type],
        .cores = hsi_machine_cores(&agent->machine, &agent->spec, w->local),
        .device = device ? device->uuid : NULL};
}

static hs_status get_ready(hsi_agent_worker *w, hs_error *error)
{
    const hsi_agent             *agent = w->agent;
    const hs_backend_worker_info info = describe(w);

    prctl(PR_SET_TIMERSLACK, 1ul, 0ul, 0ul, 0ul);
    if (info.cores && hsi_bind_thread(0, info.cores, info.core_count) != HS_OK)
        return hsi_error_set(error, HS_ERESOURCE, "cannot bind a worker to core %d", info.cores[0]);
    return agent->backend.starter
               ? hsi_backend_command.worker_open(&agent->backend, &info, &w->commands, error)
               : HS_OK;
}

typedef struct start {
    hsi_agent_worker *worker;
    hs_status         status;
    hs_error         *error;
} start;

static void *run_worker(void *data)
{
    start            *s = data;
    hsi_agent_worker *w = s->worker;

    s->status = get_ready(w, s->error);
    pthread_mutex_lock(&w->lock);
    w->ready = true;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock); /* *s may be gone from here on */
    while (next_order(w))
        run_order(w);
    hsi_sender_flush(&w->agent->sender);
    if (w->commands)
        hsi_backend_command.worker_close(w->commands);
    pthread_mutex_lock(&w->lock);
    w->over = true;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static bool prepare(hsi_agent *agent, unsigned i)
{
    hsi_agent_worker *w = &agent->worker[i];
    const unsigned   *first = agent->options.first;
    const unsigned    cpus = agent->spec.cpus;

    w->agent = agent;
    w->local = i;
    w->type = i < cpus ? HS_CPU : HS_GPU;
    w->number =
        i < cpus ? first[HS_CPU] + i : agent->options.total[HS_CPU] + first[HS_GPU] + i - cpus;
    w->attempt = (hs_attempt){.struct_size = sizeof w->attempt,
                              .instance = agent->in,
                              .worker = w->number,
                              .cancel = &w->cancel,
                              .line_printed = agent->options.output ? send_line : NULL,
                              .why = w->why,
                              .wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    if (w->attempt.wake_fd < 0)
        return false;
    pthread_mutex_init(&w->lock, NULL);
    if (hsi_cond_init(&w->changed) == 0)
        return true;
    close(w->attempt.wake_fd);
    return false;
}

/* Start the thread of a worker, and wait until it is ready. */
static hs_status start_worker(hsi_agent_worker *w, hs_error *error)
{
    start s = {.worker = w, .error = error};

    if (pthread_create(&w->id, NULL, run_worker, &s) != 0)
        return hsi_error_set(error, HS_ERESOURCE, "no thread for each worker of the node");
    w->agent->started++;
    pthread_mutex_lock(&w->lock);
    while (!w->ready)
        pthread_cond_wait(&w->changed, &w->lock);
    pthread_mutex_unlock(&w->lock);
    return s.status;
}

hs_status hsi_agent_workers_start(hsi_agent *agent, hs_error *error)
{
    sigset_t  all, before;
    hs_status st = HS_OK;

    agent->worker = calloc(agent->spec.workers, sizeof *agent->worker);
    if (!agent->worker)
        return HS_ENOMEM;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (unsigned i = 0; i < agent->spec.workers && st == HS_OK; i++) {
        if (!prepare(agent, i))
            st = hsi_error_set(error, HS_ERESOURCE, "no descriptor for each worker of the node");
        else
            st = start_worker(&agent->worker[i], error);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return st;
}

hsi_agent_worker *hsi_agent_worker_at(const hsi_agent *agent, uint64_t number)
{
    const hsi_node_options *o = &agent->options;
    const uint64_t          gpu = (uint64_t)o->total[HS_CPU] + o->first[HS_GPU];
    uint64_t                local = HS_NONE;

    if (number >= o->first[HS_CPU] && number - o->first[HS_CPU] < o->count[HS_CPU])
        local = number - o->first[HS_CPU];
    else if (number >= gpu)
        local = number - gpu + o->count[HS_CPU];
    return local < agent->started ? &agent->worker[local] : NULL;
}

bool hsi_agent_worker_run(hsi_agent_worker *worker, uint32_t task, uint32_t number)
{
    bool has_room;

    pthread_mutex_lock(&worker->lock);
    has_room = worker->count < HSI_REMOTE_DEPTH;
    if (has_room) {
        worker->orders[(worker->first + worker->count) % HSI_REMOTE_DEPTH] =
            (order){task, number, HS_CANCEL_NONE};
        if (worker->count++ == 0)
            pthread_cond_broadcast(&worker->changed);
    }
    pthread_mutex_unlock(&worker->lock);
    return has_room;
}

/* Cancel the running attempt. Hold the lock. */
static void cancel_running(hsi_agent_worker *worker, hs_cancel why)
{
    const uint64_t one = 1;

    hsi_atomic_store(&worker->cancel, (int)why);
    while (write(worker->attempt.wake_fd, &one, sizeof one) < 0 && errno == EINTR)
        continue;
}

void hsi_agent_worker_cancel(hsi_agent_worker *worker, uint32_t task, uint32_t number,
                             hs_cancel why)
{
    pthread_mutex_lock(&worker->lock);
    for (unsigned i = 0; i < worker->count; i++) {
        order *o = &worker->orders[(worker->first + i) % HSI_REMOTE_DEPTH];

        if (o->task != task || o->number != number)
            continue;
        o->cancel = why;
        if (i == 0 && worker->begun)
            cancel_running(worker, why);
    }
    pthread_mutex_unlock(&worker->lock);
}

static void set_drain(hsi_agent_worker *worker, bool drain)
{
    pthread_mutex_lock(&worker->lock);
    worker->drain = drain;
    pthread_mutex_unlock(&worker->lock);
}

void hsi_agent_worker_begin(hsi_agent_worker *worker)
{
    set_drain(worker, false);
}

void hsi_agent_worker_hold(hsi_agent_worker *worker)
{
    set_drain(worker, true);
}

void hsi_agent_workers_drain(hsi_agent *agent)
{
    for (unsigned i = 0; i < agent->started; i++)
        hsi_agent_worker_hold(&agent->worker[i]);
}

static void stop(hsi_agent_worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    worker->stop = true;
    cancel_running(worker, HS_CANCEL_STOP);
    pthread_cond_broadcast(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
}

/* Wait for the end of the worker's thread, until `until` in ns. */
static bool join(hsi_agent_worker *worker, int64_t until)
{
    struct timespec end = hsi_timespec(until);
    bool            over;

    pthread_mutex_lock(&worker->lock);
    while (!worker->over &&
           pthread_cond_timedwait(&worker->changed, &worker->lock, &end) != ETIMEDOUT)
        continue;
    over = worker->over;
    pthread_mutex_unlock(&worker->lock);
    if (!over)
        return false;
    pthread_join(worker->id, NULL);
    close(worker->attempt.wake_fd);
    pthread_cond_destroy(&worker->changed);
    pthread_mutex_destroy(&worker->lock);
    return true;
}

bool hsi_agent_workers_stop(hsi_agent *agent, double seconds)
{
    const int64_t until = hsi_clock_ns() + (int64_t)(1e9 * seconds);
    bool          all = true;

    for (unsigned i = 0; i < agent->started; i++)
        stop(&agent->worker[i]);
    for (unsigned i = 0; i < agent->started && all; i++)
        all = join(&agent->worker[i], until);
    if (all)
        free(agent->worker);
    return all;
}
