/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec --measured: rows with one kernel or program share measured times. */
#include <check.h>
#include <string.h>

#include <hybridsched/hybridsched.h>

#include "exec/similar_rows.h"
#include "exec/shell_program.h"

#include "suite.h"

enum { MOST = 6 };

typedef struct line {
    const char *kernel, *cpu_command, *gpu_command;
    double      sum[2], count[2];
    double      alike[2]; /* expected mean over similar rows */
} line;

static hs_instance *instance_of(const line *lines, size_t count)
{
    hs_builder  *b = NULL;
    hs_instance *in = NULL;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 1, 1), HS_OK);
    for (size_t i = 0; i < count; i++) {
        hs_task row;

        hs_task_init(&row);
        row.cpu = row.gpu = 1;
        row.kernel = lines[i].kernel;
        row.cpu_command = lines[i].cpu_command;
        row.gpu_command = lines[i].gpu_command;
        ck_assert_int_eq(hs_builder_add_row(b, &row), HS_OK);
    }
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

/* Assert that the estimates of rows that ran were wrong by `error` of each time; `emulated`:
 * measured on emulated GPUs. */
static void expect_error(const line *lines, size_t count, double error, bool emulated)
{
    hs_instance *in = instance_of(lines, count);
    row_times    rows[MOST] = {0};

    ck_assert_uint_le(count, MOST);
    for (size_t i = 0; i < count; i++)
        for (int type = HS_CPU; type <= HS_GPU; type++) {
            rows[i].sum[type] = lines[i].sum[type];
            rows[i].count[type] = (size_t)lines[i].count[type];
            rows[i].error[type] = error * lines[i].sum[type];
            if (type == HS_GPU && emulated)
                rows[i].emulated[type] = rows[i].count[type];
        }
    ck_assert_int_eq(rows_alike(in, rows), HS_OK);
    for (size_t i = 0; i < count; i++)
        for (int type = HS_CPU; type <= HS_GPU; type++)
            ck_assert_msg(rows[i].alike[type] == lines[i].alike[type], "row %zu, type %d: %g", i,
                          type, rows[i].alike[type]);
    hs_instance_free(in);
}

START_TEST(kernels_of_one_size_share_measurements)
{
    static const line lines[] = {
        {"dgemm:256", NULL, NULL, {6, 0}, {2, 0}, {0, 4}}, /* 3 on CPUs */
        {"dgemm:256", NULL, NULL, {6, 0}, {1, 0}, {0, 4}}, /* 6: its own */
        {"dgemm:256", NULL, NULL, {0, 4}, {0, 1}, {4, 0}},
        {"dgemm:256", NULL, NULL, {0, 0}, {0, 0}, {4, 4}},
        {"dgemm:25", NULL, NULL, {0, 0}, {0, 0}, {0, 0}},
        {"dgemm:2560", NULL, NULL, {0, 0}, {0, 0}, {0, 0}},
    };

    expect_error(lines, 6, 1, false);
    /* rows of a kernel share times even if the estimates were right */
    expect_error(lines, 6, 0, false);
}
END_TEST

START_TEST(commands_of_one_program_share_measurements)
{
    static const line lines[] = {
        {NULL, "./render --frame 1", "render_gpu 1", {6, 0}, {1, 0}, {0, 2}},
        {"", "A=1 B=2  ./render x", "render_gpu 2", {0, 2}, {0, 1}, {6, 0}},
        /* a row with times of the other type only */
        {NULL, "./render;true", "./render", {0, 0}, {0, 0}, {6, 0}},
        {NULL, "./renderer", NULL, {0, 0}, {0, 0}, {0, 0}},
        /* similar rows are rows of the same kernel */
        {"label", "./render", NULL, {0, 0}, {0, 0}, {0, 0}},
        {NULL, "cd x && ./render", NULL, {0, 0}, {0, 0}, {0, 0}},
    };

    expect_error(lines, 6, 1, false);
}
END_TEST

/* Rows of one program may differ in time: estimates with an error below a quarter are kept. */
START_TEST(accurate_estimates_are_kept)
{
    static const line wrong[] = {{NULL, "sort a", NULL, {4, 0}, {2, 0}, {0, 0}},
                                 {NULL, "sort b", NULL, {0, 0}, {0, 0}, {2, 0}}};
    static const line right[] = {{NULL, "sort a", NULL, {4, 0}, {2, 0}, {0, 0}},
                                 {NULL, "sort b", NULL, {0, 0}, {0, 0}, {0, 0}}};

    expect_error(wrong, 2, 0.25, false);
    expect_error(right, 2, 0.24, false);
}
END_TEST

START_TEST(emulated_workers_give_no_measurements)
{
    static const line lines[] = {{"k:1", NULL, NULL, {3, 2}, {1, 1}, {0, 0}},
                                 {"k:1", NULL, NULL, {0, 0}, {0, 0}, {3, 0}}};

    expect_error(lines, 2, 1, true);
}
END_TEST

START_TEST(instance_without_rows_is_accepted)
{
    expect_error(NULL, 0, 0, false);
}
END_TEST

static const struct {
    const char *command, *program;
} programs[] = {
    {"sort a", "sort"},
    {"  \t/bin/sort<a", "/bin/sort"},
    {"A= B=x/y sort|uniq", "sort"},
    {"sort", "sort"},
    {"A=1", ""},
    {"", ""},
    {"   ", ""},
    {"A='x y' sort", ""},
    {"$HOME/sort", ""},
    {"\"my sort\" a", ""},
    {"(sort)", ""},
    {"while true; do :; done", ""},
    {"exec sort", ""},
};

START_TEST(program_of_a_command_is_found)
{
    const char *at = "";
    size_t      length = program_find(programs[_i].command, &at);

    ck_assert_uint_eq(length, strlen(programs[_i].program));
    ck_assert_int_eq(strncmp(at, programs[_i].program, length), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("measured");
    TCase *tc = tcase_create("measured");

    tcase_add_test(tc, kernels_of_one_size_share_measurements);
    tcase_add_test(tc, commands_of_one_program_share_measurements);
    tcase_add_test(tc, accurate_estimates_are_kept);
    tcase_add_test(tc, emulated_workers_give_no_measurements);
    tcase_add_test(tc, instance_without_rows_is_accepted);
    tcase_add_loop_test(tc, program_of_a_command_is_found, 0,
                        (int)(sizeof programs / sizeof *programs));
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
