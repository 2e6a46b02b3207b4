/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pictures of graphs: the critical path of a run equals its literal definition; each task has
 * arrows from every predecessor and to every successor, in the chart and in the trace; beyond a
 * limit the arrows are left out.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph_sample.h"
#include "picture/task_runs.h"
#include "suite.h"
#include "unit/picture_sample.h"
#include "unit/well_formed.h"

size_t rounds_scaled(size_t usual); /* declared here because the `sample` of sample.h is another
                                       type */

static const char *const algorithms[] = {"heteroprio", "dualhp", "heft", "mct", "dynamic"};

enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms };

static hs_schedule *solve_graph(const graph_sample *s)
{
    hs_schedule *shown = NULL;
    hs_status    st =
        hs_solve(hs_algorithm_find(algorithms[s->seed % ALGORITHMS]), s->in, NULL, &shown);

    GRAPH_REQUIRE(s, st == HS_OK, "%s", hs_status_text(st));
    return shown;
}

static const hs_entry *entry_at(const hs_schedule *shown, hsi_path_step at)
{
    size_t count;

    return hs_schedule_entries(shown, at.worker, &count) + at.entry;
}

/* Return the entry in which the task ran and set *worker; NULL: not run. */
static const hs_entry *run_of(const hs_schedule *shown, size_t task, unsigned *worker)
{
    unsigned workers = hs_schedule_cpus(shown) + hs_schedule_gpus(shown);

    for (*worker = 0; *worker < workers; ++*worker) {
        size_t          count;
        const hs_entry *e = hs_schedule_entries(shown, *worker, &count);

        for (size_t i = 0; i < count; i++)
            if (e[i].task == task && e[i].state == HS_RUN)
                return &e[i];
    }
    return NULL;
}

/* Return the time at which the output of `from` for `to` has arrived at a worker. */
static double arrival_of_input(const graph_sample *s, const hs_schedule *shown, size_t from,
                               size_t to, unsigned worker)
{
    unsigned        there;
    const hs_entry *run = run_of(shown, from, &there);
    double          bytes = s->bytes[from][to];

    for (size_t d = 0; d < s->data; d++)
        if (s->mode[to][d] & HS_READ && s->writer[to][d] == (int)from)
            bytes = fmax(bytes, s->size[d]);
    return run->end + hs_instance_transfer_time(s->in, hs_instance_memory_node(s->in, there),
                                                hs_instance_memory_node(s->in, worker), bytes);
}

/* Return the time until which an entry waited. *is_task tells whether it waited for a predecessor
 * or for its worker. */
static double longest_wait(const graph_sample *s, const hs_schedule *shown, hsi_path_step at,
                           int *is_task)
{
    const hs_entry *e = entry_at(shown, at);
    double          longest = at.entry ? e[-1].end : -INFINITY;

    *is_task = 0;
    for (size_t f = 0; f < s->n; f++)
        if (s->edge[f][e->task] && arrival_of_input(s, shown, f, e->task, at.worker) >= longest) {
            longest = arrival_of_input(s, shown, f, e->task, at.worker);
            *is_task = 1;
        }
    return longest;
}

static void check_step(const graph_sample *s, const hs_schedule *shown, hsi_path_step at,
                       const hsi_path_step *cause)
{
    int             is_task;
    double          longest = longest_wait(s, shown, at, &is_task);
    const hs_entry *e = entry_at(shown, at), *c;

    GRAPH_REQUIRE(s, cause || isinf(longest), "task %u waited for something", e->task);
    if (!cause)
        return;
    c = entry_at(shown, *cause);
    GRAPH_REQUIRE(s, at.by_task == is_task, "task %u: the cause is of the other kind", e->task);
    if (!is_task) {
        GRAPH_REQUIRE(s, cause->worker == at.worker && cause->entry + 1 == at.entry,
                      "task %u waited for its worker", e->task);
        return;
    }
    GRAPH_REQUIRE(s, s->edge[c->task][e->task] && c->state == HS_RUN, "task %u is not before %u",
                  c->task, e->task);
    GRAPH_REQUIRE(s, arrival_of_input(s, shown, c->task, e->task, at.worker) == longest,
                  "task %u did not wait longest for %u", e->task, c->task);
}

/* Check that hs_critical_path() returns the internal path in forward order. */
static void check_public_path(const graph_sample *s, const hs_schedule *shown,
                              const hsi_path_step *path, size_t count)
{
    hs_critical_step *step = NULL;
    size_t            found = 0;

    ck_assert_int_eq(hs_critical_path(s->in, shown, &step, &found), HS_OK);
    ck_assert_uint_eq(found, count);
    for (size_t i = 0; i < count; i++) {
        const hsi_path_step *same = &path[count - 1 - i];

        GRAPH_REQUIRE(s, step[i].worker == same->worker && step[i].entry == same->entry &&
                             step[i].by_task == same->by_task,
                      "step %zu of the path is another one", i);
    }
    free(step);
}

static void check_path(const graph_sample *s, const hs_schedule *shown, const hsi_runs *runs)
{
    hsi_path_step *path = NULL;
    size_t         count;

    ck_assert_int_eq(hsi_critical_path(runs, &path, &count), HS_OK);
    GRAPH_REQUIRE(s, count > 0, "no path");
    GRAPH_REQUIRE(s, entry_at(shown, path[0])->end == hs_schedule_makespan(shown),
                  "the path does not end where the schedule does");
    for (size_t i = 0; i < count; i++)
        check_step(s, shown, path[i], i + 1 < count ? &path[i + 1] : NULL);
    check_public_path(s, shown, path, count);
    free(path);
}

typedef struct seen {
    int    is[GRAPH_TASKS];
    size_t pairs;
} seen;

static int see_task(void *data, uint32_t task)
{
    seen *all = data;

    all->pairs += !all->is[task];
    all->is[task] = 1;
    return 0;
}

/* Check the predecessors and successors of every task; return the number of edges. */
static size_t check_neighbours(const graph_sample *s, const hs_graph *g)
{
    size_t pairs = 0;

    for (uint32_t t = 0; t < s->n; t++) {
        seen before = {.pairs = 0}, after = {.pairs = 0};

        hsi_visit_predecessors(g, t, see_task, &before);
        hsi_visit_successors(g, t, see_task, &after);
        for (size_t u = 0; u < s->n; u++)
            GRAPH_REQUIRE(s, before.is[u] == s->edge[u][t] && after.is[u] == s->edge[t][u],
                          "neighbours of %u: %zu", t, u);
        pairs += before.pairs;
    }
    return pairs;
}

/* Count an edge. An edge both direct and through a barrier is counted twice. */
static int tell_one(void *data, uint32_t task)
{
    (void)task;
    ++*(size_t *)data;
    return 0;
}

static size_t curves_in(const char *text)
{
    size_t count = 0;

    for (const char *at = text; (at = strstr(at, "<path class=\"r")) != NULL; at++)
        for (const char *end = strchr(at, '/'); at < end; at++)
            count += *at == 'C';
    return count;
}

/* Check that the chart has a group for each entry, with a curve for each neighbour of its task,
 * unless entries are too narrow. */
static void check_chart(const graph_sample *s, const sample *made, const hs_graph *g)
{
    size_t length, curves = 0;
    char  *text = write_text(hs_gantt_write, made, NULL, &length);

    GRAPH_REQUIRE(s, is_xml(text, length), "no XML");
    GRAPH_REQUIRE(s, occurrences(text, "<path class=\"f\" d=\"M") == 2, "path and legend");
    for (unsigned w = 0; w < s->m + s->k; w++) {
        size_t          count;
        const hs_entry *e = hs_schedule_entries(made->s, w, &count);

        for (size_t i = 0; i < count; i++) {
            hsi_visit_predecessors(g, e[i].task, tell_one, &curves);
            hsi_visit_successors(g, e[i].task, tell_one, &curves);
        }
    }
    if (curves > 0 && occurrences(text, "<g class=\"j\">") == hs_schedule_entry_count(made->s))
        GRAPH_REQUIRE(s, curves_in(text) == curves, "%zu curves, not %zu", curves_in(text), curves);
    GRAPH_REQUIRE(s, !!strstr(text, ">on hover: what the task waits for<") == (curves > 0),
                  "the legend");
    GRAPH_REQUIRE(s, occurrences(text, "<title>") > 0, "no titles");
    free(text);
}

static void check_trace(const graph_sample *s, const sample *made, size_t pairs)
{
    size_t length;
    char  *text = write_text(hs_trace_write, made, NULL, &length);

    GRAPH_REQUIRE(s, is_json(text, length), "no JSON");
    GRAPH_REQUIRE(s, occurrences(text, "\"cat\":\"dependency\"") == 2 * pairs,
                  "%zu ends, %zu pairs", occurrences(text, "\"cat\":\"dependency\""), pairs);
    free(text);
}

START_TEST(pictures_agree_with_the_schedule)
{
    size_t rounds = rounds_scaled(3000);

    for (size_t i = 0; i < rounds; i++) {
        graph_sample s;
        hsi_runs     runs;
        sample       made;
        size_t       pairs;

        graph_sample_make(&s, 81000000 + i);
        made = (sample){.in = s.in, .s = solve_graph(&s)};
        ck_assert_int_eq(hsi_runs_open(&runs, s.in, made.s), HS_OK);
        if (runs.graph) {
            check_path(&s, made.s, &runs);
            pairs = check_neighbours(&s, runs.graph);
            GRAPH_REQUIRE(&s, hsi_count_dependent_pairs(runs.graph, 1000) >= pairs, "count");
            if (i % 10 == 0) {
                check_chart(&s, &made, runs.graph);
                check_trace(&s, &made, hsi_count_dependent_pairs(runs.graph, 1000));
            }
        }
        hsi_runs_close(&runs);
        hs_schedule_free(made.s);
        graph_sample_free(&s);
    }
}
END_TEST

/* Check that the path leads to the run of a predecessor, not to aborted entries on other workers,
 * before or after the worker of the run. */
START_TEST(critical_path_leads_to_runs)
{
    const hs_task     task = {.struct_size = sizeof task, .cpu = 5, .gpu = 4};
    hs_placement      placed[] = {{0, 2, 0, 0, HS_ABORTED},
                                  {2, 6, 0, 2, HS_RUN},
                                  {1, 3, 0, 3, HS_ABORTED},
                                  {6, 11, 1, 1, HS_RUN}};
    hs_builder       *b = NULL;
    hs_instance      *in = NULL;
    hs_schedule      *shown = NULL;
    hs_critical_step *step = NULL;
    size_t            count = 0;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 2, 2), HS_OK);
    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    ck_assert_int_eq(hs_builder_add_predecessor(b, 1, 0, 0, 0), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    ck_assert_int_eq(hs_schedule_build(2, 2, 4, placed, &shown), HS_OK);
    ck_assert_int_eq(hs_critical_path(in, shown, &step, &count), HS_OK);
    ck_assert_uint_eq(count, 2);
    ck_assert(step[0].worker == 2 && step[0].entry == 0 && !step[0].by_task);
    ck_assert(step[1].worker == 1 && step[1].entry == 0 && step[1].by_task);
    free(step);
    hs_schedule_free(shown);
    hs_instance_free(in);
    hs_builder_free(b);
}
END_TEST

/* Check that the critical path of independent tasks consists of every entry of the worker that ends
 * last. */
START_TEST(critical_path_of_independent_tasks_is_the_last_worker)
{
    const hs_task     task = {.struct_size = sizeof task, .cpu = 5, .gpu = 1};
    hs_placement      placed[] = {
        {0, 2, 1, 0, HS_ABORTED}, {0, 1, 0, 1, HS_RUN}, {2, 3, 1, 1, HS_RUN}};
    hs_builder       *b = NULL;
    hs_instance      *in = NULL;
    hs_schedule      *shown = NULL, *none = NULL;
    hs_critical_step *step = NULL;
    size_t            count = 7;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 1, 1), HS_OK);
    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    ck_assert_int_eq(hs_schedule_build(1, 1, 3, placed, &shown), HS_OK);
    ck_assert_int_eq(hs_critical_path(in, shown, &step, &count), HS_OK);
    ck_assert_uint_eq(count, 2);
    for (size_t i = 0; i < 2; i++)
        ck_assert(step[i].worker == 1 && step[i].entry == i && !step[i].by_task);
    free(step);
    step = NULL;
    ck_assert_int_eq(hs_schedule_build(1, 1, 0, placed, &none), HS_OK);
    ck_assert_int_eq(hs_critical_path(in, none, &step, &count), HS_OK);
    ck_assert_uint_eq(count, 0);
    ck_assert_int_eq(hs_critical_path(in, NULL, &step, &count), HS_EINVAL);
    ck_assert_int_eq(hs_critical_path(in, shown, NULL, &count), HS_EINVAL);
    hs_schedule_free(none);
    ck_assert_int_eq(hs_schedule_build(2, 1, 3, placed, &none), HS_OK);
    ck_assert_int_eq(hs_critical_path(in, none, &step, &count), HS_ESCHEDULE);
    free(step);
    hs_schedule_free(none);
    hs_schedule_free(shown);
    hs_instance_free(in);
    hs_builder_free(b);
}
END_TEST

/* Return an instance of `before` tasks followed by `after` tasks that depend on each of them, and
 * its schedule. */
static sample two_layers(unsigned before, unsigned after, unsigned cpus)
{
    sample      made = {.s = NULL};
    hs_builder *b = NULL;
    hs_task     task;

    hs_task_init(&task);
    task.cpu = task.gpu = 1;
    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, cpus, 1), HS_OK);
    task.count = before;
    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    task.count = after;
    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    ck_assert_int_eq(hs_builder_add_predecessor(b, 1, 0, 0, 0), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &made.in, NULL), HS_OK);
    hs_builder_free(b);
    ck_assert_int_eq(hs_solve(hs_algorithm_find("mct"), made.in, NULL, &made.s), HS_OK);
    return made;
}

static void require_arrows(const sample *made, const hs_picture *picture, bool arrows, bool said)
{
    size_t length;
    char  *text = write_text(hs_gantt_write, made, picture, &length);

    ck_assert(is_xml(text, length));
    ck_assert_uint_le(length, 4 << 20);
    ck_assert_int_eq(strstr(text, "<g class=\"j\">") != NULL, arrows);
    ck_assert_int_eq(strstr(text, ">on hover: what the task waits for<") != NULL, arrows);
    ck_assert_int_eq(strstr(text, ">no arrows: ") != NULL, said);
    ck_assert_ptr_nonnull(strstr(text, ">critical path of what happened<"));
    free(text);
}

START_TEST(more_arrows_than_the_limit_are_left_out)
{
    sample     few = two_layers(100, 100, 3), many = two_layers(101, 100, 3);
    sample     grouped = two_layers(400, 20, 300), most = two_layers(400, 400, 9);
    hs_picture picture;
    size_t     length;
    char      *text;

    hs_picture_init(&picture);
    require_arrows(&few, &picture, true, false);
    require_arrows(&many, &picture, false, true);
    require_arrows(&grouped, &picture, true, false);
    picture.predicted = few.s;
    require_arrows(&few, &picture, false, true);
    picture.predicted = NULL;
    picture.width = 400; /* a fixed width means a static picture without hover, so the legend has
                            no hover text */
    require_arrows(&few, &picture, false, false);
    text = write_text(hs_trace_write, &most, NULL, &length);
    ck_assert(is_json(text, length));
    ck_assert_uint_eq(occurrences(text, "\"cat\":\"dependency\""), 1);
    ck_assert_uint_eq(occurrences(text, "no arrows: more than 100000 dependencies"), 1);
    free(text);
    free_sample(&few);
    free_sample(&many);
    free_sample(&grouped);
    free_sample(&most);
}
END_TEST

/* Return the total width in pixels of the parts where the curve of ready tasks is above zero. */
static double width_of_peaks(const char *svg)
{
    const char *at = strstr(svg, "<path class=\"y\" d=\"M"), *end;
    double      width = 0, x, y, foot;
    char       *next;

    ck_assert_ptr_nonnull(at);
    end = strstr(at, "Z\"");
    x = strtod(strchr(at, 'M') + 1, &next);
    foot = y = strtod(next, &next);
    while (next < end) {
        char   which = *next;
        double to = strtod(next + 1, &next);

        if (which == 'H' && y != foot)
            width += to - x;
        *(which == 'H' ? &x : &y) = to;
    }
    return width;
}

/* Check that a task that is ready for a moment shows a narrow peak, which does not last until the
 * next event. */
START_TEST(short_readiness_is_a_narrow_peak)
{
    const hs_task task = {.struct_size = sizeof task, .cpu = 100, .gpu = 1};
    hs_placement  placed[] = {{0, 100, 0, 0, HS_RUN}, {100.01, 200.01, 1, 0, HS_RUN}};
    sample        made = {.s = NULL};
    hs_builder   *b = NULL;
    hs_picture    picture;
    size_t        length;
    char         *text;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 1, 0), HS_OK);
    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    ck_assert_int_eq(hs_builder_add_predecessor(b, 1, 0, 0, 0), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &made.in, NULL), HS_OK);
    hs_builder_free(b);
    ck_assert_int_eq(hs_schedule_build(1, 0, 2, placed, &made.s), HS_OK);
    hs_picture_init(&picture);
    picture.predicted = made.s;
    text = write_text(hs_gantt_write, &made, &picture, &length);
    ck_assert(width_of_peaks(text) > 0 && width_of_peaks(text) < 2);
    free(text);
    free_sample(&made);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("graph pictures");
    TCase *cases = tcase_create("of small graphs");

    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, pictures_agree_with_the_schedule);
    tcase_add_test(cases, more_arrows_than_the_limit_are_left_out);
    tcase_add_test(cases, critical_path_leads_to_runs);
    tcase_add_test(cases, critical_path_of_independent_tasks_is_the_last_worker);
    tcase_add_test(cases, short_readiness_is_a_narrow_peak);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
