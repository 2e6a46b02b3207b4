/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_SUITE_H
#define TESTS_SUITE_H

#include <check.h>
#include <stdlib.h>

/*
 * Check notes each assertion down in a file, so as to say after a crash which was the last: in a
 * loop that costs more than what is tested. Here only those that fail are heard of; a crash has
 * the name of its test.
 */
#undef ck_assert
#undef ck_assert_msg
#define ck_assert(holds) ck_assert_msg(holds, "Assertion '%s' failed", #holds)
#define ck_assert_msg(holds, ...) ((holds) ? (void)0 : ck_abort_msg(__VA_ARGS__))

/* Runs the tests, and says how that went: what main() returns. */
static inline int run_suite(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    int      failed;

    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
