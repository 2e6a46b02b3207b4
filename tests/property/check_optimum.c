/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Every registered algorithm and bound, compared with the optimum of small instances: bound <=
 * optimum <= makespan <= guarantee x optimum.
 */

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "brute_force.h"
#include "certify.h"
#include "sample.h"
#include "suite.h"

/* Relative tolerance for the rounding of makespans. */
#define ROUNDING 1e-9

/* Check, without tolerance, that no bound exceeds the optimum. */
static void check_bounds(const sample *s, const optimum *best)
{
    size_t i;

    for (i = 0; i < hs_bound_count(); i++) {
        const hs_bound *bound = hs_bound_at(i);
        double          value = NAN;
        hs_status       st;

        if (bound_takes_seconds(bound))
            continue;
        st = hs_bound_compute(bound, s->in, NULL, &value);
        REQUIRE(s, st == HS_OK, "%s: %s", hs_bound_name(bound), hs_status_text(st));
        REQUIRE(s, value >= 0 && exact_compare_double(&best->value, value) >= 0,
                "%s is %.17g, the optimum %.17g", hs_bound_name(bound), value, best->makespan);
    }
}

/* Return the algorithm's guarantee. CLB2C guarantees 2 only if no time on either type exceeds the
 * optimum. */
static double promised_makespan(const sample *s, const hs_algorithm *alg,
                                const hs_settings *settings, const optimum *best)
{
    size_t i;

    if (strcmp(hs_algorithm_name(alg), "clb2c") != 0)
        return hs_algorithm_guarantee(alg, s->m, s->k, settings);
    for (i = 0; i < s->n; i++)
        if (fmax(s->p[i], s->q[i]) > best->makespan)
            return INFINITY;
    return 2;
}

/* Return the tolerated factor: 1 for whole times and a whole guarantee, which must hold exactly. */
static double rounding_slack(const sample *s, double guarantee)
{
    return s->whole && guarantee == floor(guarantee) ? 1 : 1 + ROUNDING;
}

static void check_algorithm(const sample *s, const hs_algorithm *alg, const hs_settings *settings,
                            const optimum *best)
{
    const char  *name = hs_algorithm_name(alg), *wrong;
    double       guarantee = promised_makespan(s, alg, settings, best), makespan;
    hs_schedule *plan = NULL;
    hs_error     violation;
    exact        span;
    hs_status    st = hs_solve(alg, s->in, settings, &plan);

    if (algorithm_refuses_instance(s->in, alg)) {
        REQUIRE(s, st == HS_EWORKER && !plan, "%s: %s", name, hs_status_text(st));
        return;
    }
    REQUIRE(s, st == HS_OK, "%s: %s", name, hs_status_text(st));
    st = hs_schedule_check(s->in, plan, &violation);
    REQUIRE(s, st == HS_OK, "%s: %s", name, violation.why);
    wrong = certify(s, plan, &span);
    REQUIRE(s, !wrong, "%s: %s", name, wrong);
    makespan = hs_schedule_makespan(plan);
    REQUIRE(s, exact_compare(&span, &best->value) >= 0, "%s beats the optimum: %.17g < %.17g",
            name, makespan, best->makespan);
    REQUIRE(s, makespan >= best->makespan * (s->whole ? 1 : 1 - ROUNDING),
            "%s is below the optimum: %.17g < %.17g", name, makespan, best->makespan);
    REQUIRE(s,
            best->makespan == 0 ||
                makespan <= guarantee * best->makespan * rounding_slack(s, guarantee),
            "%s is %.17g, over %g x %.17g", name, makespan, guarantee, best->makespan);
    hs_schedule_free(plan);
}

static void check_sample(const sample *s)
{
    hs_affinity *wishes = malloc((s->n + 1) * sizeof *wishes);
    hs_settings  settings;
    optimum      best;
    size_t       i;

    REQUIRE(s, wishes, "out of memory");
    sample_draw_settings(s, &settings, wishes);
    brute_force(s, &best);
    check_bounds(s, &best);
    for (i = 0; i < hs_algorithm_count(); i++)
        if (!algorithm_takes_seconds(hs_algorithm_at(i)))
            check_algorithm(s, hs_algorithm_at(i), &settings, &best);
    free(wishes);
}

static void check_samples(uint64_t first_seed, size_t rounds, size_t tasks, unsigned workers)
{
    sample s;
    size_t i;

    for (i = 0; i < rounds; i++) {
        sample_make(&s, first_seed + i, tasks, workers);
        check_sample(&s);
        sample_free(&s);
    }
}

START_TEST(guarantees_hold_for_few_tasks_on_few_workers)
{
    check_samples(1000000, rounds_scaled(100000), 7, 2);
}
END_TEST

START_TEST(guarantees_hold_for_few_tasks_on_more_workers)
{
    check_samples(2000000, rounds_scaled(20000), 7, 5);
}
END_TEST

START_TEST(guarantees_hold_for_more_tasks_on_two_workers)
{
    check_samples(3000000, rounds_scaled(30000), 9, 1);
}
END_TEST

START_TEST(brute_force_finds_known_optima)
{
    static const double cpu[] = {3, 3, 2, 2, 2}, gpu[] = {9, 9, 9, 9, 9};
    sample              s;
    optimum             best;

    sample_make_family(&s, SAMPLE_SMALL, 1, 5, 2, 1, 0);
    memcpy(s.p, cpu, sizeof cpu);
    memcpy(s.q, gpu, sizeof gpu);
    brute_force(&s, &best);
    ck_assert(best.makespan == 6);
    ck_assert_int_eq(exact_compare_double(&best.value, 6), 0);
    sample_free(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("optimum");
    TCase *cases = tcase_create("small instances");

    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, brute_force_finds_known_optima);
    tcase_add_test(cases, guarantees_hold_for_few_tasks_on_few_workers);
    tcase_add_test(cases, guarantees_hold_for_few_tasks_on_more_workers);
    tcase_add_test(cases, guarantees_hold_for_more_tasks_on_two_workers);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
