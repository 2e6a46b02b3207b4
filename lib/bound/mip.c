/* SPDX-License-Identifier: BSD-3-Clause */
/* The assignment of tasks to workers as a MIP, by branch and bound from the deadline bound up. */
#include "bound/bound.h"
#include "core/stop.h"
#include "solver/assignment.h"

enum { MOST_COLUMNS = 100000 };

/*
 * Safe: the MIP is the problem itself, and each node of the tree that bounds it is
 * proved anew (solver/tree.c).
 */
static hs_status compute(const hsi_problem *rows, const hs_settings *settings, double *value,
                         hs_bound_report *report)
{
    hsi_stop  stop = hsi_stop_after(settings, HSI_BOUND_SECONDS);
    size_t    workers = (size_t)rows->m + rows->k;
    double    least = 0;
    hs_status st = hsi_bound_of_rows(&hsi_bound_deadline, rows, settings, &least, NULL);

    *value = least;
    if (st != HS_OK || rows->n == 0)
        return st;
    if (rows->n > MOST_COLUMNS / workers)
        return HS_ETOOBIG;
    return hsi_assignment_bound(rows, HSI_GROUP_A_WORKER, least, &stop, value,
                                &report->limit_reached);
}

/*
 * By knapsacks rather than by the MIP's own leaves: there are far fewer cases, and whose
 * worker is whose does not matter to them.
 */
static hs_status certify(const hs_bound *bound, const hsi_problem *rows,
                         const hs_settings *settings, hs_certificate *c)
{
    double    value;
    hs_status st = hsi_bound_of_rows(bound, rows, settings, &value, NULL);
    hsi_stop  stop = hsi_stop_after(settings, HSI_BOUND_SECONDS);

    return st == HS_OK ? hsi_certify_tree(rows, value, 1, &stop, c) : st;
}

const hs_bound hsi_bound_mip = {
    .name = "mip",
    .summary = "the problem itself as a MIP, as far as the time allows",
    .source = "the assignment MIP; its dual bound",
    .cost = "exponential; up to 100,000 columns (rows x workers), stops at the time limit",
    .compute = compute,
    .certify = certify,
};
