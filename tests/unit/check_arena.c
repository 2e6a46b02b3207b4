/* SPDX-License-Identifier: BSD-3-Clause */

/* Blocks of an arena are aligned, do not overlap, and are released in reverse order. */

#include <check.h>
#include <stdint.h>
#include <string.h>

#include "suite.h"
#include "support/arena.h"

static unsigned char *take_and_mark(hsi_arena *arena, size_t size, int fill)
{
    unsigned char *taken = hsi_arena_alloc(arena, 1, size);

    ck_assert_ptr_nonnull(taken);
    ck_assert_uint_eq((uintptr_t)taken % 16, 0);
    memset(taken, fill, size);
    return taken;
}

static void expect_kept(const unsigned char *taken, size_t size, int fill)
{
    for (size_t i = 0; i < size; i++)
        if (taken[i] != fill)
            ck_abort_msg("byte %zu of what was marked %d is %d", i, fill, taken[i]);
}

/* Take blocks of odd sizes, some larger than the rest of the current chunk. */
START_TEST(blocks_do_not_overlap)
{
    enum { PIECES = 60 };
    hsi_arena      arena = {0};
    unsigned char *piece[PIECES];

    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < PIECES; i++)
            piece[i] = take_and_mark(&arena, (size_t)(i * i * 37 + 1), i);
        for (int i = 0; i < PIECES; i++)
            expect_kept(piece[i], (size_t)(i * i * 37 + 1), i);
        hsi_arena_reset(&arena);
        ck_assert_uint_eq(arena.used, 0);
    }
    hsi_arena_close(&arena);
}
END_TEST

START_TEST(too_large_blocks_are_refused)
{
    hsi_arena arena = {0};

    ck_assert_ptr_null(hsi_arena_alloc(&arena, SIZE_MAX / 2, 4));
    ck_assert_ptr_null(hsi_arena_alloc(&arena, SIZE_MAX / 8 + 2, 8));
    ck_assert_ptr_null(hsi_arena_alloc(&arena, SIZE_MAX, 1));
    ck_assert_ptr_null(hsi_arena_alloc(&arena, SIZE_MAX - 32, 1)); /* with a header it wraps round */
    take_and_mark(&arena, 100, 1);
    hsi_arena_close(&arena);
}
END_TEST

/* Take blocks after a mark, release them, and take them again; blocks before the mark keep their
 * content. */
START_TEST(release_returns_to_the_mark)
{
    hsi_arena      arena = {0};
    unsigned char *kept = take_and_mark(&arena, 1000, 1), *first;
    hsi_mark       mark = hsi_arena_mark(&arena);
    size_t         used = arena.used;

    first = take_and_mark(&arena, 500, 2);
    take_and_mark(&arena, 1 << 20, 3);
    hsi_arena_release(&arena, mark);
    ck_assert_uint_eq(arena.used, used);
    ck_assert_ptr_eq(take_and_mark(&arena, 500, 4), first);
    expect_kept(kept, 1000, 1);
    hsi_arena_close(&arena);
}
END_TEST

/* After a reset one chunk has room for the peak, whatever the order of the blocks. */
START_TEST(one_chunk_holds_the_peak_after_a_reset)
{
    hsi_arena      arena = {0};
    unsigned char *before, *after;

    take_and_mark(&arena, 100000, 1);
    take_and_mark(&arena, 200000, 2);
    ck_assert_uint_ge(arena.peak, 300000);
    hsi_arena_reset(&arena);
    before = take_and_mark(&arena, 200000, 3);
    after = take_and_mark(&arena, 100000, 4);
    ck_assert_ptr_eq(before + 200000, after);
    hsi_arena_close(&arena);
    ck_assert_uint_eq(arena.peak, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("arena");
    TCase *tests = tcase_create("all");

    tcase_add_test(tests, blocks_do_not_overlap);
    tcase_add_test(tests, too_large_blocks_are_refused);
    tcase_add_test(tests, release_returns_to_the_mark);
    tcase_add_test(tests, one_chunk_holds_the_peak_after_a_reset);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
