/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The progress line on a pseudo terminal, together with messages and a view of the workers. The
 * test moves the clock and wakes the thread that draws: no wait ends by itself.
 */

#include "config.h"

#include <check.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/message.h"
#include "common/progress.h"

#define ERASE "\r\033[K"
#define ERASE_THREE ERASE "\033[A\033[K\033[A\033[K"

static double the_time; /* seconds; read and written under `clock_lock` */
static sem_t  waiting;  /* posted when the thread that draws begins to wait */

static pthread_mutex_t  clock_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t  *drawer; /* condition variable of the drawing thread */
static pthread_mutex_t *drawer_lock;
static bool             is_signalled; /* guarded by that mutex */

#pragma GCC visibility push(default) /* libraries call them, too */
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __real_pthread_cond_signal(pthread_cond_t *cond);
int __wrap_pthread_cond_signal(pthread_cond_t *cond);
int __wrap_pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                                  const struct timespec *until);
#pragma GCC visibility pop

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    (void)clock;
    pthread_mutex_lock(&clock_lock);
    *now = (struct timespec){.tv_sec = (time_t)the_time,
                             .tv_nsec = (long)(1e9 * (the_time - (double)(time_t)the_time))};
    pthread_mutex_unlock(&clock_lock);
    return 0;
}

/* Every signal is sent under the mutex of the wait. */
int __wrap_pthread_cond_signal(pthread_cond_t *cond)
{
    is_signalled = true;
    return __real_pthread_cond_signal(cond);
}

int __wrap_pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                                  const struct timespec *until)
{
    (void)until;
    drawer = cond;
    drawer_lock = mutex;
    is_signalled = false;
    sem_post(&waiting);
    while (!is_signalled)
        pthread_cond_wait(cond, mutex);
    return 0;
}

static void move_clock(double seconds)
{
    pthread_mutex_lock(&clock_lock);
    the_time += seconds;
    pthread_mutex_unlock(&clock_lock);
}

/* Wait until the thread that draws waits. */
static void await_drawer(void)
{
    ck_assert_int_eq(sem_wait(&waiting), 0);
}

/* Return whether the thread that draws was woken since await_drawer(). */
static bool was_woken(void)
{
    int  waits;
    bool woken;

    pthread_mutex_lock(drawer_lock);
    ck_assert_int_eq(sem_getvalue(&waiting, &waits), 0);
    woken = is_signalled || waits > 0;
    pthread_mutex_unlock(drawer_lock);
    return woken;
}

/* Let half a second pass, so that the thread draws, unless the line is held. */
static void let_it_draw(void)
{
    move_clock(0.5);
    pthread_mutex_lock(drawer_lock);
    pthread_cond_signal(drawer);
    pthread_mutex_unlock(drawer_lock);
    await_drawer();
}

static int  terminal, usual; /* master side of the terminal; saved standard error */
static char seen[1 << 16];

static void set_up(void)
{
    int   end;
    char *name;

    terminal = posix_openpt(O_RDWR | O_NOCTTY);
    ck_assert_int_ge(terminal, 0);
    ck_assert_int_eq(grantpt(terminal), 0);
    ck_assert_int_eq(unlockpt(terminal), 0);
    name = ptsname(terminal);
    ck_assert_ptr_nonnull(name);
    end = open(name, O_RDWR | O_NOCTTY);
    ck_assert_int_ge(end, 0);
    usual = dup(STDERR_FILENO);
    ck_assert_int_ge(dup2(end, STDERR_FILENO), 0);
    close(end);
    sem_init(&waiting, 0, 0);
    the_time = 1000;
    seen[0] = '\0';
}

static void tear_down(void)
{
    ck_assert_int_ge(dup2(usual, STDERR_FILENO), 0);
    close(usual);
    close(terminal);
    sem_destroy(&waiting);
}

/* Read the terminal until `text` appears. Return its position in `seen`. */
static const char *read_until(const char *text)
{
    size_t length = strlen(seen);

    while (!strstr(seen, text)) {
        ssize_t got = read(terminal, seen + length, sizeof seen - 1 - length);

        ck_assert_int_gt(got, 0);
        length += (size_t)got;
        seen[length] = '\0';
    }
    return strstr(seen, text);
}

/* progress_pause() erases the progress line and keeps it away until progress_resume(). */
START_TEST(held_line_is_not_drawn)
{
    const char *line, *begun, *ended;

    progress_begin(3);
    await_drawer();
    progress_set_done(1, "at w\033[5mork");
    move_clock(2); /* no line appears before */
    let_it_draw();
    line = read_until("1/3 at w\\x1B[5mork");
    progress_pause();
    message("it begins");
    let_it_draw();
    let_it_draw();
    fputs("and ends\n", stderr);
    progress_set_done(2, "back at work");
    progress_resume();
    await_drawer();
    read_until("2/3 back at work");
    progress_end();
    begun = strstr(line, "check_progress: it begins");
    ck_assert_ptr_nonnull(begun);
    ended = strstr(begun, "and ends");
    ck_assert_ptr_nonnull(ended);
    ck_assert_int_eq(memcmp(begun - strlen(ERASE), ERASE, strlen(ERASE)), 0);
    ck_assert(!strstr(begun, ERASE) || strstr(begun, ERASE) > ended);
}
END_TEST

static int two_lines(char *text, int rows, int columns)
{
    ck_assert_int_gt(rows, 2);
    ck_assert_int_gt(columns, 10);
    strcpy(text, "cpu0 runs a\ncpu1 idle\n");
    return 2;
}

/* The view is drawn at once, above the line, and erased with it. */
START_TEST(view_is_drawn_above_the_line)
{
    const char *line, *message_at;

    progress_begin(3);
    await_drawer();
    progress_show_view(two_lines);
    progress_set_done(1, "at work");
    let_it_draw();
    line = read_until("1/3 at work");
    ck_assert_ptr_nonnull(strstr(seen, "cpu0 runs a\r\ncpu1 idle\r\n"));
    ck_assert(strstr(seen, "cpu1 idle") < line);
    progress_pause();
    message("it begins");
    message_at = read_until("check_progress: it begins");
    ck_assert_int_eq(strncmp(message_at - strlen(ERASE_THREE), ERASE_THREE, strlen(ERASE_THREE)),
                     0);
    progress_resume();
    progress_end();
}
END_TEST

static int drawings;

static int count_drawings(char *text, int rows, int columns)
{
    drawings++;
    return two_lines(text, rows, columns);
}

/*
 * Output of tasks hides the view, which is drawn again when the output ends, but at most every
 * twentieth of a second.
 */
START_TEST(view_returns_at_once_after_output)
{
    progress_begin(3);
    await_drawer();
    progress_show_view(count_drawings);
    let_it_draw();
    read_until("0/3");
    for (int i = 1; i <= 3; i++) {
        ck_assert_int_eq(drawings, i);
        seen[0] = '\0';
        progress_pause();
        message("a line");
        progress_resume();
        ck_assert(!was_woken()); /* too early for a drawing */
        progress_pause();
        move_clock(0.06);
        message("another line");
        progress_resume();
        await_drawer();
        read_until("0/3");
        ck_assert_ptr_nonnull(strstr(seen, "another line"));
        ck_assert(strstr(seen, "cpu0") > strstr(seen, "another line"));
    }
    progress_end();
}
END_TEST

/* A narrow terminal cuts the end of the line off, so the time and the ETA come first. */
START_TEST(narrow_terminal_keeps_time_and_eta)
{
    const char *line;
    int         seconds, minutes, rest;

    progress_begin(2);
    await_drawer();
    progress_show_view(two_lines); /* with a view, the line is drawn in the first 2 seconds too */
    progress_set_seconds_left(1000);
    progress_set_done(1, "%0200d", 7);
    let_it_draw();
    read_until("1/2 00000000000000000000");
    line = strstr(seen, "check_progress: ");
    ck_assert_ptr_nonnull(line);
    ck_assert_int_eq(
        sscanf(line, "check_progress: %d s, ETA %d:%d, 1/2 0", &seconds, &minutes, &rest), 3);
    ck_assert_int_eq(60 * minutes + rest, 1000);
    progress_end();
    ck_assert_ptr_null(strstr(line, "0000007")); /* past 80 columns */
}
END_TEST

int main(void)
{
    Suite   *suite = suite_create("progress");
    TCase   *tests = tcase_create("all");
    SRunner *runner;
    int      failed;

    message_begin("check_progress");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, held_line_is_not_drawn);
    tcase_add_test(tests, view_is_drawn_above_the_line);
    tcase_add_test(tests, view_returns_at_once_after_output);
    tcase_add_test(tests, narrow_terminal_keeps_time_and_eta);
    suite_add_tcase(suite, tests);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
