/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Planners on small graphs: each plan equals, bit for bit, the literal execution of the planner's
 * rules. Each plan is a valid schedule, and no bound exceeds its makespan.
 */
#include <check.h>
#include <math.h>
#include <string.h>

#include "graph_brute_force.h"
#include "graph_sample.h"
#include "literal_transfers.h"
#include "sample.h"
#include "suite.h"
#include "support/random.h"

enum { WORKERS = 2 * GRAPH_WORKERS };

/* The tasks of a worker in the order of time. */
typedef struct lane {
    size_t   count;
    uint32_t task[GRAPH_TASKS];
} lane;

typedef struct plan {
    const graph_sample *s;
    lane                lane[WORKERS];
    int                 placed[GRAPH_TASKS];
    double              start[GRAPH_TASKS], end[GRAPH_TASKS];
    uint32_t            node[GRAPH_TASKS];
} plan;

static double time_on(const graph_sample *s, unsigned worker, size_t task)
{
    return worker < s->m ? s->p[task] : s->q[task];
}

/* Return the task's mean time over the workers, for ranks. Transfers take the mean over every
 * ordered pair of workers. */
static double mean_time(const graph_sample *s, size_t task)
{
    if (isinf(s->p[task]) || isinf(s->q[task]))
        return fmin(s->p[task], s->q[task]);
    return (s->m * s->p[task] + s->k * s->q[task]) / (s->m + s->k);
}

static double mean_transfer(const graph_sample *s, size_t task, size_t next)
{
    double bytes = s->bytes[task][next];

    for (size_t d = 0; d < s->data; d++)
        if (s->mode[next][d] & HS_READ && s->writer[next][d] == (int)task)
            bytes = fmax(bytes, s->size[d]);
    return graph_mean_transfer(s, bytes);
}

static void find_ranks(const graph_sample *s, bool is_mean, double *rank)
{
    for (size_t place = s->n; place-- > 0;)
        for (size_t t = 0; t < s->n; t++) {
            double way = 0;

            if (s->position[t] != place)
                continue;
            for (size_t next = 0; next < s->n; next++)
                if (s->edge[t][next])
                    way = fmax(way, (is_mean ? mean_transfer(s, t, next) : 0) + rank[next]);
            rank[t] = (is_mean ? mean_time(s, t) : fmin(s->p[t], s->q[t])) + way;
        }
}

/* Return the earliest start after the arrival of the inputs, in a gap or at the end. *before
 * becomes the number of tasks before it. */
static double earliest_start(const plan *l, unsigned worker, size_t task, size_t *before)
{
    const lane *w = &l->lane[worker];
    double      arrival =
        graph_arrival(l->s, task, hs_instance_memory_node(l->s->in, worker), l->end, l->node);

    for (*before = 0; *before < w->count; ++*before) {
        double begin = *before ? l->end[w->task[*before - 1]] : 0;
        double start = fmax(arrival, begin);

        if (start + time_on(l->s, worker, task) <= l->start[w->task[*before]])
            return start;
    }
    return fmax(arrival, w->count ? l->end[w->task[w->count - 1]] : 0);
}

static void place_task(plan *l, size_t task)
{
    unsigned workers = l->s->m + l->s->k, best = 0;
    size_t   where = 0, before;

    l->end[task] = INFINITY;
    for (unsigned i = 0; i < workers; i++) {
        unsigned w = (i + l->s->m) % workers; /* GPUs first */
        double   start = earliest_start(l, w, task, &before), end = start + time_on(l->s, w, task);

        if (end < l->end[task]) {
            l->end[task] = end;
            l->start[task] = start;
            best = w;
            where = before;
        }
    }
    memmove(&l->lane[best].task[where + 1], &l->lane[best].task[where],
            (l->lane[best].count++ - where) * sizeof *l->lane[best].task);
    l->lane[best].task[where] = (uint32_t)task;
    l->node[task] = hs_instance_memory_node(l->s->in, best);
    l->placed[task] = 1;
}

static bool run_heft(plan *l, bool is_mean)
{
    double rank[GRAPH_TASKS];

    find_ranks(l->s, is_mean, rank);
    for (size_t round = 0; round < l->s->n; round++) {
        size_t next = l->s->n;

        for (size_t t = 0; t < l->s->n; t++)
            if (!l->placed[t] &&
                (next == l->s->n || rank[t] > rank[next] ||
                 (rank[t] == rank[next] && l->s->position[t] < l->s->position[next])))
                next = t;
        place_task(l, next);
    }
    return true;
}

static int heft_avg(plan *l)
{
    return run_heft(l, true);
}

static int heft_min(plan *l)
{
    return run_heft(l, false);
}

/* Append the task to the worker of the allowed types where it ends first. */
static void append_task(plan *l, size_t task, int cpus, int gpus)
{
    unsigned workers = l->s->m + l->s->k, best = 0;

    l->end[task] = INFINITY;
    for (unsigned i = 0; i < workers; i++) {
        unsigned    w = (i + l->s->m) % workers; /* GPUs first */
        const lane *there = &l->lane[w];
        double      start =
            graph_arrival(l->s, task, hs_instance_memory_node(l->s->in, w), l->end, l->node);

        if (there->count)
            start = fmax(start, l->end[there->task[there->count - 1]]);
        if ((w < l->s->m ? cpus : gpus) && start + time_on(l->s, w, task) < l->end[task]) {
            l->start[task] = start;
            l->end[task] = start + time_on(l->s, w, task);
            best = w;
        }
    }
    l->lane[best].task[l->lane[best].count++] = (uint32_t)task;
    l->node[task] = hs_instance_memory_node(l->s->in, best);
    l->placed[task] = 1;
}

/* Return the latest end of the task's predecessors, or -1 if one is not placed yet. */
static double is_free_at(const plan *l, size_t task)
{
    double when = 0;

    for (size_t f = 0; f < l->s->n; f++) {
        if (l->s->edge[f][task] && !l->placed[f])
            return -1;
        if (l->s->edge[f][task])
            when = fmax(when, l->end[f]);
    }
    return when;
}

static int run_mct(plan *l)
{
    for (size_t round = 0; round < l->s->n; round++) {
        size_t next = l->s->n;

        for (size_t t = 0; t < l->s->n; t++) {
            double when = l->placed[t] ? -1 : is_free_at(l, t);

            if (when >= 0 &&
                (next == l->s->n || when < is_free_at(l, next) ||
                 (when == is_free_at(l, next) && l->s->position[t] < l->s->position[next])))
                next = t;
        }
        append_task(l, next, 1, 1);
    }
    return 1;
}

/* Place each task on an allowed type; toss `coin` if both types can run it. Return false if neither
 * type can run a task. */
static bool by_type(plan *l, int cpus, int gpus, hsi_random *coin)
{
    for (size_t place = 0; place < l->s->n; place++)
        for (size_t t = 0; t < l->s->n; t++) {
            int cpu = cpus && isfinite(l->s->p[t]), gpu = gpus && isfinite(l->s->q[t]);

            if (l->s->position[t] != place)
                continue;
            if (!cpu && !gpu)
                return false;
            if (cpu && gpu)
                *(hsi_random_below(coin, 2) ? &cpu : &gpu) = 0;
            append_task(l, t, cpu, gpu);
        }
    return true;
}

static int cpu_only(plan *l)
{
    return by_type(l, 1, 0, NULL);
}

static int gpu_only(plan *l)
{
    return by_type(l, 0, 1, NULL);
}

static int by_coins(plan *l)
{
    hsi_random coin;

    hsi_random_seed(&coin, l->s->seed, 0);
    return by_type(l, 1, 1, &coin);
}

static void require_same_schedule(const plan *l, const char *name, const hs_schedule *found)
{
    const graph_sample *s = l->s;

    for (unsigned w = 0; w < s->m + s->k; w++) {
        size_t          count;
        const hs_entry *e = hs_schedule_entries(found, w, &count);

        GRAPH_REQUIRE(s, count == l->lane[w].count, "%s: worker %u has %zu tasks, not %zu", name, w,
                      count, l->lane[w].count);
        for (size_t i = 0; i < count; i++) {
            uint32_t t = l->lane[w].task[i];

            GRAPH_REQUIRE(s,
                          e[i].task == t && e[i].start == l->start[t] && e[i].end == l->end[t] &&
                              e[i].state == HS_RUN,
                          "%s: worker %u has task %u from %.17g to %.17g, not %u, %.17g, %.17g",
                          name, w, e[i].task, e[i].start, e[i].end, t, l->start[t], l->end[t]);
        }
    }
}

/* Check that every task starts after its inputs can have arrived. */
static void require_possible(const plan *l, const char *name)
{
    const graph_sample *s = l->s;

    for (size_t t = 0; t < s->n; t++)
        GRAPH_REQUIRE(s, l->start[t] >= graph_arrival(s, t, l->node[t], l->end, l->node),
                      "%s: task %zu starts too early", name, t);
}

static void require_bounded(const graph_sample *s, const char *name, double makespan)
{
    for (size_t b = 0; b < hs_bound_count(); b++) {
        double value;

        if (bound_takes_seconds(hs_bound_at(b)))
            continue;
        GRAPH_REQUIRE(s, hs_bound_compute(hs_bound_at(b), s->in, NULL, &value) == HS_OK, "no %s",
                      hs_bound_name(hs_bound_at(b)));
        GRAPH_REQUIRE(s, value <= makespan * (1 + 1e-12), "%s: %.17g is below %s, %.17g", name,
                      makespan, hs_bound_name(hs_bound_at(b)), value);
    }
}

/* Make a plan by literal rules; 0: the planner refuses the sample. */
typedef int planner(plan *l);

static void check_planner(const graph_sample *s, const char *name, hs_rank rank, planner *run)
{
    const hs_algorithm      *alg = hs_algorithm_find(name);
    hs_schedule             *found = NULL;
    static plan              l;
    static literal_transfers moves;
    double                   makespan;
    hs_settings              settings;
    hs_status                st;

    hs_settings_init(&settings);
    settings.rank = rank;
    settings.seed = s->seed;
    settings.transfers = 1;
    moves.count = 0;
    l = (plan){.s = s};
    st = hs_solve(alg, s->in, &settings, &found);
    if (!run(&l)) {
        GRAPH_REQUIRE(s, st == HS_EWORKER && !found, "%s: %s", name, hs_status_text(st));
        return;
    }
    GRAPH_REQUIRE(s, st == HS_OK, "%s: %s", name, hs_status_text(st));
    GRAPH_REQUIRE(s, hs_schedule_check(s->in, found, NULL) == HS_OK, "%s: no schedule", name);
    require_same_schedule(&l, name, found);
    require_possible(&l, name);
    literal_add_planned_transfers(s, found, &moves);
    literal_require_transfers(s, name, &moves, found);
    GRAPH_REQUIRE(s, hs_solve_makespan(NULL, alg, s->in, &settings, &makespan, NULL) == HS_OK, "%s",
                  name);
    GRAPH_REQUIRE(s, makespan == hs_schedule_makespan(found), "%s: %.17g without a schedule", name,
                  makespan);
    if (s->seed % 4 == 0)
        require_bounded(s, name, makespan);
    hs_schedule_free(found);
}

START_TEST(planners_equal_their_literal_form)
{
    size_t rounds = rounds_scaled(6000);

    for (size_t i = 0; i < rounds; i++) {
        graph_sample s;

        graph_sample_make(&s, 73000000 + i);
        if (hs_instance_has_graph(s.in)) {
            check_planner(&s, "heft", i % 2 ? HS_RANK_DEFAULT : HS_RANK_AVG, heft_avg);
            check_planner(&s, i % 2 ? "heft-min" : "heft", i % 2 ? HS_RANK_DEFAULT : HS_RANK_MIN,
                          heft_min);
        }
        check_planner(&s, "mct", HS_RANK_DEFAULT, run_mct);
        check_planner(&s, "cpu-only", HS_RANK_DEFAULT, cpu_only);
        check_planner(&s, "gpu-only", HS_RANK_DEFAULT, gpu_only);
        check_planner(&s, "random", HS_RANK_DEFAULT, by_coins);
        graph_sample_free(&s);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("graph planners");
    TCase *cases = tcase_create("on small graphs");

    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, planners_equal_their_literal_form);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
