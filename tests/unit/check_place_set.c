/* SPDX-License-Identifier: BSD-3-Clause */

/* Comparison of place sets with an array of flags, for sizes near a change of the number of
 * levels. */

#include <check.h>
#include <stdlib.h>

#include "property/dice.h"
#include "support/place_set.h"

#include "rounds.h"
#include "suite.h"

typedef struct model {
    hsi_place_set  set;
    unsigned char *there;
    uint32_t       size;
} model;

static void change(model *m, uint32_t at, int to)
{
    m->there[at] = to != 0;
    if (to)
        hsi_places_add(&m->set, at);
    else
        hsi_places_remove(&m->set, at);
}

static void check_ends(const model *m)
{
    uint32_t first = 0, last = m->size;

    while (first < m->size && !m->there[first])
        first++;
    ck_assert_int_eq(hsi_places_is_empty(&m->set), first == m->size);
    if (first == m->size)
        return;
    while (!m->there[last - 1])
        last--;
    ck_assert_uint_eq(hsi_places_first(&m->set), first);
    ck_assert_uint_eq(hsi_places_last(&m->set), last - 1);
}

/* Remove all numbers, each time the first or the last at random. */
static void take_all(model *m, dice *d)
{
    while (!hsi_places_is_empty(&m->set)) {
        uint32_t at = dice_below(d, 2) ? hsi_places_first(&m->set) : hsi_places_last(&m->set);

        ck_assert_int_eq(m->there[at], 1);
        change(m, at, 0);
        check_ends(m);
    }
}

START_TEST(agrees_with_an_array)
{
    static const uint32_t sizes[] = {1, 2, 63, 64, 65, 128, 4095, 4096, 4097, 4160};

    for (int i = 0, sets = rounds(60); i < sets; i++) {
        dice     d = {79000000 + (uint64_t)i};
        uint32_t size = sizes[(unsigned)i % (sizeof sizes / sizeof *sizes)];
        model    m = {.there = calloc(size, 1), .size = size};
        unsigned share = dice_between(&d, 1, 12), step;

        ck_assert_ptr_nonnull(m.there);
        ck_assert_int_eq(hsi_places_open(&m.set, size), 0);
        check_ends(&m);
        for (step = 0; step < 600; step++) {
            change(&m, dice_below(&d, size), dice_below(&d, 12) < share);
            check_ends(&m);
        }
        take_all(&m, &d);
        hsi_places_close(&m.set);
        free(m.there);
    }
}
END_TEST

START_TEST(has_as_many_levels_as_it_needs)
{
    static const struct {
        size_t   count;
        unsigned levels;
    } of[] = {{0, 1}, {1, 1}, {63, 1}, {64, 1}, {65, 2}, {4096, 2}, {4097, 3}, {1000000, 4}};

    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        hsi_place_set set;

        ck_assert_int_eq(hsi_places_open(&set, of[i].count), 0);
        ck_assert_uint_eq(set.levels, of[i].levels);
        hsi_places_close(&set);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("place set");
    TCase *cases = tcase_create("place set");

    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, agrees_with_an_array);
    tcase_add_test(cases, has_as_many_levels_as_it_needs);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
