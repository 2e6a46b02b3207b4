/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hsched-bench without memory for the words of a recipe and the texts of a row: the program ends
 * with exit code 3. The linker sends strdup() to the test, which makes it fail.
 */
#include <check.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"
#include "common/message.h"

#include "suite.h"

static long copies = -1; /* number of strdup() calls before one fails; negative: none fails */

char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);

char *__wrap_strdup(const char *text)
{
    return copies >= 0 && copies-- == 0 ? NULL : __real_strdup(text);
}

/* functions of origin.c and statistics.c, which belong to the whole program */

const char *bench_version(void)
{
    return "0";
}

const char *bench_machine(void)
{
    return "none";
}

double bench_value(const bench_row *row, bench_measure measure)
{
    (void)row;
    (void)measure;
    return NAN;
}

static char path[32];

static void read_recipe(void)
{
    bench_case one = {.recipe = (char[]){"gamma -n 5 -m 2 --late 0.1"}, .seed = 1};

    ck_assert_int_eq(bench_recipe_read(&one, "test"), 1);
}

static void read_rows(void)
{
    bench_algorithm alg = {.name = "lpt"};
    bench_campaign  c = {
         .name = "test", .bounds = (char[]){""}, .algorithms = &alg, .algorithm_count = 1};
    bench_case one = {.recipe = (char[]){"gamma"}, .seed = 1};
    bench_rows rows;

    ck_assert_int_eq(bench_rows_read(&rows, &c, &one, 1, path), EXIT_OK);
    ck_assert_uint_eq(rows.known, 1);
    ck_assert_str_eq(rows.row->version, "0");
    bench_rows_free(&rows);
}

static void write_row(void)
{
    bench_campaign c = {.name = "test", .bounds = (char[]){""}, .algorithm_count = 1};
    bench_row      row = {.label = (char[]){"label"},
                          .recipe = (char[]){"gamma"},
                          .algorithm = (char[]){"lpt"},
                          .version = (char[]){"0"},
                          .platform = "cpu",
                          .seed = 1};
    bench_family   family = {.factors = (char[]){""}};
    int            fd;

    strcpy(path, "/tmp/hs-test-XXXXXX");
    fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    ck_assert_int_eq(bench_rows_open(path, &fd), EXIT_OK);
    ck_assert_int_eq(bench_rows_append(fd, path, &c, &family, &row, (char[]){1}), EXIT_OK);
    close(fd);
}

/* Return the exit status of a process that calls `work` and whose copy `failing` of a text
 * fails. */
static int status_of(void (*work)(void), long failing)
{
    pid_t child = fork();
    int   status;

    if (child == 0) {
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        copies = failing;
        work();
        _exit(copies < 0 ? 100 : EXIT_OK); /* exit code 100: a copy failed, but the program did
                                              not notice */
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

START_TEST(each_copy_of_a_text_is_checked)
{
    static const struct {
        void (*work)(void);
        long copies;
    } reader[] = {{read_recipe, 8}, {read_rows, 4}};

    write_row();
    for (long failing = 0; failing < reader[_i].copies; failing++)
        ck_assert_int_eq(status_of(reader[_i].work, failing), EXIT_RESOURCE);
    ck_assert_int_eq(status_of(reader[_i].work, reader[_i].copies), EXIT_OK);
    unlink(path);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("bench memory");
    TCase *tc = tcase_create("bench memory");

    tcase_add_loop_test(tc, each_copy_of_a_text_is_checked, 0, 2);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
