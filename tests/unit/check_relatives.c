/* SPDX-License-Identifier: BSD-3-Clause */

/* The ancestors and descendants of each task, in graphs whose sets take several words. */

#include <check.h>
#include <string.h>

#include <hybridsched/instance.h>

#include "core/graph/relatives.h"
#include "property/dice.h"
#include "rounds.h"
#include "suite.h"

enum { TASKS = 150 };

/* A graph with random edges to later tasks, few enough that many tasks are not related. */
static hs_instance *draw_graph(dice *d, char below[TASKS][TASKS])
{
    hs_builder   *builder;
    hs_instance  *in = NULL;
    const hs_task row = {.struct_size = sizeof row, .cpu = 1, .gpu = 1};

    memset(below, 0, TASKS * sizeof *below);
    ck_assert_int_eq(hs_builder_create(&builder), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(builder, 2, 1), HS_OK);
    for (int task = 0; task < TASKS; task++)
        ck_assert_int_eq(hs_builder_add_row(builder, &row), HS_OK);
    for (size_t to = 1; to < TASKS; to++)
        if (dice_below(d, 4) > 0) {
            size_t from = dice_below(d, (unsigned)to);

            ck_assert_int_eq(hs_builder_add_predecessor(builder, to, from, 0, 0), HS_OK);
            below[from][to] = 1;
        }
    ck_assert_int_eq(hs_builder_finish(builder, &in, NULL), HS_OK);
    hs_builder_free(builder);
    return in;
}

/* Add each path: tasks are in topological order. */
static void close_paths(char below[TASKS][TASKS])
{
    for (int by = 0; by < TASKS; by++)
        for (int from = 0; from < by; from++)
            for (int to = by + 1; to < TASKS; to++)
                below[from][to] |= below[from][by] & below[by][to];
}

START_TEST(relatives_are_the_ends_of_all_paths)
{
    static char   below[TASKS][TASKS];
    dice          d = {(uint64_t)_i + 1};
    hs_instance  *in = draw_graph(&d, below);
    hsi_problem   pb;
    hsi_arcs      arcs;
    hsi_arena     arena = {0};
    hsi_relatives found;

    close_paths(below);
    ck_assert_int_eq(hsi_problem_of_tasks(in, NULL, &pb), HS_OK);
    ck_assert_int_eq(hsi_arcs_open(&pb, &arcs), HS_OK);
    ck_assert_int_eq(hsi_relatives_find(&arcs, &arena, &found), HS_OK);
    ck_assert_uint_gt(found.words, 2);
    for (uint32_t a = 0; a < TASKS; a++)
        for (uint32_t b = 0; b < TASKS; b++) {
            ck_assert_int_eq(hsi_set_has(found.ancestors + b * found.words, a), below[a][b]);
            ck_assert_int_eq(hsi_set_has(found.descendants + a * found.words, b), below[a][b]);
        }
    hsi_arena_close(&arena);
    hsi_arcs_close(&arcs);
    hsi_problem_close(&pb);
    hs_instance_free(in);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("relatives");
    TCase *tests = tcase_create("relatives");

    tcase_add_loop_test(tests, relatives_are_the_ends_of_all_paths, 0, rounds(20));
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
