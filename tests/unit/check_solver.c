/* SPDX-License-Identifier: BSD-3-Clause */

/* GLPK inside the library must not abort the program, print, exceed time limits, or leave memory
 * behind. */

#include <check.h>
#include <glpk.h>
#include <hybridsched/hybridsched.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "glpk/error_guard.h"
#include "glpk/simplex.h"
#include "support/clock.h"
#include "support/random.h"

#include "suite.h"

typedef struct shape {
    size_t   n;
    unsigned cpus, gpus;
} shape;

typedef struct fixture {
    double      *cpu, *gpu;
    hs_instance *in;
} fixture;

static fixture make_fixture(shape s)
{
    fixture    f = {malloc(s.n * sizeof(double)), malloc(s.n * sizeof(double)), NULL};
    hsi_random source;
    size_t     i;

    hsi_random_seed(&source, s.n, 0);
    for (i = 0; i < s.n; i++) {
        f.cpu[i] = 1 + 20 * hsi_random_unit(&source);
        f.gpu[i] = 0.1 + 2 * hsi_random_unit(&source);
    }
    ck_assert_int_eq(hs_instance_wrap(s.n, f.cpu, f.gpu, NULL, s.cpus, s.gpus, &f.in), HS_OK);
    return f;
}

static void free_fixture(fixture *f)
{
    hs_instance_free(f->in);
    free(f->cpu);
    free(f->gpu);
}

static double bound_within(const char *name, const hs_instance *in, double seconds)
{
    hs_settings settings;
    double      value = -1;

    hs_settings_init(&settings);
    settings.time_limit = seconds;
    ck_assert_int_eq(hs_bound_compute(hs_bound_find(name), in, &settings, &value), HS_OK);
    return value;
}

static double bound_of(const char *name, const hs_instance *in)
{
    return bound_within(name, in, 0);
}

static hs_status raise_glpk_error(void *data)
{
    glp_prob *lp = glp_create_prob();

    *(int *)data = 1;
    glp_add_rows(lp, -1);
    *(int *)data = 2;
    return HS_OK;
}

static hs_status run_out_of_memory(void *data)
{
    (void)data;
    glp_mem_limit(1);
    glp_alloc(2000, 1000);
    return HS_OK;
}

static hs_status return_error(void *data)
{
    (void)data;
    return HS_EINVAL;
}

START_TEST(coefficients_are_near_one)
{
    ck_assert_double_eq(hsi_lp_coefficient(0.75), 0.75);
    ck_assert_double_eq(hsi_lp_coefficient(0x1p-1074), 0);
    ck_assert_double_eq(hsi_lp_coefficient(0), 0);
    ck_assert(isfinite(hsi_lp_coefficient(INFINITY)));
}
END_TEST

START_TEST(errors_become_a_status_and_nothing_else_changes)
{
    fixture f = make_fixture((shape){30, 3, 2});
    double  before = bound_of("allocation", f.in);
    int     reached = 0, i;

    for (i = 0; i < 100; i++) {
        ck_assert_int_eq(hsi_glpk_guarded(raise_glpk_error, &reached), HS_ESOLVER);
        ck_assert_int_eq(reached, 1);
        ck_assert_int_eq(hsi_glpk_guarded(run_out_of_memory, NULL), HS_ENOMEM);
        ck_assert_int_eq(hsi_glpk_guarded(return_error, NULL), HS_EINVAL);
        ck_assert(bound_of("allocation", f.in) == before);
    }
    free_fixture(&f);
}
END_TEST

START_TEST(no_environment_is_left_behind)
{
    fixture f = make_fixture((shape){30, 3, 2});
    int     reached = 0;

    bound_of("configuration", f.in);
    ck_assert_int_eq(glp_init_env(), 0); /* 0: there was none */
    glp_free_env();
    ck_assert_int_eq(hsi_glpk_guarded(raise_glpk_error, &reached), HS_ESOLVER);
    ck_assert_int_eq(glp_init_env(), 0);
    glp_free_env();
    free_fixture(&f);
}
END_TEST

START_TEST(the_callers_own_glpk_objects_survive)
{
    fixture   f = make_fixture((shape){30, 3, 2});
    glp_prob *mine = glp_create_prob();

    glp_set_prob_name(mine, "mine");
    glp_term_out(GLP_ON);
    bound_of("configuration", f.in);
    bound_of("allocation", f.in);
    bound_within("mip", f.in, 0.2);
    ck_assert_str_eq(glp_get_prob_name(mine), "mine");
    ck_assert_int_eq(glp_term_out(GLP_ON), GLP_ON);
    glp_delete_prob(mine);
    glp_free_env();
    free_fixture(&f);
}
END_TEST

START_TEST(glpk_prints_nothing)
{
    fixture f = make_fixture((shape){100, 5, 2});
    int     reached = 0, ends[2], old = dup(STDOUT_FILENO);
    char    byte;

    fflush(stdout);
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_ge(dup2(ends[1], STDOUT_FILENO), 0);
    close(ends[1]);
    bound_of("configuration", f.in);
    bound_of("allocation", f.in);
    hsi_glpk_guarded(raise_glpk_error, &reached);
    fflush(stdout);
    ck_assert_int_ge(dup2(old, STDOUT_FILENO), 0);
    ck_assert_int_eq(read(ends[0], &byte, 1), 0);
    close(ends[0]);
    close(old);
    free_fixture(&f);
}
END_TEST

typedef struct limited {
    const char *bound;
    shape       shape;
} limited;

static const limited hard[] = {
    {"allocation", {300, 20, 4}}, {"allocation", {5000, 20, 4}}, {"allocation", {100000, 20, 4}},
    {"mip", {30, 4, 2}},          {"mip", {300, 20, 4}},
    {"mip", {1000, 20, 4}},          {"mip", {1000, 2, 1}},       {"mip", {100, 500, 500}},
    {"mip", {2, 25000, 25000}},
};

enum { HARD = sizeof hard / sizeof *hard };

/* Seconds allowed between two looks at the clock. Without a time limit most of these LPs would
 * take ten seconds or more. */
enum { GRACE = 3 };

/* Return the processor time of this thread, which other processes do not change. */
static double work_done(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

START_TEST(time_limits_hold)
{
    fixture f = make_fixture(hard[_i].shape);
    double  begin = work_done(), value = bound_within(hard[_i].bound, f.in, 0.3);

    ck_assert_double_le(work_done() - begin, 0.3 + GRACE);
    ck_assert_double_ge(value, bound_of("deadline", f.in));
    free_fixture(&f);
}
END_TEST

typedef struct patience {
    double end, cancelled;
} patience;

static int cancel_late(void *data)
{
    patience *p = data;

    if (hsi_clock_seconds() < p->end)
        return 0;
    if (p->cancelled == 0)
        p->cancelled = work_done();
    return 1;
}

START_TEST(cancel_request_ends_the_search)
{
    fixture     f = make_fixture(hard[_i].shape);
    patience    p = {hsi_clock_seconds() + 0.1, 0};
    hs_settings settings;
    double      value = 0, begin = work_done();
    hs_status   st;

    hs_settings_init(&settings);
    settings.time_limit = INFINITY;
    settings.cancel = cancel_late;
    settings.cancel_data = &p;
    st = hs_bound_compute(hs_bound_find(hard[_i].bound), f.in, &settings, &value);
    ck_assert_double_le(work_done() - begin, 0.1 + GRACE);
    ck_assert(st == HS_ECANCELED || (st == HS_OK && p.cancelled == 0));
    free_fixture(&f);
}
END_TEST

/* A bound may be rounded up to whole numbers only if the times of both types are whole. */
START_TEST(times_of_one_type_may_be_whole)
{
    hs_settings settings;
    hs_report   report;
    hsi_random  source;
    int         round, i, whole;

    hs_settings_init(&settings);
    settings.time_limit = INFINITY;
    hsi_random_seed(&source, 3, 0);
    for (round = 0; round < 40; round++)
        for (whole = HS_CPU; whole <= HS_GPU; whole++) {
            double       time[2][6];
            hs_instance *in;
            hs_schedule *s;

            for (i = 0; i < 6; i++) {
                time[whole][i] = 2 + (double)hsi_random_below(&source, 4);
                time[1 - whole][i] = 0.75 + (double)hsi_random_below(&source, 4);
            }
            hs_report_init(&report);
            ck_assert_int_eq(hs_instance_wrap(6, time[HS_CPU], time[HS_GPU], NULL, 2, 1, &in),
                             HS_OK);
            ck_assert_int_eq(
                hs_solve_reported(hs_algorithm_find("exact"), in, &settings, &s, &report), HS_OK);
            ck_assert(report.proved);
            ck_assert_double_le(bound_of("mip", in), hs_schedule_makespan(s));
            hs_schedule_free(s);
            hs_instance_free(in);
        }
}
END_TEST

START_TEST(instances_that_are_too_large_are_refused)
{
    fixture f = make_fixture((shape){1001, 20, 4});
    double  value = 0;

    ck_assert_int_eq(hs_bound_compute(hs_bound_find("mip"), f.in, NULL, &value), HS_ETOOBIG);
    free_fixture(&f);
    f = make_fixture((shape){100001, 20, 4});
    ck_assert_int_eq(hs_bound_compute(hs_bound_find("allocation"), f.in, NULL, &value), HS_ETOOBIG);
    free_fixture(&f);
}
END_TEST

static void check_progress(void *data, const hs_progress *progress)
{
    double *latest = data;

    ck_assert_double_ge(progress->bound, *latest);
    *latest = progress->bound;
}

START_TEST(progress_only_rises_to_the_result)
{
    fixture     f = make_fixture((shape){22, 3, 2});
    hs_settings settings;
    double      value = 0, latest = 0;

    hs_settings_init(&settings);
    settings.time_limit = INFINITY;
    settings.progress = check_progress;
    settings.progress_data = &latest;
    ck_assert_int_eq(hs_bound_compute(hs_bound_find("mip"), f.in, &settings, &value), HS_OK);
    ck_assert_double_gt(latest, 0);
    ck_assert_double_ge(value, latest);
    free_fixture(&f);
}
END_TEST

static double optimum_of(const hs_instance *in)
{
    hs_report    report;
    hs_schedule *s;
    double       makespan;

    hs_report_init(&report);
    ck_assert_int_eq(hs_solve_reported(hs_algorithm_find("exact"), in, NULL, &s, &report), HS_OK);
    ck_assert(report.proved);
    makespan = hs_schedule_makespan(s);
    hs_schedule_free(s);
    return makespan;
}

static void check_progress_below_optimum(void *data, const hs_progress *progress)
{
    ck_assert_double_le(progress->bound, *(double *)data);
}

/* A search stopped by the time limit has open nodes and proves at most the optimum. The limits
 * are from 10 microseconds, too short for any machine, to 10 milliseconds. */
START_TEST(stopped_search_proves_at_most_the_optimum)
{
    int low = 0;

    for (int round = 0; round < 60; round++) {
        fixture     f = make_fixture((shape){(size_t)(12 + round / 6), 3, 2});
        double      optimum = optimum_of(f.in), value = 0;
        hs_settings settings;

        hs_settings_init(&settings);
        settings.time_limit = 1e-5 * (1 << 2 * (round % 6));
        settings.progress = check_progress_below_optimum;
        settings.progress_data = &optimum;
        ck_assert_int_eq(hs_bound_compute(hs_bound_find("mip"), f.in, &settings, &value), HS_OK);
        ck_assert_double_le(value, optimum);
        low += value < optimum * (1 - 1e-6);
        free_fixture(&f);
    }
    ck_assert_int_gt(low, 5);
}
END_TEST

/* Nodes closed within the gap keep their bounds. */
START_TEST(gap_weakens_the_bound_by_itself_only)
{
    for (size_t n = 12; n < 22; n++) {
        fixture     f = make_fixture((shape){n, 3, 2});
        double      optimum = optimum_of(f.in), value = 0;
        hs_settings settings;

        hs_settings_init(&settings);
        settings.gap = 0.2;
        ck_assert_int_eq(hs_bound_compute(hs_bound_find("mip"), f.in, &settings, &value), HS_OK);
        ck_assert_double_le(value, optimum);
        ck_assert_double_ge(value * 1.2 * (1 + 1e-9), optimum);
        free_fixture(&f);
    }
}
END_TEST

/* The optimum is 1000. A search stopped during its first LP has one node. */
START_TEST(stopped_search_counts_its_current_node)
{
    enum { CPUS = 20, GPUS = 10, EACH = 20, ALL = (CPUS + GPUS) * EACH };
    double       cpu[ALL], gpu[ALL], value = 0;
    hs_instance *in;
    hsi_random   r;

    hsi_random_seed(&r, 52, 0);
    for (size_t i = 0; i < ALL; i += 2) {
        double part = 1 + (double)hsi_random_below(&r, 2000 / EACH - 1);
        bool   on_gpu = i / EACH >= CPUS;

        for (size_t j = i; j < i + 2; j++) {
            double own = j == i ? part : 2000 / EACH - part;

            cpu[j] = on_gpu ? 3 * own : own;
            gpu[j] = on_gpu ? own : 3 * own;
        }
    }
    ck_assert_int_eq(hs_instance_wrap(ALL, cpu, gpu, NULL, CPUS, GPUS, &in), HS_OK);
    for (int round = 0; round < 5; round++) {
        value = bound_within("mip", in, 0.002 * (round + 1));
        ck_assert_double_le(value, 1000);
    }
    hs_instance_free(in);
}
END_TEST

typedef struct job {
    const hs_instance *in;
    double             expected;
    bool               failed;
} job;

static void *run_job(void *data)
{
    job   *j = data;
    int    i, reached;
    double value;

    for (i = 0; i < 20; i++) {
        j->failed |= hs_bound_compute(hs_bound_find("allocation"), j->in, NULL, &value) != HS_OK ||
                     value < j->expected || value > j->expected;
        j->failed |= hsi_glpk_guarded(raise_glpk_error, &reached) != HS_ESOLVER;
    }
    return NULL;
}

START_TEST(threads_do_not_disturb_each_other)
{
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    job       jobs[THREADS];
    fixture   f[THREADS];
    int       i;

    for (i = 0; i < THREADS; i++) {
        f[i] = make_fixture((shape){(size_t)(40 + i), 4, 2});
        jobs[i] = (job){f[i].in, bound_of("allocation", f[i].in), false};
        ck_assert_int_eq(pthread_create(&thread[i], NULL, run_job, &jobs[i]), 0);
    }
    for (i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_join(thread[i], NULL), 0);
        ck_assert_int_eq(jobs[i].failed, 0);
        free_fixture(&f[i]);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("solver");
    TCase *tc = tcase_create("glpk");

    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, errors_become_a_status_and_nothing_else_changes);
    tcase_add_test(tc, no_environment_is_left_behind);
    tcase_add_test(tc, the_callers_own_glpk_objects_survive);
    tcase_add_test(tc, glpk_prints_nothing);
    tcase_add_test(tc, coefficients_are_near_one);
    tcase_add_loop_test(tc, time_limits_hold, 0, HARD);
    tcase_add_loop_test(tc, cancel_request_ends_the_search, 0, HARD);
    tcase_add_test(tc, instances_that_are_too_large_are_refused);
    tcase_add_test(tc, times_of_one_type_may_be_whole);
    tcase_add_test(tc, progress_only_rises_to_the_result);
    tcase_add_test(tc, stopped_search_proves_at_most_the_optimum);
    tcase_add_test(tc, gap_weakens_the_bound_by_itself_only);
    tcase_add_test(tc, stopped_search_counts_its_current_node);
    tcase_add_test(tc, threads_do_not_disturb_each_other);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
