/* SPDX-License-Identifier: BSD-3-Clause */

/* Instances written as DOT and imported again equal the originals. */

#include <check.h>
#include <math.h>
#include <stdio.h>

#include <hybridsched/hybridsched.h>

#include "property/dice.h"
#include "property/graph_sample.h"
#include "property/same_instance.h"
#include "unit/rounds.h"
#include "suite.h"

enum { MOST_TASKS = 64 };

static hs_instance *through_dot(const hs_instance *in)
{
    hs_instance  *out = NULL;
    hs_error      error = {0};
    FILE         *file;

    file = tmpfile();
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(hs_dot_write(fileno(file), in), HS_OK);
    rewind(file);
    ck_assert_msg(hs_import_dot(fileno(file), NULL, &out, &error) == HS_OK, "%d:%d: %s",
                  (int)error.line, (int)error.column, error.why);
    fclose(file);
    return out;
}

/* Set before[u] to the largest number of bytes from task u to the vertex along paths through
 * barriers only. before[u] stays -1 if no path leads from u to the vertex. */
static void before_tasks(const hs_graph *g, size_t vertex, size_t tasks, double bytes,
                         double before[])
{
    size_t          count;
    const double   *of;
    const uint32_t *pred = hs_graph_predecessors(g, vertex, &count, &of);

    for (size_t i = 0; i < count; i++) {
        double most = of && of[i] > bytes ? of[i] : bytes;

        if (pred[i] >= tasks)
            before_tasks(g, pred[i], tasks, most, before);
        else if (most > before[pred[i]])
            before[pred[i]] = most;
    }
}

/* Check that both instances have equal tasks and equal edges, with barriers expanded. Each task of
 * a counted row is a row of `back`. */
static void must_be_as_before(const hs_instance *in, const hs_instance *back)
{
    size_t          tasks = hs_instance_tasks(in);
    const hs_graph *g[2] = {NULL, NULL};

    ck_assert_uint_eq(hs_instance_rows(back), tasks);
    ck_assert_int_eq(hs_instance_graph(in, &g[0]), HS_OK);
    ck_assert_int_eq(hs_instance_graph(back, &g[1]), HS_OK);
    for (size_t t = 0; t < tasks; t++) {
        double before[2][MOST_TASKS];

        ck_assert(hs_instance_time(in, t, HS_CPU) == hs_instance_time(back, t, HS_CPU));
        ck_assert(hs_instance_time(in, t, HS_GPU) == hs_instance_time(back, t, HS_GPU));
        ck_assert_int_eq(hs_instance_priority(in, t), hs_instance_priority(back, t));
        ck_assert_int_eq(hs_instance_is_restartable(in, t), hs_instance_is_restartable(back, t));
        for (size_t u = 0; u < tasks; u++)
            before[0][u] = before[1][u] = -1;
        for (int i = 0; i < 2; i++)
            if (g[i])
                before_tasks(g[i], t, tasks, 0, before[i]);
        for (size_t u = 0; u < tasks; u++)
            ck_assert_msg(before[0][u] == before[1][u], "%zu -> %zu: %g, %g", u, t, before[0][u],
                          before[1][u]);
    }
}

/* Check that times, data, bytes, links, priorities and restartability survive a DOT file. */
START_TEST(dot_round_trip_keeps_the_graph)
{
    graph_sample s;

    for (int round = 0; round < rounds(2000); round++) {
        hs_instance *back;

        graph_sample_make(&s, (uint64_t)round);
        back = through_dot(s.in);
        must_be_as_before(s.in, back);
        if (hs_instance_rows(s.in) == hs_instance_tasks(s.in))
            ck_assert_uint_eq(hs_instance_digest(back), hs_instance_digest(s.in));
        hs_instance_free(back);
        graph_sample_free(&s);
    }
}
END_TEST

/* Check that rows with counts become single rows with the edges of their barriers. */
START_TEST(dot_round_trip_expands_counts)
{
    enum { ROWS = 6 };
    dice d = {3};

    for (int round = 0; round < rounds(1000); round++) {
        hs_builder  *b = NULL;
        hs_instance *in = NULL, *back;
        hs_task      task;

        ck_assert_int_eq(hs_builder_create(&b), HS_OK);
        ck_assert_int_eq(hs_builder_set_workers(b, 2, 1), HS_OK);
        for (size_t j = 0; j < ROWS; j++) {
            hs_task_init(&task);
            task.cpu = task.gpu = 1 + dice_below(&d, 5);
            task.count = 1 + dice_below(&d, 4);
            ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
            for (size_t i = 0; i < j; i++)
                if (dice_below(&d, 3) == 0)
                    ck_assert_int_eq(hs_builder_add_predecessor(b, j, i, 0, dice_below(&d, 2) * 7),
                                     HS_OK);
        }
        ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
        hs_builder_free(b);
        back = through_dot(in);
        must_be_as_before(in, back);
        hs_instance_free(in);
        hs_instance_free(back);
    }
}
END_TEST

/* Check that names with quotes, backslashes, newlines and DOT syntax survive a DOT file. */
START_TEST(dot_round_trip_keeps_odd_names)
{
    static const char *const names[] = {"a\"b", "\\", "x\\\"", "new\nline", "\xc3\xa9", "a;b:c\\",
                                        "->",   "n0", "#",     "<b>",       " ",        "a b#2"};
    hs_builder              *b = NULL;
    hs_instance             *in = NULL, *back;
    hs_task                  task;
    size_t                   data;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 2, 1), HS_OK);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        hs_task_init(&task);
        task.id = names[i];
        task.cpu = 0.1 * (double)(i + 1);
        task.gpu = i % 3 ? 1e-300 : INFINITY;
        task.kernel = names[(i + 1) % 12];
        task.priority = i % 2 ? INT64_MIN : INT64_MAX;
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
        ck_assert_int_eq(hs_builder_add_handle(b, names[i], &data), HS_OK);
        ck_assert_int_eq(hs_builder_add_access(b, i, data, HS_WRITE), HS_OK);
        if (i > 0)
            ck_assert_int_eq(hs_builder_add_access(b, i, data - 1, HS_READ), HS_OK);
    }
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    back = through_dot(in);
    assert_equal_and_free(in, back);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dot");
    TCase *tests = tcase_create("dot");

    tcase_set_timeout(tests, 240);
    tcase_add_test(tests, dot_round_trip_keeps_the_graph);
    tcase_add_test(tests, dot_round_trip_expands_counts);
    tcase_add_test(tests, dot_round_trip_keeps_odd_names);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
