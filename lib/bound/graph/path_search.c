/* SPDX-License-Identifier: BSD-3-Clause */
#include "bound/graph/path_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/order.h"
#include "glpk/error_guard.h"

enum { PATHS_A_ROUND = 40 };

#define CLOSE_ENOUGH 1e-9

static hs_status open_search(hsi_path_search *s)
{
    const hsi_problem *pb = s->pb;
    hsi_arena         *arena = &s->arena;
    size_t             vertices = pb->graph->vertices;
    hs_status          st = HS_OK;

    s->share = hsi_arena_alloc(arena, pb->n, sizeof *s->share);
    s->best = hsi_arena_alloc(arena, pb->n, sizeof *s->best);
    s->step = hsi_arena_alloc(arena, 2 * vertices + 1, sizeof *s->step);
    s->counted = hsi_arena_alloc(arena, pb->n, sizeof *s->counted);
    s->seen = hsi_arena_alloc(arena, vertices, 1);
    if (!s->share || !s->best || !s->step || !s->counted || !s->seen)
        return HS_ENOMEM;
    if (s->jumps)
        st = hsi_tasks_between_open(&s->between, pb, &s->stop, arena);
    s->flow.between = s->jumps ? &s->between : NULL;
    if (st == HS_OK)
        st = hsi_longest_paths_open(&s->paths, pb, s->flow.between, &s->stop, arena);
    if (st != HS_OK)
        return st;
    s->span = INFINITY;
    return hsi_path_lp_open(&s->lp, pb);
}

void hsi_path_search_close(hsi_path_search *s)
{
    hsi_path_lp_close(&s->lp);
    hsi_flow_close(&s->flow);
    hsi_arena_close(&s->arena);
}

/* Return the makespan of the shares: the larger of the average loads and the longest path. */
static double span_of(const hsi_path_search *s, double longest)
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

static hs_status add_to_lp(hsi_path_search *s, const uint32_t *step, size_t count)
{
    hs_status st = hsi_flow_add_path(&s->flow, step, count);

    if (st == HS_OK)
        hsi_path_lp_add_path(&s->lp, s->counted,
                             hsi_path_expand_jumps(s->paths.between, step, count, s->counted));
    return st;
}

static bool has_path(const hsi_flow *flow, const uint32_t *step, size_t count)
{
    for (size_t i = 0; i < hsi_flow_paths(flow); i++) {
        size_t          size;
        const uint32_t *other = hsi_flow_path(flow, i, &size);

        if (size == count && memcmp(other, step, count * sizeof *step) == 0)
            return true;
    }
    return false;
}

/* Add the longest path through a vertex, and mark its vertices as seen. The LP may already have the
 * path, which then exceeds T by rounding or by the LP's tolerance. */
static hs_status add_path(hsi_path_search *s, uint32_t middle, int *found)
{
    size_t count = hsi_longest_path_through(&s->paths, middle, s->step, s->seen);

    if (has_path(&s->flow, s->step, count))
        return HS_OK;
    ++*found;
    return add_to_lp(s, s->step, count);
}

/* Add paths longer than `most` at the current shares, each with a vertex that is on no path
 * added before. */
static hs_status add_paths(hsi_path_search *s, double most, int *found)
{
    size_t    vertices = s->pb->graph->vertices;
    hsi_mark  mark = hsi_arena_mark(&s->arena);
    double   *length = hsi_arena_alloc(&s->arena, vertices, sizeof *length);
    uint32_t *order = hsi_arena_alloc(&s->arena, vertices, sizeof *order);
    hs_status st = length && order ? HS_OK : HS_ENOMEM;

    *found = 0;
    for (size_t i = 0; st == HS_OK && i < vertices; i++)
        length[i] = hsi_longest_path_length(&s->paths, (uint32_t)i);
    if (st == HS_OK)
        st = hsi_order_by_time(&s->arena, length, vertices, order, s->pb->token);
    memset(s->seen, 0, vertices);
    for (size_t i = 0; st == HS_OK && i < vertices && *found < PATHS_A_ROUND; i++) {
        if (!(length[order[i]] > most))
            break;
        if (s->seen[order[i]])
            continue;
        st = add_path(s, order[i], found);
    }
    hsi_arena_release(&s->arena, mark);
    return st;
}

static void move_between_shares(hsi_path_search *s, double part)
{
    for (size_t i = 0; i < s->pb->n; i++)
        s->share[i] =
            isinf(s->span) ? s->lp.share[i] : part * s->lp.share[i] + (1 - part) * s->best[i];
}

/* Look for long paths at a point between the best shares and the LP's; *found: number of paths
 * added. */
static hs_status find_violated_paths(hsi_path_search *s, double part, int *found)
{
    double most = s->lp.makespan, longest, span;

    move_between_shares(s, part);
    if (isfinite(s->span))
        most = part * most + (1 - part) * s->span;
    longest = hsi_longest_paths_find(&s->paths, s->share);
    *found = 0;
    s->limit_reached = s->paths.stopped;
    if (s->limit_reached)
        return HS_OK;
    span = span_of(s, longest);
    if (span < s->span) {
        s->span = span;
        memcpy(s->best, s->share, s->pb->n * sizeof *s->best);
    }
    return add_paths(s, most + most * CLOSE_ENOUGH / 4, found);
}

/* Copy the multipliers of the last LP to the flow. */
static void keep_multipliers(hsi_path_search *s)
{
    memcpy(s->flow.multiplier, s->lp.multiplier, sizeof s->flow.multiplier);
    for (size_t i = 0; i < hsi_flow_paths(&s->flow); i++)
        hsi_flow_amounts(&s->flow)[i] = hsi_path_lp_multiplier(&s->lp, i);
}

static bool is_close(const hsi_path_search *s)
{
    return s->span - s->lp.makespan <= CLOSE_ENOUGH * s->lp.makespan;
}

/* Add the paths with a flow of the search `known`. */
static hs_status add_known(hsi_path_search *s)
{
    hs_status st = HS_OK;

    for (size_t i = 0; s->known && i < hsi_flow_paths(s->known) && st == HS_OK; i++) {
        size_t          count;
        const uint32_t *step = hsi_flow_path(s->known, i, &count);

        if (hsi_flow_amounts(s->known)[i] > 0)
            st = add_to_lp(s, step, count);
    }
    return st;
}

/* Solve the LP and add paths until no path is too long. Runs under the guard for GLPK. */
static hs_status solve_and_add_paths(void *data)
{
    hsi_path_search *s = data;
    hs_status        st = HS_OK;
    int              found = 1, optimal;

    hsi_path_lp_create_glpk_problem(&s->lp);
    st = add_known(s);
    while (found && st == HS_OK) {
        st = hsi_path_lp_solve(&s->lp, &s->stop, &optimal);
        s->limit_reached = st == HS_OK && !optimal;
        if (st != HS_OK || !optimal)
            break;
        keep_multipliers(s);
        found = 0;
        if (!is_close(s))
            st = find_violated_paths(s, 0.5, &found);
        if (st == HS_OK && !found && !s->limit_reached && !is_close(s))
            st = find_violated_paths(s, 1, &found);
    }
    hsi_path_lp_delete_glpk_problem(&s->lp);
    return st;
}

/* Run the search. A flow that was found before a failure of the solver is valid. */
hs_status hsi_path_search_run(hsi_path_search *s, double *value)
{
    hs_status st = open_search(s);

    s->limit_reached = s->between.stopped;
    if (st == HS_OK && !s->limit_reached)
        st = hsi_glpk_guarded(solve_and_add_paths, s);
    if (hsi_poll(s->pb->token) || hsi_cancelled(s->stop.settings))
        return HS_ECANCELED;
    return st == HS_OK || st == HS_ESOLVER ? hsi_flow_proved_bound(&s->flow, s->pb, value) : st;
}

/* Copy the paths with a flow to the certificate. */
static hs_status keep_paths(const hsi_flow *flow, hs_certificate *c)
{
    size_t paths = hsi_flow_paths(flow);

    c->path = calloc(paths + 1, sizeof *c->path);
    for (size_t i = 0; c->path && i < paths; i++) {
        size_t          count;
        const uint32_t *step = hsi_flow_path(flow, i, &count);
        hsi_proof_path *path = &c->path[c->paths];

        if (hsi_flow_amounts(flow)[i] == 0)
            continue;
        *path = (hsi_proof_path){hsi_flow_amounts(flow)[i], count,
                                 malloc((count + 1) * sizeof *path->step)};
        if (!path->step)
            return HS_ENOMEM;
        memcpy(path->step, step, count * sizeof *step);
        c->paths++;
    }
    return c->path ? HS_OK : HS_ENOMEM;
}

hs_status hsi_path_search_certify(const hsi_path_search *s, double value, hs_certificate *c)
{
    c->value = value;
    c->proof = HSI_PROOF_GRAPH;
    memcpy(c->multiplier, s->flow.multiplier, sizeof c->multiplier);
    hsi_proof_paths_free(c->paths, c->path);
    c->path = NULL;
    c->paths = 0;
    return keep_paths(&s->flow, c);
}
