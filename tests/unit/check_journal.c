/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The journal: a resumed run reads exactly the recorded tasks. check_journal_damage.c tests damaged
 * files, check_journal_failures.c failing disks.
 */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "journal_fixture.h"
#include "suite.h"

START_TEST(records_are_read_back)
{
    unsigned char done[TASKS] = {0};
    uint64_t      count = 99;
    size_t        n;
    hsi_journal  *j = opened(0, done, &count);

    ck_assert_uint_eq(count, 0);
    shut(j);
    for (n = 0; n < TASKS; n++) { /* resume the journal again and again */
        memset(done, 0, sizeof done);
        j = opened(1, done, &count);
        ck_assert_str_eq(past.note, "");
        ck_assert_uint_eq(count, n);
        assert_done(done, n);
        record_some(j, n, n + 1);
        shut(j);
    }
}
END_TEST

START_TEST(lines_are_readable)
{
    hsi_journal *j = opened(0, NULL, NULL);
    bytes        all;

    record_some(j, 0, TASKS);
    shut(j);
    all = slurp();
    all.at[all.size] = '\0';
    ck_assert_int_eq(strncmp(all.at, "hybridsched-journal 2 ", 22), 0);
    ck_assert_ptr_nonnull(strstr(all.at, "\nrun 20"));
    ck_assert_ptr_nonnull(strstr(all.at, "\ndone two%0alines cpu0 1 0.000000000 0.000000001 "));
    ck_assert_ptr_nonnull(strstr(all.at, "\ndone 100%25 gpu0 1 0.500000000 0.500000001 "));
    ck_assert_ptr_nonnull(strstr(all.at, "\ndone frame#1 cpu1 1 2.500000000 2.500000001 "));
    ck_assert_ptr_nonnull(strstr(all.at, "\ndone caf\xc3\xa9 "));
    ck_assert_ptr_nonnull(strstr(all.at, "\nundone "));
    ck_assert_ptr_nonnull(strstr(all.at, "\nclosed "));
    free(all.at);
}
END_TEST

START_TEST(longest_name_is_recorded)
{
    unsigned char done[300] = {0};
    hs_builder   *b = NULL;
    hs_instance  *large = NULL;
    hs_task       task = {.struct_size = sizeof task, .cpu = 1, .gpu = 1, .count = 300};
    char         *name = malloc(HS_MAX_ID + 1);
    hsi_journal  *j = NULL;
    uint16_t      numbers[300] = {0};
    hsi_journal_past large_past = {.state = done, .attempts = numbers};
    uint32_t      i;

    memset(name, '\n', HS_MAX_ID);
    name[HS_MAX_ID] = '\0';
    task.id = name;
    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 2, 1), HS_OK);
    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &large, NULL), HS_OK);
    ck_assert_int_eq(hsi_journal_open(file, large, 0, &large_past, &j, &fault), HS_OK);
    for (i = 0; i < 300; i++)
        ck_assert_int_eq(record(j, i), HS_OK);
    shut(j);
    ck_assert_int_eq(hsi_journal_open(file, large, 1, &large_past, &j, &fault), HS_OK);
    ck_assert_uint_eq(large_past.done, 300);
    shut(j);
    hs_instance_free(large);
    hs_builder_free(b);
    free(name);
}
END_TEST

START_TEST(repeated_record_counts_once)
{
    unsigned char done[TASKS] = {0};
    uint64_t      count;
    hsi_journal  *j = opened(0, done, NULL);

    record_some(j, 0, 5);
    record_some(j, 0, 5);
    shut(j);
    shut(opened(1, done, &count));
    ck_assert_uint_eq(count, 5);
    assert_done(done, 5);
}
END_TEST

START_TEST(unusual_times_are_recorded)
{
    static const double times[] = {-1, 1e300, 1e9, 0.9999999999};
    unsigned char       done[TASKS] = {0};
    uint64_t            count;
    hsi_journal        *j = opened(0, done, NULL);
    uint32_t            i;

    for (i = 0; i < 4; i++) {
        hsi_journal_record r = {
            .attempt = {.task = i, .start = times[i], .end = times[i] - times[i] / 0.0}};

        ck_assert_int_eq(hsi_journal_add(j, &r), HS_OK);
    }
    shut(j);
    shut(opened(1, done, &count));
    ck_assert_uint_eq(count, 4);
}
END_TEST

/* Each record is in the file when hsi_journal_add() returns, even while a sync hangs, so killing
 * the process loses no record. */
START_TEST(record_is_written_before_add_returns)
{
    hsi_journal *j = opened(0, NULL, NULL);
    bytes        all;
    size_t       n;

    atomic_store(&disk.gate_closed, 1);
    for (n = 0; n < TASKS; n++) {
        ck_assert_int_eq(record(j, nth(n)), HS_OK);
        all = slurp();
        ck_assert_uint_eq(records_before(&all, all.size), n + 1);
        free(all.at);
    }
    atomic_store(&disk.gate_closed, 0);
    shut(j);
}
END_TEST

/* A single record is synced while no further call is made. */
START_TEST(single_record_is_synced)
{
    hsi_journal *j = opened(0, NULL, NULL);
    int          before = atomic_load(&disk.syncs);

    record_some(j, 0, 1);
    while (atomic_load(&disk.syncs) == before)
        usleep(1000);
    shut(j);
}
END_TEST

enum { THREADS = 8, EACH = 3000 };

typedef struct part {
    hsi_journal *journal;
    uint32_t     first;
    bool         failed;
} part;

static void *record_part(void *data)
{
    part    *p = data;
    uint32_t i;

    for (i = 0; i < EACH; i++)
        p->failed |= record(p->journal, p->first + i * THREADS) != HS_OK;
    return NULL;
}

START_TEST(threads_record_at_once)
{
    static double        ones[THREADS * EACH];
    static unsigned char done[THREADS * EACH];
    static uint16_t      numbers[THREADS * EACH];
    pthread_t            thread[THREADS];
    part                 parts[THREADS];
    hs_instance         *large = NULL;
    hsi_journal         *j = NULL;
    hsi_journal_past     large_past = {.state = done, .attempts = numbers};
    uint32_t             i;

    for (i = 0; i < THREADS * EACH; i++)
        ones[i] = 1;
    ck_assert_int_eq(hs_instance_wrap(THREADS * EACH, ones, ones, NULL, 2, 1, &large), HS_OK);
    ck_assert_int_eq(hsi_journal_open(file, large, 0, &large_past, &j, &fault), HS_OK);
    for (i = 0; i < THREADS; i++) {
        parts[i] = (part){j, i, false};
        ck_assert_int_eq(pthread_create(&thread[i], NULL, record_part, &parts[i]), 0);
    }
    for (i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        ck_assert_int_eq(parts[i].failed, 0);
    }
    shut(j);
    ck_assert_int_eq(hsi_journal_open(file, large, 1, &large_past, &j, &fault), HS_OK);
    ck_assert_uint_eq(large_past.done, THREADS * EACH);
    for (i = 0; i < THREADS * EACH; i++)
        ck_assert_int_eq(done[i], 1);
    shut(j);
    hs_instance_free(large);
}
END_TEST

/* hsi_journal_add() waits while HSI_JOURNAL_LAG records are not synced, here since a sync hangs. */
START_TEST(add_waits_for_a_late_sync)
{
    hsi_journal *j = opened(0, NULL, NULL);
    pthread_t    thread;
    void        *failed;

    record_in_blocked_thread(j, &thread);
    usleep(30000);
    ck_assert_uint_eq(atomic_load(&recorded), HSI_JOURNAL_LAG);
    atomic_store(&disk.gate_closed, 0);
    pthread_join(thread, &failed);
    ck_assert_ptr_null(failed);
    ck_assert_uint_eq(atomic_load(&recorded), HSI_JOURNAL_LAG + 40);
    shut(j);
}
END_TEST

/* Lines written during a sync claim only the bytes before this sync to be on disk. The simulated
 * disk counts false claims. */
START_TEST(sync_covers_only_earlier_bytes)
{
    hsi_journal *j = opened(0, NULL, NULL);
    int          before = atomic_load(&disk.syncs);
    size_t       n = 0;

    atomic_store(&disk.gate_closed, 1);
    record_some(j, n++, 1);
    while (atomic_load(&disk.syncs) == before)
        usleep(1000);
    for (; n < 5; n++)
        record_some(j, n, n + 1);
    atomic_store(&disk.gate_closed, 0);
    while (atomic_load(&disk.syncs) < before + 2)
        ck_assert_int_eq(record(j, 0), HS_OK);
    shut(j);
    ck_assert_int_eq(atomic_load(&disk.false_claims), 0);
}
END_TEST

/* Records that are added during a sync share the next one. */
START_TEST(quick_records_share_a_sync)
{
    hsi_journal *j = opened(0, NULL, NULL);
    int          before = atomic_load(&disk.syncs);

    atomic_store(&disk.gate_closed, 1);
    for (size_t n = 0; n < TASKS; n++)
        ck_assert_int_eq(record(j, nth(n)), HS_OK);
    atomic_store(&disk.gate_closed, 0);
    shut(j);
    ck_assert_int_ge(atomic_load(&disk.syncs), before + 1);
    ck_assert_int_le(atomic_load(&disk.syncs), before + 3);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("journal");
    TCase *tc = add_case(suite, "records");

    tcase_add_test(tc, records_are_read_back);
    tcase_add_test(tc, lines_are_readable);
    tcase_add_test(tc, longest_name_is_recorded);
    tcase_add_test(tc, repeated_record_counts_once);
    tcase_add_test(tc, unusual_times_are_recorded);
    tcase_add_test(tc, record_is_written_before_add_returns);
    tcase_add_test(tc, single_record_is_synced);
    tcase_add_test(tc, threads_record_at_once);
    tcase_add_test(tc, add_waits_for_a_late_sync);
    tcase_add_test(tc, sync_covers_only_earlier_bytes);
    tcase_add_test(tc, quick_records_share_a_sync);
    return run_suite(suite);
}
