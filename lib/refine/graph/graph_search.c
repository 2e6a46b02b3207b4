/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Annealing in rounds: each stream anneals with its own random numbers; after a round the best
 * schedule becomes the start of the next. The lowest stream wins among equals. A round takes half
 * of the remaining time, down to a minimum. With counted iterations the number of streams is fixed,
 * and the clock is not used.
 */
#include "refine/graph/graph_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "refine/graph/graph_proof.h"
#include "refine/graph/seeds.h"
#include "refine/team.h"

enum {
    LEAST_STEPS = 2000, /* minimal length of a round of one stream */
    TINY = 12,          /* limit of tasks for a complete search before annealing */
    TINY_NODES = 30000  /* limit of the nodes of this search: mostly about a hundred are needed,
                           which take some milliseconds */
};

static const double least_seconds = 0.2;                      /* minimal length of a round, in
                                                                 seconds */
static const double first_seconds = 1, first_of_small = 0.02; /* length of the first round, without
                                                                 and with a prover; rounds double */
static const double tiny_seconds = 0.1;
static const double heat = 0.4; /* temperature divided by makespan / tasks */

typedef struct stream {
    hsi_random        random;
    hsi_graph_anneal *anneal;
    hsi_graph_run     run;
    hsi_genes         best;
} stream;

typedef struct search {
    hsi_best        *best;
    stream          *streams;
    unsigned         count;
    unsigned         round;
    uint64_t         first;  /* iterations before the counted ones */
    hsi_best_prover *prover; /* prover beside the search; NULL: the graph is too large */
    hsi_arena        arena;
} search;

static hs_status open_stream(search *s, unsigned number)
{
    stream *it = &s->streams[number];
    size_t  n = s->best->pb.n;

    hsi_random_seed(&it->random, s->best->settings->seed, number);
    it->best.place = hsi_arena_alloc(&s->arena, n, sizeof *it->best.place);
    it->best.weight = hsi_arena_alloc(&s->arena, n, sizeof *it->best.weight);
    if (!it->best.place || !it->best.weight)
        return HS_ENOMEM;
    return hsi_graph_anneal_open(&s->best->seeds->arcs, &it->anneal);
}

static hs_status open_search(search *s, hsi_best *best)
{
    hs_status st = HS_OK;

    *s = (search){.best = best, .count = hsi_stream_count(best->settings)};
    s->streams = calloc(s->count, sizeof *s->streams);
    if (!s->streams)
        return HS_ENOMEM;
    for (unsigned i = 0; st == HS_OK && i < s->count; i++)
        st = open_stream(s, i);
    return st == HS_OK ? hsi_best_prover_open(best, &s->prover) : st;
}

static void close_search(search *s)
{
    for (unsigned i = 0; s->streams && i < s->count; i++)
        hsi_graph_anneal_close(s->streams[i].anneal);
    hsi_best_prover_close(s->prover);
    free(s->streams);
    hsi_arena_close(&s->arena);
}

static void run_stream(void *data, unsigned number, const hsi_interrupt *interrupt)
{
    search *s = data;
    stream *it = &s->streams[number];

    hsi_graph_anneal_run(it->anneal, &it->random, &it->run, interrupt, &s->best->seeds->best,
                         &it->best);
}

static uint64_t steps_left(const search *s)
{
    const hsi_best *best = s->best;
    uint64_t        done = best->report->iterations - s->first;
    uint64_t        all = best->settings->iterations;

    return done < all ? all - done : 0;
}

/* Set the length of the next round. */
static hsi_graph_run plan_round(const search *s)
{
    const hsi_best *best = s->best;
    hsi_graph_run   run = {.begin = hsi_clock_seconds(),
                           .hot = heat / (double)best->pb.n * best->seeds->best.makespan,
                           .enough = hsi_best_sufficient_bound(best)};
    double          left = best->stop.end - run.begin;
    double          doubling =
        ldexp(s->prover ? first_of_small : first_seconds, s->round < 12 ? (int)s->round : 12);

    if (best->counted) {
        uint64_t share = (steps_left(s) + s->count - 1) / s->count;

        run.steps = share < 2 * LEAST_STEPS ? share : share / 2;
    } else if (isinf(left) || (s->prover && doubling < left / 2)) {
        run.end = run.begin + doubling;
    } else {
        run.end = run.begin + (left < 2 * least_seconds ? left : left / 2);
    }
    return run;
}

/* Collect the results in the order of the streams. */
static hs_status collect_results(search *s)
{
    hsi_best  *best = s->best;
    hsi_seeds *seeds = best->seeds;

    for (unsigned i = 0; i < s->count; i++) {
        best->report->iterations += s->streams[i].run.made;
        hsi_seeds_keep_if_better(seeds, &s->streams[i].best);
    }
    s->round++;
    return hsi_seeds_offer_best(best);
}

/* Continue the proof for the time of the round, or for a node per step of its streams; eight times
 * longer if the caller wants a proof. */
static hs_status continue_proof(search *s, const hsi_graph_run *run)
{
    double   times = s->best->proves ? 8 : 1;
    uint64_t nodes = (uint64_t)times * run->steps * s->count, left = steps_left(s);

    if (s->best->counted && left == 0)
        return HS_OK;
    return hsi_best_prover_continue(s->prover, times * (hsi_clock_seconds() - run->begin),
                                    nodes < left ? nodes : left);
}

static hs_status run_round(search *s)
{
    hsi_graph_run run = plan_round(s);
    hs_status     st;

    s->best->phase = "local search";
    for (unsigned i = 0; i < s->count; i++) {
        s->streams[i].run = run;
        s->streams[i].best.makespan = s->best->seeds->best.makespan;
    }
    st = hsi_team_run(s->best->settings, s->count, &s->best->interrupt, run_stream, s);
    if (st == HS_OK)
        st = collect_results(s);
    if (st == HS_OK && !hsi_best_prover_ended(s->prover) && hsi_best_may_continue(s->best))
        st = continue_proof(s, &run);
    return st;
}

/* Search a tiny graph completely before annealing, even with few iterations. */
static hs_status prove_tiny(search *s)
{
    hsi_best *best = s->best;
    hs_status st = HS_OK;

    if (s->prover && best->pb.n <= TINY && hsi_best_may_continue(best))
        st = hsi_best_prover_continue(s->prover, tiny_seconds, TINY_NODES);
    s->first = best->report->iterations;
    return st;
}

hs_status hsi_graph_anneal_rounds(hsi_best *best)
{
    search    s;
    hs_status st;

    if (!best->seeds)
        return HS_OK;
    st = open_search(&s, best);
    if (st == HS_OK)
        st = prove_tiny(&s);
    while (st == HS_OK && hsi_best_may_continue(best) && (!best->counted || steps_left(&s) > 0))
        st = run_round(&s);
    if (best->counted && steps_left(&s) == 0)
        best->report->limit_reached = true;
    close_search(&s);
    return st;
}
