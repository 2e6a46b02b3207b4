/* SPDX-License-Identifier: BSD-3-Clause */

/* Whoever takes long asks whether to go on, and what is told to stop leaves nothing behind. */

#include <check.h>
#include <math.h>
#include <string.h>

#include <hybridsched/hybridsched.h>

#include "property/sample.h"
#include "suite.h"

enum { MANY = 1 << 18, BLOCKS = MANY >> 16, FEW = 200 };

typedef struct caller {
    long asked, stop_at; /* 0: never */
} caller;

static int stops(void *data)
{
    caller *c = data;

    return ++c->asked >= c->stop_at && c->stop_at;
}

static hs_instance *uniform(size_t tasks)
{
    const hs_uniform spec = {tasks, 3, 2, 1, 100, 1, 100, 0, 11};
    hs_instance     *in = NULL;

    ck_assert_int_eq(hs_generate_uniform(&spec, &in), HS_OK);
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

static int is_quick(const hs_bound *bound)
{
    const char *name = hs_bound_name(bound);

    return strcmp(name, "theorem2") == 0 || strcmp(name, "deadline") == 0;
}

/* In each block of tasks at least once by what orders them, places them and writes it down. */
START_TEST(algorithms_ask_often)
{
    const hs_algorithm *alg = hs_algorithm_at((size_t)_i);
    hs_instance        *in;
    caller              c = {0, 0};
    hs_settings         settings = asking(&c);
    hs_schedule        *s = NULL;
    double              makespan;
    int                 whole = !sample_is_in_order(alg); /* the others ask as they place alone */
    long                least = sample_is_policy(alg) ? 16 : 1;

    if (sample_searches(alg))
        return;
    in = uniform(MANY);
    ck_assert_int_eq(hs_solve(alg, in, &settings, &s), HS_OK);
    ck_assert_msg(c.asked >= (whole ? 5 : least) * BLOCKS, "%s asked %ld times", hs_algorithm_name(alg), c.asked);
    hs_schedule_free(s);
    c.asked = 0;
    ck_assert_int_eq(hs_solve_makespan(NULL, alg, in, &settings, &makespan, NULL), HS_OK);
    ck_assert_msg(c.asked >= (whole ? 4 : least) * BLOCKS, "%s asked %ld times", hs_algorithm_name(alg), c.asked);
    hs_instance_free(in);
}
END_TEST

START_TEST(bounds_ask_often)
{
    const hs_bound *bound = hs_bound_at((size_t)_i);
    hs_instance    *in = uniform(MANY);
    caller          c = {0, 0};
    hs_settings     settings = asking(&c);
    double          value;

    if (is_quick(bound)) {
        ck_assert_int_eq(hs_bound_compute(bound, in, &settings, &value), HS_OK);
        ck_assert_msg(c.asked >= 5 * BLOCKS, "%s asked %ld times", hs_bound_name(bound), c.asked);
    }
    hs_instance_free(in);
}
END_TEST

/* Those that guess a makespan ask at each guess, of which there are as many as a double has bits.
 */
START_TEST(guessing_asks)
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

/* Whenever it is told to, an algorithm stops, and there is no schedule. */
START_TEST(stopped_at_any_time)
{
    const hs_algorithm *alg = hs_algorithm_at((size_t)_i);
    hs_instance        *in = uniform(FEW);
    caller              c = {0, 1};
    hs_settings         settings = asking(&c);
    hs_workspace       *ws = NULL;
    const hs_schedule  *s = NULL;

    ck_assert_int_eq(hs_workspace_create(&ws), HS_OK);
    for (; !sample_searches(alg) && !s; c.stop_at++) {
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

/* The same of bounds, and *value is what it was before. */
START_TEST(bounds_stopped_at_any_time)
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

/* A bound that its time limit stops says so, and is one all the same; *value only on HS_OK. */
START_TEST(limits_are_told)
{
    const hs_bound *bound = hs_bound_at((size_t)_i);
    hs_instance    *in = uniform(60), *large = uniform(MANY);
    int             is_search = strcmp(hs_bound_name(bound), "allocation") == 0 ||
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

START_TEST(area_tells_its_limit)
{
    const hs_bound *bound = hs_bound_find("area");
    hs_instance    *in = uniform(20000);
    hs_settings     settings;
    hs_bound_report report;
    double          all, some;

    if (bound) {
        hs_settings_init(&settings);
        hs_bound_report_init(&report);
        ck_assert_int_eq(hs_bound_compute(hs_bound_find("theorem2"), in, NULL, &all), HS_OK);
        settings.time_limit = 1e-9;
        ck_assert_int_eq(hs_bound_compute_reported(bound, in, &settings, &some, &report), HS_OK);
        ck_assert_double_le(some, all * (1 + 1e-12));
        ck_assert(report.limit_reached || some > all * (1 - 1e-9));
    }
    hs_instance_free(in);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cancel");
    TCase *tc = tcase_create("asking");
    int    algorithms = (int)hs_algorithm_count(), bounds = (int)hs_bound_count();

    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, algorithms_ask_often, 0, algorithms);
    tcase_add_loop_test(tc, bounds_ask_often, 0, bounds);
    tcase_add_loop_test(tc, guessing_asks, 0, 2);
    tcase_add_loop_test(tc, stopped_at_any_time, 0, algorithms);
    tcase_add_loop_test(tc, bounds_stopped_at_any_time, 0, bounds);
    tcase_add_loop_test(tc, limits_are_told, 0, bounds);
    tcase_add_test(tc, area_tells_its_limit);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
