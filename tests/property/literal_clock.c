/* SPDX-License-Identifier: BSD-3-Clause */
/* The virtual clock of the literal policies: events in order of time. */
#include <math.h>
#include <string.h>

#include "literal_law.h"

void law_leave_fifo(law *l, int t)
{
    size_t i = 0;

    while (i < l->ready && l->fifo[i] != t)
        i++;
    if (i < l->ready)
        memmove(&l->fifo[i], &l->fifo[i + 1], (--l->ready - i) * sizeof *l->fifo);
}

void law_hold_from(law *l, int w, int t, double start)
{
    law_leave_fifo(l, t);
    l->state[t] = TAKEN;
    l->lane[w].task = t;
    l->lane[w].start = start;
}

void law_hold(law *l, int w, int t)
{
    double start = law_arrival(l, t, w);

    law_start_transfers(l, t, w);
    law_hold_from(l, w, t, start);
}

static void note(law *l, int w, int t, double start, double end, hs_state how)
{
    GRAPH_REQUIRE(l->s, l->count < l->most, "it never ends");
    l->out[l->count++] = (hs_placement){start, end, (uint32_t)t, (uint32_t)w, how};
}

double law_end_of(const law *l, int w)
{
    return l->lane[w].task < 0 ? l->now : l->lane[w].start + time_on(l, w, l->lane[w].task);
}

static double true_end(const law *l, int w)
{
    return l->lane[w].start + true_time(l, w, l->lane[w].task);
}

double law_end_of_ahead(const law *l, int w)
{
    return fmax(law_end_of(l, w), l->lane[w].there) + time_on(l, w, l->lane[w].ahead);
}

static bool has_ended(const law *l, int w)
{
    const lane *a = &l->lane[w];

    return a->task >= 0 && a->start <= l->now && true_end(l, w) <= l->now;
}

static void all_that_ends(law *l)
{
    for (int i = 0; i < workers(l); i++) {
        int w = worker_at(l, i), t = l->lane[w].task;

        if (!has_ended(l, w))
            continue;
        note(l, w, t, l->lane[w].start, true_end(l, w), HS_RUN);
        l->state[t] = DONE;
        l->done_at[t] = l->now;
        l->node[t] = (int)node_of(l, w);
        l->lane[w].task = NOBODY;
    }
}

static bool is_free(const law *l, int t)
{
    for (size_t from = 0; from < l->s->n; from++)
        if (l->s->edge[from][t] && l->state[from] != DONE)
            return false;
    return l->state[t] == BLOCKED;
}

/* Make free tasks ready; return their number. */
static size_t all_that_becomes_ready(law *l)
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

void law_give_up(law *l, int w, int t)
{
    lane *a = &l->lane[w];

    if (a->ahead == t) {
        a->ahead = NOBODY;
        return;
    }
    if (a->start < l->now)
        note(l, w, t, a->start, l->now, HS_ABORTED);
    a->task = NOBODY;
}


static bool step(law *l)
{
    if (is_named(l, "dynamic"))
        return law_dynamic_step(l);
    if (is_named(l, "h-ratio") || is_named(l, "d-rank"))
        return law_rank_step(l);
    if (is_named(l, "dmda"))
        return law_dmda_step(l);
    if (is_named(l, "plan"))
        return law_plan_step(l);
    if (is_named(l, "plan+steal"))
        return law_late_step(l);
    return law_one_acts(l) || law_one_looks_ahead(l);
}

/* Return the time of the next event; infinity: none. */
static double next_time(const law *l)
{
    double next = is_named(l, "plan+steal") ? law_late_moment(l) : INFINITY;

    for (int w = 0; w < workers(l); w++)
        if (l->lane[w].task >= 0)
            next = fmin(next, l->lane[w].start > l->now ? l->lane[w].start : true_end(l, w));
    return next;
}

static void begin(law *l)
{
    double none = -1;

    l->rank = l->settings->rank;
    if (l->rank == HS_RANK_DEFAULT && is_named(l, "dmda"))
        l->rank = HS_RANK_FIFO;
    else if (l->rank == HS_RANK_DEFAULT)
        l->rank =
            hs_instance_has_graph(l->s->in) || is_named(l, "dualhp") ? HS_RANK_MIN : HS_RANK_GIVEN;
    if (is_named(l, "dynamic") || is_named(l, "h-ratio") || is_named(l, "d-rank"))
        l->rank = HS_RANK_FIFO;
    if (law_is_length(l))
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

size_t literal_graph(const graph_sample *s, const literal_rules *rules, hs_placement *out,
                     size_t most)
{
    static const hs_policy_settings defaults = {.struct_size = sizeof defaults};
    static law                      l;
    double                          due[TASKS] = {0};

    if (strcmp(rules->name, "plan+steal") == 0)
        law_rehearse(s, rules->plan, due);
    l = (law){.s = s,
              .rules = rules,
              .settings = rules->settings ? rules->settings : &defaults,
              .out = out,
              .most = most};
    memcpy(l.due, due, sizeof due);
    begin(&l);
    for (; !isinf(l.now); l.now = next_time(&l)) {
        size_t news;

        all_that_ends(&l);
        news = all_that_becomes_ready(&l);
        if (news > 0 && is_named(&l, "dualhp"))
            law_assign_types(&l);
        while (step(&l))
            ;
    }
    return l.count;
}
