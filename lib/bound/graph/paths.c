/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The area LP in which no path through the graph may take longer than T. There are too many paths
 * to write them all down: those are added that the shares of the LP so far make longer than T,
 * until there are none.
 *
 * Paths are not looked for at the LP's own shares, which jump from corner to corner, but halfway
 * from them to the best shares that were seen. What is too long there, for the T halfway, is too
 * long at the LP's too; and if nothing is, that is a better place, with a T that can be had.
 * So the values at both ends close in on each other.
 *
 * Each LP's multipliers prove a value (bound/graph/flow.h): it may be stopped at any time.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bound/bound.h"
#include "bound/divisible.h"
#include "bound/graph/flow.h"
#include "bound/graph/paths.h"
#include "bound/graph/spans.h"
#include "core/certificate.h"
#include "core/order.h"
#include "solver/guard.h"
#include "solver/path_lp.h"

enum {
    PATHS_A_ROUND = 40,
    MOST_TASKS = 1000000 /* GLPK takes half a gigabyte */
};

#define CLOSE_ENOUGH 1e-9

typedef struct search {
    const hsi_problem *pb;
    hsi_stop           stop;
    hsi_arena          arena;
    hsi_path_lp        lp;
    hsi_flow           flow;
    double            *share, *best;   /* of tasks on CPUs: halfway, and the best seen */
    double             span;           /* what the best takes */
    double            *time;           /* of vertices, in the shares halfway */
    double            *head, *tail;    /* the longest ways to them and from them, with them */
    uint32_t          *before, *after; /* where those come from and go to; HS_NOBODY: nowhere */
    uint32_t          *way;            /* room for one */
    int                limit_reached;
    unsigned char     *seen;           /* of vertices: on a path of this round */
} search;

static hs_status open_search(search *s)
{
    const hsi_problem *pb = s->pb;
    hsi_arena         *arena = &s->arena;
    size_t             vertices = pb->graph->vertices;

    s->share = hsi_arena_take(arena, pb->n, sizeof *s->share);
    s->best = hsi_arena_take(arena, pb->n, sizeof *s->best);
    s->time = hsi_arena_take(arena, vertices, sizeof *s->time);
    s->head = hsi_arena_take(arena, vertices, sizeof *s->head);
    s->tail = hsi_arena_take(arena, vertices, sizeof *s->tail);
    s->before = hsi_arena_take(arena, vertices, sizeof *s->before);
    s->after = hsi_arena_take(arena, vertices, sizeof *s->after);
    s->way = hsi_arena_take(arena, pb->n, sizeof *s->way);
    s->seen = hsi_arena_take(arena, vertices, 1);
    if (!s->share || !s->best || !s->time || !s->head || !s->tail || !s->before || !s->after ||
        !s->way || !s->seen)
        return HS_ENOMEM;
    s->span = INFINITY;
    return hsi_path_lp_open(&s->lp, pb);
}

static void close_search(search *s)
{
    hsi_path_lp_close(&s->lp);
    hsi_flow_close(&s->flow);
    hsi_arena_close(&s->arena);
}

/* What a vertex takes, run on both types in these shares. */
static double time_of(const search *s, uint32_t vertex)
{
    const hsi_problem *pb = s->pb;

    if (hsi_is_barrier(pb->graph, vertex))
        return 0;
    if (isinf(pb->p[vertex]) || isinf(pb->q[vertex]))
        return fmin(pb->p[vertex], pb->q[vertex]);
    return s->share[vertex] * pb->p[vertex] + (1 - s->share[vertex]) * pb->q[vertex];
}

/* Which of them has the longest way; HS_NOBODY: there are none. */
static uint32_t longest_of(const double *way, const uint32_t *vertices, size_t count)
{
    uint32_t which = HS_NOBODY;

    for (size_t i = 0; i < count; i++)
        if (which == HS_NOBODY || way[vertices[i]] > way[which])
            which = vertices[i];
    return which;
}

/* The longest ways to all vertices and from them; the longest of all. */
static double find_ways(search *s)
{
    const hs_graph *g = s->pb->graph;
    double          longest = 0;
    size_t          count;

    for (size_t i = 0; i < g->vertices; i++) {
        uint32_t        v = hsi_in_order(g, i);
        const uint32_t *before = hsi_predecessors(g, v, &count);

        s->time[v] = time_of(s, v);
        s->before[v] = longest_of(s->head, before, count);
        s->head[v] = s->time[v] + (s->before[v] == HS_NOBODY ? 0 : s->head[s->before[v]]);
        longest = fmax(longest, s->head[v]);
    }
    for (size_t i = g->vertices; i-- > 0;) {
        uint32_t        v = hsi_in_order(g, i);
        const uint32_t *after = hsi_successors(g, v, &count);

        s->after[v] = longest_of(s->tail, after, count);
        s->tail[v] = s->time[v] + (s->after[v] == HS_NOBODY ? 0 : s->tail[s->after[v]]);
    }
    return longest;
}

/* What the shares come to: the loads, and the longest path. */
static double span_of(const search *s, double longest)
{
    const hsi_problem *pb = s->pb;
    double             load[2] = {0, 0};

    for (size_t i = 0; i < pb->n; i++) {
        if (s->share[i] > 0)
            load[HS_CPU] += s->share[i] * pb->p[i];
        if (s->share[i] < 1)
            load[HS_GPU] += (1 - s->share[i]) * pb->q[i];
    }
    longest = fmax(longest, pb->m ? load[HS_CPU] / pb->m : 0);
    return fmax(longest, pb->k ? load[HS_GPU] / pb->k : 0);
}

/* The longest path through a vertex; all that is on it has been seen then. */
static hs_status add_path(search *s, uint32_t middle)
{
    const hs_graph *g = s->pb->graph;
    size_t          count = s->pb->n, begin = count;
    hs_status       st;

    for (uint32_t v = middle; v != HS_NOBODY; v = s->before[v]) {
        s->seen[v] = 1;
        if (!hsi_is_barrier(g, v))
            s->way[--begin] = v;
    }
    memmove(s->way, s->way + begin, (count - begin) * sizeof *s->way);
    count -= begin;
    for (uint32_t v = s->after[middle]; v != HS_NOBODY; v = s->after[v]) {
        s->seen[v] = 1;
        if (!hsi_is_barrier(g, v))
            s->way[count++] = v;
    }
    st = hsi_flow_add(&s->flow, s->way, count);
    if (st == HS_OK)
        hsi_path_lp_add(&s->lp, s->way, count);
    return st;
}

/* Paths longer than `most` in the shares halfway, each with a vertex that is on no other. */
static hs_status add_paths(search *s, double most, int *found)
{
    size_t    vertices = s->pb->graph->vertices;
    hsi_mark  mark = hsi_arena_mark(&s->arena);
    double   *length = hsi_arena_take(&s->arena, vertices, sizeof *length);
    uint32_t *order = hsi_arena_take(&s->arena, vertices, sizeof *order);
    hs_status st = length && order ? HS_OK : HS_ENOMEM;

    *found = 0;
    for (size_t i = 0; st == HS_OK && i < vertices; i++)
        length[i] = s->head[i] + s->tail[i] - s->time[i];
    if (st == HS_OK)
        st = hsi_order_by_time_in(&s->arena, length, vertices, order,
                                  s->pb->asker);
    memset(s->seen, 0, vertices);
    for (size_t i = 0; st == HS_OK && i < vertices && *found < PATHS_A_ROUND; i++) {
        if (!(length[order[i]] > most))
            break;
        if (s->seen[order[i]])
            continue;
        st = add_path(s, order[i]);
        ++*found;
    }
    hsi_arena_release(&s->arena, mark);
    return st;
}

static void go_halfway(search *s, double part)
{
    for (size_t i = 0; i < s->pb->n; i++)
        s->share[i] =
            isinf(s->span) ? s->lp.share[i] : part * s->lp.share[i] + (1 - part) * s->best[i];
}

/* Looks for paths between the best shares and the LP's; *found: how many there are. */
static hs_status separate(search *s, double part, int *found)
{
    double most = s->lp.makespan, longest, span;

    go_halfway(s, part);
    if (isfinite(s->span))
        most = part * most + (1 - part) * s->span;
    longest = find_ways(s);
    span = span_of(s, longest);
    if (span < s->span) {
        s->span = span;
        memcpy(s->best, s->share, s->pb->n * sizeof *s->best);
    }
    return add_paths(s, most + most * CLOSE_ENOUGH / 4, found);
}

/* The last LP's multipliers, and what they prove. */
static void keep_multipliers(search *s)
{
    memcpy(s->flow.multiplier, s->lp.multiplier, sizeof s->flow.multiplier);
    for (size_t i = 0; i < hsi_flow_ways(&s->flow); i++)
        hsi_flow_amounts(&s->flow)[i] = hsi_path_lp_multiplier(&s->lp, i);
}

static int is_close(const search *s)
{
    return s->span - s->lp.makespan <= CLOSE_ENOUGH * s->lp.makespan;
}

/* Under the guard. */
static hs_status iterate(void *data)
{
    search   *s = data;
    hs_status st = HS_OK;
    int       found = 1, optimal;

    hsi_path_lp_build(&s->lp);
    while (found && st == HS_OK) {
        st = hsi_path_lp_solve(&s->lp, &s->stop, &optimal);
        s->limit_reached = st == HS_OK && !optimal;
        if (st != HS_OK || !optimal)
            break;
        keep_multipliers(s);
        found = 0;
        if (!is_close(s))
            st = separate(s, 0.5, &found);
        if (st == HS_OK && !found && !is_close(s))
            st = separate(s, 1, &found);
    }
    hsi_path_lp_drop(&s->lp);
    return st;
}

/* What was found before something failed is good. */
static hs_status find_flow(search *s, double *value)
{
    hs_status st = open_search(s);

    if (st == HS_OK)
        st = hsi_glpk_guarded(iterate, s);
    if (hsi_ask(s->pb->asker) || hsi_canceled(s->stop.settings))
        return HS_ECANCELED;
    return st == HS_OK || st == HS_ESOLVER ? hsi_flow_value(&s->flow, s->pb, value) : st;
}

/* What the LP's value cannot be less than, each by itself. */
static hs_status find_least(const hsi_problem *pb, const hs_settings *settings, double *least)
{
    hsi_problem alone = *pb;
    double      longest = 0;
    hs_status   st = hsi_bound_of_rows(&hsi_bound_critical_path, pb, settings, &longest, NULL);

    alone.graph = NULL;
    if (st == HS_OK)
        st = hsi_bound_of_rows(&hsi_bound_theorem2, &alone, settings, least, NULL);
    *least = fmax(*least, longest);
    return st;
}

/* *flow: what the multipliers prove; *value: that, or what is known otherwise. */
static hs_status find(search *s, double *flow, double *value)
{
    hs_status st = s->pb->n > MOST_TASKS ? HS_ETOOBIG : HS_OK;

    *flow = *value = 0;
    if (st == HS_OK)
        st = find_least(s->pb, s->stop.settings, value);
    if (st == HS_OK)
        st = find_flow(s, flow);
    *value = fmax(*value, *flow);
    return st;
}

hs_status hsi_paths_find(const hsi_problem *pb, const hs_settings *settings, double *value,
                         double *share, int *known)
{
    search    s = {.pb = pb, .stop = hsi_stop_after(settings, HSI_BOUND_SECONDS)};
    double    flow;
    hs_status st = find(&s, &flow, value);

    *known = st == HS_OK && isfinite(s.span) && s.span > 0;
    if (*known)
        memcpy(share, s.best, pb->n * sizeof *share);
    close_search(&s);
    return st;
}

static hs_status compute(const hsi_problem *pb, const hs_settings *settings, double *value,
                         hs_bound_report *report)
{
    search    s = {.pb = pb, .stop = hsi_stop_after(settings, HSI_BOUND_SECONDS)};
    double    flow;
    hs_status st;

    if (!pb->graph) /* each task is a path of its own, and deadline says more */
        return hsi_bound_of_rows(&hsi_bound_deadline, pb, settings, value, report);
    st = find(&s, &flow, value);
    report->limit_reached = s.limit_reached;
    close_search(&s);
    return st;
}

/* The ways on which something flows. */
static hs_status keep_ways(const hsi_flow *flow, hs_certificate *c)
{
    size_t ways = hsi_flow_ways(flow);

    c->way = calloc(ways + 1, sizeof *c->way);
    for (size_t i = 0; c->way && i < ways; i++) {
        size_t          count;
        const uint32_t *task = hsi_flow_way(flow, i, &count);
        hsi_proof_way  *way = &c->way[c->ways];

        if (hsi_flow_amounts(flow)[i] == 0)
            continue;
        *way = (hsi_proof_way){hsi_flow_amounts(flow)[i], count,
                               malloc((count + 1) * sizeof *way->task)};
        if (!way->task)
            return HS_ENOMEM;
        memcpy(way->task, task, count * sizeof *task);
        c->ways++;
    }
    return c->way ? HS_OK : HS_ENOMEM;
}

static hs_status keep(const hsi_flow *flow, double value, hs_certificate *c)
{
    c->value = value;
    c->proof = HSI_PROOF_GRAPH;
    memcpy(c->multiplier, flow->multiplier, sizeof c->multiplier);
    return keep_ways(flow, c);
}

static hs_status certify(const hs_bound *bound, const hsi_problem *pb, const hs_settings *settings,
                         hs_certificate *c)
{
    search    s = {.pb = pb, .stop = hsi_stop_after(settings, HSI_BOUND_SECONDS)};
    double    flow, value;
    hs_status st;

    if (!pb->graph)
        return hsi_certify_divisible(bound, pb, settings, c);
    st = find(&s, &flow, &value);
    if (st == HS_OK)
        st = hsi_certify_value(pb, value, c);
    if (st == HS_OK && flow > c->value)
        st = keep(&s.flow, flow, c);
    close_search(&s);
    return st;
}

const hs_bound hsi_bound_paths = {
    .name = "paths",
    .summary = "tasks may be cut, but no path through the graph takes longer (LP by GLPK)",
    .source = "Agullo, Beaumont, Eyraud-Dubois, Herrmann, Kumar, Marchal, Thibault 2015",
    .cost = "a linear program of n columns and the paths that matter; up to 1,000,000 tasks",
    .graph = 1,
    .compute = compute,
    .certify = certify,
};
