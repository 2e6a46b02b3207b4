/* SPDX-License-Identifier: BSD-3-Clause */

/* Cancel requests: long calls poll the cancel function often; cancelled calls return no result. */

#include <check.h>
#include <math.h>
#include <string.h>

#include <hybridsched/hybridsched.h>

#include "core/order.h"
#include "property/sample.h"
#include "suite.h"

enum { BLOCK = 1 << 16, SOME = 70000, FEW = 200 };

/* Return the size of large instances in blocks of tasks. With several blocks, a loop that polls in
 * each block differs from a loop that polls once. Two blocks save time under valgrind, say. */
static long blocks(void)
{
    return rounds_scaled(100) < 20 ? 2 : 4;
}

typedef struct caller {
    long asked, stop_at; /* number of polls; first poll that cancels, 0: no poll cancels */
} caller;

static int stops(void *data)
{
    caller *c = data;

    return ++c->asked >= c->stop_at && c->stop_at;
}

static hs_instance *uniform(size_t tasks)
{
    const hs_uniform spec = {sizeof spec, tasks, 3, 2, 1, 100, 1, 100, 0, 11};
    hs_instance     *in = NULL;

    ck_assert_int_eq(hs_generate_uniform(&spec, &in, NULL), HS_OK);
    return in;
}

/* Return a random graph of tasks in layers. */
static hs_instance *layered(size_t tasks)
{
    hs_shaped    spec;
    hs_instance *in = NULL;

    hs_shaped_init(&spec);
    spec.tasks = tasks;
    spec.shape = HS_LAYERED;
    spec.degree = 3;
    spec.width = 40;
    spec.seed = 5;
    ck_assert_int_eq(hs_generate_shaped(&spec, &in, NULL), HS_OK);
    return in;
}

static hs_settings asking(caller *c)
{
    hs_settings settings;

    hs_settings_init(&settings);
    settings.cancel = stops;
    settings.cancel_data = c;
    return settings;
}

static bool is_quick(const hs_bound *bound)
{
    const char *name = hs_bound_name(bound);

    return strcmp(name, "theorem2") == 0 || strcmp(name, "deadline") == 0;
}

/* Algorithms poll in each block of tasks while they sort and place tasks and write the schedule. */
START_TEST(algorithms_poll_often)
{
    const hs_algorithm *alg = hs_algorithm_at((size_t)_i);
    hs_instance        *in;
    caller              c = {0, 0};
    hs_settings         settings = asking(&c);
    hs_schedule        *s = NULL;
    double              makespan;
    bool                whole = !algorithm_depends_on_order(alg); /* minimum number of polls */
    long                least = algorithm_runs_policy(alg) ? 16 : 1;

    if (algorithm_takes_seconds(alg))
        return;
    in = uniform((size_t)blocks() * BLOCK);
    ck_assert_int_eq(hs_solve(alg, in, &settings, &s), HS_OK);
    ck_assert_msg(c.asked >= (whole ? 5 : least) * blocks(), "%s asked %ld times",
                  hs_algorithm_name(alg), c.asked);
    hs_schedule_free(s);
    c.asked = 0;
    ck_assert_int_eq(hs_solve_makespan(NULL, alg, in, &settings, &makespan, NULL), HS_OK);
    ck_assert_msg(c.asked >= (whole ? 4 : least) * blocks(), "%s asked %ld times",
                  hs_algorithm_name(alg), c.asked);
    hs_instance_free(in);
}
END_TEST

/* Each loop over the tasks polls before it begins, even if tasks are few; short sorts do not. */
START_TEST(loops_poll_at_their_begin)
{
    static const struct {
        const char *name;
        long        loops; /* minimum number of loops, with the loop that writes the schedule */
    } known[] = {{"clb2c", 5}, {"heft", 6}, {"heteroprio", 6}, {"lpt", 8}, {"mct", 4}};
    hs_instance *in = uniform(FEW);
    caller       c = {0, 0};
    hs_settings  settings = asking(&c);
    hs_schedule *s = NULL;

    ck_assert_int_eq(hs_solve(hs_algorithm_find(known[_i].name), in, &settings, &s), HS_OK);
    ck_assert_msg(c.asked >= known[_i].loops, "%s asked %ld times", known[_i].name, c.asked);
    hs_schedule_free(s);
    hs_instance_free(in);
}
END_TEST

START_TEST(bounds_poll_often)
{
    const hs_bound *bound = hs_bound_at((size_t)_i);
    hs_instance    *in = uniform((size_t)blocks() * BLOCK);
    caller          c = {0, 0};
    hs_settings     settings = asking(&c);
    double          value;

    if (is_quick(bound)) {
        ck_assert_int_eq(hs_bound_compute(bound, in, &settings, &value), HS_OK);
        ck_assert_msg(c.asked >= 5 * blocks(), "%s asked %ld times", hs_bound_name(bound), c.asked);
    }
    hs_instance_free(in);
}
END_TEST

/* Algorithms that bisect for the makespan poll at each guess: about once per bit of a double. */
START_TEST(guesses_poll)
{
    static const char *const guessing[] = {"dualhp", "dada"};
    hs_instance             *in = uniform(FEW);
    caller                   c = {0, 0};
    hs_settings              settings = asking(&c);
    hs_schedule             *s = NULL;

    ck_assert_int_eq(hs_solve(hs_algorithm_find(guessing[_i]), in, &settings, &s), HS_OK);
    ck_assert_int_ge(c.asked, 45);
    hs_schedule_free(s);
    hs_instance_free(in);
}
END_TEST

/* Cancelled at any poll, an algorithm returns HS_ECANCELED and no schedule. */
START_TEST(algorithms_cancelled_at_any_poll)
{
    const hs_algorithm *alg = hs_algorithm_at((size_t)_i);
    hs_instance        *in = uniform(FEW);
    caller              c = {0, 1};
    hs_settings         settings = asking(&c);
    hs_workspace       *ws = NULL;
    const hs_schedule  *s = NULL;

    ck_assert_int_eq(hs_workspace_create(&ws), HS_OK);
    for (; !algorithm_takes_seconds(alg) && !s; c.stop_at++) {
        double    makespan = -1;
        hs_status st;

        c.asked = 0;
        st = hs_solve_in(ws, alg, in, &settings, &s, NULL);
        ck_assert_int_eq(st, c.asked < c.stop_at ? HS_OK : HS_ECANCELED);
        ck_assert_int_eq(s != NULL, st == HS_OK);
        c.asked = 0;
        st = hs_solve_makespan(ws, alg, in, &settings, &makespan, NULL);
        ck_assert_int_eq(st, c.asked < c.stop_at ? HS_OK : HS_ECANCELED);
        ck_assert_int_eq(makespan > 0, st == HS_OK);
    }
    hs_workspace_free(ws);
    hs_instance_free(in);
}
END_TEST

/* Cancel an algorithm at its first poll, then at later and later polls until a run ends first;
 * cancelled runs return HS_ECANCELED and no schedule. */
static void stop_at_each(const hs_algorithm *alg, const hs_instance *in)
{
    caller       c = {0, 1};
    hs_settings  settings = asking(&c);
    hs_schedule *s = NULL;
    hs_status    st = HS_ECANCELED;
    long         most = (long)rounds_scaled(6);

    for (; st != HS_OK; c.stop_at += 1 + c.stop_at / most) {
        c.asked = 0;
        st = hs_solve(alg, in, &settings, &s);
        ck_assert_msg(st == (c.asked < c.stop_at ? HS_OK : HS_ECANCELED), "%s: question %ld of %ld",
                      hs_algorithm_name(alg), c.stop_at, c.asked);
        ck_assert_int_eq(s != NULL, st == HS_OK);
    }
    hs_schedule_free(s);
}

/* A cancelled sort leaves garbage in `order`: hsi_gather_times() must not use the garbage as
 * indices. */
START_TEST(cancelled_sort_gathers_nothing)
{
    const uint32_t order[] = {UINT32_MAX, UINT32_MAX, 0};
    const double   time[] = {1, 2, 3};
    double         by_place[3];
    hsi_token      token = {.cancel = stops, .cancelled = true};

    ck_assert_int_eq(hsi_gather_times(order, 3, time, by_place, &token), HS_ECANCELED);
}
END_TEST

START_TEST(sort_cancelled_in_any_block)
{
    const hs_algorithm *alg = hs_algorithm_at((size_t)_i);
    hs_instance        *in;

    if (algorithm_takes_seconds(alg))
        return;
    in = uniform(SOME);
    stop_at_each(alg, in);
    hs_instance_free(in);
    if (!hs_algorithm_supports_graphs(alg))
        return;
    in = layered(SOME);
    stop_at_each(alg, in);
    hs_instance_free(in);
}
END_TEST

/* A policy of the registry, wrapped to count the polls until its create() has returned and until
 * its first next() begins. */
typedef struct noted {
    hs_policy_kind        kind;
    const hs_policy_kind *of;
    int                   settles; /* value of hs_policy_groups_endings() */
    caller                c;
    long                  created, begun;
} noted;

static noted it;

static hs_status noted_create(void *data, hs_policy *policy, const hs_instance *in,
                              const hs_schedule *plan, const hs_policy_settings *settings, void **out)
{
    hs_status st = it.of->create(data, policy, in, plan, settings, out);

    it.created = it.c.asked;
    it.settles = hs_policy_groups_endings(policy);
    return st;
}

static void noted_next(void *state, unsigned worker, double now, hs_decision *out,
                       hs_wake *wake)
{
    if (!it.begun)
        it.begun = it.c.asked;
    it.of->next(state, worker, now, out, wake);
}

static hs_status simulate_noted(const hs_instance *in, const hs_schedule *plan, long stop_at)
{
    hs_policy_settings settings;
    hs_schedule       *s = NULL;
    hs_status          st;

    hs_policy_settings_init(&settings);
    settings.cancel = stops;
    settings.cancel_data = &it.c;
    it.c = (caller){0, stop_at};
    it.created = it.begun = 0;
    st = hs_policy_simulate(&it.kind, in, plan, in, &settings, &s, NULL);
    ck_assert_int_eq(s != NULL, st == HS_OK);
    hs_schedule_free(s);
    return st;
}

/*
 * Check that create() polls in each block of tasks, and in policies that settle also the steps
 * between create() and the first next(). Cancelled at any of these polls, a simulation returns no
 * schedule.
 */
static void note_policy(const hs_instance *in)
{
    hs_schedule *plan = NULL;
    long         begun;

    ck_assert_int_eq(hs_solve(hs_algorithm_find("mct"), in, NULL, &plan), HS_OK);
    ck_assert_int_eq(simulate_noted(in, plan, 0), HS_OK);
    ck_assert_msg(it.created >= blocks(), "%s: %ld in create", it.kind.name, it.created);
    ck_assert_msg(!it.settles || it.begun - it.created >= blocks(), "%s: %ld before the first turn",
                  it.kind.name, it.begun - it.created);
    begun = it.begun;
    for (long i = 1; i <= begun; i += 1 + begun / (long)rounds_scaled(8))
        ck_assert_int_eq(simulate_noted(in, plan, i), HS_ECANCELED);
    hs_schedule_free(plan);
}

START_TEST(simulated_policies_poll_before_the_start)
{
    hs_instance *in = uniform((size_t)blocks() * BLOCK);

    it.of = hs_policy_at((size_t)_i);
    it.kind = *it.of;
    it.kind.create = noted_create;
    it.kind.next = noted_next;
    note_policy(in);
    hs_instance_free(in);
}
END_TEST

/* A live policy polls while it is created, but never in hs_policy_next(): the caller can stop. */
START_TEST(live_policies_do_not_poll)
{
    hs_instance       *in = uniform((size_t)blocks() * BLOCK);
    caller             c = {0, 0};
    hs_policy_settings settings;
    hs_policy         *policy = NULL;
    hs_decision        decision;

    hs_policy_settings_init(&settings);
    settings.cancel = stops;
    settings.cancel_data = &c;
    ck_assert_int_eq(hs_policy_create(hs_policy_find("hp-corrected"), in, NULL, &settings, &policy),
                     HS_OK);
    ck_assert_int_gt(c.asked, 0);
    c.stop_at = 1;
    c.asked = 0;
    for (unsigned i = 0; i < 5; i++) {
        hs_policy_next(policy, i, 0, &decision, NULL);
        ck_assert_int_eq(decision.kind, HS_DECIDE_START);
    }
    ck_assert_int_eq(c.asked, 0);
    hs_policy_free(policy);
    hs_instance_free(in);
}
END_TEST

/* Cancelled at any poll, a bound returns HS_ECANCELED and leaves *value unchanged. */
START_TEST(bounds_cancelled_at_any_poll)
{
    const hs_bound *bound = hs_bound_at((size_t)_i);
    hs_instance    *in = uniform(12);
    caller          c = {0, 1};
    hs_settings     settings = asking(&c);
    hs_status       st = HS_ECANCELED;

    settings.time_limit = INFINITY;
    for (; st != HS_OK; c.stop_at += 1 + c.stop_at / 4) {
        double value = -1;

        c.asked = 0;
        st = hs_bound_compute(bound, in, &settings, &value);
        ck_assert(st == HS_OK || st == HS_ECANCELED);
        ck_assert_int_eq(st == HS_OK, c.asked < c.stop_at);
        ck_assert_int_eq(value > 0, st == HS_OK);
    }
    hs_instance_free(in);
}
END_TEST

/* At its time limit, a bound sets report.limit_reached and still returns a valid bound. A search
 * on a too large instance returns HS_ETOOBIG and leaves *value unchanged. */
START_TEST(limits_are_reported)
{
    const hs_bound *bound = hs_bound_at((size_t)_i);
    hs_instance    *in = uniform(60), *large = uniform((size_t)blocks() * BLOCK);
    bool            is_search = strcmp(hs_bound_name(bound), "allocation") == 0 ||
                    strcmp(hs_bound_name(bound), "configuration") == 0 ||
                    strcmp(hs_bound_name(bound), "mip") == 0;
    hs_settings     settings;
    hs_bound_report report;
    double          short_of_time = -1, untouched = -1;
    hs_status       st;

    hs_settings_init(&settings);
    hs_bound_report_init(&report);
    settings.time_limit = 1e-9;
    ck_assert_int_eq(hs_bound_compute_reported(bound, in, &settings, &short_of_time, &report),
                     HS_OK);
    ck_assert_double_gt(short_of_time, 0);
    if (is_search)
        ck_assert_int_eq(report.limit_reached, 1);
    if (is_quick(bound))
        ck_assert_int_eq(report.limit_reached, 0);
    st = is_search ? hs_bound_compute(bound, large, &settings, &untouched) : HS_ETOOBIG;
    ck_assert_int_eq(st, HS_ETOOBIG);
    ck_assert_double_eq(untouched, -1);
    hs_instance_free(large);
    hs_instance_free(in);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cancel");
    TCase *tc = tcase_create("asking");
    int    algorithms = (int)hs_algorithm_count(), bounds = (int)hs_bound_count();

    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, algorithms_poll_often, 0, algorithms);
    tcase_add_loop_test(tc, loops_poll_at_their_begin, 0, 5);
    tcase_add_loop_test(tc, bounds_poll_often, 0, bounds);
    tcase_add_loop_test(tc, guesses_poll, 0, 2);
    tcase_add_loop_test(tc, algorithms_cancelled_at_any_poll, 0, algorithms);
    tcase_add_test(tc, cancelled_sort_gathers_nothing);
    tcase_add_loop_test(tc, sort_cancelled_in_any_block, 0, algorithms);
    tcase_add_loop_test(tc, simulated_policies_poll_before_the_start, 0, (int)hs_policy_count());
    tcase_add_test(tc, live_policies_do_not_poll);
    tcase_add_loop_test(tc, bounds_cancelled_at_any_poll, 0, bounds);
    tcase_add_loop_test(tc, limits_are_reported, 0, bounds);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
