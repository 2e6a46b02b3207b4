/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Bounds compared with each other, with their definitions in exact fractions, and with schedules of
 * instances that are too large for an optimum by brute force.
 */

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "certify.h"
#include "dice.h"
#include "fraction.h"
#include "sample.h"
#include "suite.h"

/* Absolute tolerance for subnormal numbers, which have no relative precision. */
#define LEAST_STEPS (4 * 0x1p-1074)

static double bound_of(const sample *s, const hs_instance *in, const char *name)
{
    double    value = NAN;
    hs_status st = hs_bound_compute(hs_bound_find(name), in, NULL, &value);

    REQUIRE(s, st == HS_OK, "%s: %s", name, hs_status_text(st));
    return value;
}

/*
 * Return the lower bound that the multipliers of the CPU and GPU constraints, u and v, prove: the
 * sum over tasks of min(u p, v q), divided by m u + k v. A time above the deadline drops out of the
 * minimum. The LP's value is the largest bound, attained at u = q, v = p of a task.
 */
static fraction bound_of_multipliers(const sample *s, double deadline, int64_t cpu_multiplier,
                                     int64_t gpu_multiplier)
{
    fraction f = {0, s->m * cpu_multiplier + s->k * gpu_multiplier};
    size_t   i;

    for (i = 0; i < s->n; i++) {
        int64_t cpu = s->p[i] > deadline ? INT64_MAX : cpu_multiplier * (int64_t)s->p[i];
        int64_t gpu = s->q[i] > deadline ? INT64_MAX : gpu_multiplier * (int64_t)s->q[i];

        f.numerator += cpu < gpu ? cpu : gpu;
    }
    return f;
}

/* Return the value of the area LP if no task may run on a type where it exceeds the deadline. */
static fraction area_value(const sample *s, double deadline)
{
    fraction best = {0, 1}, f;
    size_t   i;

    for (i = 0; i < s->n; i++)
        if (s->p[i] > deadline && s->q[i] > deadline)
            return (fraction){1, 0};
    for (i = 0; i < s->n + 2; i++) {
        int64_t u, v;

        if (i < s->n && (s->p[i] > deadline || s->q[i] > deadline))
            continue;
        u = i < s->n ? (int64_t)s->q[i] : i == s->n;
        v = i < s->n ? (int64_t)s->p[i] : i == s->n + 1;
        f = bound_of_multipliers(s, deadline, u, v);
        if (f.denominator && fraction_compare(f, best) > 0)
            best = f;
    }
    return best;
}

/*
 * Return the least feasible T if each task longer than T on a type is forced to the other type. The
 * LP changes only at times of the instance, so T is at least the LP's value between them.
 */
static fraction deadline_value(const sample *s)
{
    fraction best = {1, 0};
    size_t   i;

    for (i = 0; i < 2 * s->n + 1; i++) {
        double   from = i < s->n ? s->p[i] : i < 2 * s->n ? s->q[i - s->n] : 0;
        fraction begin = {0, 1}, value;

        if (isinf(from))
            continue;
        begin.numerator = (int64_t)from;
        value = area_value(s, from);
        if (fraction_compare(begin, value) > 0)
            value = begin;
        if (!best.denominator || fraction_compare(value, best) < 0)
            best = value;
    }
    return best;
}

/* Check that `found` is at most the fraction and at most two doubles below it. */
static void check_tight(const sample *s, const char *name, double found, fraction value)
{
    REQUIRE(s, fraction_compare_double(value, found) >= 0, "%s: %.17g is above %lld/%lld", name,
            found, (long long)value.numerator, (long long)value.denominator);
    found = nextafter(nextafter(found, INFINITY), INFINITY);
    REQUIRE(s, value.numerator == 0 || fraction_compare_double(value, found) < 0,
            "%s: %.17g is below %lld/%lld", name, found, (long long)value.numerator,
            (long long)value.denominator);
}

START_TEST(bounds_of_integer_times_are_exact)
{
    size_t rounds = rounds_scaled(12000), i;
    sample s;

    for (i = 0; i < rounds; i++) {
        sample_make(&s, 21000000 + i, i % 8 ? 12 : 60, 5);
        if (s.whole && s.n > 0) {
            check_tight(&s, "theorem2", bound_of(&s, s.in, "theorem2"), area_value(&s, 1e308));
            check_tight(&s, "deadline", bound_of(&s, s.in, "deadline"), deadline_value(&s));
        }
        sample_free(&s);
    }
}
END_TEST

/* Return the area bound in doubles, with a fresh sum for each pivot, for times that are not whole.
 * */
static double area_about(const sample *s)
{
    double best = 0;
    size_t pivot, i;

    for (pivot = 0; pivot < s->n + 2; pivot++) {
        double u = pivot < s->n ? s->q[pivot] / s->p[pivot] : pivot == s->n;
        double v = pivot < s->n ? 1 : pivot == s->n + 1, sum = 0;

        if (u == 0 && v == 1 && pivot < s->n)
            continue; /* the task has an infinite time */
        for (i = 0; i < s->n && !isinf(u); i++)
            sum += isinf(s->p[i]) ? v * s->q[i]
                   : isinf(s->q[i]) ? u * s->p[i]
                                    : fmin(u * s->p[i], v * s->q[i]);
        if (!isinf(u) && s->m * u + s->k * v > 0)
            best = fmax(best, sum / (s->m * u + s->k * v));
    }
    return best;
}

static void check_area(uint64_t i, size_t tasks)
{
    sample_family family = (sample_family)(SAMPLE_KERNELS + i % 4); /* through SAMPLE_WIDE */
    double        found, expected;
    sample        s;

    sample_make_family(&s, family, 26000000 + i, tasks, i / 3 % 4, 1 + i / 12 % 4, i % 3 == 0);
    found = bound_of(&s, s.in, "theorem2");
    expected = area_about(&s);
    REQUIRE(&s, fabs(found - expected) <= 1e-12 * expected, "theorem2 %.17g, not %.17g", found,
            expected);
    sample_free(&s);
}

START_TEST(theorem2_equals_its_definition)
{
    size_t rounds = rounds_scaled(6000), i;

    for (i = 0; i < rounds; i++)
        check_area(i, 1 + i % 40);
}
END_TEST

/* The pivot is searched by blocks of 512 rows. */
START_TEST(theorem2_equals_its_definition_for_many_tasks)
{
    static const size_t sizes[] = {511, 512, 513, 1024, 1025, 1600};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (uint64_t family = 0; family < 4; family++)
            check_area(12 * i + family, sizes[i]);
}
END_TEST

START_TEST(deadline_is_at_least_every_other_bound)
{
    size_t rounds = rounds_scaled(60000), i;
    double deadline, theorem2, min_time, longest;
    sample s;

    for (i = 0; i < rounds; i++) {
        size_t task;

        sample_make(&s, 22000000 + i, 40, 8);
        deadline = bound_of(&s, s.in, "deadline");
        theorem2 = bound_of(&s, s.in, "theorem2");
        min_time = bound_of(&s, s.in, "min-time");
        for (longest = 0, task = 0; task < s.n; task++)
            longest = fmax(longest, fmin(s.p[task], s.q[task]));
        REQUIRE(&s, min_time == longest, "min-time: %.17g, not %.17g", min_time, longest);
        REQUIRE(&s, deadline >= theorem2, "deadline %.17g < theorem2 %.17g", deadline, theorem2);
        REQUIRE(&s, deadline >= min_time, "deadline %.17g < min-time %.17g", deadline, min_time);
        sample_free(&s);
    }
}
END_TEST

static hs_instance *with_counts(const sample *s, dice *d)
{
    hs_builder  *builder = NULL;
    hs_instance *in = NULL;
    size_t       i;

    ck_assert_int_eq(hs_builder_create(&builder), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(builder, s->m, s->k), HS_OK);
    for (i = 0; i < s->n; i++) {
        hs_task task = {.struct_size = sizeof task,
                        .cpu = s->cpu[i], .gpu = s->gpu[i], .count = dice_between(d, 1, 4)};

        REQUIRE(s, hs_builder_add_row(builder, &task) == HS_OK, "hs_builder_add_row");
    }
    ck_assert_int_eq(hs_builder_finish(builder, &in, NULL), HS_OK);
    hs_builder_free(builder);
    return in;
}

static hs_instance *without_counts(const hs_instance *in, double **cpu, double **gpu)
{
    size_t       n = hs_instance_tasks(in), i;
    hs_instance *flat = NULL;

    *cpu = malloc((n + 1) * sizeof **cpu);
    *gpu = malloc((n + 1) * sizeof **gpu);
    ck_assert(*cpu && *gpu);
    for (i = 0; i < n; i++) {
        (*cpu)[i] = hs_instance_time(in, i, HS_CPU);
        (*gpu)[i] = hs_instance_time(in, i, HS_GPU);
    }
    ck_assert_int_eq(hs_instance_wrap(n, *cpu, *gpu, NULL, hs_instance_cpus(in),
                                      hs_instance_gpus(in), &flat),
                     HS_OK);
    return flat;
}

START_TEST(rows_with_counts_equal_copies)
{
    size_t rounds = rounds_scaled(3000), i, b;
    sample s;

    for (i = 0; i < rounds; i++) {
        dice         d = {i};
        double      *cpu, *gpu;
        hs_instance *counted, *flat;

        sample_make(&s, 24000000 + i, 20, 5);
        counted = with_counts(&s, &d);
        flat = without_counts(counted, &cpu, &gpu);
        for (b = 0; b < hs_bound_count(); b++) {
            const char *name = hs_bound_name(hs_bound_at(b));
            double      one, other, tolerance = s.whole ? 0 : 2e-12;

            if (bound_takes_seconds(hs_bound_at(b)))
                continue;
            one = bound_of(&s, counted, name);
            other = bound_of(&s, flat, name);
            REQUIRE(&s, fabs(one - other) <= tolerance * other + LEAST_STEPS,
                    "%s: %.17g with counts, %.17g without", name, one, other);
        }
        hs_instance_free(flat);
        hs_instance_free(counted);
        free(cpu);
        free(gpu);
        sample_free(&s);
    }
}
END_TEST

/* Check that no bound exceeds the makespan of the best schedule, computed exactly. */
static void check_below(const sample *s, const exact *span)
{
    size_t b;

    for (b = 0; b < hs_bound_count(); b++) {
        const char *name = hs_bound_name(hs_bound_at(b));
        double      value;

        if (bound_takes_seconds(hs_bound_at(b)))
            continue;
        value = bound_of(s, s->in, name);
        REQUIRE(s, exact_compare_double(span, value) >= 0, "%s %.17g exceeds a schedule", name,
                value);
    }
}

START_TEST(no_schedule_is_below_a_bound)
{
    size_t rounds = rounds_scaled(1000), i, a;
    sample s;

    for (i = 0; i < rounds; i++) {
        exact best;

        memset(&best, 0xff, sizeof best);
        sample_make(&s, 25000000 + i, 60, 6);
        for (a = 0; a < hs_algorithm_count(); a++) {
            const char  *name = hs_algorithm_name(hs_algorithm_at(a)), *wrong;
            hs_schedule *plan = NULL;
            exact        span;

            if (algorithm_takes_seconds(hs_algorithm_at(a)) ||
                algorithm_refuses_instance(s.in, hs_algorithm_at(a)))
                continue;
            REQUIRE(&s, hs_solve(hs_algorithm_at(a), s.in, NULL, &plan) == HS_OK, "%s", name);
            wrong = certify(&s, plan, &span);
            REQUIRE(&s, !wrong, "%s: %s", name, wrong);
            if (exact_compare(&span, &best) < 0)
                best = span;
            hs_schedule_free(plan);
        }
        check_below(&s, &best);
        sample_free(&s);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("bounds");
    TCase *cases = tcase_create("properties");

    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, bounds_of_integer_times_are_exact);
    tcase_add_test(cases, theorem2_equals_its_definition);
    tcase_add_test(cases, theorem2_equals_its_definition_for_many_tasks);
    tcase_add_test(cases, deadline_is_at_least_every_other_bound);
    tcase_add_test(cases, rows_with_counts_equal_copies);
    tcase_add_test(cases, no_schedule_is_below_a_bound);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
