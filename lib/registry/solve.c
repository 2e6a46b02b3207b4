/* SPDX-License-Identifier: BSD-3-Clause */
/* hs_solve() and its variants: resolve the settings, run an algorithm in a workspace (the caller's
 * or a temporary one), and report. */
#include <stdlib.h>

#include <hybridsched/policy.h>

#include "algorithm/run_algorithm.h"
#include "core/graph/rest.h"
#include "core/solve_report.h"
#include "core/schedule_impl.h"
#include "policy/prefetched_transfers.h"
#include "registry/algorithms.h"
#include "support/sized.h"

/* Memory reused between calls, and the schedule of the last call. */
struct hs_workspace {
    hsi_arena    arena;
    hs_schedule *schedule;
};

static hs_status open_workspace(hs_workspace *ws)
{
    *ws = (hs_workspace){.schedule = hsi_schedule_new()};
    return ws->schedule ? HS_OK : HS_ENOMEM;
}

static void close_workspace(hs_workspace *ws)
{
    hs_schedule_free(ws->schedule);
    hsi_arena_close(&ws->arena);
}

hs_status hs_workspace_create(hs_workspace **out)
{
    hs_workspace *ws;

    if (!out)
        return HS_EINVAL;
    ws = malloc(sizeof *ws);
    if (!ws || open_workspace(ws) != HS_OK) {
        free(ws);
        return HS_ENOMEM;
    }
    *out = ws;
    return HS_OK;
}

void hs_workspace_free(hs_workspace *ws)
{
    if (ws)
        close_workspace(ws);
    free(ws);
}

/* The algorithm that a call runs. */
typedef struct chosen {
    const hsi_algorithm *own; /* the library's own part of the algorithm; NULL: an
                                 application's algorithm */
    hs_algorithm known;       /* complete copy of the public part of the algorithm */
    bool         by_policy;   /* whether a policy runs under a virtual clock */
} chosen;

static hs_status choose_algorithm(chosen *choice, const hs_algorithm *alg, const hs_instance *in)
{
    if (!alg || !in)
        return HS_EINVAL;
    choice->own = hsi_algorithm_builtin(alg);
    choice->known = hsi_algorithm_complete_copy(alg);
    if (!choice->own && !(choice->known.name && choice->known.run))
        return HS_EINVAL;
    return hs_instance_has_graph(in) && !choice->known.supports_graphs ? HS_EDEPENDENT : HS_OK;
}

static bool has_busy_worker(const hs_settings *settings)
{
    for (size_t w = 0; settings->available && w < settings->available_count; w++)
        if (settings->available[w] > 0)
            return true;
    return false;
}

/* Select the heuristic, search or policy; call after the settings are resolved. HS_EINVAL: the
 * algorithm does not take the rank. */
static hs_status choose_runner(chosen *choice, const hs_instance *in, const hs_settings *settings)
{
    const hsi_algorithm *own = choice->own;

    if (settings->rank != HS_RANK_DEFAULT && !(choice->known.supported_ranks >> settings->rank & 1))
        return HS_EINVAL;
    choice->by_policy = own && own->policy &&
                        (!own->run || settings->rank != HS_RANK_DEFAULT ||
                         settings->parameters.ratio_tolerance > 0 || hs_instance_has_graph(in) ||
                         (own->available_by_policy && has_busy_worker(settings)));
    return hsi_settings_check_available(settings, in, choice->known.supports_available);
}

static bool is_heuristic(const chosen *alg)
{
    return alg->own && alg->own->run && !alg->by_policy;
}

static hs_status simulate_policy(const chosen *alg, const hs_instance *in,
                                 const hs_settings *settings, hs_schedule **out, hs_report *report)
{
    hs_policy_settings its;
    hsi_token          token = hsi_token_of(settings);
    hs_schedule       *s = NULL;
    hs_status          st;

    hs_policy_settings_init(&its);
    its.rank = settings->rank;
    its.parameters = settings->parameters;
    its.cancel = settings->cancel;
    its.cancel_data = settings->cancel_data;
    its.available = settings->available;
    its.transfers = settings->transfers;
    st = hs_policy_simulate(hs_policy_find(alg->own->policy), in, NULL, in, &its, &s, NULL);
    if (st == HS_OK)
        report->certified = hsi_certified_makespan(in, s, settings->available, &token);
    if (st == HS_OK && !token.cancelled) {
        *out = s;
        return HS_OK;
    }
    hs_schedule_free(s);
    return st == HS_OK ? HS_ECANCELED : st;
}

static const hsi_members members = {hs_algorithm_count, hs_algorithm_at, hs_solve};

/* Run a policy, a search, or an application's algorithm, whose schedule is checked. */
static hs_status run_search(const chosen *alg, const hs_instance *in, const hs_settings *settings,
                            hs_schedule **out, hs_report *report)
{
    hsi_token    token = hsi_token_of(settings);
    hs_schedule *s = NULL;
    hs_status    st;

    if (alg->by_policy)
        return simulate_policy(alg, in, settings, out, report);
    if (alg->own)
        return alg->own->search(&members, in, settings, out, report);
    st = alg->known.run(alg->known.data, in, settings, &s);
    if (st == HS_OK)
        st = s ? hs_schedule_check_available(in, s, settings->available, NULL) : HS_ESCHEDULE;
    if (st == HS_OK) {
        report->certified = hsi_certified_makespan(in, s, settings->available, &token);
        st = token.cancelled ? HS_ECANCELED : HS_OK;
    }
    if (st == HS_OK) {
        *out = s;
        s = NULL;
    }
    hs_schedule_free(s);
    return st;
}

static hs_status search_in(hs_workspace *ws, const chosen *alg, const hs_instance *in,
                           const hs_settings *settings, hs_report *report)
{
    hs_schedule *s = NULL;
    hs_status    st = run_search(alg, in, settings, &s, report);

    if (st == HS_OK) {
        hs_schedule_free(ws->schedule);
        ws->schedule = s;
    }
    return st;
}

/* Add transfers to the schedule. A cancelled search still returns its schedule, so cancel requests
 * are ignored then. */
static hs_status add_transfers(const chosen *alg, const hs_instance *in,
                               const hs_settings *settings, hs_schedule *s)
{
    hsi_token token = hsi_token_of(settings);
    bool      searched = alg->own && alg->own->search && !alg->by_policy;

    return hsi_add_prefetched_transfers(in, s, searched ? NULL : &token);
}

/* Settings for the rest of an instance. */
typedef struct rest_settings {
    hsi_rest     rest;
    hs_settings  its;
    hs_schedule *start;
    hs_affinity *affinities;
} rest_settings;

static void close_rest(rest_settings *r)
{
    hs_schedule_free(r->start);
    free(r->affinities);
    hsi_rest_close(&r->rest);
}

/* Copy the affinities of tasks that are not done. */
static hs_status keep_affinities(rest_settings *r, size_t tasks)
{
    size_t count = r->its.affinity_count, kept = 0;

    r->affinities = malloc((count + 1) * sizeof *r->affinities);
    if (!r->affinities)
        return HS_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        hs_affinity a = r->its.affinities[i];

        if (a.task >= tasks)
            return HS_EINVAL;
        if (r->rest.number[a.task] == HS_NONE)
            continue;
        a.task = r->rest.number[a.task];
        r->affinities[kept++] = a;
    }
    r->its.affinities = r->affinities;
    r->its.affinity_count = kept;
    return HS_OK;
}

/* Build the rest of an instance, and the settings for it. Call close_rest() also after a failure.
 */
static hs_status open_rest(rest_settings *r, const hs_instance *in, const hs_settings *settings)
{
    hs_status st;

    *r = (rest_settings){.its = *settings};
    r->its.skip = NULL;
    r->its.skip_worker = NULL;
    st = hsi_rest_open(&r->rest, in, settings->skip, settings->skip_worker);
    if (st == HS_OK && settings->start) {
        st = hsi_rest_schedule(&r->rest, settings->start, &r->start);
        r->its.start = r->start;
    }
    return st == HS_OK ? keep_affinities(r, hs_instance_tasks(in)) : st;
}

static hs_status solve_in(hs_workspace *ws, chosen *alg, const hs_instance *in,
                          const hs_settings *given, hs_report *report);

/* Run an algorithm in a workspace on the tasks that are not done. */
static hs_status solve_rest_in(hs_workspace *ws, chosen *alg, const hs_instance *in,
                               const hs_settings *settings, hs_report *report)
{
    rest_settings r;
    hs_status     st = open_rest(&r, in, settings);

    if (st == HS_OK)
        st = solve_in(ws, alg, r.rest.in, &r.its, report);
    if (st == HS_OK)
        hsi_rest_rename(&r.rest, ws->schedule);
    close_rest(&r);
    return st;
}

/* Run an algorithm in a workspace. The report's exact sums are computed only if `report` is
 * given. */
static hs_status solve_in(hs_workspace *ws, chosen *alg, const hs_instance *in,
                          const hs_settings *given, hs_report *report)
{
    hs_settings settings;
    hs_report   full;
    hsi_token   token;
    hs_status   st = hsi_settings_resolve(&settings, given);

    if (st == HS_OK && settings.skip)
        return solve_rest_in(ws, alg, in, &settings, report);
    if (st == HS_OK)
        st = choose_runner(alg, in, &settings);
    if (st != HS_OK)
        return st;
    hs_report_init(&full);
    token = hsi_token_of(&settings);
    if (is_heuristic(alg))
        st = hsi_run_algorithm_in(alg->own, in, &settings, &ws->arena, ws->schedule);
    else
        st = search_in(ws, alg, in, &settings, &full);
    hsi_arena_reset(&ws->arena);
    if (st == HS_OK && settings.transfers)
        st = add_transfers(alg, in, &settings, ws->schedule);
    if (st != HS_OK || !report)
        return st;
    full.aborted = hs_schedule_entry_count(ws->schedule) - hs_instance_tasks(in);
    if (is_heuristic(alg))
        full.certified = hsi_certified_makespan(in, ws->schedule, settings.available, &token);
    if (token.cancelled)
        return HS_ECANCELED;
    hsi_sized_copy_out(report, &full, sizeof full);
    return HS_OK;
}

hs_status hs_solve_in(hs_workspace *ws, const hs_algorithm *alg, const hs_instance *in,
                      const hs_settings *settings, const hs_schedule **out, hs_report *report)
{
    chosen    choice;
    hs_status st;

    if (!ws || !out)
        return HS_EINVAL;
    st = choose_algorithm(&choice, alg, in);
    if (st == HS_OK)
        st = solve_in(ws, &choice, in, settings, report);
    if (st == HS_OK)
        *out = ws->schedule;
    return st;
}

hs_status hs_solve_reported(const hs_algorithm *alg, const hs_instance *in,
                            const hs_settings *settings, hs_schedule **out, hs_report *report)
{
    hs_workspace own;
    chosen       choice;
    hs_status    st;

    if (!out)
        return HS_EINVAL;
    st = choose_algorithm(&choice, alg, in);
    if (st != HS_OK)
        return st;
    st = open_workspace(&own);
    if (st == HS_OK)
        st = solve_in(&own, &choice, in, settings, report);
    if (st == HS_OK) {
        *out = own.schedule;
        own.schedule = NULL;
    }
    close_workspace(&own);
    return st;
}

hs_status hs_solve(const hs_algorithm *alg, const hs_instance *in, const hs_settings *settings,
                   hs_schedule **out)
{
    return hs_solve_reported(alg, in, settings, out, NULL);
}

static hs_status search_makespan(const chosen *alg, const hs_instance *in,
                                 const hs_settings *settings, double *makespan, hs_report *report)
{
    hs_schedule *s = NULL;
    hs_status    st = run_search(alg, in, settings, &s, report);

    if (st != HS_OK)
        return st;
    *makespan = hs_schedule_makespan(s);
    report->aborted = hs_schedule_entry_count(s) - hs_instance_tasks(in);
    hs_schedule_free(s);
    return HS_OK;
}

/* Compute the makespan of the tasks that are not done. */
static hs_status rest_makespan(hs_workspace *ws, const hs_algorithm *alg, const hs_instance *in,
                               const hs_settings *settings, double *makespan, hs_report *report)
{
    rest_settings r;
    hs_status     st = open_rest(&r, in, settings);

    if (st == HS_OK)
        st = hs_solve_makespan(ws, alg, r.rest.in, &r.its, makespan, report);
    close_rest(&r);
    return st;
}

hs_status hs_solve_makespan(hs_workspace *ws, const hs_algorithm *alg, const hs_instance *in,
                            const hs_settings *given, double *makespan, hs_report *report)
{
    hs_settings settings;
    hs_report   full;
    hsi_arena   own = {0}, *arena = ws ? &ws->arena : &own;
    chosen      choice;
    hs_status   st;

    if (!makespan)
        return HS_EINVAL;
    st = choose_algorithm(&choice, alg, in);
    if (st == HS_OK)
        st = hsi_settings_resolve(&settings, given);
    if (st == HS_OK && settings.skip)
        return rest_makespan(ws, alg, in, &settings, makespan, report);
    if (st == HS_OK)
        st = choose_runner(&choice, in, &settings);
    if (st != HS_OK)
        return st;
    hs_report_init(&full);
    if (is_heuristic(&choice))
        st = hsi_run_algorithm_makespan(choice.own, in, &settings, arena, makespan, &full);
    else
        st = search_makespan(&choice, in, &settings, makespan, &full);
    hsi_arena_reset(arena);
    hsi_arena_close(&own);
    if (st == HS_OK && report)
        hsi_sized_copy_out(report, &full, sizeof full);
    return st;
}
