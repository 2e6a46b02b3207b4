/* SPDX-License-Identifier: BSD-3-Clause */
/* The bound `paths`: the area LP in which no path through the graph takes longer than T
 * (path_search.h). */
#include "bound/graph/paths_bound.h"

#include <math.h>
#include <string.h>

#include "bound/graph/path_search.h"
#include "bound/release.h"
#include "support/exact.h"

enum { MOST_TASKS = 1000000 /* limit of the problem: GLPK takes half a gigabyte at this size */ };

/* Compute the larger of critical-path and theorem2, which the LP's value is never below. */
static hs_status find_least(const hsi_problem *pb, const hs_settings *settings, double *least)
{
    hsi_problem alone = *pb;
    double      longest = 0;
    hs_status   st =
        hsi_bound_compute_for_rows(&hsi_bound_critical_path, pb, settings, &longest, NULL);

    alone.graph = NULL;
    if (st == HS_OK)
        st = hsi_bound_compute_for_rows(&hsi_bound_theorem2, &alone, settings, least, NULL);
    *least = fmax(*least, longest);
    return st;
}

/* Return the least makespan of tasks that take `time`, from the first available worker on. */
static double after_first_available(const hsi_problem *pb, double time)
{
    double first = fmin(hsi_first_available_time(pb, HS_CPU), hsi_first_available_time(pb, HS_GPU));

    return pb->available ? hsi_add_down(time, first) : time;
}

/* Run the search. *flow: value that the multipliers prove; *value: the larger of that and
 * find_least(). */
static hs_status run_path_search(hsi_path_search *s, double *flow, double *value)
{
    hs_status st = s->pb->n > MOST_TASKS ? HS_ETOOBIG : HS_OK;

    *flow = *value = 0;
    if (st == HS_OK)
        st = find_least(s->pb, s->stop.settings, value);
    if (st == HS_OK)
        st = hsi_path_search_run(s, flow);
    *value = fmax(*value, after_first_available(s->pb, *flow));
    return st;
}

hs_status hsi_paths_bound_find(const hsi_problem *pb, const hs_settings *settings, double *value,
                               double *cpu_share, int *found)
{
    hsi_path_search s = {.pb = pb, .stop = hsi_stop_after(settings, HSI_BOUND_SECONDS)};
    double          flow;
    hs_status       st = run_path_search(&s, &flow, value);

    *found = st == HS_OK && isfinite(s.span) && s.span > 0;
    if (*found)
        memcpy(cpu_share, s.best, pb->n * sizeof *cpu_share);
    hsi_path_search_close(&s);
    return st;
}

static hs_status compute(const hsi_problem *pb, const hs_settings *settings, double *value,
                         hs_bound_report *report)
{
    hsi_path_search s = {.pb = pb, .stop = hsi_stop_after(settings, HSI_BOUND_SECONDS)};
    double          flow;
    hs_status       st;

    if (!pb->graph) /* without edges each task is a path of its own, and deadline is at least as
                       good */
        return hsi_bound_compute_for_rows(&hsi_bound_deadline, pb, settings, value, report);
    st = run_path_search(&s, &flow, value);
    report->limit_reached = s.limit_reached;
    hsi_path_search_close(&s);
    return st;
}

static hs_status certify(const hs_bound *bound, const hsi_problem *pb, const hs_settings *settings,
                         hs_certificate *c)
{
    hsi_path_search s = {.pb = pb, .stop = hsi_stop_after(settings, HSI_BOUND_SECONDS)};
    double          flow, value;
    hs_status       st;

    if (!pb->graph)
        return hsi_certify_divisible(bound, pb, settings, c);
    st = run_path_search(&s, &flow, &value);
    if (st == HS_OK)
        st = hsi_certify_value(pb, value, c);
    if (st == HS_OK && flow > c->value)
        st = hsi_path_search_certify(&s, flow, c);
    hsi_path_search_close(&s);
    return st;
}

const hs_bound hsi_bound_paths = {
    .name = "paths",
    .summary = "as area, but no path through the graph is longer than the bound (LP by GLPK)",
    .source = "Agullo, Beaumont, Eyraud-Dubois, Herrmann, Kumar, Marchal, Thibault 2015",
    .cost = "a linear program of n columns and the paths that matter; up to 1,000,000 tasks",
    .graph = true,
    .supports_available = true,
    .compute = compute,
    .certify = certify,
};
