/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a policy kind can ask about data and workers. A kind of the test wraps a kind of the
 * library, which it finds by its `data`, keeps its own record of the run, and compares the answers
 * before each decision.
 */
#include <check.h>
#include <math.h>
#include <string.h>

#include "graph_sample.h"
#include "sample.h"
#include "suite.h"

typedef struct observer {
    const graph_sample   *s;
    const hs_policy_kind *kind; /* the wrapped kind */
    void                 *state;
    hs_policy            *policy;
    unsigned              worker[GRAPH_TASKS];                 /* of a task that is done */
    size_t                end[GRAPH_TASKS];                    /* order of the ends; 0: not done */
    bool                  has_piece[GRAPH_TASKS][GRAPH_NODES]; /* data of edges to the task */
    bool                  has_copy[GRAPH_DATA][GRAPH_NODES];
    size_t                ends, missing, released;
} observer;

static uint32_t node_of(const observer *o, unsigned worker)
{
    return hs_instance_memory_node(o->s->in, worker);
}

static bool is_ready(const observer *o, size_t task)
{
    for (size_t from = 0; from < o->s->n; from++)
        if (o->s->edge[from][task] && !o->end[from])
            return false;
    return !o->end[task];
}

static double missing_bytes(const observer *o, size_t task, uint32_t to)
{
    double sum = 0;

    for (size_t from = 0; from < o->s->n && !o->has_piece[task][to]; from++)
        if (o->s->edge[from][task] && node_of(o, o->worker[from]) != to)
            sum += o->s->bytes[from][task];
    for (size_t d = 0; d < o->s->data; d++)
        if (o->s->mode[task][d] & HS_READ && !o->has_copy[d][to])
            sum += o->s->size[d];
    return o->s->links ? sum : 0;
}

/* Return the predecessor that ended last; HS_NONE. */
static uint32_t last_predecessor(const observer *o, size_t task)
{
    uint32_t last = HS_NONE;

    for (size_t from = 0; from < o->s->n; from++)
        if (o->s->edge[from][task] && (last == HS_NONE || o->end[from] > o->end[last]))
            last = (uint32_t)from;
    return last;
}

static void compare_answers(observer *o)
{
    const graph_sample *s = o->s;

    for (size_t t = 0; t < s->n; t++) {
        unsigned worker = 12345;
        uint32_t last;

        if (!is_ready(o, t))
            continue;
        last = last_predecessor(o, t);
        GRAPH_REQUIRE(s, hs_policy_released_by(o->policy, (uint32_t)t, &worker) == last,
                      "%s: task %zu was not released by %u", o->kind->name, t, last);
        GRAPH_REQUIRE(s, worker == (last == HS_NONE ? 12345 : o->worker[last]),
                      "%s: task %zu was not released on %u", o->kind->name, t, worker);
        o->released += last != HS_NONE;
        for (unsigned w = 0; w < s->m + s->k; w++) {
            double expected = missing_bytes(o, t, node_of(o, w));
            double found = hs_policy_missing_bytes(o->policy, (uint32_t)t, w);

            GRAPH_REQUIRE(s, fabs(found - expected) <= 1e-9 * expected,
                          "%s: worker %u lacks %.17g bytes of task %zu, not %.17g", o->kind->name,
                          w, found, t, expected);
            o->missing += found > 0;
        }
    }
    for (uint32_t d = 0; d < s->data; d++)
        for (uint32_t v = 0; v < s->nodes; v++)
            GRAPH_REQUIRE(
                s, hs_policy_has_replica(o->policy, d, v) == (!s->links || o->has_copy[d][v]),
                "%s: handle %u on node %u", o->kind->name, d, v);
}

static hs_status observe_create(void *data, hs_policy *policy, const hs_instance *estimates,
                                const hs_schedule *plan, const hs_policy_settings *settings,
                                void **out)
{
    observer *o = data;

    o->policy = policy;
    *out = o;
    return o->kind->create(o->kind->data, policy, estimates, plan, settings, &o->state);
}

static void observe_free(void *state)
{
    observer *o = state;

    o->kind->free(o->state);
}

/* Note the transfers that the start of a task begins. */
static void note_start(observer *o, unsigned worker, const hs_decision *d)
{
    uint32_t to = node_of(o, worker);

    if (d->kind != HS_DECIDE_START)
        return;
    o->has_piece[d->task][to] = true;
    for (size_t h = 0; h < o->s->data; h++)
        if (o->s->mode[d->task][h] & HS_READ)
            o->has_copy[h][to] = true;
}

static void observe_next(void *state, unsigned worker, double now, hs_decision *out, hs_wake *wake)
{
    observer *o = state;

    compare_answers(o);
    o->kind->next(o->state, worker, now, out, wake);
    note_start(o, worker, out);
}

static void observe_prefetch(void *state, unsigned worker, double now, hs_decision *out,
                             hs_wake *wake)
{
    observer *o = state;

    o->kind->prefetch(o->state, worker, now, out, wake);
    note_start(o, worker, out);
}

static void observe_ended(void *state, unsigned worker, uint32_t task, hs_ending how, double now,
                          hs_wake *wake)
{
    observer *o = state;

    if (how == HS_ENDING_DONE) {
        o->worker[task] = worker;
        o->end[task] = ++o->ends;
        for (size_t d = 0; d < o->s->data; d++)
            if (o->s->mode[task][d] & HS_WRITE) {
                memset(o->has_copy[d], 0, sizeof o->has_copy[d]);
                o->has_copy[d][node_of(o, worker)] = true;
            }
    }
    o->kind->ended(o->state, worker, task, how, now, wake);
}

static void observe_done(void *state, uint32_t task)
{
    observer *o = state;

    o->kind->mark_done(o->state, task);
}

static void observe_ready(void *state, const uint32_t *tasks, size_t count, double now,
                          hs_wake *wake)
{
    observer *o = state;

    o->kind->add_ready(o->state, tasks, count, now, wake);
}

/* Run the sample under the wrapped kind; return the observations. */
static observer observe(const graph_sample *s, const hs_policy_kind *kind)
{
    observer       o = {.s = s, .kind = kind};
    hs_policy_kind mine = {.struct_size = sizeof mine,
                           .name = "observer",
                           .create = observe_create,
                           .free = observe_free,
                           .next = observe_next,
                           .ended = observe_ended,
                           .mark_done = observe_done,
                           .supports_graphs = true,
                           .groups_endings = kind->groups_endings,
                           .add_ready = observe_ready,
                           .prefetch = kind->prefetch ? observe_prefetch : NULL,
                           .data = &o};
    hs_schedule   *found = NULL;
    hs_error       error;

    for (size_t d = 0; d < s->data; d++)
        o.has_copy[d][s->home[d]] = true;
    GRAPH_REQUIRE(s, hs_policy_simulate(&mine, s->in, NULL, s->in, NULL, &found, &error) == HS_OK,
                  "%s: %s", kind->name, error.why);
    GRAPH_REQUIRE(s, hs_schedule_check(s->in, found, &error) == HS_OK, "%s: %s", kind->name,
                  error.why);
    hs_schedule_free(found);
    return o;
}

static const char *const kinds[] = {"heteroprio", "heteroprio-ns", "hp-sp", "hp-corrected",
                                    "dualhp"};

/* Only kinds that start transfers by their decisions alone are compared. */
START_TEST(answers_equal_the_record_of_the_run)
{
    size_t rounds = rounds_scaled(2000), missing = 0, released = 0;

    for (size_t i = 0; i < rounds; i++) {
        graph_sample s;

        graph_sample_make(&s, 83000000 + i);
        if (hs_instance_has_graph(s.in)) {
            observer o = observe(&s, hs_policy_find(kinds[_i]));

            missing += o.missing;
            released += o.released;
        }
        graph_sample_free(&s);
    }
    ck_assert_uint_gt(missing, rounds > 100 ? rounds : rounds / 2);
    ck_assert_uint_gt(released, rounds > 100 ? rounds : rounds / 2);
}
END_TEST

/* Invalid numbers, and a policy that keeps no record. */
START_TEST(numbers_past_the_last_have_no_data)
{
    graph_sample s;
    hs_policy   *policy = NULL;
    unsigned     worker = 7;

    graph_sample_make(&s, 83000000);
    ck_assert_int_eq(hs_policy_create(hs_policy_find("heteroprio"), s.in, NULL, NULL, &policy),
                     HS_OK);
    ck_assert_double_eq(hs_policy_missing_bytes(policy, (uint32_t)s.n, 0), 0);
    ck_assert_double_eq(hs_policy_missing_bytes(policy, 0, s.m + s.k), 0);
    ck_assert_uint_eq(hs_policy_released_by(policy, (uint32_t)s.n, &worker), HS_NONE);
    ck_assert_uint_eq(hs_policy_released_by(policy, 0, NULL), HS_NONE);
    ck_assert_uint_eq(worker, 7);
    for (unsigned w = 0; w < s.m + s.k; w++)
        ck_assert_int_eq(hs_instance_worker_type(s.in, w), w < s.m ? HS_CPU : HS_GPU);
    hs_policy_free(policy);
    graph_sample_free(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("policy queries");
    TCase *cases = tcase_create("graphs");

    tcase_set_timeout(cases, 0);
    tcase_add_loop_test(cases, answers_equal_the_record_of_the_run, 0,
                        sizeof kinds / sizeof *kinds);
    tcase_add_test(cases, numbers_past_the_last_have_no_data);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
