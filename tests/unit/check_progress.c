/* SPDX-License-Identifier: BSD-3-Clause */

/* The progress line on a pseudo terminal, together with messages and a view of the workers. */

#include "config.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/message.h"
#include "common/progress.h"

#define ERASE       "\r\033[K"
#define ERASE_THREE ERASE "\033[A\033[K\033[A\033[K"

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
    seen[0] = '\0';
}

static void tear_down(void)
{
    ck_assert_int_ge(dup2(usual, STDERR_FILENO), 0);
    close(usual);
    close(terminal);
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

/* progress_hold() erases the progress line and keeps it away until progress_release(). */
START_TEST(held_line_is_not_drawn)
{
    const char *line, *begun, *ended;

    progress_begin(3);
    progress_step(1, "at w\033[5mork");
    line = read_until("1/3 at w\\x1B[5mork");
    progress_hold();
    message("it begins");
    usleep(1300000); /* seconds for two redraws */
    fputs("and ends\n", stderr);
    progress_release();
    progress_step(2, "back at work");
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
    progress_show_view(two_lines);
    progress_step(1, "at work");
    line = read_until("1/3 at work");
    ck_assert_ptr_nonnull(strstr(seen, "cpu0 runs a\r\ncpu1 idle\r\n"));
    ck_assert(strstr(seen, "cpu1 idle") < line);
    progress_hold();
    message("it begins");
    message_at = read_until("check_progress: it begins");
    ck_assert_int_eq(strncmp(message_at - strlen(ERASE_THREE), ERASE_THREE, strlen(ERASE_THREE)), 0);
    progress_release();
    progress_end();
}
END_TEST

static double drawn_at;

static int time_of_view(char *text, int rows, int columns)
{
    drawn_at = clock_now();
    return two_lines(text, rows, columns);
}

/* Output of tasks hides the view, which comes back before the next half second is over. */
START_TEST(view_returns_at_once_after_output)
{
    double before, after;

    progress_begin(3);
    progress_show_view(time_of_view);
    read_until("0/3");
    do {
        usleep(60000);
        progress_hold();
        seen[0] = '\0';
        message("a line");
        read_until("a line");
        seen[0] = '\0';
        before = drawn_at;
        progress_release();
        read_until("0/3");
        progress_hold(); /* no redraw while drawn_at is read */
        after = drawn_at;
        progress_release();
    } while (after - before >= 0.4); /* try again on a machine too busy to draw in time */
    progress_end();
}
END_TEST

/* A narrow terminal cuts the end of the line off, so the time and the ETA come first. */
START_TEST(narrow_terminal_keeps_time_and_eta)
{
    const char *line;
    int         seconds, minutes, rest;

    progress_begin(2);
    progress_show_view(two_lines); /* showing a view draws the progress line at once */
    progress_left(1000);
    progress_step(1, "%0200d", 7);
    read_until("1/2 00000000000000000000");
    line = strstr(seen, "check_progress: ");
    ck_assert_ptr_nonnull(line);
    ck_assert_int_eq(
        sscanf(line, "check_progress: %d s, ETA %d:%d, 1/2 0", &seconds, &minutes, &rest), 3);
    ck_assert_int_eq(minutes, 16);
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
