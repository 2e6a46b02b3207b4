/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many workers one coordinator can serve, by a virtual clock. The coordinator decides for the
 * workers of all nodes, one decision at a time, and each that starts or aborts a task takes
 * DECISION seconds. A message between coordinator and worker takes MESSAGE seconds, and any number
 * of messages are under way at once.
 *
 *   bench_cluster [DECISION MESSAGE]      default 10e-6 100e-6
 *
 * A sixth of the workers are GPUs. There are 20 tasks per worker, whose times on both types are
 * uniform in [0.5, 1.5] times the mean. `of_ideal` is the makespan without decision and message
 * times over the one with them. With `plan` the coordinator keeps AHEAD tasks at each worker, with
 * `heteroprio` one, because a task may go to any worker until it starts. `capacity` is the mean
 * time over the time of a decision: with more workers the coordinator is the bottleneck.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <hybridsched/hybridsched.h>

enum { TASKS_PER_WORKER = 20, AHEAD = 8 };

static const unsigned workers_of[] = {4, 16, 64, 256, 1024, 4096};
static const double   means[] = {1e-3, 100e-3, 10};

/* A message that reaches the coordinator, or the end of a wait. */
typedef struct event {
    double    time;
    uint64_t  order; /* number of the event; breaks ties */
    unsigned  worker;
    unsigned  attempt; /* of the worker; another attempt: the task was aborted */
    uint32_t  task;
    hs_ending how;
    bool      wait;
} event;

typedef struct remote_worker {
    double   free_at; /* end of the last task that was sent */
    unsigned attempt, under_way;
    uint32_t task; /* last one sent */
    bool     waits;
} remote_worker;

typedef struct cluster {
    const hs_instance *in;
    hs_policy         *policy;
    unsigned           workers, cpus, ahead;
    double             decision, message;
    double             now; /* the coordinator's clock */
    double             makespan;
    remote_worker     *worker;
    event             *heap; /* a binary heap, earliest first */
    size_t             events, room;
    uint64_t           order;
} cluster;

static void check(bool good)
{
    if (!good)
        abort();
}

static bool is_earlier(const event *a, const event *b)
{
    return a->time < b->time || (a->time == b->time && a->order < b->order);
}

static void add_event(cluster *c, event e)
{
    size_t at = c->events++;

    if (c->events > c->room) {
        c->room = 2 * c->events;
        c->heap = realloc(c->heap, c->room * sizeof *c->heap);
        check(c->heap != NULL);
    }
    e.order = c->order++;
    for (; at > 0 && is_earlier(&e, &c->heap[(at - 1) / 2]); at = (at - 1) / 2)
        c->heap[at] = c->heap[(at - 1) / 2];
    c->heap[at] = e;
}

static event take_event(cluster *c)
{
    const event first = c->heap[0], last = c->heap[--c->events];
    size_t      at = 0, child;

    while ((child = 2 * at + 1) < c->events) {
        child += child + 1 < c->events && is_earlier(&c->heap[child + 1], &c->heap[child]);
        if (!is_earlier(&c->heap[child], &last))
            break;
        c->heap[at] = c->heap[child];
        at = child;
    }
    c->heap[at] = last;
    return first;
}

static hs_type type_of(const cluster *c, unsigned worker)
{
    return worker < c->cpus ? HS_CPU : HS_GPU;
}

/* Send a task. The worker starts it when it arrives and the tasks before it have ended. */
static void send_task(cluster *c, unsigned worker, uint32_t task)
{
    remote_worker *w = &c->worker[worker];
    const double   arrival = c->now + c->message;

    w->free_at = fmax(w->free_at, arrival) + hs_instance_time(c->in, task, type_of(c, worker));
    w->task = task;
    w->under_way++;
    add_event(c,
              (event){w->free_at + c->message, 0, worker, w->attempt, task, HS_ENDING_DONE, false});
}

/* Abort the task of a worker, unless it ends before the message arrives. */
static void send_abort(cluster *c, unsigned victim)
{
    remote_worker *w = &c->worker[victim];
    const double   arrival = c->now + c->message;

    if (w->free_at <= arrival)
        return;
    w->free_at = arrival;
    w->attempt++;
    add_event(
        c, (event){arrival + c->message, 0, victim, w->attempt, w->task, HS_ENDING_ABORTED, false});
}

/* Decide for a worker until it waits or has enough tasks. */
static void decide(cluster *c, unsigned worker, hs_wake *wake)
{
    remote_worker *w = &c->worker[worker];
    hs_decision    d;
    uint32_t       own;

    w->waits = false;
    while (w->under_way < c->ahead && hs_policy_take_own(c->policy, worker, &own)) {
        c->now += c->decision;
        send_task(c, worker, own);
    }
    if (w->under_way > 0)
        return;
    hs_policy_next(c->policy, worker, c->now, &d, wake);
    c->now += d.kind == HS_DECIDE_WAIT ? 0 : c->decision;
    if (d.kind == HS_DECIDE_START) {
        send_task(c, worker, d.task);
        return;
    }
    w->waits = true;
    if (d.kind == HS_DECIDE_SPOLIATE)
        send_abort(c, d.victim);
    else if (isfinite(d.until))
        add_event(c, (event){d.until, 0, worker, w->attempt, HS_NONE, HS_ENDING_DONE, true});
}

/* Decide for the waiting workers of a wake set, and for those that these decisions wake. */
static void decide_for_woken(cluster *c, hs_wake wake)
{
    hs_wake  next;
    unsigned w, i;

    for (; wake.types || wake.count; wake = next) {
        next = (hs_wake){0};
        for (w = 0; wake.types && w < c->workers; w++)
            if (c->worker[w].waits && wake.types & 1u << type_of(c, w))
                decide(c, w, &next);
        for (i = 0; i < wake.count; i++)
            if (c->worker[wake.worker[i]].waits)
                decide(c, wake.worker[i], &next);
    }
}

static void handle(cluster *c, const event *e)
{
    remote_worker *w = &c->worker[e->worker];
    hs_wake        wake = {0};

    if (e->attempt != w->attempt || (e->wait && !w->waits))
        return;
    c->now = fmax(c->now, e->time);
    if (!e->wait) {
        w->under_way--;
        hs_policy_ended(c->policy, e->worker, e->task, e->how, c->now, &wake);
        hs_policy_collect_ready(c->policy, c->now, NULL, &wake);
        if (e->how == HS_ENDING_DONE)
            c->makespan = fmax(c->makespan, e->time - c->message);
    }
    decide(c, e->worker, &wake);
    decide_for_woken(c, wake);
}

/* Return the makespan of a run with a coordinator. */
static double run_cluster(const hs_instance *in, const char *policy, const hs_schedule *plan,
                          double decision, double message)
{
    const hs_policy_kind *kind = hs_policy_find(policy);
    cluster               c = {.in = in, .decision = decision, .message = message};
    hs_wake               wake = {0};
    unsigned              w;

    c.cpus = hs_instance_cpus(in);
    c.workers = c.cpus + hs_instance_gpus(in);
    c.worker = calloc(c.workers, sizeof *c.worker);
    check(c.worker && hs_policy_create(kind, in, plan, NULL, &c.policy) == HS_OK);
    hs_policy_collect_ready(c.policy, 0, NULL, NULL);
    for (c.ahead = 1; c.ahead <= (plan ? AHEAD : 1);
         c.ahead++) /* at first a task for each worker */
        for (w = 0; w < c.workers; w++)
            decide(&c, w, &wake);
    c.ahead--;
    decide_for_woken(&c, wake);
    while (c.events) {
        const event e = take_event(&c);

        handle(&c, &e);
    }
    hs_policy_free(c.policy);
    free(c.worker);
    free(c.heap);
    return c.makespan;
}

static hs_instance *make_tasks(unsigned workers, double mean)
{
    hs_builder  *b = NULL;
    hs_instance *in = NULL;
    hs_task      task;
    uint64_t     state = 1;
    double       times[2];
    unsigned     i, t, gpus = (workers + 3) / 6;

    check(hs_builder_create(&b) == HS_OK);
    check(hs_builder_set_workers(b, workers - gpus, gpus) == HS_OK);
    for (i = 0; i < workers * TASKS_PER_WORKER; i++) {
        for (t = 0; t < 2; t++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            times[t] = mean * (0.5 + (double)(state >> 11) * 0x1p-53);
        }
        hs_task_init(&task);
        task.cpu = times[HS_CPU];
        task.gpu = times[HS_GPU];
        check(hs_builder_add_row(b, &task) == HS_OK);
    }
    check(hs_builder_finish(b, &in, NULL) == HS_OK);
    hs_builder_free(b);
    return in;
}

static void measure(unsigned workers, double mean, double decision, double message)
{
    hs_instance *in = make_tasks(workers, mean);
    hs_schedule *s = NULL;
    double       ideal;

    check(hs_policy_simulate(hs_policy_find("heteroprio"), in, NULL, in, NULL, &s, NULL) == HS_OK);
    ideal = hs_schedule_makespan(s);
    printf("%8u %9g %10.0f", workers, mean, mean / decision);
    printf(" %11.3f", ideal / run_cluster(in, "heteroprio", NULL, decision, message));
    printf(" %11.3f\n", ideal / run_cluster(in, "plan", s, decision, message));
    hs_schedule_free(s);
    hs_instance_free(in);
}

int main(int argc, char **argv)
{
    const double decision = argc > 2 ? atof(argv[1]) : 10e-6;
    const double message = argc > 2 ? atof(argv[2]) : 100e-6;
    size_t       i, j;

    printf("%8s %9s %10s %11s %11s   of_ideal, %g s a decision, %g s a message\n", "workers",
           "task_s", "capacity", "heteroprio", "plan", decision, message);
    for (i = 0; i < sizeof means / sizeof *means; i++)
        for (j = 0; j < sizeof workers_of / sizeof *workers_of; j++)
            measure(workers_of[j], means[i], decision, message);
    return 0;
}
