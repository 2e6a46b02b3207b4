/* SPDX-License-Identifier: BSD-3-Clause */
#include "bound/bound.h"

hs_status hsi_bound_open_problem(const hs_bound *bound, const hs_instance *in, hsi_token *token,
                                 hsi_problem *pb)
{
    return bound->graph && hs_instance_has_graph(in) ? hsi_problem_of_tasks(in, token, pb)
                                                     : hsi_problem_of_rows(in, token, pb);
}

hs_status hsi_bound_compute_for_rows(const hs_bound *bound, const hsi_problem *rows,
                                     const hs_settings *settings, double *value,
                                     hs_bound_report *report)
{
    hs_bound_report own = {0};
    double          found = 0;
    hs_status       st;

    if (hsi_poll(rows->token))
        return HS_ECANCELED;
    st = bound->compute(rows, settings, &found, &own);
    if (st == HS_OK && hsi_poll(rows->token))
        st = HS_ECANCELED;
    if (st != HS_OK)
        return st;
    *value = found;
    if (report)
        report->limit_reached = own.limit_reached;
    return HS_OK;
}

hs_status hsi_bound_run(const hs_bound *bound, const hs_instance *in, const hs_settings *settings,
                        double *value, hs_bound_report *report)
{
    hsi_token   token = hsi_token_of(settings);
    hsi_problem rows;
    hs_status   st = hsi_bound_open_problem(bound, in, &token, &rows);

    if (st != HS_OK)
        return st;
    rows.available = settings->available;
    st = hsi_bound_compute_for_rows(bound, &rows, settings, value, report);
    hsi_problem_close(&rows);
    return st;
}
