/* SPDX-License-Identifier: BSD-3-Clause */

/* No process of a command remains, whoever ends the command and when, and commands do not
 * disturb each other. */

#include "config.h"

#include "command_fixture.h"
#include "suite.h"

#include <sys/wait.h>

static const char cut_short[] = "what it left running did not end by itself, and was ended";

START_TEST(abort_ends_started_processes)
{
    fixture_set(&s, &hsi_backend_command, HS_CPU);
    s.options.grace = 0.05;
    fixture_open(&s);
    s.attempt.log = NULL; /* background processes that keep the pipe open */
    expect_done("sleep 1000 & exit 0");
    ck_assert_str_eq(s.why, cut_short);
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

/* Check a shell that ends while its output still goes through another process. */
START_TEST(processes_left_behind_may_end_themselves)
{
    open_cpu();
    expect_printed("(sleep 0.1; echo late) & exit 0", "late\n");
    ck_assert_str_eq(s.why, "");
    expect_printed("setsid sh -c 'sleep 0.1; echo later' & exit 0", "later\n");
    ck_assert_str_eq(s.why, "");
    expect_failed("(sleep 0.1; echo why) & exit 3", "exited with status 3: why");
    close_it();
}
END_TEST

/* The processes left are in the command's group, in another group, and children of the latter. */
START_TEST(processes_left_behind_get_one_sigterm)
{
    static const char loop[] = "; exec 2>/dev/null; : >$0; until [ $n ]; do sleep 0.01; done; "
                               "sleep 0.05; echo end' $READY & exit 0";
    char              command[512];

    open_cpu();
    snprintf(command, sizeof command, "sh -c 'trap \"echo one; n=1\" TERM%s", loop);
    ck_assert_int_eq(run_until_ready(&s, command), HS_OUTCOME_ABORTED);
    ck_assert_str_eq(printed(), "one\nend\n");
    snprintf(command, sizeof command, "setsid sh -c 'trap \"echo one; n=1\" TERM%s", loop);
    ck_assert_int_eq(run_until_ready(&s, command), HS_OUTCOME_ABORTED);
    ck_assert_str_eq(printed(), "one\nend\n");
    snprintf(command, sizeof command,
             "setsid sh -c 'setsid sh -c \"trap \\\"echo two; m=1\\\" TERM; : >$0.two; "
             "until [ \\$m ]; do sleep 0.01; done\" & trap \"echo one; n=1\" TERM; "
             "until [ -e $0.two ]; do sleep 0.01; done; rm $0.two%s",
             loop);
    ck_assert_int_eq(run_until_ready(&s, command), HS_OUTCOME_ABORTED);
    ck_assert_str_eq(printed(), "one\nend\ntwo\n");
    close_it();
}
END_TEST

/* Check that a command counts as done if it ends after a request for its spoliation. */
START_TEST(spoliated_but_finished_command_is_done)
{
    const char *command = "trap 'exit 0' TERM; : >$READY; while :; do sleep 0.01; done";

    open_cpu();
    ck_assert_int_eq(run_until_ready(&s, command), HS_OUTCOME_ABORTED);
    s.taken = true;
    ck_assert_int_eq(run_until_ready(&s, command), HS_OUTCOME_DONE);
    ck_assert_int_eq(
        run_until_ready(&s, "trap 'exit 1' TERM; : >$READY; while :; do sleep 0.01; done"),
        HS_OUTCOME_ABORTED);
    close_it();
}
END_TEST

/* A stop request comes while the processes left by the command have their grace. */
START_TEST(cancelled_during_grace_after_shell)
{
    open_cpu(); /* the fixture has a long grace, which the test does not wait for */
    ck_assert_int_eq(run_until_ready(&s, "(sleep 0.05; : >$READY; sleep 1000) & exit 0"),
                     HS_OUTCOME_ABORTED);
    ck_assert_int_eq(alive(s.id), 0);
    close_it();
}
END_TEST

static const struct {
    const char *command;
    int         needs_kill; /* whether the process ignores SIGTERM, so that SIGKILL is needed */
} stubborn[] = {
    {": >$READY; sleep 1000", 0},
    {": >$READY; exec sleep 1000", 0},
    {"sleep 1000 & sleep 1000 & : >$READY; wait", 0},
    {": >$READY; while :; do :; done", 0},
    {": >$READY; kill -STOP $$", 0},
    {"setsid sleep 1000 & : >$READY; wait", 0},
    {"trap '' TERM; : >$READY; while :; do sleep 1000; done", 1},
    {"(trap '' TERM; sleep 1000) & (trap '' TERM HUP; setsid sleep 1000) & : >$READY; wait", 1},
    {"(setsid sh -c '(trap \"\" TERM; sleep 1000 & : >$0; sleep 1000) &' $READY &); sleep 1000", 1},
};

START_TEST(cancelled_command_is_gone)
{
    fixture_set(&s, &hsi_backend_command, HS_CPU);
    if (stubborn[_i].needs_kill)
        s.options.grace = 0.05;
    fixture_open(&s);
    ck_assert_int_eq(run_until_ready(&s, stubborn[_i].command), HS_OUTCOME_ABORTED);
    ck_assert_int_eq(alive(s.id), 0);
    expect_done("true");
    close_it();
}
END_TEST

int                    __real_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *span,
                                    const sigset_t *mask);
#pragma GCC visibility push(default) /* other libraries call ppoll(), too */
int                    __wrap_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *span,
                                    const sigset_t *mask);
#pragma GCC visibility pop

static int polls; /* number of ppoll() calls, by all threads */

int __wrap_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *span,
                 const sigset_t *mask)
{
    __atomic_fetch_add(&polls, 1, __ATOMIC_RELAXED);
    return __real_ppoll(fds, count, span, mask);
}

/* The worker sleeps during the command's grace, although the descriptor of the cancel request
 * stays readable. */
START_TEST(worker_sleeps_during_the_grace)
{
    fixture_set(&s, &hsi_backend_command, HS_CPU);
    s.options.grace = 0.3;
    fixture_open(&s);
    polls = 0;
    ck_assert_int_eq(run_until_ready(&s, "trap '' TERM; : >$READY; while :; do sleep 1000; done"),
                     HS_OUTCOME_ABORTED);
    ck_assert_int_gt(polls, 0);
    ck_assert_int_lt(polls, 50);
    close_it();
}
END_TEST

START_TEST(cancelled_command_has_its_grace)
{
    open_cpu();
    ck_assert_int_eq(run_until_ready(&s,
                                     "trap 'sleep 0.1; echo cleaned; exit 0' TERM; "
                                     "exec 2>/dev/null; : >$READY; while :; do sleep 0.01; done"),
                     HS_OUTCOME_ABORTED);
    ck_assert_str_eq(printed(), "cleaned\n");
    /* the shell ends at once, but its background process takes its time */
    ck_assert_int_eq(
        run_until_ready(&s, "sh -c 'trap \"sleep 0.1; echo tidied; exit\" TERM; "
                            "exec 2>/dev/null; : >$0; while :; do sleep 0.01; done' $READY & wait"),
        HS_OUTCOME_ABORTED);
    ck_assert_str_eq(printed(), "tidied\n");
    close_it();
}
END_TEST

/* Stop a command with SIGSTOP, then cancel it: it must be continued, since SIGTERM alone would
 * take effect only at SIGKILL, before the command could print anything. */
START_TEST(stopped_command_is_continued_to_clean_up)
{
    fixture_set(&s, &hsi_backend_command, HS_CPU);
    s.options.grace = 5;
    fixture_open(&s);
    ck_assert_int_eq(
        run_until_ready(&s, "trap 'echo woken; exit 0' TERM; exec 2>/dev/null; "
                            "(until grep -q 'State:.T' /proc/$$/status; do :; done; : >$READY) & "
                            "kill -STOP $$; while :; do sleep 0.01; done"),
        HS_OUTCOME_ABORTED);
    ck_assert_str_eq(printed(), "woken\n");
    close_it();
}
END_TEST

START_TEST(command_cancelled_before_start_does_not_run)
{
    open_cpu();
    fixture_cancel(&s);
    ck_assert_int_eq(run_on(&s, "echo started"), HS_OUTCOME_ABORTED);
    ck_assert_int_ne(access(s.log, F_OK), 0);
    fixture_reset_cancel(&s);
    expect_printed("echo started", "started\n");
    close_it();
}
END_TEST

/* Thread: cancel at a random time, before the shell starts, while it works, or after its end. */
static void *cancel_soon(void *data)
{
    fixture *at = data;

    for (volatile long i = at->attempt.number * 7919L % 200000; i > 0; i--)
        ;
    fixture_cancel(at);
    return NULL;
}

START_TEST(thousands_of_aborts_leave_nothing)
{
    static const char *const commands[] = {"sleep 1000", "sleep 1000 & wait", "exit 0",
                                           "setsid sleep 1000 & sleep 1000"};
    int                      before = open_files(), n = rounds(2000), i, aborted = 0;
    pthread_t                thread;

    fixture_set(&s, &hsi_backend_command, HS_CPU);
    s.options.grace = 0.02;
    fixture_open(&s);
    for (i = 0; i < n; i++) {
        hs_outcome outcome;

        s.attempt.number = (uint32_t)i + 1;
        s.attempt.log = i % 3 ? NULL : s.log;
        ck_assert_int_eq(pthread_create(&thread, NULL, cancel_soon, &s), 0);
        outcome = run_on(&s, commands[i % 4]);
        pthread_join(thread, NULL);
        ck_assert(outcome == HS_OUTCOME_ABORTED || (i % 4 == 2 && outcome == HS_OUTCOME_DONE));
        aborted += outcome == HS_OUTCOME_ABORTED;
        fixture_reset_cancel(&s);
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
        pause_ms(true);
    unlink(path);
    kill(*(pid_t *)data, SIGKILL);
    return NULL;
}

START_TEST(a_guard_that_is_killed_is_replaced)
{
    char      command[128];
    pthread_t thread;
    pid_t     guard;

    open_cpu();
    guard = guard_pid();
    kill(guard, SIGKILL);
    while (kill(guard, 0) == 0)
        pause_ms(true);
    expect_printed("echo still here", "still here\n");
    guard = guard_pid();
    /* output larger than the pipe: the shell continues only when the program reads */
    s.attempt.log = NULL;
    snprintf(command, sizeof command,
             "setsid sleep 1000 & head -c 3000000 /dev/zero; : >%s/ready; sleep 1000", s.folder);
    ck_assert_int_eq(pthread_create(&thread, NULL, kill_guard_when_ready, &guard), 0);
    expect_failed(command, "the process that watches over commands was killed");
    pthread_join(thread, NULL);
    while (alive(s.id)) /* the processes now belong to the keeper, or are about to end with the
                           guard */
        pause_ms(true);
    s.attempt.log = s.log;
    expect_printed("echo still here", "still here\n");
    close_it();
}
END_TEST

static pid_t parent_of(pid_t pid)
{
    char  path[64];
    FILE *file;
    int   parent = 0;

    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fscanf(file, "%*d (%*[^)]) %*c %d", &parent), 1);
    fclose(file);
    return parent;
}

START_TEST(a_keeper_that_is_killed_is_replaced)
{
    pid_t guard, keeper;

    open_cpu();
    guard = guard_pid();
    keeper = parent_of(guard);
    ck_assert_int_eq(parent_of(keeper), getpid());
    kill(keeper, SIGKILL);
    while (parent_of(guard) == keeper)
        pause_ms(true);
    ck_assert_int_eq(guard_pid(), guard); /* the command that ran alone needed no new guard */
    kill(guard, SIGKILL);
    while (kill(guard, 0) == 0)
        pause_ms(true);
    expect_printed("echo still here", "still here\n");
    ck_assert_int_ne(parent_of(guard_pid()), keeper);
    close_it();
}
END_TEST

/* The guard has its own name and command line, so that `killall` and `pkill -f` of the program
 * do not end the guard. */
START_TEST(a_guard_has_a_name_of_its_own)
{
    open_cpu();
    expect_printed("read name </proc/$PPID/comm; echo $name", "hsched-guard\n");
    expect_printed("tr -d '\\0' </proc/$PPID/cmdline; echo", "hsched-guard\n");
    close_it();
}
END_TEST

static bool has_children(pid_t pid)
{
    char  path[64];
    FILE *file;
    bool  some;

    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)pid, (long)pid);
    file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    some = fgetc(file) != EOF;
    fclose(file);
    return some;
}

START_TEST(a_guard_starts_with_the_first_command)
{
    FILE *file;
    int   keeper = 0;

    open_cpu();
    file = fopen("/proc/thread-self/children", "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fscanf(file, "%d", &keeper), 1);
    fclose(file);
    ck_assert(!has_children(keeper));
    expect_done("true");
    ck_assert(has_children(keeper));
    close_it();
}
END_TEST

START_TEST(shell_ends_with_its_guard_and_keeper)
{
    char  command[256], text[32] = "", *more;
    char  path[64];
    FILE *file = NULL;
    pid_t program, guard;

    fixture_set(&s, &hsi_backend_command, HS_CPU);
    snprintf(path, sizeof path, "%s/ready", s.folder);
    snprintf(command, sizeof command, "echo $PPID >%s.now; mv %s.now %s; exec sleep 1000", path,
             path, path);
    program = fork();
    if (program == 0) {
        fixture_open(&s);
        run_on(&s, command);
        _exit(1);
    }
    while (!(file = fopen(path, "r")))
        pause_ms(true);
    ck_assert_ptr_nonnull(fgets(text, sizeof text, file));
    fclose(file);
    unlink(path);
    guard = (pid_t)strtol(text, &more, 10);
    kill(program, SIGSTOP); /* the stopped program cannot notice that the guard's parent ends */
    kill(parent_of(guard), SIGKILL);
    kill(guard, SIGKILL);
    kill(program, SIGKILL);
    waitpid(program, NULL, 0);
    while (alive(s.id))
        pause_ms(true);
    fixture_close(&s);
}
END_TEST

START_TEST(commands_end_with_the_program)
{
    char        command[256], ready[64];
    struct stat info;
    pid_t       program;

    fixture_set(&s, &hsi_backend_command, HS_CPU);
    snprintf(ready, sizeof ready, "%s/ready", s.folder);
    snprintf(command, sizeof command,
             "trap '' TERM; setsid sleep 1000 & : >%s; sleep 1000; sleep 1000", ready);
    program = fork();
    if (program == 0) {
        setpgid(0, 0);
        fixture_open(&s);
        run_on(&s, command);
        _exit(1);
    }
    while (stat(ready, &info) != 0)
        pause_ms(true);
    unlink(ready);
    ck_assert_int_ge(alive(s.id), 1);
    kill(-program, SIGKILL); /* its whole group */
    waitpid(program, NULL, 0);
    while (alive(s.id))
        pause_ms(true);
    fixture_close(&s);
}
END_TEST

enum { WORKERS = 4 };

static void *run_commands(void *data)
{
    fixture *at = data;
    int      n = rounds(50), i;

    fixture_open(at);
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
    fixture   fixtures[WORKERS];
    pthread_t thread[WORKERS];

    for (i = 0; i < WORKERS; i++)
        fixture_set(&fixtures[i], &hsi_backend_command, HS_CPU);
    for (i = 0; i < WORKERS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, run_commands, &fixtures[i]), 0);
    for (i = 0; i < WORKERS; i++)
        pthread_join(thread[i], NULL);
    for (i = 0; i < WORKERS; i++)
        fixture_close(&fixtures[i]);
    ck_assert_int_eq(open_files(), before);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("what commands leave");
    TCase *tc = tcase_create("left");

    tcase_set_timeout(tc, 600);
    tcase_add_test(tc, abort_ends_started_processes);
    tcase_add_test(tc, processes_left_behind_may_end_themselves);
    tcase_add_test(tc, processes_left_behind_get_one_sigterm);
    tcase_add_test(tc, spoliated_but_finished_command_is_done);
    tcase_add_test(tc, cancelled_during_grace_after_shell);
    tcase_add_loop_test(tc, cancelled_command_is_gone, 0, sizeof stubborn / sizeof *stubborn);
    tcase_add_test(tc, worker_sleeps_during_the_grace);
    tcase_add_test(tc, cancelled_command_has_its_grace);
    tcase_add_test(tc, stopped_command_is_continued_to_clean_up);
    tcase_add_test(tc, command_cancelled_before_start_does_not_run);
    tcase_add_test(tc, thousands_of_aborts_leave_nothing);
    tcase_add_test(tc, a_guard_that_is_killed_is_replaced);
    tcase_add_test(tc, a_keeper_that_is_killed_is_replaced);
    tcase_add_test(tc, a_guard_has_a_name_of_its_own);
    tcase_add_test(tc, a_guard_starts_with_the_first_command);
    tcase_add_test(tc, shell_ends_with_its_guard_and_keeper);
    tcase_add_test(tc, commands_end_with_the_program);
    tcase_add_test(tc, workers_do_not_disturb_each_other);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
