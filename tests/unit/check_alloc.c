/* SPDX-License-Identifier: BSD-3-Clause */

/* Each allocation fails in instances, predictions, schedules, policies and the queue. check_alloc_solve.c
 * tests the algorithms. */

#include <check.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "alloc_scenario.h"
#include "plan_digest.h"
#include "suite.h"

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

START_TEST(builder_survives_failed_allocations)
{
    static const int once = 1, twice = 2;

    check_single_and_lasting_failures("building", build_with_attempts, &once);
    check_single_and_lasting_failures("building with second attempts", build_with_attempts, &twice);
}
END_TEST

static hs_status wrap_and_move(const void *context, uint64_t *result)
{
    static const double times[] = {1, 2, 3};
    hs_instance        *in = NULL, *other = NULL;
    hs_status           st = hs_instance_wrap(3, times, times, NULL, 2, 1, &in);

    (void)context;
    if (st == HS_OK)
        st = hs_instance_with_workers(in, 0, 5, &other);
    if (st == HS_OK)
        *result = hs_instance_digest(other);
    hs_instance_free(in);
    hs_instance_free(other);
    return st;
}

static hs_status index_names(const void *context, uint64_t *result)
{
    hs_name_index *index = NULL;
    size_t         task = 0;
    hs_status      st = hs_name_index_create(context, &index);

    if (st == HS_OK) {
        hs_name_index_find(index, "t1", 2, &task);
        *result = task;
    }
    hs_name_index_free(index);
    return st;
}

START_TEST(instance_survives_failed_allocations)
{
    hs_instance *in = NULL;

    check_single_and_lasting_failures("wrapping", wrap_and_move, NULL);
    ck_assert_int_eq(build(&in, 1), HS_OK);
    check_single_and_lasting_failures("an index", index_names, in);
    hs_instance_free(in);
}
END_TEST

/* Two products that can be divided, one with an unknown time. */
static hs_instance *products(void)
{
    hs_builder  *b;
    hs_instance *in = NULL;
    hs_task      row;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 2, 1), HS_OK);
    hs_task_init(&row);
    row.kernel = "dgemm:512";
    row.cpu = 8;
    row.gpu = 2;
    ck_assert_int_eq(hs_builder_add_row(b, &row), HS_OK);
    row.gpu = HS_UNKNOWN;
    ck_assert_int_eq(hs_builder_add_row(b, &row), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

static hs_status predict(const void *context, uint64_t *result)
{
    hs_cost     *cost = NULL;
    hs_features  f;
    hs_instance *filled = NULL, *again = NULL, *divided = NULL;
    hs_status    st = hs_cost_create(&cost);

    hs_features_init(&f);
    strcpy(f.key, "dgemm");
    f.size = 512;
    if (st == HS_OK)
        st = hs_cost_observe(cost, HS_GPU, &f, 3, 0);
    if (st == HS_OK)
        st = hs_instance_fill(context, cost, &filled);
    if (st == HS_OK)
        st = hs_instance_retime(filled, cost, &again);
    if (st == HS_OK)
        st = hs_instance_partition(again, cost, 0.001, 4, &divided);
    if (st == HS_OK)
        *result = hs_instance_digest(divided) + hs_instance_rows(divided);
    hs_instance_free(filled);
    hs_instance_free(again);
    hs_instance_free(divided);
    hs_cost_free(cost);
    return st;
}

START_TEST(predictions_survive_failed_allocations)
{
    hs_instance *in = products();

    check_single_and_lasting_failures("predictions", predict, in);
    hs_instance_free(in);
}
END_TEST

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

START_TEST(schedule_survives_failed_allocations)
{
    hs_instance  *in = NULL;
    hs_schedule  *plan = NULL;
    check_context context;

    check_single_and_lasting_failures("a schedule", build_schedule, NULL);
    ck_assert_int_eq(build(&in, 1), HS_OK);
    ck_assert_int_eq(hs_solve(hs_algorithm_find("heft"), in, NULL, &plan), HS_OK);
    context = (check_context){in, plan};
    check_single_and_lasting_failures("the checker", check_schedule, &context);
    hs_schedule_free(plan);
    hs_instance_free(in);
}
END_TEST

typedef struct policy_context {
    const hs_instance    *estimates, *truth;
    const hs_schedule    *plan;
    const hs_policy_kind *kind;
} policy_context;

/* Create a policy and report every event to it. After its creation a policy allocates no memory,
 * so each later call succeeds. */
static hs_status use_policy(const void *context, uint64_t *result)
{
    const policy_context *c = context;
    hs_policy            *policy = NULL;
    hs_policy_settings    late = {.struct_size = sizeof late, .tolerance = 0.1};
    hs_status             st = hs_policy_create(c->kind, c->estimates, c->plan, &late, &policy);
    hs_decision           decision;
    uint32_t              task;
    double                now;

    for (*result = 0, now = 0; st == HS_OK && now < 200; now++) {
        hs_policy_next(policy, now < 50 ? 0 : 4, now, &decision, NULL);
        if (decision.kind != HS_DECIDE_START)
            break;
        *result = digest_word(*result, decision.task);
        hs_policy_ended(policy, now < 50 ? 0 : 4, decision.task,
                        decision.task % 3 ? HS_ENDING_RETURNED : HS_ENDING_DONE, now, NULL);
        if (now == 50)
            hs_policy_retire(policy, 0, NULL);
    }
    while (st == HS_OK && hs_policy_take_stranded(policy, &task))
        *result = digest_word(*result, task);
    hs_policy_free(policy);
    return st;
}

static hs_status simulate_policy(const void *context, uint64_t *result)
{
    const policy_context *c = context;
    hs_schedule          *found = NULL;
    hs_status st = hs_policy_simulate(c->kind, c->estimates, c->plan, c->truth, NULL, &found, NULL);

    if (st == HS_OK)
        *result = digest_plan(found);
    else if (found) /* ck_assert() allocates */
        st = HS_EINVAL;
    hs_schedule_free(found);
    return st;
}

static void build_graph(hs_instance **out)
{
    hs_tiled spec = {sizeof spec, HS_CHOLESKY, 5, 3, 2, 0, 1, hs_kernel_table_find("k40m-960"), 0};

    ck_assert_int_eq(hs_generate_tiled(&spec, out, NULL), HS_OK);
}

static void check_policy(const hs_policy_kind *kind, hs_instance *estimates)
{
    policy_context context = {.kind = kind};
    double         cpu[60], gpu[60];
    hs_instance   *truth = NULL;
    hs_schedule   *plan = NULL;
    size_t         i, tasks = hs_instance_tasks(estimates);

    ck_assert_uint_le(tasks, 60);
    for (i = 0; i < tasks; i++) { /* true times of some tasks far above their estimates: these
                                     tasks are spoliated, often twice */
        cpu[i] = hs_instance_time(estimates, i, HS_CPU) * (double)(1 + 40 * (i % 2));
        gpu[i] = hs_instance_time(estimates, i, HS_GPU) * (double)(1 + 40 * (i % 2));
    }
    ck_assert_int_eq(hs_instance_wrap(tasks, cpu, gpu, NULL, 3, 2, &truth), HS_OK);
    ck_assert_int_eq(hs_solve(hs_algorithm_find("heft"), estimates, NULL, &plan), HS_OK);
    context.estimates = estimates;
    context.truth = truth;
    context.plan = plan;
    check_single_and_lasting_failures(hs_policy_name(context.kind), use_policy, &context);
    check_single_and_lasting_failures("a simulation", simulate_policy, &context);
    hs_schedule_free(plan);
    hs_instance_free(truth);
    hs_instance_free(estimates);
}

START_TEST(policy_survives_failed_allocations)
{
    const hs_policy_kind *kind = hs_policy_at((size_t)_i);
    hs_instance          *estimates = NULL;

    ck_assert_int_eq(build(&estimates, 1), HS_OK);
    check_policy(kind, estimates);
    if (!hs_policy_supports_graphs(kind))
        return;
    build_graph(&estimates);
    check_policy(kind, estimates);
}
END_TEST

static hs_status use_queue(const void *context, uint64_t *result)
{
    hs_queue     *q = NULL;
    hs_queue_task task;
    uint64_t      i;
    hs_status     st = hs_queue_create(2, 1, *(const size_t *)context, &q);

    for (i = 0; i < 100 && st == HS_OK; i++) {
        task = (hs_queue_task){i, (double)(1 + i * 7 % 13), (double)(1 + i % 5), (int64_t)(i % 3)};
        st = hs_queue_push(q, &task, NULL);
    }
    for (*result = 0; st == HS_OK && hs_queue_take(q, i & 1 ? HS_CPU : HS_GPU, &task); i++)
        *result = digest_word(*result, task.tag);
    hs_queue_free(q);
    return st;
}

START_TEST(queue_survives_failed_allocations)
{
    static const size_t none = 0, enough = 100;

    check_single_and_lasting_failures("a queue", use_queue, &none);
    check_single_and_lasting_failures("a queue with room", use_queue, &enough);
}
END_TEST

typedef hs_status (*picture_function)(int fd, const hs_instance *in, const hs_schedule *s,
                                      const hs_picture *picture, hs_error *error);

typedef struct picture_call {
    picture_function   write;
    const hs_instance *in;
    const hs_schedule *s;
    int                fd;
    hs_picture         picture;
} picture_call;

static hs_status draw_pictures(const void *context, uint64_t *result)
{
    const picture_call *d = context;

    *result = 0;
    return d->write(d->fd, d->in, d->s, &d->picture, NULL);
}

static hs_status find_path(const void *context, uint64_t *result)
{
    const picture_call *d = context;
    hs_critical_step   *step = NULL;
    size_t              count = 0;
    hs_status           st = hs_critical_path(d->in, d->s, &step, &count);

    *result = count;
    free(step);
    return st;
}

/* Draw the pictures of a graph, which has barriers, a critical path, and transfers of data, two
 * at a time. */
START_TEST(pictures_survive_failed_allocations)
{
    const hs_transfer copies[] = {{0, 2, 1, UINT32_MAX, 0, 1}, {1, 3, 1, UINT32_MAX, 0, 1}};
    hs_picture        picture;
    static const picture_function writers[] = {hs_gantt_write, hs_trace_write};
    hs_builder                   *b = NULL;
    hs_instance                  *in = NULL;
    hs_schedule                  *s = NULL;
    hs_task                       task;
    int                           fd = open("/dev/null", O_WRONLY);

    hs_task_init(&task);
    task.cpu = task.gpu = 1;
    task.count = 3;
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 2, 1), HS_OK);
    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    ck_assert_int_eq(hs_builder_add_predecessor(b, 1, 0, 0, 0), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    ck_assert_int_eq(hs_solve(hs_algorithm_find("mct"), in, NULL, &s), HS_OK);
    hs_picture_init(&picture);
    picture.transfers = copies;
    picture.transfer_count = 2;
    for (size_t i = 0; i < 2; i++)
        check_single_and_lasting_failures("a picture", draw_pictures,
                                          &(picture_call){writers[i], in, s, fd, picture});
    check_single_and_lasting_failures("a critical path", find_path,
                                      &(picture_call){NULL, in, s, fd, picture});
    close(fd);
    hs_schedule_free(s);
    hs_instance_free(in);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("alloc");
    TCase *cases = tcase_create("failing allocations");

    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, builder_survives_failed_allocations);
    tcase_add_test(cases, instance_survives_failed_allocations);
    tcase_add_test(cases, predictions_survive_failed_allocations);
    tcase_add_test(cases, schedule_survives_failed_allocations);
    tcase_add_loop_test(cases, policy_survives_failed_allocations, 0, (int)hs_policy_count());
    tcase_add_test(cases, queue_survives_failed_allocations);
    tcase_add_test(cases, pictures_survive_failed_allocations);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
