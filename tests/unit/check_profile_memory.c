/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles when memory is short: each allocation fails in turn, in the library and in SQLite. */
#include <string.h>
#include <unistd.h>

#include "failing_memory.h"
#include "profile_fixture.h"
#include "suite.h"

static sqlite3_mem_methods usual; /* allocations of SQLite */

static void *allocate(int size)
{
    return allocation_fails() ? NULL : usual.xMalloc(size);
}

static void *resize(void *block, int size)
{
    return allocation_fails() ? NULL : usual.xRealloc(block, size);
}

/* Let allocations of SQLite fail like those of the library. */
static bool replace_allocations(void)
{
    sqlite3_mem_methods failing;

    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &usual) != SQLITE_OK)
        return false;
    failing = usual;
    failing.xMalloc = allocate;
    failing.xRealloc = resize;
    return sqlite3_config(SQLITE_CONFIG_MALLOC, &failing) == SQLITE_OK &&
           sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0) == SQLITE_OK &&
           sqlite3_initialize() == SQLITE_OK;
}

enum { ENTRIES = 40, MOST_ALLOCATIONS = 20000 };

static void observe_some(hs_cost *cost)
{
    for (int i = 0; i < ENTRIES; i++)
        observe(cost, i % 2 ? HS_CPU : HS_GPU, features_of("key", 0, i), 1, i);
}

static double stored_runs(void)
{
    return query("SELECT ifnull(sum(n), 0) FROM entry");
}

/* Make a file whose texts SQLite must convert, which needs memory. */
static void make_wide_file(void)
{
    sqlite3 *database = NULL;

    ck_assert_int_eq(sqlite3_open(profile_path, &database), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(database,
                                  "PRAGMA encoding = 'UTF-16'; CREATE TABLE t(x); DROP TABLE t",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(database);
}

/* Fail when a call neither worked nor reported the missing memory. */
static void assert_reported(hs_status st, const hs_error *error, long first)
{
    ck_assert_msg(st == HS_OK || st == HS_ENOMEM, "allocation %ld: status %d: %s", first, (int)st,
                  error->why);
    ck_assert(st == HS_OK || error->why[0]);
}

START_TEST(opening_fails_cleanly)
{
    for (long first = 0;; first++) {
        long        blocks = memory_live_blocks();
        hs_profile *profile = NULL;
        hs_error    error = {0};
        hs_status   st;
        bool        was_short;

        ck_assert_int_lt(first, MOST_ALLOCATIONS);
        if (_i == 0)
            unlink(profile_path);
        memory_fail_after(first, 0);
        st = hs_profile_open(profile_path, HS_PROFILE_UPDATE, &profile, &error);
        was_short = memory_stop_failing() > 0;
        assert_reported(st, &error, first);
        ck_assert_int_eq(st == HS_OK, profile != NULL);
        hs_profile_close(profile);
        ck_assert_int_eq(memory_live_blocks(), blocks);
        hs_profile_close(open_profile());
        if (!was_short)
            break;
    }
    assert_integrity();
}
END_TEST

START_TEST(loading_fails_cleanly)
{
    hs_cost    *cost = new_cost();
    hs_profile *profile;
    bool        was_short = true;

    if (_i == 1)
        make_wide_file();
    observe_some(cost);
    flush_cost(cost);
    hs_cost_free(cost);
    profile = open_profile();
    for (long first = 0; was_short; first++) {
        hs_cost_entry entry;
        hs_error      error = {0};
        hs_status     st;
        size_t        count = 0;

        ck_assert_int_lt(first, MOST_ALLOCATIONS);
        cost = new_cost();
        memory_fail_after(first, 0);
        st = hs_profile_load(profile, &test_cpu, &test_gpu, cost, &error);
        was_short = memory_stop_failing() > 0;
        assert_reported(st, &error, first);
        hs_cost_entry_init(&entry);
        while (hs_cost_entry_at(cost, count, &entry))
            count++;
        ck_assert(st != HS_OK || count == ENTRIES);
        hs_cost_free(cost);
    }
    hs_profile_close(profile);
}
END_TEST

/* Check that a flush without memory writes no entry, and that the next flush writes the entries. */
START_TEST(flushes_lose_nothing)
{
    hs_profile *profile;
    hs_cost    *cost = new_cost();
    bool        was_short = true;
    double      runs = 0;

    if (_i == 1)
        make_wide_file();
    profile = open_profile();
    for (long first = 0; was_short; first++) {
        hs_error  error = {0};
        hs_status st;

        ck_assert_int_lt(first, MOST_ALLOCATIONS);
        observe_some(cost);
        memory_fail_after(first, 0);
        st = hs_profile_flush(profile, &test_cpu, &test_gpu, cost, &error);
        was_short = memory_stop_failing() > 0;
        assert_reported(st, &error, first);
        ck_assert_double_eq(stored_runs(), st == HS_OK ? runs + ENTRIES : runs);
        flush_to(profile, cost);
        runs += ENTRIES;
        ck_assert_double_eq(stored_runs(), runs);
        if (runs == 60 * ENTRIES) {
            ck_assert_int_eq(hs_profile_forget(profile, NULL, NULL, NULL), HS_OK);
            hs_cost_free(cost);
            cost = new_cost();
            runs = 0;
        }
    }
    hs_cost_free(cost);
    hs_profile_close(profile);
    assert_integrity();
}
END_TEST

/* The other calls fail without harm. */
START_TEST(other_calls_fail_cleanly)
{
    hs_profile *profile;
    bool        was_short = true;

    if (_i == 1)
        make_wide_file();
    profile = open_profile();
    for (long first = 0; was_short; first++) {
        hs_cost     *cost = new_cost();
        hs_processor found, other = test_cpu;
        hs_error     error = {0};
        hs_status    st;
        uint64_t     number = 0;
        size_t       count;

        ck_assert_int_lt(first, MOST_ALLOCATIONS);
        observe_some(cost);
        flush_to(profile, cost);
        hs_processor_init(&found);
        strcpy(other.model, "Other CPU");
        memory_fail_after(first, 0);
        st = hs_profile_count_processors(profile, &count, &error);
        if (st == HS_OK)
            st = hs_profile_processor_at(profile, 1, &found, &number, &error);
        if (st == HS_OK)
            st = hs_profile_load_similar(profile, &other, cost, &found, &number, &error);
        ck_assert(st != HS_OK || number == 1);
        if (st == HS_OK)
            st = hs_profile_trim(profile, 5, &error);
        if (st == HS_OK)
            st = hs_profile_forget(profile, "key", &number, &error);
        was_short = memory_stop_failing() > 0;
        assert_reported(st, &error, first);
        hs_cost_free(cost);
    }
    hs_profile_close(profile);
    ck_assert_double_eq(stored_runs(), 0);
    assert_integrity();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profile memory");
    TCase *tcase = tcase_create("memory");

    tcase_add_checked_fixture(tcase, set_up_profile, tear_down_profile);
    tcase_add_loop_test(tcase, opening_fails_cleanly, 0, 2);
    tcase_add_loop_test(tcase, loading_fails_cleanly, 0, 2);
    tcase_add_loop_test(tcase, flushes_lose_nothing, 0, 2);
    tcase_add_loop_test(tcase, other_calls_fail_cleanly, 0, 2);
    suite_add_tcase(suite, tcase);
    return replace_allocations() ? run_suite(suite) : EXIT_FAILURE;
}
