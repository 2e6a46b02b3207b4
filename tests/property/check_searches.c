/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Searches compared with the optimum by brute force, on every family of times: the bounds that
 * solve mixed integer programs, `best` and `exact`.
 */

#include <check.h>
#include <math.h>
#include <string.h>

#include "brute_force.h"
#include "certify.h"
#include "dice.h"
#include "suite.h"

typedef struct values {
    double of[16]; /* value of each bound, by the registry's index of bounds */
} values;

/* Return the value of the named bound, or 0 if the build lacks it. */
static double value_of(const values *v, const char *name)
{
    size_t i;

    for (i = 0; i < hs_bound_count(); i++)
        if (strcmp(hs_bound_name(hs_bound_at(i)), name) == 0)
            return v->of[i];
    return 0;
}

static void require_order(const sample *s, const values *v, const char *larger, const char *smaller)
{
    REQUIRE(s, value_of(v, larger) >= value_of(v, smaller) || !hs_bound_find(larger),
            "%s is %.17g, below %s, %.17g", larger, value_of(v, larger), smaller,
            value_of(v, smaller));
}

static void check_bounds(const sample *s, const optimum *best)
{
    values v;
    size_t i;

    for (i = 0; i < hs_bound_count(); i++) {
        const char *name = hs_bound_name(hs_bound_at(i));
        hs_status   st = hs_bound_compute(hs_bound_at(i), s->in, NULL, &v.of[i]);

        REQUIRE(s, st == HS_OK, "%s: %s", name, hs_status_text(st));
        REQUIRE(s, exact_compare_double(&best->value, v.of[i]) >= 0, "%s is %.17g, above %.17g",
                name, v.of[i], best->makespan);
    }
    require_order(s, &v, "deadline", "theorem2");
    require_order(s, &v, "deadline", "min-time");
    require_order(s, &v, "allocation", "deadline");
    require_order(s, &v, "configuration", "deadline");
    require_order(s, &v, "mip", "deadline");
}

START_TEST(no_bound_exceeds_the_optimum)
{
    size_t rounds = rounds_scaled(12000), i;

    for (i = 0; i < rounds; i++) {
        sample  s;
        optimum best;

        sample_make(&s, 7000000 + i, 7, 3);
        brute_force(&s, &best);
        check_bounds(&s, &best);
        sample_free(&s);
    }
}
END_TEST

/* Check that a schedule is no shorter than the optimum; return whether it is optimal. */
static bool check_schedule(const sample *s, const char *name, const hs_schedule *plan,
                           const hs_report *report, const optimum *best)
{
    exact       span;
    const char *wrong = certify(s, plan, &span);

    REQUIRE(s, !wrong, "%s: %s", name, wrong);
    REQUIRE(s, exact_compare(&span, &best->value) >= 0, "%s beats the optimum", name);
    REQUIRE(s, exact_compare_double(&best->value, report->bound) >= 0,
            "%s says that nothing is shorter than %.17g, but %.17g is", name, report->bound,
            best->makespan);
    return exact_compare(&span, &best->value) == 0 ||
           exact_compare_double(&best->value, nextafter(report->certified, 0)) > 0;
}

static bool is_optimal(const sample *s, const char *name, const optimum *best)
{
    hs_settings  settings;
    hs_report    report;
    hs_schedule *plan = NULL;
    hs_status    st;
    bool         reached;

    hs_settings_init(&settings);
    settings.iterations = 20;
    settings.time_limit = INFINITY;
    hs_report_init(&report);
    st = hs_solve_reported(hs_algorithm_find(name), s->in, &settings, &plan, &report);
    REQUIRE(s, st == HS_OK, "%s: %s", name, hs_status_text(st));
    reached = check_schedule(s, name, plan, &report, best);
    REQUIRE(s,
            !report.proved || reached || best->makespan == 0 ||
                report.certified <= best->makespan * (1 + 1e-10),
            "%s says that %.17g is optimal, but %.17g is", name, report.certified, best->makespan);
    REQUIRE(s, report.proved || strcmp(name, "exact") != 0, "exact has proved nothing");
    hs_schedule_free(plan);
    return reached || report.certified <= best->makespan * (1 + 1e-10);
}

START_TEST(searches_find_the_optimum)
{
    size_t rounds = rounds_scaled(800), i;

    for (i = 0; i < rounds; i++) {
        sample  s;
        optimum best;

        sample_make(&s, 7500000 + i, 7, 3);
        brute_force(&s, &best);
        REQUIRE(&s, is_optimal(&s, "best", &best), "best does not find %.17g", best.makespan);
        REQUIRE(&s, is_optimal(&s, "exact", &best), "exact does not find %.17g", best.makespan);
        sample_free(&s);
    }
}
END_TEST

/*
 * Make some tasks so long that the remaining times are below the rounding error of sums. With
 * `full`, each worker (a CPU) has one huge task, and the remaining tasks decide the optimum.
 */
static void make_huge(sample *s, int full)
{
    dice   d = {s->seed};
    size_t i;

    for (i = 0; i < s->n; i++) {
        double factor = (full ? i < s->m : dice_below(&d, 2)) ? 0x1p990 : 1;

        if (full && i < s->m)
            factor /= s->cpu[i];

        s->cpu[i] *= factor;
        s->gpu[i] *= factor;
        s->p[i] *= factor;
        s->q[i] *= factor;
    }
    s->whole = false;
    hs_instance_free(s->in);
    REQUIRE(s, hs_instance_wrap(s->n, s->cpu, s->gpu, s->priority, s->m, s->k, &s->in) == HS_OK,
            "no instance");
}

/* Return whether `best` proves its schedule; check that a proved schedule is optimal. */
static bool is_proved(const sample *s, const optimum *best)
{
    hs_settings  settings;
    hs_report    report;
    hs_schedule *plan = NULL;
    bool         reached;

    hs_settings_init(&settings);
    settings.iterations = 20;
    hs_report_init(&report);
    REQUIRE(s,
            hs_solve_reported(hs_algorithm_find("best"), s->in, &settings, &plan, &report) == HS_OK,
            "no plan");
    reached = check_schedule(s, "best", plan, &report, best);
    REQUIRE(s, !report.proved || reached, "%.17g is said to be optimal, but %.17g is",
            report.certified, best->makespan);
    hs_schedule_free(plan);
    return report.proved;
}

START_TEST(tiny_tasks_beside_huge_tasks_count)
{
    static const sample_family families[] = {SAMPLE_TIES, SAMPLE_SMALL, SAMPLE_IDENTICAL,
                                             SAMPLE_UNIFORM};
    size_t                     rounds = rounds_scaled(800), i;

    for (i = 0; i < rounds; i++) {
        dice     d = {7800000 + i};
        unsigned full = i % 2, cpus = 1 + dice_below(&d, 3), more = dice_below(&d, 3);
        sample   s;
        optimum  best;

        sample_make_family(&s, families[i / 2 % 4], d.state, cpus + 1 + dice_below(&d, 4), cpus,
                           full ? 0 : more, 0);
        make_huge(&s, (int)full);
        brute_force(&s, &best);
        REQUIRE(&s, is_proved(&s, &best) || !full, "%.17g is not proved", best.makespan);
        sample_free(&s);
    }
}
END_TEST

/* Check a search with times in units of the smallest double, where ratios to the unit overflow. */
static void check_least(const sample *s, const char *name, const optimum *best)
{
    enum { UNIT = -1074 };
    double       cpu[8], gpu[8], bound, certified;
    hs_instance *in = NULL;
    hs_schedule *plan = NULL;
    hs_settings  settings;
    hs_report    report;
    size_t       i;

    for (i = 0; i < s->n; i++) {
        cpu[i] = ldexp(s->cpu[i], UNIT);
        gpu[i] = ldexp(s->gpu[i], UNIT);
    }
    REQUIRE(s, hs_instance_wrap(s->n, cpu, gpu, NULL, s->m, s->k, &in) == HS_OK, "no instance");
    hs_settings_init(&settings);
    settings.iterations = 2000;
    settings.time_limit = INFINITY;
    hs_report_init(&report);
    REQUIRE(s, hs_solve_reported(hs_algorithm_find(name), in, &settings, &plan, &report) == HS_OK,
            "%s fails", name);
    bound = ldexp(report.bound, -UNIT);
    certified = ldexp(report.certified, -UNIT);
    REQUIRE(s, bound <= best->makespan && best->makespan <= certified,
            "%s says %g .. %g units, but the optimum is %g", name, bound, certified,
            best->makespan);
    REQUIRE(s, strcmp(name, "exact") != 0 || certified == best->makespan,
            "exact ends at %g units, but the optimum is %g", certified, best->makespan);
    hs_schedule_free(plan);
    hs_instance_free(in);
}

START_TEST(optimum_is_found_in_the_least_unit)
{
    size_t rounds = rounds_scaled(600), i;

    for (i = 0; i < rounds; i++) {
        sample  s;
        optimum best;

        sample_make_family(&s, SAMPLE_SMALL, 7600000 + i, 4 + i % 5, i % 3, 1 + i % 2, i % 4 == 0);
        brute_force(&s, &best);
        check_least(&s, "best", &best);
        check_least(&s, "exact", &best);
        sample_free(&s);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("searches");
    TCase *cases = tcase_create("small instances");

    tcase_set_timeout(cases, 900);
    tcase_add_test(cases, no_bound_exceeds_the_optimum);
    tcase_add_test(cases, searches_find_the_optimum);
    tcase_add_test(cases, tiny_tasks_beside_huge_tasks_count);
    tcase_add_test(cases, optimum_is_found_in_the_least_unit);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
