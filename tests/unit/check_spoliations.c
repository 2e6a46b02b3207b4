/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Test the titles and arrows of spoliations in a Gantt chart, and that text keeps clear of arrows.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture_sample.h"
#include "suite.h"
#include "well_formed.h"

/* Build a schedule in which gpu0 spoliates `tasks` tasks from cpu0, another task goes from cpu0 to
 * cpu1 and then to gpu0, and cpu0 runs the last task again after an abort. */
static sample sample_with_spoliations(unsigned tasks, int by_kernel)
{
    sample        made = {0};
    hs_builder   *b = NULL;
    hs_placement *placed = calloc(2 * tasks + 5, sizeof *placed);
    size_t        n = 0;
    double        at = tasks;
    uint32_t      i;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    hs_builder_set_workers(b, 2, 1);
    for (i = 0; i < tasks + 2; i++)
        ck_assert_int_eq(hs_builder_add_row(b, &(hs_task){.struct_size = sizeof(hs_task),
                                                          .kernel = by_kernel ? "k" : NULL,
                                                          .cpu = 2,
                                                          .gpu = 0.5}),
                         HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &made.in, NULL), HS_OK);
    hs_builder_free(b);
    for (i = 0; i < tasks; i++) {
        placed[n++] = (hs_placement){i, i + 0.5, i, 0, HS_ABORTED};
        placed[n++] = (hs_placement){i + 0.5, i + 1.0, i, 2, HS_RUN};
    }
    placed[n++] = (hs_placement){at, at + 1, i, 0, HS_ABORTED};
    placed[n++] = (hs_placement){at + 1, at + 2, i, 1, HS_ABORTED};
    placed[n++] = (hs_placement){at + 2, at + 2.5, i++, 2, HS_RUN};
    placed[n++] = (hs_placement){at + 1, at + 2, i, 0, HS_ABORTED};
    placed[n++] = (hs_placement){at + 2, at + 4, i, 0, HS_RUN};
    ck_assert_int_eq(hs_schedule_build(2, 1, n, placed, &made.s), HS_OK);
    free(placed);
    return made;
}

/* Check that both entries of a spoliation name the other worker in their titles, and that an
 * arrow joins them. Failed attempts and retries on the same worker are no spoliations. */
START_TEST(titles_and_arrows_name_thief_and_victim)
{
    sample             made = sample_with_spoliations(1, _i);
    hs_picture_failure failure = {.worker = 1, .task = 1, .end = 3};
    hs_picture         picture;
    size_t             length;
    char              *svg = write_text(hs_gantt_write, &made, NULL, &length);

    ck_assert(is_xml(svg, length));
    ck_assert_uint_eq(occurrences(svg, "class=\"ta\""), 3 + 1);
    ck_assert_ptr_nonnull(strstr(svg, "spoliated</text>"));
    ck_assert_uint_eq(occurrences(svg, ", aborted on cpu0, spoliated by gpu0\n0 "), 1);
    ck_assert_uint_eq(occurrences(svg, " on gpu0, spoliated from cpu0\n0.5 "), 1);
    ck_assert_uint_eq(occurrences(svg, "aborted on cpu1, spoliated from cpu0, spoliated by gpu0\n"),
                      1);
    ck_assert_uint_eq(occurrences(svg, "aborted on cpu0\n2 "), 1);
    ck_assert_uint_eq(occurrences(svg, "gpu0 took it over from cpu1, which had run it for 1 s<"),
                      1);
    free(svg);
    hs_picture_init(&picture);
    picture.failures = &failure;
    picture.failure_count = 1;
    svg = write_text(hs_gantt_write, &made, &picture, &length);
    ck_assert_uint_eq(occurrences(svg, "class=\"ta\""), 2 + 1);
    ck_assert_uint_eq(occurrences(svg, "failed on cpu1, spoliated from cpu0\n"), 1);
    ck_assert_uint_eq(occurrences(svg, "on gpu0\n3 "), 1);
    free(svg);
    picture.width = 400;
    svg = write_text(hs_gantt_write, &made, &picture, &length);
    ck_assert_uint_eq(occurrences(svg, "class=\"ta\""), 2 + 1);
    ck_assert_uint_eq(occurrences(svg, "marker-end=\"url(#tn)\""), 2 + 1);
    ck_assert_uint_eq(occurrences(svg, "<marker id=\"tn\""), 1);
    free(svg);
    free_sample(&made);
}
END_TEST

/*
 * The twenty costliest spoliations have arrows; further arrows appear while the pointer is over
 * either entry.
 */
START_TEST(twenty_arrows_at_most)
{
    sample      made = sample_with_spoliations(198, _i);
    size_t      length;
    char       *svg = write_text(hs_gantt_write, &made, NULL, &length);
    const char *first = strstr(strstr(svg, "<rect class=\"l\""), "<path class=\"ta\"");
    hs_picture  picture;

    ck_assert(is_xml(svg, length));
    ck_assert_uint_eq(occurrences(svg, "class=\"ta\""), 20 + 1);
    ck_assert_uint_eq(occurrences(svg, "class=\"ta r\""), 2 * 180);
    ck_assert_uint_eq(occurrences(svg, "<g class=\"j\"><rect class=\"jr\""), 2 * 180);
    ck_assert_uint_eq(occurrences(svg, "which had run it for 1 s<"), 2);
    ck_assert(strstr(first, "which had run it for 1 s<") <
              strstr(first, "which had run it for 0.5 s<"));
    ck_assert_ptr_nonnull(strstr(svg, ">spoliated: the 20 costliest of 200, more on hover<"));
    ck_assert_ptr_nonnull(strstr(svg, ".j:hover .r{display:inline}"));
    free(svg);
    hs_picture_init(&picture);
    picture.predicted = made.s;
    svg = write_text(hs_gantt_write, &made, &picture, &length);
    ck_assert_uint_eq(occurrences(svg, "class=\"ta\""), 20 + 1);
    ck_assert_ptr_nonnull(strstr(svg, ">spoliated: the 20 costliest of 400, more on hover<"));
    free(svg);
    picture.predicted = NULL;
    picture.width = 400;
    svg = write_text(hs_gantt_write, &made, &picture, &length);
    ck_assert_uint_eq(occurrences(svg, "class=\"ta r\""), 0);
    ck_assert_ptr_nonnull(strstr(svg, ">spoliated: the 20 costliest of 200<"));
    free(svg);
    free_sample(&made);
}
END_TEST

START_TEST(many_spoliations_stay_small)
{
    sample made = sample_with_spoliations(30000, 1);
    size_t length;
    char  *svg = write_text(hs_gantt_write, &made, NULL, &length);

    ck_assert(is_xml(svg, length));
    ck_assert_uint_le(length, 4 << 20);
    ck_assert_uint_eq(occurrences(svg, "class=\"ta\""), 20 + 1);
    ck_assert_uint_eq(occurrences(svg, "class=\"ta r\""), 2 * 1000);
    free(svg);
    free_sample(&made);
}
END_TEST

/*
 * Return a sample with bars whose names arrows would cross in the middle: t0 from 0 to 10 on cpu1,
 * t1 from 4.4 to 5.6 on cpu0; gpu0 spoliates tasks of cpu2, after 0.5, and of cpu3, after 5. With
 * `graph`, the last task waits for the task aborted on cpu2, and the critical path jumps from gpu0
 * to cpu3 at 6, the middle of t5 on cpu2.
 */
static sample sample_with_crossing_arrows(int graph)
{
    static const hs_placement placed[] = {
        {0, 10, 0, 1, HS_RUN},  {4.4, 5.6, 1, 0, HS_RUN}, {0, 0.5, 2, 2, HS_ABORTED},
        {0.5, 1, 2, 4, HS_RUN}, {0, 5, 3, 3, HS_ABORTED}, {5, 6, 3, 4, HS_RUN},
        {6, 12, 4, 3, HS_RUN},      {2, 10, 5, 2, HS_RUN},
    };
    static const char *const ids[] = {"in-the-middle", "without-room", "soon", "later", "last",
                                       "below-the-jump"};
    sample                   made = {0};
    hs_builder              *b = NULL;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    hs_builder_set_workers(b, 4, 1);
    for (unsigned i = 0; i < 6; i++)
        ck_assert_int_eq(
            hs_builder_add_row(
                b, &(hs_task){.struct_size = sizeof(hs_task), .id = ids[i], .cpu = 10, .gpu = 1}),
            HS_OK);
    if (graph)
        ck_assert_int_eq(hs_builder_add_predecessor(b, 4, 3, 0, 0), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &made.in, NULL), HS_OK);
    hs_builder_free(b);
    ck_assert_int_eq(hs_schedule_build(4, 1, sizeof placed / sizeof *placed, placed, &made.s),
                     HS_OK);
    return made;
}

/* The area of a text element, with 5 px for each character and a height of 4.5 px. */
typedef struct area {
    double left, right, top, bottom;
} area;

static area area_of(const char *text, bool is_middle)
{
    const char *word = strchr(text, '>') + 1;
    double      x, y, width = 0;
    bool        in_tag = false;

    ck_assert_int_eq(sscanf(text, "<text class=\"%*[^\"]\" x=\"%lf\" y=\"%lf\"", &x, &y), 2);
    for (; strncmp(word, "</text>", 7) != 0; word++) {
        in_tag = *word == '<' || (in_tag && *word != '>');
        width += in_tag || (*word & 0xc0) == 0x80 ? 0 : 5;
    }
    x -= is_middle ? width / 2 : 0;
    return (area){x, x + width, y - 6, y - 1.5};
}

/*
 * Return whether the line between two points meets the area, tried at many places along the line.
 */
static bool line_meets_area(area a, double x1, double y1, double x2, double y2)
{
    for (int i = 0; i <= 2000; i++) {
        double x = x1 + (x2 - x1) * i / 2000, y = y1 + (y2 - y1) * i / 2000;

        if (x >= a.left && x <= a.right && y >= a.top && y <= a.bottom)
            return true;
    }
    return false;
}

/*
 * Return the number of lines in paths of a class that meet the area; *lines is the number of all
 * lines in these paths.
 */
static unsigned count_crossings(const char *svg, const char *kind, area a, unsigned *lines)
{
    unsigned count = 0;

    *lines = 0;
    for (const char *path = svg; (path = strstr(path, kind)); path++) {
        const char *at = strstr(path, " d=\"M") + 4;
        double      x = 0, y = 0, to_x, to_y;
        char        command;
        int         read;

        for (; sscanf(at, "%c%lf %lf%n", &command, &to_x, &to_y, &read) == 3; at += read) {
            if (command == 'L') {
                ++*lines;
                count += (unsigned)line_meets_area(a, x, y, to_x, to_y);
            }
            x = to_x;
            y = to_y;
        }
    }
    return count;
}

START_TEST(arrows_cross_no_text)
{
    static const hs_named_bound bound = {"deadline", 9};
    sample                      made = sample_with_crossing_arrows(_i);
    hs_picture                  picture;
    size_t                      length;
    unsigned                    texts = 0, lines;
    char                       *svg;
    const char                 *chart;

    hs_picture_init(&picture);
    picture.bound = &bound;
    svg = write_text(hs_gantt_write, &made, &picture, &length);
    chart = strstr(svg, "<text class=\"k e\""); /* behind the legend */
    for (const char *at = chart; (at = strstr(at, "<text class=\"")); at++) {
        bool is_name = at[13] == 'n';

        if (!is_name && strncmp(at + 13, "b\"", 2) != 0)
            continue;
        ck_assert_uint_eq(
            count_crossings(chart, "<path class=\"ta\"", area_of(at, is_name), &lines), 0);
        ck_assert_uint_ge(lines, 3); /* two lines; the first line has a gap */
        ck_assert_uint_eq(count_crossings(chart, "<path class=\"f\"", area_of(at, is_name), &lines),
                          0);
        ck_assert_uint_ge(lines, _i ? 3 : 0);
        texts++;
    }
    ck_assert_uint_ge(texts, 5);
    ck_assert_ptr_nonnull(strstr(svg, ">in-the-middle</text>"));
    ck_assert_ptr_nonnull(strstr(svg, ">below-the-jump</text>"));
    ck_assert_ptr_null(strstr(svg, ">without-room</text>"));
    ck_assert_ptr_nonnull(strstr(svg, "<title>without-room "));
    free(svg);
    free_sample(&made);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("spoliations");
    TCase *tests = tcase_create("all");

    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, titles_and_arrows_name_thief_and_victim, 0, 2);
    tcase_add_loop_test(tests, twenty_arrows_at_most, 0, 2);
    tcase_add_test(tests, many_spoliations_stay_small);
    tcase_add_loop_test(tests, arrows_cross_no_text, 0, 2);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
