/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_SUITE_H
#define TESTS_SUITE_H

#include <check.h>
#include <stdio.h>
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

/* Write the name and index of the function that begins to the file that tests/watch.sh reads. */
static inline void note_running(const char *name, int i)
{
    const char *path = getenv("HS_RUNNING");
    FILE       *file = path ? fopen(path, "we") : NULL;

    if (file) {
        fprintf(file, "%s:%d", name, i);
        fclose(file);
    }
}

#if CHECK_MAJOR_VERSION > 0 || CHECK_MINOR_VERSION >= 13
#undef START_TEST
#define START_TEST(name)                                                                           \
    static void name##_body(int _i);                                                               \
    static void name##_fn(int i)                                                                   \
    {                                                                                              \
        note_running(#name, i);                                                                    \
        name##_body(i);                                                                            \
    }                                                                                              \
    static const TTest  name##_ttest = {#name, name##_fn, __FILE__, __LINE__};                     \
    static const TTest *name = &name##_ttest;                                                      \
    static void         name##_body(int _i __attribute__((unused)))
#endif

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
