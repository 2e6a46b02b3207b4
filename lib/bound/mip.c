/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bound `mip`: the problem itself as a MIP, solved by branch and bound from the deadline bound
 * up. Independent tasks need the assignment to workers, graphs also the order (glpk/order_lp.h).
 */
#include "bound/bound.h"
#include "core/stop.h"
#include "glpk/assignment.h"
#include "glpk/order_tree.h"

enum { MOST_COLUMNS = 100000 };

/* Bound a graph. The value is safe: the MIP is the problem itself, and each node of the tree that
 * bounds it is proved anew (glpk/tree.c). */
static hs_status order(const hsi_problem *pb, double least, const hsi_stop *stop, double *value,
                       int *limit_reached)
{
    hsi_arcs  arcs;
    hs_status st = hsi_arcs_open(pb, &arcs);

    if (st == HS_OK)
        st = hsi_order_bound(&arcs, least, stop, value, limit_reached);
    hsi_arcs_close(&arcs);
    return st;
}

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
    if (rows->graph)
        return order(rows, least, &stop, value, &report->limit_reached);
    if (rows->n > MOST_COLUMNS / workers)
        return HS_ETOOBIG;
    return hsi_assignment_bound(rows, HSI_GROUP_A_WORKER, least, &stop, value,
                                &report->limit_reached);
}

/* Prove the value by knapsacks instead of the MIP's leaves: the cases are far fewer, and identical
 * workers are not told apart. For a graph prove deadline's value. */
static hs_status certify(const hs_bound *bound, const hsi_problem *rows,
                         const hs_settings *settings, hs_certificate *c)
{
    double    value, least = 0;
    hs_status st = hsi_bound_of_rows(bound, rows, settings, &value, NULL);
    hsi_stop  stop = hsi_stop_after(settings, HSI_BOUND_SECONDS);

    if (st == HS_OK && rows->graph)
        st = hsi_bound_of_rows(&hsi_bound_deadline, rows, settings, &least, NULL);
    if (st != HS_OK)
        return st;
    return rows->graph ? hsi_certify_value(rows, least, c)
                       : hsi_certify_tree(rows, value, 1, &stop, c);
}

const hs_bound hsi_bound_mip = {
    .name = "mip",
    .summary = "the scheduling problem as a MIP, up to the time limit",
    .source = "the assignment MIP; its dual bound",
    .cost = "exponential; up to 100,000 columns (rows x workers), stops at the time limit; "
            "graphs: up to 24 tasks",
    .graph = 1,
    .compute = compute,
    .certify = certify,
};
