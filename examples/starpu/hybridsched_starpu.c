/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HeteroPrio's ready queue as a scheduling policy of StarPU 1.3. An application selects the policy,
 *
 *     extern struct starpu_sched_policy hybridsched_starpu_policy;
 *     conf.sched_policy = &hybridsched_starpu_policy;
 *
 * or runs unchanged with this library preloaded, whose starpu_init() selects the policy:
 *
 *     LD_PRELOAD=./hybridsched_starpu.so ./application
 *
 * A GPU takes the ready task with the largest ratio of CPU time to GPU time, a CPU the ready task
 * with the smallest. Among the first ready tasks of about the same ratio, a worker takes the task
 * whose data reach the worker's memory first. StarPU cannot abort a task, so spoliation is
 * impossible. Instead, a CPU does not start a task if the GPUs would complete it earlier, after all
 * other ready tasks. Times come from StarPU's performance models. While a model is being
 * calibrated, a task counts as equally fast on both types.
 */
#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <starpu.h>
#include <starpu_scheduler.h>

#include <hybridsched/queue.h>

enum {
    RATIO_CELLS = 100
};                          /* 1 / tolerance of hs_queue_settings: measured times of one
                              kernel vary */
enum { MOST_COMPARED = 6 }; /* tasks of about one ratio among which transfers decide */

typedef struct scheduler {
    starpu_pthread_mutex_t lock;
    hs_queue              *queue;          /* NULL until add_workers() */
    int                    some_worker[2]; /* a worker of each hs_type; -1: no worker */
    unsigned               gpus;
    double                 busy_until[STARPU_NMAXWORKERS];
    double                 gpu_work; /* GPU time of the ready tasks, in microseconds */
    uint64_t               taken[2]; /* number of tasks taken by each hs_type */
    int                    least_priority, most_priority; /* of all tasks */
} scheduler;

static scheduler *of_context(unsigned context)
{
    return starpu_sched_ctx_get_policy_data(context);
}

static hs_type type_of(int worker)
{
    return starpu_worker_get_type(worker) == STARPU_CPU_WORKER ? HS_CPU : HS_GPU;
}

static _Noreturn void fail(const char *what, hs_status status)
{
    fprintf(stderr, "hybridsched: %s: %s\n", what, hs_status_text(status));
    abort();
}

static void lock(scheduler *s)
{
    starpu_worker_relax_on(); /* StarPU may need this worker while it waits */
    starpu_pthread_mutex_lock(&s->lock);
    starpu_worker_relax_off();
}

static void init(unsigned context)
{
    scheduler *s = calloc(1, sizeof *s);

    if (!s)
        fail("scheduler", HS_ENOMEM);
    starpu_pthread_mutex_init(&s->lock, NULL);
    s->some_worker[HS_CPU] = s->some_worker[HS_GPU] = -1;
    starpu_sched_ctx_set_policy_data(context, s);
    starpu_sched_ctx_set_min_priority(context, INT_MIN); /* else StarPU drops all priorities */
    starpu_sched_ctx_set_max_priority(context, INT_MAX);
}

static void deinit(unsigned context)
{
    scheduler *s = of_context(context);

    if (getenv("HYBRIDSCHED_STARPU_STATS"))
        fprintf(stderr, "hybridsched: %llu tasks on CPUs, %llu on GPUs, priorities %d to %d\n",
                (unsigned long long)s->taken[HS_CPU], (unsigned long long)s->taken[HS_GPU],
                s->least_priority, s->most_priority);
    hs_queue_free(s->queue);
    starpu_pthread_mutex_destroy(&s->lock);
    free(s);
}

/* Create the queue for the maximum number of workers of each type, so that adding workers does not
 * change it. */
static void make_queue(scheduler *s)
{
    hs_queue_settings settings;
    hs_status         status;
    unsigned          cpus = starpu_cpu_worker_get_count();

    hs_queue_settings_init(&settings);
    settings.tolerance = 1.0 / RATIO_CELLS;
    s->gpus = starpu_worker_get_count() - cpus;
    status = hs_queue_create_with(cpus, s->gpus, 1024, &settings, &s->queue);
    if (status != HS_OK)
        fail("queue", status);
}

static void add_workers(unsigned context, int *workers, unsigned count)
{
    scheduler *s = of_context(context);

    if (!s->queue)
        make_queue(s);
    for (unsigned i = 0; i < count; i++)
        s->some_worker[type_of(workers[i])] = workers[i];
}

/* Return the time of a task on a type in microseconds; INFINITY if the type cannot run it, NaN if
 * the time is unknown. */
static double time_on(const scheduler *s, hs_type type, struct starpu_task *task)
{
    int      worker = s->some_worker[type];
    unsigned implementation;

    if (worker < 0 ||
        !starpu_worker_can_execute_task_first_impl((unsigned)worker, task, &implementation))
        return INFINITY;
    return starpu_task_expected_length(
        task, starpu_worker_get_perf_archtype(worker, task->sched_ctx), implementation);
}

static hs_queue_task describe(const scheduler *s, struct starpu_task *task)
{
    hs_queue_task ready = {(uintptr_t)task, time_on(s, HS_CPU, task), time_on(s, HS_GPU, task),
                           task->priority};

    if (!(ready.cpu > 0))
        ready.cpu = isfinite(ready.gpu) && ready.gpu > 0 ? ready.gpu : 1;
    if (!(ready.gpu > 0))
        ready.gpu = isfinite(ready.cpu) ? ready.cpu : 1;
    return ready;
}

/* Wake a sleeping worker of a type. */
static void wake_one(unsigned context, hs_type type)
{
    struct starpu_worker_collection *workers = starpu_sched_ctx_get_worker_collection(context);
    struct starpu_sched_ctx_iterator it;

    workers->init_iterator(workers, &it);
    while (workers->has_next(workers, &it)) {
        int worker = workers->get_next(workers, &it);

        if (type_of(worker) == type && starpu_wake_worker_relax_light(worker))
            return;
    }
}

static int push(struct starpu_task *task)
{
    unsigned      context = task->sched_ctx;
    scheduler    *s = of_context(context);
    hs_queue_task ready = describe(s, task);
    hs_status     status;

    lock(s);
    status = hs_queue_push(s->queue, &ready, NULL);
    if (status != HS_OK)
        fail("task", status);
    if (isfinite(ready.gpu))
        s->gpu_work += ready.gpu;
    if (task->priority < s->least_priority)
        s->least_priority = task->priority;
    if (task->priority > s->most_priority)
        s->most_priority = task->priority;
    starpu_push_task_end(task);
    starpu_pthread_mutex_unlock(&s->lock);
    /* another worker may have freed the task by now */
    if (isfinite(ready.gpu))
        wake_one(context, HS_GPU);
    if (isfinite(ready.cpu))
        wake_one(context, HS_CPU);
    return 0;
}

/* Return the microseconds until the GPUs would have completed their running tasks and all ready
 * tasks. */
static double gpus_take(const scheduler *s)
{
    double now = starpu_timing_now(), work = s->gpu_work;

    for (unsigned w = 0; w < starpu_worker_get_count(); w++)
        if (type_of((int)w) == HS_GPU)
            work += fmax(0, s->busy_until[w] - now);
    return work / s->gpus;
}

typedef struct candidate {
    hs_type  type;
    unsigned worker;
    double   limit; /* a CPU must end a task within this time, or within the task's time on a GPU */
} candidate;

/* Return the time of a task's transfers to the worker's memory, or INFINITY if a CPU should leave
 * the task to a GPU. */
static double cost_of(void *data, const hs_queue_handle *handle, const hs_queue_task *task)
{
    const candidate *c = data;

    (void)handle;
    if (c->type == HS_CPU && isfinite(task->gpu) && task->cpu > fmax(c->limit, task->gpu))
        return INFINITY;
    return starpu_task_expected_data_transfer_time_for((struct starpu_task *)(uintptr_t)task->tag,
                                                       c->worker);
}

static int take(scheduler *s, hs_type type, int worker, hs_queue_task *ready)
{
    candidate c = {type, (unsigned)worker, s->gpus ? gpus_take(s) : INFINITY};

    return hs_queue_take_best(s->queue, type, MOST_COMPARED, cost_of, &c, ready);
}

static struct starpu_task *pop(unsigned context)
{
    scheduler          *s = of_context(context);
    int                 worker = starpu_worker_get_id_check();
    hs_type             type = type_of(worker);
    struct starpu_task *task = NULL;
    hs_queue_task       ready;
    unsigned            implementation;

    lock(s);
    if (take(s, type, worker, &ready)) {
        task = (struct starpu_task *)(uintptr_t)ready.tag;
        if (isfinite(ready.gpu))
            s->gpu_work = fmax(0, s->gpu_work - ready.gpu);
        s->busy_until[worker] = starpu_timing_now() + (type == HS_CPU ? ready.cpu : ready.gpu);
        s->taken[type]++;
    }
    starpu_pthread_mutex_unlock(&s->lock);
    if (task && starpu_worker_can_execute_task_first_impl((unsigned)worker, task, &implementation))
        starpu_task_set_implementation(task, implementation);
    return task;
}

extern HS_API struct starpu_sched_policy hybridsched_starpu_policy;

struct starpu_sched_policy hybridsched_starpu_policy = {
    .init_sched = init,
    .deinit_sched = deinit,
    .add_workers = add_workers,
    .push_task = push,
    .pop_task = pop,
    .policy_name = "hybridsched",
    .policy_description = "HeteroPrio's ready queue: GPUs what they accelerate most",
    .worker_type = STARPU_WORKER_LIST,
};

/* Replace starpu_init() for applications that select no policy. */
HS_API int starpu_init(struct starpu_conf *given)
{
    int (*real)(struct starpu_conf *);
    struct starpu_conf conf;

    *(void **)&real = dlsym(RTLD_NEXT, "starpu_init");
    if (!real)
        fail("there is no StarPU in this program", HS_ERESOURCE);
    if (given)
        conf = *given;
    else
        starpu_conf_init(&conf);
    conf.sched_policy = &hybridsched_starpu_policy;
    return real(&conf);
}
