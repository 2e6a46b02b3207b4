/* SPDX-License-Identifier: BSD-3-Clause */

/* Texts of statuses and units, registries, structures of callers of other versions, and settings
 * refused by hs_solve(). */

#include <check.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include <hybridsched/hybridsched.h>

#include "property/sample.h"

#include "suite.h"
#include "support/vector.h"

START_TEST(every_status_has_a_text)
{
    static const hs_status all[] = {
#define X(name, value, text) HS_##name,
        HS_STATUS_MAP(X)
#undef X
    };
    size_t i, j;

    for (i = 0; i < sizeof all / sizeof *all; i++) {
        ck_assert_int_eq(all[i], -(int)i);
        ck_assert(*hs_status_text(all[i]));
        for (j = 0; j < i; j++)
            ck_assert_str_ne(hs_status_text(all[i]), hs_status_text(all[j]));
    }
    ck_assert_str_eq(hs_status_text(HS_OK), "success");
    ck_assert_str_eq(hs_status_text((hs_status)-1000), "unknown status");
}
END_TEST

START_TEST(version_equals_the_headers)
{
    char text[32];

    ck_assert_uint_eq(hs_library_version(), HS_VERSION_HEX);
    ck_assert_str_eq(hs_library_version_string(), HS_VERSION_STRING);
    snprintf(text, sizeof text, "%u.%u.%u", hs_library_version() >> 16, hs_library_version() >> 8 & 0xff,
             hs_library_version() & 0xff);
    ck_assert_int_eq(strncmp(text, HS_VERSION_STRING, strlen(text)), 0);
    ck_assert_ptr_nonnull(strchr("+", HS_VERSION_STRING[strlen(text)])); /* "+" or the end */
    ck_assert_int_eq(hs_has_glpk(), hs_bound_find("mip") != NULL);
}
END_TEST

START_TEST(units_are_converted_to_seconds)
{
    ck_assert_double_eq(hs_unit_seconds(HS_SECONDS), 1);
    ck_assert_double_eq(hs_unit_seconds(HS_MILLISECONDS), 1e-3);
    ck_assert_double_eq(hs_unit_seconds(HS_MICROSECONDS), 1e-6);
    ck_assert_double_eq(hs_unit_seconds(HS_NANOSECONDS), 1e-9);
    ck_assert_double_eq(hs_unit_seconds((hs_unit)(HS_NANOSECONDS + 1)), 0);
    ck_assert_str_eq(hs_unit_name(HS_SECONDS), "s");
    ck_assert_str_eq(hs_unit_name(HS_NANOSECONDS), "ns");
    ck_assert_ptr_null(hs_unit_name((hs_unit)(HS_NANOSECONDS + 1)));
}
END_TEST

START_TEST(registries_are_walked_and_searched)
{
    size_t i;

    for (i = 0; i < hs_algorithm_count(); i++) {
        const hs_algorithm *alg = hs_algorithm_at(i);

        ck_assert_ptr_eq(hs_algorithm_find(hs_algorithm_name(alg)), alg);
        ck_assert(*hs_algorithm_summary(alg) && *hs_algorithm_source(alg) &&
                  *hs_algorithm_cost(alg));
        ck_assert(hs_algorithm_guarantee(alg, 20, 4, NULL) >= 1);
    }
    for (i = 0; i < hs_bound_count(); i++) {
        const hs_bound *bound = hs_bound_at(i);

        ck_assert_ptr_eq(hs_bound_find(hs_bound_name(bound)), bound);
        ck_assert(*hs_bound_summary(bound) && *hs_bound_source(bound) && *hs_bound_cost(bound));
    }
    ck_assert_ptr_null(hs_algorithm_at(hs_algorithm_count()));
    ck_assert_ptr_null(hs_algorithm_at(SIZE_MAX));
    ck_assert_ptr_null(hs_algorithm_find("heteropri"));
    ck_assert_ptr_null(hs_algorithm_find(""));
    ck_assert_ptr_null(hs_algorithm_find(NULL));
    ck_assert_ptr_null(hs_bound_at(hs_bound_count()));
    ck_assert_ptr_null(hs_bound_find("Theorem2"));
    ck_assert_ptr_null(hs_bound_find(NULL));
}
END_TEST

START_TEST(guarantees_equal_the_papers)
{
    const hs_algorithm *hp = hs_algorithm_find("heteroprio"), *dada = hs_algorithm_find("dada");
    hs_affinity         wish = {0, 0, 1};
    hs_settings         settings;

    ck_assert_double_eq_tol(hs_algorithm_guarantee(hp, 1, 1, NULL), 1.6180339887498949, 1e-15);
    ck_assert_double_eq_tol(hs_algorithm_guarantee(hp, 1, 9, NULL), 2.6180339887498949, 1e-15);
    ck_assert_double_eq_tol(hs_algorithm_guarantee(hp, 9, 1, NULL), 2.6180339887498949, 1e-15);
    ck_assert_double_eq_tol(hs_algorithm_guarantee(hp, 2, 2, NULL), 3.4142135623730951, 1e-15);
    ck_assert(hs_algorithm_guarantee(hp, 4, 0, NULL) == 1.75);
    ck_assert(isinf(hs_algorithm_guarantee(hs_algorithm_find("heft"), 1, 1, NULL)));
    ck_assert(hs_algorithm_guarantee(hs_algorithm_find("balanced-estimate"), 1, 1, NULL) == 2);
    hs_settings_init(&settings);
    settings.parameters.alpha = 0.5;
    ck_assert(hs_algorithm_guarantee(dada, 1, 1, &settings) == 2);
    settings.affinities = &wish;
    settings.affinity_count = 1;
    ck_assert(hs_algorithm_guarantee(dada, 1, 1, &settings) == 2.5);
    settings.parameters.alpha = 2;
    ck_assert(isinf(hs_algorithm_guarantee(dada, 1, 1, &settings)));
}
END_TEST

/* Return an instance for two CPUs and a GPU; tasks take 1, 2, 4 on a CPU, 3, 3, inf on a GPU. */
static hs_instance *an_instance(void)
{
    static const double cpu[] = {1, 2, 4}, gpu[] = {3, 3, INFINITY};
    hs_instance        *in = NULL;

    ck_assert_int_eq(hs_instance_wrap(3, cpu, gpu, NULL, 2, 1, &in), HS_OK);
    return in;
}

static int cancel_now(void *calls)
{
    ++*(int *)calls;
    return 1;
}

START_TEST(settings_are_checked)
{
    hs_instance        *in = an_instance();
    const hs_algorithm *dada = hs_algorithm_find("dada");
    hs_affinity         wishes[2] = {{0, 0, 1}, {0, 1, 2}};
    hs_settings         settings;
    hs_schedule        *s = NULL;

    ck_assert_int_eq(hs_solve(NULL, in, NULL, &s), HS_EINVAL);
    ck_assert_int_eq(hs_solve(dada, NULL, NULL, &s), HS_EINVAL);
    ck_assert_int_eq(hs_solve(dada, in, NULL, NULL), HS_EINVAL);
    hs_settings_init(&settings);
    ck_assert_uint_eq(settings.struct_size, sizeof settings);
    settings.parameters.alpha = 1.5;
    ck_assert_int_eq(hs_solve(dada, in, &settings, &s), HS_EINVAL);
    settings.parameters.alpha = NAN;
    ck_assert_int_eq(hs_solve(dada, in, &settings, &s), HS_EINVAL);
    settings.parameters.alpha = 0.5;
    settings.affinity_count = 2;
    ck_assert_int_eq(hs_solve(dada, in, &settings, &s), HS_EINVAL);
    settings.affinities = wishes; /* same task twice */
    ck_assert_int_eq(hs_solve(dada, in, &settings, &s), HS_EINVAL);
    wishes[1] = (hs_affinity){3, 1, 2}; /* unknown task */
    ck_assert_int_eq(hs_solve(dada, in, &settings, &s), HS_EINVAL);
    wishes[1] = (hs_affinity){1, 3, 2}; /* unknown worker */
    ck_assert_int_eq(hs_solve(dada, in, &settings, &s), HS_EINVAL);
    wishes[1] = (hs_affinity){1, 2, NAN};
    ck_assert_int_eq(hs_solve(dada, in, &settings, &s), HS_EINVAL);
    ck_assert_ptr_null(s);
    wishes[1] = (hs_affinity){2, 2, -INFINITY}; /* a task that the GPU cannot run has no effect */
    ck_assert_int_eq(hs_solve(dada, in, &settings, &s), HS_OK);
    ck_assert_int_eq(hs_schedule_check(in, s, NULL), HS_OK);
    hs_schedule_free(s);
    hs_instance_free(in);
}
END_TEST

static double dada_guarantee(void *data, unsigned cpus, unsigned gpus, const hs_settings *settings)
{
    (void)cpus;
    (void)gpus;
    (void)settings;
    return data ? *(const double *)data : 1;
}

static hs_status run_lpt(void *data, const hs_instance *in, const hs_settings *settings,
                         hs_schedule **out)
{
    if (data)
        ++*(double *)data;
    return hs_solve(hs_algorithm_find("lpt"), in, settings, out);
}

/* Ignore the members of an algorithm beyond its struct_size; refuse an algorithm without `run`. */
START_TEST(algorithm_is_read_up_to_its_size)
{
    hs_instance *in = an_instance();
    hs_schedule *s = NULL;
    double       makespan = 0, ratio = 5; /* ratio: data of the algorithm, a counter of runs */
    struct {
        hs_algorithm alg;
        char         later[64]; /* fields of a later version of the struct */
    } mine = {{.name = "mine",
               .summary = "lpt",
               .cost = "?",
               .guarantee = dada_guarantee,
               .run = run_lpt},
              "not for this version"};
    const hs_algorithm *alg = &mine.alg;
    const size_t        sizes[] = {0, 1, offsetof(hs_algorithm, name), offsetof(hs_algorithm, run)};
    size_t              i;

    for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        mine.alg.struct_size = sizes[i];
        ck_assert_int_eq(hs_solve(alg, in, NULL, &s), HS_EINVAL);
        ck_assert_int_eq(hs_solve_makespan(NULL, alg, in, NULL, &makespan, NULL), HS_EINVAL);
    }
    ck_assert(hs_algorithm_guarantee(alg, 1, 1, NULL) == 1);
    mine.alg.struct_size = offsetof(hs_algorithm, guarantee);
    ck_assert(isinf(hs_algorithm_guarantee(alg, 1, 1, NULL)));
    ck_assert_str_eq(hs_algorithm_cost(alg), "?");
    mine.alg.struct_size = offsetof(hs_algorithm, cost);
    ck_assert_str_eq(hs_algorithm_cost(alg), "");
    ck_assert_str_eq(hs_algorithm_summary(alg), "lpt");
    mine.alg.struct_size = sizeof mine;
    mine.alg.data = &ratio;
    ck_assert_int_eq(hs_solve(alg, in, NULL, &s), HS_OK);
    ck_assert_double_eq(hs_algorithm_guarantee(alg, 1, 1, NULL), 6);
    hs_schedule_free(s);
    mine.alg = *hs_algorithm_find("lpt"); /* a copy of a built-in algorithm cannot run */
    ck_assert_int_eq(hs_solve(alg, in, NULL, &s), HS_EINVAL);
    hs_instance_free(in);
}
END_TEST

START_TEST(searches_poll_the_cancel_callback)
{
    hs_instance *in = an_instance();
    int          calls = 0, asked = 0;
    hs_settings  settings;
    size_t       i;

    hs_settings_init(&settings);
    settings.cancel = cancel_now;
    settings.cancel_data = &calls;
    for (i = 0; i < hs_algorithm_count(); i++) {
        hs_schedule *s = NULL;
        hs_status    st;

        if (algorithm_takes_seconds(hs_algorithm_at(i)))
            continue; /* a cancelled search returns its best schedule */
        calls = 0;
        st = hs_solve(hs_algorithm_at(i), in, &settings, &s);
        ck_assert_int_eq(st, calls ? HS_ECANCELED : HS_OK);
        ck_assert_int_eq(s != NULL, st == HS_OK);
        asked += calls;
        hs_schedule_free(s);
    }
    ck_assert_int_gt(asked, 0);
    hs_instance_free(in);
}
END_TEST

/* Add a task of an older caller, with fewer members: bytes beyond its struct_size are not read. */
START_TEST(task_is_read_up_to_its_size)
{
    hs_builder *b = NULL;
    hs_task     task;

    memset(&task, 0x5a, sizeof task);
    task.struct_size = offsetof(hs_task, priority);
    task.id = NULL;
    task.cpu = task.gpu = 1;
    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    hs_builder_free(b);
}
END_TEST

START_TEST(negative_settings_are_refused)
{
    const double one = 1;
    hs_instance *in = NULL;
    hs_schedule *s = NULL;
    hs_settings  settings;

    ck_assert_int_eq(hs_instance_wrap(1, &one, &one, NULL, 1, 0, &in), HS_OK);
    hs_settings_init(&settings);
    settings.gap = -1e-9;
    ck_assert_int_eq(hs_solve(hs_algorithm_find("lpt"), in, &settings, &s), HS_EINVAL);
    settings.gap = 0;
    settings.time_limit = NAN;
    ck_assert_int_eq(hs_solve(hs_algorithm_find("lpt"), in, &settings, &s), HS_EINVAL);
    hs_instance_free(in);
}
END_TEST

/* Fill a report of an older caller, with fewer members: bytes beyond its struct_size are not
 * written. */
START_TEST(report_is_written_up_to_its_size)
{
    const double one = 1;
    hs_instance *in = NULL;
    hs_schedule *s = NULL;
    hs_report    report, before;

    memset(&report, 0x5a, sizeof report);
    report.struct_size = sizeof report.struct_size;
    before = report;
    ck_assert_int_eq(hs_instance_wrap(1, &one, &one, NULL, 1, 0, &in), HS_OK);
    ck_assert_int_eq(hs_solve_reported(hs_algorithm_find("lpt"), in, NULL, &s, &report), HS_OK);
    ck_assert_mem_eq(&report, &before, sizeof report);
    hs_schedule_free(s);
    hs_instance_free(in);
}
END_TEST

START_TEST(freed_vector_is_empty)
{
    hsi_vector v = {0};

    for (int round = 0; round < 2; round++) {
        ck_assert_int_eq(hsi_vector_append(&v, "text", 5), 0);
        hsi_vector_free(&v);
        ck_assert(!v.data && v.size == 0 && v.capacity == 0);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("core");
    TCase *tables = tcase_create("tables"), *solving = tcase_create("solving");

    tcase_add_test(tables, every_status_has_a_text);
    tcase_add_test(tables, freed_vector_is_empty);
    tcase_add_test(tables, task_is_read_up_to_its_size);
    tcase_add_test(tables, report_is_written_up_to_its_size);
    tcase_add_test(tables, version_equals_the_headers);
    tcase_add_test(tables, units_are_converted_to_seconds);
    tcase_add_test(tables, registries_are_walked_and_searched);
    tcase_add_test(tables, guarantees_equal_the_papers);
    suite_add_tcase(suite, tables);
    tcase_add_test(solving, settings_are_checked);
    tcase_add_test(solving, negative_settings_are_refused);
    tcase_add_test(solving, algorithm_is_read_up_to_its_size);
    tcase_add_test(solving, searches_poll_the_cancel_callback);
    suite_add_tcase(suite, solving);
    return run_suite(suite);
}
