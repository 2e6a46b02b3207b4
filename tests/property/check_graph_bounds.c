/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bounds on small graphs, compared with their definitions over every pair of tasks, with each
 * other, and with the optimum over every order and placement.
 */
#include <check.h>
#include <math.h>
#include <string.h>

#include "counted_clock.h"
#include "graph_brute_force.h"
#include "graph_sample.h"
#include "sample.h"
#include "suite.h"

/* Relative tolerance: this file computes in doubles, the library more precisely. */
#define ROUNDING 1e-11

static double bound_of(const graph_sample *s, const char *name)
{
    double    value = NAN;
    hs_status st = hs_bound_compute(hs_bound_find(name), s->in, NULL, &value);

    GRAPH_REQUIRE(s, st == HS_OK, "%s: %s", name, hs_status_text(st));
    return value;
}

static bool is_near(double a, double b)
{
    return fabs(a - b) <= ROUNDING * fmax(fabs(a), fabs(b));
}

/* Set head[t] and tail[t] to the longest path before and after task t, with each task at its
 * smaller time. */
static void ways_of(const graph_sample *s, double *head, double *tail)
{
    for (size_t round = 0; round < s->n; round++)
        for (size_t from = 0; from < s->n; from++)
            for (size_t to = 0; to < s->n; to++)
                if (s->edge[from][to]) {
                    head[to] = fmax(head[to], head[from] + fmin(s->p[from], s->q[from]));
                    tail[from] = fmax(tail[from], tail[to] + fmin(s->p[to], s->q[to]));
                }
}

typedef struct spans {
    double cpu[GRAPH_TASKS], gpu[GRAPH_TASKS];
} spans;

static spans spans_of(const graph_sample *s)
{
    double head[GRAPH_TASKS] = {0}, tail[GRAPH_TASKS] = {0};
    spans  its;

    ways_of(s, head, tail);
    for (size_t i = 0; i < s->n; i++) {
        its.cpu[i] = head[i] + s->p[i] + tail[i];
        its.gpu[i] = head[i] + s->q[i] + tail[i];
    }
    return its;
}

static double longest_of(const graph_sample *s, const spans *its)
{
    double longest = 0;

    for (size_t i = 0; i < s->n; i++)
        longest = fmax(longest, fmin(its->cpu[i], its->gpu[i]));
    return longest;
}

/* Return the lower bound that the multipliers prove for the area LP, if no task may run on a
 * type where its span exceeds the makespan. */
static double bound_of_multipliers(const graph_sample *s, const spans *its, double makespan,
                                   double cpu_multiplier, double gpu_multiplier)
{
    double sum = 0;

    for (size_t i = 0; i < s->n; i++) {
        double cpu = its->cpu[i] > makespan ? INFINITY : cpu_multiplier * s->p[i];
        double gpu = its->gpu[i] > makespan ? INFINITY : gpu_multiplier * s->q[i];

        sum += fmin(cpu, gpu);
    }
    return s->m * cpu_multiplier + s->k * gpu_multiplier > 0
               ? sum / (s->m * cpu_multiplier + s->k * gpu_multiplier)
               : 0;
}

static double area_of(const graph_sample *s, const spans *its, double makespan)
{
    double best = fmax(bound_of_multipliers(s, its, makespan, 1, 0),
                       bound_of_multipliers(s, its, makespan, 0, 1));

    for (size_t i = 0; i < s->n; i++)
        if (isfinite(s->p[i]) && isfinite(s->q[i]))
            best = fmax(best, bound_of_multipliers(s, its, makespan, s->q[i], s->p[i]));
    return best;
}

/* Return the least makespan at which the LP is feasible. The LP changes only at spans. */
static double deadline_of(const graph_sample *s, const spans *its)
{
    double least = INFINITY;

    for (size_t i = 0; i <= 2 * s->n; i++) {
        double from = i < s->n ? its->cpu[i] : i < 2 * s->n ? its->gpu[i - s->n] : 0;

        if (isfinite(from))
            least = fmin(least, fmax(from, area_of(s, its, from)));
    }
    return least;
}

START_TEST(bounds_equal_their_definitions)
{
    size_t rounds = rounds_scaled(4000);

    for (size_t i = 0; i < rounds; i++) {
        graph_sample s;
        spans        its;
        double       longest, path, deadline, area, windows, probes, work;

        graph_sample_make(&s, 71000000 + i);
        its = spans_of(&s);
        longest = bound_of(&s, "critical-path");
        deadline = bound_of(&s, "deadline");
        area = bound_of(&s, "theorem2");
        GRAPH_REQUIRE(&s, is_near(longest, longest_of(&s, &its)), "critical-path %.17g, not %.17g",
                      longest, longest_of(&s, &its));
        GRAPH_REQUIRE(&s, is_near(deadline, deadline_of(&s, &its)), "deadline %.17g, not %.17g",
                      deadline, deadline_of(&s, &its));
        GRAPH_REQUIRE(&s, deadline >= longest * (1 - ROUNDING) && deadline >= area * (1 - ROUNDING),
                      "deadline %.17g below critical-path or theorem2", deadline);
        windows = bound_of(&s, "place-windows");
        probes = bound_of(&s, "place-probes");
        GRAPH_REQUIRE(&s, windows >= deadline && probes >= windows,
                      "deadline %.17g, place-windows %.17g, place-probes %.17g", deadline, windows,
                      probes);
        GRAPH_REQUIRE(&s, hs_instance_has_graph(s.in) || probes == deadline,
                      "place-probes %.17g without a graph, not %.17g", probes, deadline);
        GRAPH_REQUIRE(&s, s.links || probes == windows,
                      "place-probes %.17g without links, not %.17g", probes, windows);
        if (!hs_bound_find("paths")) {
            graph_sample_free(&s);
            continue;
        }
        path = bound_of(&s, "paths");
        GRAPH_REQUIRE(&s, path >= longest && path >= area, "paths %.17g below one of its parts",
                      path);
        GRAPH_REQUIRE(&s, hs_instance_has_graph(s.in) || path == deadline,
                      "paths %.17g without a graph, not %.17g", path, deadline);
        work = bound_of(&s, "work-paths");
        GRAPH_REQUIRE(&s, work >= deadline && work >= path * (1 - 1e-8),
                      "work-paths %.17g below deadline or paths", work);
        graph_sample_free(&s);
    }
}
END_TEST

START_TEST(no_bound_exceeds_the_optimum)
{
    size_t rounds = rounds_scaled(1500), looked_at = 0, met = 0;

    for (size_t i = 0; i < rounds; i++) {
        graph_sample s;
        double       best;

        graph_sample_make(&s, 72000000 + i);
        if (s.n > GRAPH_BRUTE_FORCE_TASKS) {
            graph_sample_free(&s);
            continue;
        }
        looked_at++;
        best = graph_brute_force(&s);
        for (size_t b = 0; b < hs_bound_count(); b++) {
            double value;

            if (bound_takes_seconds(hs_bound_at(b)))
                continue;
            value = bound_of(&s, hs_bound_name(hs_bound_at(b)));
            GRAPH_REQUIRE(&s, value <= best * (1 + ROUNDING), "%s: %.17g above the optimum %.17g",
                          hs_bound_name(hs_bound_at(b)), value, best);
        }
        met += is_near(bound_of(&s, "deadline"), best);
        graph_sample_free(&s);
    }
    ck_assert_uint_ge(looked_at * 4, rounds);
    ck_assert_uint_ge(met * 8, looked_at);
}
END_TEST

typedef struct chain_case {
    size_t   length; /* number of tasks in a chain, each with times `cpu` and `gpu` */
    uint32_t alone;  /* number of independent tasks with times `other` and `gpu` */
    double   cpu, gpu, other;
    unsigned m, k;
    double   paths;
} chain_case;

static hs_instance *instance_of(const chain_case *c)
{
    hs_builder  *b = NULL;
    hs_instance *in = NULL;
    hs_task      task;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, c->m, c->k), HS_OK);
    hs_task_init(&task);
    task.cpu = c->cpu;
    task.gpu = c->gpu;
    for (size_t i = 0; i < c->length; i++) {
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
        if (i > 0)
            ck_assert_int_eq(hs_builder_add_predecessor(b, i, i - 1, 0, 0), HS_OK);
    }
    task.cpu = c->other;
    task.count = c->alone;
    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

/* Check that the bound is at most `expected`, up to rounding, and falls short of it by at most the
 * relative `short_by`. Frees the instance. */
static void expect_bound(const char *name, hs_instance *in, double expected, double short_by)
{
    double value;

    ck_assert_int_eq(hs_bound_compute(hs_bound_find(name), in, NULL, &value), HS_OK);
    ck_assert_double_le(value, expected * (1 + 0x1p-52));
    ck_assert_double_ge(value, expected * (1 - short_by));
    hs_instance_free(in);
}

/* Check the paths bound against linear programs solved by hand: x chain tasks and y independent
 * tasks are on CPUs. */
START_TEST(paths_bound_equals_values_by_hand)
{
    static const chain_case cases[] = {
        /* 4 (x + y) <= 2 T, 8 - x - y <= T, 4 + 3 x <= T: x = 0, y = 8/3 */
        {4, 4, 4, 1, 4, 2, 1, 16.0 / 3},
        /* 4 (x + y) <= 2 T, 5 - x - y <= T, 4 + 3 x <= T, y <= 1: the chain alone */
        {4, 1, 4, 1, 4, 2, 1, 4},
        /* 2 x <= T, 6 - x <= T, 4 + x <= T: x = 1; the area alone is 4 */
        {4, 2, 2, 1, INFINITY, 1, 1, 5},
        /* 3 x <= T, 10 - x <= T, 5 + 2 x <= T: x = 5/3 */
        {5, 5, 3, 1, INFINITY, 1, 1, 25.0 / 3},
    };

    for (size_t i = 0; hs_bound_find("paths") && i < sizeof cases / sizeof *cases; i++)
        expect_bound("paths", instance_of(&cases[i]), cases[i].paths, 1e-9);
}
END_TEST

typedef struct diamond_case {
    double first_cpu, first_gpu; /* times of the first task, of the last task and of the task
                                    between two layers */
    double   cpu, gpu;
    uint32_t side_by_side, layers;
    unsigned m, k;
    double   bound;
} diamond_case;

/* Return a graph of layers of parallel tasks, with a single task before, between and after the
 * layers. */
static hs_instance *instance_of_diamond(const diamond_case *c)
{
    hs_builder  *b = NULL;
    hs_instance *in = NULL;
    hs_task      task;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, c->m, c->k), HS_OK);
    hs_task_init(&task);
    for (size_t i = 0; i <= 2 * c->layers; i++) {
        task.cpu = i % 2 ? c->cpu : c->first_cpu;
        task.gpu = i % 2 ? c->gpu : c->first_gpu;
        task.count = i % 2 ? c->side_by_side : 1;
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
        if (i > 0)
            ck_assert_int_eq(hs_builder_add_predecessor(b, i, i - 1, 0, 0), HS_OK);
    }
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

/* Check the bounds work-paths and place-windows against values by hand: x tasks of a layer and y
 * single tasks are on CPUs. */
START_TEST(work_bounds_equal_values_by_hand)
{
    static const diamond_case cases[] = {
        /* 4 tasks on 1 CPU and 1 GPU between the ends: 1 + 4 + 1; the paths bound is 5, by area */
        {1, 1, 2, 2, 4, 1, 1, 1, 6},
        /* two layers and one more single task: 1 + 4 + 1 + 4 + 1 */
        {1, 1, 2, 2, 4, 2, 1, 1, 11},
        /* 4 x / 2 = 4 - 4 x: x = 2/3, and 4/3 */
        {1, 1, 1, 1, 4, 1, 2, 1, 10.0 / 3},
        /* no task runs on CPUs: 4 / 2 between the ends */
        {INFINITY, 1, INFINITY, 1, 4, 1, 3, 2, 4},
        /* 6 x = 18 - 18 x for a layer: x = 3/4, 9/2 */
        {4, 1, 3, 3, 6, 3, 3, 1, 4 + 3 * 9.0 / 2},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (hs_bound_find("work-paths"))
            expect_bound("work-paths", instance_of_diamond(&cases[i]), cases[i].bound, 1e-8);
        expect_bound("place-windows", instance_of_diamond(&cases[i]), cases[i].bound, 1e-8);
    }
}
END_TEST

typedef struct linked_case {
    double   cpu, gpu;     /* times of each task between the first and the last */
    uint32_t side_by_side; /* number of tasks between the first and the last */
    int      first, last;  /* types on which the first and the last task run, in 1 */
    unsigned gpus;
    double   windows, probes;
} linked_case;

/* Return a graph of tasks between a first and a last task on 2 CPUs and some GPUs. A transfer takes
 * 3 to the GPU, 5 to the host. */
static hs_instance *instance_of_links(const linked_case *c)
{
    hs_builder  *b = NULL;
    hs_instance *in = NULL;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 2, c->gpus), HS_OK);
    ck_assert_int_eq(hs_builder_set_link(b, HS_H2D, 3, 1e30), HS_OK);
    ck_assert_int_eq(hs_builder_set_link(b, HS_D2H, 5, 1e30), HS_OK);
    for (uint32_t i = 0; i < c->side_by_side + 2; i++) {
        bool    ends = i == 0 || i == c->side_by_side + 1;
        int     type = i == 0 ? c->first : c->last;
        hs_task task;

        hs_task_init(&task);
        task.cpu = !ends ? c->cpu : type == HS_CPU ? 1 : INFINITY;
        task.gpu = !ends ? c->gpu : type == HS_GPU ? 1 : INFINITY;
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
        if (i > 0 && !ends)
            ck_assert_int_eq(hs_builder_add_predecessor(b, i, 0, 0, 1), HS_OK);
        for (uint32_t before = 1; ends && before < i; before++)
            ck_assert_int_eq(hs_builder_add_predecessor(b, i, before, 0, 1), HS_OK);
    }
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

START_TEST(bounds_count_transfers)
{
    static const linked_case cases[] = {
        /* one task between: on CPUs 1 + 4 + 1, on the GPU 1 + 3 + 2 + 5 + 1 */
        {4, 2, 1, HS_CPU, HS_CPU, 1, 6, 6},
        {14, 2, 1, HS_CPU, HS_CPU, 1, 12, 12},
        /* on CPUs 1 + 4 + 3 + 1, on the GPU 1 + 3 + 2 + 1; then the same backward */
        {4, 2, 1, HS_CPU, HS_GPU, 1, 7, 7},
        {4, 2, 1, HS_GPU, HS_CPU, 1, 9, 9},
        /* four tasks on the GPU: 1 + 3 + 8 + 5 + 1 */
        {INFINITY, 2, 4, HS_CPU, HS_CPU, 1, 18, 18},
        /* on the GPU 1 + 3 + 2 + 5 + 1 = 12; on CPUs alone 1 + 3 * 7 / 2 + 1 */
        {7, 2, 3, HS_CPU, HS_CPU, 1, 12, 12},
        /* three tasks on two GPUs: 1 + 3 + 3 + 5 + 1 cut at will, but one GPU has two of them */
        {INFINITY, 2, 3, HS_CPU, HS_CPU, 2, 13, 14},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect_bound("place-windows", instance_of_links(&cases[i]), cases[i].windows, 1e-8);
        expect_bound("place-probes", instance_of_links(&cases[i]), cases[i].probes, 1e-5);
    }
}
END_TEST

/* Return a chain of tasks, or with `branches` a graph where a task follows some of the five tasks
 * before it. */
static hs_instance *chain_of(size_t length, double time, bool branches)
{
    hs_builder  *b = NULL;
    hs_instance *in = NULL;
    hs_task      task;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 1, 1), HS_OK);
    hs_task_init(&task);
    for (size_t i = 0; i < length; i++) {
        task.cpu = (double)(1 + i * 7 % 9) * time;
        task.gpu = (double)(1 + i * 5 % 8) * time;
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
        for (size_t before = i < 5 ? 0 : i - 5; before < i; before++)
            if (branches ? (i + before) % 3 == 0 : before + 1 == i)
                ck_assert_int_eq(hs_builder_add_predecessor(b, i, before, 0, 0), HS_OK);
    }
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

/* Check that bounds and searches end with times near the smallest double, where halving makes no
 * progress and shares are rounded. */
START_TEST(bounds_of_tiny_times_end)
{
    static const char *const names[] = {"place-windows", "place-probes", "paths", "work-paths"};

    for (size_t length = 1; length < 40; length++) {
        hs_instance    *in = chain_of(length, 0x1p-1074, true);
        hs_schedule    *s = NULL;
        hs_settings     its;
        hs_bound_report report;
        double          value = 0;

        for (size_t b = 0; b < sizeof names / sizeof *names; b++) {
            if (!hs_bound_find(names[b]))
                continue;
            hs_bound_report_init(&report);
            ck_assert_int_eq(
                hs_bound_compute_reported(hs_bound_find(names[b]), in, NULL, &value, &report),
                HS_OK);
            ck_assert_int_eq(report.limit_reached, 0);
        }
        hs_settings_init(&its);
        its.iterations = 100;
        ck_assert_int_eq(hs_solve(hs_algorithm_find("best"), in, &its, &s), HS_OK);
        ck_assert(hs_schedule_makespan(s) >= value);
        hs_schedule_free(s);
        hs_instance_free(in);
    }
}
END_TEST

/* Return the graph with 70 further tasks of a time, without predecessors. */
static hs_instance *with_short_tasks(const hs_instance *in, double time)
{
    hs_builder  *b = NULL;
    hs_instance *out = NULL;
    hs_task      task;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, hs_instance_cpus(in), hs_instance_gpus(in)), HS_OK);
    for (size_t row = 0; row < hs_instance_rows(in) + 70; row++) {
        hs_task_init(&task);
        if (row < hs_instance_rows(in))
            hs_instance_row(in, row, &task);
        else
            task.cpu = task.gpu = time;
        task.id = NULL;
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    }
    ck_assert_int_eq(hs_builder_copy_graph(b, in), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &out, NULL), HS_OK);
    hs_builder_free(b);
    return out;
}

/* Sets of tasks take a word for 64 tasks, and the samples have fewer. The bound work-paths comes
 * from a search that ends near its limit. */
START_TEST(short_tasks_do_not_change_bounds)
{
    static const char *const names[] = {"area", "deadline", "paths", "work-paths"};
    size_t rounds = rounds_scaled(400);

    for (size_t i = 0; i < rounds; i++) {
        graph_sample s;
        hs_instance *few;

        graph_sample_make(&s, 71000000 + i);
        few = s.in;
        for (size_t b = 0; b < sizeof names / sizeof *names; b++) {
            double alone, beside;

            if (!hs_bound_find(names[b]))
                continue;
            alone = bound_of(&s, names[b]);
            s.in = with_short_tasks(few, alone * 1e-15);
            beside = bound_of(&s, names[b]);
            hs_instance_free(s.in);
            s.in = few;
            GRAPH_REQUIRE(&s, fabs(alone - beside) <= 1e-4 * alone,
                          "%s: %.17g, and %.17g beside short tasks", names[b], alone, beside);
        }
        graph_sample_free(&s);
    }
}
END_TEST

/* Check that the bound work-paths ends when the time limit passes while it computes the pairs of
 * dependent tasks. */
START_TEST(work_paths_ends_soon_after_its_time_limit)
{
    enum { READINGS = 100, LATE = 10 };
    hs_instance    *in = chain_of(3000, 1, false);
    hs_settings     its;
    hs_bound_report report;
    double          value, longest;
    int64_t         readings;

    hs_settings_init(&its);
    hs_bound_report_init(&report);
    its.time_limit = 0.01;
    ck_assert_int_eq(hs_bound_compute(hs_bound_find("critical-path"), in, NULL, &longest), HS_OK);
    if (hs_bound_find("work-paths")) {
        counted_clock_start(its.time_limit, READINGS);
        ck_assert_int_eq(
            hs_bound_compute_reported(hs_bound_find("work-paths"), in, &its, &value, &report),
            HS_OK);
        readings = counted_clock_stop();
        ck_assert_int_eq(report.limit_reached, 1);
        ck_assert(value >= longest);
        ck_assert_int_ge(readings, READINGS);
        ck_assert_int_le(readings, READINGS + LATE);
    }
    hs_instance_free(in);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("graph bounds");
    TCase *cases = tcase_create("on small graphs");

    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, bounds_equal_their_definitions);
    tcase_add_test(cases, no_bound_exceeds_the_optimum);
    tcase_add_test(cases, paths_bound_equals_values_by_hand);
    tcase_add_test(cases, work_bounds_equal_values_by_hand);
    tcase_add_test(cases, bounds_count_transfers);
    tcase_add_test(cases, bounds_of_tiny_times_end);
    tcase_add_test(cases, short_tasks_do_not_change_bounds);
    tcase_add_test(cases, work_paths_ends_soon_after_its_time_limit);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
