/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Every allocation fails once, and every one from some point on: the call says so,
 * nothing leaks, nothing is half done, and the next call gives what it always gave.
 *
 * The linker sends the library's malloc() and its kin here (-Wl,--wrap).
 */

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hybridsched/hybridsched.h>

#include "plan_digest.h"

#include "property/sample.h"

/* ---- allocations that fail ------------------------------------------------------------ */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void  __real_free(void *at);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void  __wrap_free(void *at);

static struct {
    int    armed, from_there_on;
    long   left; /* allocations that still succeed */
    long   failed;
    long   live;    /* blocks */
    size_t largest; /* that was asked for */
} heap;

static int fails(void)
{
    if (!heap.armed || heap.left-- > 0)
        return 0;
    if (heap.failed && !heap.from_there_on)
        return 0;
    heap.failed++;
    return 1;
}

static void *counted(void *block)
{
    heap.live += block != NULL;
    return block;
}

static void note_size(size_t size)
{
    if (size > heap.largest)
        heap.largest = size;
}

void *__wrap_malloc(size_t size)
{
    note_size(size);
    return fails() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    note_size(count * size);
    return fails() ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    note_size(size);
    return fails() ? NULL : counted(__real_aligned_alloc(alignment, size));
}

void *__wrap_realloc(void *old, size_t size)
{
    void *block;

    if (fails())
        return NULL;
    block = __real_realloc(old, size);
    if (!old)
        counted(block);
    return block;
}

void __wrap_free(void *at)
{
    heap.live -= at != NULL;
    __real_free(at);
}

/* ---- one call after another --------------------------------------------------------------- */

/* Does something, frees all of it, and says what came of it if that is HS_OK. */
typedef hs_status (*scenario)(const void *context, uint64_t *result);

typedef struct outcome {
    hs_status status;
    uint64_t  result;
    long      failed, leaked; /* allocations, blocks */
} outcome;

/* With left < 0 nothing fails. Check's own blocks, had between the runs, do not count. */
static outcome run_with(scenario run, const void *context, long left, int from_there_on)
{
    outcome o = {.result = 0};
    long    live = heap.live;

    heap.left = left;
    heap.failed = 0;
    heap.from_there_on = from_there_on;
    heap.armed = left >= 0;
    o.status = run(context, &o.result);
    heap.armed = 0;
    o.failed = heap.failed;
    o.leaked = heap.live - live;
    return o;
}

static void check_scenario(const char *name, scenario run, const void *context, int from_there_on)
{
    outcome first = run_with(run, context, -1, 0), o, after;
    long    n = 0;

    ck_assert_msg(first.status == HS_OK, "%s: %s", name, hs_status_text(first.status));
    ck_assert_msg(first.leaked == 0, "%s leaks %ld blocks", name, first.leaked);
    do {
        o = run_with(run, context, n, from_there_on);
        after = run_with(run, context, -1, 0);
        ck_assert_msg(o.leaked == 0, "%s leaks %ld blocks without allocation %ld", name, o.leaked,
                      n);
        if (o.status == HS_OK) /* it could do without */
            ck_assert_msg(o.result == first.result, "%s differs without allocation %ld", name, n);
        else
            ck_assert_msg(o.status == HS_ENOMEM && o.failed, "%s without allocation %ld: %s", name,
                          n, hs_status_text(o.status));
        ck_assert_msg(after.status == HS_OK && after.result == first.result && !after.leaked,
                      "%s is not the same after allocation %ld failed", name, n);
        n++;
    } while (o.failed);
    ck_assert_msg(n > 1, "%s allocates nothing", name);
}

static void check_both_ways(const char *name, scenario run, const void *context)
{
    check_scenario(name, run, context, 0);
    check_scenario(name, run, context, 1);
}

/* ---- instances --------------------------------------------------------------------------------
 */

/* Adding may be tried again: a builder that failed is as it was before. */
static hs_status add_rows(hs_builder *b, int attempts)
{
    hs_status st = HS_OK;
    int       i, attempt;

    for (i = 0; i < 40 && st == HS_OK; i++) {
        char    id[600];
        hs_task task = {.id = id, .cpu = 1 + i % 7, .gpu = i % 9 ? 2 + i % 5 : INFINITY};

        memset(id, '0', sizeof id);
        snprintf(id + 20 + 10 * (i % 50), 12, "%d", i);
        task.id = i < 3 || i % 10 == 9 ? NULL : id;
        task.priority = i >= 5 ? i % 4 : 0;
        task.count = i >= 8 ? (uint32_t)(i % 3) : 1;
        task.restartable = i >= 11 ? (hs_restartable)(i % 3) : HS_RESTART_DEFAULT;
        task.kernel = i >= 14 ? "dgemm:960" : NULL;
        task.cpu_command = i == 17 ? "./render" : NULL;
        task.gpu_command = i == 20 ? "./render -g" : "";
        for (attempt = 0; attempt < attempts; attempt++)
            if ((st = hs_builder_add(b, &task)) != HS_ENOMEM)
                break;
    }
    return st;
}

static hs_status build(hs_instance **out, int attempts)
{
    hs_builder *b = NULL;
    hs_status   st = HS_ENOMEM;
    int         attempt;

    for (attempt = 0; attempt < attempts && st == HS_ENOMEM; attempt++)
        st = hs_builder_create(&b);
    if (st == HS_OK)
        st = hs_builder_workers(b, 3, 2);
    if (st == HS_OK) {
        st = HS_ENOMEM;
        for (attempt = 0; attempt < attempts && st == HS_ENOMEM; attempt++)
            st = hs_builder_note(b, "source", "measured");
    }
    if (st == HS_OK)
        st = add_rows(b, attempts);
    if (st == HS_OK) {
        st = HS_ENOMEM;
        for (attempt = 0; attempt < attempts && st == HS_ENOMEM; attempt++)
            st = hs_builder_finish(b, out, NULL);
    }
    hs_builder_free(b);
    return st;
}

static hs_status build_with_attempts(const void *context, uint64_t *result)
{
    hs_instance *in = NULL;
    hs_status    st = build(&in, *(const int *)context);

    if (st == HS_OK)
        *result = hs_instance_digest(in);
    else if (in) /* ck_assert() allocates */
        st = HS_EINVAL;
    hs_instance_free(in);
    return st;
}

START_TEST(builders)
{
    static const int once = 1, twice = 2;

    check_both_ways("building", build_with_attempts, &once);
    check_both_ways("building with second attempts", build_with_attempts, &twice);
}
END_TEST

static hs_status wrap_and_move(const void *context, uint64_t *result)
{
    static const double times[] = {1, 2, 3};
    hs_instance        *in = NULL, *other = NULL;
    hs_status           st = hs_instance_wrap(3, times, times, NULL, 2, 1, &in);

    (void)context;
    if (st == HS_OK)
        st = hs_instance_on(in, 0, 5, &other);
    if (st == HS_OK)
        *result = hs_instance_digest(other);
    hs_instance_free(in);
    hs_instance_free(other);
    return st;
}

static hs_status index_names(const void *context, uint64_t *result)
{
    hs_index *index = NULL;
    size_t    task = 0;
    hs_status st = hs_index_create(context, &index);

    if (st == HS_OK) {
        hs_index_find(index, "t1", 2, &task);
        *result = task;
    }
    hs_index_free(index);
    return st;
}

START_TEST(instances)
{
    hs_instance *in = NULL;

    check_both_ways("wrapping", wrap_and_move, NULL);
    ck_assert_int_eq(build(&in, 1), HS_OK);
    check_both_ways("an index", index_names, in);
    hs_instance_free(in);
}
END_TEST

/* ---- schedules
 * ------------------------------------------------------------------------------------ */

static hs_status build_schedule(const void *context, uint64_t *result)
{
    static const hs_placement given[] = {
        {1, 2, 0, 0, HS_RUN}, {0, 1, 1, 0, HS_RUN}, {0, 3, 2, 1, HS_RUN}};
    hs_schedule *s = NULL;
    hs_status    st = hs_schedule_build(1, 1, 3, given, &s);

    (void)context;
    if (st == HS_OK)
        *result = digest_plan(s);
    hs_schedule_free(s);
    return st;
}

typedef struct check_context {
    const hs_instance *in;
    const hs_schedule *plan;
} check_context;

static hs_status check_schedule(const void *context, uint64_t *result)
{
    const check_context *c = context;

    *result = 0;
    return hs_schedule_check(c->in, c->plan, NULL);
}

START_TEST(schedules)
{
    hs_instance  *in = NULL;
    hs_schedule  *plan = NULL;
    check_context context;

    check_both_ways("a schedule", build_schedule, NULL);
    ck_assert_int_eq(build(&in, 1), HS_OK);
    ck_assert_int_eq(hs_solve(hs_algorithm_find("heft"), in, NULL, &plan), HS_OK);
    context = (check_context){in, plan};
    check_both_ways("the checker", check_schedule, &context);
    hs_schedule_free(plan);
    hs_instance_free(in);
}
END_TEST

/* ---- algorithms and bounds
 * --------------------------------------------------------------------------- */

typedef struct solve_context {
    const hs_instance  *in;
    const hs_algorithm *algorithm;
    const hs_bound     *bound;
    hs_settings         settings;
} solve_context;

static hs_status solve(const void *context, uint64_t *result)
{
    const solve_context *c = context;
    hs_schedule         *plan = NULL;
    hs_status            st = hs_solve(c->algorithm, c->in, &c->settings, &plan);

    if (st == HS_OK)
        *result = digest_plan(plan);
    else if (plan) /* ck_assert() allocates */
        st = HS_EINVAL;
    hs_schedule_free(plan);
    return st;
}

static hs_status solve_lpt(const void *context, uint64_t *result)
{
    static const unsigned char all_cpus[200]; /* HS_CPU */
    const solve_context       *c = context;
    hs_schedule               *plan = NULL;
    hs_status                  st = hs_solve_lpt(c->in, all_cpus, &plan);

    if (st == HS_OK)
        *result = digest_plan(plan);
    hs_schedule_free(plan);
    return st;
}

static hs_status compute(const void *context, uint64_t *result)
{
    const solve_context *c = context;
    double               value = 0;
    hs_status            st = hs_bound_compute(c->bound, c->in, &c->settings, &value);

    *result = digest_double(0, value);
    return st;
}

static void check_instance(const hs_instance *in)
{
    static const hs_affinity wishes[] = {{0, 1, 2}, {3, 0, 1}, {2, 1, 1}};
    solve_context            context = {.in = in};
    size_t                   i;

    hs_settings_init(&context.settings);
    context.settings.alpha = 0.5;
    context.settings.affinities = wishes;
    context.settings.affinity_count = 3;
    for (i = 0; i < hs_algorithm_count(); i++) {
        context.algorithm = hs_algorithm_at(i);
        if (sample_searches(context.algorithm))
            continue;
        check_both_ways(hs_algorithm_name(context.algorithm), solve, &context);
    }
    if (hs_instance_cpus(in))
        check_both_ways("LPT on an allocation", solve_lpt, &context);
}

START_TEST(algorithms)
{
    hs_instance *in = NULL, *other = NULL;

    ck_assert_int_eq(build(&in, 1), HS_OK);
    check_instance(in);
    ck_assert_int_eq(hs_instance_on(in, 2, 0, &other), HS_OK);
    check_instance(other);
    hs_instance_free(other);
    hs_instance_free(in);
}
END_TEST

START_TEST(algorithms_without_cpus)
{
    enum { TASKS = 1100 }; /* large enough for the radix sort */
    static double times[TASKS];
    hs_instance  *in = NULL;
    size_t        i;

    for (i = 0; i < TASKS; i++)
        times[i] = 1 + (double)(i * 37 % 101);
    ck_assert_int_eq(hs_instance_wrap(TASKS, times, times, NULL, 0, 3, &in), HS_OK);
    check_instance(in);
    hs_instance_free(in);
}
END_TEST

/* min-time needs no memory where no type is absent: then there is nothing to check. */
START_TEST(bounds)
{
    hs_instance *in = NULL, *other = NULL;
    size_t       i;

    ck_assert_int_eq(build(&in, 1), HS_OK);
    ck_assert_int_eq(hs_instance_on(in, 2, 0, &other), HS_OK);
    for (i = 0; i < hs_bound_count(); i++) {
        solve_context context = {.in = other, .bound = hs_bound_at(i)};

        hs_settings_init(&context.settings);
        if (sample_bound_searches(context.bound))
            continue;
        check_both_ways(hs_bound_name(context.bound), compute, &context);
    }
    hs_instance_free(other);
    hs_instance_free(in);
}
END_TEST

/* ---- policies --------------------------------------------------------------------------------------------- */

typedef struct policy_context {
    const hs_instance    *estimates, *truth;
    const hs_schedule    *plan;
    const hs_policy_kind *kind;
} policy_context;

/* Once it is there, whatever it is told succeeds. */
static hs_status use_policy(const void *context, uint64_t *result)
{
    const policy_context *c = context;
    hs_policy            *policy = NULL;
    hs_status             st = hs_policy_create(c->kind, c->estimates, c->plan, 0.1, &policy);
    hs_decision           decision;
    uint32_t              task;
    double                now;

    for (*result = 0, now = 0; st == HS_OK && now < 200; now++) {
        hs_policy_next(policy, now < 50 ? 0 : 4, now, &decision);
        if (decision.kind != HS_DECIDE_START)
            break;
        *result = digest_word(*result, decision.task);
        hs_policy_ended(policy, now < 50 ? 0 : 4, decision.task,
                        decision.task % 3 ? HS_ENDING_BACK : HS_ENDING_DONE, now);
        if (now == 50)
            hs_policy_retire(policy, 0);
    }
    while (st == HS_OK && hs_policy_stranded(policy, &task))
        *result = digest_word(*result, task);
    hs_policy_free(policy);
    return st;
}

static hs_status simulate(const void *context, uint64_t *result)
{
    const policy_context *c = context;
    hs_schedule          *found = NULL;
    hs_status st = hs_policy_simulate(c->kind, c->estimates, c->plan, c->truth, 0, &found);

    if (st == HS_OK)
        *result = digest_plan(found);
    else if (found) /* ck_assert() allocates */
        st = HS_EINVAL;
    hs_schedule_free(found);
    return st;
}

START_TEST(policies)
{
    policy_context context = {.kind = hs_policy_at((size_t)_i)};
    double         cpu[60], gpu[60];
    hs_instance   *estimates = NULL, *truth = NULL;
    hs_schedule   *plan = NULL;
    size_t         i, tasks;

    ck_assert_int_eq(build(&estimates, 1), HS_OK);
    tasks = hs_instance_tasks(estimates);
    ck_assert_uint_le(tasks, 60);
    for (i = 0; i < tasks; i++) { /* some far longer than thought: they are taken, often twice */
        cpu[i] = hs_instance_time(estimates, i, HS_CPU) * (double)(1 + 40 * (i % 2));
        gpu[i] = hs_instance_time(estimates, i, HS_GPU) * (double)(1 + 40 * (i % 2));
    }
    ck_assert_int_eq(hs_instance_wrap(tasks, cpu, gpu, NULL, 3, 2, &truth), HS_OK);
    ck_assert_int_eq(hs_solve(hs_algorithm_find("heft"), estimates, NULL, &plan), HS_OK);
    context.estimates = estimates;
    context.truth = truth;
    context.plan = plan;
    check_both_ways(hs_policy_name(context.kind), use_policy, &context);
    check_both_ways("a simulation", simulate, &context);
    hs_schedule_free(plan);
    hs_instance_free(truth);
    hs_instance_free(estimates);
}
END_TEST

/* ---- workspaces
 * ------------------------------------------------------------------------------------------ */

static hs_status solve_in_workspace(const void *context, uint64_t *result)
{
    const solve_context *c = context;
    hs_workspace        *ws = NULL;
    const hs_schedule   *plan = NULL;
    double               makespan = 0;
    hs_status            st = hs_workspace_create(&ws);

    if (st == HS_OK)
        st = hs_solve_in(ws, c->algorithm, c->in, &c->settings, &plan, NULL);
    if (st == HS_OK)
        *result = digest_plan(plan);
    if (st == HS_OK)
        st = hs_solve_makespan(ws, c->algorithm, c->in, &c->settings, &makespan, NULL);
    if (st == HS_OK)
        *result = digest_double(*result, makespan);
    hs_workspace_free(ws);
    return st;
}

/* What a second call asks for: every allocation would fail. */
static long second_call(hs_workspace *ws, const hs_algorithm *alg, const hs_instance *in)
{
    const hs_schedule *plan;
    double             makespan;
    hs_status          st, st_alone;

    st = hs_solve_in(ws, alg, in, NULL, &plan, NULL);
    if (st == HS_OK)
        st = hs_solve_makespan(ws, alg, in, NULL, &makespan, NULL);
    ck_assert_int_eq(st, HS_OK);
    heap.armed = heap.from_there_on = 1;
    heap.left = heap.failed = 0;
    st = hs_solve_in(ws, alg, in, NULL, &plan, NULL);
    st_alone = hs_solve_makespan(ws, alg, in, NULL, &makespan, NULL);
    heap.armed = heap.from_there_on = 0;
    ck_assert_int_eq(st, HS_OK);
    ck_assert_int_eq(st_alone, HS_OK);
    return heap.failed;
}

START_TEST(workspaces)
{
    hs_instance  *in = NULL;
    solve_context context;
    sample        s;
    size_t        i;

    ck_assert_int_eq(build(&in, 1), HS_OK);
    sample_make_of(&s, SAMPLE_GAMMA, 7, 3000, 20, 4, 0);
    for (i = 0; i < hs_algorithm_count(); i++) {
        hs_workspace *ws = NULL;

        context = (solve_context){.in = in, .algorithm = hs_algorithm_at(i)};
        hs_settings_init(&context.settings);
        if (sample_searches(context.algorithm))
            continue;
        check_both_ways(hs_algorithm_name(context.algorithm), solve_in_workspace, &context);
        ck_assert_int_eq(hs_workspace_create(&ws), HS_OK);
        ck_assert_int_eq(second_call(ws, context.algorithm, in), 0);
        ck_assert_int_eq(second_call(ws, context.algorithm, s.in), 0);
        hs_workspace_free(ws);
    }
    sample_free(&s);
    hs_instance_free(in);
}
END_TEST

/* Ten million copies of two kinds: what is asked for does not know how many. */
START_TEST(copies_take_no_memory)
{
    static const char *const by_rows[] = {"heteroprio", "heteroprio-ns", "clb2c",
                                          "lpt",        "heft",          "heft-min"};
    hs_task                  tasks[] = {{.cpu = 3, .gpu = 1, .count = 9000000},
                                        {.cpu = 2, .gpu = 3, .count = 1000000}};
    hs_builder              *builder = NULL;
    hs_instance             *in = NULL;
    double                   makespan;
    size_t                   i;

    ck_assert_int_eq(hs_builder_create(&builder), HS_OK);
    hs_builder_workers(builder, 3, 1);
    for (i = 0; i < 2; i++)
        ck_assert_int_eq(hs_builder_add(builder, &tasks[i]), HS_OK);
    ck_assert_int_eq(hs_builder_finish(builder, &in, NULL), HS_OK);
    heap.largest = 0;
    for (i = 0; i < sizeof by_rows / sizeof *by_rows; i++)
        ck_assert_int_eq(
            hs_solve_makespan(NULL, hs_algorithm_find(by_rows[i]), in, NULL, &makespan, NULL),
            HS_OK);
    ck_assert_uint_lt(heap.largest, 100000);
    hs_instance_free(in);
    hs_builder_free(builder);
}
END_TEST

/* ---- the queue
 * ------------------------------------------------------------------------------------------ */

static hs_status use_queue(const void *context, uint64_t *result)
{
    hs_queue *q = NULL;
    hs_ready  task;
    uint64_t  i;
    hs_status st = hs_queue_create(2, 1, *(const size_t *)context, &q);

    for (i = 0; i < 100 && st == HS_OK; i++) {
        task = (hs_ready){i, (double)(1 + i * 7 % 13), (double)(1 + i % 5), (int64_t)(i % 3)};
        st = hs_queue_push(q, &task);
    }
    for (*result = 0; st == HS_OK && hs_queue_take(q, i & 1 ? HS_CPU : HS_GPU, &task); i++)
        *result = digest_word(*result, task.tag);
    hs_queue_free(q);
    return st;
}

START_TEST(queues)
{
    static const size_t none = 0, enough = 100;

    check_both_ways("a queue", use_queue, &none);
    check_both_ways("a queue with room", use_queue, &enough);
}
END_TEST

int main(void)
{
    Suite   *suite = suite_create("alloc");
    TCase   *cases = tcase_create("failing allocations");
    SRunner *runner;
    int      failed;

    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, builders);
    tcase_add_test(cases, instances);
    tcase_add_test(cases, schedules);
    tcase_add_test(cases, algorithms);
    tcase_add_test(cases, algorithms_without_cpus);
    tcase_add_test(cases, bounds);
    tcase_add_loop_test(cases, policies, 0, (int)hs_policy_count());
    tcase_add_test(cases, workspaces);
    tcase_add_test(cases, copies_take_no_memory);
    tcase_add_test(cases, queues);
    suite_add_tcase(suite, cases);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
