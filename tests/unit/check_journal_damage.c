/* SPDX-License-Identifier: BSD-3-Clause */

/* Damaged journals: whatever happened to the file, every record that is read was written. */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exec/journal/text.h"

#include "journal_fixture.h"
#include "suite.h"

/* Return the step between tested offsets: 1, or larger as HS_TEST_ROUNDS in the environment
 * requests less work. */
static size_t step_between_offsets(void)
{
    const char *percent = getenv("HS_TEST_ROUNDS");
    long        value = percent ? strtol(percent, NULL, 10) : 100;

    return value > 0 && value < 100 ? (size_t)(100 / value) : 1;
}

/* Read a damaged journal. If the reader accepts the text, check that exactly the first records are
 * found. */
static hs_status read_damaged(const char *text, size_t size, size_t *count)
{
    unsigned char     done[TASKS] = {0};
    hsi_journal_found found = {0};
    char             *exact =
        malloc(size + 1); /* copy of exactly this size: a sanitizer notices a read past the end */
    hs_status st;

    memcpy(exact, text, size);
    exact[size] = '\0';
    fault.why[0] = '\0';
    st = read_journal(exact, size, done, &found);
    free(exact);
    ck_assert_msg(st == HS_OK || st == HS_EINVAL, "status %d", (int)st);
    ck_assert(st == HS_OK || fault.why[0] != '\0');
    if (st == HS_OK)
        assert_done(done, (size_t)past.done);
    *count = st == HS_OK ? (size_t)past.done : 0;
    return st;
}

START_TEST(journal_may_be_cut_at_every_byte)
{
    bytes         all = journal_of_three_runs(TASKS - 2, 1);
    size_t        size;
    unsigned char done[TASKS];

    for (size = 0; size <= all.size; size += step_between_offsets()) {
        size_t       known = records_before(&all, size);
        uint64_t     count;
        hsi_journal *j;

        spit(all.at, size);
        memset(done, 0, sizeof done);
        j = opened(1, done, &count);
        ck_assert_uint_eq(count, known);
        ck_assert_int_eq(past.note[0] == '\0',
                         size == 0 || size == all.size || all.at[size - 1] == '\n');
        assert_done(done, known);
        record_some(j, known, TASKS);
        shut(j);
        memset(done, 0, sizeof done);
        shut(opened(1, done, &count));
        ck_assert_uint_eq(count, TASKS);
    }
    free(all.at);
}
END_TEST

START_TEST(zeros_may_follow_every_byte)
{
    bytes  all = journal_of_three_runs(TASKS - 2, 1);
    char  *text = calloc(1, all.size + 5000);
    size_t size, count, extra;

    for (size = 0; size <= all.size; size += step_between_offsets())
        for (extra = 0; extra <= 5000; extra += 2500) {
            memset(text, 0, all.size + extra);
            memcpy(text, all.at, size);
            ck_assert_msg(read_damaged(text, all.size + extra, &count) == HS_OK, "%s", fault.why);
            ck_assert_uint_eq(count, records_before(&all, size));
        }
    free(text);
    free(all.at);
}
END_TEST

/* Return the start of the last group of records that might not have been on disk. */
static size_t last_synced(const bytes *all)
{
    size_t last = line_of(all, all->size - 1), end = all->size - HSI_JOURNAL_HEX - 2, at = end;

    while (at > last && all->at[at - 1] != ' ')
        at--;
    return (size_t)strtoul(all->at + at, NULL, 10);
}

static void flip_every_byte(const bytes *all, unsigned char change)
{
    size_t synced = last_synced(all), at, count;

    for (at = 0; at < all->size; at += step_between_offsets()) {
        hs_status st;

        all->at[at] = (char)((unsigned char)all->at[at] ^ change);
        st = read_damaged(all->at, all->size, &count);
        all->at[at] = (char)((unsigned char)all->at[at] ^ change);
        if (at < synced)
            ck_assert_msg(st == HS_EINVAL, "byte %zu ^ %02x is believed", at, change);
        else
            ck_assert_msg(st == HS_OK && count == records_before(all, line_of(all, at)),
                          "byte %zu ^ %02x: %zu records (%s)", at, change, count, fault.why);
    }
}

START_TEST(flipped_bytes_are_noticed)
{
    static const unsigned char changes[] = {1, 2, 4, 8, 16, 32, 64, 128, 255, ' ' ^ '\n', 'd'};
    bytes                      all = journal_of_three_runs(TASKS - 2, _i % 2);
    size_t                     synced = last_synced(&all);

    /* After a clean end only the last line can be an unfinished one. */
    ck_assert_int_eq(synced == line_of(&all, all.size - 1), _i % 2);
    flip_every_byte(&all, changes[_i / 2]);
    free(all.at);
}
END_TEST

/* Replace each byte by a newline, a blank or a zero: lines are split and joined. */
START_TEST(replaced_bytes_are_noticed)
{
    static const char values[] = {'\n', ' ', 0, 'd'};
    bytes             all = journal_of_three_runs(TASKS - 2, 1);
    size_t            synced = last_synced(&all), at, i, count;

    for (at = 0; at < all.size; at += step_between_offsets())
        for (i = 0; i < sizeof values; i++) {
            char      before = all.at[at];
            hs_status st;

            all.at[at] = values[i];
            st = read_damaged(all.at, all.size, &count);
            if (before != values[i])
                ck_assert_int_eq(st, at < synced ? HS_EINVAL : HS_OK);
            all.at[at] = before;
        }
    free(all.at);
}
END_TEST

START_TEST(zeroed_blocks_are_noticed)
{
    bytes  all = journal_of_three_runs(TASKS - 2, 1);
    size_t synced = last_synced(&all), block, at, count;
    char  *text = malloc(all.size);

    for (block = 16; block <= 1024; block *= 2)
        for (at = 0; at + block < all.size; at += 16) {
            hs_status st;

            memcpy(text, all.at, all.size);
            memset(text + at, 0, block);
            st = read_damaged(text, all.size, &count);
            /* The rest of the last two lines may not show that these lines existed. */
            if (at + block + 200 < synced)
                ck_assert_msg(st == HS_EINVAL, "zeros at %zu, %zu bytes, are believed", at, block);
        }
    free(text);
    free(all.at);
}
END_TEST

typedef struct lines {
    size_t start[2 * TASKS], count;
} lines;

static lines split_lines(const bytes *all)
{
    lines  l = {.count = 0};
    size_t at;

    for (at = 0; at < all->size; at++)
        if (at == 0 || all->at[at - 1] == '\n')
            l.start[l.count++] = at;
    l.start[l.count] = all->size;
    return l;
}

/* Append line number `line` of `all`. */
static void add_line(bytes *to, const bytes *all, const lines *l, size_t line)
{
    size_t length = l->start[line + 1] - l->start[line];

    memcpy(to->at + to->size, all->at + l->start[line], length);
    to->size += length;
}

/* Return the text with line number `line` left out (how = 0), repeated (1), or after the next
 * line (2). */
static bytes rearrange_line(const bytes *all, const lines *l, size_t line, int how)
{
    bytes  out = {malloc(2 * all->size), 0};
    size_t i;

    for (i = 0; i < l->count; i++)
        if (i != line || how == 1)
            add_line(&out, all, l, i), i == line ? add_line(&out, all, l, i) : (void)0;
        else if (how == 2)
            add_line(&out, all, l, line + 1), add_line(&out, all, l, line), i++;
    return out;
}

START_TEST(rearranged_lines_are_noticed)
{
    bytes  all = journal_of_three_runs(TASKS - 2, 1);
    lines  l = split_lines(&all);
    size_t n, count;
    int    how;

    for (n = 0; n + 2 < l.count; n++)
        for (how = 0; how < 3; how++) {
            bytes     other = rearrange_line(&all, &l, n, how);
            hs_status st = read_damaged(other.at, other.size, &count);

            if (n + 3 < l.count)
                ck_assert_msg(st == HS_EINVAL, "line %zu, change %d", n, how);
            free(other.at);
        }
    free(all.at);
}
END_TEST

/* A journal of a crashed run: a resumed run cuts off the unfinished end and continues; other
 * damage is reported. */
START_TEST(damage_is_refused_and_reported)
{
    unsigned char done[TASKS] = {0};
    bytes         all = journal_of_three_runs(TASKS - 2, 1), after;
    hsi_journal  *j = NULL;

    all.at[all.size / 2] ^= 1;
    spit(all.at, all.size);
    ck_assert_int_eq(open_journal(1, done, NULL, &j), HS_EINVAL);
    ck_assert_ptr_nonnull(strstr(fault.why, "damaged in line "));
    ck_assert_ptr_nonnull(strstr(fault.why, "truncate -s "));
    after = slurp();
    ck_assert_uint_eq(after.size, all.size);
    ck_assert_int_eq(memcmp(after.at, all.at, all.size), 0);

    /* As it says. */
    ck_assert_int_eq(truncate(file, strtol(strstr(fault.why, "truncate -s ") + 12, NULL, 10)), 0);
    shut(opened(1, done, NULL));
    free(after.at);
    free(all.at);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("journal damage");
    TCase *tc = add_case(suite, "damage");

    tcase_add_test(tc, journal_may_be_cut_at_every_byte);
    tcase_add_test(tc, zeros_may_follow_every_byte);
    tcase_add_loop_test(tc, flipped_bytes_are_noticed, 0, 22);
    tcase_add_test(tc, replaced_bytes_are_noticed);
    tcase_add_test(tc, zeroed_blocks_are_noticed);
    tcase_add_test(tc, rearranged_lines_are_noticed);
    tcase_add_test(tc, damage_is_refused_and_reported);
    return run_suite(suite);
}
