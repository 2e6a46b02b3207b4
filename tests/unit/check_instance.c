/* SPDX-License-Identifier: BSD-3-Clause */

/* Instances are wrapped, built, and moved to other workers; their names and digests. */

#include <check.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hybridsched/hybridsched.h>

#include "instance_fixture.h"
#include "suite.h"

static const double two[] = {1, 2};

START_TEST(wrapped_arrays_are_not_copied)
{
    double       cpu[] = {1, 2, INFINITY}, gpu[] = {4, INFINITY, 6};
    int64_t      priority[] = {7, -8, INT64_MIN};
    hs_instance *in = NULL;
    hs_task      row;
    const char  *value;
    char         name[8];

    ck_assert_int_eq(hs_instance_wrap(3, cpu, gpu, priority, 5, 6, &in), HS_OK);
    ck_assert_uint_eq(hs_instance_cpus(in), 5);
    ck_assert_uint_eq(hs_instance_gpus(in), 6);
    ck_assert_uint_eq(hs_instance_tasks(in), 3);
    ck_assert_uint_eq(hs_instance_rows(in), 3);
    ck_assert_int_eq(hs_instance_unit(in), HS_SECONDS);
    ck_assert(hs_instance_time(in, 1, HS_CPU) == 2 && isinf(hs_instance_time(in, 1, HS_GPU)));
    cpu[1] = 3;
    ck_assert(hs_instance_time(in, 1, HS_CPU) == 3);
    ck_assert_int_eq(hs_instance_priority(in, 2), INT64_MIN);
    ck_assert_int_eq(hs_instance_is_restartable(in, 0), 1);
    ck_assert_uint_eq(hs_instance_row_of(in, 2), 2);
    hs_instance_row(in, 0, &row);
    ck_assert(!row.id && !row.kernel && !row.cpu_command && !row.gpu_command);
    ck_assert(row.cpu == 1 && row.gpu == 4 && row.priority == 7 && row.count == 1);
    ck_assert_uint_eq(hs_instance_name(in, 2, name, sizeof name), 2);
    ck_assert_str_eq(name, "t2");
    ck_assert_ptr_null(hs_instance_note(in, 0, &value));
    hs_instance_free(in);
    hs_instance_free(NULL);
}
END_TEST

static hs_status wrap_one(double cpu, double gpu, unsigned cpus, unsigned gpus)
{
    hs_instance *in = NULL;
    hs_status    st = hs_instance_wrap(1, &cpu, &gpu, NULL, cpus, gpus, &in);

    ck_assert((st == HS_OK) == (in != NULL));
    hs_instance_free(in);
    return st;
}

START_TEST(invalid_instances_are_refused)
{
    hs_instance *in = NULL;

    ck_assert_int_eq(wrap_one(0, 1, 1, 1), HS_ETIME);
    ck_assert_int_eq(wrap_one(-0.0, 1, 1, 1), HS_ETIME);
    ck_assert_int_eq(wrap_one(1, -1, 1, 1), HS_ETIME);
    ck_assert_int_eq(wrap_one(NAN, 1, 1, 1), HS_ETIME);
    ck_assert_int_eq(wrap_one(1, -INFINITY, 1, 1), HS_ETIME);
    ck_assert_int_eq(wrap_one(1, 0, 1, 0), HS_ETIME); /* an absent type keeps its times */
    ck_assert_int_eq(wrap_one(INFINITY, INFINITY, 1, 1), HS_EWORKER);
    ck_assert_int_eq(wrap_one(INFINITY, 1, 1, 0), HS_EWORKER);
    ck_assert_int_eq(wrap_one(1, INFINITY, 0, 1), HS_EWORKER);
    ck_assert_int_eq(wrap_one(1, INFINITY, 1, 0), HS_OK);
    ck_assert_int_eq(wrap_one(1, 1, 0, 0), HS_EINVAL);
    ck_assert_int_eq(wrap_one(1, 1, HS_MAX_WORKERS, HS_MAX_WORKERS), HS_OK);
    ck_assert_int_eq(wrap_one(1, 1, HS_MAX_WORKERS + 1, 0), HS_EINVAL);
    ck_assert_int_eq(wrap_one(1, 1, UINT_MAX, 1), HS_EINVAL); /* counts whose 32-bit sum wraps to
                                                                 0 */
    ck_assert_int_eq(wrap_one(1, 1, 1, HS_MAX_WORKERS + 1), HS_EINVAL);
    ck_assert_int_eq(wrap_one(DBL_MAX, 1, 1, 1), HS_EOVERFLOW);
    ck_assert_int_eq(wrap_one(DBL_MAX / 16, DBL_MAX / 16, 1, 1), HS_OK);
    ck_assert_int_eq(wrap_one(0x1p-1074, 0x1p-1074, 1, 1), HS_OK);
    ck_assert_int_eq(hs_instance_wrap(2, two, NULL, NULL, 1, 1, &in), HS_EINVAL);
    ck_assert_int_eq(hs_instance_wrap(2, NULL, two, NULL, 1, 1, &in), HS_EINVAL);
    ck_assert_int_eq(hs_instance_wrap(2, two, two, NULL, 1, 1, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_instance_wrap((size_t)HS_MAX_TASKS + 1, two, two, NULL, 1, 1, &in),
                     HS_ETOOBIG);
    ck_assert_ptr_null(in);
    ck_assert_int_eq(hs_instance_wrap(0, NULL, NULL, NULL, 1, 0, &in), HS_OK);
    ck_assert_uint_eq(hs_instance_tasks(in), 0);
    hs_instance_free(in);
}
END_TEST

START_TEST(instance_with_other_workers_keeps_tasks)
{
    static const double gpu[] = {1, INFINITY};
    hs_instance        *in = NULL, *other = NULL, *none = NULL;

    ck_assert_int_eq(hs_instance_wrap(2, two, gpu, NULL, 2, 2, &in), HS_OK);
    ck_assert_int_eq(hs_instance_with_workers(in, 0, 1, &none), HS_EWORKER);
    ck_assert_int_eq(hs_instance_with_workers(in, 0, 0, &none), HS_EINVAL);
    ck_assert_int_eq(hs_instance_with_workers(NULL, 1, 0, &none), HS_EINVAL);
    ck_assert_ptr_null(none);
    ck_assert_int_eq(hs_instance_with_workers(in, 7, 0, &other), HS_OK);
    hs_instance_free(in); /* free the original: the instances may be freed in any order */
    ck_assert_uint_eq(hs_instance_cpus(other), 7);
    ck_assert_uint_eq(hs_instance_gpus(other), 0);
    ck_assert(hs_instance_time(other, 0, HS_GPU) == 1);
    hs_instance_free(other);
}
END_TEST

START_TEST(instance_has_the_added_rows)
{
    hs_builder  *b = builder_on(3, 1);
    char         id[] = "potrf-0";
    hs_task      first = {.struct_size = sizeof first, .id = id, .cpu = 11.1, .gpu = 12};
    hs_task      second = {.struct_size = sizeof second, .id = "render, \"7\"", .cpu = 310,
                           .gpu = INFINITY, .priority = -4, .count = 3,
                           .restartable = HS_RESTART_YES, .kernel = "",
                           .cpu_command = "./render --frame 7"};
    hs_task      row;
    hs_instance *in;
    const char  *value;

    ck_assert_int_eq(hs_builder_set_unit(b, HS_MILLISECONDS), HS_OK);
    ck_assert_int_eq(hs_builder_add_note(b, "source", "measured"), HS_OK);
    ck_assert_int_eq(hs_builder_add_note(b, "source", ""), HS_OK);
    ck_assert_int_eq(hs_builder_add_row(b, &first), HS_OK);
    memset(id, 'x', sizeof id - 1); /* strings are copied */
    ck_assert_int_eq(hs_builder_add_row(b, &second), HS_OK);
    in = finish_instance(b);
    hs_builder_free(b);
    ck_assert_int_eq(hs_instance_unit(in), HS_MILLISECONDS);
    ck_assert_uint_eq(hs_instance_rows(in), 2);
    ck_assert_uint_eq(hs_instance_tasks(in), 4);
    hs_instance_row(in, 0, &row);
    ck_assert_str_eq(row.id, "potrf-0");
    ck_assert(row.count == 1 && row.priority == 0 && !row.kernel && !row.cpu_command);
    hs_instance_row(in, 1, &row);
    ck_assert_str_eq(row.id, "render, \"7\"");
    ck_assert(row.count == 3 && row.priority == -4 && !row.kernel && !row.gpu_command);
    ck_assert_int_eq(row.restartable, HS_RESTART_YES);
    ck_assert_str_eq(row.cpu_command, "./render --frame 7");
    ck_assert_str_eq(hs_instance_note(in, 0, &value), "source");
    ck_assert_str_eq(value, "measured");
    ck_assert_str_eq(hs_instance_note(in, 1, &value), "source");
    ck_assert_str_eq(value, "");
    ck_assert_ptr_null(hs_instance_note(in, 2, &value));
    ck_assert_int_eq(hs_instance_priority(in, 3), -4);
    ck_assert(hs_instance_time(in, 3, HS_CPU) == 310);
    hs_instance_free(in);
}
END_TEST

START_TEST(columns_may_start_at_a_later_row)
{
    enum { ROWS = 300 };
    hs_builder  *b = builder_on(1, 1);
    hs_instance *in;
    hs_task      row;
    size_t       i, tasks = 0;

    for (i = 0; i < ROWS; i++) {
        hs_task task = {.struct_size = sizeof task, .cpu = 1 + (double)i, .gpu = 1};

        task.id = i == 60 ? "sixty" : NULL;
        task.priority = i == 100 ? 5 : 0;
        task.count = i == 150 ? 4 : i % 2;
        task.restartable = i == 200 ? HS_RESTART_NO : HS_RESTART_DEFAULT;
        task.kernel = i == 250 ? "gemm" : NULL;
        task.gpu_command = i == 299 ? "run" : "";
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    }
    in = finish_instance(b);
    ck_assert_uint_eq(hs_instance_rows(in), ROWS);
    ck_assert_uint_eq(hs_instance_tasks(in), ROWS + 3);
    for (i = 0; i < ROWS; tasks += row.count, i++) {
        hs_instance_row(in, i, &row);
        ck_assert_uint_eq(hs_instance_row_of(in, tasks), i);
        ck_assert(row.cpu == 1 + (double)i);
        ck_assert_int_eq(row.id != NULL, i == 60);
        ck_assert_int_eq(row.priority, i == 100 ? 5 : 0);
        ck_assert_uint_eq(row.count, i == 150 ? 4 : 1);
        ck_assert_int_eq(hs_instance_is_restartable(in, tasks), i != 200 && i != 299);
        ck_assert_int_eq(row.kernel != NULL, i == 250);
        ck_assert_int_eq(row.gpu_command != NULL, i == 299);
    }
    hs_instance_free(in);
    hs_builder_free(b);
}
END_TEST

START_TEST(commands_are_not_restartable_by_default)
{
    static const int expected[3][2] = {{1, 0}, {1, 1}, {0, 0}};
    hs_builder      *b = builder_on(1, 1);
    hs_instance     *in;
    int              word, command;

    for (word = HS_RESTART_DEFAULT; word <= HS_RESTART_NO; word++)
        for (command = 0; command < 2; command++) {
            hs_task task = {.struct_size = sizeof task,
                            .cpu = 1, .gpu = 1, .restartable = (hs_restartable)word};

            task.cpu_command = command ? "true" : NULL;
            ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
        }
    in = finish_instance(b);
    for (word = 0; word < 3; word++)
        for (command = 0; command < 2; command++)
            ck_assert_int_eq(hs_instance_is_restartable(in, (size_t)(2 * word + command)),
                             expected[word][command]);
    hs_instance_free(in);
    hs_builder_free(b);
}
END_TEST

START_TEST(builder_continues_after_a_refusal)
{
    char         longest[HS_MAX_ID + 2];
    hs_builder  *b = NULL;
    hs_instance *in = NULL;
    hs_error     error;
    hs_task      task = {.struct_size = sizeof task, .cpu = 1, .gpu = 1};

    ck_assert_int_eq(hs_builder_create(NULL), HS_EINVAL);
    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &in, &error), HS_EINVAL);
    ck_assert_uint_eq(error.line, 0);
    ck_assert_str_eq(error.why, "there are no workers: set their numbers");
    ck_assert_int_eq(hs_builder_set_workers(b, 0, 0), HS_EINVAL);
    ck_assert_int_eq(hs_builder_set_workers(b, HS_MAX_WORKERS + 1, 1), HS_EINVAL);
    ck_assert_int_eq(hs_builder_set_workers(b, UINT_MAX, 1), HS_EINVAL);
    ck_assert_int_eq(hs_builder_set_workers(b, 1, 0), HS_OK);
    ck_assert_int_eq(hs_builder_set_unit(b, (hs_unit)4), HS_EINVAL);
    ck_assert_int_eq(hs_builder_add_note(b, "", "x"), HS_EINVAL);
    ck_assert_int_eq(hs_builder_add_note(b, "x", NULL), HS_EINVAL);
    task.restartable = (hs_restartable)3;
    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_EINVAL);
    task = (hs_task){.struct_size = sizeof task, .cpu = 1, .gpu = 0};
    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_ETIME);
    memset(longest, 'a', sizeof longest);
    longest[HS_MAX_ID + 1] = '\0';
    task = (hs_task){.struct_size = sizeof task, .id = longest, .cpu = 1, .gpu = 1};
    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_ETOOBIG);
    longest[HS_MAX_ID] = '\0';
    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    task = (hs_task){.struct_size = sizeof task,
                     .cpu = 1, .gpu = 1, .count = (uint32_t)(HS_MAX_TASKS - 1)};
    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    task.count = 1;
    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_ETOOBIG);
    in = finish_instance(b);
    ck_assert_uint_eq(hs_instance_tasks(in), HS_MAX_TASKS);
    ck_assert_uint_eq(hs_instance_row_of(in, (size_t)HS_MAX_TASKS - 1), 1);
    hs_instance_free(in);
    hs_builder_free(b);
    hs_builder_free(NULL);
}
END_TEST

/* After a refused finish the builder still has its content; after a success it is empty. */
START_TEST(a_failed_finish_keeps_the_content)
{
    hs_builder  *b = builder_on(1, 0);
    hs_instance *in = NULL;
    hs_error     error = {0};

    add_row(b, "a", 1, 1, 1);
    add_row(b, "b", INFINITY, 1, 2);
    ck_assert_int_eq(hs_builder_finish(b, &in, &error), HS_EWORKER);
    ck_assert_uint_eq(error.line, 2);
    ck_assert_str_eq(error.why, "task 'b' can run on no worker, of 1 CPUs and 0 GPUs: give it a "
                                "time on a type with workers");
    ck_assert_ptr_null(in);
    ck_assert_int_eq(hs_builder_set_workers(b, 1, 1), HS_OK);
    add_row(b, "c", DBL_MAX / 2, DBL_MAX / 2, 5);
    ck_assert_int_eq(hs_builder_finish(b, &in, &error), HS_EOVERFLOW);
    ck_assert_uint_eq(error.line, 3);
    ck_assert_str_eq(error.why, "with task 'c' the times are too large to be added up: give times "
                                "with a finite sum");
    hs_builder_free(b);

    b = builder_on(1, 1);
    add_row(b, "a", 1, 1, 1);
    add_row(b, "b", INFINITY, 1, 2);
    in = finish_instance(b);
    ck_assert_uint_eq(hs_instance_rows(in), 2);
    hs_instance_free(in);
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_EINVAL); /* an empty builder has no
                                                                     workers either */
    ck_assert_int_eq(hs_builder_set_workers(b, 1, 1), HS_OK);
    in = finish_instance(b);
    ck_assert_uint_eq(hs_instance_rows(in), 0);
    hs_instance_free(in);
    hs_builder_free(b);
}
END_TEST

/* Return the row blamed for a repeated id, or -1 if all ids differ. Ids are separated by blanks;
 * "-" is a row without id, "+N" a count. */
static int duplicate_of(const char *ids)
{
    hs_builder  *b = builder_on(1, 1);
    hs_instance *in = NULL;
    char         copy[256], *at;
    hs_error     error = {0};
    hs_status    st;

    snprintf(copy, sizeof copy, "%s", ids);
    for (at = strtok(copy, " "); at; at = strtok(NULL, " ")) {
        char    *plus = strchr(at, '+');
        uint32_t count = plus ? (uint32_t)atoi(plus + 1) : 1;

        if (plus)
            *plus = '\0';
        add_row(b, *at == '-' ? NULL : at, 1, 1, count);
    }
    st = hs_builder_finish(b, &in, &error);
    ck_assert(st == HS_OK || st == HS_EDUPLICATE);
    hs_instance_free(in);
    hs_builder_free(b);
    return st == HS_OK ? -1 : (int)error.line - 1;
}

START_TEST(duplicates_are_found)
{
    ck_assert_int_eq(duplicate_of("a b c"), -1);
    ck_assert_int_eq(duplicate_of("a b a"), 2);
    ck_assert_int_eq(duplicate_of("b a b"), 2);
    ck_assert_int_eq(duplicate_of("- t0"), 1); /* a row without id at index 0 is called t0 */
    ck_assert_int_eq(duplicate_of("t1 -"), 0);
    ck_assert_int_eq(duplicate_of("t0 t1 t2"), -1); /* a name made up from the number of a row
                                                       collides with no given id */
    ck_assert_int_eq(duplicate_of("t01 - -"), -1);
    ck_assert_int_eq(duplicate_of("x+2 x#1"), 1);
    ck_assert_int_eq(duplicate_of("x+2 x#3"), -1);
    ck_assert_int_eq(duplicate_of("x+2 x#02"), -1);
    ck_assert_int_eq(duplicate_of("x+2 x#0"), -1);
    ck_assert_int_eq(duplicate_of("x x#1"), -1); /* the id x with count 1 names the task x */
    ck_assert_int_eq(duplicate_of("x#2 x+2"), 0);
    ck_assert_int_eq(duplicate_of("-+2 t0#2"), 1);
    ck_assert_int_eq(duplicate_of("-+2 t0"), 1); /* ids must be unique, but names of copies
                                                    need not */
    ck_assert_int_eq(duplicate_of("a#1+2 a+2"), 0);
    ck_assert_int_eq(duplicate_of("x+3 x"), 1);
}
END_TEST

static void check_found(const hs_instance *in, const hs_name_index *index)
{
    size_t task, found;
    char   name[HS_MAX_ID + 16];

    for (task = 0; task < hs_instance_tasks(in); task++) {
        size_t length = hs_instance_name(in, task, name, sizeof name);

        ck_assert_uint_eq(strlen(name), length);
        found = SIZE_MAX;
        ck_assert_int_eq(hs_name_index_find(index, name, length, &found), 1);
        ck_assert_uint_eq(found, task);
    }
}

START_TEST(tasks_are_found_by_name)
{
    static const char *const absent[] = {"",   "t",   "t4",  "t03", "a#1", "bb#0", "bb#3", "bb#01",
                                         "bb", "bb#", "#1",  "ab",  "A",   "t3#2", "t5#4", "t5",
                                         "t99999999999999999999", "bb#4294967297"};
    hs_builder  *b = builder_on(1, 1);
    hs_instance *in;
    hs_name_index           *index = NULL;
    size_t       i, task;

    add_row(b, "a", 1, 1, 1);
    add_row(b, "bb", 1, 1, 2);
    add_row(b, "7#7", 1, 1, 1);
    add_row(b, NULL, 1, 1, 1);
    add_row(b, "t6", 1, 1, 1);
    add_row(b, NULL, 1, 1, 3);
    in = finish_instance(b);
    ck_assert_int_eq(hs_name_index_create(in, &index), HS_OK);
    check_found(in, index);
    for (i = 0; i < sizeof absent / sizeof *absent; i++)
        ck_assert_msg(!hs_name_index_find(index, absent[i], strlen(absent[i]), &task), "found '%s'",
                      absent[i]);
    ck_assert_int_eq(hs_name_index_find(index, "ax", 1, &task), 1); /* `length` bytes */
    ck_assert_int_eq(hs_name_index_find(index, "a\0x", 3, &task), 0);
    ck_assert_int_eq(hs_name_index_create(NULL, &index), HS_EINVAL);
    ck_assert_int_eq(hs_name_index_create(in, NULL), HS_EINVAL);
    hs_name_index_free(index);
    hs_name_index_free(NULL);
    hs_instance_free(in);
    hs_builder_free(b);
}
END_TEST

START_TEST(many_tasks_are_found_by_name)
{
    hs_builder  *b = builder_on(1, 1);
    hs_instance *in;
    hs_name_index *index = NULL;
    size_t       i;
    char         id[64];

    for (i = 0; i < 20000; i++) {
        snprintf(id, sizeof id, "%.*sgemm-%zu", (int)(i * i % 23), "abcdefghijklmnopqrstuvw",
                 i * 7919 % 20011);
        add_row(b, i % 5 == 0 ? NULL : id, 1, 1, i % 7 == 0 ? 3 : 1);
    }
    in = finish_instance(b);
    ck_assert_int_eq(hs_name_index_create(in, &index), HS_OK);
    check_found(in, index);
    hs_name_index_free(index);
    hs_instance_free(in);
    hs_builder_free(b);
}
END_TEST

START_TEST(long_names_are_truncated_safely)
{
    hs_instance *in = NULL;
    char         name[4] = "zzz";

    ck_assert_int_eq(hs_instance_wrap(2, two, two, NULL, 1, 1, &in), HS_OK);
    ck_assert_uint_eq(hs_instance_name(in, 1, NULL, 0), 2);
    ck_assert_uint_eq(hs_instance_name(in, 1, name, 1), 2);
    ck_assert_str_eq(name, "");
    ck_assert_uint_eq(hs_instance_name(in, 1, name, 2), 2);
    ck_assert_str_eq(name, "t");
    ck_assert_uint_eq(hs_instance_name(in, 1, name, 3), 2);
    ck_assert_str_eq(name, "t1");
    hs_instance_free(in);
}
END_TEST

/* Return the digest of an instance with rows in the order of the letters in `order`; a letter
 * determines its row. */
static uint64_t digest_of(const char *order, hs_unit unit, unsigned cpus)
{
    hs_builder  *b = builder_on(cpus, 1);
    hs_instance *in;
    uint64_t     digest;

    hs_builder_set_unit(b, unit);
    for (; *order; order++) {
        char    id[2] = {*order, '\0'};
        hs_task task = {.struct_size = sizeof task, .id = id, .cpu = *order, .gpu = *order % 7 + 1,
                        .priority = *order % 3, .kernel = *order % 2 ? "odd" : NULL};

        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    }
    in = finish_instance(b);
    digest = hs_instance_digest(in);
    hs_instance_free(in);
    hs_builder_free(b);
    return digest;
}

START_TEST(digest_ignores_the_order_of_rows)
{
    uint64_t digest = digest_of("abcdefgh", HS_SECONDS, 2);

    ck_assert(digest == digest_of("hgfedcba", HS_SECONDS, 2));
    ck_assert(digest == digest_of("ahbgcfde", HS_SECONDS, 2));
    ck_assert(digest != digest_of("abcdefg", HS_SECONDS, 2));
    ck_assert(digest != digest_of("abcdefgi", HS_SECONDS, 2));
    ck_assert(digest != digest_of("abcdefgh", HS_MILLISECONDS, 2));
    ck_assert(digest != digest_of("abcdefgh", HS_SECONDS, 3));
    ck_assert(digest_of("", HS_SECONDS, 1) != digest_of("", HS_SECONDS, 2));
}
END_TEST

static uint64_t digest_of_task(const hs_task *task)
{
    hs_builder  *b = builder_on(1, 1);
    hs_instance *in;
    uint64_t     digest;

    ck_assert_int_eq(hs_builder_add_row(b, task), HS_OK);
    in = finish_instance(b);
    digest = hs_instance_digest(in);
    hs_instance_free(in);
    hs_builder_free(b);
    return digest;
}

START_TEST(digest_depends_on_every_field)
{
    enum { SIZE = sizeof(hs_task) };
    static const hs_task tasks[] = {
        {SIZE, .id = "a", .cpu = 1, .gpu = 2},
        {SIZE, .id = "b", .cpu = 1, .gpu = 2},
        {SIZE, .cpu = 1, .gpu = 2},
        {SIZE, .id = "a", .cpu = 2, .gpu = 1},
        {SIZE, .id = "a", .cpu = 1, .gpu = INFINITY},
        {SIZE, .id = "a", .cpu = 1, .gpu = 0x1.0000000000001p1},
        {SIZE, .id = "a", .cpu = 1, .gpu = 2, .priority = 1},
        {SIZE, .id = "a", .cpu = 1, .gpu = 2, .priority = -1},
        {SIZE, .id = "a", .cpu = 1, .gpu = 2, .count = 2},
        {SIZE, .id = "a", .cpu = 1, .gpu = 2, .restartable = HS_RESTART_YES},
        {SIZE, .id = "a", .cpu = 1, .gpu = 2, .restartable = HS_RESTART_NO},
        {SIZE, .id = "a", .cpu = 1, .gpu = 2, .kernel = "x"},
        {SIZE, .id = "a", .cpu = 1, .gpu = 2, .cpu_command = "x"},
        {SIZE, .id = "a", .cpu = 1, .gpu = 2, .gpu_command = "x"},
    };
    enum { TASKS = sizeof tasks / sizeof *tasks };
    uint64_t digests[TASKS];
    size_t   i, j;

    for (i = 0; i < TASKS; i++) {
        digests[i] = digest_of_task(&tasks[i]);
        for (j = 0; j < i; j++)
            ck_assert_msg(digests[i] != digests[j], "tasks %zu and %zu have one digest", j, i);
    }
}
END_TEST

/* Check that a row with a count has the digest of its copies as separate rows. */
START_TEST(digest_ignores_grouping_in_rows)
{
    hs_builder  *counted = builder_on(1, 1), *single = builder_on(1, 1);
    hs_instance *a, *b;

    add_row(counted, "x", 1, 2, 3);
    add_row(single, "x#2", 1, 2, 1);
    add_row(single, "x#3", 1, 2, 1);
    add_row(single, "x#1", 1, 2, 1);
    a = finish_instance(counted);
    b = finish_instance(single);
    ck_assert(hs_instance_digest(a) == hs_instance_digest(b));
    hs_instance_free(a);
    hs_instance_free(b);
    hs_builder_free(counted);
    hs_builder_free(single);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("instance");
    TCase *building = tcase_create("instances"), *names = tcase_create("names");

    tcase_set_timeout(building, 120);
    tcase_add_test(building, wrapped_arrays_are_not_copied);
    tcase_add_test(building, invalid_instances_are_refused);
    tcase_add_test(building, instance_with_other_workers_keeps_tasks);
    tcase_add_test(building, instance_has_the_added_rows);
    tcase_add_test(building, columns_may_start_at_a_later_row);
    tcase_add_test(building, commands_are_not_restartable_by_default);
    tcase_add_test(building, builder_continues_after_a_refusal);
    tcase_add_test(building, a_failed_finish_keeps_the_content);
    suite_add_tcase(suite, building);
    tcase_set_timeout(names, 120);
    tcase_add_test(names, duplicates_are_found);
    tcase_add_test(names, tasks_are_found_by_name);
    tcase_add_test(names, many_tasks_are_found_by_name);
    tcase_add_test(names, long_names_are_truncated_safely);
    tcase_add_test(names, digest_ignores_the_order_of_rows);
    tcase_add_test(names, digest_depends_on_every_field);
    tcase_add_test(names, digest_ignores_grouping_in_rows);
    suite_add_tcase(suite, names);
    return run_suite(suite);
}
