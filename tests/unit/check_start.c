/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hsched-solve --start without memory to check the plan: the linker sends hs_schedule_check() to
 * the test, which makes it fail without a violation.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/message.h"
#include "solve/solve.h"

#include "suite.h"

hs_status __wrap_hs_schedule_check(const hs_instance *in, const hs_schedule *s, hs_error *error);

hs_status __wrap_hs_schedule_check(const hs_instance *in, const hs_schedule *s, hs_error *error)
{
    (void)in;
    (void)s;
    (void)error;
    return HS_ENOMEM;
}

/* Call solve_start(); set *code to its exit code, and `text` to its output on standard error. */
static void start_solve(const char *path, const hs_instance *in, int *code, char text[256])
{
    char         errors[] = "/tmp/hs-test-XXXXXX";
    int          fd = mkstemp(errors), before = dup(STDERR_FILENO);
    hs_schedule *s = NULL;
    ssize_t      length;

    dup2(fd, STDERR_FILENO);
    *code = solve_start(path, in, &s);
    dup2(before, STDERR_FILENO);
    close(before);
    length = pread(fd, text, 255, 0);
    text[length > 0 ? length : 0] = '\0';
    close(fd);
    unlink(errors);
    hs_schedule_free(s);
}

START_TEST(lack_of_memory_is_not_a_violation)
{
    const double time = 1;
    char         path[] = "/tmp/hs-test-XXXXXX", text[256];
    int          fd = mkstemp(path), code;
    hs_instance *in = NULL;
    hs_schedule *s = NULL;

    ck_assert_int_eq(hs_instance_wrap(1, &time, &time, NULL, 1, 1, &in), HS_OK);
    ck_assert_int_eq(hs_solve(hs_algorithm_find("lpt"), in, NULL, &s), HS_OK);
    ck_assert_int_eq(hs_plan_write(fd, in, s, NULL, NULL), HS_OK);
    close(fd);
    start_solve(path, in, &code, text);
    ck_assert_int_eq(code, EXIT_RESOURCE);
    ck_assert_msg(strstr(text, hs_status_text(HS_ENOMEM)) && !strstr(text, "valid"), "%s", text);
    unlink(path);
    hs_schedule_free(s);
    hs_instance_free(in);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("start");
    TCase *tc = tcase_create("start");

    tcase_add_test(tc, lack_of_memory_is_not_a_violation);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
