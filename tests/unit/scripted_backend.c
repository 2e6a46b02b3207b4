/* SPDX-License-Identifier: BSD-3-Clause */

/* The backend with scripted bodies, which also checks the dispatcher's calls. */

#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hybridsched/hybridsched.h>

#include "exec_fixture.h"
#include "support/clock.h"

scripted_state scripted;

static int running_attempts[SCRIPTED_TASKS]; /* number of running attempts by task */

/*
 * The race detector. A body checks the marks of its task's predecessors at its start and sets its
 * own mark at its end, without locks or atomics. A thread sanitizer thus sees whether the
 * dispatcher makes the results of predecessors visible, in addition to the order of tasks.
 */
static const hs_graph *order; /* NULL: independent tasks */
static size_t          order_tasks;
static int             mark[SCRIPTED_TASKS];

static bool all_is_marked(size_t vertex)
{
    size_t          count;
    const uint32_t *before = hs_graph_predecessors(order, vertex, &count, NULL);

    for (; count > 0; count--, before++)
        if (!(*before < order_tasks ? mark[*before] : all_is_marked(*before)))
            return false;
    return true;
}

void scripted_check_order_of(const hs_instance *in)
{
    order_tasks = hs_instance_tasks(in);
    ck_assert_int_eq(hs_instance_graph(in, &order), HS_OK);
    ck_assert(!order || order_tasks <= SCRIPTED_TASKS);
    memset(mark, 0, sizeof mark);
}

void scripted_reset(void)
{
    memset(&scripted, 0, sizeof scripted);
    scripted.refuse_worker = -1;
}

static void count(int *what)
{
    __atomic_fetch_add(what, 1, __ATOMIC_RELAXED);
}

typedef struct scripted_body {
    hs_body base;
    char   *kernel;
    hs_type type;
} scripted_body;

typedef struct scripted_worker {
    hs_backend_worker base;
    unsigned          number;
} scripted_worker;

static hs_status body_create(const hs_backend_options *options, const hs_task *row, hs_type type,
                             hs_body **out, hs_error *error)
{
    const char    *kernel = row->kernel ? row->kernel : "done";
    scripted_body *r;

    (void)options;
    if (strncmp(kernel, "refuse:", 7) == 0) {
        snprintf(error->why, HS_WHY, "%s", kernel + 7);
        return HS_EINVAL;
    }
    if (strcmp(kernel, type == HS_CPU ? "none-cpu" : "none-gpu") == 0)
        return HS_OK;
    r = malloc(sizeof *r);
    if (!r)
        return HS_ENOMEM;
    *r = (scripted_body){{&scripted_backend}, strdup(kernel), type};
    if (!r->kernel) {
        free(r);
        return HS_ENOMEM;
    }
    *out = &r->base;
    return HS_OK;
}

static void body_free(hs_body *body)
{
    scripted_body *r = (scripted_body *)body;

    free(r->kernel);
    free(r);
}

static hs_status worker_open(const hs_backend_options *options, const hs_backend_worker_info *info,
                             hs_backend_worker **out, hs_error *error)
{
    scripted_worker *a;

    (void)options;
    if ((int)info->number == scripted.refuse_worker) {
        snprintf(error->why, HS_WHY, "worker %u has no costume", info->number);
        return HS_ERESOURCE;
    }
    a = malloc(sizeof *a);
    if (!a)
        return HS_ENOMEM;
    *a = (scripted_worker){{&scripted_backend}, info->number};
    count(&scripted.opened);
    *out = &a->base;
    return HS_OK;
}

static void worker_close(hs_backend_worker *worker)
{
    count(&scripted.closed);
    free((scripted_worker *)worker);
}

static hs_outcome busy(const hs_attempt *a, double us, bool looks)
{
    int64_t end = us < 1e12 ? hsi_clock_ns() + (int64_t)(1e3 * us) : INT64_MAX;

    while (hsi_clock_ns() < end)
        if (looks && hs_attempt_cancelled(a))
            return HS_OUTCOME_ABORTED;
    return HS_OUTCOME_DONE;
}

static hs_outcome hang(const hs_attempt *a, int ms)
{
    struct pollfd wake = {a->wake_fd, POLLIN, 0};

    while (!hs_attempt_cancelled(a))
        if (poll(&wake, 1, ms) == 0)
            return HS_OUTCOME_DONE;
    return HS_OUTCOME_ABORTED;
}

/* Fail at the first `first` attempts; later attempts succeed, after `us` microseconds if not NULL.
 * */
static hs_outcome stumble(hs_attempt *a, unsigned first, const char *us)
{
    if (a->number > first)
        return us ? busy(a, atof(us + 1), true) : HS_OUTCOME_DONE;
    snprintf(a->why, HS_WHY, "attempt %u failed", a->number);
    return HS_OUTCOME_FAILED;
}

/* Fail on the broken type. The n-th failure waits until n - 3 retries have completed on the other
 * type. */
static hs_outcome be_broken(hs_attempt *a)
{
    int failures = __atomic_add_fetch(&scripted.broken, 1, __ATOMIC_ACQ_REL);

    while (__atomic_load_n(&scripted.mended, __ATOMIC_ACQUIRE) < failures - 3)
        poll(NULL, 0, 1);
    snprintf(a->why, HS_WHY, "it is broken");
    return HS_OUTCOME_FAILED;
}

/* Succeed on the type that is not broken. A first attempt waits until four attempts have failed on
 * the broken type, or five if a retry has completed. */
static hs_outcome mend(const hs_attempt *a)
{
    int first = __atomic_load_n(&scripted.mended, __ATOMIC_ACQUIRE) ? 5 : 4;

    while (a->number == 1 && __atomic_load_n(&scripted.broken, __ATOMIC_ACQUIRE) < first)
        poll(NULL, 0, 1);
    if (a->number > 1)
        count(&scripted.mended);
    return HS_OUTCOME_DONE;
}

static hs_outcome stay_calm(hs_attempt *a)
{
    struct pollfd wake = {a->wake_fd, POLLIN, 0};

    if (!hs_attempt_cancelled(a) && poll(&wake, 1, 0) == 0)
        return HS_OUTCOME_DONE;
    snprintf(a->why, HS_WHY, "cancelled before it began");
    return HS_OUTCOME_FAILED;
}

static hs_outcome sulk(hs_attempt *a)
{
    hang(a, -1);
    snprintf(a->why, HS_WHY, "it will not be taken");
    return HS_OUTCOME_FAILED;
}

static hs_outcome call(const hs_attempt *a, int us)
{
    if (scripted.hook)
        scripted.hook(scripted.context);
    count(&scripted.calls);
    return hang(a, us / 1000);
}

/* Return true if the kernel is `name`, or `name-cpu` on a CPU, or `name-gpu` on a GPU. */
static bool has_kernel(const scripted_body *r, const char *name)
{
    size_t      length = strlen(name);
    const char *rest = r->kernel + length;

    if (strncmp(r->kernel, name, length) != 0)
        return false;
    return !*rest || strcmp(rest, r->type == HS_CPU ? "-cpu" : "-gpu") == 0;
}

static hs_outcome run_body(const scripted_body *r, hs_attempt *a)
{
    const char *colon = strchr(r->kernel, ':');
    double      number = colon ? atof(colon + 1) : 0;

    if (strncmp(r->kernel, "busy:", 5) == 0)
        return busy(a, number, true);
    if (strncmp(r->kernel, "late:", 5) == 0)
        return busy(a, number, false);
    if (strncmp(r->kernel, "fail:", 5) == 0)
        return stumble(a, (unsigned)number, strchr(colon + 1, ':'));
    if (strncmp(r->kernel, "curse:", 6) == 0) {
        snprintf(a->why, HS_WHY, "%s", r->kernel + 6);
        return HS_OUTCOME_FAILED;
    }
    if (strncmp(r->kernel, "call:", 5) == 0)
        return call(a, (int)number);
    if (has_kernel(r, "break"))
        return be_broken(a);
    if (strncmp(r->kernel, "break-", 6) == 0)
        return mend(a);
    if (has_kernel(r, "calm"))
        return stay_calm(a);
    if (has_kernel(r, "sulk"))
        return sulk(a);
    if (has_kernel(r, "hang"))
        return hang(a, -1);
    if (has_kernel(r, "spin"))
        return busy(a, INFINITY, true);
    if (has_kernel(r, "lose")) {
        snprintf(a->why, HS_WHY, "the worker is lost");
        return HS_OUTCOME_LOST;
    }
    return has_kernel(r, "quit") ? HS_OUTCOME_ABORTED : HS_OUTCOME_DONE;
}

/* Let a CPU begin a task first, if the test wants it; in the meantime a GPU holds one task. */
static void begin_in_turn(const scripted_body *r)
{
    if (r->type == HS_CPU)
        __atomic_fetch_add(&scripted.begun_on_cpus, 1, __ATOMIC_RELEASE);
    while (scripted.cpus_first && __atomic_load_n(&scripted.begun_on_cpus, __ATOMIC_ACQUIRE) == 0)
        poll(NULL, 0, 1);
}

static hs_outcome run(hs_backend_worker *worker, const hs_body *body, hs_attempt *attempt)
{
    const scripted_body *r = (const scripted_body *)body;
    int                 *here = &running_attempts[attempt->task % SCRIPTED_TASKS];
    hs_outcome           outcome;

    if (((scripted_worker *)worker)->number != attempt->worker)
        count(&scripted.wrong_states);
    count(&scripted.begun);
    begin_in_turn(r);
    if (scripted.at_start)
        scripted.at_start(attempt);
    if (__atomic_fetch_add(here, 1, __ATOMIC_ACQ_REL) != 0)
        count(&scripted.overlaps);
    if (order && !all_is_marked(attempt->task))
        count(&scripted.early);
    outcome = run_body(r, attempt);
    if (order && outcome == HS_OUTCOME_DONE)
        mark[attempt->task] = 1;
    __atomic_fetch_sub(here, 1, __ATOMIC_ACQ_REL);
    count(&scripted.ended);
    return outcome;
}

const hs_backend scripted_backend = {.struct_size = sizeof(hs_backend),
                                     .name = "scripted",
                                     .body_create = body_create,
                                     .body_free = body_free,
                                     .worker_open = worker_open,
                                     .worker_close = worker_close,
                                     .run = run};

static _Thread_local hs_completion submitted;
static _Thread_local bool          is_submitted;

static hs_status prepare(hs_backend_worker *worker, const hs_instance *instance,
                         const hs_backend_item *items, size_t count, int ordered, hs_error *error)
{
    (void)worker;
    (void)instance;
    (void)items;
    (void)count;
    (void)ordered;
    (void)error->why;
    return HS_OK;
}

static unsigned depth(hs_backend_worker *worker)
{
    (void)worker;
    return 1;
}

static int submit(hs_backend_worker *worker, const hs_body *body, hs_attempt *attempt)
{
    submitted.attempt = attempt;
    submitted.start = hsi_clock_ns();
    submitted.outcome = scripted_backend.run(worker, body, attempt);
    submitted.end = hsi_clock_ns();
    is_submitted = true;
    return 1;
}

static int collect(hs_backend_worker *worker, int wait, hs_completion *out)
{
    bool found = is_submitted;

    (void)worker;
    (void)wait;
    *out = submitted;
    is_submitted = false;
    return found;
}

hs_backend scripted_backend_with_lists(void)
{
    hs_backend backend = scripted_backend;

    backend.prepare = prepare;
    backend.depth = depth;
    backend.submit = submit;
    backend.collect = collect;
    return backend;
}
