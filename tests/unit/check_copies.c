/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Copies of data in pictures. A Gantt chart shows a copy in the row of its destination memory; a
 * trace shows each copy on a thread without overlaps. The tests draw few and many copies, and data
 * names with special characters.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture_sample.h"
#include "suite.h"
#include "support/random.h"
#include "unit/well_formed.h"

enum { CPUS = 3, NAMES = 6 };

static const char *const names[NAMES] = {
    "A-0-0", "<b>&\"x\"", "]]>", "\xe6\x97\xa5\xe6\x9c\xac", "back\\slash\"", "-->"};

/* Return a sample with one task per GPU. Task i runs on GPU i from i to i + 1 and changes the data
 * names[i % NAMES]. */
static sample make_sample_of_gpus(unsigned gpus)
{
    sample       made = {0};
    hs_builder  *b = NULL;
    hs_placement placed[400];

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    hs_builder_set_workers(b, CPUS, gpus);
    hs_builder_set_unit(b, HS_MILLISECONDS);
    for (size_t i = 0; i < gpus; i++) {
        const hs_task task = {.struct_size = sizeof task, .cpu = 2, .gpu = 1};
        size_t        data;

        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
        ck_assert_int_eq(hs_builder_add_handle(b, names[i % NAMES], &data), HS_OK);
        ck_assert_int_eq(hs_builder_add_access(b, i, data, HS_READ_WRITE), HS_OK);
        placed[i] =
            (hs_placement){(double)i, (double)i + 1, (uint32_t)i, CPUS + (unsigned)i, HS_RUN};
    }
    ck_assert_int_eq(hs_builder_finish(b, &made.in, NULL), HS_OK);
    hs_builder_free(b);
    made.runs = gpus;
    ck_assert_int_eq(hs_schedule_build(CPUS, gpus, gpus, placed, &made.s), HS_OK);
    return made;
}

static int compare_copies(const void *a, const void *b)
{
    const hs_transfer *x = a, *y = b;

    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* Return `count` random copies, sorted by destination and start; the caller frees the list. The
 * copies start during the schedule or shortly after; some copies have zero length, some have
 * unnamed data. */
static hs_transfer *some_copies(unsigned gpus, size_t count, double length)
{
    hs_transfer *list = calloc(count + 1, sizeof *list);
    hsi_random   random;

    hsi_random_seed(&random, gpus, count);
    for (size_t i = 0; i < count; i++) {
        hs_transfer *t = &list[i];
        size_t       data = hsi_random_below(&random, NAMES + 1);

        t->to = (uint32_t)hsi_random_below(&random, gpus + 1);
        t->from = (t->to + 1 + (uint32_t)hsi_random_below(&random, gpus)) % (gpus + 1);
        t->start = 1.01 * gpus * hsi_random_unit(&random);
        t->end = t->start + (i % 7 ? length * hsi_random_unit(&random) : 0);
        t->bytes = i % 5 ? 1e9 * hsi_random_unit(&random) : 0;
        t->data = data < NAMES && data < gpus ? (uint32_t)data : UINT32_MAX;
    }
    qsort(list, count, sizeof *list, compare_copies);
    return list;
}

static hs_picture picture_of(const hs_transfer *list, size_t count)
{
    hs_picture picture;

    hs_picture_init(&picture);
    picture.transfers = list;
    picture.transfer_count = count;
    return picture;
}

static double number_after(const char *at, const char *key)
{
    return strtod(strstr(at, key) + strlen(key), NULL);
}

/* Return the y coordinate of the label of the row `name`. */
static double row_of(const char *svg, const char *name)
{
    char        label[64];
    const char *end;

    snprintf(label, sizeof label, ">\xe2\x86\x92 %s</text>", name);
    end = strstr(svg, label);
    ck_assert_msg(end != NULL, "no row %s", name);
    while (strncmp(end, "<text", 5) != 0)
        end--;
    return number_after(end, " y=\"");
}

/* Draw few copies, far apart. Each copy has a rectangle of its length, with a title, in the row of
 * its destination. */
START_TEST(each_copy_is_drawn)
{
    sample      made = make_sample_of_gpus(3);
    hs_transfer list[] = {{0.5, 0.75, 1234567, 0, 2, 0},
                          {2.5, 3.5, 8, UINT32_MAX, 3, 0},
                          {0, 0.25, 999.6, 1, 0, 1},
                          {1, 1.5, 2, 2, 3, 2}};
    hs_picture  picture = picture_of(list, 4);
    size_t      length;
    char       *svg = write_text(hs_gantt_write, &made, &picture, &length);
    const char *rows[] = {"host", "host", "gpu0", "gpu1"};
    const char *titles[] = {
        "A-0-0: copy from gpu1 to host, 1.23 MB\n0.5 \xe2\x80\x93 0.75 ms: 0.25 ms",
        "data: copy from gpu2 to host, 8 B",
        "&lt;b&gt;&amp;&quot;x&quot;: copy from host to gpu0, 1 kB",
        "]]&gt;: copy from gpu2 to gpu1, 2 B"};
    const char *at = svg;
    double      unit = 0;

    ck_assert(is_xml(svg, length));
    ck_assert_ptr_nonnull(strstr(svg, "copy of data</text>"));
    ck_assert_ptr_nonnull(strstr(svg, ">2 to GPUs, 1 kB \xc2\xb7 2 to the host, 1.23 MB<"));
    at = strstr(at, "\"tc\"") + 1; /* skip the rectangle of the legend */
    for (int i = 0; i < 4; i++) {
        const char *end;

        at = strstr(at, "\"tc\"");
        ck_assert_ptr_nonnull(at);
        end = strstr(at, "</title>");
        ck_assert_double_eq_tol(number_after(at, " y=\""), row_of(svg, rows[i]) - 10, 0.01);
        unit = i == 0 ? number_after(at, " width=\"") / 0.25 : unit;
        ck_assert_double_eq_tol(number_after(at, " width=\""), unit * (list[i].end - list[i].start),
                                0.02 * unit);
        ck_assert_msg(strstr(at, titles[i]) && strstr(at, titles[i]) < end, "%d: %.200s", i, at);
        at++;
    }
    ck_assert_ptr_null(strstr(at, "\"tc\""));
    at = strstr(svg, "<rect class=\"l\" x=\"73"); /* the row of copies, which ends with the last
                                                     copy, at 3.5 */
    ck_assert_ptr_nonnull(at);
    ck_assert_double_eq_tol(unit * 3.5, number_after(at, " width=\""), 1);
    free(svg);
    picture.width = 400;
    svg = write_text(hs_gantt_write, &made, &picture, &length);
    ck_assert(is_xml(svg, length));
    ck_assert_uint_eq(occurrences(svg, "class=\"tc\""), 5);
    ck_assert_ptr_nonnull(strstr(svg, "<title>"));
    free(svg);
    free_sample(&made);
}
END_TEST

/* Tens of thousands of copies share rectangles: the file stays small and is well-formed XML. */
START_TEST(many_copies_share_rectangles)
{
    static const unsigned gpus[] = {1, 2, 9, 60, 300};

    for (size_t k = 0; k < sizeof gpus / sizeof *gpus; k++) {
        sample       made = make_sample_of_gpus(gpus[k]);
        hs_transfer *list = some_copies(gpus[k], 30000, 0.1);
        hs_picture   picture = picture_of(list, 30000);
        size_t       length;
        char        *svg;

        picture.title = "]]> & <copies>";
        svg = write_text(hs_gantt_write, &made, &picture, &length);
        ck_assert(is_xml(svg, length));
        ck_assert_uint_gt(occurrences(svg, "class=\"tc\""), 100);
        ck_assert_uint_le(occurrences(svg, "class=\"tc\""), 8001);
        ck_assert_uint_le(occurrences(svg, ">\xe2\x86\x92 "), 40);
        free(svg);
        free(list);
        free_sample(&made);
    }
}
END_TEST

/* A trace has one bar per copy, and bars of one thread do not overlap: free_at holds, by thread,
 * the end of the last bar in microseconds. */
START_TEST(no_copy_is_lost_in_a_trace)
{
    enum { COPIES = 400, THREADS = 1000 };
    static const unsigned gpus[] = {1, 4, 50};

    for (size_t k = 0; k < 3; k++) {
        sample       made = make_sample_of_gpus(gpus[k]);
        hs_transfer *list = some_copies(gpus[k], COPIES, 3);
        hs_picture   picture = picture_of(list, COPIES);
        double       free_at[THREADS] = {0};
        size_t       length, bars = 0;
        char        *text;

        picture.predicted = made.s;
        text = write_text(hs_trace_write, &made, &picture, &length);
        ck_assert(is_json(text, length));
        ck_assert_ptr_nonnull(strstr(text, "{\"name\":\"copies\"}"));
        ck_assert_ptr_nonnull(strstr(text, "{\"name\":\"to host\"}"));
        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
            double start, tid;

            if (!strstr(line, "\"cat\":\"copy\""))
                continue;
            start = number_after(line, "\"ts\":");
            tid = number_after(line, "\"tid\":");
            ck_assert(tid > CPUS + gpus[k] && tid < THREADS);
            ck_assert(number_after(line, "\"pid\":") == CPUS + gpus[k] + 1);
            ck_assert_double_ge(start, free_at[(int)tid]);
            free_at[(int)tid] = start + number_after(line, "\"dur\":") - 1e-9;
            bars++;
        }
        ck_assert_uint_eq(bars, COPIES);
        free(text);
        free(list);
        free_sample(&made);
    }
}
END_TEST

static hs_status status_of_copies(const sample *made, hs_transfer first, hs_transfer second)
{
    hs_transfer list[] = {first, second};
    hs_picture  picture = picture_of(list, 2);
    hs_status   status = hs_gantt_write(-1, made->in, made->s, &picture, NULL);

    ck_assert_int_eq(hs_trace_write(-1, made->in, made->s, &picture, NULL), status);
    return status;
}

START_TEST(invalid_copies_are_refused)
{
    const hs_transfer good = {1, 2, 8, 0, 0, 1},
                      bad[] = {{1, 2, 8, 0, 1, 1},  {1, 2, 8, 0, 0, 3},   {1, 2, 8, 0, 3, 1},
                               {2, 1, 8, 0, 0, 1},  {-1, 2, 8, 0, 0, 1},  {1, INFINITY, 8, 0, 0, 1},
                               {1, 2, -8, 0, 0, 1}, {1, 2, NAN, 0, 0, 1}, {NAN, 2, 8, 0, 0, 1},
                               {1, 2, 8, 9, 0, 1}};
    sample made = make_sample_of_gpus(2);

    ck_assert_int_eq(status_of_copies(&made, good, good),
                     HS_EIO); /* the copies are valid: only writing to descriptor -1 fails */
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_int_eq(status_of_copies(&made, good, bad[i]), HS_ESCHEDULE);
    ck_assert_int_eq(status_of_copies(&made, good, (hs_transfer){0, 2, 8, 0, 0, 1}), HS_EINVAL);
    ck_assert_int_eq(status_of_copies(&made, good, (hs_transfer){1, 2, 8, 0, 1, 0}), HS_EINVAL);
    free_sample(&made);
}
END_TEST

/* Return an instance of two tasks for the GPU, the second after the first. With `reads`, the second
 * task reads data from the host; the copy takes 2 ms. */
static hs_instance *two_in_a_row(bool reads)
{
    const hs_task task = {.struct_size = sizeof task, .cpu = INFINITY, .gpu = 1};
    hs_builder   *b = NULL;
    hs_instance  *in = NULL;
    size_t        data;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    hs_builder_set_workers(b, CPUS, 1);
    hs_builder_set_unit(b, HS_MILLISECONDS);
    hs_builder_set_link(b, HS_H2D, 1, 1e6);
    hs_builder_set_link(b, HS_D2H, 1, 1e6);
    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    ck_assert_int_eq(hs_builder_add_predecessor(b, 1, 0, 0, 0), HS_OK);
    if (reads) {
        ck_assert_int_eq(hs_builder_add_handle(b, "X", &data), HS_OK);
        ck_assert_int_eq(hs_builder_set_handle_bytes(b, data, 1000), HS_OK);
        ck_assert_int_eq(hs_builder_add_access(b, 1, data, HS_READ), HS_OK);
    }
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

static hs_schedule *with_transfers(const hs_instance *in, const char *algorithm)
{
    hs_schedule *s = NULL;
    hs_settings  settings;
    size_t       count;

    ck_assert_int_eq(hs_solve(hs_algorithm_find(algorithm), in, NULL, &s), HS_OK);
    ck_assert_ptr_null(hs_schedule_transfers(s, &count)); /* settings.transfers is 0 */
    ck_assert_uint_eq(count, 0);
    hs_schedule_free(s);
    hs_settings_init(&settings);
    settings.transfers = 1;
    ck_assert_int_eq(hs_solve(hs_algorithm_find(algorithm), in, &settings, &s), HS_OK);
    return s;
}

static void require_one(const hs_schedule *s, double start)
{
    size_t             count;
    const hs_transfer *t = hs_schedule_transfers(s, &count);

    ck_assert_uint_eq(count, 1);
    ck_assert(t->start == start && t->end == start + 2 && t->bytes == 1000);
    ck_assert(t->data == 0 && t->from == 0 && t->to == 1);
}

/* Check the width of the rows of the first schedule's copies against its makespan. The rows of the
 * last schedule's copies are as wide as the page and stand for 4 ms. */
static void require_row(const char *svg, double makespan)
{
    const char *first = strstr(strstr(svg, ">copies of data<"), "class=\"l\"");
    const char *last = strstr(strstr(strstr(first, ">copies of data<"), "class=\"l\""), " width");

    ck_assert_double_eq_tol(number_after(first, " width=\""),
                            number_after(last, " width=\"") * makespan / 4, 0.1);
}

/* HEFT plans the copy at time 0; HeteroPrio decides at run time, so the copy starts after the first
 * task, at 1 ms. A picture of both schedules shows both copies. */
START_TEST(planned_copies_are_drawn)
{
    hs_instance *in = two_in_a_row(true);
    hs_schedule *ahead = with_transfers(in, "heft"), *live = with_transfers(in, "heteroprio");
    sample       made = {.in = in, .s = live};
    hs_picture   picture = picture_of(NULL, 0);
    size_t       length;
    char        *text;
    const char  *processes[] = {
         "\"pid\":5,\"tid\":5,\"name\":\"process_name\",\"args\":{\"name\":\"copies\"}",
         "\"pid\":6,\"tid\":6,\"name\":\"process_name\",\"args\":{\"name\":\"predicted CPUs\"}",
         ("\"pid\":10,\"tid\":10,\"name\":\"process_name\",\"args\":{\"name\":\"predicted "
          "copies\"}")};

    require_one(ahead, 0);
    require_one(live, 1);
    ck_assert(hs_schedule_makespan(ahead) == 3 && hs_schedule_makespan(live) == 4);
    text = write_text(hs_gantt_write, &made, &picture, &length);
    ck_assert_uint_eq(occurrences(text, ">copies of data<"), 1);
    ck_assert_ptr_nonnull(strstr(text, "X: copy from host to gpu0, 1 kB\n1 \xe2\x80\x93 3 ms"));
    free(text);
    picture.predicted = ahead;
    text = write_text(hs_gantt_write, &made, &picture, &length);
    ck_assert(is_xml(text, length));
    ck_assert_uint_eq(occurrences(text, ">copies of data<"), 2);
    ck_assert_ptr_nonnull(strstr(text, "X: copy from host to gpu0, 1 kB\n0 \xe2\x80\x93 2 ms"));
    require_row(text, 3);
    ck_assert_ptr_nonnull(strstr(text, "X: copy from host to gpu0, 1 kB\n1 \xe2\x80\x93 3 ms"));
    free(text);
    text = write_text(hs_trace_write, &made, &picture, &length);
    ck_assert(is_json(text, length));
    ck_assert_uint_eq(occurrences(text, "\"cat\":\"copy\""), 2);
    for (size_t i = 0; i < sizeof processes / sizeof *processes; i++)
        ck_assert_msg(strstr(text, processes[i]) != NULL, "no %s", processes[i]);
    free(text);
    hs_schedule_free(ahead);
    hs_schedule_free(live);
    hs_instance_free(in);
}
END_TEST

/* Refuse to draw a schedule with copies of data missing in the instance. */
START_TEST(copies_of_unknown_data_are_refused)
{
    hs_instance *in = two_in_a_row(true), *other = two_in_a_row(false);
    hs_schedule *live = with_transfers(in, "heteroprio");
    hs_picture   picture = picture_of(NULL, 0);

    ck_assert_int_eq(hs_gantt_write(-1, in, live, NULL, NULL), HS_EIO); /* valid; fd -1 fails */
    ck_assert_int_eq(hs_gantt_write(-1, other, live, NULL, NULL), HS_ESCHEDULE);
    picture.predicted = live;
    ck_assert_int_eq(hs_gantt_write(-1, other, live, &picture, NULL), HS_ESCHEDULE);
    hs_schedule_free(live);
    hs_instance_free(in);
    hs_instance_free(other);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("copies");
    TCase *cases = tcase_create("pictures");

    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, each_copy_is_drawn);
    tcase_add_test(cases, many_copies_share_rectangles);
    tcase_add_test(cases, no_copy_is_lost_in_a_trace);
    tcase_add_test(cases, invalid_copies_are_refused);
    tcase_add_test(cases, planned_copies_are_drawn);
    tcase_add_test(cases, copies_of_unknown_data_are_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
