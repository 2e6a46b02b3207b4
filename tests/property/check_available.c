/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Workers that become available late: compare algorithms with their definitions, bounds with the
 * optimum by brute force, and check that unsupported algorithms and bounds return HS_EAVAILABLE.
 */

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "brute_force.h"
#include "dice.h"
#include "graph_sample.h"
#include "literal.h"
#include "suite.h"
#include "unit/plan_digest.h"

enum { MOST_WORKERS = 64 };

static double finite_time(const sample *s, dice *d)
{
    size_t task;

    if (s->n == 0)
        return dice_below(d, 4);
    task = dice_below(d, (unsigned)s->n);
    return fmin(s->p[task], s->q[task]);
}

/* Draw the times at which workers become available: many at 0, some after the length of one or two
 * tasks, some much later. */
static void draw_available(const sample *s, dice *d, double *available)
{
    unsigned how = dice_below(d, 4), w;

    for (w = 0; w < s->m + s->k; w++) {
        available[w] = how == 0 || dice_below(d, 3) == 0 ? 0 : finite_time(s, d);
        if (how == 2)
            available[w] += finite_time(s, d);
        if (how == 3 && dice_below(d, 4) == 0)
            available[w] = 64 * finite_time(s, d);
    }
}

static void set_available(const sample *s, dice *d, double *available, hs_settings *settings)
{
    draw_available(s, d, available);
    settings->available = available;
    settings->available_count = s->m + s->k;
}

static bool has_busy_worker(const hs_settings *settings)
{
    for (size_t w = 0; w < settings->available_count; w++)
        if (settings->available[w] > 0)
            return true;
    return false;
}

/* Compare with the definition; dualhp with busy workers is the policy, which check_graph_policies
 * compares. */
static void check_literal(const sample *s, const hs_algorithm *alg, const hs_settings *settings,
                          const hs_schedule *found)
{
    literal     run = literal_find(hs_algorithm_name(alg));
    plan        expected = {0, 0, NULL};
    const char *differs;

    if (!run || (strcmp(hs_algorithm_name(alg), "dualhp") == 0 && has_busy_worker(settings)))
        return;
    run(s, settings, &expected);
    differs = plan_first_difference(&expected, found, s);
    REQUIRE(s, !differs, "%s is not what its definition gives: %s differs", hs_algorithm_name(alg),
            differs);
    plan_free(&expected);
}

/* Check that hs_solve_makespan() returns the schedule's makespan and certified makespan. */
static void check_makespan(const sample *s, const hs_algorithm *alg, const hs_settings *settings,
                           const hs_schedule *found, const hs_report *report)
{
    double    makespan = -1;
    hs_report other;

    hs_report_init(&other);
    REQUIRE(s, hs_solve_makespan(NULL, alg, s->in, settings, &makespan, &other) == HS_OK, "%s",
            hs_algorithm_name(alg));
    REQUIRE(s, makespan == hs_schedule_makespan(found) && other.certified == report->certified,
            "%s: %.17g and %.17g, not %.17g and %.17g", hs_algorithm_name(alg), makespan,
            other.certified, hs_schedule_makespan(found), report->certified);
}

/* Return the algorithm's checked schedule, or NULL if the algorithm refuses the sample's tasks. */
static hs_schedule *solve_with_available(const sample *s, const hs_algorithm *alg,
                                         const hs_settings *settings)
{
    hs_schedule *found = NULL;
    hs_error     v;
    hs_report    report;
    hs_status    st;

    hs_report_init(&report);
    st = hs_solve_reported(alg, s->in, settings, &found, &report);
    if (st == HS_EWORKER && algorithm_refuses_instance(s->in, alg))
        return NULL;
    REQUIRE(s, st == HS_OK, "%s: %s", hs_algorithm_name(alg), hs_status_text(st));
    st = hs_schedule_check_available(s->in, found, settings->available, &v);
    REQUIRE(s, st == HS_OK, "%s: %s", hs_algorithm_name(alg), v.why);
    check_literal(s, alg, settings, found);
    if (!algorithm_takes_seconds(alg))
        check_makespan(s, alg, settings, found, &report);
    return found;
}

static void check_samples(uint64_t seed, size_t rounds, size_t tasks, unsigned workers)
{
    double      available[MOST_WORKERS];
    hs_settings settings;
    sample      s;

    for (size_t i = 0; i < rounds; i++) {
        dice d = {seed + i};

        sample_make(&s, seed + i, tasks, workers);
        if (i % 4 == 0)
            sample_make_some_not_restartable(&s);
        hs_settings_init(&settings);
        set_available(&s, &d, available, &settings);
        for (size_t a = 0; a < hs_algorithm_count(); a++)
            if (hs_algorithm_supports_available(hs_algorithm_at(a)))
                hs_schedule_free(solve_with_available(&s, hs_algorithm_at(a), &settings));
        sample_free(&s);
    }
}

START_TEST(few_tasks_start_when_workers_are_available)
{
    check_samples(31000000, rounds_scaled(8000), 8, 3);
}
END_TEST

START_TEST(some_tasks_start_when_workers_are_available)
{
    check_samples(32000000, rounds_scaled(1500), 40, 6);
}
END_TEST

START_TEST(many_tasks_start_when_workers_are_available)
{
    check_samples(33000000, rounds_scaled(40), 200, 24);
}
END_TEST

static double bound_of(const sample *s, const hs_bound *bound, const hs_settings *settings)
{
    double    value = NAN;
    hs_status st = hs_bound_compute(bound, s->in, settings, &value);

    REQUIRE(s, st == HS_OK, "%s: %s", hs_bound_name(bound), hs_status_text(st));
    return value;
}

static void check_best(const sample *s, const hs_settings *settings, const optimum *opt)
{
    hs_schedule *found = NULL;
    hs_report    report;

    hs_report_init(&report);
    REQUIRE(s,
            hs_solve_reported(hs_algorithm_find("best"), s->in, settings, &found, &report) == HS_OK,
            "best");
    REQUIRE(s,
            !report.proved || exact_compare_double(&opt->value, report.certified) >= 0 || s->n == 0,
            "best has %.17g, and says that it is optimal", report.certified);
    REQUIRE(s, exact_compare_double(&opt->value, report.certified) <= 0,
            "best certifies %.17g, less than the optimum", report.certified);
    hs_schedule_free(found);
}

START_TEST(optimum_lies_between_bounds_and_schedules)
{
    size_t      rounds = rounds_scaled(4000);
    double      available[MOST_WORKERS];
    hs_settings settings;
    sample      s;
    optimum     opt;

    for (size_t i = 0; i < rounds; i++) {
        dice d = {34000000 + i};

        sample_make(&s, 34000000 + i, 6, 3);
        hs_settings_init(&settings);
        set_available(&s, &d, available, &settings);
        brute_force_available(&s, available, &opt);
        for (size_t b = 0; b < hs_bound_count(); b++) {
            const hs_bound *bound = hs_bound_at(b);

            if (hs_bound_supports_available(bound))
                REQUIRE(&s, exact_compare_double(&opt.value, bound_of(&s, bound, &settings)) >= 0,
                        "%s exceeds the optimum %.17g", hs_bound_name(bound), opt.makespan);
        }
        check_best(&s, &settings, &opt);
        sample_free(&s);
    }
}
END_TEST

static int comes_before(const void *a, const void *b)
{
    const double *const *x = a, *const *y = b;

    return (**x > **y) - (**x < **y);
}

/* Return the time at which the workers have finished `work`, if CPUs have the rate
 * `cpu_multiplier` and GPUs the rate `gpu_multiplier` from the time when they become available. */
static long double time_for_weighted_work(const sample *s, const double *available,
                                          long double work, double cpu_multiplier,
                                          double gpu_multiplier)
{
    const double *by_time[MOST_WORKERS];
    unsigned      workers = s->m + s->k, w;
    long double   at = 0, rate = 0;

    for (w = 0; w < workers; w++)
        by_time[w] = &available[w];
    qsort(by_time, workers, sizeof *by_time, comes_before);
    for (w = 0; w < workers; w++) {
        if (rate > 0 && work <= rate * (*by_time[w] - at))
            break;
        work -= rate * (*by_time[w] - at);
        at = *by_time[w];
        rate += by_time[w] - available < s->m ? cpu_multiplier : gpu_multiplier;
    }
    return rate > 0 ? at + work / rate : 0;
}

/* Return the lower bound that the multipliers prove. The area is the largest value over the
 * multipliers (1, 0), (0, 1) and (q, p) of each task. */
static long double bound_of_multipliers(const sample *s, const double *available,
                                        double cpu_multiplier, double gpu_multiplier)
{
    long double work = 0;

    for (size_t i = 0; i < s->n; i++) {
        double cpu = isinf(s->p[i]) ? INFINITY : cpu_multiplier * s->p[i];
        double gpu = isinf(s->q[i]) ? INFINITY : gpu_multiplier * s->q[i];

        work += fmin(cpu, gpu);
    }
    return work > 0 ? time_for_weighted_work(s, available, work, cpu_multiplier, gpu_multiplier)
                    : 0;
}

START_TEST(area_bound_equals_its_definition)
{
    size_t      rounds = rounds_scaled(4000);
    double      available[MOST_WORKERS];
    hs_settings settings;
    sample      s;

    for (size_t i = 0; i < rounds; i++) {
        dice        d = {35000000 + i};
        long double area;
        double      found;

        sample_make_family(&s, (sample_family)(i % 5), 35000000 + i, 1 + i % 30, 1 + i % 5,
                           1 + i / 5 % 4, i % 3 == 0);
        hs_settings_init(&settings);
        set_available(&s, &d, available, &settings);
        area = fmaxl(bound_of_multipliers(&s, available, 1, 0),
                     bound_of_multipliers(&s, available, 0, 1));
        for (size_t t = 0; t < s.n; t++)
            if (!isinf(s.p[t]) && !isinf(s.q[t]))
                area = fmaxl(area, bound_of_multipliers(&s, available, s.q[t], s.p[t]));
        found = bound_of(&s, hs_bound_find("theorem2"), &settings);
        REQUIRE(&s, fabsl(found - area) <= 1e-12L * area, "theorem2 is %.17g, not %.17Lg", found,
                area);
        sample_free(&s);
    }
}
END_TEST

/* Check that availability at 0 gives the plans and bounds of no availability, for which the library
 * has separate code. */
START_TEST(availability_at_0_changes_nothing)
{
    size_t      rounds = rounds_scaled(500);
    double      available[MOST_WORKERS] = {0};
    hs_settings settings, late;
    sample      s;

    hs_settings_init(&settings);
    hs_settings_init(&late);
    late.available = available;
    for (size_t i = 0; i < rounds; i++) {
        sample_make(&s, 36000000 + i, 30, 5);
        late.available_count = s.m + s.k;
        for (size_t a = 0; a < hs_algorithm_count(); a++) {
            const hs_algorithm *alg = hs_algorithm_at(a);
            hs_schedule        *one, *other = NULL;

            if (algorithm_takes_seconds(alg) || !hs_algorithm_supports_available(alg))
                continue;
            one = solve_with_available(&s, alg, &late);
            if (!one)
                continue;
            REQUIRE(&s, hs_solve(alg, s.in, &settings, &other) == HS_OK, "%s",
                    hs_algorithm_name(alg));
            REQUIRE(&s, digest_plan(one) == digest_plan(other),
                    "%s is another with all workers at 0", hs_algorithm_name(alg));
            hs_schedule_free(one);
            hs_schedule_free(other);
        }
        for (size_t b = 0; b < hs_bound_count(); b++)
            if (hs_bound_supports_available(hs_bound_at(b)))
                REQUIRE(&s,
                        bound_of(&s, hs_bound_at(b), &late) ==
                            bound_of(&s, hs_bound_at(b), &settings),
                        "%s", hs_bound_name(hs_bound_at(b)));
        sample_free(&s);
    }
}
END_TEST

static void check_graph(const graph_sample *g, const hs_settings *settings)
{
    double shortest = INFINITY, best = INFINITY, value;

    for (size_t a = 0; a < hs_algorithm_count(); a++) {
        const hs_algorithm *alg = hs_algorithm_at(a);
        hs_schedule        *found = NULL;
        hs_error            v;
        hs_status           st;

        if (!hs_algorithm_supports_available(alg) || !hs_algorithm_supports_graphs(alg) ||
            algorithm_refuses_instance(g->in, alg))
            continue;
        st = hs_solve(alg, g->in, settings, &found);
        GRAPH_REQUIRE(g, st == HS_OK, "%s: %s", hs_algorithm_name(alg), hs_status_text(st));
        st = hs_schedule_check_available(g->in, found, settings->available, &v);
        GRAPH_REQUIRE(g, st == HS_OK, "%s: %s", hs_algorithm_name(alg), v.why);
        shortest = fmin(shortest, hs_schedule_makespan(found));
        if (strcmp(hs_algorithm_name(alg), "best") == 0)
            best = hs_schedule_makespan(found);
        hs_schedule_free(found);
    }
    GRAPH_REQUIRE(g, best == shortest || !hs_instance_has_graph(g->in), "best is %.17g, not %.17g", best, shortest);
    for (size_t b = 0; b < hs_bound_count(); b++) {
        if (!hs_bound_supports_available(hs_bound_at(b)))
            continue;
        GRAPH_REQUIRE(g, hs_bound_compute(hs_bound_at(b), g->in, settings, &value) == HS_OK, "%s",
                      hs_bound_name(hs_bound_at(b)));
        GRAPH_REQUIRE(g, value <= shortest * (1 + 1e-12), "%s: %.17g exceeds %.17g",
                      hs_bound_name(hs_bound_at(b)), value, shortest);
    }
}

START_TEST(graphs_start_when_workers_are_available)
{
    size_t       rounds = rounds_scaled(1500);
    double       available[MOST_WORKERS];
    hs_settings  settings;
    graph_sample g;

    for (size_t i = 0; i < rounds; i++) {
        dice d = {37000000 + i};

        graph_sample_make(&g, 37000000 + i);
        hs_settings_init(&settings);
        for (unsigned w = 0; w < g.m + g.k; w++)
            available[w] = dice_below(&d, 2) ? dice_below(&d, 9) : 0;
        settings.available = available;
        settings.available_count = g.m + g.k;
        check_graph(&g, &settings);
        graph_sample_free(&g);
    }
}
END_TEST

START_TEST(algorithms_without_support_refuse_availability)
{
    const double    times[] = {2, 3}, available[] = {0, 5, 1};
    const double    wrong[][3] = {{0, -1, 0}, {0, NAN, 0}, {0, 0, INFINITY}, {1e308, 0, 0}};
    hs_instance    *in = NULL;
    hs_settings     settings;
    hs_schedule    *s = NULL;
    hs_certificate *c = NULL;
    double          value;

    ck_assert_int_eq(hs_instance_wrap(2, times, times, NULL, 2, 1, &in), HS_OK);
    hs_settings_init(&settings);
    settings.available = available;
    settings.available_count = 3;
    for (size_t a = 0; a < hs_algorithm_count(); a++)
        if (!hs_algorithm_supports_available(hs_algorithm_at(a)))
            ck_assert_int_eq(hs_solve(hs_algorithm_at(a), in, &settings, &s), HS_EAVAILABLE);
    for (size_t b = 0; b < hs_bound_count(); b++) {
        if (!hs_bound_supports_available(hs_bound_at(b)))
            ck_assert_int_eq(hs_bound_compute(hs_bound_at(b), in, &settings, &value),
                             HS_EAVAILABLE);
        if (hs_bound_supports_certificate(hs_bound_at(b)))
            ck_assert_int_eq(hs_certificate_create(hs_bound_at(b), in, &settings, &c),
                             HS_EAVAILABLE);
    }
    settings.available_count = 2;
    ck_assert_int_eq(hs_solve(hs_algorithm_find("heft"), in, &settings, &s), HS_EINVAL);
    settings.available_count = 3;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        settings.available = wrong[i];
        ck_assert_int_eq(hs_solve(hs_algorithm_find("heft"), in, &settings, &s), HS_EINVAL);
        ck_assert_int_eq(hs_bound_compute(hs_bound_find("deadline"), in, &settings, &value),
                         HS_EINVAL);
    }
    ck_assert_ptr_null(s);
    hs_instance_free(in);
}
END_TEST

static hs_status run_early(void *data, const hs_instance *in, const hs_settings *settings,
                           hs_schedule **out)
{
    hs_settings all;

    (void)data;
    hs_settings_init(&all);
    (void)settings;
    return hs_solve(hs_algorithm_find("heft"), in, &all, out);
}

START_TEST(checker_refuses_starts_before_availability)
{
    const hs_algorithm early = {.struct_size = sizeof early,
                                .name = "early",
                                .run = run_early,
                                .supports_available = true};
    const double       times[] = {2, 3}, available[] = {4, 5};
    hs_instance       *in = NULL;
    hs_schedule       *s = NULL;
    hs_violation       v;
    hs_settings        settings;

    ck_assert_int_eq(hs_instance_wrap(2, times, times, NULL, 1, 1, &in), HS_OK);
    hs_settings_init(&settings);
    settings.available = available;
    settings.available_count = 2;
    ck_assert_int_eq(hs_solve(&early, in, &settings, &s), HS_ESCHEDULE);
    ck_assert_int_eq(hs_solve(hs_algorithm_find("heft"), in, NULL, &s), HS_OK);
    hs_violation_init(&v);
    ck_assert_int_eq(hs_schedule_find_violation(in, s, available, NULL, NULL, &v), HS_ESCHEDULE);
    ck_assert_int_eq(v.kind, HS_NOT_AVAILABLE);
    ck_assert_double_eq(v.expected, available[v.worker]);
    hs_schedule_free(s);
    hs_instance_free(in);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("available");
    TCase *cases = tcase_create("workers that come late");

    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, few_tasks_start_when_workers_are_available);
    tcase_add_test(cases, some_tasks_start_when_workers_are_available);
    tcase_add_test(cases, many_tasks_start_when_workers_are_available);
    tcase_add_test(cases, optimum_lies_between_bounds_and_schedules);
    tcase_add_test(cases, area_bound_equals_its_definition);
    tcase_add_test(cases, availability_at_0_changes_nothing);
    tcase_add_test(cases, graphs_start_when_workers_are_available);
    tcase_add_test(cases, algorithms_without_support_refuse_availability);
    tcase_add_test(cases, checker_refuses_starts_before_availability);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
