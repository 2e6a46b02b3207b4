/* SPDX-License-Identifier: BSD-3-Clause */
/* The bound `place-windows`: the largest guess below which no schedule exists by the windows of the
 * tasks (type_windows.h). */
#include <stdlib.h>

#include "bound/bound.h"
#include "bound/graph/climb.h"
#include "bound/graph/type_windows.h"

static const double near = 1e-9; /* relative precision of the bound */

static bool refute(void *data, double guess)
{
    return hsi_type_windows_refute(data, guess);
}

static hs_status compute(const hsi_problem *pb, const hs_settings *settings, double *value,
                         hs_bound_report *report)
{
    hsi_stop         stop = hsi_stop_after(settings, HSI_BOUND_SECONDS);
    hsi_arcs         arcs;
    hsi_type_windows windows;
    hs_status st = hsi_bound_compute_for_rows(&hsi_bound_deadline, pb, settings, value, report);

    if (st != HS_OK || !pb->graph || pb->n == 0)
        return st;
    st = hsi_arcs_open(pb, &arcs);
    if (st == HS_OK) {
        st = hsi_type_windows_open(&windows, &arcs);
        if (st == HS_OK)
            report->limit_reached = hsi_climb(refute, &windows, near, &stop, value);
        hsi_type_windows_close(&windows);
    }
    hsi_arcs_close(&arcs);
    return st;
}

/* Prove a value above deadline's by windows. */
static hs_status prove(const hsi_problem *pb, double value, hs_certificate *c)
{
    hsi_proof_node *node = calloc(1, sizeof *node);
    hs_status       st = node ? hsi_prove_by_windows(pb, value, node) : HS_ENOMEM;

    if (st == HS_OK && node->step == HSI_STEP_WINDOWS) {
        *c = (hs_certificate){.value = value, .computed = value, .proof = HSI_PROOF_WINDOWS};
        c->node = node;
        c->nodes = 1;
        return HS_OK;
    }
    if (node)
        hsi_proof_node_free(node);
    free(node);
    return st;
}

static hs_status certify(const hs_bound *bound, const hsi_problem *pb, const hs_settings *settings,
                         hs_certificate *c)
{
    double    value;
    hs_status st = hsi_bound_compute_for_rows(bound, pb, settings, &value, NULL);

    if (st == HS_OK && pb->graph && value > 0)
        st = prove(pb, value, c);
    if (st == HS_OK && hsi_poll(pb->token))
        st = HS_ECANCELED;
    return st == HS_OK && c->nodes == 0 ? hsi_certify_value(pb, value, c) : st;
}

const hs_bound hsi_bound_place_windows = {
    .name = "place-windows",
    .summary = "the least makespan whose windows, with transfers, leave room for all tasks",
    .source = "this project; destructive bounds of Klein and Scholl 1999",
    .cost = "some tens of passes over the dependencies, and O(n log n) each",
    .graph = true,
    .compute = compute,
    .certify = certify,
};
