/* SPDX-License-Identifier: BSD-3-Clause */
#include <check.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <hybridsched/hybridsched.h>

#include "support/clock.h"
#include "support/random.h"

#include "suite.h"
#include "unit/solve_best.h"

static hs_instance *gamma_instance(size_t tasks, unsigned cpus, unsigned gpus, double cv,
                                   uint64_t seed)
{
    hs_gamma     spec = {sizeof spec, tasks, cpus, gpus, 15, cv, 1, cv, seed};
    hs_instance *in = NULL;

    ck_assert_int_eq(hs_generate_gamma(&spec, &in, NULL), HS_OK);
    return in;
}

static bool are_same_schedules(const hs_schedule *a, const hs_schedule *b)
{
    unsigned w, workers = hs_schedule_cpus(a) + hs_schedule_gpus(a);

    for (w = 0; w < workers; w++) {
        size_t          size_a, size_b;
        const hs_entry *x = hs_schedule_entries(a, w, &size_a);
        const hs_entry *y = hs_schedule_entries(b, w, &size_b);

        if (size_a != size_b || memcmp(x, y, size_a * sizeof *x) != 0)
            return false;
    }
    return true;
}

enum { TINY = 7 };

typedef struct tiny {
    size_t   n;
    unsigned cpus, gpus;
    double   cpu[TINY], gpu[TINY];
} tiny;

static tiny draw_tiny(hsi_random *r)
{
    tiny   t = {.n = 1 + hsi_random_below(r, TINY),
                .cpus = (unsigned)hsi_random_below(r, 3),
                .gpus = (unsigned)hsi_random_below(r, 3)};
    size_t i;
    bool   whole = hsi_random_below(r, 2) != 0;

    if (t.cpus + t.gpus == 0)
        t.cpus = 1;
    for (i = 0; i < t.n; i++) {
        t.cpu[i] = whole ? (double)(1 + hsi_random_below(r, 30)) : 30 * hsi_random_unit(r);
        t.gpu[i] = whole ? (double)(1 + hsi_random_below(r, 15)) : 15 * hsi_random_unit(r);
        if (t.cpus && t.gpus && hsi_random_below(r, 12) == 0)
            *(hsi_random_below(r, 2) ? &t.cpu[i] : &t.gpu[i]) = INFINITY;
    }
    return t;
}

/* Try every worker for every task from `first_task` on. Lower *least to the smallest makespan
 * found. */
static void enumerate_assignments(const tiny *t, size_t first_task, double *load, double *least)
{
    unsigned w;
    double   longest = 0;

    for (w = 0; w < t->cpus + t->gpus; w++)
        longest = fmax(longest, load[w]);
    if (longest >= *least)
        return;
    if (first_task == t->n) {
        *least = longest;
        return;
    }
    for (w = 0; w < t->cpus + t->gpus; w++) {
        double before = load[w];

        load[w] += w < t->cpus ? t->cpu[first_task] : t->gpu[first_task];
        enumerate_assignments(t, first_task + 1, load, least);
        load[w] = before;
    }
}

START_TEST(reaches_the_optimum_of_tiny_instances)
{
    enum { INSTANCES = 400 };
    hsi_random  r;
    hs_settings settings;
    int         i, reached = 0;

    hsi_random_seed(&r, 7, 0);
    hs_settings_init(&settings);
    settings.iterations = 100000;
    for (i = 0; i < INSTANCES; i++) {
        tiny         t = draw_tiny(&r);
        double       load[4] = {0}, least = INFINITY;
        hs_instance *in = NULL;
        hs_report    report;
        hs_schedule *s;

        ck_assert_int_eq(hs_instance_wrap(t.n, t.cpu, t.gpu, NULL, t.cpus, t.gpus, &in), HS_OK);
        enumerate_assignments(&t, 0, load, &least);
        s = solve_best(in, &settings, &report);
        ck_assert_double_ge(hs_schedule_makespan(s) * (1 + 1e-12), least);
        ck_assert_double_le(report.bound, least * (1 + 1e-12));
        if (report.proved)
            ck_assert_double_le(hs_schedule_makespan(s), least * (1 + 1e-12));
        reached += hs_schedule_makespan(s) <= least * (1 + 1e-12);
        hs_schedule_free(s);
        hs_instance_free(in);
    }
    ck_assert_int_ge(reached, INSTANCES * 99 / 100);
}
END_TEST

/* Return the makespan to compare: the maximum of the rounded makespan and the certified makespan
 * from exact sums. */
static double compared_makespan(const hs_schedule *s, const hs_report *report)
{
    return fmax(hs_schedule_makespan(s), report->certified);
}

static hs_instance *rounded_instance(hsi_random *r)
{
    static const double times[][4] = {{1, 1 + 0x1p-52, 1 - 0x1p-53, 1 + 0x1p-51},
                                      {0.1, 0.2, 0.3, 0.7},
                                      {1.1, 0.9, 1.0 / 3, 2.0 / 3}};
    const double       *from = times[hsi_random_below(r, 3)];
    size_t              n = 4 + hsi_random_below(r, 20), i;
    static double       p[24], q[24];
    hs_instance        *in = NULL;

    for (i = 0; i < n; i++) {
        p[i] = from[hsi_random_below(r, 4)];
        q[i] = from[hsi_random_below(r, 4)];
    }
    ck_assert_int_eq(hs_instance_wrap(n, p, q, NULL, 1 + (unsigned)hsi_random_below(r, 4),
                                      (unsigned)hsi_random_below(r, 3), &in),
                     HS_OK);
    return in;
}

/* best is no longer than any of its members, without a rounding tolerance, for instances with ties
 * and inexact sums. */
START_TEST(no_worse_than_a_member_by_rounding)
{
    static const char members[] = "heteroprio-ns,balanced-estimate,clb2c,lpt,heft-min,dualhp,dada,"
                                  "balanced-makespan";
    hsi_random        r;
    hs_settings       settings;
    int               round;

    hsi_random_seed(&r, 16, 0);
    hs_settings_init(&settings);
    settings.iterations = 2000;
    for (round = 0; round < 1000; round++) {
        hs_instance *in = rounded_instance(&r);
        hs_report    report, its;
        hs_schedule *s = solve_best(in, &settings, &report);
        size_t       i;

        for (i = 0; i < hs_algorithm_count(); i++) {
            const char  *name = hs_algorithm_name(hs_algorithm_at(i));
            hs_schedule *other = NULL;

            if (!strstr(members, name)) /* the list names members that best leaves out */
                continue;
            hs_report_init(&its);
            ck_assert_int_eq(hs_solve_reported(hs_algorithm_at(i), in, NULL, &other, &its), HS_OK);
            ck_assert_msg(compared_makespan(s, &report) <= compared_makespan(other, &its),
                          "round %d, %s", round, name);
            hs_schedule_free(other);
        }
        hs_schedule_free(s);
        hs_instance_free(in);
    }
}
END_TEST

START_TEST(no_worse_than_any_member)
{
    static const size_t sizes[] = {1, 5, 23, 100, 700};
    hs_instance        *in = gamma_instance(sizes[_i], 5, 2, 1, 3);
    hs_settings         settings;
    hs_report           report;
    hs_schedule        *s;
    size_t              i;

    hs_settings_init(&settings);
    settings.iterations = 20000;
    s = solve_best(in, &settings, &report);
    for (i = 0; i < hs_algorithm_count(); i++) {
        const hs_algorithm *member = hs_algorithm_at(i);
        hs_schedule        *other = NULL;

        if (!strstr(report.members, hs_algorithm_name(member)))
            continue;
        ck_assert_int_eq(hs_solve(member, in, NULL, &other), HS_OK);
        ck_assert_double_le(hs_schedule_makespan(s), hs_schedule_makespan(other));
        hs_schedule_free(other);
    }
    ck_assert(strncmp(report.members, "heteroprio", 10) == 0);
    hs_schedule_free(s);
    hs_instance_free(in);
}
END_TEST

/* Solve with a number of iterations, from a start that may be NULL. */
static void solve_found_by(const hs_instance *in, const char *algorithm, const hs_schedule *start,
                           hs_schedule **out, hs_report *report)
{
    hs_settings settings;

    hs_settings_init(&settings);
    settings.iterations = 20000;
    settings.start = start;
    hs_report_init(report);
    ck_assert_int_eq(
        hs_solve_reported(hs_algorithm_find(algorithm), in, &settings, out, report), HS_OK);
}

/*
 * The first member is optimal for a single task. The search finds a shorter schedule of 40 tasks than
 * each member does. A start that is not improved stays. `exact` names a step too, and other
 * algorithms name none.
 */
START_TEST(report_names_what_found_the_schedule)
{
    static const double cpu[] = {1}, gpu[] = {2};
    hs_instance        *one = NULL, *in = gamma_instance(40, 5, 2, 1, 3);
    hs_schedule        *s = NULL, *again = NULL, *first = NULL;
    hs_report           report;

    ck_assert_int_eq(hs_instance_wrap(1, cpu, gpu, NULL, 1, 0, &one), HS_OK);
    solve_found_by(one, "best", NULL, &s, &report);
    ck_assert_str_eq(report.found_by, "heteroprio");
    hs_schedule_free(s);
    s = NULL;
    ck_assert_int_eq(hs_solve(hs_algorithm_find("heteroprio"), in, NULL, &first), HS_OK);
    solve_found_by(in, "best", NULL, &s, &report);
    ck_assert_double_lt(hs_schedule_makespan(s), hs_schedule_makespan(first));
    ck_assert_str_ne(report.found_by, "");
    ck_assert_ptr_null(strstr(report.members, report.found_by));
    solve_found_by(in, "best", s, &again, &report);
    ck_assert(hs_schedule_makespan(again) < hs_schedule_makespan(s) ||
              strcmp(report.found_by, "start") == 0);
    hs_schedule_free(again);
    again = NULL;
    solve_found_by(one, "exact", NULL, &again, &report);
    ck_assert_str_eq(report.found_by, "heteroprio");
    hs_schedule_free(again);
    again = NULL;
    solve_found_by(in, "lpt", NULL, &again, &report);
    ck_assert_str_eq(report.found_by, "");
    hs_schedule_free(again);
    hs_schedule_free(s);
    hs_schedule_free(first);
    hs_instance_free(one);
    hs_instance_free(in);
}
END_TEST

START_TEST(instance_without_tasks_is_solved)
{
    hs_instance *in = NULL;
    hs_report    report;
    hs_schedule *s;

    ck_assert_int_eq(hs_instance_wrap(0, NULL, NULL, NULL, 1, 1, &in), HS_OK);
    s = solve_best(in, NULL, &report);
    ck_assert(hs_schedule_makespan(s) == 0 && report.proved && !report.limit_reached);
    hs_schedule_free(s);
    hs_instance_free(in);
}
END_TEST

/* The optimum of whole times is whole, so a bound of 22.5 proves 23. */
START_TEST(integer_optimum_is_proved)
{
    static const double cpu[] = {1, 2, 3, 4, 5, 6, 7, 8, 9},
                        gpu[] = {90, 90, 90, 90, 90, 90, 90, 90, 90};
    hs_instance *in = NULL;
    hs_report    report;
    hs_schedule *s;

    ck_assert_int_eq(hs_instance_wrap(9, cpu, gpu, NULL, 2, 0, &in), HS_OK);
    s = solve_best(in, &(hs_settings){.struct_size = sizeof(hs_settings), .iterations = 1000},
                   &report);
    ck_assert(report.bound == 23 && hs_schedule_makespan(s) == 23 && report.proved);
    ck_assert(!report.limit_reached);
    hs_schedule_free(s);
    hs_instance_free(in);
}
END_TEST

/* The exact sum 0.2 + 0.4 lies between 0.6 and the next double. best proves the bound 0.6. */
START_TEST(a_bound_next_to_the_makespan_is_refuted)
{
    static const double cpu[] = {0.2, 0.6, 0.4, 0.6}, gpu[] = {9, 9, 9, 9};
    hs_instance        *in = NULL;
    hs_report           report;
    hs_schedule        *s;

    ck_assert_int_eq(hs_instance_wrap(4, cpu, gpu, NULL, 3, 0, &in), HS_OK);
    s = solve_best(in, &(hs_settings){.struct_size = sizeof(hs_settings), .iterations = 1000},
                   &report);
    ck_assert_double_eq(report.bound, 0.6);
    ck_assert_double_eq(report.certified, nextafter(0.6, 1));
    ck_assert(report.proved && !report.limit_reached);
    hs_schedule_free(s);
    hs_instance_free(in);
}
END_TEST

START_TEST(same_for_any_number_of_threads)
{
    static const size_t sizes[] = {40, 300, 2000};
    hs_instance        *in = gamma_instance(sizes[_i], 20, 4, 1, 5);
    hs_settings         settings;
    uint64_t            seed;

    hs_settings_init(&settings);
    settings.iterations = 300000;
    for (seed = 0; seed < 2; seed++) {
        hs_schedule *first = NULL;
        unsigned     threads;

        settings.seed = seed;
        for (threads = 0; threads < 6; threads++) {
            hs_report    report;
            hs_schedule *s;

            settings.threads = threads;
            s = solve_best(in, &settings, &report);
            ck_assert(report.proved || report.iterations >= settings.iterations);
            if (first)
                ck_assert(are_same_schedules(first, s));
            else
                first = s;
            if (s != first)
                hs_schedule_free(s);
        }
        hs_schedule_free(first);
    }
    hs_instance_free(in);
}
END_TEST

/* Return the processor time of this process, which other processes do not change. */
static double processor_time(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

START_TEST(many_threads_against_the_clock)
{
    hs_instance *in = gamma_instance(300, 20, 4, 1, 6);
    hs_settings  settings;
    hs_report    report;
    double       begin = processor_time(), spent;

    hs_settings_init(&settings);
    settings.time_limit = 0.3;
    settings.threads = 4;
    hs_schedule_free(solve_best(in, &settings, &report));
    spent = processor_time() - begin;
    ck_assert(report.limit_reached || report.proved);
    ck_assert_double_lt(spent, 4 * 0.3 + 4);
    hs_instance_free(in);
}
END_TEST

START_TEST(start_is_never_made_worse)
{
    hs_instance *in = gamma_instance(150, 8, 2, 0.7, 2);
    hs_settings  settings;
    hs_report    report;
    hs_schedule *start, *s;

    hs_settings_init(&settings);
    settings.iterations = 2000000;
    start = solve_best(in, &settings, &report);
    settings.start = start;
    settings.iterations = 1000;
    settings.seed = 99;
    s = solve_best(in, &settings, &report);
    ck_assert_double_le(hs_schedule_makespan(s), hs_schedule_makespan(start));
    hs_schedule_free(s);
    hs_schedule_free(start);
    hs_instance_free(in);
}
END_TEST

START_TEST(start_must_be_valid)
{
    hs_instance *in = gamma_instance(10, 2, 1, 1, 2), *other = gamma_instance(11, 2, 1, 1, 2);
    hs_schedule *start = NULL, *s = NULL;
    hs_settings  settings;

    hs_settings_init(&settings);
    ck_assert_int_eq(hs_solve(hs_algorithm_find("lpt"), other, NULL, &start), HS_OK);
    settings.start = start;
    ck_assert_int_eq(hs_solve(hs_algorithm_find("best"), in, &settings, &s), HS_ESCHEDULE);
    ck_assert_ptr_null(s);
    hs_schedule_free(start);
    hs_instance_free(in);
    hs_instance_free(other);
}
END_TEST

START_TEST(ends_within_the_gap)
{
    hs_instance *in = gamma_instance(300, 20, 4, 1, 8);
    hs_settings  settings;
    hs_report    report;

    hs_settings_init(&settings);
    settings.time_limit = INFINITY;
    settings.gap = 0.01;
    hs_schedule_free(solve_best(in, &settings, &report));
    ck_assert(report.proved && !report.limit_reached);
    ck_assert_double_le(report.certified, 1.01 * report.bound);
    hs_instance_free(in);
}
END_TEST

typedef struct caller {
    int    asked, told, cancel_at;
    double latest; /* time of the latest report of progress */
} caller;

static int cancel_after_polls(void *data)
{
    caller *c = data;

    return ++c->asked >= c->cancel_at;
}

static void note_progress(void *data, const hs_progress *p)
{
    caller *c = data;

    ck_assert(c->told++ == 0 || p->seconds >= c->latest + 0.2); /* reports are rare */
    c->latest = p->seconds;
    ck_assert(p->seconds >= 0 && p->bound >= 0 && p->makespan > 0 && p->phase);
    ck_assert_double_ge(p->makespan * (1 + 1e-12), p->bound);
}

START_TEST(cancelled_search_returns_a_schedule)
{
    hs_instance *in = gamma_instance(300, 20, 4, 1, 9);
    caller       c = {.cancel_at = 1 << _i};
    hs_schedule *s = NULL, *start = NULL;
    hs_settings  settings;
    hs_report    report;
    hs_status    st;

    hs_settings_init(&settings);
    settings.time_limit = 60;
    settings.cancel = cancel_after_polls;
    settings.cancel_data = &c;
    hs_report_init(&report);
    st = hs_solve_reported(hs_algorithm_find("best"), in, &settings, &s, &report);
    if (st == HS_ECANCELED) { /* the search is cancelled before the first schedule: pass a start
                                 schedule */
        ck_assert_ptr_null(s);
        ck_assert_int_lt(_i, 5);
        ck_assert_int_eq(hs_solve(hs_algorithm_find("lpt"), in, NULL, &start), HS_OK);
        settings.start = start;
        c.asked = 0;
        s = solve_best(in, &settings, &report);
        ck_assert_double_le(hs_schedule_makespan(s), hs_schedule_makespan(start) * (1 + 1e-12));
        hs_schedule_free(start);
    } else {
        ck_assert_int_eq(st, HS_OK);
        ck_assert_int_gt(_i, 0);
    }
    hs_schedule_free(s);
    ck_assert(report.limit_reached && !report.proved);
    hs_instance_free(in);
}
END_TEST

static int cancel_after_reports(void *data)
{
    return ((caller *)data)->told >= 3;
}

START_TEST(progress_is_reported)
{
    hs_instance *in = gamma_instance(300, 20, 4, 1, 9);
    caller       c = {0};
    hs_settings  settings;
    hs_report    report;

    hs_settings_init(&settings);
    settings.time_limit = INFINITY;
    settings.cancel = cancel_after_reports;
    settings.cancel_data = &c;
    settings.threads = 2;
    settings.progress = note_progress;
    settings.progress_data = &c;
    hs_schedule_free(solve_best(in, &settings, &report));
    ck_assert_int_eq(c.told, 3);
    ck_assert(report.limit_reached);
    hs_instance_free(in);
}
END_TEST

START_TEST(extreme_times_are_solved)
{
    static const double cpu[] = {1e-300, 1e300, 5e-324, 1, INFINITY, 1e300, 2, 2, 2};
    static const double gpu[] = {1e300, 1e-300, 1, INFINITY, 1, 1e300, 2, 2, 2};
    hs_instance        *in = NULL;
    hs_settings         settings;
    hs_report           report;

    hs_settings_init(&settings);
    settings.iterations = 20000;
    ck_assert_int_eq(hs_instance_wrap(9, cpu, gpu, NULL, 2, 2, &in), HS_OK);
    hs_schedule_free(solve_best(in, &settings, &report));
    hs_instance_free(in);
}
END_TEST

/* Without the results of the local search, the makespan is 12.78 instead of 12.27. */
START_TEST(results_of_the_local_search_are_kept)
{
    hs_instance *in = gamma_instance(60, 4, 2, 1, 5);
    hs_settings  settings;
    hs_report    report;
    hs_schedule *s;

    hs_settings_init(&settings);
    settings.iterations = 20000;
    s = solve_best(in, &settings, &report);
    ck_assert_double_le(hs_schedule_makespan(s), 12.5);
    hs_schedule_free(s);
    hs_instance_free(in);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("best");
    TCase *tc = tcase_create("best");

    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, reaches_the_optimum_of_tiny_instances);
    tcase_add_loop_test(tc, no_worse_than_any_member, 0, 5);
    tcase_add_test(tc, report_names_what_found_the_schedule);
    tcase_add_test(tc, no_worse_than_a_member_by_rounding);
    tcase_add_test(tc, instance_without_tasks_is_solved);
    tcase_add_test(tc, integer_optimum_is_proved);
    tcase_add_test(tc, a_bound_next_to_the_makespan_is_refuted);
    tcase_add_loop_test(tc, same_for_any_number_of_threads, 0, 3);
    tcase_add_test(tc, many_threads_against_the_clock);
    tcase_add_test(tc, start_is_never_made_worse);
    tcase_add_test(tc, start_must_be_valid);
    tcase_add_test(tc, ends_within_the_gap);
    tcase_add_loop_test(tc, cancelled_search_returns_a_schedule, 0, 12);
    tcase_add_test(tc, progress_is_reported);
    tcase_add_test(tc, extreme_times_are_solved);
    tcase_add_test(tc, results_of_the_local_search_are_kept);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return run_suite(suite());
}
