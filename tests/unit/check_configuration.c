/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The configuration bound, compared with optima found by exhaustive search, and its proofs,
 * compared with knapsacks solved by enumeration of all sets.
 */

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <hybridsched/generate.h>

#include "bound/bound.h"
#include "bound/configuration/state.h"
#include "core/settings.h"
#include "support/random.h"

#include "counted_clock.h"
#include "small_optimum.h"
#include "suite.h"

enum { MOST_TASKS = 8, MOST_WORKERS = OPTIMUM_WORKERS };

typedef struct small {
    size_t   n;
    unsigned m, k;
    double   p[MOST_TASKS], q[MOST_TASKS];
} small;

enum { INTEGERS, TIES, REALS, WIDE, INFINITIES, MULTIPLES, FAMILIES };

static double draw_time(hsi_random *r, int family)
{
    switch (family) {
    case INTEGERS:
        return 1 + (double)hsi_random_below(r, 20);
    case TIES:
        return 1 + (double)hsi_random_below(r, 3);
    case MULTIPLES:
        return 0.375 * (double)(1 + hsi_random_below(r, 9));
    case WIDE:
        return ldexp(hsi_random_unit(r), (int)hsi_random_below(r, 60) - 30);
    default:
        return 0.1 + hsi_random_unit(r);
    }
}

static void draw_small(hsi_random *r, int family, small *in)
{
    size_t i;

    in->n = 1 + hsi_random_below(r, MOST_TASKS);
    in->m = (unsigned)hsi_random_below(r, 4);
    in->k = (unsigned)hsi_random_below(r, MOST_WORKERS + 1 - in->m);
    if (in->m + in->k == 0)
        in->m = 1;
    for (i = 0; i < in->n; i++) {
        in->p[i] = draw_time(r, family);
        in->q[i] = draw_time(r, family);
        if (family == INFINITIES && in->m && in->k && hsi_random_below(r, 3) == 0)
            *(hsi_random_below(r, 2) ? &in->p[i] : &in->q[i]) = INFINITY;
    }
}

static hs_instance *wrap_small(const small *in)
{
    hs_instance *instance = NULL;

    ck_assert_int_eq(hs_instance_wrap(in->n, in->p, in->q, NULL, in->m, in->k, &instance), HS_OK);
    return instance;
}

static double bound_of(const char *name, const hs_instance *in)
{
    double value = -1;

    ck_assert_int_eq(hs_bound_compute(hs_bound_find(name), in, NULL, &value), HS_OK);
    return value;
}

START_TEST(bound_lies_between_deadline_and_optimum)
{
    hsi_random r;
    int        round;

    hsi_random_seed(&r, 5, (uint64_t)_i);
    for (round = 0; round < 700; round++) {
        small        in;
        hsi_problem  pb;
        hs_instance *instance;
        double       value, best;

        draw_small(&r, _i, &in);
        pb = (hsi_problem){.n = in.n, .m = in.m, .k = in.k, .p = in.p, .q = in.q};
        instance = wrap_small(&in);
        value = bound_of("configuration", instance);
        best = optimum_of(&pb); /* the bound is from rounded sums; the tolerance is larger */
        ck_assert_double_le(
            value, best * (_i == INTEGERS || _i == TIES || _i == MULTIPLES ? 1 : 1 + 0x1p-48));
        ck_assert_double_ge(value, bound_of("deadline", instance));
        hs_instance_free(instance);
    }
}
END_TEST

/* Return the maximum value of a set of tasks within the capacity, by enumeration of all sets. */
static int64_t largest_set_value(const hsi_configuration *cf, const double *time, size_t count,
                                 const hsi_configuration_proof *proof)
{
    int64_t  most = 0;
    uint32_t set;

    for (set = 0; set < 1u << count; set++) {
        int64_t weight = 0, value = 0;
        size_t  i;

        for (i = 0; i < count; i++)
            if (set >> i & 1) {
                double cells = floor(ldexp(time[i], -proof->grid));

                weight = cells <= (double)proof->capacity && weight <= proof->capacity
                             ? weight + (int64_t)cells
                             : proof->capacity + 1;
                value += hsi_configuration_row_multiplier(cf, i);
            }
        if (weight <= proof->capacity && value > most)
            most = value;
    }
    return most;
}

static void verify_proof(const hsi_configuration *cf, const small *in)
{
    hsi_configuration_proof proof;
    __int128_t              load = 0, sum = 0;
    size_t                  i;

    if (!hsi_configuration_get_proof(cf, &proof))
        return;
    ck_assert(proof.bound == hsi_configuration_bound(cf));
    ck_assert(proof.bound == ldexp((double)(proof.capacity + 1), proof.grid));
    for (i = 0; i < in->n; i++) {
        ck_assert_int_ge(hsi_configuration_row_multiplier(cf, i), 0);
        sum += hsi_configuration_row_multiplier(cf, i);
    }
    if (in->m) {
        ck_assert_int_le(largest_set_value(cf, in->p, in->n, &proof), proof.most[HS_CPU]);
        load += (__int128_t)in->m * proof.most[HS_CPU];
    }
    if (in->k) {
        ck_assert_int_le(largest_set_value(cf, in->q, in->n, &proof), proof.most[HS_GPU]);
        load += (__int128_t)in->k * proof.most[HS_GPU];
    }
    ck_assert(sum > load);
}

static hsi_stop stop_after_seconds(const hs_settings *settings, double limit)
{
    return (hsi_stop){hsi_clock_seconds(), hsi_clock_seconds() + limit, settings};
}

START_TEST(proofs_equal_enumerated_knapsacks)
{
    hs_settings settings;
    hsi_random  r;
    int         round, lifted = 0;

    hs_settings_init(&settings);
    hsi_random_seed(&r, 6, (uint64_t)_i);
    for (round = 0; round < 300; round++) {
        small              in;
        hs_instance       *instance;
        hsi_problem        rows;
        hsi_configuration *cf = NULL;
        hsi_stop           stop = stop_after_seconds(&settings, 10);

        draw_small(&r, _i, &in);
        instance = wrap_small(&in);
        ck_assert_int_eq(hsi_problem_of_rows(instance, NULL, &rows), HS_OK);
        ck_assert_int_eq(hsi_configuration_open(&rows, bound_of("deadline", instance), &cf), HS_OK);
        ck_assert_int_eq(hsi_configuration_improve_bound(cf, &stop), HS_OK);
        ck_assert(hsi_configuration_ended(cf));
        verify_proof(cf, &in);
        lifted += hsi_configuration_bound(cf) > bound_of("deadline", instance);
        hsi_configuration_close(cf);
        hsi_problem_close(&rows);
        hs_instance_free(instance);
    }
    ck_assert(lifted > 30 || _i == WIDE); /* family WIDE: the longest task alone gives the bound */
}
END_TEST

/* Three tasks of 2 on two workers need 4; the area bound, which divides tasks, is 3. */
START_TEST(bound_does_not_divide_tasks)
{
    small        in = {.n = 3, .m = 2, .p = {2, 2, 2}, .q = {9, 9, 9}};
    hs_instance *instance = wrap_small(&in);

    ck_assert_double_eq(bound_of("deadline", instance), 3);
    ck_assert_double_eq(bound_of("configuration", instance), 4);
    hs_instance_free(instance);
}
END_TEST

START_TEST(rows_with_counts_equal_copies)
{
    hs_builder  *builder;
    hs_instance *compact, *plain;
    double       p[44], q[44];
    hs_task      few = {.struct_size = sizeof few, .cpu = 5, .gpu = 2, .count = 14};
    hs_task      many = {.struct_size = sizeof many, .cpu = 3, .gpu = 4, .count = 30};
    size_t       i;

    for (i = 0; i < 44; i++) {
        p[i] = i < 14 ? 5 : 3;
        q[i] = i < 14 ? 2 : 4;
    }
    ck_assert_int_eq(hs_builder_create(&builder), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(builder, 9, 2), HS_OK);
    ck_assert_int_eq(hs_builder_add_row(builder, &few), HS_OK);
    ck_assert_int_eq(hs_builder_add_row(builder, &many), HS_OK);
    ck_assert_int_eq(hs_builder_finish(builder, &compact, NULL), HS_OK);
    ck_assert_int_eq(hs_instance_wrap(44, p, q, NULL, 9, 2, &plain), HS_OK);
    ck_assert(bound_of("configuration", compact) == bound_of("configuration", plain));
    ck_assert_double_gt(bound_of("configuration", compact), bound_of("deadline", compact));
    hs_instance_free(compact);
    hs_instance_free(plain);
    hs_builder_free(builder);
}
END_TEST

static hs_instance *gamma_instance(size_t tasks)
{
    hs_gamma     gamma = {sizeof gamma, tasks, 20, 4, 15, 0.2, 1, 1, 2};
    hs_instance *in = NULL;

    ck_assert_int_eq(hs_generate_gamma(&gamma, &in, NULL), HS_OK);
    return in;
}

static int cancel_after(void *data)
{
    return --*(int *)data < 0;
}

/* The bound never decreases from slice to slice. A slice ends after a number of polls of the cancel
 * callback, not after a time, so that the result does not depend on the machine. */
START_TEST(bound_never_decreases_from_slice_to_slice)
{
    enum { POLLS = 20 };
    hs_instance       *in = gamma_instance(300);
    hs_settings        settings;
    hsi_problem        rows;
    hsi_configuration *cf;
    double             from = bound_of("deadline", in), before = from, share[2] = {0, 0};
    unsigned           slices = 0;
    size_t             i;

    hs_settings_init(&settings);
    ck_assert_int_eq(hsi_problem_of_rows(in, NULL, &rows), HS_OK);
    ck_assert_int_eq(hsi_configuration_open(&rows, from, &cf), HS_OK);
    settings.cancel = cancel_after;
    for (; !hsi_configuration_ended(cf); slices++) {
        int      polls = POLLS;
        hsi_stop stop = stop_after_seconds(&settings, INFINITY);

        settings.cancel_data = &polls;
        ck_assert_int_eq(hsi_configuration_improve_bound(cf, &stop), HS_OK);
        ck_assert_double_ge(hsi_configuration_bound(cf), before);
        before = hsi_configuration_bound(cf);
    }
    ck_assert_uint_gt(slices, 10);
    ck_assert_double_gt(before, from * 1.009); /* reaches 0.926% */
    ck_assert_double_lt(before, from * 1.0093);
    for (i = 0; i < hsi_master_columns(cf->master); i++) {
        size_t size;

        hsi_master_pattern_items(cf->master, i, &size);
        ck_assert_uint_gt(size, 0);
        share[hsi_master_pattern_type(cf->master, i)] += hsi_master_pattern_workers(cf->master, i);
    }
    ck_assert_double_eq_tol(share[HS_CPU], 20, 0.001);
    hsi_configuration_close(cf);
    hsi_problem_close(&rows);
    hs_instance_free(in);
}
END_TEST

START_TEST(cancel_request_ends_the_bound)
{
    hs_instance *in = gamma_instance(300);
    hs_settings  settings;
    int          calls;
    double       value;

    for (calls = 0; calls < 50; calls += 7) {
        int left = calls;

        hs_settings_init(&settings);
        settings.cancel = cancel_after;
        settings.cancel_data = &left;
        ck_assert_int_eq(hs_bound_compute(hs_bound_find("configuration"), in, &settings, &value),
                         HS_ECANCELED);
    }
    hs_instance_free(in);
}
END_TEST

/* The search of _i tasks needs far more than 100 readings of the clock without a limit. */
START_TEST(ends_soon_after_its_time_limit)
{
    enum { READINGS = 100, LATE = 10 };
    hs_instance    *in = gamma_instance((size_t)_i);
    hs_settings     settings;
    hs_bound_report report;
    double          value;
    int64_t         readings;

    hs_settings_init(&settings);
    hs_bound_report_init(&report);
    settings.time_limit = 0.3;
    counted_clock_start(settings.time_limit, READINGS);
    ck_assert_int_eq(hs_bound_compute_reported(hs_bound_find("configuration"), in, &settings,
                                               &value, &report),
                     HS_OK);
    readings = counted_clock_stop();
    ck_assert_int_eq(report.limit_reached, 1);
    ck_assert_int_ge(readings, READINGS);
    ck_assert_int_le(readings, READINGS + LATE);
    ck_assert_double_ge(value, bound_of("deadline", in));
    hs_instance_free(in);
}
END_TEST

START_TEST(too_many_kinds_are_refused)
{
    hs_instance *in = gamma_instance(5001);
    double       value;

    ck_assert_int_eq(hs_bound_compute(hs_bound_find("configuration"), in, NULL, &value),
                     HS_ETOOBIG);
    hs_instance_free(in);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("configuration");
    TCase *tc = tcase_create("configuration");

    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, bound_lies_between_deadline_and_optimum, 0, FAMILIES);
    tcase_add_loop_test(tc, proofs_equal_enumerated_knapsacks, 0, FAMILIES);
    tcase_add_test(tc, bound_does_not_divide_tasks);
    tcase_add_test(tc, rows_with_counts_equal_copies);
    tcase_add_test(tc, bound_never_decreases_from_slice_to_slice);
    tcase_add_test(tc, cancel_request_ends_the_bound);
    tcase_add_loop_test(tc, ends_soon_after_its_time_limit, 300, 301);
    tcase_add_loop_test(tc, ends_soon_after_its_time_limit, 2500, 2501);
    tcase_add_test(tc, too_many_kinds_are_refused);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
