/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "algorithm/algorithm.h"
#include "algorithm/lpt.h"
#include "core/report.h"
#include "core/schedule_impl.h"

/* Memory that calls use again, and the schedule of the latest. */
struct hs_workspace {
    hsi_arena    arena;
    hs_schedule *schedule;
};

/* Bytes a task that a heuristic works in, and a little for the workers. */
enum { WORK_A_TASK = 41, WORK_A_WORKER = 256, WORK_AT_LEAST = 4096 };

static int expect(hsi_arena *arena, const hs_instance *in, size_t items)
{
    size_t workers = (size_t)hs_instance_cpus(in) + hs_instance_gpus(in);

    return hsi_arena_expect(arena, WORK_A_TASK * items + WORK_A_WORKER * workers + WORK_AT_LEAST);
}

static hs_status make_schedule(const hs_algorithm *alg, const hs_instance *in,
                               const hs_settings *settings, hsi_arena *arena, hs_schedule *s)
{
    hsi_problem pb;
    hsi_log     log = {0};
    hs_status   st;

    if (expect(arena, in, hs_instance_tasks(in)))
        return HS_ENOMEM;
    st = hsi_problem_in(arena, in, alg->by_rows, &pb);
    if (st == HS_OK)
        st = alg->run(&pb, settings, &log);
    return st == HS_OK ? hsi_log_schedule_in(&log, &pb, s) : st;
}

static hs_status make_tally(const hs_algorithm *alg, const hs_instance *in,
                            const hs_settings *settings, hsi_arena *arena, double *makespan,
                            hs_report *report)
{
    hsi_problem pb;
    hsi_tally   tally;
    hsi_log     log = {.tally = &tally};
    hs_status   st;

    if (expect(arena, in, alg->by_rows ? hs_instance_rows(in) : hs_instance_tasks(in)))
        return HS_ENOMEM;
    st = hsi_problem_in(arena, in, alg->by_rows, &pb);
    if (st == HS_OK)
        st = hsi_tally_open(&tally, &pb);
    if (st == HS_OK)
        st = alg->run(&pb, settings, &log);
    if (st != HS_OK)
        return st;
    hsi_tally_sum(&tally, makespan, &report->certified);
    report->aborted = log.aborts;
    return HS_OK;
}

static hs_status run_heuristic(const hs_algorithm *alg, const hs_instance *in,
                               const hs_settings *settings, hs_schedule **out)
{
    hsi_arena    arena = {0};
    hs_schedule *s = hsi_schedule_new();
    hs_status    st = s ? make_schedule(alg, in, settings, &arena, s) : HS_ENOMEM;

    hsi_arena_close(&arena);
    if (st == HS_OK)
        *out = s;
    else
        hs_schedule_free(s);
    return st;
}

/* What a schedule says of itself; not worth finding out when nobody asks. */
static void report_schedule(const hs_algorithm *alg, const hs_instance *in, const hs_schedule *s,
                            hs_report *full, hs_report *report)
{
    if (!report)
        return;
    full->aborted = hs_schedule_size(s) - hs_instance_tasks(in);
    if (!alg->search)
        full->certified = hsi_certified_makespan(in, s);
    hsi_report_copy(report, full);
}

hs_status hs_solve_reported(const hs_algorithm *alg, const hs_instance *in,
                            const hs_settings *settings, hs_schedule **out, hs_report *report)
{
    hs_settings full;
    hs_report   full_report;
    hs_status   st;

    if (!alg || !in || !out)
        return HS_EINVAL;
    st = hsi_settings_resolve(&full, settings);
    if (st != HS_OK)
        return st;
    hs_report_init(&full_report);
    if (alg->search)
        st = alg->search(in, &full, out, &full_report);
    else
        st = run_heuristic(alg, in, &full, out);
    if (st == HS_OK)
        report_schedule(alg, in, *out, &full_report, report);
    return st;
}

hs_status hs_solve(const hs_algorithm *alg, const hs_instance *in, const hs_settings *settings,
                   hs_schedule **out)
{
    return hs_solve_reported(alg, in, settings, out, NULL);
}

hs_status hs_workspace_create(hs_workspace **out)
{
    hs_workspace *ws;

    if (!out)
        return HS_EINVAL;
    ws = calloc(1, sizeof *ws);
    if (!ws)
        return HS_ENOMEM;
    ws->schedule = hsi_schedule_new();
    if (!ws->schedule) {
        free(ws);
        return HS_ENOMEM;
    }
    *out = ws;
    return HS_OK;
}

void hs_workspace_free(hs_workspace *ws)
{
    if (!ws)
        return;
    hs_schedule_free(ws->schedule);
    hsi_arena_close(&ws->arena);
    free(ws);
}

static hs_status search_in(hs_workspace *ws, const hs_algorithm *alg, const hs_instance *in,
                           const hs_settings *settings, hs_report *report)
{
    hs_schedule *s = NULL;
    hs_status    st = alg->search(in, settings, &s, report);

    if (st == HS_OK) {
        hs_schedule_free(ws->schedule);
        ws->schedule = s;
    }
    return st;
}

hs_status hs_solve_in(hs_workspace *ws, const hs_algorithm *alg, const hs_instance *in,
                      const hs_settings *settings, const hs_schedule **out, hs_report *report)
{
    hs_settings full;
    hs_report   full_report;
    hs_status   st;

    if (!ws || !alg || !in || !out)
        return HS_EINVAL;
    st = hsi_settings_resolve(&full, settings);
    if (st != HS_OK)
        return st;
    hs_report_init(&full_report);
    if (alg->search)
        st = search_in(ws, alg, in, &full, &full_report);
    else
        st = make_schedule(alg, in, &full, &ws->arena, ws->schedule);
    hsi_arena_reset(&ws->arena);
    if (st != HS_OK)
        return st;
    report_schedule(alg, in, ws->schedule, &full_report, report);
    *out = ws->schedule;
    return HS_OK;
}

static hs_status search_makespan(const hs_algorithm *alg, const hs_instance *in,
                                 const hs_settings *settings, double *makespan, hs_report *report)
{
    hs_schedule *s = NULL;
    hs_status    st = alg->search(in, settings, &s, report);

    if (st != HS_OK)
        return st;
    *makespan = hs_schedule_makespan(s);
    report->aborted = hs_schedule_size(s) - hs_instance_tasks(in);
    hs_schedule_free(s);
    return HS_OK;
}

hs_status hs_solve_makespan(hs_workspace *ws, const hs_algorithm *alg, const hs_instance *in,
                            const hs_settings *settings, double *makespan, hs_report *report)
{
    hs_settings full;
    hs_report   full_report;
    hsi_arena   own = {0}, *arena = ws ? &ws->arena : &own;
    hs_status   st;

    if (!alg || !in || !makespan)
        return HS_EINVAL;
    st = hsi_settings_resolve(&full, settings);
    if (st != HS_OK)
        return st;
    hs_report_init(&full_report);
    if (alg->search)
        st = search_makespan(alg, in, &full, makespan, &full_report);
    else
        st = make_tally(alg, in, &full, arena, makespan, &full_report);
    hsi_arena_reset(arena);
    hsi_arena_close(&own);
    if (st == HS_OK && report)
        hsi_report_copy(report, &full_report);
    return st;
}

static hs_status check_allocation(const hsi_problem *pb, const unsigned char *type)
{
    size_t i;

    for (i = 0; i < pb->n; i++) {
        if (type[i] > HS_GPU)
            return HS_EINVAL;
        if (isinf(type[i] == HS_CPU ? pb->p[i] : pb->q[i]))
            return HS_EWORKER;
    }
    return HS_OK;
}

static hs_status run_lpt(const hsi_problem *pb, const unsigned char *type, hs_schedule **out)
{
    hsi_log   log = {0};
    double    makespan;
    hs_status st = check_allocation(pb, type);

    if (st == HS_OK)
        st = hsi_log_open(&log, pb, 0);
    if (st == HS_OK)
        st = hsi_lpt_once(pb, type, &log, &makespan);
    return st == HS_OK ? hsi_log_schedule(&log, pb, out) : st;
}

hs_status hs_solve_lpt(const hs_instance *in, const unsigned char *type, hs_schedule **out)
{
    hsi_arena   arena = {0};
    hsi_problem pb;
    hs_status   st;

    if (!in || !type || !out)
        return HS_EINVAL;
    st = hsi_problem_in(&arena, in, 0, &pb);
    if (st == HS_OK)
        st = run_lpt(&pb, type, out);
    hsi_arena_close(&arena);
    return st;
}
