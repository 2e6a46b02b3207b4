/* SPDX-License-Identifier: BSD-3-Clause */

/* Nothing is left of commands, whoever ends them and when, nor do they disturb each other. */

#include "config.h"

#include "command_fixture.h"
#include "suite.h"

#include <sys/wait.h>

START_TEST(what_it_started_goes_with_it)
{
    open_cpu();
    s.attempt.log = NULL; /* these keep the pipe open */
    expect_done("sleep 1000 & exit 0");
    ck_assert_int_eq(alive(s.id), 0);
    expect_done("setsid sleep 1000 & exit 0");
    ck_assert_int_eq(alive(s.id), 0);
    expect_done("(setsid sh -c 'trap : TERM HUP; sleep 1000 & sleep 1000; sleep 1000' &)"
                "; sleep 0.01");
    ck_assert_int_eq(alive(s.id), 0);
    expect_failed("(setsid sleep 1000 &); exit 5", "exited with status 5");
    ck_assert_int_eq(alive(s.id), 0);
    expect_failed("(setsid sleep 1000 &); kill -KILL $$", "killed by signal 9 (Killed)");
    ck_assert_int_eq(alive(s.id), 0);
    close_it();
}
END_TEST

static const struct {
    const char *command;
    int         needs_kill; /* TERM is not enough */
} stubborn[] = {
    {": >$READY; sleep 1000", 0},
    {": >$READY; exec sleep 1000", 0},
    {"sleep 1000 & sleep 1000 & : >$READY; wait", 0},
    {": >$READY; while :; do :; done", 0},
    {": >$READY; kill -STOP $$", 0},
    {"setsid sleep 1000 & : >$READY; wait", 0},
    {"trap '' TERM; : >$READY; while :; do sleep 1000; done", 1},
    {"(trap '' TERM; sleep 1000) & (trap '' TERM HUP; setsid sleep 1000) & : >$READY; wait", 1},
    {"(setsid sh -c '(trap \"\" TERM; sleep 1000 & : >$0; sleep 1000) &' $READY &); sleep 1000", 0},
};

START_TEST(cancelled_and_gone)
{
    stage_set(&s, &hsi_backend_command, HS_CPU);
    if (stubborn[_i].needs_kill)
        s.options.grace = 0.05;
    stage_open(&s);
    ck_assert_int_eq(run_until_ready(&s, stubborn[_i].command), HS_OUTCOME_ABORTED);
    ck_assert_int_eq(alive(s.id), 0);
    expect_done("true");
    close_it();
}
END_TEST

START_TEST(has_its_grace_to_clean_up)
{
    open_cpu();
    ck_assert_int_eq(run_until_ready(&s,
                                     "trap 'sleep 0.1; echo cleaned; exit 0' TERM; "
                                     "exec 2>/dev/null; : >$READY; while :; do sleep 0.01; done"),
                     HS_OUTCOME_ABORTED);
    ck_assert_str_eq(printed(), "cleaned\n");
    /* the shell is gone at once, what it started takes its time */
    ck_assert_int_eq(
        run_until_ready(&s, "sh -c 'trap \"sleep 0.1; echo tidied; exit\" TERM; "
                            "exec 2>/dev/null; : >$0; while :; do sleep 0.01; done' $READY & wait"),
        HS_OUTCOME_ABORTED);
    ck_assert_str_eq(printed(), "tidied\n");
    close_it();
}
END_TEST

/* SIGTERM alone would wait for it until the grace is over, and SIGKILL lets it print nothing. */
START_TEST(what_is_stopped_goes_on_to_clean_up)
{
    stage_set(&s, &hsi_backend_command, HS_CPU);
    s.options.grace = 5;
    stage_open(&s);
    ck_assert_int_eq(
        run_until_ready(&s, "trap 'echo woken; exit 0' TERM; exec 2>/dev/null; "
                            "(until grep -q 'State:.T' /proc/$$/status; do :; done; : >$READY) & "
                            "kill -STOP $$; while :; do sleep 0.01; done"),
        HS_OUTCOME_ABORTED);
    ck_assert_str_eq(printed(), "woken\n");
    close_it();
}
END_TEST

START_TEST(cancelled_before_it_starts)
{
    open_cpu();
    stage_cancel(&s);
    ck_assert_int_eq(run_on(&s, "echo started"), HS_OUTCOME_ABORTED);
    ck_assert_int_ne(access(s.log, F_OK), 0);
    stage_rearm(&s);
    expect_printed("echo started", "started\n");
    close_it();
}
END_TEST

/* Cancels at any moment: before the shell is there, while it works, when it is over. */
static void *cancel_soon(void *data)
{
    stage *at = data;

    for (volatile long i = at->attempt.number * 7919L % 200000; i > 0; i--)
        ;
    stage_cancel(at);
    return NULL;
}

START_TEST(thousands_of_aborts_leave_nothing)
{
    static const char *const commands[] = {"sleep 1000", "sleep 1000 & wait", "exit 0",
                                           "setsid sleep 1000 & sleep 1000"};
    int                      before = open_files(), n = rounds(2000), i, aborted = 0;
    pthread_t                thread;

    stage_set(&s, &hsi_backend_command, HS_CPU);
    s.options.grace = 0.02;
    stage_open(&s);
    for (i = 0; i < n; i++) {
        hs_outcome outcome;

        s.attempt.number = (uint32_t)i + 1;
        s.attempt.log = i % 3 ? NULL : s.log;
        ck_assert_int_eq(pthread_create(&thread, NULL, cancel_soon, &s), 0);
        outcome = run_on(&s, commands[i % 4]);
        pthread_join(thread, NULL);
        ck_assert(outcome == HS_OUTCOME_ABORTED || (i % 4 == 2 && outcome == HS_OUTCOME_DONE));
        aborted += outcome == HS_OUTCOME_ABORTED;
        stage_rearm(&s);
    }
    ck_assert_int_gt(aborted, n / 2);
    ck_assert_int_eq(alive(s.id), 0);
    close_it();
    ck_assert_int_eq(open_files(), before);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1); /* no child either */
    ck_assert_int_eq(errno, ECHILD);
}
END_TEST

static pid_t guard_pid(void)
{
    expect_done("read pid name state parent rest </proc/$$/stat; echo $parent");
    return (pid_t)atol(printed());
}

static void *kill_guard_when_ready(void *data)
{
    char        path[64];
    struct stat info;

    snprintf(path, sizeof path, "%s/ready", s.folder);
    while (stat(path, &info) != 0)
        pause_ms(1);
    unlink(path);
    kill(*(pid_t *)data, SIGKILL);
    return NULL;
}

START_TEST(a_guard_that_is_killed_is_replaced)
{
    char      command[128];
    pthread_t thread;
    siginfo_t info;
    pid_t     guard;

    open_cpu();
    guard = guard_pid();
    kill(guard, SIGKILL);
    ck_assert_int_eq(waitid(P_PID, (id_t)guard, &info, WEXITED | WNOWAIT), 0);
    expect_printed("echo still here", "still here\n");
    guard = guard_pid();
    /* more than a pipe holds: what comes next does when the program reads it */
    s.attempt.log = NULL;
    snprintf(command, sizeof command, "head -c 3000000 /dev/zero; : >%s/ready; sleep 1000",
             s.folder);
    ck_assert_int_eq(pthread_create(&thread, NULL, kill_guard_when_ready, &guard), 0);
    expect_failed(command, "the process that watches over commands was killed");
    pthread_join(thread, NULL);
    while (alive(s.id)) /* init's now */
        pause_ms(1);
    s.attempt.log = s.log;
    expect_printed("echo still here", "still here\n");
    close_it();
}
END_TEST

START_TEST(commands_end_with_the_program)
{
    char        command[256], ready[64];
    struct stat info;
    pid_t       program;

    stage_set(&s, &hsi_backend_command, HS_CPU);
    snprintf(ready, sizeof ready, "%s/ready", s.folder);
    snprintf(command, sizeof command,
             "trap '' TERM; setsid sleep 1000 & : >%s; sleep 1000; sleep 1000", ready);
    program = fork();
    if (program == 0) {
        setpgid(0, 0);
        stage_open(&s);
        run_on(&s, command);
        _exit(1);
    }
    while (stat(ready, &info) != 0)
        pause_ms(1);
    unlink(ready);
    ck_assert_int_ge(alive(s.id), 1);
    kill(-program, SIGKILL); /* its whole group */
    waitpid(program, NULL, 0);
    while (alive(s.id))
        pause_ms(1);
    stage_close(&s);
}
END_TEST

enum { WORKERS = 4 };

static void *work(void *data)
{
    stage *at = data;
    int    n = rounds(50), i;

    stage_open(at);
    for (i = 0; i < n; i++) {
        ck_assert_int_eq(run_on(at, "test $HSCHED_ATTEMPT -gt 0"), HS_OUTCOME_DONE);
        ck_assert_int_eq(run_until_ready(at, "setsid sleep 1000 & : >$READY; wait"),
                         HS_OUTCOME_ABORTED);
        ck_assert_int_eq(run_on(at, "exit 3"), HS_OUTCOME_FAILED);
        ck_assert_str_eq(at->why, "exited with status 3");
        ck_assert_int_eq(alive(at->id), 0);
    }
    return NULL;
}

START_TEST(workers_do_not_disturb_each_other)
{
    int       before = open_files(), i;
    stage     stages[WORKERS];
    pthread_t thread[WORKERS];

    for (i = 0; i < WORKERS; i++)
        stage_set(&stages[i], &hsi_backend_command, HS_CPU);
    for (i = 0; i < WORKERS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, work, &stages[i]), 0);
    for (i = 0; i < WORKERS; i++)
        pthread_join(thread[i], NULL);
    for (i = 0; i < WORKERS; i++)
        stage_close(&stages[i]);
    ck_assert_int_eq(open_files(), before);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("what commands leave");
    TCase *tc = tcase_create("left");

    tcase_set_timeout(tc, 600);
    tcase_add_test(tc, what_it_started_goes_with_it);
    tcase_add_loop_test(tc, cancelled_and_gone, 0, sizeof stubborn / sizeof *stubborn);
    tcase_add_test(tc, has_its_grace_to_clean_up);
    tcase_add_test(tc, what_is_stopped_goes_on_to_clean_up);
    tcase_add_test(tc, cancelled_before_it_starts);
    tcase_add_test(tc, thousands_of_aborts_leave_nothing);
    tcase_add_test(tc, a_guard_that_is_killed_is_replaced);
    tcase_add_test(tc, commands_end_with_the_program);
    tcase_add_test(tc, workers_do_not_disturb_each_other);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
