/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Skipped tasks have no influence: for the remaining tasks, a policy's schedule equals, bit for
 * bit, the schedule of an instance that consists of them alone.
 */
#include <check.h>
#include <string.h>

#include "dice.h"
#include "graph_sample.h"
#include "sample.h"
#include "suite.h"

/* A random set of done tasks, closed under predecessors, and the instance of the rest. */
typedef struct rest {
    unsigned char skip[GRAPH_TASKS];
    size_t        count;
    uint32_t      task[GRAPH_TASKS];   /* remaining tasks, in the order of their numbers */
    uint32_t      number[GRAPH_TASKS]; /* position in `task` of each remaining task */
    hs_instance  *in;                  /* instance of the remaining tasks */
} rest;

static bool may_be_done(const graph_sample *s, const rest *r, size_t task)
{
    for (size_t f = 0; f < s->n; f++)
        if (s->edge[f][task] && !r->skip[f])
            return false;
    return true;
}

static void draw_rest(const graph_sample *s, rest *r)
{
    dice     d = {s->seed ^ 0x5e57};
    unsigned rarity = dice_between(&d, 1, 4);

    memset(r, 0, sizeof *r);
    for (size_t at = 0; at < s->n; at++)
        for (uint32_t t = 0; t < s->n; t++) {
            if (s->position[t] != at)
                continue;
            r->skip[t] = may_be_done(s, r, t) && dice_below(&d, 4) < rarity;
            if (r->skip[t])
                continue;
            r->number[t] = (uint32_t)r->count;
            r->task[r->count++] = t;
        }
}

static void build_rest(const graph_sample *s, rest *r)
{
    hs_builder *b = NULL;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, s->m, s->k), HS_OK);
    for (size_t i = 0; i < r->count; i++) {
        uint32_t t = r->task[i];
        hs_task  task;

        hs_task_init(&task);
        task.cpu = hs_instance_time(s->in, t, HS_CPU);
        task.gpu = hs_instance_time(s->in, t, HS_GPU);
        task.priority = s->priority[t];
        task.restartable = s->restartable[t] ? HS_RESTART_YES : HS_RESTART_NO;
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
        for (size_t j = 0; j < i; j++)
            if (s->edge[r->task[j]][t])
                ck_assert_int_eq(hs_builder_add_predecessor(b, i, j, 0, 0), HS_OK);
    }
    ck_assert_int_eq(hs_builder_finish(b, &r->in, NULL), HS_OK);
    hs_builder_free(b);
}

/* Return the plan without done tasks, for the instance of the rest. */
static hs_schedule *plan_of_rest(const graph_sample *s, const rest *r, const hs_schedule *plan)
{
    hs_placement placed[GRAPH_TASKS];
    hs_schedule *out = NULL;
    size_t       count = 0;

    for (unsigned w = 0; w < s->m + s->k; w++) {
        size_t          entries;
        const hs_entry *e = hs_schedule_entries(plan, w, &entries);

        for (size_t i = 0; i < entries; i++)
            if (e[i].state == HS_RUN && !r->skip[e[i].task])
                placed[count++] =
                    (hs_placement){e[i].start, e[i].end, r->number[e[i].task], w, HS_RUN};
    }
    ck_assert_int_eq(hs_schedule_build(s->m, s->k, count, placed, &out), HS_OK);
    return out;
}

static void require_same_schedule(const graph_sample *s, const rest *r, const char *name,
                                  const hs_schedule *expected, const hs_schedule *found)
{
    for (unsigned w = 0; w < s->m + s->k; w++) {
        size_t          count, other;
        const hs_entry *a = hs_schedule_entries(expected, w, &count);
        const hs_entry *b = hs_schedule_entries(found, w, &other);

        GRAPH_REQUIRE(s, count == other, "%s: worker %u has %zu entries, not %zu", name, w, other,
                      count);
        for (size_t i = 0; i < count; i++)
            GRAPH_REQUIRE(s,
                          a[i].start == b[i].start && a[i].end == b[i].end &&
                              r->task[a[i].task] == b[i].task && a[i].state == b[i].state,
                          "%s: worker %u, entry %zu: task %u from %.17g to %.17g, not %u, %.17g, "
                          "%.17g",
                          name, w, i, b[i].task, b[i].start, b[i].end, r->task[a[i].task],
                          a[i].start, a[i].end);
    }
}

static hs_schedule *simulate_rest(const graph_sample *s, const hs_policy_kind *kind,
                                  const hs_instance *in, const hs_schedule *plan,
                                  const hs_policy_settings *settings)
{
    hs_schedule *found = NULL;
    hs_status    st = hs_policy_simulate(kind, in, plan, in, settings, &found, NULL);

    GRAPH_REQUIRE(s, st == HS_OK, "%s: %s", hs_policy_name(kind), hs_status_text(st));
    return found;
}

/* Compare both schedules and return true, or return false if they are not comparable: links would
 * transfer outputs of done tasks from the host, which the instance of the rest does not express. */
static bool compare_with_fresh_run(const graph_sample *s, const hs_policy_kind *kind,
                                   hs_policy_settings settings)
{
    rest         r;
    hs_schedule *plan, *left, *expected, *found;
    bool         alike;

    draw_rest(s, &r);
    build_rest(s, &r);
    alike = !s->links && hs_instance_has_graph(s->in) == hs_instance_has_graph(r.in);
    if (alike) {
        plan = simulate_rest(s, hs_policy_find("heteroprio"), s->in, NULL, NULL);
        left = plan_of_rest(s, &r, plan);
        expected = simulate_rest(s, kind, r.in, left, &settings);
        settings.skip = r.skip;
        found = simulate_rest(s, kind, s->in, plan, &settings);
        require_same_schedule(s, &r, hs_policy_name(kind), expected, found);
        hs_schedule_free(plan);
        hs_schedule_free(left);
        hs_schedule_free(expected);
        hs_schedule_free(found);
    }
    hs_instance_free(r.in);
    return alike && r.count > 0 && r.count < s->n;
}

static hs_policy_settings draw_settings(const hs_policy_kind *kind, uint64_t seed)
{
    hs_policy_settings settings;

    hs_policy_settings_init(&settings);
    settings.rank = (hs_rank)(seed % 5);
    if (!(hs_policy_supported_ranks(kind) >> settings.rank & 1))
        settings.rank = HS_RANK_DEFAULT;
    settings.parameters.threshold = (unsigned)(seed / 5 % 4);
    return settings;
}

START_TEST(as_if_there_were_no_more)
{
    const hs_policy_kind *kind = hs_policy_at((size_t)_i);
    size_t                rounds = rounds_scaled(4000), compared = 0;

    for (size_t i = 0; i < rounds; i++) {
        graph_sample s;

        graph_sample_make(&s, 65000000 + i);
        if (hs_policy_supports_graphs(kind) || !hs_instance_has_graph(s.in))
            compared += (size_t)compare_with_fresh_run(&s, kind, draw_settings(kind, i));
        graph_sample_free(&s);
    }
    if (rounds > 1000)
        ck_assert_uint_gt(compared, rounds / (hs_policy_supports_graphs(kind) ? 8 : 30));
}
END_TEST

/* Check that inputs come from the workers that ran the done tasks, or from the host, and that each
 * remaining task runs once. */
START_TEST(inputs_come_from_where_tasks_ran)
{
    const hs_policy_kind *kind = hs_policy_at((size_t)_i);
    size_t                rounds = rounds_scaled(3000);

    for (size_t i = 0; i < rounds && hs_policy_supports_graphs(kind); i++) {
        hs_policy_settings settings = draw_settings(kind, i);
        uint32_t           worker[GRAPH_TASKS];
        graph_sample       s;
        rest               r;
        hs_schedule       *plan, *found;
        hs_error           error;
        dice               d = {i};

        graph_sample_make(&s, 66000000 + i);
        draw_rest(&s, &r);
        for (size_t t = 0; t < s.n; t++)
            worker[t] = dice_below(&d, 3) ? dice_below(&d, s.m + s.k) : t % 2 ? HS_NONE : 1000000;
        settings.skip = r.skip;
        settings.skip_worker = i % 5 ? worker : NULL;
        plan = simulate_rest(&s, hs_policy_find("heteroprio"), s.in, NULL, NULL);
        found = simulate_rest(&s, kind, s.in, plan, &settings);
        GRAPH_REQUIRE(&s,
                      hs_schedule_check_rest(s.in, found, NULL, r.skip, settings.skip_worker,
                                             &error) == HS_OK,
                      "%s: %s", hs_policy_name(kind), error.why);
        if (r.count > 0 && r.count < s.n)
            ck_assert_int_eq(hs_schedule_check(s.in, found, NULL), HS_ESCHEDULE);
        hs_schedule_free(plan);
        hs_schedule_free(found);
        graph_sample_free(&s);
    }
}
END_TEST

/* Make a task with a handle of 90 bytes, and a task on the GPU that reads the handle. */
static hs_instance *make_reader(void)
{
    hs_builder  *b = NULL;
    hs_instance *in = NULL;
    hs_task      task;
    size_t       handle;

    hs_task_init(&task);
    task.cpu = task.gpu = 10;
    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 1, 1), HS_OK);
    ck_assert_int_eq(hs_builder_set_link(b, HS_H2D, 0, 1), HS_OK);
    ck_assert_int_eq(hs_builder_set_link(b, HS_D2H, 0, 1), HS_OK);
    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    task.cpu = INFINITY;
    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    ck_assert_int_eq(hs_builder_add_handle(b, "x", &handle), HS_OK);
    ck_assert_int_eq(hs_builder_set_handle_bytes(b, handle, 90), HS_OK);
    ck_assert_int_eq(hs_builder_add_access(b, 0, handle, HS_WRITE), HS_OK);
    ck_assert_int_eq(hs_builder_add_access(b, 1, handle, HS_READ), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

/* The reader starts at once where the done task ran, and after the transfer from elsewhere. */
START_TEST(a_done_task_leaves_its_results_on_its_worker)
{
    static const unsigned char skip[] = {1, 0}, all[] = {1, 1};
    static const uint32_t      gpu[] = {1, 1}, cpu[] = {0, 0};
    const hs_policy_kind      *kind = hs_policy_at((size_t)_i);
    hs_instance               *in = make_reader();
    hs_schedule               *near = NULL, *far = NULL;
    hs_policy_settings         settings;
    hs_error                   error;

    if (hs_policy_needs_plan(kind) || !hs_policy_supports_graphs(kind))
        goto done;
    hs_policy_settings_init(&settings);
    settings.skip = skip;
    settings.skip_worker = cpu;
    ck_assert_int_eq(hs_policy_simulate(kind, in, NULL, in, &settings, &far, NULL), HS_OK);
    ck_assert_double_eq(hs_schedule_makespan(far), 100);
    settings.skip_worker = gpu;
    ck_assert_int_eq(hs_policy_simulate(kind, in, NULL, in, &settings, &near, NULL), HS_OK);
    ck_assert_double_eq(hs_schedule_makespan(near), 10);
    ck_assert_int_eq(hs_schedule_check_rest(in, near, NULL, skip, gpu, NULL), HS_OK);
    ck_assert_int_eq(hs_schedule_check_rest(in, near, NULL, skip, cpu, &error), HS_ESCHEDULE);
    ck_assert_str_eq(error.why, "task 't1' on gpu0: it starts at 0, but its input from 't0' "
                                "arrives only at 90");
    ck_assert_int_eq(hs_schedule_check_rest(in, near, NULL, skip, NULL, NULL), HS_ESCHEDULE);
    ck_assert_int_eq(hs_schedule_check_rest(in, near, NULL, all, gpu, &error), HS_ESCHEDULE);
    ck_assert_str_eq(error.why, "task 't1' on gpu0: it starts at 0, but the task was done before "
                                "the start");
    hs_schedule_free(near);
    hs_schedule_free(far);
done:
    hs_instance_free(in);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("policies on what is left");
    TCase *tc = tcase_create("rest");
    int    kinds = (int)hs_policy_count();

    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, as_if_there_were_no_more, 0, kinds);
    tcase_add_loop_test(tc, inputs_come_from_where_tasks_ran, 0, kinds);
    tcase_add_loop_test(tc, a_done_task_leaves_its_results_on_its_worker, 0, kinds);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
