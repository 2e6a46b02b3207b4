/* SPDX-License-Identifier: BSD-3-Clause */
/* The best schedule so far, and the test whether it is good enough. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/solve_report.h"
#include "refine/best/best.h"
#include "refine/graph/seeds.h"
#include "refine/graph/earliest_starts.h"

static void report_progress(void *data)
{
    const double       interval = 0.2;
    hsi_best          *best = data;
    const hs_settings *settings = best->settings;
    double             seconds = hsi_stop_seconds_elapsed(&best->stop);
    hs_progress        progress = {.struct_size = sizeof progress,
                                   .seconds = seconds,
                                   .makespan = best->found ? best->makespan : INFINITY,
                                   .bound = best->bound,
                                   .iterations = best->report->iterations,
                                   .phase = best->phase};

    if (!settings->progress || seconds < best->next_report)
        return;
    best->next_report = seconds + interval;
    settings->progress(settings->progress_data, &progress);
}

static int is_over(void *data)
{
    const hsi_best *best = data;

    return hsi_interrupted(&best->interrupt);
}

/* The caller cannot cancel before its own start schedule has been taken, since no other schedule
 * could be returned. */
static int is_cancelled(void *data)
{
    const hsi_best *best = data;

    return hsi_cancelled(best->settings) && (best->found || !best->settings->start);
}

hs_status hsi_best_open(hsi_best *best, const hs_instance *in, const hs_settings *settings,
                        hs_report *report)
{
    size_t    n, workers;
    hs_status st;

    *best = (hsi_best){.in = in,
                       .settings = settings,
                       .report = report,
                       .phase = "portfolio",
                       .pivot = 1,
                       .counted = settings->iterations > 0};
    best->stop = hsi_stop_after(settings, best->counted ? INFINITY : 1);
    atomic_init(&best->halt, 0);
    best->caller = (hsi_token){is_cancelled, best, false, 0};
    best->interrupt =
        (hsi_interrupt){&best->stop, &best->halt, true, report_progress, best, &best->caller};
    best->token = (hsi_token){is_over, best, false, 0};
    st = hsi_problem_of_tasks(in, &best->caller, &best->pb);
    if (st != HS_OK)
        return st;
    best->pb.available = settings->available;
    best->finishing = best->asking = best->pb;
    best->asking.token = &best->token;
    best->pb.token = NULL;
    n = best->pb.n;
    workers = (size_t)best->pb.m + best->pb.k;
    best->order = malloc((n + 1) * sizeof *best->order);
    best->worker = malloc((n + 1) * sizeof *best->worker);
    best->load = malloc(workers * sizeof *best->load);
    if (!best->order || !best->worker || !best->load)
        return HS_ENOMEM;
    st = best->pb.graph && !best->pb.available ? hsi_seeds_open(&best->pb, &best->seeds) : HS_OK;
    return st == HS_ETOOBIG ? HS_OK : st;
}

void hsi_best_close(hsi_best *best)
{
    hsi_bounds_close(best);
    hsi_bin_completion_close(best->filling);
    hsi_seeds_close(best->seeds);
    hs_schedule_free(best->found);
    free(best->order);
    free(best->worker);
    free(best->load);
    hsi_problem_close(&best->pb);
}

/*
 * Return the relative rounding error of makespans: in a graph, ends are rounded one after the other
 * along a path, as are a bound's sums, and smaller differences do not count. Sums of independent
 * tasks are certified exactly.
 */
static double relative_rounding(const hsi_best *best)
{
    return best->pb.graph ? 2 * DBL_EPSILON * (double)best->pb.n : 0;
}

static double allowed_gap(const hsi_best *best)
{
    double gap = fmax(best->settings->gap, relative_rounding(best));

    return gap > 0 ? nextafter((1 + gap) * best->bound, 0) : best->bound;
}

double hsi_best_certified_makespan(hsi_best *best)
{
    return hsi_certified_makespan(best->in, best->found, best->pb.available, &best->caller);
}

/* Before all members have run, the makespan counts too: another member may have a schedule without
 * the rounding error. */
bool hsi_best_has_met_gap(hsi_best *best)
{
    double enough = fmax(allowed_gap(best), nextafter(best->refuted, INFINITY));

    return best->found && best->makespan <= enough * (best->members_done ? 1 + 0x1p-20 : 1) &&
           hsi_best_certified_makespan(best) <= enough;
}

bool hsi_best_may_continue(hsi_best *best)
{
    return !hsi_best_has_met_gap(best) && !hsi_interrupted(&best->interrupt);
}

double hsi_best_sufficient_bound(const hsi_best *best)
{
    return allowed_gap(best) * (1 - 0x1p-50);
}

static void take_schedule(hsi_best *best, hs_schedule *s)
{
    hs_schedule_free(best->found);
    best->found = s;
    best->makespan = hs_schedule_makespan(s);
    snprintf(best->report->found_by, sizeof best->report->found_by, "%s",
             best->member[0] ? best->member : best->phase);
}

/* Return by how much rounding may separate two makespans of equal loads. */
static double rounding_of_makespan(const hsi_best *best)
{
    return best->pb.graph ? 0 : 2 * DBL_EPSILON * (double)best->pb.n * best->makespan;
}

/* Compare by the larger of makespan (with rounded ends) and exact sums, the value that reports
 * print and no bound exceeds; among equals by makespan. */
static bool is_better(hsi_best *best, const hs_schedule *s)
{
    double makespan = hs_schedule_makespan(s), takes, known;

    if (!best->found || !(fabs(makespan - best->makespan) <= rounding_of_makespan(best)))
        return !best->found || makespan < best->makespan;
    if (best->pb.graph)
        return false;
    takes = fmax(makespan, hsi_certified_makespan(best->in, s, best->pb.available, &best->caller));
    known = fmax(best->makespan, hsi_best_certified_makespan(best));
    return takes < known || (takes == known && makespan < best->makespan);
}

/* Keep an assignment as the best schedule if it is better, or with `equal` if it is as long. */
static hs_status offer_assignment(hsi_best *best, const uint32_t *worker, bool equal)
{
    double       makespan = hsi_assignment_makespan(&best->finishing, worker, best->load);
    hs_schedule *s = NULL;
    hs_status    st;

    if (best->found && makespan > best->makespan + rounding_of_makespan(best))
        return HS_OK;
    st = hsi_assignment_schedule(&best->finishing, worker, &s);
    if (st != HS_OK)
        return st;
    if (!is_better(best, s) && !(equal && makespan == best->makespan)) {
        hs_schedule_free(s);
        return HS_OK;
    }
    take_schedule(best, s);
    if (worker != best->worker)
        memcpy(best->worker, worker, best->pb.n * sizeof *worker);
    return HS_OK;
}

/* Shift the tasks of a graph's schedule to their earliest starts and keep the result if it is
 * better. Frees `s`. */
static hs_status offer_shifted(hsi_best *best, hs_schedule *s)
{
    hs_schedule *shifted = NULL;
    hs_status    st = hsi_shift_to_earliest_starts(&best->seeds->arcs, s, &shifted);

    hs_schedule_free(s);
    if (st != HS_OK)
        return st;
    hsi_seeds_add_schedule(best->seeds, shifted);
    if (!best->found || hs_schedule_makespan(shifted) < best->makespan)
        take_schedule(best, shifted);
    else
        hs_schedule_free(shifted);
    return HS_OK;
}

hs_status hsi_best_offer(hsi_best *best, hs_schedule *s)
{
    if (best->seeds)
        return offer_shifted(best, s);
    if (!is_better(best, s)) {
        hs_schedule_free(s);
        return HS_OK;
    }
    take_schedule(best, s);
    hsi_assignment_of(s, &best->caller, best->worker);
    if (best->pb.graph || hs_schedule_entry_count(s) == best->pb.n)
        return HS_OK;
    return offer_assignment(best, best->worker,
                            true); /* rebuild the schedule without aborted entries */
}

hs_status hsi_best_offer_assignment(hsi_best *best, const uint32_t *assignment)
{
    return offer_assignment(best, assignment, false);
}
