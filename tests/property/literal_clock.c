/* SPDX-License-Identifier: BSD-3-Clause */
/* The virtual clock of the literal policies: events in order of time. */
#include <math.h>
#include <string.h>

#include "literal_law.h"

void law_remove_from_fifo(law *l, int task)
{
    size_t i = 0;

    while (i < l->ready && l->fifo[i] != task)
        i++;
    if (i < l->ready)
        memmove(&l->fifo[i], &l->fifo[i + 1], (--l->ready - i) * sizeof *l->fifo);
}

void law_start_at(law *l, int worker, int task, double start)
{
    law_remove_from_fifo(l, task);
    l->state[task] = TAKEN;
    l->lane[worker].task = task;
    l->lane[worker].start = start;
}

void law_start_now(law *l, int worker, int task)
{
    double start = law_arrival(l, task, worker);

    law_start_transfers(l, task, worker);
    law_start_at(l, worker, task, start);
}

static void record_entry(law *l, int worker, int task, double start, double end, hs_state how)
{
    GRAPH_REQUIRE(l->s, l->count < l->most, "it never ends");
    l->out[l->count++] = (hs_placement){start, end, (uint32_t)task, (uint32_t)worker, how};
}

double law_end_of_running(const law *l, int worker)
{
    return l->lane[worker].task < 0
               ? l->now
               : l->lane[worker].start + time_on(l, worker, l->lane[worker].task);
}

static double true_end(const law *l, int worker)
{
    return l->lane[worker].start + true_time(l, worker, l->lane[worker].task);
}

double law_end_of_prefetched(const law *l, int worker)
{
    return fmax(law_end_of_running(l, worker), l->lane[worker].there) +
           time_on(l, worker, l->lane[worker].ahead);
}

static bool has_ended(const law *l, int worker)
{
    const lane *a = &l->lane[worker];

    return a->task >= 0 && a->start <= l->now && true_end(l, worker) <= l->now;
}

static void end_finished_tasks(law *l)
{
    for (int i = 0; i < worker_count(l); i++) {
        int w = worker_at(l, i), t = l->lane[w].task;

        if (!has_ended(l, w))
            continue;
        record_entry(l, w, t, l->lane[w].start, true_end(l, w), HS_RUN);
        l->state[t] = DONE;
        l->done_at[t] = l->now;
        l->node[t] = (int)node_of(l, w);
        l->lane[w].task = NOBODY;
    }
}

static bool is_free(const law *l, int task)
{
    for (size_t from = 0; from < l->s->n; from++)
        if (l->s->edge[from][task] && l->state[from] != DONE)
            return false;
    return l->state[task] == BLOCKED;
}

/* Make free tasks ready; return their number. */
static size_t make_ready(law *l)
{
    size_t before = l->ready;

    for (size_t place = 0; place < l->s->n; place++)
        for (int t = 0; t < (int)l->s->n; t++)
            if (l->s->position[t] == place && is_free(l, t)) {
                l->state[t] = READY;
                l->moment[t] = --l->moments;
                l->fifo[l->ready++] = t;
            }
    return l->ready - before;
}

void law_abort_task(law *l, int worker, int task)
{
    lane *a = &l->lane[worker];

    if (a->ahead == task) {
        a->ahead = NOBODY;
        return;
    }
    if (a->start < l->now)
        record_entry(l, worker, task, a->start, l->now, HS_ABORTED);
    a->task = NOBODY;
}

static bool advance_clock(law *l)
{
    if (law_has_name(l, "dynamic"))
        return law_dynamic_step(l);
    if (law_has_name(l, "h-ratio") || law_has_name(l, "d-rank"))
        return law_rank_step(l);
    if (law_has_name(l, "dmda") || law_has_name(l, "dmdas"))
        return law_dmda_step(l);
    if (law_has_name(l, "plan"))
        return law_plan_step(l);
    if (law_has_name(l, "plan+steal"))
        return law_steal_step(l);
    return law_one_worker_acts(l) || law_one_worker_prefetches(l);
}

/* Return the time of the next event; infinity: none. */
static double next_time(const law *l)
{
    double next = law_has_name(l, "plan+steal") ? law_next_steal_time(l) : INFINITY;

    for (int w = 0; w < worker_count(l); w++) {
        if (available_at(l, w) > l->now)
            next = fmin(next, available_at(l, w));
        if (l->lane[w].task >= 0)
            next = fmin(next, l->lane[w].start > l->now ? l->lane[w].start : true_end(l, w));
    }
    return next;
}

static void open_law(law *l)
{
    double none = -1;

    l->rank = l->settings->rank;
    if (l->rank == HS_RANK_DEFAULT && law_has_name(l, "dmda"))
        l->rank = HS_RANK_FIFO;
    else if (l->rank == HS_RANK_DEFAULT)
        l->rank = hs_instance_has_graph(l->s->in) || law_has_name(l, "dualhp") ? HS_RANK_MIN
                                                                               : HS_RANK_GIVEN;
    if (law_has_name(l, "dynamic") || law_has_name(l, "h-ratio") || law_has_name(l, "d-rank"))
        l->rank = HS_RANK_FIFO;
    if (law_rank_is_path_length(l))
        literal_ranks(l->s, l->rank, l->b);
    literal_next_ranks(l->s, l->key);
    for (int w = 0; w < WORKERS; w++)
        l->lane[w] = (lane){.task = NOBODY, .ahead = NOBODY};
    for (size_t i = 0; i < sizeof l->piece / sizeof none; i++)
        ((double *)l->piece)[i] = none;
    for (size_t i = 0; i < sizeof l->copy / sizeof none; i++)
        ((double *)l->copy)[i] = none;
    if (l->rules->plan)
        law_read_plan(l);
}

size_t literal_graph_run(const graph_sample *s, const literal_rules *rules, hs_placement *out,
                         size_t most)
{
    static const hs_policy_settings defaults = {.struct_size = sizeof defaults};
    static law                      l;
    double                          due[TASKS] = {0};

    if (strcmp(rules->name, "plan+steal") == 0)
        law_simulate_plan(s, rules->plan, due);
    l = (law){.s = s,
              .rules = rules,
              .settings = rules->settings ? rules->settings : &defaults,
              .out = out,
              .most = most};
    memcpy(l.due, due, sizeof due);
    open_law(&l);
    for (; !isinf(l.now); l.now = next_time(&l)) {
        size_t news;

        end_finished_tasks(&l);
        news = make_ready(&l);
        if (news > 0 && law_has_name(&l, "dualhp"))
            law_assign_types(&l);
        while (advance_clock(&l))
            ;
    }
    return l.count;
}
