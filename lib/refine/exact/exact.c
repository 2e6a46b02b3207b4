/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `exact`: prove a schedule optimal, or stop at the time limit with the best schedule and bound.
 * `best` finds the schedule and often its proof. Otherwise a search for a shorter schedule decides:
 * tiny instances task by task (refute.c), others by branch and price (price_tree.c), and then task by
 * task again.
 */
#include "refine/exact/exact.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "algorithm/algorithm.h"
#include "bound/grid.h"
#include "config.h"
#include "core/solve_report.h"
#include "refine/best/best.h"
#include "refine/kinds_gap.h"
#include "refine/target.h"
#include "support/arena.h"

/* default time limit in seconds */
#define DEFAULT_SECONDS 10.0

/*
 * Limits of the number of tasks. A search by tasks decides tiny instances before branch and price
 * computes its first bound. On small instances `best` already runs branch and price between its
 * rounds. On larger instances branch and price seldom closes the gap, so most of the time goes to
 * the schedule.
 */
enum { TINY = 20, SMALL = 120 };

static const double schedules_part = 0.97; /* share of the time for schedules of large instances */
static const double endless = 10;          /* seconds for schedules if there is no time limit */

static double most_for_schedules(const hsi_exact *pf)
{
    return isinf(pf->stop.end) ? endless : INFINITY;
}

/* Prove by kinds of tasks, from a schedule that takes `part` of the time. */
static hs_status prove_by_kinds(hsi_exact *pf, double part)
{
    hs_status st = hsi_exact_improve_schedule(pf, part, 0.3, 0);

    return st == HS_OK && !hsi_exact_is_proved(pf) ? hsi_exact_search_by_kinds(pf) : st;
}

static hs_status prove_tiny(hsi_exact *pf)
{
    hs_status st = prove_by_kinds(pf, 0.1);

    return st == HS_OK && !hsi_exact_is_proved(pf) ? hsi_exact_search_by_tasks(pf, 1) : st;
}

static hs_status prove_small(hsi_exact *pf)
{
    hs_status st = hsi_kinds_gap_check_kinds(&pf->pb);

    if (st == HS_OK)
        st = prove_by_kinds(pf, 0.02);
    else if (st == HS_ETOOBIG)
        st = HS_OK;
    if (st == HS_OK && !hsi_exact_is_proved(pf))
        st = hsi_exact_improve_schedule(pf, 1, most_for_schedules(pf), HSI_CUTOFF_GAP);
    return st;
}

static hs_status prove_large(hsi_exact *pf)
{
    hs_status st = hsi_exact_improve_schedule(pf, schedules_part, most_for_schedules(pf), 0);

    return st == HS_OK && !hsi_exact_is_proved(pf) ? hsi_exact_search_by_kinds(pf) : st;
}

static hs_status prove_optimum(hsi_exact *pf)
{
    hs_status st = pf->pb.n <= TINY    ? prove_tiny(pf)
                   : pf->pb.n <= SMALL ? prove_small(pf)
                                       : prove_large(pf);

#ifdef HAVE_GLPK
    if (st == HS_OK && !hsi_exact_is_proved(pf))
        st = hsi_exact_search_price_tree(pf);
#endif
    if (st != HS_OK || hsi_exact_is_proved(pf) || hsi_stop_is_due(&pf->stop))
        return st;
    if (pf->pb.n > HSI_REFUTE_MOST_TASKS)
        return hsi_exact_improve_schedule(pf, 1, INFINITY, 0);
    return hsi_exact_search_by_tasks(pf, UINT_MAX);
}

/* Run `best` on a graph, with most of the time for the proof. */
static hs_status search_graph(const hsi_members *members, const hs_instance *in,
                              const hs_settings *settings, hs_schedule **out, hs_report *report)
{
    hs_settings its = *settings;

    its.iterations = 0;
    if (!(its.time_limit > 0))
        its.time_limit = DEFAULT_SECONDS;
    return hsi_best_run(members, true, in, &its, out, report);
}

static hs_status search(const hsi_members *members, const hs_instance *in,
                        const hs_settings *settings, hs_schedule **out, hs_report *report)
{
    hsi_exact pf = {.members = members,
                    .in = in,
                    .settings = settings,
                    .longest = INFINITY,
                    .bound_name = "none"};
    hsi_arena arena = {0};
    hs_status st;

    if (hs_instance_has_graph(in))
        return search_graph(members, in, settings, out, report);
    pf.stop = hsi_stop_after(settings, DEFAULT_SECONDS);
    pf.token = hsi_token_of(settings);
    st = hsi_problem_of_tasks(in, &pf.token, &pf.pb);
    if (st != HS_OK)
        return st;
    pf.grid = hsi_grid_of_times(&pf.pb);
    pf.worth[0] = hsi_arena_alloc(&arena, pf.pb.n, sizeof *pf.worth[0]);
    pf.worth[1] = hsi_arena_alloc(&arena, pf.pb.n, sizeof *pf.worth[1]);
    pf.worker = hsi_arena_alloc(&arena, pf.pb.n, sizeof *pf.worker);
    st = pf.worth[0] && pf.worth[1] && pf.worker ? prove_optimum(&pf) : HS_ENOMEM;
    if (st == HS_ECANCELED && pf.best)
        st = HS_OK;
    if (st == HS_OK) {
        *out = pf.best;
        pf.best = NULL;
        report->bound = pf.bound;
        snprintf(report->bound_name, sizeof report->bound_name, "%s", pf.bound_name);
        report->certified = pf.longest;
        memcpy(report->found_by, pf.found_by, sizeof report->found_by);
        report->proved = hsi_exact_is_proved(&pf);
        report->limit_reached = !report->proved;
        report->iterations = pf.nodes;
    }
    hs_schedule_free(pf.best);
    hsi_arena_close(&arena);
    hsi_problem_close(&pf.pb);
    return st;
}

/* Return the guarantee: without a time limit the result is optimal within the gap. */
static double guarantee(void *data, unsigned cpus, unsigned gpus, const hs_settings *settings)
{
    (void)data;
    (void)cpus;
    (void)gpus;
    return isinf(settings->time_limit) ? 1 + settings->gap : INFINITY;
}

const hsi_algorithm hsi_alg_exact = {
    .about =
        {
            .struct_size = sizeof(hs_algorithm),
            .name = "exact",
            .summary = "proves optimality, or stops at the time limit with the best schedule "
                       "found",
            .source = "this project",
            .cost = "exponential at worst, at most the time limit",
            .guarantee = guarantee,
            .supports_graphs = true,
        },
    .search = search,
};
