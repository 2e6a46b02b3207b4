/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "algorithm/algorithm.h"
#include "algorithm/lpt.h"

hs_status hs_solve(const hs_algorithm *alg, const hs_instance *in, const hs_settings *settings,
                   hs_schedule **out)
{
    hs_settings full;
    hsi_problem pb;
    hsi_log     log;
    hs_status   st;
    size_t      workers;

    if (!alg || !in || !out)
        return HS_EINVAL;
    st = hsi_settings_resolve(&full, settings);
    if (st != HS_OK)
        return st;
    st = hsi_problem_of_tasks(in, &pb);
    if (st != HS_OK)
        return st;
    workers = (size_t)pb.m + pb.k;
    st = hsi_log_open(&log, &pb, pb.n < workers ? pb.n : workers);
    if (st != HS_OK)
        goto close_problem;
    st = alg->run(&pb, &full, &log);
    if (st == HS_OK)
        st = hsi_log_schedule(&log, &pb, out);
    hsi_log_close(&log);
close_problem:
    hsi_problem_close(&pb);
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
