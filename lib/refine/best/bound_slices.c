/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lower bounds during the search: deadline at the start, then configuration in slices of the time
 * while it can rise, and allocation once, first for large instances; then, for small instances,
 * branch and price, which may end with a proof. Without GLPK, deadline alone.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/algorithm.h"
#include "bound/bound.h"
#include "bound/divisible.h"
#include "bound/grid.h"
#include "config.h"
#include "refine/best/best.h"
#ifdef HAVE_GLPK
#include "bound/configuration/configuration.h"
#include "refine/price_tree/price_tree.h"
#include "refine/target.h"
#endif

struct hsi_bounds {
    double grid; /* grid of makespans (bound/grid.h), or 0 */
#ifdef HAVE_GLPK
    int                over;      /* whether no better bound is possible */
    double             spent;     /* seconds spent in slices so far */
    bool               allocated; /* whether the allocation bound has been computed */
    hsi_configuration *configuration;
    int                configured; /* whether the configuration bound is final */
    hsi_price_tree    *branch;
#endif
};

void hsi_bounds_raise_to(hsi_best *best, double bound, const char *name)
{
    bound = hsi_grid_round_up(bound, best->bounds->grid);
    if (bound <= best->bound)
        return;
    best->bound = best->report->bound = bound;
    snprintf(best->report->bound_name, sizeof best->report->bound_name, "%s", name);
}

double hsi_bounds_makespan_grid(const hsi_best *best)
{
    return best->bounds->grid;
}

void hsi_bounds_raise_by_refutation(hsi_best *best, double target)
{
    best->refuted = fmax(best->refuted, target);
    hsi_bounds_raise_to(best, hsi_grid_next_above(target, best->bounds->grid),
                        hsi_alg_exact.about.name);
}

/* Return true if transfers take time, so that makespans are not sums of task times. */
static bool has_transfers(const hsi_problem *pb)
{
    return pb->graph && pb->links->has[HS_H2D];
}

/* Return true if a task's time is within the rounding error of the bound. */
static bool has_tiny_tasks(hsi_best *best, double bound)
{
    double least = INFINITY;
    size_t i;

    for (i = 0; i < best->pb.n && !hsi_poll_at_iteration(&best->caller, i); i++)
        least = fmin(least, fmin(best->pb.p[i], best->pb.q[i]));
    return bound + least <= bound;
}

/* Compare the bound exactly if tiny tasks vanish in its rounding: refute makespans up to it if the
 * exact sum exceeds it. */
static hs_status refute_by_tiny_tasks(hsi_best *best, double bound)
{
    hsi_divisible d;
    hs_status     st;

    if (best->pb.graph || !has_tiny_tasks(best, bound))
        return HS_OK;
    st = hsi_divisible_open(&d, &best->finishing);
    if (st == HS_OK && hsi_divisible_exceeds(&d, bound))
        best->refuted = fmax(best->refuted, bound);
    hsi_divisible_close(&d);
    return st;
}

hs_status hsi_bounds_open(hsi_best *best)
{
    hs_settings settings;
    double      value = 0;
    hs_status   st;

    best->bounds = calloc(1, sizeof *best->bounds);
    if (!best->bounds)
        return HS_ENOMEM;
    best->bounds->grid = has_transfers(&best->pb) ? 0 : hsi_grid_of_times(&best->finishing);
    hs_settings_init(&settings);
    settings.cancel = best->settings->cancel;
    settings.cancel_data = best->settings->cancel_data;
    st = hsi_bound_run(&hsi_bound_deadline, best->in, &settings, &value, NULL);
    if (st == HS_OK)
        hsi_bounds_raise_to(best, value, hsi_bound_deadline.name);
    return st == HS_OK ? refute_by_tiny_tasks(best, best->bound) : st;
}

#ifdef HAVE_GLPK

void hsi_bounds_close(hsi_best *best)
{
    if (best->bounds) {
        hsi_configuration_close(best->bounds->configuration);
        hsi_price_tree_close(best->bounds->branch);
    }
    free(best->bounds);
}

/* Return true if a slice of better bounds is worth its time. */
static bool is_worth_slice(hsi_best *best)
{
    return !best->bounds->over && !best->counted && !hsi_best_has_met_gap(best);
}

static hs_status open_configuration(hsi_best *best)
{
    hsi_bounds *bounds = best->bounds;
    hs_status   st;

    if (bounds->configuration)
        return HS_OK;
    st = hsi_configuration_open(&best->asking, best->bound, &bounds->configuration);
    if (st == HS_ETOOBIG || st == HS_ESOLVER) {
        bounds->configured = 1;
        bounds->over = bounds->allocated;
        return HS_OK;
    }
    return st;
}

enum {
    ALLOCATION_TASKS = 5000,    /* larger instances: deadline is as good in practice */
    CONFIGURATION_TASKS = 1000, /* smaller instances: configuration is fast and raises the bound
                                   most */
    BRANCH_TASKS = 120          /* larger instances: branch and price seldom closes the gap */
};

static hs_status run_allocation_bound(hsi_best *best)
{
    hs_settings settings;
    double      limit = fmin(10, 0.15 * (best->stop.end - best->stop.begin)), value = 0;
    hs_status   st;

    best->bounds->allocated = true;
    best->bounds->over = best->bounds->configured && best->pb.n > BRANCH_TASKS;
    if (best->pb.n > ALLOCATION_TASKS)
        return HS_OK;
    best->phase = "allocation bound";
    hs_settings_init(&settings);
    settings.time_limit = fmin(limit, hsi_stop_seconds_left(&best->stop));
    settings.cancel = best->settings->cancel;
    settings.cancel_data = best->settings->cancel_data;
    if (!(settings.time_limit > 0))
        return HS_OK;
    st = hsi_bound_run(&hsi_bound_allocation, best->in, &settings, &value, NULL);
    if (st == HS_OK)
        hsi_bounds_raise_to(best, value, hsi_bound_allocation.name);
    return st == HS_ENOMEM ? st : HS_OK; /* without this bound the search continues */
}

static hs_status run_configuration_bound(hsi_best *best, double seconds)
{
    hsi_bounds *bounds = best->bounds;
    hsi_stop    slice = {hsi_clock_seconds(), 0, best->settings};
    hs_status   st = open_configuration(best);

    if (st != HS_OK || bounds->configured)
        return st;
    best->phase = "configuration bound";
    slice.end = fmin(slice.begin + seconds, best->stop.end);
    st = hsi_configuration_improve_bound(bounds->configuration, &slice);
    hsi_bounds_raise_to(best, hsi_configuration_bound(bounds->configuration),
                        hsi_bound_configuration.name);
    if (st == HS_OK)
        bounds->configured = hsi_configuration_ended(bounds->configuration);
    bounds->over = bounds->configured && bounds->allocated && best->pb.n > BRANCH_TASKS;
    return st;
}

static hs_status branch_and_price(hsi_best *best, double seconds)
{
    hsi_bounds *bounds = best->bounds;
    hsi_stop    slice = {hsi_clock_seconds(), 0, best->settings};
    hs_status   st = HS_OK;

    best->phase = "branch and price";
    slice.end = fmin(slice.begin + seconds, best->stop.end);
    if (!bounds->branch)
        st = hsi_price_tree_open(&best->pb, best->bound, &bounds->branch);
    if (st == HS_OK)
        st = hsi_price_tree_continue(bounds->branch,
                                     hsi_useful_makespan_limit(hsi_best_certified_makespan(best),
                                                               best->settings->gap, bounds->grid),
                                     &slice);
    if (st != HS_OK) {
        bounds->over = 1;
        return st == HS_ENOMEM ? st : HS_OK;
    }
    hsi_bounds_raise_to(best, fmin(hsi_price_tree_bound(bounds->branch), best->makespan),
                        hsi_alg_exact.about.name);
    if (hsi_price_tree_found_assignment(bounds->branch))
        return hsi_best_offer_assignment(best, hsi_price_tree_found_assignment(bounds->branch));
    bounds->over = hsi_price_tree_ended(bounds->branch);
    return HS_OK;
}

/* Return true if the configuration bound may rise much, and is thus computed before the allocation
 * bound. */
static bool lifts_much(const hsi_best *best)
{
    const double      little = 1e-3;
    const hsi_bounds *bounds = best->bounds;

    if (bounds->configured || best->pb.n > CONFIGURATION_TASKS)
        return false;
    return !bounds->configuration ||
           hsi_configuration_possible_growth(bounds->configuration) >= little;
}

/* Return the share of the elapsed time that better bounds may use. */
static double part_of_time(const hsi_best *best)
{
    return lifts_much(best) ? 0.75 : 0.5;
}

hs_status hsi_bounds_run_slice(hsi_best *best)
{
    hsi_bounds *bounds = best->bounds;
    double      begin = hsi_clock_seconds(), elapsed = hsi_stop_seconds_elapsed(&best->stop);
    double      seconds = fmax(0.03, 0.1 * elapsed);
    hs_status   st;

    if (!is_worth_slice(best) || bounds->spent > part_of_time(best) * elapsed)
        return HS_OK;
    if (!bounds->allocated && !lifts_much(best))
        st = run_allocation_bound(best);
    else
        st = bounds->configured ? branch_and_price(best, seconds)
                                : run_configuration_bound(best, seconds);
    bounds->spent += hsi_clock_seconds() - begin;
    return st;
}

hs_status hsi_bounds_compute_worths(hsi_best *best, double seconds, double *worth, int *found)
{
    const hsi_configuration *cf;
    hs_status                st;
    size_t                   i;

    *found = is_worth_slice(best);
    if (!*found)
        return HS_OK;
    st = run_configuration_bound(best, seconds);
    cf = best->bounds->configuration;
    for (i = 0; i < best->pb.n; i++)
        worth[i] = cf ? hsi_configuration_row_worth(cf, i) : 0;
    return st;
}

bool hsi_bounds_use_patterns(const hsi_best *best)
{
    return strcmp(best->report->bound_name, hsi_bound_configuration.name) == 0;
}

#else

void hsi_bounds_close(hsi_best *best)
{
    free(best->bounds);
}

hs_status hsi_bounds_run_slice(hsi_best *best)
{
    (void)best;
    return HS_OK;
}

hs_status hsi_bounds_compute_worths(hsi_best *best, double seconds, double *worth, int *found)
{
    (void)best;
    (void)seconds;
    (void)worth;
    *found = 0;
    return HS_OK;
}

bool hsi_bounds_use_patterns(const hsi_best *best)
{
    (void)best;
    return false;
}

#endif
