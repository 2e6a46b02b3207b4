/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec_fixture.h"

#include <dirent.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hybridsched/hybridsched.h>

#include "support/clock.h"

hs_theatre theatre;

static int on_stage[THEATRE_TASKS]; /* by task: attempts that are running */

/*
 * The race detector: each body leaves a mark when it is done, and looks for the marks of all that
 * it comes after when it begins, without a lock or an atomic: that the dispatcher hands over what
 * was done, and not only that it keeps the order, is for a thread sanitizer to see.
 */
static const hs_graph *order; /* NULL: there is none */
static size_t          order_tasks;
static int             mark[THEATRE_TASKS];

static int all_is_marked(size_t vertex)
{
    size_t          count;
    const uint32_t *before = hs_graph_predecessors(order, vertex, &count, NULL);

    for (; count > 0; count--, before++)
        if (!(*before < order_tasks ? mark[*before] : all_is_marked(*before)))
            return 0;
    return 1;
}

static void watch(const hs_instance *in)
{
    order_tasks = hs_instance_tasks(in);
    ck_assert_int_eq(hs_instance_graph(in, &order), HS_OK);
    ck_assert(!order || order_tasks <= THEATRE_TASKS);
    memset(mark, 0, sizeof mark);
}

void theatre_reset(void)
{
    memset(&theatre, 0, sizeof theatre);
    theatre.refuse_worker = -1;
}

static void count(int *what)
{
    __atomic_fetch_add(what, 1, __ATOMIC_RELAXED);
}

typedef struct role {
    hs_body base;
    char   *kernel;
    hs_type type;
} role;

typedef struct actor {
    hs_backend_worker base;
    unsigned          number;
} actor;

static hs_status body_create(const hs_backend_options *options, const hs_task *row, hs_type type,
                             hs_body **out, char why[HS_WHY])
{
    const char *kernel = row->kernel ? row->kernel : "done";
    role       *r;

    (void)options;
    if (strncmp(kernel, "refuse:", 7) == 0) {
        snprintf(why, HS_WHY, "%s", kernel + 7);
        return HS_EINVAL;
    }
    if (strcmp(kernel, type == HS_CPU ? "none-cpu" : "none-gpu") == 0)
        return HS_OK;
    r = malloc(sizeof *r);
    if (!r)
        return HS_ENOMEM;
    *r = (role){{&theatre_backend}, strdup(kernel), type};
    if (!r->kernel) {
        free(r);
        return HS_ENOMEM;
    }
    *out = &r->base;
    return HS_OK;
}

static void body_free(hs_body *body)
{
    role *r = (role *)body;

    free(r->kernel);
    free(r);
}

static hs_status worker_open(const hs_backend_options *options, const hs_backend_worker_info *info,
                             hs_backend_worker **out, char why[HS_WHY])
{
    actor *a;

    (void)options;
    if ((int)info->number == theatre.refuse_worker) {
        snprintf(why, HS_WHY, "worker %u has no costume", info->number);
        return HS_ERESOURCE;
    }
    a = malloc(sizeof *a);
    if (!a)
        return HS_ENOMEM;
    *a = (actor){{&theatre_backend}, info->number};
    count(&theatre.opened);
    *out = &a->base;
    return HS_OK;
}

static void worker_close(hs_backend_worker *worker)
{
    count(&theatre.closed);
    free((actor *)worker);
}

static hs_outcome busy(const hs_attempt *a, double us, int looks)
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

/* The first of them fail; what does not may take a while. */
static hs_outcome stumble(hs_attempt *a, unsigned first, const char *us)
{
    if (a->number > first)
        return us ? busy(a, atof(us + 1), 1) : HS_OUTCOME_DONE;
    snprintf(a->why, HS_WHY, "attempt %u failed", a->number);
    return HS_OUTCOME_FAILED;
}

/* The n-th failure comes when n - 3 of those that failed have been done elsewhere. */
static hs_outcome be_broken(hs_attempt *a)
{
    int failures = __atomic_add_fetch(&theatre.broken, 1, __ATOMIC_ACQ_REL);

    while (__atomic_load_n(&theatre.mended, __ATOMIC_ACQUIRE) < failures - 3)
        poll(NULL, 0, 1);
    snprintf(a->why, HS_WHY, "it is broken");
    return HS_OUTCOME_FAILED;
}

/* Five of them are left to fail. */
static hs_outcome mend(const hs_attempt *a)
{
    int first = __atomic_load_n(&theatre.mended, __ATOMIC_ACQUIRE) ? 5 : 4;

    while (a->number == 1 && __atomic_load_n(&theatre.broken, __ATOMIC_ACQUIRE) < first)
        poll(NULL, 0, 1);
    if (a->number > 1)
        count(&theatre.mended);
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
    if (theatre.hook)
        theatre.hook(theatre.context);
    count(&theatre.calls);
    return hang(a, us / 1000);
}

/* `name`, or `name-cpu` on a CPU, `name-gpu` on a GPU. */
static int plays(const role *r, const char *name)
{
    size_t      length = strlen(name);
    const char *rest = r->kernel + length;

    if (strncmp(r->kernel, name, length) != 0)
        return 0;
    return !*rest || strcmp(rest, r->type == HS_CPU ? "-cpu" : "-gpu") == 0;
}

static hs_outcome play(const role *r, hs_attempt *a)
{
    const char *colon = strchr(r->kernel, ':');
    double      number = colon ? atof(colon + 1) : 0;

    if (strncmp(r->kernel, "busy:", 5) == 0)
        return busy(a, number, 1);
    if (strncmp(r->kernel, "late:", 5) == 0)
        return busy(a, number, 0);
    if (strncmp(r->kernel, "fail:", 5) == 0)
        return stumble(a, (unsigned)number, strchr(colon + 1, ':'));
    if (strncmp(r->kernel, "curse:", 6) == 0) {
        snprintf(a->why, HS_WHY, "%s", r->kernel + 6);
        return HS_OUTCOME_FAILED;
    }
    if (strncmp(r->kernel, "call:", 5) == 0)
        return call(a, (int)number);
    if (plays(r, "break"))
        return be_broken(a);
    if (strncmp(r->kernel, "break-", 6) == 0)
        return mend(a);
    if (plays(r, "calm"))
        return stay_calm(a);
    if (plays(r, "sulk"))
        return sulk(a);
    if (plays(r, "hang"))
        return hang(a, -1);
    if (plays(r, "spin"))
        return busy(a, INFINITY, 1);
    if (plays(r, "lose")) {
        snprintf(a->why, HS_WHY, "the actor has left");
        return HS_OUTCOME_LOST;
    }
    return plays(r, "quit") ? HS_OUTCOME_ABORTED : HS_OUTCOME_DONE;
}

static hs_outcome run(hs_backend_worker *worker, const hs_body *body, hs_attempt *attempt)
{
    const role *r = (const role *)body;
    int        *here = &on_stage[attempt->task % THEATRE_TASKS];
    hs_outcome  outcome;

    if (((actor *)worker)->number != attempt->worker)
        count(&theatre.strangers);
    count(&theatre.begun);
    if (__atomic_fetch_add(here, 1, __ATOMIC_ACQ_REL) != 0)
        count(&theatre.overlaps);
    if (order && !all_is_marked(attempt->task))
        count(&theatre.early);
    outcome = play(r, attempt);
    if (order && outcome == HS_OUTCOME_DONE)
        mark[attempt->task] = 1;
    __atomic_fetch_sub(here, 1, __ATOMIC_ACQ_REL);
    count(&theatre.ended);
    return outcome;
}

const hs_backend theatre_backend = {.abi = HS_BACKEND_ABI,
                                    .name = "theatre",
                                    .body_create = body_create,
                                    .body_free = body_free,
                                    .worker_open = worker_open,
                                    .worker_close = worker_close,
                                    .run = run};

hs_instance *acts(const act *rows, unsigned cpus, unsigned gpus, hs_unit unit)
{
    hs_builder  *b = NULL;
    hs_instance *in = NULL;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_workers(b, cpus, gpus), HS_OK);
    ck_assert_int_eq(hs_builder_unit(b, unit), HS_OK);
    for (; rows->cpu > 0; rows++) {
        hs_task task = {.struct_size = sizeof task,
                        .cpu = rows->cpu,
                        .gpu = rows->gpu,
                        .kernel = rows->kernel,
                        .count = rows->count,
                        .restartable = rows->restartable};

        ck_assert_int_eq(hs_builder_add(b, &task), HS_OK);
    }
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

/* When all that a task comes after has ended; what has a smaller number has been placed. */
static double ready_at(const hs_instance *in, size_t task, const hs_placement *p)
{
    const hs_graph *g = NULL;
    const uint32_t *before;
    size_t          count;
    double          at = 0;

    ck_assert_int_eq(hs_instance_graph(in, &g), HS_OK);
    if (!g)
        return 0;
    before = hs_graph_predecessors(g, task, &count, NULL);
    for (; count--; before++)
        at = fmax(at, p[*before].end);
    return at;
}

hs_schedule *lists(const hs_instance *in, const unsigned *worker)
{
    size_t        n = hs_instance_tasks(in), i;
    unsigned      cpus = hs_instance_cpus(in), workers = cpus + hs_instance_gpus(in);
    double       *free_at = calloc(workers, sizeof *free_at);
    hs_placement *p = calloc(n, sizeof *p);
    hs_schedule  *s = NULL;

    ck_assert(free_at && p);
    for (i = 0; i < n; i++) {
        unsigned w = worker[i];

        p[i].task = (uint32_t)i;
        p[i].worker = w;
        p[i].start = fmax(free_at[w], ready_at(in, i, p));
        p[i].end = free_at[w] = p[i].start + hs_instance_time(in, i, w < cpus ? HS_CPU : HS_GPU);
    }
    ck_assert_int_eq(hs_schedule_build(cpus, workers - cpus, n, p, &s), HS_OK);
    ck_assert_int_eq(hs_schedule_check(in, s, NULL), HS_OK);
    free(free_at);
    free(p);
    return s;
}

hs_schedule *solved(const hs_instance *in, const char *algorithm)
{
    hs_schedule *plan = NULL;

    ck_assert_int_eq(hs_solve(hs_algorithm_find(algorithm), in, NULL, &plan), HS_OK);
    return plan;
}

const char *const all_policies[POLICIES] = {"plan", "plan+steal", "heteroprio"};

hs_exec_settings theatre_settings(const char *policy)
{
    static const hs_backend *const only[] = {&theatre_backend};
    hs_exec_settings               s;

    hs_exec_settings_init(&s);
    s.policy = hs_policy_find(policy);
    ck_assert_msg(s.policy != NULL, "there is no policy %s", policy);
    s.oversubscribe = 1;
    s.retry_delay = -1;
    s.backends = only;
    s.backend_count = 1;
    return s;
}

unsigned attempts_that(const performance *p, uint32_t task, hs_outcome outcome, unsigned *worker)
{
    unsigned workers = hs_instance_cpus(p->in) + hs_instance_gpus(p->in), w, found = 0;

    for (w = 0; w < workers; w++) {
        size_t                count;
        const hs_exec_record *r = hs_exec_records(p->exec, w, &count);

        for (; count--; r++)
            if (r->task == task && r->outcome == outcome) {
                found++;
                if (worker)
                    *worker = w;
            }
    }
    return found;
}

static void check_worker(const performance *p, unsigned w, size_t seen[4])
{
    const hs_instance    *in = p->in;
    hs_type               type = w < hs_instance_cpus(in) ? HS_CPU : HS_GPU;
    double                end = 0;
    size_t                count;
    const hs_exec_record *r = hs_exec_records(p->exec, w, &count);

    for (; count--; r++) {
        ck_assert_uint_lt(r->task, hs_instance_tasks(in));
        ck_assert(isfinite(hs_instance_time(in, r->task, type)));
        ck_assert_double_ge(r->start, end);
        ck_assert_double_ge(r->end, r->start);
        ck_assert_uint_ge(r->number, 1);
        ck_assert_uint_lt(r->outcome, 4);
        seen[r->outcome]++;
        end = r->end;
    }
    ck_assert_double_le(end, p->report.seconds);
}

/* The attempt at that task that ended then. */
static const hs_exec_record *attempt_until(const performance *p, unsigned w, uint32_t task,
                                           double end)
{
    size_t                count;
    const hs_exec_record *r = hs_exec_records(p->exec, w, &count);

    for (; count--; r++)
        if (r->task == task && r->end == end)
            return r;
    return NULL;
}

/* Until an attempt of another worker ended, it had none of its own. */
static void check_wait(const performance *p, const hs_wait *wait)
{
    size_t                count;
    const hs_exec_record *r = hs_exec_records(p->exec, wait->worker, &count);

    ck_assert_double_ge(wait->start, 0);
    ck_assert_double_gt(wait->end, wait->start);
    ck_assert_uint_ne(wait->victim, wait->worker);
    ck_assert_ptr_nonnull(attempt_until(p, wait->victim, wait->task, wait->end));
    for (; count--; r++)
        ck_assert(r->end <= wait->start || r->start >= wait->end);
}

size_t count_waits(const performance *p)
{
    unsigned workers = hs_instance_cpus(p->in) + hs_instance_gpus(p->in), w;
    size_t   all = 0;

    for (w = 0; w < workers; w++) {
        size_t         count, i;
        const hs_wait *waits = hs_exec_waits(p->exec, w, &count);

        for (i = 0; i < count; i++) {
            ck_assert_uint_eq(waits[i].worker, w);
            ck_assert(i == 0 || waits[i].start >= waits[i - 1].end);
            check_wait(p, &waits[i]);
        }
        all += count;
    }
    return all;
}

/* When each task was done; and nobody began before all that he comes after. */
static void check_order(const performance *p)
{
    unsigned workers = hs_instance_cpus(p->in) + hs_instance_gpus(p->in), w;
    double  *done;

    if (!order)
        return;
    done = malloc(hs_graph_vertices(order) * sizeof *done);
    ck_assert(done != NULL);
    for (size_t v = 0; v < hs_graph_vertices(order); v++)
        done[v] = v < order_tasks ? INFINITY : 0;
    for (w = 0; w < workers; w++) {
        size_t                count;
        const hs_exec_record *r = hs_exec_records(p->exec, w, &count);

        for (; count--; r++)
            if (r->outcome == HS_OUTCOME_DONE)
                done[r->task] = r->end;
    }
    for (w = 0; w < workers; w++) {
        size_t                count, edges;
        const hs_exec_record *r = hs_exec_records(p->exec, w, &count);

        for (; count--; r++) {
            const uint32_t *before = hs_graph_predecessors(order, r->task, &edges, NULL);

            for (; edges--; before++)
                ck_assert_double_ge(r->start, done[*before]);
        }
    }
    free(done);
}

static void check_performance(const performance *p)
{
    const hs_instance    *in = p->in;
    const hs_exec_report *r = &p->report;
    unsigned              workers = hs_instance_cpus(in) + hs_instance_gpus(in), w;
    size_t                seen[4] = {0}, retired = 0, i;
    hs_exec_failure       f;
    double                all = workers * r->seconds;

    for (w = 0; w < workers; w++)
        check_worker(p, w, seen);
    check_order(p);
    count_waits(p);
    ck_assert_uint_eq(r->tasks, hs_instance_tasks(in));
    ck_assert_uint_eq(r->done + r->failed + r->unrecorded + r->not_run, r->tasks);
    ck_assert_uint_eq(r->done + r->unrecorded, r->resumed + seen[HS_OUTCOME_DONE]);
    ck_assert_uint_le(r->aborted, seen[HS_OUTCOME_ABORTED]);
    hs_exec_failure_init(&f);
    for (i = 0; hs_exec_failure_at(p->exec, i, &f); i++)
        retired += f.retired != 0;
    ck_assert_uint_eq(r->lost_workers, retired);
    ck_assert_uint_ge(retired, seen[HS_OUTCOME_LOST]);
    ck_assert_double_ge(r->dispatch, 0);
    ck_assert_double_ge(r->overhead, r->dispatch);
    ck_assert_double_le(r->busy, all * (1 + 1e-9) + 1e-9);
    ck_assert_double_le(r->idle, all * (1 + 1e-9) + 1e-9);
    ck_assert_int_eq(theatre.overlaps, 0);
    ck_assert_int_eq(theatre.strangers, 0);
    ck_assert_int_eq(theatre.early, 0);
    ck_assert_int_eq(theatre.begun, theatre.ended);
    ck_assert_int_eq(theatre.opened, theatre.closed);
    ck_assert((p->status == HS_OK) == (r->done == r->tasks));
    ck_assert((p->status == HS_OK) == (p->why[0] == '\0'));
}

performance perform(hs_instance *in, hs_schedule *plan, const hs_exec_settings *s)
{
    performance p = {.in = in, .plan = plan};

    ck_assert_msg(hs_exec_create(in, plan, s, &p.exec, p.why) == HS_OK, "%s", p.why);
    ck_assert_str_eq(p.why, "");
    theatre.context = p.exec;
    watch(in);
    hs_exec_report_init(&p.report);
    p.status = hs_exec_run(p.exec, &p.report, p.why);
    check_performance(&p);
    return p;
}

void end_performance(performance *p)
{
    hs_exec_free(p->exec);
    hs_schedule_free(p->plan);
    hs_instance_free(p->in);
}

void all_done_once(const performance *p)
{
    size_t i;

    ck_assert_msg(p->status == HS_OK, "%s: %s", hs_status_text(p->status), p->why);
    for (i = 0; i < hs_instance_tasks(p->in); i++)
        ck_assert_uint_eq(attempts_that(p, (uint32_t)i, HS_OUTCOME_DONE, NULL), 1);
}

/* By vertices, again and again until nothing is new; *news: something is. */
static void spread(size_t vertex, char *blocked, const char *failed, int *news)
{
    size_t          count;
    const uint32_t *before = hs_graph_predecessors(order, vertex, &count, NULL);

    for (; count > 0 && !blocked[vertex]; count--, before++)
        if (blocked[*before] || failed[*before])
            blocked[vertex] = 1, *news = 1;
}

char *blocked_tasks(const performance *p)
{
    size_t          vertices = hs_graph_vertices(order);
    char           *blocked = calloc(2, vertices + 1), *failed = blocked + vertices + 1;
    int             news = 1;
    hs_exec_failure f;

    ck_assert(blocked != NULL);
    hs_exec_failure_init(&f);
    for (size_t i = 0; hs_exec_failure_at(p->exec, i, &f); i++)
        if (f.final && !f.done)
            failed[f.task] = 1;
    while (news) {
        news = 0;
        for (size_t v = 0; v < vertices; v++)
            spread(v, blocked, failed, &news);
    }
    return blocked;
}

static int entries(const char *folder)
{
    DIR *dir = opendir(folder);
    int  count = 0;

    ck_assert(dir != NULL);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

int open_files(void)
{
    return entries("/proc/self/fd");
}

int live_threads(void)
{
    return entries("/proc/self/task");
}

/* A thread that has been joined may be listed for a moment more. */
int threads_left(int expected)
{
    int tries = 5000;

    while (live_threads() > expected && tries-- > 0)
        usleep(1000);
    return live_threads();
}
