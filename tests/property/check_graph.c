/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Graphs and the schedule checker, compared with a literal transcription of their definitions: each
 * pair of tasks separately, rows expanded into tasks, data dependencies by a backward search
 * through the program.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hybridsched/io.h>

#include "literal_graph.h"
#include "suite.h"
#include "unit/rounds.h"

/* Add the predecessors of `vertex` as edges to task `to`, with barriers expanded. `bytes` is the
 * maximum along the path. */
static void expand_barriers(const hs_graph *g, size_t tasks, literal *found, size_t vertex,
                            size_t to, double bytes)
{
    size_t          count;
    const double   *piece;
    const uint32_t *pred = hs_graph_predecessors(g, vertex, &count, &piece);

    for (size_t i = 0; i < count; i++) {
        double most = piece && piece[i] > bytes ? piece[i] : bytes;

        ck_assert(i == 0 || pred[i] > pred[i - 1]);
        if (pred[i] < tasks)
            literal_add_edge(found, pred[i], to, most);
        else
            expand_barriers(g, tasks, found, pred[i], to, most);
    }
}

static void successors_match(const hs_graph *g)
{
    size_t edges = 0, back = 0, count, others;

    for (size_t v = 0; v < hs_graph_vertex_count(g); v++) {
        const uint32_t *succ = hs_graph_successors(g, v, &count);

        back += count;
        for (size_t i = 0; i < count; i++) {
            const uint32_t *pred = hs_graph_predecessors(g, succ[i], &others, NULL);
            bool            found = false;

            ck_assert(i == 0 || succ[i] > succ[i - 1]);
            for (size_t j = 0; j < others; j++)
                found |= pred[j] == v;
            ck_assert(found);
        }
        (void)hs_graph_predecessors(g, v, &count, NULL);
        edges += count;
    }
    ck_assert_uint_eq(edges, back);
}

static void accesses_match(const literal *l, const hs_instance *in, const hs_graph *g)
{
    for (size_t t = 0; t < l->tasks; t++) {
        size_t           count, expected = 0;
        const hs_access *access = hs_graph_accesses(g, t, &count);

        for (size_t i = 0; i < count; i++) {
            size_t d = (size_t)(*hs_instance_handle_name(in, access[i].data) - 'a');
            int    writer = literal_last_writer(l, t, d);

            ck_assert_int_eq((int)access[i].mode, literal_access_mode(l, t, d));
            ck_assert_uint_eq(access[i].writer, writer < 0 ? HS_NONE : (uint32_t)writer);
        }
        for (size_t d = 0; d < DATA; d++)
            expected += literal_access_mode(l, t, d) != 0;
        ck_assert_uint_eq(count, expected);
    }
}

static void is_graph_of(const literal *l, const hs_instance *in)
{
    static literal  found;
    const hs_graph *g = NULL, *again = NULL;

    ck_assert_int_eq(hs_instance_graph(in, &g), HS_OK);
    ck_assert_int_eq(hs_instance_graph(in, &again), HS_OK);
    ck_assert_ptr_eq(g, again);
    ck_assert_int_eq(g != NULL, hs_instance_has_graph(in));
    if (!g)
        return;
    memset(&found, 0, sizeof found);
    for (size_t t = 0; t < l->tasks; t++) {
        expand_barriers(g, l->tasks, &found, t, t, 0);
        ck_assert_uint_eq(hs_graph_position(g, t), l->position[t]);
    }
    for (size_t f = 0; f < l->tasks; f++)
        for (size_t t = 0; t < l->tasks; t++) {
            ck_assert_int_eq(found.edge[f][t], l->edge[f][t]);
            ck_assert(found.bytes[f][t] == l->bytes[f][t]);
        }
    successors_match(g);
    accesses_match(l, in, g);
}

/* Check that each row of the reported cycle has an edge to the next row. */
static void is_cycle(const literal *l, const hs_builder *b)
{
    size_t        count = 0;
    const size_t *rows = hs_builder_cycle(b, &count);

    ck_assert(rows && count >= 2);
    for (size_t i = 0; i < count; i++) {
        size_t from = rows[i], to = rows[(i + 1) % count];
        bool   found = false;

        for (size_t f = 0; f < l->tasks; f++)
            for (size_t t = 0; t < l->tasks; t++)
                found |= l->row_of[f] == from && l->row_of[t] == to && l->edge[f][t];
        ck_assert(found);
    }
}

static hs_instance *write_and_read(const hs_instance *in)
{
    char         path[] = "/tmp/hs-test-XXXXXX";
    int          fd = mkstemp(path);
    hs_instance *back = NULL;

    unlink(path);
    ck_assert_int_eq(hs_instance_write(fd, in, NULL), HS_OK);
    lseek(fd, 0, SEEK_SET);
    ck_assert_int_eq(hs_instance_read(fd, NULL, &back, NULL), HS_OK);
    close(fd);
    return back;
}

/* Return an instance with the rows of `in`, built one by one, and its graph from
 * hs_builder_copy_graph(). */
static hs_instance *copy_of(const hs_instance *in)
{
    hs_builder  *b = NULL;
    hs_instance *copy = NULL;
    hs_task      task;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, hs_instance_cpus(in), hs_instance_gpus(in)), HS_OK);
    ck_assert_int_eq(hs_builder_set_unit(b, hs_instance_unit(in)), HS_OK);
    for (size_t row = 0; row < hs_instance_rows(in); row++) {
        hs_task_init(&task);
        hs_instance_row(in, row, &task);
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    }
    ck_assert_int_eq(hs_builder_copy_graph(b, in), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &copy, NULL), HS_OK);
    hs_builder_free(b);
    return copy;
}

static void is_same(const literal *l, const hs_instance *in, hs_instance *other)
{
    is_graph_of(l, other);
    ck_assert_uint_eq(hs_instance_digest(in), hs_instance_digest(other));
    hs_instance_free(other);
}

START_TEST(graphs_equal_their_definition)
{
    static literal l;
    dice           source = {(uint64_t)_i + 1};

    for (int i = 0; i < rounds(2000); i++) {
        hs_builder  *b = NULL;
        hs_instance *in = NULL;
        hs_status    st;

        literal_draw_graph(&l, &source);
        ck_assert_int_eq(hs_builder_create(&b), HS_OK);
        literal_fill_builder(&l, b);
        st = hs_builder_finish(b, &in, NULL);
        ck_assert_int_eq(st, l.has_cycle ? HS_EGRAPH : HS_OK);
        if (l.has_cycle) {
            is_cycle(&l, b);
        } else {
            is_graph_of(&l, in);
            is_same(&l, in, write_and_read(in));
            is_same(&l, in, copy_of(in));
        }
        hs_instance_free(in);
        hs_builder_free(b);
    }
}
END_TEST

/* Check that a builder keeps its accesses after hs_builder_finish() has failed, with rows in any
 * order. */
START_TEST(builder_keeps_accesses_after_a_failure)
{
    const hs_access_mode modes[] = {HS_READ, HS_WRITE, HS_READ_WRITE};
    hs_builder          *b = NULL;
    hs_instance         *in = NULL;
    size_t               data;
    hs_access_mode       mode;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    for (size_t i = 0; i < 3; i++) {
        hs_task task;

        hs_task_init(&task);
        task.gpu = 1;
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
        ck_assert_int_eq(hs_builder_add_handle(b, i ? i > 1 ? "c" : "b" : "a", &data), HS_OK);
    }
    for (size_t i = 0; i < 5; i++) { /* rows 1, 1, 1, 2, and 0 */
        ck_assert_int_eq(hs_builder_add_access(b,
                                               i < 3    ? 1
                                               : i == 3 ? 2
                                                        : 0,
                                               i % 3, modes[i % 3]),
                         HS_OK);
        ck_assert_int_eq(hs_builder_set_workers(b, 1, 0), HS_OK);
        ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_EWORKER);
    }
    ck_assert_int_eq(hs_builder_set_workers(b, 0, 1), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    for (size_t i = 0; i < 3; i++) {
        ck_assert(hs_instance_access(in, 1, i, &data, &mode));
        ck_assert(data == i && mode == modes[i]);
    }
    ck_assert(hs_instance_access(in, 2, 0, &data, &mode) && data == 0 && mode == HS_READ);
    ck_assert(hs_instance_access(in, 0, 0, &data, &mode) && data == 1 && mode == HS_WRITE);
    for (size_t i = 0; i < 3; i++)
        ck_assert(!hs_instance_access(in, i, i == 1 ? 3 : 1, &data, &mode));
    hs_instance_free(in);
    hs_builder_free(b);
}
END_TEST

/* Tell whether entry e starts after the predecessors of its task have ended and its inputs can have
 * arrived, by examining every task and handle. */
static bool is_late_enough(const literal *l, size_t task, const hs_placement *e,
                           const hs_placement *run)
{
    for (size_t f = 0; f < l->tasks; f++)
        if (l->edge[f][task] &&
            (e->start < run[f].end ||
             e->start < run[f].end + literal_transfer_time(l, (int)run[f].worker, (int)e->worker,
                                                           l->bytes[f][task])))
            return false;
    for (size_t d = 0; d < DATA; d++) {
        int    writer = literal_last_writer(l, task, d);
        int    from = writer < 0 ? l->home[d] : (int)run[writer].worker;
        double ready = writer < 0 ? 0 : run[writer].end;

        if (literal_access_mode(l, task, d) & HS_READ &&
            e->start < ready + literal_transfer_time(l, from, (int)e->worker,
                                                     literal_handle_bytes(l, d)))
            return false;
    }
    return true;
}

/*
 * Place tasks in topological order on random workers, mostly at the earliest possible time, now and
 * then too early. Some tasks get an aborted entry on another worker first. Return the number of
 * entries.
 */
static size_t place_all(const literal *l, dice *source, hs_placement *all, hs_placement *run)
{
    double free_at[8] = {0};
    size_t count = 0;

    for (size_t next = 0; next < l->tasks; next++) {
        bool         has_abort = dice_below(source, 6) == 0;
        size_t       task = 0;
        hs_placement p = {.state = HS_RUN};
        double       time, last = 0;

        while (l->position[task] != next)
            task++;
        for (int abort = has_abort; abort >= 0; abort--) {
            do {
                p.worker = dice_below(source, l->cpus + l->gpus);
                time = l->time[l->row_of[task]][p.worker < l->cpus ? HS_CPU : HS_GPU];
            } while (isinf(time));
            p.task = (uint32_t)task;
            p.start = free_at[p.worker] > last ? free_at[p.worker] : last;
            while (!is_late_enough(l, task, &p, run))
                p.start += 0.125;
            if (dice_below(source, 20) == 0 && p.start - 0.125 >= free_at[p.worker] &&
                p.start - 0.125 >= last)
                p.start -= 0.125;
            else
                p.start += dice_below(source, 3) * 0.125;
            p.state = abort ? HS_ABORTED : HS_RUN;
            p.end = p.start + (abort ? time / 2 : time);
            last = free_at[p.worker] = p.end;
            all[count++] = p;
        }
        run[task] = p;
    }
    return count;
}

static bool is_valid(const literal *l, const hs_placement *all, size_t count,
                     const hs_placement *run)
{
    for (size_t i = 0; i < count; i++)
        if (!is_late_enough(l, all[i].task, &all[i], run))
            return false;
    return true;
}

/* Check that the violation names an existing edge that the schedule breaks. */
static void is_broken(const literal *l, const hs_violation *v, const hs_placement *run)
{
    ck_assert(v->kind == HS_TOO_EARLY || v->kind == HS_INPUT_LATE);
    ck_assert(v->found < v->expected);
    if (v->predecessor == SIZE_MAX)
        return;
    ck_assert(l->edge[v->predecessor][v->task]);
    ck_assert(v->kind == HS_INPUT_LATE ? v->expected > run[v->predecessor].end
                                       : v->expected == run[v->predecessor].end);
}

static void same_schedule(const hs_schedule *a, const hs_schedule *b)
{
    ck_assert_uint_eq(hs_schedule_entry_count(a), hs_schedule_entry_count(b));
    for (unsigned w = 0; w < hs_schedule_cpus(a) + hs_schedule_gpus(a); w++) {
        size_t          count, others;
        const hs_entry *x = hs_schedule_entries(a, w, &count);
        const hs_entry *y = hs_schedule_entries(b, w, &others);

        ck_assert_uint_eq(count, others);
        for (size_t i = 0; i < count; i++)
            ck_assert(x[i].task == y[i].task && x[i].start == y[i].start && x[i].end == y[i].end &&
                      x[i].state == y[i].state);
    }
}

/* Check that a written plan reads back with the same instance, rows and counts included. */
static void plan_comes_back(const literal *l, const hs_instance *in, const hs_schedule *s)
{
    char         path[] = "/tmp/hs-test-XXXXXX";
    int          fd = mkstemp(path);
    hs_instance *back = NULL;
    hs_schedule *again = NULL;
    hs_status    st;

    unlink(path);
    ck_assert_int_eq(hs_plan_write(fd, in, s, NULL, NULL), HS_OK);
    lseek(fd, 0, SEEK_SET);
    st = hs_plan_read(fd, NULL, &back, &again, NULL, NULL);
    ck_assert_int_eq(st, HS_OK);
    ck_assert_uint_eq(hs_instance_digest(in), hs_instance_digest(back));
    if (hs_instance_has_graph(in)) {
        ck_assert_uint_eq(hs_instance_rows(in), hs_instance_rows(back));
        same_schedule(s, again);
        is_graph_of(l, back);
    }
    hs_instance_free(back);
    hs_schedule_free(again);
    close(fd);
}

START_TEST(schedules_are_checked_and_keep_their_file_form)
{
    static literal l;
    dice           source = {(uint64_t)_i + 100};
    hs_placement   all[2 * TASKS], run[TASKS];
    int            valid = 0, broken = 0;

    for (int i = 0; i < rounds(1000); i++) {
        hs_builder  *b = NULL;
        hs_instance *in = NULL;
        hs_schedule *s = NULL;
        hs_violation v;
        size_t       count;

        do
            literal_draw_graph(&l, &source);
        while (l.has_cycle);
        ck_assert_int_eq(hs_builder_create(&b), HS_OK);
        literal_fill_builder(&l, b);
        ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
        count = place_all(&l, &source, all, run);
        ck_assert_int_eq(hs_schedule_build(l.cpus, l.gpus, count, all, &s), HS_OK);
        hs_violation_init(&v);
        if (is_valid(&l, all, count, run)) {
            valid++;
            ck_assert_int_eq(hs_schedule_find_violation(in, s, NULL, NULL, NULL, &v), HS_OK);
            plan_comes_back(&l, in, s);
        } else {
            broken++;
            ck_assert_int_eq(hs_schedule_find_violation(in, s, NULL, NULL, NULL, &v), HS_ESCHEDULE);
            is_broken(&l, &v, run);
        }
        hs_schedule_free(s);
        hs_instance_free(in);
        hs_builder_free(b);
    }
    if (rounds(1000) >= 80) /* a few rounds may draw valid or broken schedules only */
        ck_assert(valid > broken / 2 && broken > valid / 100);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("graph");
    TCase *all = tcase_create("all");

    tcase_add_loop_test(all, graphs_equal_their_definition, 0, 4);
    tcase_add_loop_test(all, schedules_are_checked_and_keep_their_file_form, 0, 4);
    tcase_add_test(all, builder_keeps_accesses_after_a_failure);
    tcase_set_timeout(all, 600);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
