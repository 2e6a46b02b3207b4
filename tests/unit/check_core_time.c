/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Processor time and waits for a core, of threads, processes and commands, and the part of a wait
 * caused by other processes. Both are NaN if the kernel does not count waits.
 */
#include "config.h"

#include <math.h>
#include <sched.h>
#include <sys/wait.h>

#include "command_fixture.h"
#include "exec/machine/core_time.h"
#include "suite.h"
#include "support/atomic.h"

static const struct {
    hsi_core_time time;
    double        wall;
    unsigned      cores;
    double        blamed;
} blames[] = {
    {{1, 1}, 2, 1, 1},     /* others took half of the thread's core */
    {{0, 0}, 2, 1, 0},     /* asleep */
    {{0.5, 0}, 2, 1, 0},   /* process asleep for part of the time */
    {{2, 6}, 2, 1, 0},     /* four processes of the run share one core */
    {{1.5, 6}, 2, 1, 0.5}, /* four processes of the run use three quarters of a core */
    {{2.1, 1}, 2, 1, 0},   /* two clocks differ a little */
    {{6, 1.5}, 2, 4, 1.5}, /* four cores */
    {{7.5, 1.5}, 2, 4, 0.5},
};

START_TEST(time_taken_by_others_is_computed)
{
    double blamed = hsi_core_wait_for_others(blames[_i].time, blames[_i].wall, blames[_i].cores);

    ck_assert_double_eq_tol(blamed, blames[_i].blamed, 1e-12);
}
END_TEST

START_TEST(unknown_times_stay_unknown)
{
    ck_assert(isnan(hsi_core_wait_for_others((hsi_core_time){1, NAN}, 2, 1)));
    ck_assert_int_eq(hsi_core_wait_ns(0), -1);
    ck_assert_int_eq(hsi_core_wait_ns(2147483647), -1);
}
END_TEST

static int core; /* core number shared by the threads of this test */
static int is_over;

static void share_core(void)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(core, &set);
    ck_assert_int_eq(sched_setaffinity(0, sizeof set, &set), 0);
}

static void find_core(void)
{
    cpu_set_t mine;

    sched_getaffinity(0, sizeof mine, &mine);
    for (core = 0; !CPU_ISSET(core, &mine); core++)
        ;
}

static void *occupy_core(void *unused)
{
    (void)unused;
    share_core();
    while (!hsi_atomic_load(&is_over))
        ;
    return NULL;
}

static void begin_hog(pthread_t *thread)
{
    hsi_atomic_store(&is_over, 0);
    ck_assert_int_eq(pthread_create(thread, NULL, occupy_core, NULL), 0);
}

static void end_hog(pthread_t thread)
{
    hsi_atomic_store(&is_over, 1);
    pthread_join(thread, NULL);
}

/* A thread that shares its core with a busy thread waits for the core sooner or later. */
START_TEST(threads_wait_for_a_core)
{
    hsi_core_time began, now;
    pthread_t     thread;

    find_core();
    share_core();
    begin_hog(&thread);
    began = now = hsi_core_time_now();
    while (!isnan(now.waited) && now.waited < began.waited + 0.01)
        now = hsi_core_time_now();
    end_hog(thread);
    ck_assert(now.used >= began.used);
}
END_TEST

/* The wait of a process can be read after its end until the process is reaped. */
START_TEST(zombies_have_waited)
{
    siginfo_t info;
    pthread_t thread;
    pid_t     child;

    find_core();
    begin_hog(&thread);
    child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        hsi_core_time now;

        share_core();
        do
            now = hsi_core_time_now();
        while (now.waited < 0.01);
        _exit(0);
    }
    ck_assert_int_eq(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    end_hog(thread);
    if (isnan(hsi_core_time_now().waited))
        ck_assert_int_eq(hsi_core_wait_ns(child), -1);
    else
        ck_assert_int_ge(hsi_core_wait_ns(child), 10000000);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
}
END_TEST

#define BURN "i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done"

/* The processor time of a command includes its child processes, but no earlier command. */
START_TEST(command_reports_its_processor_time)
{
    double own, child;

    open_cpu();
    expect_done(BURN);
    own = s.attempt.core_seconds;
    expect_done("for i in 1 2 3 4; do (" BURN "; :); done; :");
    child = s.attempt.core_seconds;
    expect_done(":");
    ck_assert_double_gt(own, 0.0005);
    ck_assert_double_gt(child, 1.2 * own);
    ck_assert_double_lt(s.attempt.core_seconds, own);
    expect_failed("exit 3", "exited with status 3");
    ck_assert_double_gt(s.attempt.core_seconds, 0);
    close_it();
}
END_TEST

/* Spin until the shell has waited 10 ms for its core: 8 digits of nanoseconds. Some kernels count
 * nothing, not even the time slices. */
#define WAIT                                                                                       \
    "[ ! -r /proc/$$/schedstat ] || until read -r ran waited slices </proc/$$/schedstat && "       \
    "[ ${#waited} -ge 8 -o $slices = 0 ]; do :; done"

/* Check that an attempt has the time that its command waited for a core shared with a thread. */
START_TEST(command_reports_its_wait_for_a_core)
{
    pthread_t thread;

    find_core();
    fixture_set(&s, &hsi_backend_command, HS_CPU);
    s.info.cores = &core;
    fixture_open(&s);
    begin_hog(&thread);
    expect_done(WAIT);
    end_hog(thread);
    ck_assert_int_eq(isnan(s.attempt.core_wait), isnan(hsi_core_time_now().waited));
    if (!isnan(s.attempt.core_wait))
        ck_assert_double_ge(s.attempt.core_wait, 0.01);
    close_it();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("core time");
    TCase *tc = tcase_create("core time");

    tcase_add_loop_test(tc, time_taken_by_others_is_computed, 0,
                        (int)(sizeof blames / sizeof *blames));
    tcase_add_test(tc, unknown_times_stay_unknown);
    tcase_add_test(tc, threads_wait_for_a_core);
    tcase_add_test(tc, zombies_have_waited);
    tcase_add_test(tc, command_reports_its_processor_time);
    tcase_add_test(tc, command_reports_its_wait_for_a_core);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
