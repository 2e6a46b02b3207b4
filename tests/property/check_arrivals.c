/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Policies with tasks that arrive. A graph that is added before the start gives, bit for bit, the
 * schedule of the fixed instance; tasks that arrive at random times run once each, after their
 * predecessors, while rows are reused.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrival_world.h"
#include "dice.h"
#include "graph_sample.h"
#include "policy/policy.h"
#include "unit/rounds.h"
#include "suite.h"

static const char *const kernels[] = {NULL, "a", "b"};

enum { KERNELS = sizeof kernels / sizeof *kernels };

/* Return the tasks of the sample in topological order. */
static void order_tasks(const graph_sample *s, size_t *order)
{
    for (size_t t = 0; t < s->n; t++)
        order[s->position[t]] = t;
}

static void add_row(hs_builder *b, const graph_sample *s, size_t t, const hs_instance *times)
{
    hs_task row;

    hs_task_init(&row);
    row.cpu = hs_instance_time(times, t, HS_CPU);
    row.gpu = hs_instance_time(times, t, HS_GPU);
    row.priority = s->priority[t];
    row.restartable = s->restartable[t] ? HS_RESTART_YES : HS_RESTART_NO;
    row.kernel = kernels[t % KERNELS];
    ck_assert_int_eq(hs_builder_add_row(b, &row), HS_OK);
}

static void add_machine(hs_builder *b, const graph_sample *s)
{
    unsigned cpus, gpus;
    double   latency, bandwidth;

    ck_assert_int_eq(hs_builder_set_workers(b, s->m, s->k), HS_OK);
    for (size_t i = 0; hs_instance_node(s->in, i, &cpus, &gpus); i++)
        ck_assert_int_eq(hs_builder_add_node(b, hs_instance_node(s->in, i, &cpus, &gpus), cpus, gpus),
                         HS_OK);
    for (int link = 0; link < HS_LINKS; link++)
        if (hs_instance_link(s->in, (hs_link)link, &latency, &bandwidth))
            ck_assert_int_eq(hs_builder_set_link(b, (hs_link)link, latency, bandwidth), HS_OK);
}

/* Set the memory in which a handle lies at the start. */
static void set_home(hs_builder *b, const graph_sample *s, size_t handle)
{
    uint32_t hosts = (uint32_t)hs_instance_nodes(s->in), home = s->home[handle];

    ck_assert_int_eq(hs_builder_set_handle_memory(b, handle, home < hosts ? HS_CPU : HS_GPU,
                                                  home < hosts ? home : home - hosts),
                     HS_OK);
}

static void add_relations(hs_builder *b, const graph_sample *s, const size_t *order)
{
    for (size_t h = 0; h < s->data; h++) {
        char   name[] = {(char)('a' + (int)h), 0};
        size_t handle;

        ck_assert_int_eq(hs_builder_add_handle(b, name, &handle), HS_OK);
        ck_assert_int_eq(hs_builder_set_handle_bytes(b, handle, s->size[h]), HS_OK);
        set_home(b, s, handle);
    }
    for (size_t i = 0; i < s->n; i++) {
        for (size_t j = 0; j < i; j++)
            if (s->edge[order[j]][order[i]])
                ck_assert_int_eq(hs_builder_add_predecessor(b, i, j, 0, 0), HS_OK);
        for (size_t h = 0; h < s->data; h++)
            if (s->mode[order[i]][h])
                ck_assert_int_eq(
                    hs_builder_add_access(b, i, h, (hs_access_mode)s->mode[order[i]][h]), HS_OK);
    }
}

/* Return the sample with its tasks in topological order, without bytes on edges. */
static hs_instance *fixed_instance(const graph_sample *s, const size_t *order,
                                   const hs_instance *times)
{
    hs_builder  *b = NULL;
    hs_instance *in = NULL;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    add_machine(b, s);
    for (size_t i = 0; i < s->n; i++)
        add_row(b, s, order[i], times);
    add_relations(b, s, order);
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

static void add_task(hs_policy *policy, const graph_sample *s, const size_t *order, size_t i,
                     hs_task_id *ids)
{
    hs_access  access[GRAPH_DATA];
    hs_task_id after[GRAPH_TASKS];
    size_t     t = order[i];
    hs_arrival task;

    hs_arrival_init(&task);
    task.cpu = hs_instance_time(s->in, t, HS_CPU);
    task.gpu = hs_instance_time(s->in, t, HS_GPU);
    task.priority = s->priority[t];
    task.restartable = s->restartable[t];
    task.kernel = t % KERNELS;
    task.access = access;
    task.after = after;
    for (uint32_t h = 0; h < s->data; h++)
        if (s->mode[t][h])
            access[task.accesses++] = (hs_access){.data = h, .mode = (uint32_t)s->mode[t][h]};
    for (size_t j = 0; j < i; j++)
        if (s->edge[order[j]][t])
            after[task.predecessors++] = ids[j];
    ck_assert_int_eq(hs_policy_add_task(policy, &task, &ids[i]), HS_OK);
    ck_assert_uint_eq(ids[i].task, i);
}

/* Return the schedule of a policy to which all tasks were added before the start. */
static hs_schedule *run_arriving(const hs_policy_kind *kind, const graph_sample *s,
                                 const size_t *order, const hs_instance *machine,
                                 const hs_instance *truth, const hs_policy_settings *settings)
{
    hs_task_id   ids[GRAPH_TASKS];
    hs_room      room;
    hs_policy   *policy = NULL;
    hs_schedule *found = NULL;

    hs_room_init(&room);
    room.tasks = (uint32_t)s->n; /* the clock needs as many rows as `truth` has tasks */
    room.accesses = GRAPH_DATA;
    room.edges = GRAPH_TASKS * GRAPH_TASKS;
    room.handles = GRAPH_DATA;
    ck_assert_int_eq(hs_policy_create_arriving(kind, machine, &room, settings, &policy), HS_OK);
    for (uint32_t h = 0; h < s->data; h++) {
        uint32_t handle;

        ck_assert_int_eq(hs_policy_add_handle(policy, s->size[h], s->home[h], &handle), HS_OK);
        ck_assert_uint_eq(handle, h);
    }
    for (size_t i = 0; i < s->n; i++)
        add_task(policy, s, order, i, ids);
    ck_assert_uint_eq(hs_policy_live_tasks(policy), s->n);
    ck_assert_int_eq(hsi_policy_run_virtually(policy, truth, settings, &found, NULL), HS_OK);
    ck_assert_uint_eq(hs_policy_live_tasks(policy), 0);
    hs_policy_free(policy);
    return found;
}

static void require_equal(const graph_sample *s, const char *name, const hs_schedule *a,
                          const hs_schedule *b)
{
    for (unsigned w = 0; w < s->m + s->k; w++) {
        size_t          count_a, count_b;
        const hs_entry *x = hs_schedule_entries(a, w, &count_a);
        const hs_entry *y = hs_schedule_entries(b, w, &count_b);

        GRAPH_REQUIRE(s, count_a == count_b, "%s: worker %u has other entries", name, w);
        for (size_t i = 0; i < count_a; i++)
            GRAPH_REQUIRE(s,
                          x[i].task == y[i].task && x[i].start == y[i].start &&
                              x[i].end == y[i].end && x[i].state == y[i].state,
                          "%s: worker %u runs another task at %.17g", name, w, x[i].start);
    }
}

static void compare_with_fixed(const hs_policy_kind *kind, const graph_sample *s, dice *d)
{
    const char        *name = hs_policy_name(kind);
    size_t             order[GRAPH_TASKS];
    hs_instance       *in, *truth;
    hs_policy_settings settings;
    hs_schedule       *fixed = NULL, *arriving;

    order_tasks(s, order);
    in = fixed_instance(s, order, s->in);
    truth = dice_below(d, 2) ? fixed_instance(s, order, s->truth) : in;
    hs_policy_settings_init(&settings);
    settings.tolerance = dice_below(d, 2) ? 0.25 : 0;
    if (hs_policy_supported_ranks(kind) >> HS_RANK_GIVEN & 1)
        settings.rank = dice_below(d, 3) ? HS_RANK_GIVEN : HS_RANK_FIFO;
    ck_assert_int_eq(hs_policy_simulate(kind, in, NULL, truth, &settings, &fixed, NULL), HS_OK);
    arriving = run_arriving(kind, s, order, in, truth, &settings);
    require_equal(s, name, fixed, arriving);
    hs_schedule_free(fixed);
    hs_schedule_free(arriving);
    if (truth != in)
        hs_instance_free(truth);
    hs_instance_free(in);
}

/* Independent tasks are excluded: without a graph some policies have other rules. */
START_TEST(equals_the_fixed_instance)
{
    const hs_policy_kind *kind = hs_policy_at((size_t)_i);
    size_t                least = (size_t)rounds(2000), compared = 0;

    for (uint64_t seed = 0; hs_policy_accepts_arrivals(kind) && seed < least; seed++) {
        graph_sample s;
        dice         d = {seed};

        graph_sample_make(&s, seed);
        if (hs_instance_has_graph(s.in)) {
            compare_with_fixed(kind, &s, &d);
            compared++;
        }
        graph_sample_free(&s);
    }
    ck_assert(compared * 2 > least || !hs_policy_accepts_arrivals(kind));
}
END_TEST

START_TEST(random_arrivals)
{
    const hs_policy_kind *kind = hs_policy_at((size_t)_i);
    size_t                least = (size_t)rounds(400);

    for (uint64_t seed = 0; hs_policy_accepts_arrivals(kind) && seed < least; seed++)
        arrival_world_run(kind, seed);
}
END_TEST

START_TEST(accepting_kinds)
{
    size_t count = 0;

    for (size_t i = 0; i < hs_policy_count(); i++)
        count += hs_policy_accepts_arrivals(hs_policy_at(i)) != 0;
    ck_assert_uint_eq(count, 9);
    ck_assert(!hs_policy_accepts_arrivals(hs_policy_find("plan+steal")));
    ck_assert(!hs_policy_accepts_arrivals(hs_policy_find("d-rank")));
    ck_assert(!hs_policy_accepts_arrivals(hs_policy_find("explore")));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("arrivals");
    TCase *cases = tcase_create("arrivals");
    int    kinds = (int)hs_policy_count();

    tcase_add_test(cases, accepting_kinds);
    tcase_add_loop_test(cases, equals_the_fixed_instance, 0, kinds);
    tcase_add_loop_test(cases, random_arrivals, 0, kinds);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
