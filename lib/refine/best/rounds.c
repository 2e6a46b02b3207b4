/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Annealing in rounds: each stream anneals with its own random numbers; after a round the best
 * schedule becomes the start of the next. The lowest stream wins among equals. With counted
 * iterations there are always HSI_STREAMS streams, so that the result does not depend on the number
 * of threads; else one per thread.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "refine/best/anneal_assignment.h"
#include "refine/best/best.h"
#include "refine/team.h"

enum { LEAST_MOVES = 200000 /* moves of a run that may start far from the best schedule */ };

typedef struct stream {
    hsi_random     random;
    hsi_anneal    *anneal;
    hsi_anneal_run run;
    uint32_t      *worker;
    hs_status      status;
    bool           reallocates;
    uint64_t       moved;   /* moves of the annealing that follows a reallocation */
    double         seconds; /* seconds of the last run */
} stream;

typedef struct rounds {
    hsi_best *best;
    stream   *streams;
    unsigned  stream_count;
    unsigned  number;   /* number of the current round */
    uint64_t  moves;    /* moves per run, if time permits */
    double    rate;     /* moves per second of one stream; 0: unknown */
    double    overhead; /* seconds of a run outside of moves */
    bool      apart;    /* whether spreading the loads of pools loses much of the possible
                           gain */
    unsigned fruitless; /* rounds in a row without a better schedule */
    unsigned idle;      /* rounds in a row without a move */
} rounds;

static void close_rounds(rounds *r)
{
    unsigned i;

    for (i = 0; r->streams && i < r->stream_count; i++) {
        hsi_anneal_close(r->streams[i].anneal);
        free(r->streams[i].worker);
    }
    free(r->streams);
}

static hs_status open_stream(const hsi_best *best, unsigned number, stream *s)
{
    hsi_random_seed(&s->random, best->settings->seed, number);
    s->worker = malloc((best->pb.n + 1) * sizeof *s->worker);
    if (!s->worker)
        return HS_ENOMEM;
    return hsi_anneal_open(&best->pb, best->pivot, &s->anneal);
}

static hs_status open_rounds(hsi_best *best, rounds *r)
{
    hs_status st = HS_OK;
    unsigned  i;

    *r = (rounds){.best = best,
                  .stream_count = hsi_stream_count(best->settings),
                  .overhead = 4e-7 * (double)best->pb.n,
                  .moves = 10000 * (uint64_t)best->pb.n};
    r->moves = r->moves > 2000000 ? 2000000 : r->moves;
    r->streams = calloc(r->stream_count, sizeof *r->streams);
    if (!r->streams)
        st = HS_ENOMEM;
    for (i = 0; i < r->stream_count && st == HS_OK; i++)
        st = open_stream(best, i, &r->streams[i]);
    if (st != HS_OK)
        close_rounds(r);
    return st;
}

/* Restart from a new allocation to types, annealed with both types as pools. */
static hs_status restart_from_allocation(stream *s, const hsi_interrupt *interrupt)
{
    hsi_anneal_run run = s->run;
    hs_status      st;

    run.pools = true;
    st = hsi_anneal_run_streams(s->anneal, &s->random, &run, interrupt, s->worker);
    s->moved = run.made;
    return st;
}

static void run_stream(void *data, unsigned number, const hsi_interrupt *interrupt)
{
    stream *s = &((rounds *)data)->streams[number];
    double  begin = hsi_clock_seconds();

    s->status = s->reallocates ? restart_from_allocation(s, interrupt) : HS_OK;
    if (s->status == HS_OK)
        s->status = hsi_anneal_run_streams(s->anneal, &s->random, &s->run, interrupt, s->worker);
    s->seconds = hsi_clock_seconds() - begin;
}

/* Set up a stream's run. Every third run goes farther from the best schedule: with a new
 * allocation, or with a higher temperature if the bound already accounts for patterns. */
static void plan_stream(const rounds *r, stream *s, unsigned turn, uint64_t moves)
{
    static const double heat[] = {0.005, 0.005, 0.01, 0.0025};
    const hsi_best     *best = r->best;
    double              hot = heat[turn % (sizeof heat / sizeof *heat)] * best->makespan;
    bool                far = turn % 3 == 1 && moves >= LEAST_MOVES;

    memcpy(s->worker, best->worker, best->pb.n * sizeof *s->worker);
    s->moved = 0;
    s->reallocates = far && !hsi_bounds_use_patterns(best);
    if (far && !s->reallocates)
        hot = 0.03 * best->makespan;
    s->run = (hsi_anneal_run){.makespan = best->makespan,
                              .bound = best->bound,
                              .enough = hsi_best_sufficient_bound(best),
                              .hot = hot,
                              .cold = fmin(hot / 500, 1e-5 * best->makespan),
                              .moves = moves,
                              .apart = r->apart && turn % 4 != 0};
}

/* Set the length and temperature of this round's runs. */
static void plan_round(rounds *r)
{
    hsi_best *best = r->best;
    uint64_t  moves = r->moves;
    unsigned  i;

    if (best->counted) {
        uint64_t left = best->settings->iterations - best->report->iterations;
        uint64_t share = (left + r->stream_count - 1) / r->stream_count;

        moves = moves < share ? moves : share;
    } else if (r->rate > 0) {
        double left = 0.9 * r->rate * fmax(0, hsi_stop_seconds_left(&best->stop) - r->overhead);

        moves = (double)moves < left ? moves : (uint64_t)left + 1;
    } else {
        moves = moves < LEAST_MOVES ? moves : LEAST_MOVES;
    }
    for (i = 0; i < r->stream_count; i++)
        plan_stream(r, &r->streams[i], r->number + i, moves);
}

/* Measure the speed of the caller's own stream. */
static void measure_speed(rounds *r)
{
    const stream *s = &r->streams[0];

    if (s->run.seconds > 0 && s->run.made)
        r->rate = (double)s->run.made / s->run.seconds;
    r->overhead = s->seconds - s->run.seconds;
}

/* Collect the results in the order of the streams. */
static hs_status collect_results(rounds *r)
{
    hsi_best *best = r->best;
    hs_status st = HS_OK;
    uint64_t  made = 0;
    double    before = best->makespan;
    unsigned  i;

    for (i = 0; i < r->stream_count && st == HS_OK; i++) {
        const stream *s = &r->streams[i];

        made += s->run.made + s->moved;
        st = s->status;
        if (st == HS_OK)
            st = hsi_best_offer_assignment(best, s->worker);
        if (s->run.height < best->makespan - (best->makespan - best->bound) / 4)
            r->apart = true;
    }
    best->report->iterations += made;
    measure_speed(r);
    r->idle = made ? 0 : r->idle + 1;
    r->fruitless = best->makespan < before ? 0 : r->fruitless + 1;
    if (r->fruitless % 8 == 7 && r->moves < 64000000)
        r->moves += r->moves / 8;
    if (r->idle || r->fruitless > 3)
        r->apart = true;
    r->number++;
    return st;
}

static hs_status anneal_round(rounds *r)
{
    hs_status st;

    r->best->phase = "local search";
    plan_round(r);
    st = hsi_team_run(r->best->settings, r->stream_count, &r->best->interrupt, run_stream, r);
    return st == HS_OK ? collect_results(r) : st;
}

static bool is_over(const rounds *r)
{
    hsi_best *best = r->best;

    if (!best->counted && hsi_stop_seconds_left(&best->stop) <= 1.1 * r->overhead) {
        atomic_store(&r->best->halt, 1); /* no time is left for another round */
        return true;
    }
    return r->idle > 2 || !hsi_best_may_continue(best) ||
           (best->counted && best->report->iterations >= best->settings->iterations);
}

hs_status hsi_anneal_rounds_run(hsi_best *best)
{
    rounds    r;
    hs_status st = open_rounds(best, &r);

    if (st != HS_OK)
        return st;
    while (st == HS_OK && !is_over(&r)) {
        st = anneal_round(&r);
        if (st == HS_OK && !is_over(&r))
            st = hsi_bounds_run_slice(best);
        if (st == HS_OK)
            st = hsi_bin_completion_run_slice(best);
    }
    if (best->counted && best->report->iterations >= best->settings->iterations)
        best->report->limit_reached = true;
    close_rounds(&r);
    return st;
}
