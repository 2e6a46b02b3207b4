/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Every algorithm's schedule equals, bit for bit, the literal execution of the algorithm's
 * definition (literal_*.c).
 */

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "dice.h"
#include "literal.h"
#include "suite.h"

static void check_algorithm(const sample *s, const hs_algorithm *alg, const hs_settings *settings)
{
    const char  *name = hs_algorithm_name(alg), *differs;
    literal      run = literal_find(name);
    hs_schedule *found = NULL;
    plan         expected = {0, 0, NULL};
    hs_status    st;

    if (!run)
        return;
    st = hs_solve(alg, s->in, settings, &found);
    REQUIRE(s, st == HS_OK, "%s: %s", name, hs_status_text(st));
    run(s, settings, &expected);
    differs = plan_first_difference(&expected, found, s);
    REQUIRE(s, !differs, "%s is not what its definition gives: %s differs", name, differs);
    plan_free(&expected);
    hs_schedule_free(found);
}

static void check_samples(uint64_t first_seed, size_t rounds, size_t tasks, unsigned workers)
{
    hs_affinity *wishes = literal_allocate(tasks, sizeof *wishes);
    hs_settings  settings;
    sample       s;
    size_t       i, a;

    for (i = 0; i < rounds; i++) {
        sample_make(&s, first_seed + i, tasks, workers);
        sample_draw_settings(&s, &settings, wishes);
        if (i % 4 == 0)
            sample_make_some_not_restartable(&s);
        for (a = 0; a < hs_algorithm_count(); a++)
            if (!algorithm_takes_seconds(hs_algorithm_at(a)))
                check_algorithm(&s, hs_algorithm_at(a), &settings);
        sample_free(&s);
    }
    free(wishes);
}

START_TEST(every_algorithm_has_a_literal_form)
{
    size_t a, found = 0;

    for (a = 0; a < hs_algorithm_count(); a++)
        found += literal_find(hs_algorithm_name(hs_algorithm_at(a))) != NULL;
    ck_assert_uint_eq(found, 10);
}
END_TEST

START_TEST(few_tasks_are_scheduled_as_in_the_literal_form)
{
    check_samples(11000000, rounds_scaled(12000), 8, 3);
}
END_TEST

START_TEST(some_tasks_are_scheduled_as_in_the_literal_form)
{
    check_samples(12000000, rounds_scaled(2500), 40, 6);
}
END_TEST

START_TEST(many_tasks_are_scheduled_as_in_the_literal_form)
{
    check_samples(13000000, rounds_scaled(60), 200, 24);
}
END_TEST

/*
 * Check the balanced algorithms with many workers of a type and long tasks: tasks moved to that
 * type come to dominate, several at a time, and loads tie.
 */
START_TEST(dominating_tasks_are_scheduled_as_in_the_literal_form)
{
    size_t      rounds = rounds_scaled(8000), i, a;
    hs_settings settings;
    sample      s;

    hs_settings_init(&settings);
    for (i = 0; i < rounds; i++) {
        unsigned few = 1 + i % 3, many = 2 + i / 3 % 19;

        sample_make_family(&s, i & 1 ? SAMPLE_TENTHS : SAMPLE_PLATEAU, 15000000 + i, 3 + i % 41,
                           i & 2 ? few : many, i & 2 ? many : few, 0);
        for (a = 0; a < hs_algorithm_count(); a++)
            if (strncmp(hs_algorithm_name(hs_algorithm_at(a)), "balanced", 8) == 0)
                check_algorithm(&s, hs_algorithm_at(a), &settings);
        sample_free(&s);
    }
}
END_TEST

START_TEST(each_family_is_scheduled_as_in_the_literal_form)
{
    static const unsigned workers[][2] = {{20, 4}, {1, 1}, {3, 3}, {1, 6}};
    hs_settings           settings;
    sample                s;
    size_t                i, a, rounds = rounds_scaled(120);

    hs_settings_init(&settings);
    for (i = 0; i < rounds; i++) {
        const unsigned *w = workers[i / SAMPLE_FAMILIES % 4];

        sample_make_family(&s, (sample_family)(i % SAMPLE_FAMILIES), 14000000 + i, 150, w[0], w[1],
                           i % 3 == 0);
        for (a = 0; a < hs_algorithm_count(); a++)
            if (!algorithm_takes_seconds(hs_algorithm_at(a)))
                check_algorithm(&s, hs_algorithm_at(a), &settings);
        sample_free(&s);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("literal");
    TCase *cases = tcase_create("transcriptions");

    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, every_algorithm_has_a_literal_form);
    tcase_add_test(cases, few_tasks_are_scheduled_as_in_the_literal_form);
    tcase_add_test(cases, some_tasks_are_scheduled_as_in_the_literal_form);
    tcase_add_test(cases, many_tasks_are_scheduled_as_in_the_literal_form);
    tcase_add_test(cases, dominating_tasks_are_scheduled_as_in_the_literal_form);
    tcase_add_test(cases, each_family_is_scheduled_as_in_the_literal_form);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
