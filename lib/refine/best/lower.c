/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bounds beside the search: deadline at once, then configuration in slices of the
 * time, as long as it still has hope, and allocation for a part of it, before where tasks
 * are many; and then, where they are few, branch and price, which may end with a proof.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/algorithm.h"
#include "bound/bound.h"
#include "bound/grid.h"
#include "config.h"
#include "refine/search.h"
#ifdef HAVE_GLPK
#include "bound/configuration/configuration.h"
#include "core/report.h"
#include "refine/branch/branch.h"
#include "refine/best/target.h"
#endif

struct hsi_lower {
    double grid; /* bound/grid.h */
    int    over; /* nothing better is to come */
#ifdef HAVE_GLPK
    int                allocated; /* the allocation bound has had its turn */
    hsi_configuration *configuration;
    int                configured; /* that bound has ended */
    hsi_branch        *branch;
#endif
};

static void raise(hsi_search *search, double bound, const char *name)
{
    bound = hsi_grid_up(bound, search->lower->grid);
    if (bound <= search->bound)
        return;
    search->bound = search->report->bound = bound;
    snprintf(search->report->bound_name, sizeof search->report->bound_name, "%s", name);
}

void hsi_lower_refuted(hsi_search *search, double target)
{
    search->refuted = fmax(search->refuted, target);
    raise(search, hsi_grid_above(target, search->lower->grid), hsi_alg_exact.name);
}

hs_status hsi_lower_open(hsi_search *search)
{
    hs_settings settings;
    double      value = 0;
    hs_status   st;

    search->lower = calloc(1, sizeof *search->lower);
    if (!search->lower)
        return HS_ENOMEM;
    search->lower->grid = hsi_grid_of(&search->pb);
    hs_settings_init(&settings);
    st = hsi_bound_run(&hsi_bound_deadline, search->in, &settings, &value);
    if (st == HS_OK)
        raise(search, value, hsi_bound_deadline.name);
    return st;
}

#ifdef HAVE_GLPK

void hsi_lower_close(hsi_search *search)
{
    if (search->lower) {
        hsi_configuration_close(search->lower->configuration);
        hsi_branch_close(search->lower->branch);
    }
    free(search->lower);
    search->lower = NULL;
}

int hsi_lower_promises(const hsi_search *search)
{
    return !search->lower->over && !search->counted && !hsi_search_met(search);
}

static hs_status open_configuration(hsi_search *search)
{
    hsi_lower *lower = search->lower;
    hs_status  st;

    if (lower->configuration)
        return HS_OK;
    st = hsi_configuration_open(&search->pb, search->bound, &lower->configuration);
    if (st == HS_ETOOBIG || st == HS_ESOLVER) {
        lower->configured = 1;
        lower->over = lower->allocated;
        return HS_OK;
    }
    return st;
}

enum {
    ALLOCATION_TASKS = 5000,    /* beyond them deadline is as good, for any use */
    CONFIGURATION_TASKS = 1000, /* up to them configuration is quick, and lifts most */
    BRANCH_TASKS = 120          /* beyond them a tree seldom closes anything */
};

static hs_status allocate(hsi_search *search)
{
    hs_settings settings;
    double      limit = fmin(10, 0.15 * (search->stop.end - search->stop.begin)), value = 0;
    hs_status   st;

    search->lower->allocated = 1;
    search->lower->over = search->lower->configured && search->pb.n > BRANCH_TASKS;
    if (search->pb.n > ALLOCATION_TASKS)
        return HS_OK;
    search->phase = "allocation bound";
    hs_settings_init(&settings);
    settings.time_limit = fmin(limit, hsi_stop_left(&search->stop));
    settings.cancel = search->settings->cancel;
    settings.cancel_data = search->settings->cancel_data;
    if (!(settings.time_limit > 0))
        return HS_OK;
    st = hsi_bound_run(&hsi_bound_allocation, search->in, &settings, &value);
    if (st == HS_OK)
        raise(search, value, hsi_bound_allocation.name);
    return st == HS_ENOMEM ? st : HS_OK; /* a search can do without */
}

static hs_status configure(hsi_search *search, double seconds)
{
    hsi_lower *lower = search->lower;
    hsi_stop   slice = {hsi_now(), 0, search->settings};
    hs_status  st = open_configuration(search);

    if (st != HS_OK || lower->configured)
        return st;
    search->phase = "configuration bound";
    slice.end = fmin(slice.begin + seconds, search->stop.end);
    st = hsi_configuration_step(lower->configuration, &slice);
    raise(search, hsi_configuration_bound(lower->configuration), hsi_bound_configuration.name);
    if (st == HS_OK)
        lower->configured = hsi_configuration_ended(lower->configuration);
    lower->over = lower->configured && lower->allocated && search->pb.n > BRANCH_TASKS;
    return st;
}

/* Where the tree's LP runs tasks is mostly a good allocation to types. */
static hs_status pack_types(hsi_search *search, const unsigned char *type)
{
    uint32_t *worker = malloc(search->pb.n * sizeof *worker);
    hs_status st = worker ? HS_OK : HS_ENOMEM;
    size_t    i;

    for (i = 0; st == HS_OK && i < search->pb.n; i++)
        worker[i] = type[i] == HS_CPU ? 0 : search->pb.m;
    if (st == HS_OK)
        st = hsi_pack(&search->pb, HS_CPU, &search->watch, worker);
    if (st == HS_OK)
        st = hsi_pack(&search->pb, HS_GPU, &search->watch, worker);
    if (st == HS_OK)
        st = hsi_search_offer_assignment(search, worker);
    free(worker);
    return st;
}

static hs_status climb(hsi_search *search, double seconds)
{
    hsi_lower *lower = search->lower;
    hsi_stop   slice = {hsi_now(), 0, search->settings};
    hs_status  st = HS_OK;

    search->phase = "branch and price";
    slice.end = fmin(slice.begin + seconds, search->stop.end);
    if (!lower->branch)
        st = hsi_branch_open(&search->pb, search->bound, &lower->branch);
    if (st == HS_OK)
        st = hsi_branch_step(lower->branch,
                             hsi_cutoff(hsi_certified_makespan(search->in, search->found),
                                        search->settings->gap, lower->grid),
                             &slice);
    if (st != HS_OK) {
        lower->over = 1;
        return st == HS_ENOMEM ? st : HS_OK;
    }
    raise(search, fmin(hsi_branch_bound(lower->branch), search->makespan), hsi_alg_exact.name);
    if (hsi_branch_found(lower->branch))
        return hsi_search_offer_assignment(search, hsi_branch_found(lower->branch));
    lower->over = hsi_branch_ended(lower->branch);
    return hsi_branch_types(lower->branch) ? pack_types(search, hsi_branch_types(lower->branch))
                                           : HS_OK;
}

hs_status hsi_lower_value(hsi_search *search, double seconds, double *worth)
{
    hs_status st = configure(search, seconds);
    size_t    i;

    for (i = 0; i < search->pb.n; i++)
        worth[i] = search->lower->configuration
                       ? hsi_configuration_worth(search->lower->configuration, i)
                       : 0;
    return st;
}

/* May configuration lift the bound by so much that nothing else matters before it has? */
static int lifts_much(const hsi_search *search)
{
    const double     little = 1e-3;
    const hsi_lower *lower = search->lower;

    if (lower->configured || search->pb.n > CONFIGURATION_TASKS)
        return 0;
    return !lower->configuration || hsi_configuration_hope(lower->configuration) >= little;
}

double hsi_lower_share(const hsi_search *search)
{
    return lifts_much(search) ? 0.75 : 0.5;
}

hs_status hsi_lower_step(hsi_search *search, double seconds)
{
    if (!search->lower->allocated && !lifts_much(search))
        return allocate(search);
    return search->lower->configured ? climb(search, seconds) : configure(search, seconds);
}

int hsi_lower_sees_patterns(const hsi_search *search)
{
    return strcmp(search->report->bound_name, hsi_bound_configuration.name) == 0;
}

#else

int hsi_lower_sees_patterns(const hsi_search *search)
{
    (void)search;
    return 0;
}

void hsi_lower_close(hsi_search *search)
{
    free(search->lower);
    search->lower = NULL;
}

int hsi_lower_promises(const hsi_search *search)
{
    (void)search;
    return 0;
}

double hsi_lower_share(const hsi_search *search)
{
    (void)search;
    return 0;
}

hs_status hsi_lower_value(hsi_search *search, double seconds, double *worth)
{
    (void)seconds;
    memset(worth, 0, search->pb.n * sizeof *worth);
    return HS_OK;
}

hs_status hsi_lower_step(hsi_search *search, double seconds)
{
    (void)search;
    (void)seconds;
    return HS_OK;
}

#endif
