/* SPDX-License-Identifier: BSD-3-Clause */
#include "glpk/order_tree.h"

#include <math.h>

#include "glpk/guard.h"
#include "glpk/order_lp.h"
#include "support/heap.h"

/* A node fixes one more binary than its parent. */
typedef struct node {
    double   bound;
    uint32_t parent;
    int      column, value; /* fixed binary and its value */
    int      next;          /* binary to branch on; 0: none is fractional */
} node;

typedef struct tree {
    hsi_order_lp    lp;
    const hsi_stop *stop;
    hsi_vector      nodes, open; /* node each; heap of uint32_t */
    uint32_t        decided;     /* node to which the LP is set; HS_NONE */
    double          bound;       /* proved lower bound, the result */
    int             stopped;
} tree;

static node *node_at(const tree *t, uint32_t index)
{
    return (node *)t->nodes.data + index;
}

static int comes_before(const void *context, uint32_t a, uint32_t b)
{
    const tree *t = context;
    double      x = node_at(t, a)->bound, y = node_at(t, b)->bound;

    return x < y || (x == y && a > b); /* among equals, the newest */
}

static size_t open_count(const tree *t)
{
    return t->open.size / sizeof(uint32_t);
}

static hs_status push(tree *t, uint32_t index)
{
    if (hsi_vector_reserve(&t->open, sizeof index))
        return HS_ENOMEM;
    hsi_heap_push(t->open.data, open_count(t), index, comes_before, t);
    t->open.size += sizeof index;
    return HS_OK;
}

static uint32_t pop(tree *t)
{
    uint32_t index = hsi_heap_pop(t->open.data, open_count(t), comes_before, t);

    t->open.size -= sizeof index;
    return index;
}

/* Change the LP from the current node to another one. */
static void set_node(tree *t, uint32_t index)
{
    for (uint32_t i = t->decided; i != HS_NONE; i = node_at(t, i)->parent)
        if (node_at(t, i)->column)
            hsi_order_lp_free(&t->lp, node_at(t, i)->column);
    for (uint32_t i = index; i != HS_NONE; i = node_at(t, i)->parent)
        if (node_at(t, i)->column)
            hsi_order_lp_fix(&t->lp, node_at(t, i)->column, node_at(t, i)->value);
    t->decided = index;
}

/* Solve and store a node; open it if its bound is below 1, since some schedule takes at most 1. */
static hs_status add(tree *t, node it)
{
    uint32_t index = (uint32_t)(t->nodes.size / sizeof it);
    double   bound;

    if (hsi_vector_append(&t->nodes, &it, sizeof it))
        return HS_ENOMEM;
    set_node(t, index);
    if (!hsi_order_lp_solve(&t->lp, t->stop, &bound)) {
        t->stopped = 1;
        return HS_OK;
    }
    node_at(t, index)->bound = fmax(it.bound, bound);
    node_at(t, index)->next = hsi_order_lp_undecided(&t->lp);
    return node_at(t, index)->bound < 1 ? push(t, index) : HS_OK;
}

static hs_status search(tree *t)
{
    hs_status st = add(t, (node){.bound = 0, .parent = HS_NONE});

    while (st == HS_OK && !t->stopped && open_count(t) > 0) {
        uint32_t index = pop(t);
        node     it = *node_at(t, index);

        t->bound = fmax(t->bound, it.bound);
        if (!it.next)
            return HS_OK; /* the node is a schedule, and no open node has a smaller bound */
        for (int value = 0; st == HS_OK && !t->stopped && value < 2; value++)
            st = add(t, (node){it.bound, index, it.next, value, 0});
        t->stopped |= hsi_stop_now(t->stop);
    }
    if (st == HS_OK && !t->stopped)
        t->bound = 1;
    return st;
}

/* Run the search; called under the guard. */
static hs_status work(void *data)
{
    tree     *t = data;
    hs_status st;

    hsi_order_lp_build(&t->lp);
    st = search(t);
    hsi_order_lp_drop(&t->lp);
    return st;
}

hs_status hsi_order_bound(const hsi_arcs *arcs, double least, const hsi_stop *stop, double *value,
                          int *limit_reached)
{
    tree      t = {.stop = stop, .decided = HS_NONE};
    hs_status st = hsi_order_lp_open(&t.lp, arcs, least);

    if (st == HS_OK)
        st = hsi_glpk_guarded(work, &t);
    if (st == HS_OK || st == HS_ESOLVER) { /* bounds proved before a failure remain valid */
        *value = fmax(least, ldexp(t.bound, t.lp.exponent));
        *limit_reached = t.stopped || st == HS_ESOLVER;
        st = hsi_cancelled(stop->settings) ? HS_ECANCELED : HS_OK;
    }
    hsi_order_lp_close(&t.lp);
    hsi_vector_free(&t.nodes);
    hsi_vector_free(&t.open);
    return st;
}
