/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls of policies with tasks that arrive: refusals, reused numbers, a million tasks without an
 * allocation, bytes of the room, failed allocations.
 */
#include <check.h>
#include <math.h>
#include <string.h>

#include <hybridsched/hybridsched.h>

#include "../../examples/runtime/affine.h"
#include "data/ledger_impl.h"
#include "failing_memory.h"
#include "policy/policy.h"
#include "rounds.h"
#include "suite.h"

enum { CPUS = 2, GPUS = 1, WORKERS = CPUS + GPUS };

static hs_instance *machine;

static void make_machine(void)
{
    hs_builder *b = NULL;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, CPUS, GPUS), HS_OK);
    ck_assert_int_eq(hs_builder_set_link(b, HS_H2D, 0, 100), HS_OK);
    ck_assert_int_eq(hs_builder_set_link(b, HS_D2H, 0, 100), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &machine, NULL), HS_OK);
    hs_builder_free(b);
}

static void free_machine(void)
{
    hs_instance_free(machine);
}

static hs_room room_of(uint32_t tasks)
{
    hs_room room;

    hs_room_init(&room);
    room.tasks = tasks;
    room.accesses = 2;
    room.handles = 2;
    return room;
}

static hs_policy *open_policy(const char *name, const hs_room *room)
{
    hs_policy *policy = NULL;

    ck_assert_int_eq(
        hs_policy_create_arriving(hs_policy_find(name), machine, room, NULL, &policy), HS_OK);
    return policy;
}

static hs_arrival task_of(double cpu, double gpu)
{
    hs_arrival task;

    hs_arrival_init(&task);
    task.cpu = cpu;
    task.gpu = gpu;
    return task;
}

/* Start and end the next task of a worker at `now`; HS_NONE: the worker waits. */
static uint32_t run_next(hs_policy *policy, unsigned worker, double now)
{
    hs_decision d;

    hs_policy_next(policy, worker, now, &d, NULL);
    if (d.kind != HS_DECIDE_START)
        return HS_NONE;
    hs_policy_ended(policy, worker, d.task, HS_ENDING_DONE, now, NULL);
    return d.task;
}

START_TEST(refused_policies)
{
    static const char *const others[] = {"plan", "plan+steal", "d-rank", "explore"};
    const hs_policy_kind    *kind = hs_policy_find("dmdas");
    hs_policy               *policy = NULL;
    hs_policy_settings       settings;
    hs_room                  room = room_of(4);

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        ck_assert_int_eq(hs_policy_create_arriving(hs_policy_find(others[i]), machine, NULL, NULL,
                                                   &policy),
                         HS_EINVAL);
    hs_policy_settings_init(&settings);
    settings.rank = HS_RANK_MIN;
    ck_assert_int_eq(hs_policy_create_arriving(kind, machine, &room, &settings, &policy),
                     HS_EINVAL);
    settings.rank = HS_RANK_DEFAULT;
    settings.transfers = 1;
    ck_assert_int_eq(hs_policy_create_arriving(kind, machine, &room, &settings, &policy),
                     HS_EINVAL);
    room.tasks = 0;
    ck_assert_int_eq(hs_policy_create_arriving(kind, machine, &room, NULL, &policy), HS_EINVAL);
    room.tasks = 1u << 31;
    ck_assert_int_eq(hs_policy_create_arriving(kind, machine, &room, NULL, &policy), HS_ETOOBIG);
    ck_assert_int_eq(hs_policy_create_arriving(kind, machine, NULL, NULL, NULL), HS_EINVAL);
    ck_assert_ptr_null(policy);
}
END_TEST

START_TEST(refused_tasks)
{
    hs_room    room = room_of(2);
    hs_policy *policy = open_policy("dmda", &room);
    hs_arrival task = task_of(1, 1);
    hs_access  access[3] = {{0, 0, HS_READ}, {1, 0, HS_READ}, {0, 0, HS_WRITE}};
    hs_task_id after = {1, 0};
    uint32_t   handle;

    task.cpu = 0;
    ck_assert_int_eq(hs_policy_add_task(policy, &task, NULL), HS_ETIME);
    task.cpu = NAN;
    ck_assert_int_eq(hs_policy_add_task(policy, &task, NULL), HS_ETIME);
    task.cpu = task.gpu = INFINITY;
    ck_assert_int_eq(hs_policy_add_task(policy, &task, NULL), HS_EWORKER);
    task.cpu = 1;
    task.kernel = 64;
    ck_assert_int_eq(hs_policy_add_task(policy, &task, NULL), HS_EINVAL);
    task.kernel = 0;
    task.access = access;
    task.accesses = 1;
    ck_assert_int_eq(hs_policy_add_task(policy, &task, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_policy_add_handle(policy, 8, 0, &handle), HS_OK);
    ck_assert_int_eq(hs_policy_add_handle(policy, 8, 0, &handle), HS_OK);
    ck_assert_int_eq(hs_policy_add_handle(policy, 8, 0, &handle), HS_EFULL);
    task.accesses = 3;
    ck_assert_int_eq(hs_policy_add_task(policy, &task, NULL), HS_ETOOBIG);
    access[1].data = 0;
    task.accesses = 2;
    ck_assert_int_eq(hs_policy_add_task(policy, &task, NULL), HS_EINVAL);
    access[1] = (hs_access){1, 0, 4};
    ck_assert_int_eq(hs_policy_add_task(policy, &task, NULL), HS_EINVAL);
    task.accesses = 1;
    task.after = &after;
    task.predecessors = 1;
    ck_assert_int_eq(hs_policy_add_task(policy, &task, NULL), HS_EINVAL);
    after = (hs_task_id){0, 2};
    ck_assert_int_eq(hs_policy_add_task(policy, &task, NULL), HS_EINVAL);
    ck_assert_uint_eq(hs_policy_live_tasks(policy), 0);
    after = (hs_task_id){0};
    ck_assert_int_eq(hs_policy_add_task(policy, &task, NULL), HS_OK);
    ck_assert_int_eq(hs_policy_add_task(policy, &task, NULL), HS_OK);
    ck_assert_int_eq(hs_policy_add_task(policy, &task, NULL), HS_EFULL);
    hs_policy_mark_done(policy, 0, HS_NONE); /* these three calls have no effect */
    hs_policy_mark_elsewhere(policy, 0);
    hs_policy_ended_elsewhere(policy, 0, 0, NULL);
    ck_assert_uint_eq(hs_policy_live_tasks(policy), 2);
    ck_assert_uint_eq(hs_policy_collect_ready(policy, 0, NULL, NULL), 2);
    ck_assert_int_eq(hs_policy_add_handle(policy, NAN, 0, &handle), HS_EINVAL);
    ck_assert_int_eq(hs_policy_add_handle(policy, 8, 2, &handle), HS_EINVAL);
    ck_assert_int_eq(hs_policy_remove_handle(policy, 2), HS_EINVAL);
    hs_policy_free(policy);
}
END_TEST

START_TEST(calls_of_fixed_policies)
{
    hs_policy *policy = NULL;
    double     time = 1;
    hs_arrival task = task_of(1, 1);
    uint32_t   handle;

    hs_instance *in = NULL;

    ck_assert_int_eq(hs_instance_wrap(1, &time, &time, NULL, CPUS, GPUS, &in), HS_OK);
    ck_assert_int_eq(hs_policy_create(hs_policy_find("dmda"), in, NULL, NULL, &policy), HS_OK);
    ck_assert_int_eq(hs_policy_add_task(policy, &task, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_policy_add_handle(policy, 8, 0, &handle), HS_EINVAL);
    ck_assert_int_eq(hs_policy_remove_handle(policy, 0), HS_EINVAL);
    ck_assert_uint_eq(hs_policy_live_tasks(policy), 0);
    hs_policy_free(policy);
    hs_instance_free(in);
}
END_TEST

/* A removed handle stays until its last access; its number is then reused. */
START_TEST(removed_handles)
{
    hs_room    room = room_of(4);
    hs_policy *policy = open_policy("heteroprio", &room);
    hs_arrival task = task_of(1, 1);
    hs_access  access = {0, 0, HS_WRITE};
    uint32_t   handle, other;

    ck_assert_int_eq(hs_policy_add_handle(policy, 8, 0, &handle), HS_OK);
    ck_assert_int_eq(hs_policy_add_handle(policy, 8, 0, &other), HS_OK);
    access.data = handle;
    task.access = &access;
    task.accesses = 1;
    ck_assert_int_eq(hs_policy_add_task(policy, &task, NULL), HS_OK);
    ck_assert_int_eq(hs_policy_remove_handle(policy, handle), HS_OK);
    ck_assert_int_eq(hs_policy_remove_handle(policy, handle), HS_EINVAL);
    ck_assert_int_eq(hs_policy_add_task(policy, &task, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_policy_add_handle(policy, 8, 0, &other), HS_EFULL);
    ck_assert_uint_eq(run_next(policy, 0, 0), 0);
    ck_assert_int_eq(hs_policy_add_handle(policy, 8, 0, &other), HS_OK);
    ck_assert_uint_eq(other, handle);
    hs_policy_free(policy);
}
END_TEST

/* A handle's content is where its last writer ran, whatever numbers tasks reuse. */
START_TEST(versions_of_reused_numbers)
{
    hs_room    room = room_of(1);
    hs_policy *policy = open_policy("dmda", &room);
    hs_arrival task = task_of(1, INFINITY);
    hs_access  access = {0, 0, HS_WRITE};
    uint32_t   handle;

    ck_assert_int_eq(hs_policy_add_handle(policy, 100, 1, &handle), HS_OK);
    ck_assert_int_eq(hs_policy_has_replica(policy, handle, 1), 1);
    ck_assert_int_eq(hs_policy_has_replica(policy, handle, 0), 0);
    task.access = &access;
    task.accesses = 1;
    for (int i = 0; i < 6; i++) {
        if (i == 2) /* the numbers of versions end soon */
            policy->inputs.ledger->handle[handle].newest = NO_VERSION - 1;
        task.cpu = i % 2 ? INFINITY : 1;
        task.gpu = i % 2 ? 1 : INFINITY;
        access.mode = i % 2 ? HS_READ : HS_WRITE; /* written on the host, read by the GPU */
        ck_assert_int_eq(hs_policy_add_task(policy, &task, NULL), HS_OK);
        hs_policy_collect_ready(policy, i, NULL, NULL);
        ck_assert_uint_eq(run_next(policy, i % 2 ? CPUS : 0, i), 0);
        ck_assert_int_eq(hs_policy_has_replica(policy, handle, 1), i % 2);
        ck_assert_int_eq(hs_policy_has_replica(policy, handle, 0), 1);
        ck_assert_uint_eq(hs_policy_live_tasks(policy), 0);
    }
    hs_policy_free(policy);
}
END_TEST

/* With room for one edge, a second is refused until the first predecessor has ended. */
START_TEST(reused_edges)
{
    hs_room    room = room_of(4);
    hs_policy *policy;
    hs_arrival task = task_of(1, 1);
    hs_task_id after[2];

    room.edges = 1;
    policy = open_policy("heteroprio", &room);
    task.after = after;
    for (int i = 0; i < 3; i++) {
        task.predecessors = 0;
        ck_assert_int_eq(hs_policy_add_task(policy, &task, &after[0]), HS_OK);
        ck_assert_int_eq(hs_policy_add_task(policy, &task, &after[1]), HS_OK);
        task.predecessors = 2;
        ck_assert_int_eq(hs_policy_add_task(policy, &task, NULL), HS_ETOOBIG);
        task.predecessors = 1;
        ck_assert_int_eq(hs_policy_add_task(policy, &task, NULL), HS_OK);
        ck_assert_int_eq(hs_policy_add_task(policy, &task, NULL), HS_EFULL);
        for (int j = 0; j < 3; j++)
            ck_assert_uint_ne(run_next(policy, 0, i), HS_NONE);
        ck_assert_uint_eq(hs_policy_live_tasks(policy), 0);
    }
    hs_policy_free(policy);
}
END_TEST

/* A type may request a task once; a later task of the same number is another task. */
START_TEST(spoliations_of_reused_numbers)
{
    hs_room    room = room_of(1);
    hs_policy *policy = open_policy("heteroprio", &room);
    hs_arrival task = task_of(100, 1);

    task.restartable = 1;
    for (int i = 0; i < 3; i++) {
        double      now = 1000 * i;
        hs_decision d;

        ck_assert_int_eq(hs_policy_add_task(policy, &task, NULL), HS_OK);
        hs_policy_next(policy, 0, now, &d, NULL);
        ck_assert_int_eq(d.kind, HS_DECIDE_START);
        hs_policy_next(policy, CPUS, now + 1, &d, NULL);
        ck_assert_int_eq(d.kind, HS_DECIDE_SPOLIATE);
        hs_policy_ended(policy, 0, d.task, HS_ENDING_ABORTED, now + 1, NULL);
        ck_assert_uint_eq(run_next(policy, CPUS, now + 1), 0);
    }
    hs_policy_free(policy);
}
END_TEST

/* Run `count` tasks through a room of 64, each after the one before by a handle or an edge. */
static void flow(hs_policy *policy, uint32_t handles, size_t count)
{
    hs_task_id last = {0};
    size_t     added = 0, done = 0;

    while (done < count) {
        hs_arrival task = task_of(1 + (double)(added % 7), 1 + (double)(added % 5));
        hs_access  access = {(uint32_t)(added % handles), 0, added % 3 ? HS_READ : HS_READ_WRITE};
        hs_status  st = HS_OK;

        task.priority = (int64_t)(added % 3);
        task.access = &access;
        task.accesses = 1;
        task.after = &last;
        task.predecessors = added % 4 == 0;
        if (added < count)
            st = hs_policy_add_task(policy, &task, &last);
        ck_assert(st == HS_OK || st == HS_EFULL);
        added += added < count && st == HS_OK;
        if (st == HS_OK && added < count)
            continue;
        for (unsigned w = 0; w < WORKERS; w++)
            done += run_next(policy, w, (double)done) != HS_NONE;
    }
    ck_assert_uint_eq(done, count);
    ck_assert_uint_eq(hs_policy_live_tasks(policy), 0);
}

START_TEST(a_million_tasks_without_an_allocation)
{
    const hs_policy_kind *kind = hs_policy_at((size_t)_i);
    hs_room               room = room_of(64);
    hs_policy            *policy;
    uint32_t              handle;

    if (!hs_policy_accepts_arrivals(kind))
        return;
    policy = open_policy(hs_policy_name(kind), &room);
    ck_assert_int_eq(hs_policy_add_handle(policy, 8, 0, &handle), HS_OK);
    ck_assert_int_eq(hs_policy_add_handle(policy, 8, 0, &handle), HS_OK);
    memory_fail_after(0, 1);
    flow(policy, 2, (size_t)rounds(1000 * 1000));
    ck_assert_int_eq(memory_stop_failing(), 0);
    hs_policy_free(policy);
}
END_TEST

/* An application's kind runs arriving tasks if it says so. */
START_TEST(kinds_of_an_application)
{
    hs_policy_kind kind = affine;
    hs_room        room = room_of(64);
    hs_policy     *policy = NULL;
    uint32_t       handle;

    ck_assert_int_eq(hs_policy_create_arriving(&kind, machine, &room, NULL, &policy), HS_EINVAL);
    kind.accepts_arrivals = true;
    ck_assert_int_eq(hs_policy_create_arriving(&kind, machine, &room, NULL, &policy), HS_OK);
    ck_assert_int_eq(hs_policy_add_handle(policy, 8, 0, &handle), HS_OK);
    ck_assert_int_eq(hs_policy_add_handle(policy, 8, 0, &handle), HS_OK);
    flow(policy, 2, 10000);
    hs_policy_free(policy);
}
END_TEST

/* Return the bytes that a policy of the room allocates. */
static size_t bytes_of(const char *name, const hs_room *room)
{
    size_t     before = memory_requested();
    hs_policy *policy = open_policy(name, room);

    before = memory_requested() - before;
    hs_policy_free(policy);
    return before;
}

/* The header promises at most so many bytes. */
START_TEST(bytes_of_the_room)
{
    const hs_policy_kind *kind = hs_policy_at((size_t)_i);
    const char           *name = hs_policy_name(kind);

    for (uint32_t accesses = 0; accesses < 10 && hs_policy_accepts_arrivals(kind); accesses += 3)
        for (uint32_t edges = 1; edges < 5; edges++) {
            const double most = (strcmp(name, "hp-corrected") == 0 ? 230 : 170) +
                                21.0 * accesses + 8 * edges;
            hs_room      small = room_of(1u << 16), large = room_of(1u << 17);
            size_t       difference;

            small.accesses = large.accesses = accesses;
            small.edges = edges << 16;
            large.edges = edges << 17;
            difference = bytes_of(name, &large) - bytes_of(name, &small);
            ck_assert_msg((double)difference <= most * (1u << 16), "%s: %g bytes, not %g", name,
                          (double)difference / (1u << 16), most);
            large = small;
            large.handles += 1000;
            difference = bytes_of(name, &large) - bytes_of(name, &small);
            ck_assert_uint_le(difference, 1000 * (60 + 16 * 2));
        }
}
END_TEST

START_TEST(failed_allocations)
{
    const hs_policy_kind *kind = hs_policy_at((size_t)_i);
    hs_room               room = room_of(8);
    long                  blocks = memory_live_blocks(), failing;

    for (failing = 0; hs_policy_accepts_arrivals(kind); failing++) {
        hs_policy *policy = NULL;
        hs_status  st;

        memory_fail_after(failing, 1);
        st = hs_policy_create_arriving(kind, machine, &room, NULL, &policy);
        if (memory_stop_failing() == 0) {
            ck_assert_int_eq(st, HS_OK);
            hs_policy_free(policy);
            break;
        }
        ck_assert_int_eq(st, HS_ENOMEM);
        ck_assert_int_eq(memory_live_blocks(), blocks);
    }
    ck_assert(failing > 10 || !hs_policy_accepts_arrivals(kind));
    ck_assert_int_eq(memory_live_blocks(), blocks);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("arrivals: calls");
    TCase *cases = tcase_create("calls");
    int    kinds = (int)hs_policy_count();

    tcase_add_checked_fixture(cases, make_machine, free_machine);
    tcase_add_test(cases, refused_policies);
    tcase_add_test(cases, refused_tasks);
    tcase_add_test(cases, calls_of_fixed_policies);
    tcase_add_test(cases, removed_handles);
    tcase_add_test(cases, versions_of_reused_numbers);
    tcase_add_test(cases, reused_edges);
    tcase_add_test(cases, kinds_of_an_application);
    tcase_add_test(cases, spoliations_of_reused_numbers);
    tcase_add_loop_test(cases, a_million_tasks_without_an_allocation, 0, kinds);
    tcase_add_loop_test(cases, bytes_of_the_room, 0, kinds);
    tcase_add_loop_test(cases, failed_allocations, 0, kinds);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
