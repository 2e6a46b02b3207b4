/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Certificates of every bound, verified by the checker's own code. Certificates with random changes
 * and a matching checksum must be refused or true.
 */

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "certificate_text.h"
#include "suite.h"

/* Check that the optimum and slightly smaller values get an accepted certificate, and that larger
 * values are never proved. */
static void check_value(const sample *s, const hs_schedule *plan, const optimum *best)
{
    static const double factors[] = {1, 1 + 1e-9, 1.1, 1 - 1e-9, 0.5};
    size_t              i;

    for (i = 0; i < sizeof factors / sizeof *factors; i++) {
        hs_certificate *c = NULL;
        double          value = best->makespan * factors[i], proved;

        if (exact_compare_double(&best->value, value) < 0 && i == 0)
            value = nextafter(value, 0);
        REQUIRE(s, hs_certificate_prove(s->in, "test", value, NULL, &c) == HS_OK, "no certificate");
        certificate_check_valid(s, plan, c);
        proved = hs_certificate_proved_value(c);
        REQUIRE(s, exact_compare_double(&best->value, proved) >= 0, "%.17g is proved", proved);
        REQUIRE(s, factors[i] > 1 || proved >= value * (1 - 1e-12) - 4 * 0x1p-1074,
                "%.17g of %.17g is proved", proved, value);
        hs_certificate_free(c);
    }
}

static hs_schedule *schedule_of(const sample *s)
{
    hs_schedule *plan = NULL;

    REQUIRE(s, hs_solve(hs_algorithm_find("heteroprio"), s->in, NULL, &plan) == HS_OK, "no plan");
    return plan;
}

START_TEST(true_certificates_are_accepted)
{
    size_t rounds = rounds_scaled(400), i, b;

    for (i = 0; i < rounds; i++) {
        sample       s;
        optimum      best;
        hs_schedule *plan;

        sample_make(&s, 8000000 + i, 7, 3);
        brute_force(&s, &best);
        plan = schedule_of(&s);
        for (b = 0; b < hs_bound_count(); b++)
            if (hs_bound_supports_certificate(hs_bound_at(b)))
                certificate_check_bound(&s, plan, hs_bound_at(b));
        check_value(&s, plan, &best);
        hs_schedule_free(plan);
        sample_free(&s);
    }
}
END_TEST

START_TEST(accepted_certificates_are_true)
{
    static certificate_text good;
    size_t                  rounds = rounds_scaled(60), i, b, change;

    for (i = 0; i < rounds; i++) {
        sample       s;
        optimum      best;
        hs_schedule *plan;
        dice         d = {8500000 + i};

        sample_make(&s, 8500000 + i, 6, 3);
        brute_force(&s, &best);
        plan = schedule_of(&s);
        for (b = 0; b <= hs_bound_count(); b++) {
            hs_certificate *c = NULL;
            hs_status       st;

            if (b < hs_bound_count() && !hs_bound_supports_certificate(hs_bound_at(b)))
                continue;
            st = b < hs_bound_count()
                     ? hs_certificate_create(hs_bound_at(b), s.in, NULL, &c)
                     : hs_certificate_prove(s.in, "test", best.makespan, NULL, &c);
            REQUIRE(&s, st == HS_OK, "no certificate");
            certificate_write_file(&s, c);
            hs_certificate_free(c);
            certificate_text_read(&s, &good);
            for (change = 0; change < 60; change++)
                certificate_check_changed(&s, plan, &good, &best, &d);
        }
        hs_schedule_free(plan);
        sample_free(&s);
    }
}
END_TEST

/* Check that equal rows form one kind with the sum of their counts, and that the checker refuses a
 * wrong count of any kind. */
START_TEST(wrong_counts_are_refused)
{
    static const double     times[][2] = {{1, 2}, {3, 1}, {3, 1}, {3, 2}};
    static const char      *lines[] = {"\ntask,1,2", "\ntask,3,1", "\ntask,3,2"};
    static certificate_text good, bad;
    sample                  s = {.family = "counts"};
    hs_builder             *b = NULL;
    hs_schedule            *plan;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 2, 1), HS_OK);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        hs_task row;

        hs_task_init(&row);
        row.cpu = times[i][0];
        row.gpu = times[i][1];
        row.count = 3 + (uint32_t)i;
        ck_assert_int_eq(hs_builder_add_row(b, &row), HS_OK);
    }
    ck_assert_int_eq(hs_builder_finish(b, &s.in, NULL), HS_OK);
    hs_builder_free(b);
    plan = schedule_of(&s);
    for (size_t i = 0; i < hs_bound_count(); i++)
        if (hs_bound_supports_certificate(hs_bound_at(i)))
            certificate_check_bound(&s, plan, hs_bound_at(i));
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        hs_certificate *c = NULL;
        char           *line;

        ck_assert_int_eq(hs_certificate_prove(s.in, "test", 8, NULL, &c), HS_OK);
        certificate_check_valid(&s, plan, c);
        hs_certificate_free(c);
        certificate_text_read(&s, &good);
        for (size_t digit = 6; digit <= 8; digit += 2) {
            memcpy(bad.at, good.at, good.size + 1);
            bad.size = good.size;
            line = strstr(bad.at, lines[i]);
            ck_assert_ptr_nonnull(line);
            line[digit] = '7';
            certificate_text_write(&s, &bad);
            ck_assert_int_ne(certificate_verify(&s, plan, 1), 0);
        }
    }
    hs_schedule_free(plan);
    hs_instance_free(s.in);
}
END_TEST

static const char *const steps[] = {"\nbranch,", "\nmultipliers,", "\nconfiguration,",
                                    "\npacking,"};

enum { STEPS = sizeof steps / sizeof *steps };

/* Certify the optimum, or slightly less than the makespan of a good schedule. Count in seen[] the
 * certificates with each step. */
static void check_larger(const sample *s, const char *algorithm, certificate_text *t, dice *d,
                         size_t seen[STEPS])
{
    hs_settings     settings;
    hs_report       report;
    hs_schedule    *plan = NULL;
    hs_certificate *c = NULL;
    double          value;
    size_t          i;

    hs_settings_init(&settings);
    settings.iterations = 100;
    settings.time_limit = INFINITY;
    hs_report_init(&report);
    REQUIRE(s,
            hs_solve_reported(hs_algorithm_find(algorithm), s->in, &settings, &plan, &report) ==
                HS_OK,
            "no plan");
    value = report.proved ? report.bound : report.certified * (1 - 1e-4);
    settings.time_limit = INFINITY;
    REQUIRE(s, hs_certificate_prove(s->in, "test", value, &settings, &c) == HS_OK,
            "no certificate");
    certificate_check_valid(s, plan, c);
    certificate_text_read(s, t);
    for (i = 0; i < STEPS; i++)
        seen[i] += strstr(t->at, steps[i]) != NULL;
    for (i = 0; i < 20; i++) {
        optimum none = {.makespan = report.certified}; /* upper bound of the optimum */

        exact_add(&none.value, report.certified);
        certificate_check_changed(s, plan, t, &none, d);
    }
    hs_certificate_free(c);
    hs_schedule_free(plan);
}

/* Generate a Cholesky factorisation, whose tasks have few kinds. */
static void make_tiles_instance(const sample *s, hs_instance **in)
{
    static const char *const tables[] = {"mirage-960", "k40m-960"};
    const hs_kernel_table   *kernels = hs_kernel_table_find(tables[s->seed % 2]);
    unsigned                 size = 4 + (unsigned)s->seed / 2 % 7;
    hs_tiled                 spec = {sizeof spec, HS_CHOLESKY, size, 0, 0, 0, 0, kernels, 0};

    REQUIRE(s, kernels, "no such table");
    spec.cpus = kernels->cpus;
    spec.gpus = kernels->gpus;
    REQUIRE(s, hs_generate_tiled(&spec, in, NULL) == HS_OK, "no instance");
}

START_TEST(certificates_with_large_trees_are_accepted)
{
    static certificate_text t;
    size_t                  rounds = rounds_scaled(40), seen[STEPS] = {0}, i;
    dice                    d = {1};

    for (i = 0; i < rounds; i++) {
        sample   s = {.family = "gamma", .seed = i};
        hs_gamma gamma = {
            sizeof gamma, i % 2 ? 16 : 24 + i % 12, 4, 2, 15, 0.2, 1, i % 4 < 2 ? 0.2 : 1, i};

        REQUIRE(&s, hs_generate_gamma(&gamma, &s.in, NULL) == HS_OK, "no instance");
        check_larger(&s, i % 2 ? "exact" : "best", &t, &d, seen);
        hs_instance_free(s.in);
        s.family = "tiles";
        make_tiles_instance(&s, &s.in);
        check_larger(&s, i % 2 ? "exact" : "best", &t, &d, seen);
        hs_instance_free(s.in);
    }
    for (i = 0; i < STEPS; i++)
        ck_assert_msg(rounds < 40 || seen[i] || !hs_bound_find("configuration"), "no line%s",
                      steps[i]);
}
END_TEST

static int longest_first(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x < y) - (x > y);
}

/* Return the pigeonhole bound of identical CPUs: among the k longest tasks, k mod m workers get k/m
 * + 1 tasks each. The value is the largest mean over k. */
static double crowd_of(const sample *s)
{
    size_t   n = hs_instance_tasks(s->in), k, i;
    unsigned m = hs_instance_cpus(s->in);
    double  *time = malloc(n * sizeof *time), most = 0;

    REQUIRE(s, time, "no memory");
    for (i = 0; i < n; i++)
        time[i] = hs_instance_time(s->in, (uint32_t)i, HS_CPU);
    qsort(time, n, sizeof *time, longest_first);
    for (k = m + 1; k <= n; k++) {
        double sum = 0, part;

        for (i = k - (k / m + 1) * (k % m); i < k; i++)
            sum += time[i] / (double)(k % m);
        part = k % m ? sum : 0;
        most = part > most ? part : most;
    }
    free(time);
    return most;
}

/* Check that the pigeonhole bound of the sample, or more, is proved by an accepted certificate. */
static void check_crowd(const sample *s, const hs_schedule *plan, certificate_text *t)
{
    hs_certificate *c = NULL;
    double          value = crowd_of(s);

    REQUIRE(s, hs_certificate_prove(s->in, "test", value, NULL, &c) == HS_OK, "no certificate");
    certificate_check_valid(s, plan, c);
    REQUIRE(s, hs_certificate_proved_value(c) >= value * (1 - 1e-12) - 4 * 0x1p-1074,
            "%.17g of %.17g is proved", hs_certificate_proved_value(c), value);
    certificate_text_read(s, t);
    hs_certificate_free(c);
}

START_TEST(pigeonhole_certificates_are_accepted)
{
    static const sample_family families[] = {SAMPLE_SMALL, SAMPLE_UNIFORM, SAMPLE_TENTHS,
                                             SAMPLE_VAST,  SAMPLE_LEAST,   SAMPLE_WIDE};
    static certificate_text    t;
    size_t                     rounds = rounds_scaled(200), i, change, seen = 0;

    for (i = 0; i < rounds; i++) {
        dice         d = {8700000 + i};
        unsigned     cpus = 2 + dice_below(&d, 3);
        sample       s;
        optimum      best;
        hs_schedule *plan;

        sample_make_family(&s, families[i % 6], 8700000 + i, cpus + 1 + dice_below(&d, 5), cpus, 0,
                           0);
        brute_force(&s, &best);
        plan = schedule_of(&s);
        check_crowd(&s, plan, &t);
        seen += strstr(t.at, "\nconfiguration,") != NULL;
        for (change = 0; change < 30; change++)
            certificate_check_changed(&s, plan, &t, &best, &d);
        hs_schedule_free(plan);
        sample_free(&s);
    }
    ck_assert(rounds < 200 || seen > rounds / 10);
}
END_TEST

/* Check pigeonhole certificates of instances with more task sets than the prover's knapsack
 * examines; the first instance exceeds even the limit of sets. */
START_TEST(large_pigeonhole_certificates_are_accepted)
{
    static certificate_text t;
    size_t                  rounds = rounds_scaled(20), i, change;

    for (i = 0; i < rounds; i++) {
        sample       s = {.family = "franca-ends", .seed = i};
        hs_identical spec = {sizeof spec, s.family, 48 + 5 * (i % 11), 7 + (unsigned)i % 19, 1,
                             10000,       i};
        hs_identical first = {sizeof first, s.family, 2999, 500, 1, 1e9, 1};
        dice         d = {i};
        hs_schedule *plan;
        optimum      none;

        REQUIRE(&s, hs_generate_identical(i ? &spec : &first, &s.in, NULL) == HS_OK, "no instance");
        plan = schedule_of(&s);
        check_crowd(&s, plan, &t);
        none = (optimum){.makespan = hs_schedule_makespan(plan)}; /* upper bound of the optimum */
        exact_add(&none.value, none.makespan);
        for (change = 0; change < 50; change++)
            certificate_check_changed(&s, plan, &t, &none, &d);
        hs_schedule_free(plan);
        hs_instance_free(s.in);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("certificates");
    TCase *cases = tcase_create("small instances");

    tcase_set_timeout(cases, 900);
    tcase_add_checked_fixture(cases, certificate_fixture_open, certificate_files_close);
    tcase_add_test(cases, true_certificates_are_accepted);
    tcase_add_test(cases, accepted_certificates_are_true);
    tcase_add_test(cases, wrong_counts_are_refused);
    tcase_add_test(cases, certificates_with_large_trees_are_accepted);
    tcase_add_test(cases, pigeonhole_certificates_are_accepted);
    tcase_add_test(cases, large_pigeonhole_certificates_are_accepted);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
