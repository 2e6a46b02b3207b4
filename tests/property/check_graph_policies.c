/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Policies on small graphs under the virtual clock: each schedule equals, bit for bit, the literal
 * execution of the policy's rules (literal_clock.c).
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dice.h"
#include "graph_sample.h"
#include "literal_clock.h"
#include "sample.h"
#include "suite.h"

enum { MOST_ENTRIES = 4000 };

static size_t moved; /* transfers of replicas and edge data in every schedule together */

static void require_same_schedule(const graph_sample *s, const char *name,
                                  const hs_placement *expected, size_t count,
                                  const hs_schedule *found)
{
    size_t seen = 0;

    for (unsigned w = 0; w < s->m + s->k; w++) {
        size_t          entries, at = 0;
        const hs_entry *e = hs_schedule_entries(found, w, &entries);

        for (size_t i = 0; i < count; i++) {
            if (expected[i].worker != w)
                continue;
            seen++;
            GRAPH_REQUIRE(s, at < entries, "%s: worker %u lacks task %u at %.17g", name, w,
                          expected[i].task, expected[i].start);
            GRAPH_REQUIRE(s,
                          e[at].task == expected[i].task && e[at].start == expected[i].start &&
                              e[at].end == expected[i].end && e[at].state == expected[i].state,
                          "%s: worker %u has task %u (%u) from %.17g to %.17g, not %u (%u), %.17g, "
                          "%.17g",
                          name, w, e[at].task, e[at].state, e[at].start, e[at].end,
                          expected[i].task, expected[i].state, expected[i].start, expected[i].end);
            at++;
        }
        GRAPH_REQUIRE(s, at == entries, "%s: worker %u has %zu entries more", name, w,
                      entries - at);
    }
    GRAPH_REQUIRE(s, seen == count, "%s: other workers", name);
}

/* Check the transfers of a schedule and return their number. For a plan, they follow from the
 * schedule; `moves` already has the transfers of any other policy. */
static size_t require_moves(const graph_sample *s, const char *name, const char *as,
                            literal_transfers *moves, const hs_schedule *found)
{
    if (strcmp(as, "plan") == 0)
        literal_add_planned_transfers(s, found, moves);
    return literal_require_transfers(s, name, moves, found);
}

/* Compare the policy `name` with the literal rules of the policy `as`. Return the number of aborted
 * tasks. */
static size_t follow_as(const graph_sample *s, const char *name, const char *as,
                        const hs_policy_settings *settings, const hs_schedule *plan,
                        const hs_instance *truth)
{
    static hs_placement      expected[MOST_ENTRIES];
    static literal_transfers moves;
    literal_rules            rules = {as, settings, plan, truth, &moves};
    hs_policy_settings       its;
    hs_schedule             *found = NULL;
    hs_status                st;
    size_t                   aborted;

    hs_policy_settings_init(&its);
    if (settings)
        its = *settings;
    its.transfers = 1;
    moves.count = 0;
    st = hs_policy_simulate(hs_policy_find(name), s->in, plan, truth, &its, &found, NULL);

    GRAPH_REQUIRE(s, st == HS_OK, "%s: %s", name, hs_status_text(st));
    st = hs_schedule_check_available(truth == s->in ? s->in : truth, found, its.available, NULL);
    GRAPH_REQUIRE(s, st == HS_OK, "%s: no valid schedule", name);
    require_same_schedule(s, name, expected, literal_graph_run(s, &rules, expected, MOST_ENTRIES),
                          found);
    moved += require_moves(s, name, as, &moves, found);
    aborted = hs_schedule_entry_count(found) - s->n;
    hs_schedule_free(found);
    return aborted;
}

static size_t check_plan_is_kept(const graph_sample *s, const char *name,
                                 const hs_policy_settings *settings, const hs_schedule *plan,
                                 const hs_instance *truth)
{
    return follow_as(s, name, name, settings, plan, truth);
}

static hs_policy_settings draw_settings(const hs_policy_kind *kind, uint64_t seed)
{
    hs_policy_settings settings;

    hs_policy_settings_init(&settings);
    settings.rank = (hs_rank)(seed % 5);
    if (!(hs_policy_supported_ranks(kind) >> settings.rank & 1))
        settings.rank = HS_RANK_DEFAULT;
    settings.parameters.band = seed / 5 % 2 ? 0 : 1.5;
    settings.parameters.leave = seed / 10 % 2 ? 0 : 2;
    settings.parameters.threshold = (unsigned)(seed / 20 % 4);
    return settings;
}

/* Tell whether the literal rules of graphs apply: heteroprio has separate rules for independent
 * tasks. */
static bool is_covered(const graph_sample *s, const hs_policy_kind *kind)
{
    return hs_policy_supports_graphs(kind) &&
           (hs_instance_has_graph(s->in) || strncmp(hs_policy_name(kind), "heteroprio", 10) != 0);
}

/* Draw the times at which workers become available; NULL: all at 0. */
static const double *draw_available(const graph_sample *s, uint64_t seed)
{
    static double available[2 * GRAPH_WORKERS];
    dice          d = {seed};

    for (unsigned w = 0; w < s->m + s->k; w++)
        available[w] = dice_below(&d, 3) ? dice_below(&d, 12) : 0;
    return dice_below(&d, 2) ? available : NULL;
}

START_TEST(policies_as_they_read)
{
    const hs_policy_kind *kind = hs_policy_at((size_t)_i);
    size_t                rounds = rounds_scaled(3000), aborted = 0;

    for (size_t i = 0; i < rounds; i++) {
        graph_sample       s;
        hs_policy_settings settings = draw_settings(kind, i);

        graph_sample_make(&s, 61000000 + i);
        settings.available = draw_available(&s, i);
        if (is_covered(&s, kind) && !hs_policy_needs_plan(kind))
            aborted += check_plan_is_kept(&s, hs_policy_name(kind), &settings, NULL, s.in);
        graph_sample_free(&s);
    }
    if (strcmp(hs_policy_name(kind), "heteroprio") == 0 && rounds > 1000)
        ck_assert_uint_gt(aborted, rounds / 25);
    if (hs_policy_supports_graphs(kind) && !hs_policy_needs_plan(kind) && rounds > 1000)
        ck_assert_uint_gt(moved, rounds);
}
END_TEST

/* Check the policies whose literal rules cover actual times that differ from estimates. */
START_TEST(policies_with_other_times)
{
    static const char *const names[] = {"heteroprio-ns", "h-ratio", "d-rank", "dmda", "dmdas"};
    size_t                   rounds = rounds_scaled(2000);

    for (size_t i = 0; i < rounds; i++)
        for (size_t j = 0; j < sizeof names / sizeof *names; j++) {
            graph_sample          s;
            const hs_policy_kind *kind = hs_policy_find(names[j]);
            hs_policy_settings    settings = draw_settings(kind, i);

            graph_sample_make(&s, 62000000 + i);
            if (is_covered(&s, kind))
                check_plan_is_kept(&s, names[j], &settings, NULL, s.truth);
            graph_sample_free(&s);
        }
}
END_TEST

static hs_schedule *random_plan(const graph_sample *s, size_t maker)
{
    static const char *const makers[] = {"heteroprio", "dualhp", "dmda", "dynamic"};
    hs_schedule             *plan = NULL;

    ck_assert_int_eq(hs_policy_simulate(hs_policy_find(makers[maker % 4]), s->in, NULL, s->in, NULL,
                                        &plan, NULL),
                     HS_OK);
    return plan;
}

/* Check the policy `plan` with another policy's plan on actual times that differ. With the
 * estimated times, plan+steal steals no task. */
START_TEST(plans_as_they_read)
{
    size_t rounds = rounds_scaled(3000);

    for (size_t i = 0; i < rounds; i++) {
        graph_sample s;
        hs_schedule *plan;

        graph_sample_make(&s, 64000000 + i);
        plan = random_plan(&s, i);
        if (hs_instance_has_graph(s.in)) {
            check_plan_is_kept(&s, "plan", NULL, plan, s.in);
            check_plan_is_kept(&s, "plan", NULL, plan, s.truth);
            follow_as(&s, "plan+steal", "plan", NULL, plan, s.in);
        }
        hs_schedule_free(plan);
        graph_sample_free(&s);
    }
}
END_TEST

static double makespan_of(const graph_sample *s, const char *name, const hs_schedule *plan)
{
    hs_schedule *found = NULL;
    double       makespan;

    ck_assert_int_eq(
        hs_policy_simulate(hs_policy_find(name), s->in, plan, s->truth, NULL, &found, NULL), HS_OK);
    makespan = hs_schedule_makespan(found);
    hs_schedule_free(found);
    return makespan;
}

START_TEST(what_is_late_is_stolen_as_it_reads)
{
    size_t rounds = rounds_scaled(6000), covered = 0, better = 0, worse = 0;

    for (size_t i = 0; i < rounds; i++) {
        graph_sample       s;
        hs_policy_settings settings;
        hs_schedule       *plan;

        hs_policy_settings_init(&settings);
        settings.tolerance = i % 2 ? 0 : 0.02;
        graph_sample_make_plain(&s, 65000000 + i);
        plan = random_plan(&s, i);
        if (hs_instance_has_graph(s.in)) {
            double with = makespan_of(&s, "plan+steal", plan),
                   without = makespan_of(&s, "plan", plan);

            check_plan_is_kept(&s, "plan+steal", &settings, plan, s.truth);
            covered++;
            better += with < without;
            worse += with > without;
        }
        hs_schedule_free(plan);
        graph_sample_free(&s);
    }
    printf("plan+steal on graphs: %zu, better in %zu, worse in %zu\n", covered, better, worse);
    ck_assert_msg(rounds < 1000 || better > covered / 40, "better in %zu of %zu", better, covered);
    ck_assert_msg(rounds < 1000 || worse < better, "worse in %zu, better in %zu", worse, better);
}
END_TEST

/* Check that a task starts after the end of each predecessor and after the transfer of its input.
 */
static void require_possible(const graph_sample *s, const char *name, const hs_schedule *found)
{
    double   end[GRAPH_TASKS], start[GRAPH_TASKS];
    unsigned on[GRAPH_TASKS];

    for (unsigned w = 0; w < s->m + s->k; w++) {
        size_t          count;
        const hs_entry *e = hs_schedule_entries(found, w, &count);

        for (size_t i = 0; i < count; i++)
            if (e[i].state == HS_RUN) {
                start[e[i].task] = e[i].start;
                end[e[i].task] = e[i].end;
                on[e[i].task] = hs_instance_memory_node(s->in, w);
            }
    }
    for (size_t f = 0; f < s->n; f++)
        for (size_t t = 0; t < s->n; t++)
            GRAPH_REQUIRE(s,
                          !s->edge[f][t] ||
                              start[t] >= end[f] + hs_instance_transfer_time(s->in, on[f], on[t],
                                                                             s->bytes[f][t]),
                          "%s: task %zu starts too early", name, t);
}

/* Check that every policy finishes with a valid schedule, whatever the actual times. */
START_TEST(luck_breaks_nothing)
{
    const hs_policy_kind *kind = hs_policy_at((size_t)_i);
    size_t                rounds = rounds_scaled(1500);

    for (size_t i = 0; i < rounds && hs_policy_supports_graphs(kind); i++) {
        graph_sample       s;
        hs_policy_settings settings = draw_settings(kind, i);
        hs_schedule       *found = NULL, *plan = NULL;
        hs_status          st;

        graph_sample_make(&s, 63000000 + i);
        settings.tolerance = i % 3 ? 0 : 0.1;
        ck_assert_int_eq(
            hs_policy_simulate(hs_policy_find("heteroprio"), s.in, NULL, s.in, NULL, &plan, NULL),
            HS_OK);
        st = hs_policy_simulate(kind, s.in, plan, s.truth, &settings, &found, NULL);
        GRAPH_REQUIRE(&s, st == HS_OK, "%s: %s", hs_policy_name(kind), hs_status_text(st));
        GRAPH_REQUIRE(&s, hs_schedule_check(s.truth, found, NULL) == HS_OK, "not valid");
        require_possible(&s, hs_policy_name(kind), found);
        hs_schedule_free(found);
        hs_schedule_free(plan);
        graph_sample_free(&s);
    }
}
END_TEST

/* Check that plan+steal wakes no idle worker when a task starts as planned: with many workers,
 * needless wake-ups would dominate the run time. */
START_TEST(nobody_is_woken_by_what_begins_on_time)
{
    hs_builder  *b = NULL;
    hs_instance *in = NULL;
    hs_schedule *plan = NULL;
    hs_policy   *policy = NULL;
    hs_task      task = {.struct_size = sizeof task, .cpu = 2, .gpu = 1};
    hs_wake      wake = {0};
    unsigned     started = 0;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 3, 1), HS_OK);
    for (size_t i = 0; i < 9; i++)
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    ck_assert_int_eq(hs_builder_add_predecessor(b, 8, 0, 0, 0), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    ck_assert_int_eq(hs_solve(hs_algorithm_find("heft"), in, NULL, &plan), HS_OK);
    ck_assert_int_eq(hs_policy_create(hs_policy_find("plan+steal"), in, plan, NULL, &policy),
                     HS_OK);
    hs_policy_collect_ready(policy, 0, NULL, &wake);
    wake = (hs_wake){0};
    for (unsigned w = 0; w < 4; w++) {
        hs_decision decision;

        hs_policy_next(policy, w, 0, &decision, &wake);
        started += decision.kind == HS_DECIDE_START;
    }
    ck_assert_uint_eq(started, 4);
    ck_assert_uint_eq(wake.types, 0);
    ck_assert_uint_eq(wake.count, 0);
    hs_policy_free(policy);
    hs_schedule_free(plan);
    hs_instance_free(in);
    hs_builder_free(b);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("graph policies");
    TCase *cases = tcase_create("under the virtual clock");
    int    kinds = (int)hs_policy_count();

    tcase_set_timeout(cases, 600);
    tcase_add_loop_test(cases, policies_as_they_read, 0, kinds);
    tcase_add_test(cases, policies_with_other_times);
    tcase_add_test(cases, plans_as_they_read);
    tcase_add_test(cases, what_is_late_is_stolen_as_it_reads);
    tcase_add_test(cases, nobody_is_woken_by_what_begins_on_time);
    tcase_add_loop_test(cases, luck_breaks_nothing, 0, kinds);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
