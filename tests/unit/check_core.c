/* SPDX-License-Identifier: BSD-3-Clause */

/* Texts, registries, schedules, metrics, the checker, and what is refused. */

#include <check.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include <hybridsched/hybridsched.h>

#include "core/schedule_impl.h"

#include "property/sample.h"

#include "suite.h"

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

START_TEST(the_version_is_the_headers)
{
    char text[32];

    ck_assert_uint_eq(hs_version(), HS_VERSION_HEX);
    ck_assert_str_eq(hs_version_string(), HS_VERSION_STRING);
    snprintf(text, sizeof text, "%u.%u.%u", hs_version() >> 16, hs_version() >> 8 & 0xff,
             hs_version() & 0xff);
    ck_assert_str_eq(text, HS_VERSION_STRING);
    ck_assert_int_eq(hs_has_glpk(), hs_bound_find("area") != NULL);
}
END_TEST

START_TEST(units_are_told_in_seconds)
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

START_TEST(guarantees_are_the_papers)
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
    settings.alpha = 0.5;
    ck_assert(hs_algorithm_guarantee(dada, 1, 1, &settings) == 2);
    settings.affinities = &wish;
    settings.affinity_count = 1;
    ck_assert(hs_algorithm_guarantee(dada, 1, 1, &settings) == 2.5);
    settings.alpha = 2;
    ck_assert(isinf(hs_algorithm_guarantee(dada, 1, 1, &settings)));
}
END_TEST

START_TEST(schedules_are_sorted)
{
    static const hs_placement given[] = {
        {3, 5, 0, 2, HS_RUN},     {0, 3, 1, 2, HS_ABORTED}, {5, 5, 2, 2, HS_ABORTED},
        {0, 1, 1, 0, HS_RUN},     {5, 6, 3, 2, HS_RUN},     {5, 5, 4, 2, HS_RUN},
    };
    static const uint32_t expected[] = {1, 0, 2, 4, 3};
    hs_schedule          *s = NULL;
    const hs_entry       *entries;
    size_t                count, i;

    ck_assert_int_eq(hs_schedule_build(2, 2, 6, given, &s), HS_OK);
    ck_assert_uint_eq(hs_schedule_cpus(s), 2);
    ck_assert_uint_eq(hs_schedule_gpus(s), 2);
    ck_assert_uint_eq(hs_schedule_size(s), 6);
    ck_assert(hs_schedule_makespan(s) == 6);
    entries = hs_schedule_entries(s, 2, &count);
    ck_assert_uint_eq(count, 5);
    for (i = 0; i < count; i++)
        ck_assert_uint_eq(entries[i].task, expected[i]);
    ck_assert_uint_eq(entries[0].state, HS_ABORTED);
    hs_schedule_entries(s, 1, &count);
    ck_assert_uint_eq(count, 0);
    hs_schedule_entries(s, 3, &count);
    ck_assert_uint_eq(count, 0);
    ck_assert(hs_schedule_load(s, 2) == 3 && hs_schedule_load(s, 1) == 0);
    hs_schedule_free(s);
    hs_schedule_free(NULL);
}
END_TEST

static hs_status build_one(double start, double end, uint32_t worker, uint32_t state)
{
    hs_placement given = {start, end, 0, worker, state};
    hs_schedule *s = NULL;
    hs_status    st = hs_schedule_build(1, 1, 1, &given, &s);

    ck_assert((st == HS_OK) == (s != NULL));
    hs_schedule_free(s);
    return st;
}

START_TEST(schedules_refuse_what_makes_no_sense)
{
    hs_schedule *s = NULL;

    ck_assert_int_eq(build_one(0, 1, 1, HS_RUN), HS_OK);
    ck_assert_int_eq(build_one(0, 1, 2, HS_RUN), HS_EINVAL);
    ck_assert_int_eq(build_one(0, 1, 0, 2), HS_EINVAL);
    ck_assert_int_eq(build_one(-1, 1, 0, HS_RUN), HS_EINVAL);
    ck_assert_int_eq(build_one(2, 1, 0, HS_RUN), HS_EINVAL);
    ck_assert_int_eq(build_one(0, INFINITY, 0, HS_RUN), HS_EINVAL);
    ck_assert_int_eq(build_one(INFINITY, INFINITY, 0, HS_RUN), HS_EINVAL);
    ck_assert_int_eq(build_one(NAN, 1, 0, HS_RUN), HS_EINVAL);
    ck_assert_int_eq(build_one(0, NAN, 0, HS_RUN), HS_EINVAL);
    ck_assert_int_eq(hs_schedule_build(0, 0, 0, NULL, &s), HS_EINVAL);
    ck_assert_int_eq(hs_schedule_build(1, 0, 1, NULL, &s), HS_EINVAL);
    ck_assert_int_eq(hs_schedule_build(1, 0, 0, NULL, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_schedule_build(UINT_MAX, 1, 0, NULL, &s), HS_EINVAL);
    ck_assert_int_eq(hs_schedule_build(0, HS_MAX_WORKERS + 1, 0, NULL, &s), HS_EINVAL);
    ck_assert_int_eq(hs_schedule_build(0, 3, 0, NULL, &s), HS_OK);
    ck_assert(hs_schedule_makespan(s) == 0 && hs_schedule_size(s) == 0);
    hs_schedule_free(s);
}
END_TEST

START_TEST(workers_have_names)
{
    char name[16];

    hs_worker_name(3, 0, name);
    ck_assert_str_eq(name, "cpu0");
    hs_worker_name(3, 2, name);
    ck_assert_str_eq(name, "cpu2");
    hs_worker_name(3, 3, name);
    ck_assert_str_eq(name, "gpu0");
    hs_worker_name(HS_MAX_WORKERS, 2 * HS_MAX_WORKERS - 1, name);
    ck_assert_str_eq(name, "gpu999999");
    hs_worker_name(0, UINT_MAX, name);
    ck_assert_str_eq(name, "gpu4294967295");
}
END_TEST

START_TEST(metrics_are_sums)
{
    static const double       cpu[] = {3, 8, 5}, gpu[] = {1, 2, INFINITY};
    static const hs_placement given[] = {
        {0, 1.5, 1, 0, HS_ABORTED}, {1.5, 6.5, 2, 0, HS_RUN}, {0, 1, 0, 2, HS_RUN},
        {1.5, 3.5, 1, 2, HS_RUN},
    };
    hs_instance *in = NULL;
    hs_schedule *s = NULL;
    hs_metrics   m;

    ck_assert_int_eq(hs_instance_wrap(3, cpu, gpu, NULL, 2, 1, &in), HS_OK);
    ck_assert_int_eq(hs_schedule_build(2, 1, 4, given, &s), HS_OK);
    ck_assert_int_eq(hs_schedule_check(in, s, NULL), HS_OK);
    hs_schedule_metrics(in, s, &m);
    ck_assert(m.makespan == 6.5);
    ck_assert_uint_eq(m.type[HS_CPU].tasks, 1);
    ck_assert_uint_eq(m.type[HS_CPU].aborted, 1);
    ck_assert(m.type[HS_CPU].busy == 5 && m.type[HS_CPU].idle == 8);
    ck_assert(m.type[HS_CPU].acceleration == 0);
    ck_assert_uint_eq(m.type[HS_GPU].tasks, 2);
    ck_assert_uint_eq(m.type[HS_GPU].aborted, 0);
    ck_assert(m.type[HS_GPU].busy == 3 && m.type[HS_GPU].idle == 3.5);
    ck_assert(m.type[HS_GPU].acceleration == 11.0 / 3);
    hs_schedule_free(s);
    ck_assert_int_eq(hs_schedule_build(2, 1, 0, NULL, &s), HS_OK);
    hs_schedule_metrics(in, s, &m);
    ck_assert(m.makespan == 0 && isnan(m.type[HS_CPU].acceleration) && m.type[HS_GPU].idle == 0);
    hs_schedule_free(s);
    hs_instance_free(in);
}
END_TEST

/* Two CPUs and a GPU; tasks take 1, 2, 4 on a CPU, 3, 3, inf on a GPU. */
static hs_instance *an_instance(void)
{
    static const double cpu[] = {1, 2, 4}, gpu[] = {3, 3, INFINITY};
    hs_instance        *in = NULL;

    ck_assert_int_eq(hs_instance_wrap(3, cpu, gpu, NULL, 2, 1, &in), HS_OK);
    return in;
}

typedef struct broken_plan {
    hs_violation_kind kind;
    unsigned          worker;
    size_t            entry, task;
    double            expected, found;
    size_t            count;
    hs_placement      at[5];
} broken_plan;

static const broken_plan plans[] = {
    {HS_VALID, 0, 0, 0, 0, 0, 3, {{0, 4, 2, 0, 0}, {0, 1, 0, 1, 0}, {1, 3, 1, 1, 0}}},
    {HS_VALID, 0, 0, 0, 0, 0, 4, /* aborted in the middle, run later elsewhere */
     {{0, 4, 2, 0, 0}, {0, 1, 0, 1, 0}, {0, 1, 1, 2, 1}, {1, 3, 1, 1, 0}}},
    {HS_VALID, 0, 0, 0, 0, 0, 4, /* aborted when it would have ended */
     {{0, 4, 2, 0, 0}, {0, 1, 0, 1, 0}, {0, 3, 1, 2, 1}, {3, 5, 1, 1, 0}}},
    {HS_UNKNOWN_TASK, 1, 0, 3, 0, 0, 1, {{0, 1, 3, 1, 0}}},
    {HS_CANNOT_RUN, 2, 0, 2, 0, 0, 1, {{0, 1, 2, 2, 0}}},
    {HS_CANNOT_RUN, 2, 0, 2, 0, 0, 1, {{0, 1, 2, 2, 1}}}, /* nor be tried */
    {HS_WRONG_END, 0, 1, 1, 4, 3.5, 2, {{0, 1, 0, 0, 0}, {2, 3.5, 1, 0, 0}}},
    {HS_WRONG_END, 0, 0, 0, 1, 0x1.0000000000001p0, 1, {{0, 0x1.0000000000001p0, 0, 0, 0}}},
    {HS_ABORTED_TOO_LATE, 1, 0, 1, 2, 2.5, 1, {{0, 2.5, 1, 1, 1}}},
    {HS_OVERLAP, 0, 1, 1, 1, 0.5, 2, {{0, 1, 0, 0, 0}, {0.5, 2.5, 1, 0, 0}}},
    {HS_OVERLAP, 0, 1, 0, 1.5, 1, 2, {{0, 1.5, 1, 0, 1}, {1, 2, 0, 0, 0}}},
    {HS_RUN_TWICE, 1, 0, 0, 0, 5, 2, {{0, 1, 0, 0, 0}, {5, 6, 0, 1, 0}}},
    {HS_NEVER_RUN, 0, 0, 1, 0, 0, 2, {{0, 1, 0, 0, 0}, {0, 4, 2, 1, 0}}},
    {HS_NEVER_RUN, 0, 0, 1, 0, 0, 3, {{0, 1, 0, 0, 0}, {0, 4, 2, 1, 0}, {0, 1, 1, 2, 1}}},
    {HS_RUN_BEFORE_ABORT, 0, 0, 1, 1.5, 1, 4,
     {{0, 4, 2, 0, 0}, {0, 1, 0, 1, 0}, {0, 1.5, 1, 2, 1}, {1, 3, 1, 1, 0}}},
    {HS_VALID, 0, 0, 0, 0, 0, 5, /* aborted twice, the second time at once */
     {{1.5, 5.5, 2, 0, 0}, {0, 1.5, 1, 0, 1}, {1.5, 1.5, 1, 2, 1}, {1.5, 3.5, 1, 1, 0},
      {0, 1, 0, 1, 0}}},
    /* The latest end counts, whichever worker says it first. */
    {HS_RUN_BEFORE_ABORT, 0, 0, 1, 2, 1.5, 5,
     {{2, 6, 2, 0, 0}, {0, 2, 1, 0, 1}, {0, 1, 0, 1, 0}, {1, 1.25, 1, 1, 1}, {1.5, 4.5, 1, 2, 0}}},
    {HS_RUN_BEFORE_ABORT, 0, 0, 1, 2, 1.5, 5,
     {{2, 6, 2, 1, 0}, {0, 2, 1, 1, 1}, {0, 1, 0, 0, 0}, {1, 1.25, 1, 0, 1}, {1.5, 4.5, 1, 2, 0}}},
    {HS_TASK_OVERLAP, 1, 1, 1, 2, 1, 5,
     {{2, 6, 2, 0, 0}, {0, 2, 1, 0, 1}, {0, 1, 0, 1, 0}, {1, 1.25, 1, 1, 1}, {2, 5, 1, 2, 0}}},
    {HS_TASK_OVERLAP, 1, 1, 1, 2, 1, 5,
     {{2, 6, 2, 0, 0}, {0, 2, 1, 0, 1}, {0, 1, 0, 1, 0}, {1, 3, 1, 1, 1}, {3, 6, 1, 2, 0}}},
};

START_TEST(violations_are_found_and_placed)
{
    const broken_plan *p = &plans[_i];
    hs_instance       *in = an_instance();
    hs_schedule       *s = NULL;
    hs_violation       v;

    ck_assert_int_eq(hs_schedule_build(2, 1, p->count, p->at, &s), HS_OK);
    ck_assert_int_eq(hs_schedule_check(in, s, &v), p->kind ? HS_ESCHEDULE : HS_OK);
    ck_assert_int_eq(hs_schedule_check(in, s, NULL), p->kind ? HS_ESCHEDULE : HS_OK);
    ck_assert_msg(v.kind == p->kind, "%s instead of %s", hs_violation_text(v.kind),
                  hs_violation_text(p->kind));
    if (p->kind != HS_VALID) {
        ck_assert_uint_eq(v.worker, p->worker);
        ck_assert_uint_eq(v.entry, p->entry);
        ck_assert_uint_eq(v.task, p->task);
        ck_assert(v.expected == p->expected && v.found == p->found);
    }
    hs_schedule_free(s);
    hs_instance_free(in);
}
END_TEST

START_TEST(other_workers_are_a_violation)
{
    static const unsigned others[][2] = {{1, 1}, {2, 0}, {1, 2}, {3, 1}};
    hs_instance          *in = an_instance();
    hs_schedule          *s = NULL;
    hs_violation          v;
    size_t                i;

    for (i = 0; i < 4; i++) {
        ck_assert_int_eq(hs_schedule_build(others[i][0], others[i][1], 0, NULL, &s), HS_OK);
        ck_assert_int_eq(hs_schedule_check(in, s, &v), HS_ESCHEDULE);
        ck_assert_int_eq(v.kind, HS_WORKERS_DIFFER);
        hs_schedule_free(s);
    }
    ck_assert_int_eq(hs_schedule_check(in, NULL, &v), HS_EINVAL);
    hs_instance_free(in);
}
END_TEST

/* Times that hs_schedule_build() refuses, put in behind its back. */
START_TEST(times_that_are_no_times_are_a_violation)
{
    static const double times[][2] = {{-1, 0}, {NAN, 1}, {INFINITY, INFINITY}, {0, NAN},
                                      {0, INFINITY}, {1, 0.5}};
    hs_placement given = {0, 1, 0, 0, HS_RUN};
    hs_instance *in = an_instance();
    hs_schedule *s = NULL;
    hs_violation v;
    size_t       i;

    ck_assert_int_eq(hs_schedule_build(2, 1, 1, &given, &s), HS_OK);
    for (i = 0; i < sizeof times / sizeof *times; i++) {
        s->entries[0].start = times[i][0];
        s->entries[0].end = times[i][1];
        ck_assert_int_eq(hs_schedule_check(in, s, &v), HS_ESCHEDULE);
        ck_assert_int_eq(v.kind, HS_NOT_FINITE);
    }
    hs_schedule_free(s);
    hs_instance_free(in);
}
END_TEST

START_TEST(every_violation_has_a_text)
{
    int i, j;

    for (i = HS_VALID; i <= HS_TASK_OVERLAP; i++)
        for (j = HS_VALID; j < i; j++)
            ck_assert_str_ne(hs_violation_text((hs_violation_kind)i),
                             hs_violation_text((hs_violation_kind)j));
    ck_assert_str_eq(hs_violation_text((hs_violation_kind)-1), "unknown violation");
}
END_TEST

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
    settings.alpha = 1.5;
    ck_assert_int_eq(hs_solve(dada, in, &settings, &s), HS_EINVAL);
    settings.alpha = NAN;
    ck_assert_int_eq(hs_solve(dada, in, &settings, &s), HS_EINVAL);
    settings.alpha = 0.5;
    settings.affinity_count = 2;
    ck_assert_int_eq(hs_solve(dada, in, &settings, &s), HS_EINVAL);
    settings.affinities = wishes; /* one task twice */
    ck_assert_int_eq(hs_solve(dada, in, &settings, &s), HS_EINVAL);
    wishes[1] = (hs_affinity){3, 1, 2}; /* unknown task */
    ck_assert_int_eq(hs_solve(dada, in, &settings, &s), HS_EINVAL);
    wishes[1] = (hs_affinity){1, 3, 2}; /* unknown worker */
    ck_assert_int_eq(hs_solve(dada, in, &settings, &s), HS_EINVAL);
    wishes[1] = (hs_affinity){1, 2, NAN};
    ck_assert_int_eq(hs_solve(dada, in, &settings, &s), HS_EINVAL);
    ck_assert_ptr_null(s);
    wishes[1] = (hs_affinity){2, 2, -INFINITY}; /* where it cannot run: not granted */
    ck_assert_int_eq(hs_solve(dada, in, &settings, &s), HS_OK);
    ck_assert_int_eq(hs_schedule_check(in, s, NULL), HS_OK);
    hs_schedule_free(s);
    hs_instance_free(in);
}
END_TEST

static double one(unsigned cpus, unsigned gpus, const hs_settings *settings)
{
    (void)cpus;
    (void)gpus;
    (void)settings;
    return 1;
}

static hs_status run_lpt(const hs_instance *in, const hs_settings *settings, hs_schedule **out)
{
    return hs_solve(hs_algorithm_find("lpt"), in, settings, out);
}

/* What follows the bytes that its maker knew is not the algorithm's. */
START_TEST(algorithms_end_where_their_size_says)
{
    hs_instance *in = an_instance();
    hs_schedule *s = NULL;
    double       makespan = 0;
    struct {
        hs_algorithm alg;
        char         later[64]; /* of a version to come */
    } mine = {{.name = "mine", .summary = "lpt", .cost = "?", .guarantee = one, .run = run_lpt},
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
    ck_assert_int_eq(hs_solve(alg, in, NULL, &s), HS_OK);
    hs_schedule_free(s);
    mine.alg = *hs_algorithm_find("lpt"); /* the library's are known by their place */
    ck_assert_int_eq(hs_solve(alg, in, NULL, &s), HS_EINVAL);
    hs_instance_free(in);
}
END_TEST

START_TEST(whoever_asks_can_be_told_to_stop)
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

        if (sample_searches(hs_algorithm_at(i)))
            continue; /* canceled, they return what they have */
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

START_TEST(allocations_are_checked)
{
    hs_instance  *in = an_instance();
    unsigned char type[3] = {HS_CPU, HS_GPU, HS_GPU};
    hs_schedule  *s = NULL;

    ck_assert_int_eq(hs_solve_lpt(in, type, &s), HS_EWORKER);
    type[2] = 2;
    ck_assert_int_eq(hs_solve_lpt(in, type, &s), HS_EINVAL);
    ck_assert_int_eq(hs_solve_lpt(in, NULL, &s), HS_EINVAL);
    ck_assert_ptr_null(s);
    type[2] = HS_CPU;
    ck_assert_int_eq(hs_solve_lpt(in, type, &s), HS_OK);
    ck_assert(hs_schedule_makespan(s) == 4);
    hs_schedule_free(s);
    hs_instance_free(in);
}
END_TEST

/* Of two that start at once, what ends first comes first. */
START_TEST(entries_are_in_order)
{
    const hs_placement given[] = {{0, 2, 0, 0, HS_RUN}, {0, 1, 1, 0, HS_RUN}};
    hs_schedule       *s = NULL;
    const hs_entry    *entry;
    size_t             count;

    ck_assert_int_eq(hs_schedule_build(1, 0, 2, given, &s), HS_OK);
    entry = hs_schedule_entries(s, 0, &count);
    ck_assert(count == 2 && entry[0].task == 1 && entry[1].task == 0);
    hs_schedule_free(s);
}
END_TEST

/* A task of an older caller has fewer members: what lies behind it is not looked at. */
START_TEST(tasks_end_where_they_end)
{
    hs_builder *b = NULL;
    hs_task     task;

    memset(&task, 0x5a, sizeof task);
    task.struct_size = offsetof(hs_task, priority);
    task.id = NULL;
    task.cpu = task.gpu = 1;
    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_add(b, &task), HS_OK);
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

/* A report of an older caller has fewer members: what lies behind it is not touched. */
START_TEST(reports_end_where_they_end)
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

int main(void)
{
    Suite *suite = suite_create("core");
    TCase *tables = tcase_create("tables"), *schedules = tcase_create("schedules");
    TCase *checker = tcase_create("checker"), *solving = tcase_create("solving");

    tcase_add_test(tables, every_status_has_a_text);
    tcase_add_test(tables, entries_are_in_order);
    tcase_add_test(tables, negative_settings_are_refused);
    tcase_add_test(tables, tasks_end_where_they_end);
    tcase_add_test(tables, reports_end_where_they_end);
    tcase_add_test(tables, the_version_is_the_headers);
    tcase_add_test(tables, units_are_told_in_seconds);
    tcase_add_test(tables, registries_are_walked_and_searched);
    tcase_add_test(tables, guarantees_are_the_papers);
    suite_add_tcase(suite, tables);
    tcase_add_test(schedules, schedules_are_sorted);
    tcase_add_test(schedules, schedules_refuse_what_makes_no_sense);
    tcase_add_test(schedules, workers_have_names);
    tcase_add_test(schedules, metrics_are_sums);
    suite_add_tcase(suite, schedules);
    tcase_add_loop_test(checker, violations_are_found_and_placed, 0, sizeof plans / sizeof *plans);
    tcase_add_test(checker, other_workers_are_a_violation);
    tcase_add_test(checker, times_that_are_no_times_are_a_violation);
    tcase_add_test(checker, every_violation_has_a_text);
    suite_add_tcase(suite, checker);
    tcase_add_test(solving, settings_are_checked);
    tcase_add_test(solving, algorithms_end_where_their_size_says);
    tcase_add_test(solving, whoever_asks_can_be_told_to_stop);
    tcase_add_test(solving, allocations_are_checked);
    suite_add_tcase(suite, solving);
    return run_suite(suite);
}
