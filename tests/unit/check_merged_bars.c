/* SPDX-License-Identifier: BSD-3-Clause */
/* Test bars of a Gantt chart that stand for several workers or for many tasks. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture_sample.h"
#include "suite.h"
#include "well_formed.h"

/*
 * Return the chart of tasks that run one after another on each worker, with kernels k0 and k1 in
 * turn; the caller frees the text.
 */
static char *chart_in_order(unsigned cpus, unsigned gpus, unsigned tasks)
{
    hs_builder   *b = NULL;
    sample        made = {0};
    hs_placement *placed = calloc(tasks, sizeof *placed);
    size_t        length;
    char         *svg;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    hs_builder_set_workers(b, cpus, gpus);
    for (uint32_t i = 0; i < tasks; i++) {
        unsigned w = i % (cpus + gpus);
        double   at = i / (cpus + gpus);

        ck_assert_int_eq(hs_builder_add_row(b, &(hs_task){.struct_size = sizeof(hs_task),
                                                          .cpu = 1,
                                                          .gpu = 1,
                                                          .kernel = i % 4 ? "k0" : "k1"}),
                         HS_OK);
        placed[i] = (hs_placement){at, at + 1, i, w, HS_RUN};
    }
    ck_assert_int_eq(hs_builder_finish(b, &made.in, NULL), HS_OK);
    hs_builder_free(b);
    ck_assert_int_eq(hs_schedule_build(cpus, gpus, tasks, placed, &made.s), HS_OK);
    free(placed);
    svg = write_text(hs_gantt_write, &made, NULL, &length);
    ck_assert(is_xml(svg, length));
    free_sample(&made);
    return svg;
}

/*
 * If a chart has more than 100 workers, workers of a type share rows, except of a type with few
 * workers.
 */
START_TEST(many_workers_share_rows)
{
    char *svg = chart_in_order(90, 10, 100);

    ck_assert_ptr_nonnull(strstr(svg, ">cpu88</text>"));
    ck_assert_ptr_null(strstr(svg, " a row<"));
    ck_assert_ptr_null(strstr(svg, ">merged bars: "));
    ck_assert_uint_eq(occurrences(svg, "<title>t"), 100);
    free(svg);
    svg = chart_in_order(91, 10, 101);
    ck_assert_ptr_nonnull(strstr(svg, ">cpu0\xe2\x80\x93" "4</text>"));
    ck_assert_ptr_nonnull(strstr(svg, " \xc2\xb7 5 a row<"));
    ck_assert_ptr_nonnull(strstr(svg, ">merged bars: as high as the share that is busy<"));
    ck_assert_ptr_nonnull(strstr(svg, ">gpu9</text>"));
    ck_assert_uint_eq(occurrences(svg, "<title>t"), 10); /* the entries of the GPUs */
    ck_assert_uint_eq(occurrences(svg, "<g><title>cpu"), 19);
    /* expected bar of cpu0 to cpu4: t0 and t4 are of kernel k1, the other three of k0, which is
     * drawn at the bottom */
    ck_assert_ptr_nonnull(strstr(svg, ": 5 tasks begin, 100\xe2\x80\xaf% busy\n"));
    ck_assert_ptr_nonnull(strstr(svg, "60.0\xe2\x80\xaf% k0, 40.0\xe2\x80\xaf% k1</title>"));
    free(svg);
    svg = chart_in_order(101, 0, 101); /* a type without workers has no rows */
    ck_assert_uint_eq(occurrences(svg, "<g><title>cpu"), 17);
    free(svg);
}
END_TEST

/* Return the height of the first part of a class after position `from`. */
static double part_height(const char *from, const char *class)
{
    double      x, y, width, height;
    const char *part = strstr(from, class);

    ck_assert_ptr_nonnull(part);
    ck_assert_int_eq(sscanf(strstr(part, "d="), "d=\"M%lf %lfh%lfv%lf", &x, &y, &width, &height), 4);
    return height;
}

/*
 * In a chart of more than 5000 tasks, short tasks are drawn in slices that show the share of each
 * kernel.
 */
START_TEST(many_tasks_are_drawn_in_slices)
{
    char       *svg = chart_in_order(5, 5, 5000), *pile;
    const char *class[2] = {"\"c0\"", "\"c1\""};

    ck_assert_uint_eq(occurrences(svg, "<title>t"), 5000);
    free(svg);
    svg = chart_in_order(5, 5, 5010);
    ck_assert_uint_eq(occurrences(svg, "<title>t"), 0);
    ck_assert_ptr_nonnull(strstr(svg, ">merged bars: as high as the share that is busy<"));
    pile = strstr(svg, " tasks on cpu0\n");
    ck_assert_ptr_nonnull(pile);
    ck_assert_ptr_nonnull(strstr(pile, "50.0\xe2\x80\xaf% k0, 50.0\xe2\x80\xaf% k1</title>"));
    pile = strstr(pile, "50.0\xe2\x80\xaf% k0, 50.0");
    ck_assert_double_eq_tol(part_height(pile, class[0]), part_height(pile, class[1]), 0.02);
    ck_assert_double_ge(part_height(pile, class[0]), 9.9);
    free(svg);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("merged bars");
    TCase *tests = tcase_create("all");

    tcase_add_test(tests, many_workers_share_rows);
    tcase_add_test(tests, many_tasks_are_drawn_in_slices);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
