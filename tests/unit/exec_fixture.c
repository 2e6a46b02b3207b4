/* SPDX-License-Identifier: BSD-3-Clause */

/* Instances, plans and runs with scripted tasks, and comparisons of a run's report with its
 * records. */

#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hybridsched/hybridsched.h>

#include "exec_fixture.h"
#include "exiting.h"

hs_instance *instance_of(const script_row *rows, unsigned cpus, unsigned gpus, hs_unit unit)
{
    hs_builder  *b = NULL;
    hs_instance *in = NULL;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, cpus, gpus), HS_OK);
    ck_assert_int_eq(hs_builder_set_unit(b, unit), HS_OK);
    for (; rows->cpu != 0; rows++) { /* an unknown time is a NaN */
        hs_task task = {.struct_size = sizeof task,
                        .cpu = rows->cpu,
                        .gpu = rows->gpu,
                        .kernel = rows->kernel,
                        .count = rows->count,
                        .restartable = rows->restartable};

        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    }
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

/* Return the graph of an instance, or NULL if it has none. */
static const hs_graph *graph_of(const hs_instance *in)
{
    const hs_graph *g = NULL;

    ck_assert_int_eq(hs_instance_graph(in, &g), HS_OK);
    return g;
}

/*
 * Return the time at which all predecessors of a task have ended in the placements `p`.
 * Predecessors have smaller numbers than the task, so their placements are complete.
 */
static double ready_at(const hs_instance *in, size_t task, const hs_placement *p)
{
    const hs_graph *g = graph_of(in);
    const uint32_t *before;
    size_t          count;
    double          at = 0;

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

hs_exec_settings scripted_settings(const char *policy)
{
    static const hs_backend *const only[] = {&scripted_backend};
    hs_exec_settings               s;

    hs_exec_settings_init(&s);
    s.decide.policy = hs_policy_find(policy);
    ck_assert_msg(s.decide.policy != NULL, "there is no policy %s", policy);
    s.place.oversubscribe = 1;
    s.fail.retry_delay = -1;
    s.run.backends = only;
    s.run.backend_count = 1;
    return s;
}

unsigned count_attempts(const finished_run *p, uint32_t task, hs_outcome outcome, unsigned *worker)
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

static void check_worker(const finished_run *p, unsigned w, size_t seen[4])
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

/* Return the attempt of worker `w` at `task` that ended at `end`, or NULL. */
static const hs_exec_record *attempt_until(const finished_run *p, unsigned w, uint32_t task,
                                           double end)
{
    size_t                count;
    const hs_exec_record *r = hs_exec_records(p->exec, w, &count);

    for (; count--; r++)
        if (r->task == task && r->end == end)
            return r;
    return NULL;
}

/* Check that a thief ran no attempt while it waited for the end of the victim's attempt. */
static void check_wait(const finished_run *p, const hs_wait *wait)
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

size_t count_waits(const finished_run *p)
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

/* Check that each attempt started after the ends of the predecessors of its task. */
static void check_order(const finished_run *p)
{
    const hs_graph *order = graph_of(p->in);
    unsigned        workers = hs_instance_cpus(p->in) + hs_instance_gpus(p->in), w;
    double         *done;

    if (!order)
        return;
    done = malloc(hs_graph_vertex_count(order) * sizeof *done);
    ck_assert(done != NULL);
    for (size_t v = 0; v < hs_graph_vertex_count(order); v++)
        done[v] = v < hs_instance_tasks(p->in) ? INFINITY : 0;
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

static void check_performance(const finished_run *p)
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
    ck_assert_int_eq(scripted.overlaps, 0);
    ck_assert_int_eq(scripted.wrong_states, 0);
    ck_assert_int_eq(scripted.early, 0);
    ck_assert_int_eq(scripted.begun, scripted.ended);
    ck_assert_int_eq(scripted.opened, scripted.closed);
    ck_assert((p->status == HS_OK) == (r->done == r->tasks));
    ck_assert((p->status == HS_OK) == (p->error.why[0] == '\0'));
}

finished_run run_plan(hs_instance *in, hs_schedule *plan, const hs_exec_settings *s)
{
    finished_run p = {.in = in, .plan = plan};

    ck_assert_msg(hs_exec_create(in, plan, s, &p.exec, &p.error) == HS_OK, "%s", p.error.why);
    ck_assert_str_eq(p.error.why, "");
    scripted.context = p.exec;
    scripted_check_order_of(in);
    hs_exec_report_init(&p.report);
    p.status = hs_exec_run(p.exec, &p.report, &p.error);
    check_performance(&p);
    return p;
}

void end_run(finished_run *p)
{
    hs_exec_free(p->exec);
    hs_schedule_free(p->plan);
    hs_instance_free(p->in);
}

void assert_all_done_once(const finished_run *p)
{
    size_t i;

    ck_assert_msg(p->status == HS_OK, "%s: %s", hs_status_text(p->status), p->error.why);
    for (i = 0; i < hs_instance_tasks(p->in); i++)
        ck_assert_uint_eq(count_attempts(p, (uint32_t)i, HS_OUTCOME_DONE, NULL), 1);
}

/* Mark a vertex with a blocked or failed predecessor as blocked; set *news if this is new. */
static void spread(const hs_graph *order, size_t vertex, char *blocked, const char *failed,
                   int *news)
{
    size_t          count;
    const uint32_t *before = hs_graph_predecessors(order, vertex, &count, NULL);

    for (; count > 0 && !blocked[vertex]; count--, before++)
        if (blocked[*before] || failed[*before])
            blocked[vertex] = 1, *news = 1;
}

char *blocked_tasks(const finished_run *p)
{
    const hs_graph *order = graph_of(p->in);
    size_t          vertices = hs_graph_vertex_count(order);
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
            spread(order, v, blocked, failed, &news);
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

#ifdef __SANITIZE_THREAD__
static void *end(void *data)
{
    return data;
}

/* The thread sanitizer starts a thread of its own with the first thread of a program. */
static void start_first_thread(void)
{
    static int started;
    pthread_t  thread;

    if (!started++ && pthread_create(&thread, NULL, end, NULL) == 0)
        pthread_join(thread, NULL);
}
#else
static void start_first_thread(void)
{
}
#endif

int live_threads(void)
{
    DIR           *dir;
    struct dirent *entry;
    char           path[300];
    int            count = 0;

    start_first_thread();
    dir = opendir("/proc/self/task");
    ck_assert(dir != NULL);
    while ((entry = readdir(dir)) != NULL) {
        snprintf(path, sizeof path, "/proc/self/task/%s", entry->d_name);
        count += entry->d_name[0] != '.' && !is_exiting(path);
    }
    closedir(dir);
    return count;
}
