/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Changes of an instance that must not change its schedule: a second call, names, the order of
 * tasks without ties, times scaled by a power of two, rows with counts, and workers set by
 * hs_instance_with_workers().
 */

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dice.h"
#include "sample.h"
#include "suite.h"

static hs_schedule *solve_with(const sample *s, size_t algorithm, const hs_instance *in,
                               const hs_settings *settings)
{
    const hs_algorithm *alg = hs_algorithm_at(algorithm);
    hs_schedule        *plan = NULL;
    hs_status           st = hs_solve(alg, in, settings, &plan);

    REQUIRE(s, st == HS_OK, "%s: %s", hs_algorithm_name(alg), hs_status_text(st));
    return plan;
}

/* Tell whether b equals a with times multiplied by `factor` and tasks renumbered by `number` (NULL:
 * unchanged). */
static bool are_same_schedules(const hs_schedule *a, const hs_schedule *b, double factor,
                               const uint32_t *number)
{
    unsigned w, workers = hs_schedule_cpus(a) + hs_schedule_gpus(a);
    size_t   i, a_count, b_count;

    if (hs_schedule_makespan(a) * factor != hs_schedule_makespan(b) ||
        hs_schedule_cpus(a) != hs_schedule_cpus(b) || hs_schedule_gpus(a) != hs_schedule_gpus(b))
        return false;
    for (w = 0; w < workers; w++) {
        const hs_entry *x = hs_schedule_entries(a, w, &a_count);
        const hs_entry *y = hs_schedule_entries(b, w, &b_count);

        if (a_count != b_count)
            return false;
        for (i = 0; i < a_count; i++)
            if (x[i].start * factor != y[i].start || x[i].end * factor != y[i].end ||
                (number ? number[x[i].task] : x[i].task) != y[i].task ||
                x[i].state != y[i].state)
                return false;
    }
    return true;
}

static void require_refusal(const sample *s, const hs_algorithm *alg, const hs_instance *in)
{
    hs_schedule *plan = NULL;

    REQUIRE(s, hs_solve(alg, in, NULL, &plan) == HS_EWORKER && !plan, "%s does what it cannot",
            hs_algorithm_name(alg));
}

/* Check that every algorithm makes equal schedules of two equivalent instances. */
static void check_same(const sample *s, const char *what, const hs_instance *a,
                       const hs_settings *a_settings, const hs_instance *b,
                       const hs_settings *b_settings, double factor, const uint32_t *number)
{
    size_t i;

    for (i = 0; i < hs_algorithm_count(); i++) {
        hs_schedule *x, *y;

        if (algorithm_takes_seconds(hs_algorithm_at(i)) ||
            (number && algorithm_depends_on_order(hs_algorithm_at(i))))
            continue;
        if (algorithm_refuses_instance(a, hs_algorithm_at(i))) {
            require_refusal(s, hs_algorithm_at(i), a);
            require_refusal(s, hs_algorithm_at(i), b);
            continue;
        }
        x = solve_with(s, i, a, a_settings);
        y = solve_with(s, i, b, b_settings);
        REQUIRE(s, are_same_schedules(x, y, factor, number), "%s: %s made a difference",
                hs_algorithm_name(hs_algorithm_at(i)), what);
        hs_schedule_free(x);
        hs_schedule_free(y);
    }
}

static double bound_of(const sample *s, size_t index, const hs_instance *in)
{
    const hs_bound *bound = hs_bound_at(index);
    double          value = NAN;
    hs_status       st = hs_bound_compute(bound, in, NULL, &value);

    REQUIRE(s, st == HS_OK, "%s: %s", hs_bound_name(bound), hs_status_text(st));
    return value;
}

/* Check that every bound is equal on two equivalent instances. */
static void check_same_bounds(const sample *s, const char *what, const hs_instance *a,
                              const hs_instance *b, double factor, double tolerance)
{
    size_t i;

    for (i = 0; i < hs_bound_count(); i++) {
        const char *name = hs_bound_name(hs_bound_at(i));
        double      x, y;

        if (bound_takes_seconds(hs_bound_at(i)))
            continue;
        x = bound_of(s, i, a) * factor;
        y = bound_of(s, i, b);
        REQUIRE(s, fabs(x - y) <= tolerance * x,
                "%s: %s made a difference, %.17g and %.17g", name, what, x, y);
    }
}

START_TEST(repeated_calls_give_the_same_schedule)
{
    size_t       rounds = rounds_scaled(2000), i;
    hs_affinity  wishes[64];
    hs_settings  settings;
    sample       s;

    for (i = 0; i < rounds; i++) {
        sample_make(&s, 41000000 + i, 60, 6);
        sample_draw_settings(&s, &settings, wishes);
        check_same(&s, "calling again", s.in, &settings, s.in, &settings, 1, NULL);
        check_same_bounds(&s, "calling again", s.in, s.in, 1, 0);
        sample_free(&s);
    }
}
END_TEST

static hs_instance *scaled_instance(const sample *s, double factor, double *cpu, double *gpu)
{
    hs_instance *in = NULL;
    size_t       i;

    for (i = 0; i < s->n; i++) {
        cpu[i] = s->cpu[i] * factor;
        gpu[i] = s->gpu[i] * factor;
    }
    REQUIRE(s, hs_instance_wrap(s->n, cpu, gpu, s->priority, s->m, s->k, &in) == HS_OK, "wrap");
    return in;
}

START_TEST(powers_of_two_scale_every_result)
{
    static const int exponents[] = {-200, -10, -1, 1, 3, 64, 200};
    size_t           rounds = rounds_scaled(3000), i;
    double           cpu[64], gpu[64];
    hs_affinity      wishes[64];
    hs_settings      settings;
    sample           s;

    for (i = 0; i < rounds; i++) {
        double        factor = ldexp(1, exponents[i % 7]);
        sample_family family = (sample_family)(i % SAMPLE_VAST); /* times of further families
                                                                    would be rounded when scaled */
        hs_instance  *in;

        sample_make_family(&s, family, 42000000 + i, i % 61, 1 + i / 7 % 4, i / 28 % 5, i % 3 == 0);
        sample_draw_settings(&s, &settings, wishes);
        in = scaled_instance(&s, factor, cpu, gpu);
        check_same(&s, "a power of two", s.in, &settings, in, &settings, factor, NULL);
        check_same_bounds(&s, "a power of two", s.in, in, factor, 0);
        hs_instance_free(in);
        sample_free(&s);
    }
}
END_TEST

typedef struct renamed {
    hs_instance *in;
    uint32_t    *number; /* new number of each task after shuffling */
    hs_affinity *wishes;
    hs_settings  settings;
} renamed;

static void shuffle(dice *d, uint32_t *order, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++) {
        size_t j = dice_below(d, (unsigned)i + 1);

        order[i] = order[j];
        order[j] = (uint32_t)i;
    }
}

/* Build the instance with new names of tasks and, unless `keep_order`, in random order. */
static void rename_tasks(const sample *s, const hs_settings *settings, bool keep_order, renamed *r)
{
    dice        d = {s->seed};
    hs_builder *builder = NULL;
    uint32_t   *order = malloc((s->n + 1) * sizeof *order);
    size_t      i;

    r->number = malloc((s->n + 1) * sizeof *r->number);
    r->wishes = malloc((s->n + 1) * sizeof *r->wishes);
    REQUIRE(s, order && r->number && r->wishes && hs_builder_create(&builder) == HS_OK, "memory");
    for (i = 0; i < s->n; i++)
        order[i] = (uint32_t)i;
    if (!keep_order)
        shuffle(&d, order, s->n);
    hs_builder_set_workers(builder, s->m, s->k);
    for (i = 0; i < s->n; i++) {
        char    name[32];
        hs_task task = {.struct_size = sizeof task,
                        .id = name, .cpu = s->cpu[order[i]], .gpu = s->gpu[order[i]],
                        .priority = s->priority[order[i]], .kernel = "dgemm:960"};

        snprintf(name, sizeof name, "%08x-%zu", dice_below(&d, 1u << 31), i);
        r->number[order[i]] = (uint32_t)i;
        REQUIRE(s, hs_builder_add_row(builder, &task) == HS_OK, "hs_builder_add_row");
    }
    REQUIRE(s, hs_builder_finish(builder, &r->in, NULL) == HS_OK, "hs_builder_finish");
    r->settings = *settings;
    r->settings.affinities = r->wishes;
    for (i = 0; i < settings->affinity_count; i++) {
        r->wishes[i] = settings->affinities[i];
        r->wishes[i].task = r->number[r->wishes[i].task];
    }
    hs_builder_free(builder);
    free(order);
}

static void renamed_free(renamed *r)
{
    hs_instance_free(r->in);
    free(r->number);
    free(r->wishes);
}

START_TEST(names_do_not_change_schedules)
{
    size_t      rounds = rounds_scaled(1500), i;
    hs_affinity wishes[64];
    hs_settings settings;
    sample      s;
    renamed     r;

    for (i = 0; i < rounds; i++) {
        sample_make(&s, 43000000 + i, 60, 6);
        sample_draw_settings(&s, &settings, wishes);
        rename_tasks(&s, &settings, true, &r);
        check_same(&s, "a name", s.in, &settings, r.in, &r.settings, 1, NULL);
        check_same_bounds(&s, "a name", s.in, r.in, 1, 0);
        renamed_free(&r);
        sample_free(&s);
    }
}
END_TEST

/* Check that the order of tasks is irrelevant for random real times, where no time, ratio, mean or
 * score equals another. */
START_TEST(order_without_ties_does_not_change_schedules)
{
    static const sample_family families[] = {SAMPLE_UNIFORM, SAMPLE_GAMMA, SAMPLE_WIDE,
                                             SAMPLE_VAST};
    size_t                     rounds = rounds_scaled(3000), i, j;
    hs_affinity wishes[64];
    hs_settings settings;
    sample      s;
    renamed     r;

    for (i = 0; i < rounds; i++) {
        sample_make_family(&s, families[i % 4], 44000000 + i, i % 61, 1 + i / 4 % 5, 1 + i / 20 % 5,
                           0);
        sample_draw_settings(&s, &settings, wishes);
        for (j = 0; j < settings.affinity_count; j++)
            wishes[j].score += (double)j / 64;
        rename_tasks(&s, &settings, false, &r);
        check_same(&s, "the order", s.in, &settings, r.in, &r.settings, 1, r.number);
        check_same_bounds(&s, "the order", s.in, r.in, 1, 0);
        renamed_free(&r);
        sample_free(&s);
    }
}
END_TEST

/* Check that bounds do not depend on the order of whole times. Schedules may: ties are broken by
 * order. */
START_TEST(order_does_not_change_bounds)
{
    size_t      rounds = rounds_scaled(2000), i;
    hs_settings settings;
    sample      s;
    renamed     r;

    hs_settings_init(&settings);
    for (i = 0; i < rounds; i++) {
        sample_make_family(&s, (sample_family)(i % SAMPLE_KERNELS), 45000000 + i, i % 61, 1 + i % 5,
                           i / 20 % 5, i % 2);
        rename_tasks(&s, &settings, false, &r);
        check_same_bounds(&s, "the order", s.in, r.in, 1, 0);
        renamed_free(&r);
        sample_free(&s);
    }
}
END_TEST

START_TEST(rows_with_counts_equal_copies)
{
    size_t rounds = rounds_scaled(1500), i, j;
    sample s;

    for (i = 0; i < rounds; i++) {
        dice         d = {46000000 + i};
        double       cpu[256], gpu[256];
        int64_t      priority[256];
        size_t       copies = 0;
        hs_builder  *builder = NULL;
        hs_instance *counted = NULL, *flat = NULL;

        sample_make(&s, 46000000 + i, 40, 6);
        REQUIRE(&s, hs_builder_create(&builder) == HS_OK, "hs_builder_create");
        hs_builder_set_workers(builder, s.m, s.k);
        for (j = 0; j < s.n; j++) {
            hs_task task = {.struct_size = sizeof task,
                            .cpu = s.cpu[j], .gpu = s.gpu[j], .priority = s.priority[j],
                            .count = dice_between(&d, 0, 5)};
            unsigned count = task.count ? task.count : 1;

            REQUIRE(&s, hs_builder_add_row(builder, &task) == HS_OK, "hs_builder_add_row");
            for (; count > 0; count--, copies++) {
                cpu[copies] = s.cpu[j];
                gpu[copies] = s.gpu[j];
                priority[copies] = s.priority[j];
            }
        }
        REQUIRE(&s, hs_builder_finish(builder, &counted, NULL) == HS_OK, "hs_builder_finish");
        REQUIRE(&s, hs_instance_wrap(copies, cpu, gpu, priority, s.m, s.k, &flat) == HS_OK,
                "hs_instance_wrap");
        check_same(&s, "a count", counted, NULL, flat, NULL, 1, NULL);
        hs_instance_free(counted);
        hs_instance_free(flat);
        hs_builder_free(builder);
        sample_free(&s);
    }
}
END_TEST

START_TEST(changed_workers_equal_a_new_instance)
{
    size_t       rounds = rounds_scaled(1500), i;
    hs_instance *elsewhere, *back;
    sample       s;

    for (i = 0; i < rounds; i++) {
        unsigned cpus, gpus;

        sample_make(&s, 47000000 + i, 40, 6);
        cpus = s.m ? s.m + 3 : 0; /* a missing type stays missing, because no task may need it */
        gpus = s.k ? s.k + 1 : 0;
        elsewhere = back = NULL;
        REQUIRE(&s, hs_instance_with_workers(s.in, cpus, gpus, &elsewhere) == HS_OK,
                "hs_instance_with_workers");
        REQUIRE(&s, hs_instance_with_workers(elsewhere, s.m, s.k, &back) == HS_OK,
                "hs_instance_with_workers");
        hs_instance_free(elsewhere);
        check_same(&s, "moving", s.in, NULL, back, NULL, 1, NULL);
        check_same_bounds(&s, "moving", s.in, back, 1, 0);
        hs_instance_free(back);
        sample_free(&s);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("invariance");
    TCase *cases = tcase_create("properties");

    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, repeated_calls_give_the_same_schedule);
    tcase_add_test(cases, powers_of_two_scale_every_result);
    tcase_add_test(cases, names_do_not_change_schedules);
    tcase_add_test(cases, order_without_ties_does_not_change_schedules);
    tcase_add_test(cases, order_does_not_change_bounds);
    tcase_add_test(cases, rows_with_counts_equal_copies);
    tcase_add_test(cases, changed_workers_equal_a_new_instance);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
