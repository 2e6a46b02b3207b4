/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes write to one profile at the same time, and some are killed. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "profile_fixture.h"
#include "suite.h"
#include "unit/rounds.h"

enum {
    WRITERS = 4,
    FLUSHES = 25,
    ENTRIES = 50, /* entries of a flush */
    KEPT = 64     /* executions that an entry keeps */
};

/* A process that flushes, and reports each flush by a byte. */
typedef struct writer {
    pid_t pid;
    int   reports;
} writer;

/*
 * Write to the profile until the end of the process. Each flush has one execution of each of
 * ENTRIES entries, half of them of level TASK.
 */
static void write_entries(const char *key, int flushes, int reports)
{
    hs_profile *profile = open_profile();
    hs_cost    *cost = new_cost();

    for (int flush = 0; flush < flushes; flush++) {
        for (int i = 0; i < ENTRIES / 2; i++)
            observe(cost, HS_CPU, features_of(key, (uint64_t)i + 1, i + flush / KEPT * ENTRIES), 1,
                    flush);
        flush_to(profile, cost);
        if (write(reports, "f", 1) != 1)
            _exit(3);
    }
    hs_cost_free(cost);
    hs_profile_close(profile);
    _exit(0);
}

static writer start_writer(const char *key, int flushes)
{
    writer w;
    int    ends[2];

    ck_assert_int_eq(pipe(ends), 0);
    w.pid = fork();
    ck_assert_int_ge(w.pid, 0);
    if (w.pid == 0) {
        close(ends[0]);
        write_entries(key, flushes, ends[1]);
    }
    close(ends[1]);
    w.reports = ends[0];
    return w;
}

/* Wait for a writer, and return the number of flushes that it reported. */
static int end_writer(writer w, int *status)
{
    int  flushes = 0;
    char report;

    while (read(w.reports, &report, 1) == 1)
        flushes++;
    close(w.reports);
    ck_assert_int_eq(waitpid(w.pid, status, 0), w.pid);
    return flushes;
}

/* Return the executions of a key in the file. */
static double executions(const char *key)
{
    char text[200];

    snprintf(text, sizeof text,
             "SELECT ifnull(sum(n), 0) FROM entry WHERE level = 1 AND key = '%s'", key);
    return query(text);
}

START_TEST(no_execution_is_lost)
{
    writer writers[WRITERS];
    char   key[WRITERS][8];
    int    status;

    for (int i = 0; i < WRITERS; i++) {
        snprintf(key[i], sizeof key[i], "key%d", i / 2); /* two writers of each key */
        writers[i] = start_writer(key[i], FLUSHES);
    }
    for (int i = 0; i < WRITERS; i++) {
        ck_assert_int_eq(end_writer(writers[i], &status), FLUSHES);
        ck_assert_int_eq(status, 0);
    }
    for (int i = 0; i < WRITERS; i += 2)
        ck_assert_double_eq(executions(key[i]), 2 * FLUSHES * ENTRIES / 2);
    ck_assert_double_eq(query("SELECT sum(n) FROM entry WHERE level = 0"),
                        WRITERS * FLUSHES * ENTRIES / 2);
    ck_assert_double_eq(query("SELECT count(*) FROM machine"), 1);
    assert_integrity();
}
END_TEST

static void sleep_microseconds(long duration)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000 * duration}, NULL);
}

/* Kill one of the writers at any time: the file has its reported flushes, and maybe one more. */
START_TEST(killed_writers_lose_nothing)
{
    enum { SOME = 6, ENDLESS = 1000000 }; /* flushes of a writer */
    int wanted = rounds(100);

    srand48(1);
    for (int round = 0; round < wanted; round++) {
        writer writers[WRITERS];
        char   key[WRITERS][24];
        int    status, flushes;

        for (int i = 0; i < WRITERS; i++) {
            snprintf(key[i], sizeof key[i], "key%d-%d", round, i);
            writers[i] = start_writer(key[i], i == 0 ? ENDLESS : SOME);
        }
        sleep_microseconds(lrand48() % 60000);
        kill(writers[0].pid, SIGKILL);
        flushes = end_writer(writers[0], &status);
        ck_assert(WIFSIGNALED(status));
        for (int i = 1; i < WRITERS; i++) {
            ck_assert_int_eq(end_writer(writers[i], &status), SOME);
            ck_assert_int_eq(status, 0);
            ck_assert_double_eq(executions(key[i]), SOME * ENTRIES / 2);
        }
        ck_assert_double_ge(executions(key[0]), flushes * ENTRIES / 2);
        ck_assert_double_le(executions(key[0]), (flushes + 1) * ENTRIES / 2);
        ck_assert_double_eq(executions(key[0]),
                            (int)executions(key[0]) / (ENTRIES / 2) * ENTRIES / 2);
        assert_integrity();
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profile writers");
    TCase *tcase = tcase_create("writers");

    tcase_add_checked_fixture(tcase, set_up_profile, tear_down_profile);
    tcase_add_test(tcase, no_execution_is_lost);
    tcase_add_test(tcase, killed_writers_lose_nothing);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
