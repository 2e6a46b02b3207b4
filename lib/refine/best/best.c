/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `best`, the default algorithm: a portfolio of algorithms, then local search, with lower bounds
 * computed in between that may end the search. The result is the best schedule met (state.c defines
 * better), so it is at least as good as each finished member of the portfolio. If workers become
 * available late, only the portfolio runs. The search uses the time limit, or less if the bounds
 * prove the schedule good enough.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/algorithm.h"
#include "bound/bound.h"
#include "core/order.h"
#include "refine/best/best.h"
#include "refine/graph/graph_search.h"

static hs_status warm_start(hsi_best *best)
{
    const hs_schedule *start = best->settings->start;
    hs_status          st;

    if (!start)
        return HS_OK;
    st = hs_schedule_check_available(best->in, start, best->settings->available, NULL);
    if (st != HS_OK)
        return st;
    hsi_best_set_member(best, "start", HS_RANK_DEFAULT);
    if (best->pb.graph) {
        st = hsi_graph_offer_start(best, start);
    } else {
        hsi_assignment_of(start, &best->caller, best->worker);
        st = hsi_best_offer_assignment(best, best->worker);
    }
    hsi_best_set_member(best, NULL, HS_RANK_DEFAULT);
    return st;
}

/* Level the loads of each type in the best schedule, by local search. */
static hs_status level_loads(hsi_best *best)
{
    size_t    bytes = best->pb.n * sizeof *best->worker;
    uint32_t *worker = malloc(bytes + 1);
    hs_status st;

    if (!worker)
        return HS_ENOMEM;
    best->phase = "local search";
    memcpy(worker, best->worker, bytes);
    st = hsi_level_loads(&best->pb, HS_CPU, &best->interrupt, worker);
    if (st == HS_OK)
        st = hsi_level_loads(&best->pb, HS_GPU, &best->interrupt, worker);
    if (st == HS_OK)
        st = hsi_best_offer_assignment(best, worker);
    free(worker);
    return st;
}

static hs_status order_tasks(hsi_best *best)
{
    return hsi_order_by_rho(&best->asking, HSI_RHO_UP, best->order);
}

typedef hs_status step_function(hsi_best *best);

static step_function *const by_loads[] = {
    order_tasks, hsi_portfolio_run_others, hsi_best_search_by_kinds,
    level_loads, hsi_bin_completion_open,  hsi_anneal_rounds_run,
    NULL};
static step_function *const by_graph[] = {
    hsi_graph_compute_path_bound,
    hsi_graph_compute_windows_bound,
    hsi_graph_compute_probes_bound,
    hsi_graph_compute_work_bound,
    hsi_graph_anneal_rounds,
    NULL};

static hs_status improve_schedule(hsi_best *best)
{
    step_function *const *step = best->pb.graph ? by_graph : by_loads;
    hs_status             st;

    if (best->pb.n == 0)
        return HS_OK;
    st = hsi_bounds_open(best);
    for (; *step && st == HS_OK && hsi_best_may_continue(best); step++)
        st = (*step)(best);
    return st;
}

/* Run the portfolio and the deadline bound only, since they support workers that become available
 * late. */
static hs_status run_members_only(hsi_best *best)
{
    hs_report *report = best->report;
    hs_status st = hsi_bound_run(&hsi_bound_deadline, best->in, best->settings, &best->bound, NULL);

    if (st == HS_OK && !best->pb.graph)
        st = hsi_portfolio_run_others(best);
    report->bound = best->bound;
    snprintf(report->bound_name, sizeof report->bound_name, "%s", hsi_bound_deadline.name);
    return st;
}

static void fill_report(hsi_best *best)
{
    hs_report *report = best->report;

    best->members_done = true;
    report->limit_reached = report->limit_reached || hsi_interrupted(&best->interrupt);
    report->certified = hsi_best_certified_makespan(best);
    /* A bound may exceed rounded ends, within their rounding error, but never exact ends. */
    if (best->pb.graph &&
        report->bound <= report->certified * (1 + (double)(best->pb.n + 1) * DBL_EPSILON))
        report->certified = fmax(report->certified, report->bound);
    report->proved = best->pb.n == 0 || hsi_best_has_met_gap(best);
    if (report->proved)
        report->limit_reached = false;
}

hs_status hsi_best_run(const hsi_members *members, bool proves, const hs_instance *in,
                       const hs_settings *settings, hs_schedule **out, hs_report *report)
{
    hsi_best  best;
    hs_status st;

    st = hsi_best_open(&best, in, settings, report);
    best.members = members;
    best.proves = proves;
    if (st == HS_OK)
        st = warm_start(&best);
    if (st == HS_OK)
        st = best.pb.graph ? hsi_graph_run_portfolio(&best) : hsi_portfolio_run_first(&best);
    if (st == HS_OK)
        st = settings->available ? run_members_only(&best) : improve_schedule(&best);
    if (st == HS_ECANCELED && best.found)
        st = HS_OK;
    if (st == HS_OK) {
        fill_report(&best);
        *out = best.found;
        best.found = NULL;
    }
    hsi_best_close(&best);
    return st;
}

static hs_status search(const hsi_members *members, const hs_instance *in,
                        const hs_settings *settings, hs_schedule **out, hs_report *report)
{
    return hsi_best_run(members, false, in, settings, out, report);
}

static double guarantee(void *data, unsigned cpus, unsigned gpus, const hs_settings *settings)
{
    return hsi_alg_heteroprio.about.guarantee(data, cpus, gpus, settings);
}

const hsi_algorithm hsi_alg_best = {
    .about =
        {
            .struct_size = sizeof(hs_algorithm),
            .name = "best",
            .summary =
                "runs all other algorithms, then local search until the time limit or a proof",
            .source = "this project; heteroprio, its first member, gives the guarantee",
            .cost = "its time limit, 1 s by default",
            .guarantee = guarantee,
            .supports_graphs = true,
            .supports_available = true,
        },
    .search = search,
};
