/* SPDX-License-Identifier: BSD-3-Clause */
/* A small runtime system: threads run tasks that are added meanwhile, as the policy dmdas decides.
 * The tasks sum up numbers in a tree; their accesses to handles order them. A lock protects the
 * policy; tasks run without the lock. The program needs libhybridsched-policy and POSIX threads. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include <hybridsched/arrivals.h>

enum { CPUS = 3, GPUS = 1, WORKERS = CPUS + GPUS, ROOM = 64, LEAVES = 4096 };

typedef struct runtime {
    pthread_mutex_t lock;
    pthread_cond_t  changed; /* a task was added or has ended, or `closed` */
    hs_policy      *policy;
    bool            closed;     /* no task will be added */
    int             from[ROOM]; /* by number of a live task: the leaf that is added ... */
    int             to[ROOM];   /* ... and the leaf to which it is added */
    unsigned        workers;    /* number of workers that have started */
    uint32_t        handle[LEAVES];
    long            value[LEAVES];
} runtime;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Tell the policy which tasks became ready, and let all idle workers ask it. */
static void announce(runtime *r)
{
    hs_policy_collect_ready(r->policy, now(), NULL, NULL);
    pthread_cond_broadcast(&r->changed);
}

/* Thread of a worker: run tasks until all have ended. */
static void *work(void *argument)
{
    runtime    *r = argument;
    unsigned    self;
    hs_decision d;

    pthread_mutex_lock(&r->lock);
    self = r->workers++; /* CPUs come first */
    while (!r->closed || hs_policy_live_tasks(r->policy) > 0) {
        hs_policy_next(r->policy, self, now(), &d, NULL);
        if (d.kind == HS_DECIDE_START) {
            int from = r->from[d.task], to = r->to[d.task];

            pthread_mutex_unlock(&r->lock);
            r->value[to] += r->value[from]; /* a GPU's worker would launch a kernel here */
            pthread_mutex_lock(&r->lock);
            hs_policy_ended(r->policy, self, d.task, HS_ENDING_DONE, now(), NULL);
            announce(r);
        } else { /* the tasks may not be aborted, so the policy never decides to spoliate */
            pthread_cond_wait(&r->changed, &r->lock);
        }
    }
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

/* Add a task; wait while there is no room for it. */
static hs_status add_sum(runtime *r, int to, int from)
{
    const hs_access access[] = {{.data = r->handle[to], .mode = HS_READ_WRITE},
                                {.data = r->handle[from], .mode = HS_READ}};
    hs_arrival      task;
    hs_task_id      id;
    hs_status       st;

    hs_arrival_init(&task);
    task.cpu = 1e-6; /* seconds */
    task.gpu = 4e-6;
    task.access = access;
    task.accesses = 2;
    pthread_mutex_lock(&r->lock);
    while ((st = hs_policy_add_task(r->policy, &task, &id)) == HS_EFULL)
        pthread_cond_wait(&r->changed, &r->lock);
    if (st == HS_OK) {
        r->to[id.task] = to;
        r->from[id.task] = from;
    }
    announce(r);
    pthread_mutex_unlock(&r->lock);
    return st;
}

static hs_status add_all(runtime *r)
{
    hs_status st = HS_OK;

    for (int step = 1; step < LEAVES; step *= 2)
        for (int i = 0; i + step < LEAVES && st == HS_OK; i += 2 * step)
            st = add_sum(r, i, i + step);
    pthread_mutex_lock(&r->lock);
    r->closed = true;
    announce(r);
    pthread_mutex_unlock(&r->lock);
    return st;
}

static hs_status open_policy(runtime *r, const hs_instance *machine)
{
    hs_room   room;
    hs_status st;

    hs_room_init(&room);
    room.tasks = ROOM;
    st = hs_policy_create_arriving(hs_policy_find("dmdas"), machine, &room, NULL, &r->policy);
    for (int i = 0; i < LEAVES && st == HS_OK; i++) {
        r->value[i] = i;
        st = hs_policy_add_handle(r->policy, sizeof *r->value, 0, &r->handle[i]);
    }
    return st;
}

int main(void)
{
    static runtime r = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    const double   time = 1;
    pthread_t      thread[WORKERS];
    hs_instance   *machine = NULL;
    hs_status      st = hs_instance_wrap(1, &time, &time, NULL, CPUS, GPUS, &machine);

    if (st == HS_OK)
        st = open_policy(&r, machine);
    for (unsigned w = 0; w < WORKERS && st == HS_OK; w++)
        if (pthread_create(&thread[w], NULL, work, &r))
            return 1;
    if (st == HS_OK) {
        st = add_all(&r);
        for (unsigned w = 0; w < WORKERS; w++)
            pthread_join(thread[w], NULL);
    }
    printf("%s, sum: %ld\n", hs_status_text(st), r.value[0]);
    hs_policy_free(r.policy);
    hs_instance_free(machine);
    return st != HS_OK;
}
