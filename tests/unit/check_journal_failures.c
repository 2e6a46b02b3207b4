/* SPDX-License-Identifier: BSD-3-Clause */

/* The journal on a failing disk, and with failing allocations. */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "journal_fixture.h"
#include "suite.h"

/* Resume the journal, record the missing tasks until an error, and close it. Return the status of
 * the open or of the close. *believed: number of tasks recorded or tried; *safe: number of records
 * on disk according to the journal. */
static hs_status run_once(size_t *believed, size_t *safe)
{
    unsigned char done[TASKS] = {0};
    hsi_journal  *j = NULL;
    uint64_t      count = 0;
    hs_status     st = open_journal(1, done, &count, &j), end;
    size_t        n;

    *believed = *safe = 0;
    if (st != HS_OK)
        return st;
    assert_done(done, (size_t)count);
    for (n = (size_t)count; n < TASKS && st == HS_OK; n++) {
        if (n % 12 == 0)
            usleep(n % 24 == 0 ? 12000
                               : 0); /* pause between records; a sync then has few records */
        st = record(j, nth(n));
    }
    if (st != HS_OK)
        ck_assert_int_eq(record(j, 0), HS_EIO); /* errors are permanent */
    end = hsi_journal_close(j, &lost, &fault);
    ck_assert(st == HS_OK || end == HS_EIO);
    ck_assert(end == HS_EIO || lost == 0);
    ck_assert_uint_le(lost, HSI_JOURNAL_LAG);
    *believed = n;
    *safe = n - (st != HS_OK) - (size_t)lost;
    return end;
}

static size_t count_recorded(void)
{
    unsigned char done[TASKS] = {0};
    uint64_t      count = 0;

    ck_assert_int_eq(look(1, done, &count), HS_OK);
    return (size_t)count;
}

static void fail_from(atomic_long *left, int error, int clean)
{
    long first;

    for (first = 0;; first++) {
        hs_status st;
        size_t    tried, rest, safe, all;

        unlink(file);
        atomic_store(&disk.fault, error);
        atomic_store(&disk.clean_writes, clean);
        atomic_store(left, first);
        st = run_once(&tried, &safe);
        if (st == HS_OK)
            break; /* no call failed, except perhaps the write of the optional last line */
        ck_assert_int_eq(st, HS_EIO);
        ck_assert_msg(strstr(fault.why, error == ENOSPC ? "No space left" : "Input/output") != NULL,
                      "%s", fault.why);
        ck_assert(exists() == (first >= (left == &disk.syncs_left ? 2 : 1)));
        all_well();
        ck_assert_uint_ge(count_recorded(), safe);
        if (left == &disk.writes_left)
            ck_assert_uint_eq(count_recorded(), tried - (tried > 0));
        if (tried > 0) /* earlier records are synced after a failed write */
            ck_assert_int_eq(lost > 0, left == &disk.syncs_left);
        ck_assert_int_eq(run_once(&rest, &all), HS_OK);
        ck_assert_uint_eq(rest, TASKS);
        ck_assert_uint_eq(all, TASKS);
        ck_assert_int_lt(first, 1000);
    }
    all_well();
    ck_assert_int_gt(first, 1);
}

START_TEST(full_disk_fails_the_record)
{
    fail_from(&disk.writes_left, ENOSPC, _i);
}
END_TEST

START_TEST(failed_sync_fails_the_record)
{
    fail_from(&disk.syncs_left, EIO, 1);
}
END_TEST

START_TEST(short_and_interrupted_writes_continue)
{
    unsigned char done[TASKS] = {0};
    uint64_t      count;
    hsi_journal  *j;

    atomic_store(&disk.drip, 1);
    j = opened(0, done, NULL);
    record_some(j, 0, TASKS);
    shut(j);
    shut(opened(1, done, &count));
    ck_assert_uint_eq(count, TASKS);
}
END_TEST

/* Child process: exceed a limit on the size of files, which would also affect the test's files. */
static void exceed_file_limit(void)
{
    struct rlimit small;
    sigset_t      too_large; /* signal that is blocked, as in the dispatcher's threads */
    unsigned char done[TASKS] = {0};
    hsi_journal  *j = NULL;
    uint64_t      count;
    size_t        n;
    bool          failed;

    sigemptyset(&too_large);
    sigaddset(&too_large, SIGXFSZ);
    sigprocmask(SIG_BLOCK, &too_large, NULL);
    if (getrlimit(RLIMIT_FSIZE, &small) != 0)
        _exit(2);
    small.rlim_cur = 1000;
    if (setrlimit(RLIMIT_FSIZE, &small) != 0 || open_journal(0, done, &count, &j) != HS_OK)
        _exit(3);
    for (failed = false, n = 0; n < TASKS; n++)
        failed |= record(j, nth(n)) == HS_EIO;
    failed |= hsi_journal_close(j, &lost, &fault) == HS_EIO;
    _exit(!failed || !strstr(fault.why, "File too large"));
}

/* Exceeding a real RLIMIT_FSIZE is an ordinary error, without a signal that kills the program. */
START_TEST(too_large_file_is_an_error)
{
    int    status;
    size_t believed, safe;
    pid_t  child = fork();

    ck_assert_int_ge(child, 0);
    if (child == 0)
        exceed_file_limit();
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
    ck_assert_int_eq(run_once(&believed, &safe), HS_OK);
    ck_assert_uint_eq(believed, TASKS);
}
END_TEST

/* Records in a removed or renamed journal are lost: adding a record or closing the journal fails.
 * */
START_TEST(removed_file_is_an_error)
{
    unsigned char done[TASKS] = {0};
    char          other[sizeof file + 8];
    hsi_journal  *j;
    int           idle = _i / 3, taken = 0;

    snprintf(other, sizeof other, "%s.moved", file);
    j = opened(0, done, NULL);
    record_some(j, 0, 5);
    shut(j);
    j = opened(1, done, NULL);
    record_some(j, 5, 9);
    ck_assert_int_eq(_i % 3 ? rename(file, other) : unlink(file), 0);
    if (_i % 3 == 2)
        spit("", 0);
    for (; !idle && record(j, nth(9)) == HS_OK; taken = 1) /* the loss is noticed by this call or
                                                              a later one */
        usleep(1000);
    ck_assert_int_eq(hsi_journal_close(j, &lost, &fault), HS_EIO);
    ck_assert_ptr_nonnull(strstr(fault.why, "was removed or renamed"));
    ck_assert_uint_ge(lost, 4 + taken);
    unlink(other);
}
END_TEST

/* Opening a journal syncs it before writing, since an earlier process may have been killed before
 * its sync. If the sync fails, the file stays unchanged. */
START_TEST(open_syncs_before_writing)
{
    hsi_journal *j = opened(0, NULL, NULL);
    bytes        before, after;

    record_some(j, 0, 5);
    shut(j);
    before = slurp();
    atomic_store(&disk.fault, EIO);
    atomic_store(&disk.syncs_left, 0);
    ck_assert_int_eq(open_journal(1, NULL, NULL, &j), HS_EIO);
    ck_assert_ptr_nonnull(strstr(fault.why, "cannot sync the journal"));
    after = slurp();
    ck_assert_uint_eq(after.size, before.size);
    free(before.at);
    free(after.at);
}
END_TEST

/* A failing sync also wakes and fails a thread that waits for earlier records to be synced. */
START_TEST(failed_sync_wakes_all_threads)
{
    hsi_journal *j = opened(0, NULL, NULL);
    pthread_t    thread;
    void        *failed;

    record_in_blocked_thread(j, &thread);
    atomic_store(&disk.fault, EIO);
    atomic_store(&disk.syncs_left, 0);
    atomic_store(&disk.gate_closed, 0);
    pthread_join(thread, &failed);
    ck_assert_ptr_nonnull(failed);
    ck_assert_int_eq(hsi_journal_close(j, &lost, &fault), HS_EIO);
}
END_TEST

static void refuse_each(bool is_new)
{
    unsigned char done[TASKS] = {0};
    hsi_journal  *j = NULL;
    uint64_t      count;
    long          first;

    for (first = 0;; first++) {
        hs_status st;

        memset(done, 0, sizeof done);
        memory_left = first;
        st = open_journal(1, done, NULL, &j);
        if (st == HS_OK)
            break;
        ck_assert_int_eq(st, HS_ENOMEM);
        ck_assert_ptr_nonnull(strstr(fault.why, "memory"));
        ck_assert_int_eq(exists(), !is_new);
        ck_assert_int_lt(first, 100);
    }
    all_well();
    shut(j);
    ck_assert_int_gt(first, 3);
    memset(done, 0, sizeof done);
    shut(opened(1, done, &count));
    ck_assert_uint_eq(count, is_new ? 0u : 7u);
}

START_TEST(lack_of_memory_is_reported)
{
    hsi_journal *j;

    refuse_each(true);
    unlink(file);
    j = opened(0, NULL, NULL);
    record_some(j, 0, 7);
    shut(j);
    refuse_each(false);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("journal failures");
    TCase *tc = add_case(suite, "failures");

    tcase_add_loop_test(tc, full_disk_fails_the_record, 0, 2);
    tcase_add_test(tc, failed_sync_fails_the_record);
    tcase_add_test(tc, short_and_interrupted_writes_continue);
    tcase_add_test(tc, too_large_file_is_an_error);
    tcase_add_loop_test(tc, removed_file_is_an_error, 0, 6);
    tcase_add_test(tc, open_syncs_before_writing);
    tcase_add_test(tc, failed_sync_wakes_all_threads);
    tcase_add_test(tc, lack_of_memory_is_reported);
    return run_suite(suite);
}
