/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Test that a trace has an event for each entry, and that viewers neither lose nor misplace an
 * event.
 */

#include <check.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "picture_sample.h"
#include "suite.h"
#include "unit/well_formed.h"

/* An event, parsed from a line of the trace. */
typedef struct event {
    char   phase;
    double ts, dur;
    long   pid, tid, id;
    bool   aborted;
} event;

static double number_after(const char *line, const char *key)
{
    const char *at = strstr(line, key);

    return at ? strtod(at + strlen(key), NULL) : NAN;
}

static event *read_events(char *text, size_t *count)
{
    event *events = calloc(occurrences(text, "\n") + 1, sizeof *events);

    *count = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (strncmp(line, "{\"ph\":\"", 7) != 0)
            continue;
        events[(*count)++] = (event){
            .phase = line[7],
            .ts = number_after(line, ",\"ts\":"),
            .dur = number_after(line, ",\"dur\":"),
            .pid = (long)number_after(line, ",\"pid\":"),
            .tid = (long)number_after(line, ",\"tid\":"),
            .id = line[7] == 's' || line[7] == 'f' ? (long)number_after(line, ",\"id\":") : 0,
            .aborted = strstr(line, "\"cat\":\"aborted\"") != NULL,
        };
    }
    return events;
}

static size_t count_phase(const event *events, size_t count, char phase)
{
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        n += events[i].phase == phase;
    return n;
}

/* Convert microseconds to nanoseconds like viewers: rounded to nearest, or truncated if `cut`. */
static double microseconds_to_ns(double us, int cut)
{
    return cut ? floor(us * 1000) : round(us * 1000);
}

static void check_thread(const event *e, const plan *p)
{
    ck_assert_int_ge(e->tid, 1);
    ck_assert_int_le(e->tid, p->cpus + p->gpus);
    ck_assert_int_eq(e->pid, e->tid <= (long)p->cpus ? 1 : (long)p->cpus + 1);
}

START_TEST(trace_has_an_event_for_each_entry)
{
    const plan *p = &plans[_i];
    sample      made = make_sample(p);
    size_t      length, count;
    char       *text = write_text(hs_trace_write, &made, NULL, &length);
    event      *events = read_events(text, &count);

    ck_assert_uint_eq(count_phase(events, count, 'X'), made.runs + made.aborted);
    ck_assert_uint_eq(count_phase(events, count, 's'), made.aborted);
    ck_assert_uint_eq(count_phase(events, count, 'f'), made.aborted);
    ck_assert_uint_eq(count_phase(events, count, 'M'),
                      2 * (p->cpus + p->gpus + (p->cpus > 0) + (p->gpus > 0)));
    for (size_t i = 0; i < count; i++) {
        check_thread(&events[i], p);
        ck_assert(events[i].ts >= 0 && events[i].ts <= DBL_MAX);
    }
    free(events);
    free(text);
    free_sample(&made);
}
END_TEST

/* A prediction has its own processes, threads and arrows. */
START_TEST(predicted_and_actual_traces_are_separate)
{
    const plan *p = &plans[_i];
    long        workers = (long)(p->cpus + p->gpus);
    sample      made = make_sample(p);
    hs_picture  picture;
    size_t      length, count;
    char       *text;
    event      *events;

    hs_picture_init(&picture);
    picture.predicted = made.s;
    text = write_text(hs_trace_write, &made, &picture, &length);
    events = read_events(text, &count);
    ck_assert_uint_eq(count_phase(events, count, 'X'), 2 * (made.runs + made.aborted));
    ck_assert_uint_eq(count_phase(events, count, 's'), 2 * made.aborted);
    for (size_t i = 0; i < count; i++) {
        const event *e = &events[i];
        bool         second = i >= count / 2;

        ck_assert_int_eq(e->tid > workers, second);
        ck_assert_int_eq(e->pid > workers, second);
        ck_assert(e->pid <= e->tid);
        if (e->phase == 's' || e->phase == 'f')
            ck_assert_int_eq(e->id > (long)made.aborted, second);
    }
    free(events);
    free(text);
    free_sample(&made);
}
END_TEST

/* Viewers lose an event that begins before the previous event of its worker ends. */
START_TEST(trace_events_do_not_overlap)
{
    sample made = make_sample(&plans[_i]);
    size_t length, count;
    char  *text = write_text(hs_trace_write, &made, NULL, &length);
    event *events = read_events(text, &count);

    for (int cut = 0; cut < 2; cut++)
        for (size_t i = 0; i + 1 < count; i++) {
            const event *e = &events[i], *next = &events[i + 1];

            if (next->phase == 's' && i + 2 < count)
                next++;
            if (e->phase == 'X' && next->phase == 'X' && next->tid == e->tid)
                ck_assert(microseconds_to_ns(e->ts, cut) + microseconds_to_ns(e->dur, cut) <=
                          microseconds_to_ns(next->ts, cut));
        }
    free(events);
    free(text);
    free_sample(&made);
}
END_TEST

START_TEST(trace_arrows_start_inside_aborted_attempts)
{
    sample made = make_sample(&plans[_i]);
    size_t length, count;
    char  *text = write_text(hs_trace_write, &made, NULL, &length);
    event *events = read_events(text, &count);
    event **start = calloc(count, sizeof *start); /* start of each arrow, by its id */

    ck_assert(start != NULL);
    for (size_t i = 0; i < count; i++) {
        event *e = &events[i];
        bool   right = e->id >= 0 && e->id < (long)count;

        if (e->phase == 's' && right) {
            right = e[-1].phase == 'X' && e[-1].aborted && e[-1].tid == e->tid &&
                    e->ts >= e[-1].ts && e->ts <= e[-1].ts + e[-1].dur && !start[e->id];
            start[e->id] = e;
        } else if (e->phase == 'f' && right) {
            right = start[e->id] && start[e->id]->ts <= e->ts;
        }
        if (!right)
            ck_abort_msg("event %zu", i);
    }
    free(start);
    free(events);
    free(text);
    free_sample(&made);
}
END_TEST

START_TEST(trace_converts_the_unit)
{
    static const double scale[] = {1e6, 1e3, 1, 1e-3};

    for (int unit = HS_SECONDS; unit <= HS_NANOSECONDS; unit++) {
        plan   p = {.cpus = 1, .tasks = 1, .unit_time = 1000, .unit = (hs_unit)unit};
        sample made = make_sample(&p);
        size_t length, count;
        char  *text = write_text(hs_trace_write, &made, NULL, &length);
        event *events = read_events(text, &count);
        event *run = events;

        while (run->phase != 'X' && run < events + count - 1)
            run++;
        ck_assert_int_eq(run->phase, 'X');
        ck_assert(run->ts == 0);
        ck_assert_double_eq_tol(run->dur, hs_schedule_makespan(made.s) * scale[unit], 0.0021);
        free(events);
        free(text);
        free_sample(&made);
    }
}
END_TEST

/*
 * Return an instance for one CPU and two GPUs whose tasks take 10 on both types and have commands.
 */
static hs_instance *make_tasks(size_t count)
{
    const hs_task task = {.struct_size = sizeof task,
                          .cpu = 10,
                          .gpu = 10,
                          .cpu_command = "run \"it\" on a CPU",
                          .gpu_command = "run it on a GPU"};
    hs_builder   *b = NULL;
    hs_instance  *in = NULL;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 1, 2), HS_OK);
    ck_assert_int_eq(hs_builder_set_unit(b, HS_MICROSECONDS), HS_OK);
    for (size_t i = 0; i < count; i++)
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

/* Aborted attempts do not count as utilisation; changes at the same time are one event. */
START_TEST(trace_counts_ready_and_running_tasks)
{
    const hs_placement placed[] = {{0, 10, 0, 0, HS_RUN},
                                   {2, 7, 1, 1, HS_ABORTED},
                                   {10, 20, 1, 0, HS_RUN},
                                   {5, 15, 2, 2, HS_RUN},
                                   {15, 25, 3, 2, HS_RUN}};
    static const char *const expected[] = {
        "{\"ph\":\"C\",\"ts\":0,\"pid\":1,\"tid\":1,\"name\":\"tasks\",\"args\":{\"ready\":3}}",
        "{\"ph\":\"C\",\"ts\":2,\"pid\":1,\"tid\":1,\"name\":\"tasks\",\"args\":{\"ready\":2}}",
        "{\"ph\":\"C\",\"ts\":5,\"pid\":1,\"tid\":1,\"name\":\"tasks\",\"args\":{\"ready\":1}}",
        "{\"ph\":\"C\",\"ts\":7,\"pid\":1,\"tid\":1,\"name\":\"tasks\",\"args\":{\"ready\":2}}",
        "{\"ph\":\"C\",\"ts\":10,\"pid\":1,\"tid\":1,\"name\":\"tasks\",\"args\":{\"ready\":1}}",
        "{\"ph\":\"C\",\"ts\":15,\"pid\":1,\"tid\":1,\"name\":\"tasks\",\"args\":{\"ready\":0}}",
        "{\"ph\":\"C\",\"ts\":0,\"pid\":1,\"tid\":1,\"name\":\"utilisation\",\"args\":{\"percent\":100}}",
        "{\"ph\":\"C\",\"ts\":20,\"pid\":1,\"tid\":1,\"name\":\"utilisation\",\"args\":{\"percent\":0}}",
        "{\"ph\":\"C\",\"ts\":0,\"pid\":2,\"tid\":2,\"name\":\"utilisation\",\"args\":{\"percent\":0}}",
        "{\"ph\":\"C\",\"ts\":5,\"pid\":2,\"tid\":2,\"name\":\"utilisation\",\"args\":{\"percent\":50}}",
        "{\"ph\":\"C\",\"ts\":25,\"pid\":2,\"tid\":2,\"name\":\"utilisation\",\"args\":{\"percent\":0}}"};
    sample made = {.in = make_tasks(4)};
    size_t length, count = sizeof expected / sizeof *expected;
    char  *text;

    ck_assert_int_eq(hs_schedule_build(1, 2, 5, placed, &made.s), HS_OK);
    text = write_text(hs_trace_write, &made, NULL, &length);
    ck_assert(is_json(text, length));
    ck_assert_uint_eq(occurrences(text, "{\"ph\":\"C\""), count);
    for (size_t i = 0; i < count; i++)
        if (!strstr(text, expected[i]))
            ck_abort_msg("no event %s", expected[i]);
    ck_assert_uint_eq(occurrences(text, ",\"command\":\"run \\\"it\\\" on a CPU\""), 2);
    ck_assert_uint_eq(occurrences(text, ",\"command\":\"run it on a GPU\""), 3);
    ck_assert_ptr_nonnull(strstr(text,
                                 "\"tid\":1,\"cat\":\"run\",\"name\":\"t0\",\"args\":{\"task\":"
                                       "\"t0\",\"command\":\"run \\\"it\\\" on a CPU\""));
    free(text);
    free_sample(&made);
}
END_TEST

/* A counter has at most ten thousand events, and the last change is among them. */
START_TEST(trace_counters_are_thinned_out)
{
    enum { TASKS = 30000 };
    hs_placement *placed = calloc(TASKS, sizeof *placed);
    sample        made = {.in = make_tasks(TASKS)};
    size_t        length;
    char         *text;

    for (uint32_t i = 0; i < TASKS; i++)
        placed[i] = (hs_placement){11.0 * i, 11.0 * i + 10, i, 0, HS_RUN};
    ck_assert_int_eq(hs_schedule_build(1, 2, TASKS, placed, &made.s), HS_OK);
    text = write_text(hs_trace_write, &made, NULL, &length);
    ck_assert_uint_ge(occurrences(text, ",\"name\":\"tasks\",\"args\""), 9999);
    ck_assert_uint_le(occurrences(text, ",\"name\":\"tasks\",\"args\""), 10001);
    ck_assert_uint_le(occurrences(text, ",\"name\":\"utilisation\",\"args\""), 10002);
    ck_assert_uint_eq(occurrences(text, "\"args\":{\"ready\":0}}"), 1);
    free(text);
    free(placed);
    free_sample(&made);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trace");
    TCase *tests = tcase_create("all");

    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, trace_has_an_event_for_each_entry, 0, PLANS);
    tcase_add_loop_test(tests, predicted_and_actual_traces_are_separate, 0, PLANS);
    tcase_add_loop_test(tests, trace_events_do_not_overlap, 0, PLANS);
    tcase_add_loop_test(tests, trace_arrows_start_inside_aborted_attempts, 0, PLANS);
    tcase_add_test(tests, trace_converts_the_unit);
    tcase_add_test(tests, trace_counts_ready_and_running_tasks);
    tcase_add_test(tests, trace_counters_are_thinned_out);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
