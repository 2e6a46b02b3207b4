/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Annealing in rounds: each stream anneals with its own random numbers; after a round the best
 * schedule becomes the start of the next. The lowest stream wins among equals. Rounds double in
 * length, up to half of the remaining time. With counted iterations the number of streams is fixed,
 * the clock is not used, and a limit cuts the last round: more iterations are never worse.
 *
 * After a round, the streams search large neighbourhoods if transfers take time, and the caller's
 * thread continues the proof. Without counted iterations, it does so beside the other streams.
 */
#include "refine/graph/graph_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "refine/graph/graph_proof.h"
#include "refine/graph/places/neighbourhoods.h"
#include "refine/graph/seeds.h"
#include "refine/team.h"

enum {
    FIRST_STEPS = 64, /* length of the first round of one stream, with counted iterations */
    MOST_DOUBLINGS = 20,
    TINY = 12,         /* limit of tasks for a complete search before annealing */
    TINY_NODES = 30000 /* limit of the nodes of this search: mostly about a hundred are needed,
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
    hsi_neighbourhoods   *neighbourhoods; /* NULL: they do not suit the graph */
    hsi_neighbourhood_run near;           /* run of `neighbourhoods` */
    hs_schedule          *found;          /* shorter schedule of this run, or NULL */
    hs_status             status;         /* status of this run */
} stream;

typedef struct search {
    hsi_best        *best;
    stream          *streams;
    unsigned         count;
    unsigned         round;
    uint64_t         first;  /* iterations before the counted ones */
    hsi_best_prover *prover; /* prover beside the search; NULL: the graph is too large */
    double           seconds; /* length of the latest round of annealing */
    hs_status        proof;   /* status of the proof beside other streams */
    hsi_arena        arena;
} search;

static hs_status open_stream(search *s, unsigned number)
{
    stream   *it = &s->streams[number];
    size_t    n = s->best->pb.n;
    hs_status st;

    hsi_random_seed(&it->random, s->best->settings->seed, number);
    it->best.place = hsi_arena_alloc(&s->arena, n, sizeof *it->best.place);
    it->best.weight = hsi_arena_alloc(&s->arena, n, sizeof *it->best.weight);
    if (!it->best.place || !it->best.weight)
        return HS_ENOMEM;
    st = hsi_neighbourhoods_open(&s->best->seeds->arcs, &it->neighbourhoods);
    if (st != HS_OK && st != HS_ETOOBIG)
        return st;
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
    for (unsigned i = 0; s->streams && i < s->count; i++) {
        hsi_graph_anneal_close(s->streams[i].anneal);
        hsi_neighbourhoods_close(s->streams[i].neighbourhoods);
    }
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

/* Return `steps`, or each stream's share of the steps left if that is less. */
static uint64_t share_of(const search *s, uint64_t steps)
{
    uint64_t share = (steps_left(s) + s->count - 1) / s->count;

    return steps < share ? steps : share;
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
        run.steps = (uint64_t)FIRST_STEPS
                    << (s->round < MOST_DOUBLINGS ? s->round : MOST_DOUBLINGS);
        run.most = share_of(s, run.steps);
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

/* Return how many iterations count for `part` of a round of annealing, or how many are left. */
static uint64_t iterations_of(const search *s, const hsi_graph_run *run, double part)
{
    uint64_t all = (uint64_t)(part * (double)(run->steps * s->count)), left = steps_left(s);

    return all < left ? all : left;
}

/* Continue the proof for the time of the round, or for a node per step of its streams; eight times
 * longer if the caller wants a proof. Where transfers take time, first aim at shorter schedules for
 * half as long. */
static hs_status continue_proof(search *s, const hsi_graph_run *run)
{
    double    times = s->best->proves ? 8 : 1;
    hs_status st = HS_OK;

    if (!s->best->counted || steps_left(s) > 0)
        st = hsi_best_prover_aim(s->prover, s->seconds / 2, iterations_of(s, run, 0.5));
    if (st != HS_OK || !hsi_best_may_continue(s->best) || hsi_best_prover_ended(s->prover) ||
        (s->best->counted && steps_left(s) == 0))
        return st;
    return hsi_best_prover_continue(s->prover, times * s->seconds, iterations_of(s, run, times));
}

static void run_neighbourhoods(void *data, unsigned number, const hsi_interrupt *interrupt)
{
    search *s = data;
    stream *it = &s->streams[number];

    it->status =
        hsi_neighbourhoods_run(it->neighbourhoods, &it->random, &it->near, interrupt, &it->found);
}

/* Continue the proof in the first stream, and search neighbourhoods in the others. */
static void run_beside(void *data, unsigned number, const hsi_interrupt *interrupt)
{
    search *s = data;

    if (number == 0)
        s->proof = continue_proof(s, &s->streams[0].run);
    else
        run_neighbourhoods(data, number, interrupt);
}

/* Search neighbourhoods of the best schedule in all streams, or beside the proof. */
static hs_status search_neighbourhoods(search *s, bool beside)
{
    hsi_best *best = s->best;
    uint64_t  each = hsi_iterations_per_place_step(&best->pb);
    uint64_t  steps = share_of(s, (s->streams[0].run.steps + 1) / 2);
    hs_status st = HS_OK;

    for (unsigned i = beside; i < s->count; i++) {
        hsi_neighbourhoods_begin(s->streams[i].neighbourhoods, best->found);
        s->streams[i].found = NULL;
        s->streams[i].near =
            (hsi_neighbourhood_run){.steps = best->counted ? (steps + each - 1) / each : 0,
                                    .end = hsi_clock_seconds() + (beside ? 1.5 : 0.5) * s->seconds,
                                    .enough = hsi_best_sufficient_bound(best)};
    }
    best->phase = "large neighbourhoods";
    st = hsi_team_run(best->settings, s->count, &best->interrupt,
                      beside ? run_beside : run_neighbourhoods, s);
    best->phase = "large neighbourhoods"; /* the proof beside has changed it */
    for (unsigned i = beside; i < s->count; i++) {
        stream *it = &s->streams[i];

        best->report->iterations += each * it->near.made;
        if (st == HS_OK)
            st = it->status;
        if (it->found && st == HS_OK)
            st = hsi_best_offer(best, it->found);
        else
            hs_schedule_free(it->found);
    }
    return st == HS_OK && beside ? s->proof : st;
}

/* After annealing, search large neighbourhoods and continue the proof. */
static hs_status continue_otherwise(search *s)
{
    hs_status st = HS_OK;
    bool      beside = !s->best->counted && s->count > 1;

    if (s->streams[0].neighbourhoods && (!s->best->counted || steps_left(s) > 0)) {
        st = search_neighbourhoods(s, beside);
        if (beside)
            return st;
    }
    if (st == HS_OK && s->prover && hsi_best_may_continue(s->best))
        st = continue_proof(s, &s->streams[0].run);
    return st;
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
    s->seconds = hsi_clock_seconds() - run.begin;
    if (st == HS_OK)
        st = collect_results(s);
    if (st == HS_OK && hsi_best_may_continue(s->best))
        st = continue_otherwise(s);
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
