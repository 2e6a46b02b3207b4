/* SPDX-License-Identifier: BSD-3-Clause */
/* Run a task graph in threads of this program as the policy heteroprio decides. A lock protects the
 * policy; tasks run without the lock. The program needs libhybridsched-policy and POSIX threads. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include <hybridsched/policy.h>

enum { CPUS = 2, GPUS = 1, WORKERS = CPUS + GPUS, SQUARES = 12 };

struct runtime;

typedef struct worker {
    struct runtime *runtime;
    pthread_t       thread;
    unsigned        number;    /* CPUs come first, as in the instance */
    atomic_bool     cancelled; /* request to abort the running task; set with the lock held */
} worker;

typedef struct runtime {
    pthread_mutex_t    lock;
    pthread_cond_t     changed; /* `events` or `over` */
    uint64_t           events;  /* starts and ends of tasks */
    unsigned           waiting; /* workers that found no task after the last event */
    bool               over;    /* whether every worker waits, so that no event can follow */
    hs_policy         *policy;
    const hs_instance *in;
    struct timespec    start;
    worker             workers[WORKERS];
    long               square[SQUARES], sum; /* results of the tasks */
} runtime;

static double seconds_since(const struct timespec *start)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + 1e-9 * (double)(now.tv_nsec - start->tv_nsec);
}

static void sleep_millisecond(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
}

/* Execute a task on a worker. A worker of type HS_GPU would launch a kernel here, and wait for its
 * end. Return false if the task was aborted; its result is then unchanged. */
static bool execute(worker *self, uint32_t task)
{
    runtime      *r = self->runtime;
    const hs_type type = self->number < CPUS ? HS_CPU : HS_GPU;
    double        left;
    long          sum = 0;

    for (left = hs_instance_time(r->in, task, type); left > 0; left -= 1e-3) {
        if (atomic_load(&self->cancelled))
            return false;
        sleep_millisecond();
    }
    if (task < SQUARES) {
        r->square[task] = (long)task * task;
        return true;
    }
    for (task = 0; task < SQUARES; task++)
        sum += r->square[task];
    r->sum = sum;
    return true;
}

/* Let every waiting worker ask the policy again. */
static void announce_event(runtime *r)
{
    r->events++;
    r->waiting = 0;
    pthread_cond_broadcast(&r->changed);
}

/* Wait for the next event. If every worker waits, the run is over. */
static void wait_for_event(runtime *r)
{
    const uint64_t seen = r->events;

    if (++r->waiting == WORKERS) {
        r->over = true;
        pthread_cond_broadcast(&r->changed);
    }
    while (r->events == seen && !r->over)
        pthread_cond_wait(&r->changed, &r->lock);
}

/* Run a task, without the lock, and report its end to the policy. */
static void run_task(worker *self, uint32_t task)
{
    runtime *r = self->runtime;
    bool     done;
    double   now;

    announce_event(r); /* an idle worker may spoliate this task */
    pthread_mutex_unlock(&r->lock);
    done = execute(self, task);
    pthread_mutex_lock(&r->lock);
    now = seconds_since(&r->start);
    hs_policy_ended(r->policy, self->number, task, done ? HS_ENDING_DONE : HS_ENDING_ABORTED, now,
                    NULL);
    hs_policy_collect_ready(r->policy, now, NULL, NULL);
    atomic_store(&self->cancelled, false);
    announce_event(r);
}

/* Thread of a worker. */
static void *work(void *argument)
{
    worker     *self = argument;
    runtime    *r = self->runtime;
    hs_decision decision;

    pthread_mutex_lock(&r->lock);
    while (!r->over) {
        hs_policy_next(r->policy, self->number, seconds_since(&r->start), &decision, NULL);
        if (decision.kind == HS_DECIDE_START) {
            run_task(self, decision.task);
        } else if (decision.kind == HS_DECIDE_WAIT && isfinite(decision.until)) {
            pthread_mutex_unlock(&r->lock);
            sleep_millisecond(); /* then ask again, whether or not decision.until has come */
            pthread_mutex_lock(&r->lock);
        } else {
            if (decision.kind == HS_DECIDE_SPOLIATE)
                atomic_store(&r->workers[decision.victim].cancelled, true);
            wait_for_event(r);
        }
    }
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

/* Make the graph: squares, and then their sum, on a CPU. Times are in seconds. */
static hs_status make_graph(hs_instance **out)
{
    hs_builder *b = NULL;
    hs_status   st = hs_builder_create(&b);
    hs_task     squares, sum;

    hs_task_init(&squares);
    squares.cpu = 0.02;
    squares.gpu = 0.005;
    squares.count = SQUARES;
    hs_task_init(&sum);
    sum.cpu = 0.001;
    sum.gpu = INFINITY;
    if (st == HS_OK)
        st = hs_builder_set_workers(b, CPUS, GPUS);
    if (st == HS_OK)
        st = hs_builder_add_row(b, &squares);
    if (st == HS_OK)
        st = hs_builder_add_row(b, &sum);
    if (st == HS_OK)
        st = hs_builder_add_predecessor(b, 1, 0, 0, 0); /* row 1 comes after row 0 */
    if (st == HS_OK)
        st = hs_builder_finish(b, out, NULL);
    hs_builder_free(b);
    return st;
}

/* Start the threads, and wait for their ends. Return HS_ERESOURCE if a thread cannot start. */
static hs_status run(runtime *r)
{
    unsigned started, w;

    clock_gettime(CLOCK_MONOTONIC, &r->start);
    hs_policy_collect_ready(r->policy, 0, NULL, NULL);
    pthread_mutex_lock(&r->lock); /* no worker decides before all have started */
    for (started = 0; started < WORKERS; started++) {
        worker *each = &r->workers[started];

        each->runtime = r;
        each->number = started;
        if (pthread_create(&each->thread, NULL, work, each))
            break;
    }
    r->over = started < WORKERS;
    pthread_mutex_unlock(&r->lock);
    for (w = 0; w < started; w++)
        pthread_join(r->workers[w].thread, NULL);
    return started == WORKERS ? HS_OK : HS_ERESOURCE;
}

int main(void)
{
    static runtime r = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    hs_instance   *in = NULL;
    hs_status      st = make_graph(&in);

    r.in = in;
    if (st == HS_OK)
        st = hs_policy_create(hs_policy_find("heteroprio"), in, NULL, NULL, &r.policy);
    if (st == HS_OK)
        st = run(&r);
    if (st == HS_OK)
        printf("sum of the squares: %ld\n", r.sum);
    else
        fprintf(stderr, "%s\n", hs_status_text(st));
    hs_policy_free(r.policy);
    hs_instance_free(in);
    return st != HS_OK;
}
