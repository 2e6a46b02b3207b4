/* SPDX-License-Identifier: BSD-3-Clause */
/* The bound `allocation`: assign tasks to types by a MIP, solved by branch and bound from the
 * deadline bound up. */
#include "bound/bound.h"
#include "core/stop.h"
#include "glpk/assignment.h"

/*
 * The value is safe: every schedule is an allocation, and its makespan is at least each type's
 * average load and each task's time. A tree, each node of which is proved anew (glpk/tree.c),
 * computes the least T over allocations or bounds it from below. The deadline bound allows tasks to
 * be cut, so it never exceeds that T.
 */
static hs_status compute(const hsi_problem *rows, const hs_settings *settings, double *value,
                         hs_bound_report *report)
{
    hsi_stop  stop = hsi_stop_after(settings, HSI_BOUND_SECONDS);
    double    least = 0;
    hs_status st = hsi_bound_of_rows(&hsi_bound_deadline, rows, settings, &least, NULL);

    *value = least;
    if (st != HS_OK || rows->n == 0 || rows->m == 0 || rows->k == 0)
        return st; /* with one type there is one allocation, which deadline bounds */
    return hsi_assignment_bound(rows, HSI_GROUP_A_TYPE, least, &stop, value,
                                &report->limit_reached);
}

/* Prove the value again; a known value takes fewer nodes. The proof has the full time limit once
 * more. */
static hs_status certify(const hs_bound *bound, const hsi_problem *rows,
                         const hs_settings *settings, hs_certificate *c)
{
    double    value;
    hs_status st = hsi_bound_of_rows(bound, rows, settings, &value, NULL);
    hsi_stop  stop = hsi_stop_after(settings, HSI_BOUND_SECONDS);

    return st == HS_OK ? hsi_certify_tree(rows, value, 0, &stop, c) : st;
}

const hs_bound hsi_bound_allocation = {
    .name = "allocation",
    .summary = "tasks are not divided, but only the total load of each type counts (MIP)",
    .source = "dominates deadline; exact without a time limit",
    .cost = "exponential, at most the time limit; up to 100,000 rows",
    .compute = compute,
    .certify = certify,
};
