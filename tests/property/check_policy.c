/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Policies under the virtual clock. With exact estimates, policies make the schedule of their
 * algorithm; a second, literal transcription of clock and rules makes equal schedules. See
 * check_policy_luck.c for wrong estimates.
 */

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "naive_clock.h"
#include "policy_sample.h"
#include "suite.h"

START_TEST(heteroprio_is_the_algorithm)
{
    size_t rounds = rounds_scaled(20000), i, aborted = 0;

    for (i = 0; i < rounds; i++) {
        sample       s;
        hs_schedule *expected = NULL, *found;

        draw(&s, 41000000 + i);
        REQUIRE(&s, hs_solve(hs_algorithm_find("heteroprio"), s.in, NULL, &expected) == HS_OK,
                "hs_solve");
        found = simulate(&s, "heteroprio", NULL, s.in, 0);
        require_same_schedule(&s, "heteroprio", expected, found);
        aborted += hs_schedule_entry_count(found) - s.n;
        hs_schedule_free(expected);
        hs_schedule_free(found);
        sample_free(&s);
    }
    ck_assert_msg(rounds < 1000 || aborted > rounds / 20, "only %zu were spoliated", aborted);
}
END_TEST

/* Check that each worker runs its planned tasks in the plan's order, none later than planned. */
static void require_same_runs(const sample *s, const hs_schedule *plan, const hs_schedule *found)
{
    unsigned w;
    size_t   i, count, left;

    for (w = 0; w < s->m + s->k; w++) {
        const hs_entry *a = hs_schedule_entries(plan, w, &count);
        const hs_entry *b = hs_schedule_entries(found, w, &left);

        for (i = 0; i < count; i++) {
            if (a[i].state != HS_RUN)
                continue;
            REQUIRE(s, left && b->state == HS_RUN && b->task == a[i].task,
                    "worker %u does not run task %u as planned", w, a[i].task);
            REQUIRE(s, b->start <= a[i].start, "task %u starts late", a[i].task);
            b++;
            left--;
        }
        REQUIRE(s, left == 0, "worker %u runs more than planned", w);
    }
}

START_TEST(plan_is_followed)
{
    size_t rounds = rounds_scaled(5000), i;

    for (i = 0; i < rounds; i++) {
        dice         d = {i};
        sample       s;
        hs_schedule *plan, *found;

        draw(&s, 42000000 + i);
        plan = random_plan(&s, &d);
        found = simulate(&s, "plan", plan, s.in, 0);
        require_same_runs(&s, plan, found);
        REQUIRE(&s, hs_schedule_makespan(found) <= hs_schedule_makespan(plan), "it got longer");
        hs_schedule_free(plan);
        hs_schedule_free(found);
        sample_free(&s);
    }
}
END_TEST

/* Check that stealing never lengthens a schedule: exactly for whole times, up to rounding for any
 * times. */
START_TEST(stealing_is_never_worse)
{
    size_t rounds = rounds_scaled(20000), i, better = 0;

    for (i = 0; i < rounds; i++) {
        dice         d = {i};
        sample       s;
        hs_schedule *plan, *followed, *found;
        double       allowed;

        draw(&s, 43000000 + i);
        plan = random_plan(&s, &d);
        followed = simulate(&s, "plan", plan, s.in, 0);
        found = simulate(&s, "plan+steal", plan, s.in, 0);
        allowed = hs_schedule_makespan(followed) * (s.whole ? 1 : 1 + 0x1p-40);
        REQUIRE(&s, hs_schedule_makespan(found) <= allowed, "%.17g with stealing, %.17g without",
                hs_schedule_makespan(found), hs_schedule_makespan(followed));
        better += hs_schedule_makespan(found) < hs_schedule_makespan(followed);
        hs_schedule_free(plan);
        hs_schedule_free(followed);
        hs_schedule_free(found);
        sample_free(&s);
    }
    /* stealing shortens a tenth of the plans; a short run may have any share */
    ck_assert_msg(rounds < 20000 || better > rounds / 10, "better in %zu only", better);
}
END_TEST

/* Return a plan with each task on the first CPU, or on the first GPU if no CPU can run it. */
static hs_schedule *heaped_plan(const sample *s)
{
    hs_placement *at = malloc((s->n + 1) * sizeof *at);
    hs_schedule  *plan = NULL;
    size_t        i;

    REQUIRE(s, at, "out of memory");
    for (i = 0; i < s->n; i++)
        at[i] =
            (hs_placement){(double)i, (double)i, (uint32_t)i, isfinite(s->p[i]) ? 0 : s->m, HS_RUN};
    REQUIRE(s, hs_schedule_build(s->m, s->k, s->n, at, &plan) == HS_OK, "hs_schedule_build");
    free(at);
    return plan;
}

/* Tell whether stealing must shorten the heaped plan: sums are exact, the first CPU ends last, and
 * another CPU can take a task. */
static bool must_help(const sample *s)
{
    double heap = 0, other = 0;
    size_t count = 0, i;

    for (i = 0; i < s->n; i++)
        if (isfinite(s->p[i])) {
            heap += s->p[i];
            count++;
        } else {
            other += s->q[i];
        }
    return s->whole && s->m > 1 && count > 1 && heap > other;
}

START_TEST(stealing_helps_who_has_it_all)
{
    size_t rounds = rounds_scaled(20000), i, seen = 0;

    for (i = 0; i < rounds; i++) {
        sample       s;
        hs_schedule *plan, *followed, *found;

        draw(&s, 43500000 + i);
        if (must_help(&s)) {
            plan = heaped_plan(&s);
            followed = simulate(&s, "plan", plan, s.in, 0);
            found = simulate(&s, "plan+steal", plan, s.in, 0);
            REQUIRE(&s, hs_schedule_makespan(found) < hs_schedule_makespan(followed),
                    "%.17g with stealing, %.17g without", hs_schedule_makespan(found),
                    hs_schedule_makespan(followed));
            hs_schedule_free(plan);
            hs_schedule_free(followed);
            hs_schedule_free(found);
            seen++;
        }
        sample_free(&s);
    }
    ck_assert_msg(rounds < 100 || seen > rounds / 10, "only %zu such instances", seen);
}
END_TEST

/* Input of a comparison: a sample, a plan for its estimates, and actual times that may differ
 * widely. */
typedef struct errand {
    sample       s;
    double       tolerance;
    hs_instance *truth;
    hs_schedule *plan;
} errand;

/* Return a plan with nearly every task on the same worker. */
static hs_schedule *skewed_plan(const sample *s, dice *d)
{
    hs_placement *at = malloc((s->n + 1) * sizeof *at);
    hs_schedule  *plan = NULL;
    unsigned      usual = dice_below(d, s->m + s->k);
    size_t        i;

    REQUIRE(s, at, "out of memory");
    for (i = 0; i < s->n; i++) {
        unsigned worker = dice_below(d, 8) ? usual : dice_below(d, s->m + s->k);

        at[i] = (hs_placement){(double)i, (double)i, (uint32_t)i, worker, HS_RUN};
    }
    REQUIRE(s, hs_schedule_build(s->m, s->k, s->n, at, &plan) == HS_OK, "hs_schedule_build");
    free(at);
    return plan;
}

/* Draw an input of a comparison; a few plans have lists longer than the window in which
 * plan+steal searches. */
static void errand_make(errand *e, uint64_t seed)
{
    static const double errors[] = {0, 0.3, 0.99, 8};
    dice                d = {seed};

    bool crowded = seed % 8 == 0;

    if (crowded)
        sample_make_family(&e->s, (sample_family)dice_below(&d, SAMPLE_FAMILIES), seed, 200,
                           dice_between(&d, 1, 2), dice_between(&d, 1, 2), 0);
    else
        draw(&e->s, seed);
    e->tolerance = dice_below(&d, 2) ? 0.02 : 0;
    e->truth = random_true_times(&e->s, &d, errors[dice_below(&d, 4)]);
    e->plan = crowded ? skewed_plan(&e->s, &d) : random_plan(&e->s, &d);
}

static void errand_free(errand *e)
{
    hs_schedule_free(e->plan);
    hs_instance_free(e->truth);
    sample_free(&e->s);
}

START_TEST(asking_more_changes_nothing)
{
    static const char *const names[] = {"plan", "plan+steal", "heteroprio"};
    size_t                   rounds = rounds_scaled(9000), i;

    for (i = 0; i < rounds; i++) {
        const hs_policy_kind *kind = hs_policy_find(names[i % 3]);
        hs_policy            *policy = NULL;
        hs_schedule          *expected, *found;
        decider               asked;
        errand                e;

        errand_make(&e, 44000000 + i);
        REQUIRE(&e.s,
                hs_policy_create(kind, e.s.in, e.plan, settings_with_tolerance(e.tolerance),
                                 &policy) == HS_OK,
                "hs_policy_create");
        asked = decider_of_policy(policy, (int)(i / 3 % 2));
        expected = naive_clock_simulate(&e.s, e.truth, &asked);
        found = simulate(&e.s, hs_policy_name(kind), e.plan, e.truth, e.tolerance);
        require_same_schedule(&e.s, hs_policy_name(kind), expected, found);
        hs_policy_free(policy);
        hs_schedule_free(expected);
        hs_schedule_free(found);
        errand_free(&e);
    }
}
END_TEST

/* Compare the policy's schedule with its literal rules; return the number of aborted entries. */
static size_t follow_literally(const errand *e, const char *name, const hs_schedule *plan)
{
    literal_policy *l = literal_policy_create(&e->s, plan, e->tolerance);
    decider         asked = literal_policy_decider(l);
    hs_schedule    *expected = naive_clock_simulate(&e->s, e->truth, &asked);
    hs_schedule    *found = simulate(&e->s, name, plan, e->truth, e->tolerance);
    size_t          aborted = hs_schedule_entry_count(found) - e->s.n;

    require_same_schedule(&e->s, name, expected, found);
    literal_policy_free(l);
    hs_schedule_free(expected);
    hs_schedule_free(found);
    return aborted;
}

START_TEST(heteroprio_as_it_reads)
{
    size_t rounds = rounds_scaled(6000), i, aborted = 0;

    for (i = 0; i < rounds; i++) {
        errand e;

        errand_make(&e, 47000000 + i);
        aborted += follow_literally(&e, "heteroprio", NULL);
        errand_free(&e);
    }
    ck_assert_msg(rounds < 1000 || aborted > rounds / 4, "only %zu were spoliated", aborted);
}
END_TEST

/* Compare plan+steal with its literal rules on times whose sums do not depend on the order of
 * addition. */
START_TEST(stealing_as_it_reads)
{
    size_t rounds = rounds_scaled(12000), i, aborted = 0;

    for (i = 0; i < rounds; i++) {
        errand e;

        errand_make(&e, 48000000 + i);
        if (e.s.whole) {
            hs_schedule *heaped = heaped_plan(&e.s);

            aborted += follow_literally(&e, "plan+steal", e.plan);
            aborted += follow_literally(&e, "plan+steal", heaped);
            hs_schedule_free(heaped);
        }
        errand_free(&e);
    }
    ck_assert_msg(rounds < 1000 || aborted > rounds / 5, "only %zu were spoliated", aborted);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("policy");
    TCase *cases = tcase_create("under the virtual clock");

    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, heteroprio_is_the_algorithm);
    tcase_add_test(cases, plan_is_followed);
    tcase_add_test(cases, stealing_is_never_worse);
    tcase_add_test(cases, stealing_helps_who_has_it_all);
    tcase_add_test(cases, asking_more_changes_nothing);
    tcase_add_test(cases, heteroprio_as_it_reads);
    tcase_add_test(cases, stealing_as_it_reads);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
