/* SPDX-License-Identifier: BSD-3-Clause */
/* A node of the tree: its settled types, its bound, and the kind to branch on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bound/bound.h"
#include "refine/price_tree/price_tree_impl.h"

static const double whole = 1e-4; /* fractions of a task below this value count as integral */

void hsi_price_tree_free_node(hsi_price_tree_node *nd)
{
    free(nd->type);
    free(nd->mostly);
    free(nd->worth);
}

hs_status hsi_price_tree_copy_node(const hsi_price_tree *b, const hsi_price_tree_node *from,
                                   hsi_price_tree_node *to)
{
    size_t n = b->pb->n + 1;

    *to = *from;
    to->state = HSI_NODE_OPEN;
    to->type = malloc(n);
    to->mostly = calloc(n, 1);
    to->worth = calloc(n, sizeof *to->worth);
    if (!to->type || !to->mostly || !to->worth) {
        hsi_price_tree_free_node(to);
        return HS_ENOMEM;
    }
    if (from->type) {
        memcpy(to->type, from->type, b->pb->n);
        memcpy(to->worth, from->worth, b->pb->n * sizeof *to->worth);
    } else {
        memset(to->type, HSI_FREE, b->pb->n);
    }
    return HS_OK;
}

hsi_problem hsi_price_tree_node_problem(hsi_price_tree *b, const hsi_price_tree_node *nd)
{
    hsi_problem pb = {.n = b->pb->n, .m = b->pb->m, .k = b->pb->k, .p = b->p, .q = b->q};
    size_t      i;

    for (i = 0; i < pb.n; i++) {
        b->p[i] = nd->type[i] == HS_GPU ? INFINITY : b->pb->p[i];
        b->q[i] = nd->type[i] == HS_CPU ? INFINITY : b->pb->q[i];
    }
    return pb;
}

/* Choose the kind to branch on: the one whose number of tasks on CPUs is farthest from integral;
 * among equals the first. */
static void choose_branch(hsi_price_tree *b, const hsi_configuration *cf, hsi_price_tree_node *nd)
{
    double best = whole;
    size_t i, j;

    nd->task = (uint32_t)b->pb->n;
    hsi_configuration_cpu_shares(cf, b->share);
    for (i = 0; i < b->pb->n; i++) {
        uint32_t kind = hsi_configuration_kind_of_row(cf, i);
        double   count = 0, on_cpu, far;

        nd->mostly[i] = b->share[kind] >= 0.5 ? HS_CPU : HS_GPU;
        if (isinf(b->p[i]) || isinf(b->q[i]))
            continue;
        for (j = 0; j < b->pb->n; j++)
            count += hsi_configuration_kind_of_row(cf, j) == kind;
        on_cpu = count * b->share[kind];
        far = fmin(on_cpu - floor(on_cpu), ceil(on_cpu) - on_cpu);
        if (far > best) {
            best = far;
            nd->task = (uint32_t)i;
            nd->on_cpu = (uint32_t)on_cpu;
        }
    }
}

static bool has_impossible_task(const hsi_problem *pb)
{
    size_t i;

    for (i = 0; i < pb->n; i++)
        if (isinf(pb->p[i]) && isinf(pb->q[i]))
            return true;
    return false;
}

/* Bound the node by deadline, and open its configuration bound unless that is enough. */
static hs_status begin_bounding(hsi_price_tree *b, hsi_price_tree_node *nd, const hsi_problem *pb,
                                const hsi_stop *stop)
{
    double    deadline;
    hs_status st;

    b->evaluated++;
    if (has_impossible_task(pb)) {
        nd->bound = INFINITY;
        return HS_OK;
    }
    st = hsi_bound_compute_for_rows(&hsi_bound_deadline, pb, stop->settings, &deadline, NULL);
    if (st != HS_OK)
        return st;
    nd->bound = fmax(nd->bound, deadline);
    if (nd->bound >= b->cutoff)
        return HS_OK;
    st = hsi_configuration_open(pb, nd->bound, &b->cf);
    if (st == HS_OK && b->has_root)
        hsi_configuration_set_multipliers(b->cf, nd->worth, pb->n);
    return st;
}

void hsi_price_tree_drop_interrupted_bound(hsi_price_tree *b)
{
    hsi_configuration_close(b->cf);
    b->cf = NULL;
}

hs_status hsi_price_tree_evaluate(hsi_price_tree *b, hsi_price_tree_node *nd, const hsi_stop *stop,
                                  int *complete)
{
    hsi_problem pb = hsi_price_tree_node_problem(b, nd);
    hs_status   st = HS_OK;
    size_t      i;

    *complete = 0;
    if (!b->cf)
        st = begin_bounding(b, nd, &pb, stop);
    if (st != HS_OK)
        return st;
    if (b->cf) {
        hsi_configuration_set_sufficient_bound(b->cf, b->cutoff);
        st = hsi_configuration_improve_bound(b->cf, stop);
        nd->bound = hsi_configuration_bound(b->cf);
        if (st == HS_OK && !hsi_configuration_ended(b->cf) && nd->bound < b->cutoff)
            return HS_OK;
        for (i = 0; i < pb.n; i++)
            nd->worth[i] = hsi_configuration_row_worth(b->cf, i);
        if (st == HS_OK && nd->bound < b->cutoff)
            choose_branch(b, b->cf, nd);
    }
    *complete = st == HS_OK;
    hsi_price_tree_drop_interrupted_bound(b);
    return st;
}
