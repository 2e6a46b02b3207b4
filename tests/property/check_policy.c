/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Policies under the virtual clock: with exact estimates they are the algorithms, with
 * wrong ones they are as good as is claimed; and the clock and the rules, written down
 * once more and without any thrift, make the same schedules.
 */

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dice.h"
#include "naive_clock.h"

enum { MOST_TASKS = 60, MOST_WORKERS = 5 };

static const hs_policy_kind *kind_of(const char *name)
{
    const hs_policy_kind *kind = hs_policy_find(name);

    ck_assert_msg(kind != NULL, "there is no policy %s", name);
    return kind;
}

static hs_schedule *simulate(const sample *s, const char *name, const hs_schedule *plan,
                             const hs_instance *truth, double tolerance)
{
    hs_schedule *out = NULL;
    hs_violation v;
    hs_status    st;

    st = hs_policy_simulate(kind_of(name), s->in, plan, truth, tolerance, &out);
    REQUIRE(s, st == HS_OK, "simulating %s: %s", name, hs_status_text(st));
    if (hs_schedule_check(truth, out, &v) != HS_OK)
        sample_fail(s, "%s: %s (worker %u, entry %zu, task %zu)", name, hs_violation_text(v.kind),
                    v.worker, v.entry, v.task);
    return out;
}

static void require_same(const sample *s, const char *name, const hs_schedule *expected,
                         const hs_schedule *found)
{
    unsigned w;
    size_t   i, count, other;

    for (w = 0; w < s->m + s->k; w++) {
        const hs_entry *a = hs_schedule_entries(expected, w, &count);
        const hs_entry *b = hs_schedule_entries(found, w, &other);

        REQUIRE(s, count == other, "%s: worker %u has %zu entries, not %zu", name, w, other, count);
        for (i = 0; i < count; i++)
            REQUIRE(s,
                    a[i].start == b[i].start && a[i].end == b[i].end && a[i].task == b[i].task &&
                        a[i].state == b[i].state,
                    "%s: worker %u, entry %zu: task %u from %.17g to %.17g, not %u, %.17g, %.17g",
                    name, w, i, b[i].task, b[i].start, b[i].end, a[i].task, a[i].start, a[i].end);
    }
}

/* Any plan for the sample, by one of the algorithms. */
static hs_schedule *some_plan(const sample *s, dice *d)
{
    const hs_algorithm *algorithm;
    hs_schedule        *plan = NULL;

    do
        algorithm = hs_algorithm_at(dice_below(d, (unsigned)hs_algorithm_count()));
    while (sample_searches(algorithm));
    REQUIRE(s, hs_solve(algorithm, s->in, NULL, &plan) == HS_OK, "no plan");
    return plan;
}

/* Off by up to `error`, or if that is more than 1, longer by a whole factor up to it. */
static double draw_factor(dice *d, double error)
{
    return error > 1 ? dice_between(d, 1, (unsigned)error) : 1 + error * (2 * dice_unit(d) - 1);
}

/* The times that tasks really take, each its estimate by a factor. */
static hs_instance *some_truth(const sample *s, dice *d, double error)
{
    hs_builder  *builder = NULL;
    hs_instance *truth = NULL;
    size_t       i;

    REQUIRE(s, hs_builder_create(&builder) == HS_OK, "hs_builder_create");
    REQUIRE(s, hs_builder_workers(builder, s->m, s->k) == HS_OK, "hs_builder_workers");
    for (i = 0; i < s->n; i++) {
        hs_task task = {.cpu = s->cpu[i] * draw_factor(d, error),
                        .gpu = s->gpu[i] * draw_factor(d, error)};

        task.cpu = task.cpu > 0 ? task.cpu : s->cpu[i]; /* it was the least there is */
        task.gpu = task.gpu > 0 ? task.gpu : s->gpu[i];
        REQUIRE(s, hs_builder_add(builder, &task) == HS_OK, "hs_builder_add");
    }
    REQUIRE(s, hs_builder_finish(builder, &truth, NULL) == HS_OK, "hs_builder_finish");
    hs_builder_free(builder);
    return truth;
}

static void draw(sample *s, uint64_t seed)
{
    sample_make(s, seed, MOST_TASKS, MOST_WORKERS);
    if (seed % 2)
        sample_pin(s);
}

/* ---- exact estimates ----------------------------------------------------------------- */

START_TEST(heteroprio_is_the_algorithm)
{
    size_t rounds = sample_rounds(20000), i, aborted = 0;

    for (i = 0; i < rounds; i++) {
        sample       s;
        hs_schedule *expected = NULL, *found;

        draw(&s, 41000000 + i);
        REQUIRE(&s, hs_solve(hs_algorithm_find("heteroprio"), s.in, NULL, &expected) == HS_OK,
                "hs_solve");
        found = simulate(&s, "heteroprio", NULL, s.in, 0);
        require_same(&s, "heteroprio", expected, found);
        aborted += hs_schedule_size(found) - s.n;
        hs_schedule_free(expected);
        hs_schedule_free(found);
        sample_free(&s);
    }
    ck_assert_msg(rounds < 1000 || aborted > rounds / 10, "only %zu were spoliated", aborted);
}
END_TEST

/* The runs of each worker, in the plan's order. */
static void require_same_runs(const sample *s, const hs_schedule *plan, const hs_schedule *found)
{
    unsigned w;
    size_t   i, count, left;

    for (w = 0; w < s->m + s->k; w++) {
        const hs_entry *a = hs_schedule_entries(plan, w, &count);
        const hs_entry *b = hs_schedule_entries(found, w, &left);

        for (i = 0; i < count; i++) {
            if (a[i].state != HS_RUN)
                continue;
            REQUIRE(s, left && b->state == HS_RUN && b->task == a[i].task,
                    "worker %u does not run task %u as planned", w, a[i].task);
            REQUIRE(s, b->start <= a[i].start, "task %u starts late", a[i].task);
            b++;
            left--;
        }
        REQUIRE(s, left == 0, "worker %u runs more than planned", w);
    }
}

START_TEST(plan_is_followed)
{
    size_t rounds = sample_rounds(5000), i;

    for (i = 0; i < rounds; i++) {
        dice         d = {i};
        sample       s;
        hs_schedule *plan, *found;

        draw(&s, 42000000 + i);
        plan = some_plan(&s, &d);
        found = simulate(&s, "plan", plan, s.in, 0);
        require_same_runs(&s, plan, found);
        REQUIRE(&s, hs_schedule_makespan(found) <= hs_schedule_makespan(plan), "it got longer");
        hs_schedule_free(plan);
        hs_schedule_free(found);
        sample_free(&s);
    }
}
END_TEST

/* Where no sum is rounded, stealing never makes it worse; elsewhere by rounding alone. */
START_TEST(stealing_is_never_worse)
{
    size_t rounds = sample_rounds(20000), i, better = 0;

    for (i = 0; i < rounds; i++) {
        dice         d = {i};
        sample       s;
        hs_schedule *plan, *followed, *found;
        double       allowed;

        draw(&s, 43000000 + i);
        plan = some_plan(&s, &d);
        followed = simulate(&s, "plan", plan, s.in, 0);
        found = simulate(&s, "plan+steal", plan, s.in, 0);
        allowed = hs_schedule_makespan(followed) * (s.whole ? 1 : 1 + 0x1p-40);
        REQUIRE(&s, hs_schedule_makespan(found) <= allowed, "%.17g with stealing, %.17g without",
                hs_schedule_makespan(found), hs_schedule_makespan(followed));
        better += hs_schedule_makespan(found) < hs_schedule_makespan(followed);
        hs_schedule_free(plan);
        hs_schedule_free(followed);
        hs_schedule_free(found);
        sample_free(&s);
    }
    ck_assert_msg(rounds < 1000 || better > rounds / 20, "better in %zu only", better);
}
END_TEST

/* ---- against what is written down twice --------------------------------------------------- */

/* Estimates, a plan by them, and times that may be quite different. */
typedef struct errand {
    sample       s;
    double       tolerance;
    hs_instance *truth;
    hs_schedule *plan;
} errand;

/* Nearly everything on one worker. */
static hs_schedule *skewed_plan(const sample *s, dice *d)
{
    hs_placement *at = malloc((s->n + 1) * sizeof *at);
    hs_schedule  *plan = NULL;
    unsigned      usual = dice_below(d, s->m + s->k);
    size_t        i;

    REQUIRE(s, at, "out of memory");
    for (i = 0; i < s->n; i++) {
        unsigned worker = dice_below(d, 8) ? usual : dice_below(d, s->m + s->k);

        at[i] = (hs_placement){(double)i, (double)i, (uint32_t)i, worker, HS_RUN};
    }
    REQUIRE(s, hs_schedule_build(s->m, s->k, s->n, at, &plan) == HS_OK, "hs_schedule_build");
    free(at);
    return plan;
}

/* Now and then with lists that are longer than what plan+steal looks at. */
static void errand_make(errand *e, uint64_t seed)
{
    static const double errors[] = {0, 0.3, 0.99, 8};
    dice                d = {seed};

    int crowded = seed % 8 == 0;

    if (crowded)
        sample_make_of(&e->s, (sample_family)dice_below(&d, SAMPLE_FAMILIES), seed, 200,
                       dice_between(&d, 1, 2), dice_between(&d, 1, 2), 0);
    else
        draw(&e->s, seed);
    e->tolerance = dice_below(&d, 2) ? 0.02 : 0;
    e->truth = some_truth(&e->s, &d, errors[dice_below(&d, 4)]);
    e->plan = crowded ? skewed_plan(&e->s, &d) : some_plan(&e->s, &d);
}

static void errand_free(errand *e)
{
    hs_schedule_free(e->plan);
    hs_instance_free(e->truth);
    sample_free(&e->s);
}

START_TEST(asking_more_changes_nothing)
{
    size_t rounds = sample_rounds(9000), i;

    for (i = 0; i < rounds; i++) {
        const hs_policy_kind *kind = hs_policy_at(i % hs_policy_count());
        hs_policy            *policy = NULL;
        hs_schedule          *expected, *found;
        decider               asked;
        errand                e;

        errand_make(&e, 44000000 + i);
        REQUIRE(&e.s, hs_policy_create(kind, e.s.in, e.plan, e.tolerance, &policy) == HS_OK,
                "hs_policy_create");
        asked = library_policy(policy, (int)(i / hs_policy_count() % 2));
        expected = naive_clock_run(&e.s, e.truth, &asked);
        found = simulate(&e.s, hs_policy_name(kind), e.plan, e.truth, e.tolerance);
        require_same(&e.s, hs_policy_name(kind), expected, found);
        hs_policy_free(policy);
        hs_schedule_free(expected);
        hs_schedule_free(found);
        errand_free(&e);
    }
}
END_TEST

/* How many entries were aborted. */
static size_t follow_literally(const errand *e, const char *name, const hs_schedule *plan)
{
    literal_policy *l = literal_policy_create(&e->s, plan, e->tolerance);
    decider         asked = literal_policy_decider(l);
    hs_schedule    *expected = naive_clock_run(&e->s, e->truth, &asked);
    hs_schedule    *found = simulate(&e->s, name, plan, e->truth, e->tolerance);
    size_t          aborted = hs_schedule_size(found) - e->s.n;

    require_same(&e->s, name, expected, found);
    literal_policy_free(l);
    hs_schedule_free(expected);
    hs_schedule_free(found);
    return aborted;
}

START_TEST(heteroprio_as_it_reads)
{
    size_t rounds = sample_rounds(6000), i, aborted = 0;

    for (i = 0; i < rounds; i++) {
        errand e;

        errand_make(&e, 47000000 + i);
        aborted += follow_literally(&e, "heteroprio", NULL);
        errand_free(&e);
    }
    ck_assert_msg(rounds < 1000 || aborted > rounds / 2, "only %zu were spoliated", aborted);
}
END_TEST

/* Where the sum of a list does not depend on the order of adding up. */
START_TEST(stealing_as_it_reads)
{
    size_t rounds = sample_rounds(12000), i, aborted = 0;

    for (i = 0; i < rounds; i++) {
        errand e;

        errand_make(&e, 48000000 + i);
        if (e.s.whole)
            aborted += follow_literally(&e, "plan+steal", e.plan);
        errand_free(&e);
    }
    ck_assert_msg(rounds < 1000 || aborted > rounds / 10, "only %zu were spoliated", aborted);
}
END_TEST

/* ---- wrong estimates --------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static double makespan_of(const sample *s, const char *name, const hs_schedule *plan,
                          const hs_instance *truth)
{
    hs_schedule *found = simulate(s, name, plan, truth, 0.02);
    double       makespan = hs_schedule_makespan(found);

    hs_schedule_free(found);
    return makespan;
}

static double solved_makespan(const sample *s, const char *name, const hs_instance *in)
{
    hs_schedule *found = NULL;
    double       makespan;

    REQUIRE(s, hs_solve(hs_algorithm_find(name), in, NULL, &found) == HS_OK, "hs_solve");
    makespan = hs_schedule_makespan(found);
    hs_schedule_free(found);
    return makespan;
}

enum { SEEDS = 20 };

typedef struct wrong_ratios {
    double live[SEEDS], plan[SEEDS], steal[SEEDS];
} wrong_ratios;

/* Estimates off by up to 30 %, against list scheduling that knows the truth. */
static void measure(uint64_t seed, wrong_ratios *ratios, size_t at)
{
    dice         d = {seed};
    sample       s;
    hs_instance *truth;
    hs_schedule *plan = NULL;
    double       reference;

    sample_make_of(&s, SAMPLE_GAMMA, seed, 300, 20, 4, 0);
    truth = some_truth(&s, &d, 0.3);
    reference = solved_makespan(&s, "heteroprio-ns", truth);
    REQUIRE(&s, hs_solve(hs_algorithm_find("heteroprio"), s.in, NULL, &plan) == HS_OK, "plan");
    ratios->live[at] = makespan_of(&s, "heteroprio", NULL, truth) / reference;
    ratios->plan[at] = makespan_of(&s, "plan", plan, truth) / reference;
    ratios->steal[at] = makespan_of(&s, "plan+steal", plan, truth) / reference;
    hs_schedule_free(plan);
    hs_instance_free(truth);
    sample_free(&s);
}

START_TEST(wrong_estimates)
{
    wrong_ratios ratios;
    double       live, plan, steal;
    size_t       i;

    for (i = 0; i < SEEDS; i++)
        measure(45000000 + i, &ratios, i);
    live = median(ratios.live, SEEDS);
    plan = median(ratios.plan, SEEDS);
    steal = median(ratios.steal, SEEDS);
    printf("estimates off by up to 30%%, makespan over that of heteroprio-ns on the true times,\n"
           "median (least, most) of %d: heteroprio %.4f (%.4f, %.4f), plan %.4f (%.4f, %.4f),\n"
           "plan+steal %.4f (%.4f, %.4f)\n",
           SEEDS, live, ratios.live[0], ratios.live[SEEDS - 1], plan, ratios.plan[0],
           ratios.plan[SEEDS - 1], steal, ratios.steal[0], ratios.steal[SEEDS - 1]);
    ck_assert_double_le(live, 1.05);
    ck_assert_double_lt(live, plan);
    ck_assert_double_lt(steal, plan);
}
END_TEST

/* ---- bad luck ------------------------------------------------------------------------------ */

typedef struct luck {
    size_t   n;
    unsigned m, k;
    double   cpu[8], gpu[8], true_cpu[8], true_gpu[8];
} luck;

static double lucky_makespan(const luck *l, const char *name, double tolerance)
{
    hs_instance *in = NULL, *truth = NULL;
    hs_schedule *plan = NULL, *found = NULL;
    double       makespan;

    ck_assert_int_eq(hs_instance_wrap(l->n, l->cpu, l->gpu, NULL, l->m, l->k, &in), HS_OK);
    ck_assert_int_eq(hs_instance_wrap(l->n, l->true_cpu, l->true_gpu, NULL, l->m, l->k, &truth),
                     HS_OK);
    ck_assert_int_eq(hs_solve(hs_algorithm_find("lpt"), in, NULL, &plan), HS_OK);
    ck_assert_int_eq(hs_policy_simulate(kind_of(name), in, plan, truth, tolerance, &found), HS_OK);
    ck_assert_int_eq(hs_schedule_check(truth, found, NULL), HS_OK);
    makespan = hs_schedule_makespan(found);
    hs_schedule_free(found);
    hs_schedule_free(plan);
    hs_instance_free(truth);
    hs_instance_free(in);
    return makespan;
}

/* Two tasks; the CPU's lasts a hundred times what it should. */
START_TEST(a_task_that_does_not_end)
{
    static const luck        l = {2, 1, 1, {8, 8}, {8, 2}, {800, 800}, {4, 2}};
    static const char *const names[] = {"heteroprio", "plan+steal"};
    double                   late = nextafter(8 * (1 + 0.25), INFINITY);
    int                      i;

    ck_assert_double_eq(lucky_makespan(&l, "plan", 0.25), 800);
    for (i = 0; i < 2; i++)
        ck_assert_double_eq(lucky_makespan(&l, names[i], 0.25), late + 4);
}
END_TEST

/* The GPU, done at once, takes over from one CPU after another as it becomes free. */
START_TEST(all_cpus_are_slow)
{
    static const luck l = {4, 3, 1, {5, 5, 5, 5}, {4, 4, 4, 1}, {500, 500, 500, 500}, {1, 1, 1, 1}};
    double            late = nextafter(5, INFINITY);

    ck_assert_double_eq(lucky_makespan(&l, "heteroprio", 0), late + 1 + 1 + 1);
}
END_TEST

/* A task that needs far longer than thought everywhere is not taken to and fro for ever. */
START_TEST(a_task_that_is_long_everywhere)
{
    static const luck l = {1, 1, 1, {1}, {1}, {1000}, {1000}};

    ck_assert_double_le(lucky_makespan(&l, "heteroprio", 0), 3000);
    ck_assert_double_le(lucky_makespan(&l, "plan+steal", 0), 3000);
    ck_assert_double_ge(lucky_makespan(&l, "heteroprio", 0), 1000);
}
END_TEST

/* What waits behind a slow task goes to whoever is free; plain lists leave it there. */
START_TEST(waiting_behind_a_slow_task)
{
    static const luck l = {4, 2, 0, {6, 5, 4, 4}, {1, 1, 1, 1}, {60, 5, 4, 4}, {1, 1, 1, 1}};

    ck_assert_double_eq(lucky_makespan(&l, "plan", 0), 64);
    ck_assert_double_eq(lucky_makespan(&l, "plan+steal", 0), 60);
}
END_TEST

/*
 * Of a long list only the last 64 are looked at. When another has stolen one of them, the
 * one before comes within sight, and with it the only one that the idle CPU can run.
 */
START_TEST(a_task_comes_within_sight)
{
    enum { TASKS = 67, FIRST = 0, ANYBODY = 1, OTHER = 2 };
    static double       cpu[TASKS], gpu[TASKS];
    static hs_placement at[TASKS];
    hs_instance        *in = NULL;
    hs_schedule        *plan = NULL, *found = NULL;
    const hs_entry     *entry;
    uint32_t            i;
    size_t              count;

    for (i = 0; i < TASKS; i++) {
        cpu[i] = i == ANYBODY ? 1 : INFINITY;
        gpu[i] = i == FIRST ? 10 : 1;
        at[i] = (hs_placement){i, i, i, i == OTHER ? 2 : 1, HS_RUN};
    }
    ck_assert_int_eq(hs_instance_wrap(TASKS, cpu, gpu, NULL, 1, 2, &in), HS_OK);
    ck_assert_int_eq(hs_schedule_build(1, 2, TASKS, at, &plan), HS_OK);
    ck_assert_int_eq(hs_policy_simulate(kind_of("plan+steal"), in, plan, in, 0, &found), HS_OK);
    entry = hs_schedule_entries(found, 0, &count);
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(entry->task, ANYBODY);
    ck_assert_double_eq(entry->start, 1);
    hs_schedule_free(found);
    hs_schedule_free(plan);
    hs_instance_free(in);
}
END_TEST

START_TEST(what_is_not_restartable_is_left_alone)
{
    static const double times[] = {8, 2}, slow[] = {800, 800};
    hs_instance        *in = NULL, *truth = NULL;
    hs_builder         *builder = NULL;
    hs_schedule        *found = NULL;
    hs_task             task = {.cpu = 8, .restartable = HS_RESTART_NO};
    int                 i;

    ck_assert_int_eq(hs_builder_create(&builder), HS_OK);
    ck_assert_int_eq(hs_builder_workers(builder, 1, 1), HS_OK);
    for (i = 0; i < 2; i++) {
        task.gpu = times[i];
        ck_assert_int_eq(hs_builder_add(builder, &task), HS_OK);
    }
    ck_assert_int_eq(hs_builder_finish(builder, &in, NULL), HS_OK);
    ck_assert_int_eq(hs_instance_wrap(2, slow, times, NULL, 1, 1, &truth), HS_OK);
    ck_assert_int_eq(hs_policy_simulate(kind_of("heteroprio"), in, NULL, truth, 0, &found), HS_OK);
    ck_assert_double_eq(hs_schedule_makespan(found), 800);
    hs_schedule_free(found);
    hs_instance_free(truth);
    hs_instance_free(in);
    hs_builder_free(builder);
}
END_TEST

/* ---- what is refused ---------------------------------------------------------------------------
 */

START_TEST(bad_arguments)
{
    static const double times[] = {1, 2}, none[] = {1, INFINITY};
    hs_instance        *in = NULL, *other = NULL, *bare = NULL;
    hs_schedule        *plan = NULL, *out = NULL;
    hs_policy          *policy = NULL;
    hs_placement        once = {0, 1, 0, 0, HS_RUN};
    size_t              i;

    ck_assert_int_eq(hs_instance_wrap(2, times, times, NULL, 1, 1, &in), HS_OK);
    ck_assert_int_eq(hs_instance_wrap(2, none, times, NULL, 1, 1, &bare), HS_OK);
    ck_assert_int_eq(hs_instance_on(in, 2, 1, &other), HS_OK);
    ck_assert_int_eq(hs_solve(hs_algorithm_find("lpt"), other, NULL, &plan), HS_OK);
    ck_assert_ptr_null(hs_policy_at(hs_policy_count()));
    ck_assert_ptr_null(hs_policy_find("plans"));
    for (i = 0; i < hs_policy_count(); i++) {
        const hs_policy_kind *kind = hs_policy_at(i);

        ck_assert_ptr_eq(hs_policy_find(hs_policy_name(kind)), kind);
        ck_assert_int_gt((int)strlen(hs_policy_summary(kind)), 0);
        ck_assert_int_eq(hs_policy_create(kind, NULL, plan, 0, &policy), HS_EINVAL);
        ck_assert_int_eq(hs_policy_create(kind, other, plan, 0, NULL), HS_EINVAL);
        ck_assert_int_eq(hs_policy_create(kind, other, plan, -1, &policy), HS_EINVAL);
        ck_assert_int_eq(hs_policy_create(kind, other, plan, NAN, &policy), HS_EINVAL);
        ck_assert_int_eq(hs_policy_create(kind, other, plan, INFINITY, &policy), HS_EINVAL);
        ck_assert_int_eq(hs_policy_simulate(kind, other, plan, in, 0, &out), HS_EINVAL);
        ck_assert_int_eq(hs_policy_simulate(kind, in, NULL, bare, 0, &out), HS_EINVAL);
        if (!hs_policy_needs_plan(kind))
            continue;
        ck_assert_int_eq(hs_policy_create(kind, other, NULL, 0, &policy), HS_EINVAL);
        ck_assert_int_eq(hs_policy_create(kind, in, plan, 0, &policy), HS_EINVAL);
    }
    hs_schedule_free(plan);
    plan = NULL;
    ck_assert_int_eq(hs_schedule_build(2, 1, 1, &once, &plan), HS_OK); /* not every task */
    ck_assert_int_eq(hs_policy_create(kind_of("plan"), other, plan, 0, &policy), HS_ESCHEDULE);
    ck_assert_int_eq(hs_policy_create(kind_of("plan+steal"), other, plan, 0, &policy),
                     HS_ESCHEDULE);
    hs_schedule_free(plan);
    hs_instance_free(other);
    hs_instance_free(bare);
    hs_instance_free(in);
}
END_TEST

int main(void)
{
    Suite   *suite = suite_create("policy");
    TCase   *cases = tcase_create("under the virtual clock");
    SRunner *runner;
    int      failed;

    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, heteroprio_is_the_algorithm);
    tcase_add_test(cases, plan_is_followed);
    tcase_add_test(cases, stealing_is_never_worse);
    tcase_add_test(cases, asking_more_changes_nothing);
    tcase_add_test(cases, heteroprio_as_it_reads);
    tcase_add_test(cases, stealing_as_it_reads);
    tcase_add_test(cases, wrong_estimates);
    tcase_add_test(cases, a_task_that_does_not_end);
    tcase_add_test(cases, all_cpus_are_slow);
    tcase_add_test(cases, a_task_that_is_long_everywhere);
    tcase_add_test(cases, waiting_behind_a_slow_task);
    tcase_add_test(cases, a_task_comes_within_sight);
    tcase_add_test(cases, what_is_not_restartable_is_left_alone);
    tcase_add_test(cases, bad_arguments);
    suite_add_tcase(suite, cases);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
