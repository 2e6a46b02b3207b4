/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "algorithm/algorithm.h"
#include "algorithm/lpt.h"
#include "core/report.h"

static hs_status run_heuristic(const hs_algorithm *alg, const hs_instance *in,
                               const hs_settings *settings, hs_schedule **out)
{
    hsi_problem pb;
    hsi_log     log;
    hs_status   st = hsi_problem_of_tasks(in, &pb);
    size_t      workers;

    if (st != HS_OK)
        return st;
    workers = (size_t)pb.m + pb.k;
    st = hsi_log_open(&log, &pb, pb.n < workers ? pb.n : workers);
    if (st != HS_OK)
        goto close_problem;
    st = alg->run(&pb, settings, &log);
    if (st == HS_OK)
        st = hsi_log_schedule(&log, &pb, out);
    hsi_log_close(&log);
close_problem:
    hsi_problem_close(&pb);
    return st;
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
    if (st == HS_OK && !alg->search)
        full_report.certified = hsi_certified_makespan(in, *out);
    if (st == HS_OK && report)
        hsi_report_copy(report, &full_report);
    return st;
}

hs_status hs_solve(const hs_algorithm *alg, const hs_instance *in, const hs_settings *settings,
                   hs_schedule **out)
{
    return hs_solve_reported(alg, in, settings, out, NULL);
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

hs_status hs_solve_lpt(const hs_instance *in, const unsigned char *type, hs_schedule **out)
{
    hsi_problem pb;
    hsi_log     log;
    hsi_lpt     lpt;
    hs_status   st;

    if (!in || !type || !out)
        return HS_EINVAL;
    st = hsi_problem_of_tasks(in, &pb);
    if (st != HS_OK)
        return st;
    st = check_allocation(&pb, type);
    if (st != HS_OK)
        goto close_problem;
    st = hsi_log_open(&log, &pb, 0);
    if (st != HS_OK)
        goto close_problem;
    st = hsi_lpt_open(&lpt, &pb);
    if (st != HS_OK)
        goto close_log;
    hsi_lpt_run(&lpt, type, &log);
    hsi_lpt_close(&lpt);
    st = hsi_log_schedule(&log, &pb, out);
close_log:
    hsi_log_close(&log);
close_problem:
    hsi_problem_close(&pb);
    return st;
}
