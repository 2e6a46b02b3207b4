/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_SUITE_H
#define TESTS_SUITE_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * Report failed assertions only. Check writes every assertion to a file, to name the last one after
 * a crash; in a loop the writes cost more than the tested code. After a crash, Check still names
 * the test function.
 */
#undef ck_assert
#undef ck_assert_msg
#define ck_assert(holds) ck_assert_msg(holds, "Assertion '%s' failed", #holds)
#define ck_assert_msg(holds, ...) ((holds) ? (void)0 : ck_abort_msg(__VA_ARGS__))

/* Create a test case without a time limit: tests/watch.sh reports a hang. */
static inline TCase *unlimited_tcase_create(const char *name)
{
    TCase *tcase = tcase_create(name);

    tcase_set_timeout(tcase, 0);
    return tcase;
}

#define tcase_create(name) unlimited_tcase_create(name)

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

/* Run the tests; return the exit status for main(). */
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
