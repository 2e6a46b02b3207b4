/* SPDX-License-Identifier: BSD-3-Clause */

/* The sorts of indices, by keys and by comparisons, are correct and stable. */

#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "property/dice.h"
#include "support/sort.h"

#include "suite.h"

typedef uint64_t (*draw_key)(dice *d, size_t i);

static uint64_t key_any_bits(dice *d, size_t index)
{
    (void)index;
    return dice_word(d);
}

static uint64_t key_constant(dice *d, size_t index)
{
    (void)d;
    (void)index;
    return 0x3ff0000000000000u;
}

static uint64_t key_few_values(dice *d, size_t index)
{
    (void)index;
    return dice_below(d, 5);
}

/* Doubles that differ in their lowest bits only, the last bits seen by a sort on leading bits. */
static uint64_t key_close_doubles(dice *d, size_t index)
{
    (void)index;
    return hsi_key_of_double(1 + dice_below(d, 1000) * 0x1p-52);
}

static uint64_t key_unit_doubles(dice *d, size_t index)
{
    (void)index;
    return hsi_key_of_double(dice_unit(d));
}

static uint64_t key_large_doubles(dice *d, size_t index)
{
    (void)index;
    return hsi_key_of_double(ldexp(dice_unit(d), (int)dice_below(d, 2000) - 1000));
}

/* Return UINT64_MAX for one index, else a small value: leading bits only separate this outlier. */
static uint64_t key_one_outlier(dice *d, size_t index)
{
    return index == 77 ? UINT64_MAX : dice_below(d, 1000);
}

static uint64_t key_ascending(dice *d, size_t index)
{
    (void)d;
    return index * 3;
}

static uint64_t key_descending(dice *d, size_t index)
{
    (void)d;
    return UINT64_MAX - index / 2;
}

static uint64_t key_sawtooth(dice *d, size_t index)
{
    (void)d;
    return (uint64_t)(index % 2048) << 53 | index / 2048;
}

static const draw_key draws[] = {
    key_any_bits,      key_constant,    key_few_values, key_close_doubles, key_unit_doubles,
    key_large_doubles, key_one_outlier, key_ascending,  key_descending,    key_sawtooth};

enum { DRAWS = sizeof draws / sizeof *draws };

static const size_t sizes[] = {0, 1, 2, 3, 47, 48, 49, 97, 499, 500, 501, 2047, 2049, 20000, 70000};

START_TEST(keys_order_as_their_doubles)
{
    static const double up[] = {0, 0x1p-1074,           0x1p-1022, 1e-300,  0x1.fffffffffffffp-1,
                                1, 0x1.0000000000001p0, 1e300,     INFINITY};
    size_t              i;

    for (i = 1; i < sizeof up / sizeof *up; i++)
        ck_assert(hsi_key_of_double(up[i - 1]) < hsi_key_of_double(up[i]));
}
END_TEST

static int is_less(const void *context, uint32_t a, uint32_t b)
{
    const uint64_t *keys = context;

    return keys[a] < keys[b];
}

START_TEST(sorts_indices_stably)
{
    size_t s, i;

    for (s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t    n = sizes[s];
        dice      d = {n};
        uint64_t *keys = malloc((n + 1) * sizeof *keys);
        uint32_t *order = malloc((2 * n + 1) * sizeof *order);

        ck_assert(keys && order);
        for (i = 0; i < n; i++) {
            keys[i] = draws[_i](&d, i);
            order[i] = (uint32_t)i;
        }
        hsi_sort_indices(order, order + n, n, is_less, keys);
        for (i = 1; i < n; i++)
            if (keys[order[i - 1]] > keys[order[i]] ||
                (keys[order[i - 1]] == keys[order[i]] && order[i - 1] >= order[i]))
                ck_abort_msg("%zu of %zu indices are in the wrong order", i, n);
        free(order);
        free(keys);
    }
}
END_TEST

/* Values with keys coarser than their order: a key lacks the lowest bits of its value. */
typedef struct blurred {
    const uint64_t *value;
    int             bits;
} blurred;

static uint64_t blurred_key(const void *context, uint32_t i)
{
    const blurred *b = context;

    return b->value[i] >> b->bits;
}

static int value_before(const void *context, uint32_t a, uint32_t b)
{
    const uint64_t *value = ((const blurred *)context)->value;

    return value[a] < value[b] || (value[a] == value[b] && a < b);
}

static void check_order(const blurred *b, const uint32_t *order, size_t count)
{
    size_t i;

    for (i = 1; i < count; i++)
        if (!value_before(b, order[i - 1], order[i]))
            ck_abort_msg("indices %zu and %zu of %zu are in the wrong order", i - 1, i, count);
}

/* Sort all n indices, then every third index in place. */
static void sort_both_ways(const uint64_t *value, size_t count, int bits)
{
    blurred         b = {value, bits};
    hsi_index_order how = {value_before, &b, NULL};
    uint64_t       *keys = malloc((2 * count + 1) * sizeof *keys);
    uint32_t       *order = malloc((count + 1) * sizeof *order);
    size_t          i, third = 0;

    ck_assert(keys && order);
    for (i = 0; i < count; i++)
        keys[i] = blurred_key(&b, (uint32_t)i);
    hsi_sort_by_keys(keys, keys + count, count, &how, NULL, order);
    check_order(&b, order, count);
    for (i = 0; i < count; i += 3)
        order[third++] = (uint32_t)i;
    for (i = 0; i < third; i++)
        keys[i] = blurred_key(&b, order[i]);
    hsi_sort_by_keys(keys, keys + count, third, &how, order, order);
    check_order(&b, order, third);
    for (i = 0; i < third; i++)
        if (order[i] % 3 != 0 || order[i] >= count)
            ck_abort_msg("index %u was not given", (unsigned)order[i]);
    free(order);
    free(keys);
}

START_TEST(sorts_indices_by_keys)
{
    static const size_t counts[] = {0, 1, 2, 11, 12, 13, 63, 65, 999, 1000, 1001, 3001, 70000};
    size_t              s, i;

    for (s = 0; s < sizeof counts / sizeof *counts; s++) {
        size_t    n = counts[s];
        dice      d = {900 + n + (uint64_t)_i};
        uint64_t *value = malloc((n + 1) * sizeof *value);

        ck_assert(value);
        for (i = 0; i < n; i++)
            value[i] = draws[_i](&d, i);
        sort_both_ways(value, n, 0);
        sort_both_ways(value, n, 7);
        sort_both_ways(value, n, 60);
        free(value);
    }
}
END_TEST

START_TEST(sorts_every_small_size)
{
    uint64_t value[1100] = {0};
    size_t   n, i;

    for (n = 0; n <= 1100; n++) {
        dice d = {n};

        for (i = 0; i < n; i++)
            value[i] = draws[n % DRAWS](&d, i);
        sort_both_ways(value, n, n % 3 ? 0 : 9);
    }
}
END_TEST

static int cancel_at_poll(void *questions)
{
    return --*(long *)questions == 0;
}

/* Cancel a sort at each of its polls: the sort reports the cancel. */
START_TEST(reports_each_cancelled_sort)
{
    enum { MANY = 70000 };
    static uint64_t value[MANY], keys[2 * MANY];
    static uint32_t order[MANY];
    blurred         b = {value, 7};
    dice            d = {31};
    bool            stopped = true;

    for (size_t i = 0; i < MANY; i++)
        value[i] = key_unit_doubles(&d, i);
    for (long at = 1; stopped; at++) {
        long            questions = at;
        hsi_token       token = {cancel_at_poll, &questions, false, 0};
        hsi_index_order how = {value_before, &b, &token};

        for (size_t i = 0; i < MANY; i++)
            keys[i] = blurred_key(&b, (uint32_t)i);
        stopped = hsi_sort_by_keys(keys, keys + MANY, MANY, &how, NULL, order);
        ck_assert_int_eq(stopped, questions <= 0);
    }
    check_order(&b, order, MANY);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sort");
    TCase *cases = tcase_create("sorting");

    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, sorts_every_small_size);
    tcase_add_test(cases, keys_order_as_their_doubles);
    tcase_add_loop_test(cases, sorts_indices_stably, 0, DRAWS);
    tcase_add_loop_test(cases, sorts_indices_by_keys, 0, DRAWS);
    tcase_add_test(cases, reports_each_cancelled_sort);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
