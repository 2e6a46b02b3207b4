/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The dispatcher with scripted bodies: each task is done once, on a suitable worker. Failing bodies
 * are in check_exec_failures.c, stopped runs in check_exec_stops.c. The tests depend on the order
 * of events, never on durations.
 */

#define _GNU_SOURCE /* sched_getcpu() */
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <string.h>

#include <hybridsched/hybridsched.h>

#include "exec_fixture.h"
#include "suite.h"

START_TEST(plan_order_is_kept)
{
    enum { N = 400, WORKERS = 4 };
    const script_row rows[] = {{1, 1, "done", N, 0}, END_ROW};
    hs_instance     *in = instance_of(rows, 2, 2, HS_MICROSECONDS);
    unsigned         worker[N], w;
    hs_schedule     *plan;
    hs_exec_settings s;
    finished_run     p;

    for (w = 0; w < N; w++)
        worker[w] = w * 7 / 3 % WORKERS;
    plan = lists(in, worker);
    s = scripted_settings("plan");
    p = run_plan(in, plan, &s);
    assert_all_done_once(&p);
    for (w = 0; w < WORKERS; w++) {
        size_t                planned, ran, i;
        const hs_entry       *entry = hs_schedule_entries(plan, w, &planned);
        const hs_exec_record *r = hs_exec_records(p.exec, w, &ran);

        ck_assert_uint_eq(ran, planned);
        for (i = 0; i < ran; i++)
            ck_assert_uint_eq(r[i].task, entry[i].task);
    }
    end_run(&p);
}
END_TEST

/* The dispatcher does not repeat the aborted entries of a plan. */
START_TEST(aborted_entries_of_a_plan_do_not_run)
{
    static const hs_placement entries[] = {
        {0, 3, 0, 0, HS_ABORTED}, {3, 5, 0, 1, HS_RUN}, {3, 5, 1, 0, HS_RUN}};
    const script_row rows[] = {{4, 2, "done", 1, 0}, {2, 2, "done", 1, 0}, END_ROW};
    hs_instance     *in = instance_of(rows, 1, 1, HS_MICROSECONDS);
    hs_schedule     *plan = NULL;
    hs_exec_settings s;
    finished_run     p;
    unsigned         worker;

    ck_assert_int_eq(hs_schedule_build(1, 1, 3, entries, &plan), HS_OK);
    s = scripted_settings("plan");
    p = run_plan(in, plan, &s);
    assert_all_done_once(&p);
    ck_assert_uint_eq(count_attempts(&p, 0, HS_OUTCOME_DONE, &worker), 1);
    ck_assert_uint_eq(worker, 1);
    ck_assert_int_eq(scripted.begun, 2);
    end_run(&p);
}
END_TEST

START_TEST(every_policy_runs_each_task_once)
{
    const script_row rows[] = {{1, 3, "done", 3000, 0},         {5, 1, "done", 3000, 0},
                               {2, 2, "busy:1", 1000, 0},       {2, INFINITY, "done", 50, 0},
                               {0.5, INFINITY, "busy:2", 1, 0}, END_ROW};
    hs_instance     *in = instance_of(rows, 2, 1, HS_MICROSECONDS);
    hs_exec_settings s = scripted_settings(all_policies[_i]);
    finished_run     p;

    p = run_plan(in, solved(in, "heteroprio"), &s);
    ck_assert_int_eq(p.status, HS_OK);
    ck_assert_uint_eq(p.report.done, p.report.tasks);
    ck_assert_uint_eq(p.report.failed + p.report.not_run + p.report.retried, 0);
    ck_assert_int_eq(p.report.stopped, 0);
    end_run(&p);
}
END_TEST

START_TEST(second_run_of_a_handle)
{
    const script_row rows[] = {
        {1, 1, "done", 30, 0}, {1, 2, "fail:1", 10, 0}, {2, 1, "busy:20", 10, 0}, END_ROW};
    hs_instance     *in = instance_of(rows, 2, 1, HS_MICROSECONDS);
    hs_exec_settings s = scripted_settings(all_policies[_i]);
    finished_run     p;
    int              again;

    s.fail.retries = 1;
    p = run_plan(in, solved(in, "heteroprio"), &s);
    for (again = 0; again < 3; again++) {
        hs_exec_failure f;

        ck_assert_int_eq(p.status, HS_OK);
        ck_assert_uint_eq(p.report.done, 50);
        ck_assert_uint_eq(p.report.retried, 10);
        assert_all_done_once(&p);
        hs_exec_failure_init(&f);
        ck_assert(hs_exec_failure_at(p.exec, 9, &f) && !hs_exec_failure_at(p.exec, 10, &f));
        p.status = hs_exec_run(p.exec, &p.report, &p.error);
    }
    hs_exec_stop(p.exec, HS_STOP_DRAIN); /* stops the next run at once */
    ck_assert_int_eq(hs_exec_run(p.exec, &p.report, &p.error), HS_ECANCELED);
    ck_assert_int_eq(p.report.stopped, 1);
    ck_assert_uint_eq(p.report.done, 0);
    ck_assert_int_eq(hs_exec_run(p.exec, &p.report, &p.error), HS_OK);
    assert_all_done_once(&p);
    end_run(&p);
}
END_TEST

static hs_status refused(const hs_instance *in, const hs_schedule *plan, const hs_exec_settings *s,
                         const char *says)
{
    hs_error  error;
    hs_exec  *exec = NULL;
    int       files = open_files();
    hs_status st = hs_exec_create(in, plan, s, &exec, &error);

    ck_assert(exec == NULL);
    ck_assert_msg(strstr(error.why, says) != NULL, "'%s' does not say '%s'", error.why, says);
    ck_assert_int_eq(open_files(), files);
    return st;
}

START_TEST(refused_settings)
{
    const script_row rows[] = {{1, 1, "done", 1, 0}, END_ROW},
                     cpu_only[] = {{1, 1, "none-gpu", 1, 0}, END_ROW},
                     gpu_only[] = {{1, 1, "none-cpu", 1, 0}, END_ROW},
                     unknown[] = {{1, 1, "frobnicate:3", 1, 0}, END_ROW};
    const unsigned first[] = {0}, second[] = {1};
    hs_instance   *in = instance_of(rows, 1, 1, HS_SECONDS),
                *wide = instance_of(rows, 50000, 0, HS_SECONDS);
    hs_instance *cpu = instance_of(cpu_only, 1, 1, HS_SECONDS),
                *gpu = instance_of(gpu_only, 1, 1, HS_SECONDS);
    hs_instance     *strange = instance_of(unknown, 1, 0, HS_SECONDS);
    hs_schedule   *on_cpu = lists(in, first), *on_gpu = lists(in, second);
    hs_schedule   *wide_plan = lists(wide, first);
    hs_schedule   *strange_plan = lists(strange, first);
    hs_exec_settings s;

    hs_exec_settings_init(&s);
    ck_assert_int_eq(refused(in, on_cpu, &s, "this plan needs 1; use settings.run.emulate[HS_GPU]"),
                     HS_ERESOURCE);
    ck_assert_int_eq(refused(strange, strange_plan, &s, "frobnicate"), HS_EINVAL);
    s = scripted_settings("plan");
    s.place.oversubscribe = 0;
    ck_assert_int_eq(refused(wide, wide_plan, &s, "use settings.place.oversubscribe"),
                     HS_ERESOURCE);
    ck_assert_int_eq(refused(cpu, on_gpu, &s, "no backend can run it on a GPU"), HS_ERESOURCE);
    ck_assert_int_eq(refused(in, NULL, &s, "needs a plan"), HS_EINVAL);
    ck_assert_int_eq(refused(in, wide_plan, &s, "the plan is not valid"), HS_ESCHEDULE);
    s.keep.resume = 1;
    ck_assert_int_eq(refused(in, on_cpu, &s, "set settings.keep.journal"), HS_EINVAL);
    s.keep.resume = 0;
    s.keep.log_folder = "/nonexistent/folder";
    ck_assert_int_eq(refused(in, on_cpu, &s, "cannot write logs"), HS_EINVAL);
    s.keep.log_folder = NULL;
    s.fail.timeout = -1;
    ck_assert_int_eq(refused(in, on_cpu, &s, "timeout"), HS_EINVAL);
    hs_schedule_free(strange_plan);
    hs_schedule_free(wide_plan);
    hs_schedule_free(on_gpu);
    hs_schedule_free(on_cpu);
    hs_instance_free(strange);
    hs_instance_free(gpu);
    hs_instance_free(cpu);
    hs_instance_free(wide);
    hs_instance_free(in);
}
END_TEST

/* Refuse a value in the reserved places of a group: a later version may give it a meaning. */
START_TEST(refused_reserved_places)
{
    const script_row rows[] = {{1, 1, "done", 1, 0}, END_ROW};
    hs_instance     *in = instance_of(rows, 1, 0, HS_SECONDS);
    hs_exec_settings s = scripted_settings("heteroprio");
    const struct {
        uint64_t   *place;
        const char *says;
    } places[] = {
        {&s.decide.reserved[0], "settings.decide.reserved"},
        {&s.decide.parameters.reserved[10], "settings.decide.parameters.reserved"},
        {&s.run.reserved[1], "settings.run.reserved"},
        {&s.place.reserved[2], "settings.place.reserved"},
        {&s.gpu.reserved[3], "settings.gpu.reserved"},
        {&s.fail.reserved[4], "settings.fail.reserved"},
        {&s.keep.reserved[4], "settings.keep.reserved"},
        {&s.report.reserved[7], "settings.report.reserved"},
    };

    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        *places[i].place = UINT64_C(1) << 8 * i;
        ck_assert_int_eq(refused(in, NULL, &s, places[i].says), HS_EINVAL);
        *places[i].place = 0;
    }
    s.decide.parameters.reserved_word = 1;
    ck_assert_int_eq(refused(in, NULL, &s, "settings.decide.parameters.reserved_word"), HS_EINVAL);
    hs_instance_free(in);
}
END_TEST

/* Refuse a rank with a policy without ranks, an unknown rank, and data of a kernel that is not part
 * of a tiled factorisation. */
START_TEST(refused_graph_settings)
{
    hs_task          task = {.struct_size = sizeof task, .cpu = 1, .gpu = INFINITY};
    hs_builder      *b = NULL;
    hs_instance     *in = NULL;
    hs_exec_settings s = scripted_settings("plan+steal");
    size_t           tile;

    task.kernel = "dgemm:4";
    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 1, 0), HS_OK);
    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    ck_assert_int_eq(hs_builder_add_handle(b, "a", &tile), HS_OK);
    ck_assert_int_eq(hs_builder_add_access(b, 0, tile, HS_READ_WRITE), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    s.decide.rank = HS_RANK_MIN;
    ck_assert_int_ne(refused(in, NULL, &s, ""), HS_OK);
    s.decide.policy = hs_policy_find("dynamic");
    ck_assert_int_eq(refused(in, NULL, &s, "rank"), HS_EINVAL);
    s.decide.policy = hs_policy_find("heteroprio");
    s.decide.rank = (hs_rank)99;
    ck_assert_int_eq(refused(in, NULL, &s, "rank"), HS_EINVAL);
    s.decide.rank = HS_RANK_MIN;
    s.run.backend_count = 0;
#ifdef HAVE_OPENBLAS
    ck_assert_int_eq(refused(in, NULL, &s, "data"), HS_EDEPENDENT);
#endif
    hs_instance_free(in);
}
END_TEST

static unsigned one_deep(hs_backend_worker *worker)
{
    (void)worker;
    return 1;
}

/* Refuse an incomplete backend, naming the missing part, before any call of its functions. */
START_TEST(refused_incomplete_backends)
{
    const script_row rows[] = {{1, 1, "done", 1, 0}, END_ROW};
    hs_instance     *in = instance_of(rows, 1, 0, HS_SECONDS);
    hs_backend       other = scripted_backend, nameless = scripted_backend, mute = scripted_backend,
               idle = scripted_backend, open = scripted_backend, deep = scripted_backend;
    const struct {
        const hs_backend *backend;
        const char       *says;
    } lacking[] = {
        {NULL, "another version"},  {&other, "another version"}, {&nameless, "name"},
        {&mute, "body_create()"},   {&idle, "no run()"},         {&open, "one of worker_open()"},
        {&deep, "some of depth()"},
    };
    hs_exec_settings s = scripted_settings("heteroprio");
    size_t           i;

    other.struct_size--;
    nameless.name = NULL;
    mute.body_create = NULL;
    idle.run = NULL;
    open.worker_close = NULL;
    deep.depth = one_deep;
    for (i = 0; i < sizeof lacking / sizeof *lacking; i++) {
        s.run.backends = &lacking[i].backend;
        ck_assert_int_eq(refused(in, NULL, &s, lacking[i].says), HS_EINVAL);
    }
    hs_instance_free(in);
}
END_TEST

/* A backend with data of its own, which records the calls of the dispatcher. */
typedef struct notebook {
    hs_backend table; /* the backend of this notebook, for its body */
    hs_body    body;
    size_t     row[8];
    int        rows, opened, runs;
    int        os_cpu, ran_on;
} notebook;

static hs_status note_row(const hs_backend_options *options, const hs_task *row, hs_type type,
                          hs_body **out, hs_error *error)
{
    notebook *book = options->data;

    (void)row, (void)type, (void)error;
    book->row[book->rows++] = options->row;
    book->body.backend = &book->table;
    *out = &book->body;
    return HS_OK;
}

static hs_status note_worker(const hs_backend_options *options, const hs_backend_worker_info *info,
                             hs_backend_worker **out, hs_error *error)
{
    notebook *book = options->data;

    (void)error;
    book->opened++;
    book->os_cpu = info->os_cpu;
    *out = NULL;
    return HS_OK;
}

static void forget_worker(hs_backend_worker *worker)
{
    (void)worker;
}

static hs_outcome note_run(hs_backend_worker *worker, const hs_body *body, hs_attempt *attempt)
{
    notebook *book = body->backend->data;

    (void)worker, (void)attempt;
    book->runs++;
    book->ran_on = sched_getcpu();
    return HS_OUTCOME_DONE;
}

static void begin_notebook(notebook *book)
{
    *book = (notebook){.table = {.struct_size = sizeof(hs_backend),
                                 .name = "notebook",
                                 .body_create = note_row,
                                 .worker_open = note_worker,
                                 .worker_close = forget_worker,
                                 .run = note_run},
                       .os_cpu = -2};
    book->table.data = book;
}

/* Two runs use the same functions with different backend data. body_create() gets the number of
 * each row. */
START_TEST(backends_get_their_data)
{
    const script_row rows[] = {{1, 1, "a", 3, 0}, {1, 1, "b", 1, 0}, {1, 1, "c", 2, 0}, END_ROW};
    notebook  book[2];
    int       i, n;

    for (i = 0; i < 2; i++) {
        const hs_backend *table = &book[i].table;
        hs_exec_settings  s = scripted_settings("heteroprio");
        finished_run      p;

        begin_notebook(&book[i]);
        s.run.backends = &table;
        p = run_plan(instance_of(rows, 1, 0, HS_SECONDS), NULL, &s);
        ck_assert_int_eq(p.status, HS_OK);
        end_run(&p);
    }
    for (i = 0; i < 2; i++) {
        ck_assert_int_eq(book[i].rows, 3);
        for (n = 0; n < 3; n++)
            ck_assert_uint_eq(book[i].row[n], n);
        ck_assert_int_eq(book[i].opened, 1);
        ck_assert_int_eq(book[i].runs, 6);
    }
}
END_TEST

static int last_processor(void)
{
    cpu_set_t mine;
    int       cpu, last = -1;

    ck_assert_int_eq(sched_getaffinity(0, sizeof mine, &mine), 0);
    for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
        last = CPU_ISSET(cpu, &mine) ? cpu : last;
    return last;
}

/* Workers are bound to the CPUs in settings.place.os_cpus, or unbound with settings.place.unbound;
 * both settings together are refused. */
START_TEST(binding_to_given_processors)
{
    const script_row    rows[] = {{1, 1, "a", 1, 0}, END_ROW};
    const int           os_cpus[] = {last_processor()};
    notebook            book;
    const hs_backend   *table = &book.table;
    hs_instance        *wide = instance_of(rows, 2, 0, HS_SECONDS);
    hs_exec_settings    s = scripted_settings("heteroprio");
    hs_exec_worker_info info;
    finished_run        p;

    begin_notebook(&book);
    s.run.backends = &table;
    s.place.oversubscribe = 0;
    s.place.os_cpus = os_cpus;
    p = run_plan(instance_of(rows, 1, 0, HS_SECONDS), NULL, &s);
    ck_assert_int_eq(p.status, HS_OK);
    hs_exec_worker_info_init(&info);
    hs_exec_describe_worker(p.exec, 0, &info);
    ck_assert_int_eq(info.os_cpu, os_cpus[0]);
    ck_assert_int_eq(book.os_cpu, os_cpus[0]);
    ck_assert_int_eq(book.ran_on, os_cpus[0]);
    end_run(&p);
    s.place.unbound = true;
    ck_assert_int_eq(refused(wide, NULL, &s, "exclude each other"), HS_EINVAL);
    s.place.os_cpus = NULL;
    begin_notebook(&book);
    p = run_plan(instance_of(rows, 1, 0, HS_SECONDS), NULL, &s);
    ck_assert_int_eq(p.status, HS_OK);
    ck_assert_int_eq(book.os_cpu, -1);
    end_run(&p);
    hs_instance_free(wide);
}
END_TEST

/* Tasks without a body for GPUs run on CPUs only, and tasks without a body for CPUs on GPUs only.
 * */
START_TEST(tasks_run_only_on_types_with_bodies)
{
    const script_row rows[] = {{1, 9, "none-gpu", 20, 0}, {9, 1, "none-cpu", 20, 0}, END_ROW};
    hs_instance     *in = instance_of(rows, 1, 1, HS_MICROSECONDS);
    unsigned         worker[40], w, i;
    hs_schedule     *plan;
    hs_exec_settings s;
    finished_run     p;

    for (i = 0; i < 40; i++)
        worker[i] = i >= 20;
    plan = lists(in, worker);
    s = scripted_settings(all_policies[_i]);
    p = run_plan(in, plan, &s);
    assert_all_done_once(&p);
    ck_assert_ptr_null(hs_exec_backend_name(p.exec, 0, HS_GPU));
    ck_assert_str_eq(hs_exec_backend_name(p.exec, 0, HS_CPU), "scripted");
    for (i = 0; i < 40; i++) {
        count_attempts(&p, i, HS_OUTCOME_DONE, &w);
        ck_assert_uint_eq(w, i >= 20);
    }
    end_run(&p);
}
END_TEST

START_TEST(worker_open_fails)
{
    const script_row rows[] = {{1, 1, "done", 10, 0}, END_ROW};
    hs_instance     *in = instance_of(rows, 3, 0, HS_MICROSECONDS);
    hs_exec_settings s;
    finished_run     p;

    scripted.refuse_worker = 1;
    s = scripted_settings("heteroprio");
    p = run_plan(in, NULL, &s);
    ck_assert_int_eq(p.status, HS_ERESOURCE);
    ck_assert_str_eq(p.error.why, "worker 1 has no costume");
    ck_assert_int_eq(scripted.begun, 0);
    end_run(&p);
}
END_TEST

/* What a policy sees of a task: the key of its tasks and the sources of its times. */
static struct {
    char           key[HS_MAX_KEY];
    hs_cost_source source[2];
    double         gpu;
} spied[2];

/* Note what the policy sees, and end the run. */
static hs_status spy(void *data, hs_policy *policy, const hs_instance *estimates,
                     const hs_schedule *plan, const hs_policy_settings *settings, void **out)
{
    hs_feature_index *index = NULL;
    hs_features       features;

    (void)data;
    (void)policy;
    (void)plan;
    (void)settings;
    (void)out;
    hs_features_init(&features);
    if (hs_feature_index_create(estimates, &index) != HS_OK)
        return HS_ENOMEM;
    for (size_t i = 0; i < 2; i++) {
        hs_feature_index_get(index, i, HS_CPU, &features);
        strcpy(spied[i].key, features.key);
        spied[i].source[HS_CPU] = hs_instance_source(estimates, i, HS_CPU);
        spied[i].source[HS_GPU] = hs_instance_source(estimates, i, HS_GPU);
        spied[i].gpu = hs_instance_time(estimates, i, HS_GPU);
    }
    hs_feature_index_free(index);
    return HS_ECANCELED;
}

/* Run a policy that notes what it sees of two tasks with unknown times. */
static void run_spy(const char *first, bool emulates)
{
    const script_row rows[] = {{HS_UNKNOWN, HS_UNKNOWN, first, 1, 0},
                               {HS_UNKNOWN, HS_UNKNOWN, emulates ? "spin:0" : "done", 1, 0},
                               END_ROW};
    hs_policy_kind   kind = *hs_policy_find("explore");
    hs_instance     *unknown = instance_of(rows, 1, 1, HS_SECONDS), *in = NULL;
    hs_exec_settings s = scripted_settings("explore");
    hs_exec         *exec = NULL;

    kind.create = spy;
    s.decide.policy = &kind;
    s.run.emulate[HS_GPU] = emulates;
    if (emulates)
        s.run.backend_count = 0;
    memset(spied, 0, sizeof spied);
    ck_assert_int_eq(hs_instance_fill(unknown, NULL, &in), HS_OK);
    ck_assert_int_eq(hs_exec_create(in, NULL, &s, &exec, NULL), HS_ECANCELED);
    hs_instance_free(in);
    hs_instance_free(unknown);
}

/* A type that cannot run a task leaves the policy the keys and sources of all other times. */
START_TEST(policies_see_what_is_guessed)
{
    run_spy("none-gpu", false);
    ck_assert_str_eq(spied[0].key, "none-gpu");
    ck_assert_str_eq(spied[1].key, "done");
    ck_assert(isinf(spied[0].gpu) && !isinf(spied[1].gpu));
    ck_assert_int_eq(spied[0].source[HS_CPU], HS_COST_NONE);
    ck_assert_int_eq(spied[1].source[HS_CPU], HS_COST_NONE);
    ck_assert_int_eq(spied[1].source[HS_GPU], HS_COST_NONE);
}
END_TEST

/* An emulated worker without a command waits for the estimated time, even for a guess; the time of
 * its attempts is not measured. */
START_TEST(emulated_times_are_known)
{
    run_spy("sleep:0", true);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(spied[i].source[HS_CPU], HS_COST_NONE);
        ck_assert_int_eq(spied[i].source[HS_GPU], HS_COST_GIVEN);
        ck_assert_double_eq(spied[i].gpu, 1);
    }
    ck_assert_str_eq(spied[0].key, "sleep");
}
END_TEST

typedef struct told {
    int      times, backwards;
    uint64_t done, failed;
    double   remaining;
} told;

/* Let the last task wait for a report of progress, however late its thread runs. */
static told *listener;

static void await_progress(const hs_attempt *attempt)
{
    while (attempt->task == 59 && __atomic_load_n(&listener->times, __ATOMIC_ACQUIRE) == 0)
        poll(NULL, 0, 1);
}

static void listen(void *data, const hs_exec_progress *progress)
{
    told *t = data;

    t->backwards += progress->done < t->done || progress->total != 60 || progress->running > 3 ||
                    !(progress->remaining >= 0);
    t->done = progress->done;
    t->failed = progress->failed;
    t->remaining = progress->remaining;
    __atomic_fetch_add(&t->times, 1, __ATOMIC_RELEASE);
}

START_TEST(progress_is_reported)
{
    const script_row rows[] = {{1, 2, "busy:500", 59, 0}, {1, 1, "fail:9", 1, 0}, END_ROW};
    hs_instance     *in = instance_of(rows, 2, 1, HS_MILLISECONDS);
    told             t = {0};
    hs_exec_settings s = scripted_settings(all_policies[_i]);
    finished_run     p;

    s.fail.halt = HS_HALT_NEVER;
    listener = &t;
    scripted.at_start = await_progress;
    s.report.progress = listen;
    s.report.data = &t;
    s.report.progress_interval = 0.001;
    p = run_plan(in, solved(in, "heteroprio"), &s);
    ck_assert_int_ge(t.times, 2);
    ck_assert_int_eq(t.backwards, 0);
    ck_assert_uint_eq(t.done, 59);
    ck_assert_uint_eq(t.failed, 1);
    end_run(&p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("exec");
    TCase *cases = tcase_create("dispatcher"); /* run by make check-helgrind */
    TCase *refused = tcase_create("before a run");

    tcase_set_timeout(cases, 300);
    tcase_add_checked_fixture(cases, scripted_reset, NULL);
    tcase_add_test(cases, plan_order_is_kept);
    tcase_add_test(cases, aborted_entries_of_a_plan_do_not_run);
    tcase_add_loop_test(cases, every_policy_runs_each_task_once, 0, POLICIES);
    tcase_add_loop_test(cases, second_run_of_a_handle, 0, POLICIES);
    tcase_add_test(cases, policies_see_what_is_guessed);
    tcase_add_test(cases, emulated_times_are_known);
    tcase_add_test(cases, backends_get_their_data);
    tcase_add_test(cases, binding_to_given_processors);
    tcase_add_loop_test(cases, tasks_run_only_on_types_with_bodies, 0, POLICIES);
    tcase_add_test(cases, worker_open_fails);
    tcase_add_loop_test(cases, progress_is_reported, 0, POLICIES);
    suite_add_tcase(suite, cases);
    tcase_set_timeout(refused, 300);
    tcase_add_checked_fixture(refused, scripted_reset, NULL);
    tcase_add_test(refused, refused_settings);
    tcase_add_test(refused, refused_graph_settings);
    tcase_add_test(refused, refused_reserved_places);
    tcase_add_test(refused, refused_incomplete_backends);
    suite_add_tcase(suite, refused);
    return run_suite(suite);
}
