/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Instances of realistic size: radix sort, deep trees, many more workers than tasks. Schedules are
 * valid, above the bounds and within the algorithm's guarantee of the best schedule.
 */

#include <check.h>
#include <math.h>

#include "certify.h"
#include "sample.h"
#include "suite.h"

static double best_bound(const sample *s)
{
    double best = 0, value;
    size_t i;

    for (i = 0; i < hs_bound_count(); i++) {
        if (bound_takes_seconds(hs_bound_at(i)))
            continue;
        ck_assert_int_eq(hs_bound_compute(hs_bound_at(i), s->in, NULL, &value), HS_OK);
        best = fmax(best, value);
    }
    return best;
}

static double checked_makespan(const sample *s, const hs_algorithm *alg, double bound)
{
    const char  *name = hs_algorithm_name(alg), *wrong;
    hs_schedule *plan = NULL;
    double       makespan;
    exact        span;

    ck_assert_int_eq(hs_solve(alg, s->in, NULL, &plan), HS_OK);
    ck_assert_int_eq(hs_schedule_check(s->in, plan, NULL), HS_OK);
    wrong = certify(s, plan, &span);
    REQUIRE(s, !wrong, "%s: %s", name, wrong);
    REQUIRE(s, exact_compare_double(&span, bound) >= 0, "%s: below a bound", name);
    makespan = hs_schedule_makespan(plan);
    hs_schedule_free(plan);
    return makespan;
}

static void check_sample(const sample *s)
{
    double makespan[64], bound = best_bound(s), shortest = INFINITY;
    size_t count = hs_algorithm_count(), i;

    ck_assert_uint_le(count, 64);
    for (i = 0; i < count; i++) {
        makespan[i] = INFINITY;
        if (algorithm_takes_seconds(hs_algorithm_at(i)) ||
            algorithm_refuses_instance(s->in, hs_algorithm_at(i)) ||
            (s->m + s->k > 10000 && algorithm_depends_on_order(hs_algorithm_at(i))))
            continue;
        makespan[i] = checked_makespan(s, hs_algorithm_at(i), bound);
        shortest = fmin(shortest, makespan[i]);
    }
    for (i = 0; i < count; i++) { /* upper bound of the optimum: the shortest makespan found */
        const hs_algorithm *alg = hs_algorithm_at(i);

        REQUIRE(s, isinf(makespan[i]) || makespan[i] <= hs_algorithm_guarantee(alg, s->m, s->k, NULL) * shortest,
                "%s: %.17g, but %.17g was found", hs_algorithm_name(alg), makespan[i], shortest);
    }
}

static void check_families(uint64_t seed, size_t tasks, unsigned cpus, unsigned gpus)
{
    sample s;
    int    family, infinite;

    for (family = 0; family < SAMPLE_FAMILIES; family++)
        for (infinite = 0; infinite < 2; infinite++) {
            sample_make_family(&s, (sample_family)family, seed, tasks, cpus, gpus, infinite);
            check_sample(&s);
            sample_free(&s);
        }
}

/* Return the count, reduced if the number of rounds is reduced, as under valgrind. */
static unsigned scaled_count(unsigned count)
{
    size_t rounds = rounds_scaled(100);

    return rounds < 100 ? (unsigned)(count / 100 * rounds) : count;
}

START_TEST(many_tasks_have_valid_schedules)
{
    static const unsigned workers[][2] = {{20, 4}, {1, 1}, {128, 1}, {3, 40}, {0, 9}, {9, 0}};
    size_t                rounds = rounds_scaled(2);

    while (rounds-- > 0)
        check_families(51000000 + rounds * 100 + (uint64_t)_i, scaled_count(2000), workers[_i][0],
                       workers[_i][1]);
}
END_TEST

START_TEST(many_workers_have_valid_schedules)
{
    check_families(52000000, 50, scaled_count(1000), scaled_count(1000));
    check_families(52000001, 3, scaled_count(1000), 0);
    check_families(52000002, 50, 1, scaled_count(1000));
}
END_TEST

START_TEST(the_maximum_of_workers_has_valid_schedules)
{
    sample s;

    sample_make_family(&s, SAMPLE_GAMMA, 53000000, 20, scaled_count(HS_MAX_WORKERS),
                       scaled_count(HS_MAX_WORKERS), 1);
    check_sample(&s);
    sample_free(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("large");
    TCase *cases = tcase_create("large instances");

    tcase_set_timeout(cases, 600);
    tcase_add_loop_test(cases, many_tasks_have_valid_schedules, 0, 6);
    tcase_add_test(cases, many_workers_have_valid_schedules);
    tcase_add_test(cases, the_maximum_of_workers_has_valid_schedules);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
