/* SPDX-License-Identifier: BSD-3-Clause */
/* Nodes whose LP is integral but whose bound is below the cutoff: pack their types, and search them
 * task by task. */
#include <math.h>
#include <stdlib.h>

#include "bound/proof/refute.h"
#include "refine/price_tree/price_tree_impl.h"
#include "refine/refine.h"

/* Return the longest free task, to branch on; n: no task is free. */
static uint32_t longest_free(const hsi_price_tree *b, const hsi_price_tree_node *nd)
{
    uint32_t best = (uint32_t)b->pb->n, i;
    double   longest = -1;

    for (i = 0; i < b->pb->n; i++) {
        double time = fmin(b->pb->p[i], b->pb->q[i]);

        if (nd->type[i] == HSI_FREE && isfinite(b->pb->p[i]) && isfinite(b->pb->q[i]) &&
            time > longest) {
            longest = time;
            best = i;
        }
    }
    return best;
}

/* Pack the tasks by the LP's types; set has_found if the schedule is below the cutoff. */
static hs_status pack_by_types(hsi_price_tree *b, const hsi_price_tree_node *nd,
                               const hsi_stop *stop)
{
    const hsi_problem *pb = b->pb;
    atomic_int         halt = 0;
    hsi_interrupt      interrupt = {.stop = stop, .halt = &halt};
    double            *load = malloc(((size_t)pb->m + pb->k + 1) * sizeof *load);
    hs_status          st = load ? HS_OK : HS_ENOMEM;
    size_t             i;

    for (i = 0; i < pb->n; i++)
        b->found[i] = nd->mostly[i] == HS_CPU ? 0 : pb->m;
    if (st == HS_OK && pb->m)
        st = hsi_pack_tasks(pb, HS_CPU, &interrupt, b->found);
    if (st == HS_OK && pb->k)
        st = hsi_pack_tasks(pb, HS_GPU, &interrupt, b->found);
    if (st == HS_OK && hsi_assignment_makespan(pb, b->found, load) < b->cutoff)
        b->has_found = 1;
    free(load);
    return st;
}

hs_status hsi_price_tree_search_through(hsi_price_tree *b, hsi_price_tree_node *nd,
                                        const hsi_stop *stop)
{
    hsi_problem    pb = hsi_price_tree_node_problem(b, nd);
    hsi_refutation refutation = {
        .pb = &pb, .target = nextafter(b->cutoff, 0), .worth = b->scaled, .worker = b->found};
    hsi_stop    slice = *stop;
    hsi_verdict verdict = HSI_STOPPED;
    hs_status   st = HS_OK;

    if (nd->state == HSI_NODE_OPEN) {
        st = pack_by_types(b, nd, stop);
        if (st != HS_OK || b->has_found)
            return st;
    }
    slice.end = fmin(stop->end, hsi_clock_seconds() + b->patience);
    hsi_refute_scale_worths(pb.n, nd->worth, b->scaled);
    if (pb.n <= HSI_REFUTE_MOST_TASKS)
        st = hsi_refutation_search(&refutation, &slice, &verdict);
    if (st != HS_OK)
        return st;
    if (nd->state == HSI_NODE_HARD)
        b->patience *= 2;
    if (verdict == HSI_FOUND) {
        b->has_found = 1;
    } else if (verdict == HSI_REFUTED) {
        nd->state = HSI_NODE_SEARCHED;
        nd->bound = b->cutoff;
    } else if (nd->state == HSI_NODE_OPEN) {
        nd->task = longest_free(b, nd);
        nd->on_cpu = 0;
        if (nd->task == pb.n)
            nd->state = HSI_NODE_HARD;
    }
    return HS_OK;
}
