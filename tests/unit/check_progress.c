/* SPDX-License-Identifier: BSD-3-Clause */

/* The progress line on a terminal of its own, and what is printed meanwhile. */

#include "config.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/message.h"
#include "common/progress.h"

#define ERASE "\r\033[K"

static int  terminal, usual; /* the other end of standard error; what it was before */
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

/* Reads on until that is seen. */
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

/* It is erased before, not drawn within, and comes back after. */
START_TEST(kept_away)
{
    const char *line, *begun, *ended;

    progress_begin(3);
    progress_step(1, "at w\033[5mork");
    line = read_until("1/3 at w\\x1B[5mork");
    progress_hold();
    message("it begins");
    usleep(1300000); /* it would have been drawn twice */
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

int main(void)
{
    Suite   *suite = suite_create("progress");
    TCase   *tests = tcase_create("all");
    SRunner *runner;
    int      failed;

    message_begin("check_progress");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, kept_away);
    suite_add_tcase(suite, tests);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
