/* SPDX-License-Identifier: BSD-3-Clause */
/* The proof beside the search: branch and bound over places if transfers take time on one node of
 * at most 31 GPUs, else over partial schedules. */
#include "refine/graph/graph_proof.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "algorithm/algorithm.h"
#include "refine/graph/places/place_aims.h"
#include "refine/graph/places/place_tree.h"
#include "refine/graph/schedule_tree.h"
#include "refine/graph/seeds.h"
#include "refine/target.h"

struct hsi_best_prover {
    hsi_best          *best;
    hsi_place_tree    *places; /* NULL: the graph has no links, several nodes or too many GPUs */
    hsi_place_aims    *aims;   /* NULL without `places` */
    hsi_schedule_tree *starts; /* NULL: `places` is used */
};

static hs_status open_tree(hsi_best_prover *prover)
{
    const hsi_arcs *arcs = &prover->best->seeds->arcs;
    hs_status       st = HS_ETOOBIG;

    if (arcs->pb->links->has[HS_H2D] && !arcs->nodes)
        st = hsi_place_tree_open(arcs, &prover->places);
    if (st == HS_OK)
        st = hsi_place_aims_open(arcs, &prover->aims);
    return st == HS_ETOOBIG ? hsi_schedule_tree_open(arcs, &prover->starts) : st;
}

hs_status hsi_best_prover_open(hsi_best *best, hsi_best_prover **out)
{
    hsi_best_prover *prover = calloc(1, sizeof *prover);
    double           bound;
    hs_status        st;

    *out = NULL;
    if (!prover)
        return HS_ENOMEM;
    prover->best = best;
    st = open_tree(prover);
    if (st != HS_OK) {
        hsi_best_prover_close(prover);
        return st == HS_ETOOBIG ? HS_OK : st;
    }
    bound = prover->places ? hsi_place_tree_bound(prover->places, best->bound, best->makespan,
                                                  &best->interrupt)
                           : hsi_schedule_tree_bound(prover->starts, best->bound, best->makespan);
    hsi_bounds_raise_to(best, bound, hsi_alg_exact.about.name);
    *out = prover;
    return HS_OK;
}

void hsi_best_prover_close(hsi_best_prover *prover)
{
    if (!prover)
        return;
    hsi_place_tree_close(prover->places);
    hsi_place_aims_close(prover->aims);
    hsi_schedule_tree_close(prover->starts);
    free(prover);
}

bool hsi_best_prover_ended(const hsi_best_prover *prover)
{
    if (!prover)
        return true;
    return prover->places ? hsi_place_tree_ended(prover->places)
                          : hsi_schedule_tree_ended(prover->starts);
}

/* Return the makespan below which a schedule is useful. Over places, with no gap, it is below the
 * best one by little more than the rounding error of a makespan, so that equal ones are refuted. */
static double choose_cutoff(const hsi_best_prover *prover)
{
    const hsi_best *best = prover->best;

    if (prover->places && !(best->settings->gap > 0))
        return best->makespan * (1 - 4 * (double)(best->pb.n + 1) * DBL_EPSILON);
    return hsi_useful_makespan_limit(best->makespan, best->settings->gap,
                                     hsi_bounds_makespan_grid(best));
}

/* Record that no schedule is shorter than the cutoff. With no gap, this proves the best schedule
 * optimal: another may be shorter by a relative HSI_CUTOFF_GAP at most. */
static void record_refutation(hsi_best *best, double cutoff)
{
    if (!(best->settings->gap > 0))
        best->refuted = fmax(best->refuted, nextafter(best->makespan, 0));
    hsi_bounds_raise_to(best, fmin(cutoff, best->makespan), hsi_alg_exact.about.name);
}

/* Search below the cutoff, for up to `most` iterations (0: until the interrupt). *found is the
 * schedule found or NULL, *done the number of iterations. */
static hs_status search_below(hsi_best_prover *prover, double cutoff, uint64_t most,
                              const hsi_interrupt *interrupt, hs_schedule **found, uint64_t *done)
{
    hsi_schedule_tree *starts = prover->starts;
    uint64_t           each = hsi_iterations_per_place_step(&prover->best->pb);
    hs_status          st = HS_OK;

    if (prover->places) {
        st = hsi_place_tree_continue(prover->places, cutoff, (most + each - 1) / each, interrupt);
        *done = each * hsi_place_tree_steps(prover->places);
        *found = hsi_place_tree_take_found(prover->places);
        return st;
    }
    hsi_schedule_tree_continue(starts, cutoff, most, interrupt);
    *done = hsi_schedule_tree_nodes(starts);
    *found = NULL;
    if (hsi_schedule_tree_has_found(starts))
        st = hsi_schedule_tree_build_found(starts, found);
    return st;
}

/* The time of a call, during which only its end or the caller interrupts the search. */
typedef struct slice {
    hsi_stop      stop;
    atomic_int    halt;
    hsi_interrupt interrupt;
} slice;

static void begin_slice(slice *part, hsi_best *best, double seconds)
{
    double now = hsi_clock_seconds();

    best->phase = "branch and bound";
    part->stop = (hsi_stop){
        now, best->counted ? best->stop.end : fmin(now + seconds, best->stop.end), best->settings};
    atomic_init(&part->halt, 0);
    part->interrupt = (hsi_interrupt){&part->stop,
                                      &part->halt,
                                      true,
                                      best->interrupt.report_progress,
                                      best->interrupt.report_data,
                                      NULL};
}

/* Take what a call has found: a schedule, or a bound. */
static hs_status take_aimed(hsi_best *best, const hsi_aims_run *run)
{
    hsi_bounds_raise_to(best, run->bound, hsi_alg_exact.about.name);
    return run->found ? hsi_best_offer(best, run->found) : HS_OK;
}

hs_status hsi_best_prover_aim(hsi_best_prover *prover, double seconds, uint64_t most)
{
    hsi_best    *best = prover->best;
    uint64_t     each = hsi_iterations_per_place_step(&best->pb), all = 0;
    hsi_aims_run run;
    slice        part;
    hs_status    st = HS_OK;

    if (!prover->aims)
        return HS_OK;
    begin_slice(&part, best, seconds);
    while (st == HS_OK && hsi_has_aims(best->bound, best->makespan) &&
           (!best->counted || all < most) && !hsi_interrupted(&part.interrupt) &&
           !hsi_best_has_met_gap(best)) {
        run = (hsi_aims_run){.steps = best->counted ? (most - all + each - 1) / each : UINT64_MAX,
                             .bound = best->bound,
                             .makespan = best->makespan};
        st = hsi_place_aims_continue(prover->aims, &run, &part.interrupt);
        all += each * run.made;
        if (st == HS_OK)
            st = take_aimed(best, &run);
    }
    best->report->iterations += all;
    return st;
}

hs_status hsi_best_prover_continue(hsi_best_prover *prover, double seconds, uint64_t most_nodes)
{
    hsi_best     *best = prover->best;
    slice         part;
    hs_schedule  *found;
    hs_status    st = HS_OK;
    uint64_t     all = 0, done;

    begin_slice(&part, best, seconds);
    do {
        double cutoff = choose_cutoff(prover);

        st = search_below(prover, cutoff, best->counted ? most_nodes - all : 0, &part.interrupt,
                          &found, &done);
        all += done;
        if (st == HS_OK && found)
            st = hsi_best_offer(best, found);
        if (st == HS_OK && hsi_best_prover_ended(prover))
            record_refutation(best, cutoff);
    } while (st == HS_OK && found && (!best->counted || all < most_nodes));
    best->report->iterations += all;
    return st;
}
