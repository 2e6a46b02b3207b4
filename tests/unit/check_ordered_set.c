/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Compare the ordered set with a sorted array. The tests also read the fields of the set, to check
 * that blocks never exceed the reserved room: users depend on this limit.
 */

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "property/dice.h"
#include "support/ordered_set.h"

#include "rounds.h"
#include "suite.h"

enum {
    MOST = 4000,
    BLOCK_BYTES = HSI_SET_BLOCK * (sizeof(double) + sizeof(uint32_t)),
    ENTRY_BYTES = 16
};

typedef struct model {
    hsi_ordered_set set;
    dice            d;
    double          key[MOST];
    uint32_t        rank[MOST];   /* order among equal keys */
    uint32_t        sorted[MOST]; /* items of the set, in order */
    size_t          count, items, peak;
} model;

static int by_rank(const void *context, uint32_t a, uint32_t b)
{
    const uint32_t *rank = context;

    return rank[a] < rank[b];
}

static bool comes_before(const model *m, uint32_t a, uint32_t b)
{
    return m->key[a] != m->key[b] ? m->key[a] < m->key[b] : m->rank[a] < m->rank[b];
}

/* Return the number of items in the set that come before `item`. */
static size_t place_of(const model *m, uint32_t item)
{
    size_t from = 0, to = m->count;

    while (from < to) {
        size_t middle = (from + to) / 2;

        if (comes_before(m, m->sorted[middle], item))
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static void model_cut(model *m, size_t at)
{
    m->count--;
    memmove(&m->sorted[at], &m->sorted[at + 1], (m->count - at) * sizeof m->sorted[0]);
}

/* Insert an item into the set and the array; an item already present changes neither. */
static void insert_both(model *m, uint32_t item)
{
    size_t at = place_of(m, item);

    hsi_set_insert(&m->set, m->key[item], item);
    if (at < m->count && m->sorted[at] == item)
        return;
    memmove(&m->sorted[at + 1], &m->sorted[at], (m->count - at) * sizeof m->sorted[0]);
    m->sorted[at] = item;
    m->count++;
    if (m->count > m->peak)
        m->peak = m->count;
}

static void remove_both(model *m, uint32_t item)
{
    size_t at = place_of(m, item);
    bool   there = at < m->count && m->sorted[at] == item;

    if (hsi_set_remove(&m->set, m->key[item], item) != there)
        ck_abort_msg("was item %u there? %d was right", item, there);
    if (there)
        model_cut(m, at);
}

/* Draw a new key near the old one; the set takes it if it lies between those of the neighbours. */
static void change_both(model *m, uint32_t item)
{
    size_t at = place_of(m, item);
    bool   fits = at < m->count && m->sorted[at] == item;
    double key = m->key[item] + (dice_below(&m->d, 9) - 4.0) / 4;

    fits = fits && (at == 0 || m->key[m->sorted[at - 1]] < key) &&
           (at + 1 == m->count || key < m->key[m->sorted[at + 1]]);
    if (hsi_set_change_key(&m->set, m->key[item], item, key) != fits)
        ck_abort_msg("did key %g of item %u fit? %d was right", key, item, fits);
    if (!fits)
        return;
    m->key[item] = key;
    hsi_set_insert(&m->set, key, item); /* the item is in the set: no effect */
}

static void take_both(model *m, hsi_set_end end)
{
    size_t   at = end == HSI_SET_FRONT ? 0 : m->count - 1;
    uint32_t found;

    if (m->count == 0)
        return;
    found = hsi_set_remove_end(&m->set, end);
    if (found != m->sorted[at])
        ck_abort_msg("took %u, not %u", found, m->sorted[at]);
    model_cut(m, at);
}

static void check_size(const model *m)
{
    if (m->set.count != m->count)
        ck_abort_msg("%zu items, not %zu", m->set.count, m->count);
    if (m->set.used > m->count / 32 + 3)
        ck_abort_msg("%zu blocks for %zu items", m->set.used, m->count);
    if (m->set.blocks.size / BLOCK_BYTES > m->peak / 32 + 3)
        ck_abort_msg("%zu blocks were used for %zu items", m->set.blocks.size / BLOCK_BYTES,
                     m->peak);
}

static void check_order(const model *m)
{
    size_t i;

    for (i = 0; i < m->count; i++) {
        if (hsi_set_at(&m->set, HSI_SET_FRONT, i) != m->sorted[i])
            ck_abort_msg("item %zu from the front is not the right one", i);
        if (hsi_set_at(&m->set, HSI_SET_BACK, i) != m->sorted[m->count - 1 - i])
            ck_abort_msg("item %zu from the back is not the right one", i);
    }
}

static void draw_items(model *m, uint64_t seed)
{
    static const unsigned kinds[] = {1, 3, 40, 100000};
    unsigned              i, count, keys;

    m->d.state = seed;
    m->items = dice_between(&m->d, 1, dice_below(&m->d, 2) ? MOST : 2 * HSI_SET_BLOCK);
    count = (unsigned)m->items;
    keys = kinds[dice_below(&m->d, 4)];
    for (i = 0; i < count; i++) {
        unsigned other = dice_below(&m->d, i + 1);

        m->key[i] = (double)dice_below(&m->d, keys) - keys / 2;
        m->rank[i] = m->rank[other];
        m->rank[other] = i;
    }
    hsi_set_open(&m->set, by_rank, m->rank);
}

/* Repeat one random operation, either on items of a short range of numbers or on random items. */
static void apply_random_operations(model *m)
{
    unsigned what = dice_below(&m->d, 7), times = dice_between(&m->d, 1, 400), i;
    unsigned all = (unsigned)m->items, begin = dice_below(&m->d, all);
    unsigned within = dice_below(&m->d, 2) ? all : dice_between(&m->d, 1, 300);

    for (i = 0; i < times; i++) {
        uint32_t item = (begin + dice_below(&m->d, within)) % all;

        switch (what) {
        case 0:
            take_both(m, HSI_SET_FRONT);
            break;
        case 1:
            take_both(m, HSI_SET_BACK);
            break;
        case 2:
            remove_both(m, item);
            break;
        case 3: /* neighbours in the order */
            if (m->count)
                remove_both(m, m->sorted[(begin + i) % m->count]);
            break;
        case 4:
            change_both(m, i & 1 && m->count ? m->sorted[(begin + i) % m->count] : item);
            break;
        default:
            insert_both(m, item);
        }
        check_size(m);
    }
}

/* Append every item to the empty set in order and check that the blocks become full. */
static void fill_both(model *m)
{
    uint32_t item;
    size_t   i;

    for (item = 0; item < m->items; item++) {
        size_t at = place_of(m, item);

        memmove(&m->sorted[at + 1], &m->sorted[at], (m->count - at) * sizeof m->sorted[0]);
        m->sorted[at] = item;
        m->count++;
    }
    m->peak = m->count;
    for (i = 0; i < m->count; i++)
        hsi_set_insert(&m->set, m->key[m->sorted[i]], m->sorted[i]);
    ck_assert_uint_eq(m->set.used, (m->items + HSI_SET_BLOCK - 1) / HSI_SET_BLOCK);
}

START_TEST(set_equals_a_sorted_array)
{
    size_t sets = (size_t)rounds(200), i;

    for (i = 0; i < sets; i++) {
        model   *m = calloc(1, sizeof *m);
        unsigned steps;

        ck_assert_ptr_nonnull(m);
        draw_items(m, 77000000 + i);
        ck_assert_int_eq(hsi_set_reserve(&m->set, m->items), 0);
        ck_assert_uint_ge(m->set.room, m->items);
        if (i & 1)
            fill_both(m);
        for (steps = dice_between(&m->d, 1, 50); steps > 0; steps--) {
            apply_random_operations(m);
            check_order(m);
        }
        while (m->count)
            take_both(m, dice_below(&m->d, 2) ? HSI_SET_FRONT : HSI_SET_BACK);
        check_size(m);
        hsi_set_close(&m->set);
        free(m);
    }
}
END_TEST

/* Reserving room for one more item keeps the items of the set. */
START_TEST(growth_keeps_the_items)
{
    size_t i;

    for (i = 0; i < 20; i++) {
        model   *m = calloc(1, sizeof *m);
        uint32_t item;

        ck_assert_ptr_nonnull(m);
        draw_items(m, 78000000 + i);
        for (item = 0; item < m->items; item++) {
            ck_assert_int_eq(hsi_set_reserve(&m->set, m->count + 1), 0);
            insert_both(m, item);
            if (item % 5 == 4)
                take_both(m, HSI_SET_FRONT);
            check_size(m);
        }
        check_order(m);
        hsi_set_close(&m->set);
        free(m);
    }
}
END_TEST

/* Remove all items except one per block, from the front or from the back, and refill the set. */
START_TEST(sparse_set_is_refilled)
{
    model   *m = calloc(1, sizeof *m);
    uint32_t item;
    int      round;

    ck_assert_ptr_nonnull(m);
    m->items = MOST;
    for (item = 0; item < MOST; item++)
        m->key[item] = item;
    hsi_set_open(&m->set, by_rank, m->rank);
    ck_assert_int_eq(hsi_set_reserve(&m->set, MOST), 0);
    for (round = 0; round < 6; round++) {
        fill_both(m);
        for (item = 0; item < MOST; item++) {
            if (item % HSI_SET_BLOCK)
                remove_both(m, _i ? MOST - 1 - item : item);
            check_size(m);
        }
        check_order(m);
        while (m->count)
            take_both(m, HSI_SET_FRONT);
    }
    hsi_set_close(&m->set);
    free(m);
}
END_TEST

/* Items inserted at one end and taken at the other end never need more than the reserved room. */
START_TEST(moving_window_needs_no_more_room)
{
    enum { ROOM = 1000, THERE = 900, TIMES = 50000 };
    hsi_ordered_set set;
    uint32_t        i;

    hsi_set_open(&set, by_rank, NULL);
    ck_assert_int_eq(hsi_set_reserve(&set, ROOM), 0);
    for (i = 0; i < TIMES; i++) {
        hsi_set_insert(&set, _i ? -(double)i : i, i % ROOM);
        if (i >= THERE)
            ck_assert_uint_eq(hsi_set_remove_end(&set, _i ? HSI_SET_BACK : HSI_SET_FRONT),
                              (i - THERE) % ROOM);
        ck_assert_uint_le((set.first + set.used) * ENTRY_BYTES, set.directory.capacity);
        ck_assert_uint_le(set.blocks.size, set.blocks.capacity);
        ck_assert_uint_le(set.used, ROOM / 32 + 3);
    }
    hsi_set_close(&set);
}
END_TEST

START_TEST(absent_item_is_not_removed)
{
    static const uint32_t rank[] = {0, 1, 2};
    hsi_ordered_set       set;

    hsi_set_open(&set, by_rank, rank);
    ck_assert_int_eq(hsi_set_reserve(&set, 3), 0);
    ck_assert_int_eq(hsi_set_remove(&set, 1, 0), 0);
    hsi_set_insert(&set, 1, 1);
    ck_assert_int_eq(hsi_set_remove(&set, 1, 0), 0);
    ck_assert_int_eq(hsi_set_remove(&set, 1, 2), 0);
    ck_assert_int_eq(hsi_set_remove(&set, 0, 1), 0);
    ck_assert_int_eq(hsi_set_remove(&set, 1, 1), 1);
    ck_assert_int_eq(hsi_set_remove(&set, 1, 1), 0);
    ck_assert_uint_eq(set.count, 0);
    hsi_set_close(&set);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ordered set");
    TCase *cases = tcase_create("ordered set");

    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, set_equals_a_sorted_array);
    tcase_add_test(cases, growth_keeps_the_items);
    tcase_add_loop_test(cases, sparse_set_is_refilled, 0, 2);
    tcase_add_loop_test(cases, moving_window_needs_no_more_room, 0, 2);
    tcase_add_test(cases, absent_item_is_not_removed);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
