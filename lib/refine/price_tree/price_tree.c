/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Why the bound is safe. A node's schedules agree with its settled types: a task settled for one
 * type cannot run on the other. With infinite times for the excluded types, the node is an instance
 * with a safe bound of its own. Children: of c tasks of one kind (equal in both times), the LP runs
 * a fractional number s on CPUs; any schedule runs at most floor(s) or at least floor(s) + 1 of
 * them there, and since they are equal, the tasks can be named. Thus the leaves together contain an
 * optimal schedule, and the least of their bounds is a lower bound of it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "refine/price_tree/price_tree_impl.h"

static const double patience = 0.05; /* seconds for the first complete search of a node */

/* Close nodes whose bound reaches the cutoff. Return the open node with the least bound, without
 * open nodes the hard node with the least bound, and the number of nodes if all are done. */
static size_t next_node(hsi_price_tree *b)
{
    size_t count = hsi_price_tree_leaves(b), best = count, i;

    for (i = 0; i < count; i++) {
        hsi_price_tree_node *nd = &hsi_price_tree_nodes_of(b)[i],
                            *so_far = &hsi_price_tree_nodes_of(b)[best < count ? best : i];

        if (nd->state != HSI_NODE_OPEN && nd->state != HSI_NODE_HARD)
            continue;
        if (nd->bound >= b->cutoff)
            nd->state = HSI_NODE_CLOSED;
        else if (best == count || nd->state < so_far->state ||
                 (nd->state == so_far->state && nd->bound < so_far->bound))
            best = i;
    }
    return best;
}

/* Settle `count` free tasks with the same times as `task` for a type. */
static void settle_copies(const hsi_price_tree *b, hsi_price_tree_node *nd, uint32_t task,
                          uint32_t count, hs_type type)
{
    size_t i;

    for (i = 0; i < b->pb->n && count > 0; i++)
        if (nd->type[i] == HSI_FREE && b->pb->p[i] == b->pb->p[task] &&
            b->pb->q[i] == b->pb->q[task]) {
            nd->type[i] = (unsigned char)type;
            count--;
        }
}

static uint32_t count_free_copies(const hsi_price_tree *b, const hsi_price_tree_node *nd,
                                  uint32_t task)
{
    uint32_t count = 0;
    size_t   i;

    for (i = 0; i < b->pb->n; i++)
        count += nd->type[i] == HSI_FREE && b->pb->p[i] == b->pb->p[task] &&
                 b->pb->q[i] == b->pb->q[task];
    return count;
}

static void forget_children(hsi_price_tree *b)
{
    size_t i, count = b->ready + (b->begun ? 1 : 0);

    for (i = 0; i < count; i++)
        hsi_price_tree_free_node(&b->child[i]);
    b->ready = 0;
    b->begun = false;
    hsi_price_tree_drop_interrupted_bound(b);
}

static hs_status begin_child(hsi_price_tree *b)
{
    const hsi_price_tree_node *parent = &hsi_price_tree_nodes_of(b)[b->at];
    hsi_price_tree_node       *child = &b->child[b->ready];
    hs_status                  st = hsi_price_tree_copy_node(b, parent, child);

    if (st != HS_OK)
        return st;
    if (b->ready == 0)
        settle_copies(b, child, parent->task, parent->on_cpu + 1, HS_CPU);
    else
        settle_copies(b, child, parent->task,
                      count_free_copies(b, parent, parent->task) - parent->on_cpu, HS_GPU);
    b->begun = true;
    return HS_OK;
}

/* Replace the node by its two children when both have bounds; this may take several calls. */
static hs_status branch_on(hsi_price_tree *b, const hsi_stop *stop)
{
    hs_status st = HS_OK;

    while (st == HS_OK && b->ready < 2) {
        int done = 0;

        if (!b->begun)
            st = begin_child(b);
        if (st == HS_OK)
            st = hsi_price_tree_evaluate(b, &b->child[b->ready], stop, &done);
        if (st == HS_OK && !done)
            return HS_OK;
        if (st == HS_OK) {
            b->begun = false;
            b->ready++;
        }
    }
    if (st == HS_OK && hsi_vector_reserve(&b->nodes, sizeof(hsi_price_tree_node)))
        st = HS_ENOMEM;
    if (st != HS_OK) {
        forget_children(b);
        return st;
    }
    hsi_price_tree_free_node(&hsi_price_tree_nodes_of(b)[b->at]);
    hsi_price_tree_nodes_of(b)[b->at] = b->child[0];
    hsi_price_tree_nodes_of(b)[hsi_price_tree_leaves(b)] = b->child[1];
    b->nodes.size += sizeof(hsi_price_tree_node);
    b->ready = 0;
    return HS_OK;
}

hs_status hsi_price_tree_continue(hsi_price_tree *b, double cutoff, const hsi_stop *stop)
{
    hs_status st = HS_OK;

    b->cutoff = cutoff;
    b->has_found = 0;
    if (!b->has_root && !hsi_stop_is_due(stop))
        st = hsi_price_tree_evaluate(b, &hsi_price_tree_nodes_of(b)[0], stop, &b->has_root);
    while (st == HS_OK && b->has_root && !b->has_found && !hsi_stop_is_due(stop)) {
        if (b->begun || b->ready) {
            st = branch_on(b, stop);
            continue;
        }
        b->at = next_node(b);
        if (b->at == hsi_price_tree_leaves(b))
            break;
        if (hsi_price_tree_nodes_of(b)[b->at].task == b->pb->n)
            st = hsi_price_tree_search_through(b, &hsi_price_tree_nodes_of(b)[b->at], stop);
        else
            st = branch_on(b, stop);
    }
    return st;
}

hs_status hsi_price_tree_open(const hsi_problem *pb, double safe_bound, hsi_price_tree **out)
{
    hsi_price_tree     *b;
    hsi_price_tree_node root = {.bound = safe_bound};
    size_t              n = pb->n + 1;

    if (pb->n == 0 || pb->n > HSI_PRICE_TREE_MOST_TASKS)
        return HS_ETOOBIG;
    b = calloc(1, sizeof *b);
    if (!b)
        return HS_ENOMEM;
    b->pb = pb;
    b->from = safe_bound;
    b->patience = patience;
    b->p = hsi_arena_alloc(&b->arena, n, sizeof *b->p);
    b->q = hsi_arena_alloc(&b->arena, n, sizeof *b->q);
    b->share = hsi_arena_alloc(&b->arena, n, sizeof *b->share);
    b->scaled = hsi_arena_alloc(&b->arena, n, sizeof *b->scaled);
    b->found = hsi_arena_alloc(&b->arena, n, sizeof *b->found);
    if (!b->p || !b->q || !b->share || !b->scaled || !b->found ||
        hsi_vector_reserve(&b->nodes, sizeof root) ||
        hsi_price_tree_copy_node(b, &root, b->nodes.data) != HS_OK) {
        hsi_price_tree_close(b);
        return HS_ENOMEM;
    }
    b->nodes.size = sizeof root;
    *out = b;
    return HS_OK;
}

void hsi_price_tree_close(hsi_price_tree *b)
{
    size_t i;

    if (!b)
        return;
    forget_children(b);
    for (i = 0; i < hsi_price_tree_leaves(b); i++)
        hsi_price_tree_free_node(&hsi_price_tree_nodes_of(b)[i]);
    hsi_vector_free(&b->nodes);
    hsi_arena_close(&b->arena);
    free(b);
}

double hsi_price_tree_bound(const hsi_price_tree *b)
{
    double least = INFINITY;
    size_t i;

    for (i = 0; i < hsi_price_tree_leaves(b); i++)
        least = fmin(least, hsi_price_tree_nodes_of(b)[i].bound);
    return fmax(least, b->from);
}

int hsi_price_tree_ended(const hsi_price_tree *b)
{
    size_t i;

    for (i = 0; i < hsi_price_tree_leaves(b); i++)
        if ((hsi_price_tree_nodes_of(b)[i].state == HSI_NODE_OPEN ||
             hsi_price_tree_nodes_of(b)[i].state == HSI_NODE_HARD) &&
            hsi_price_tree_nodes_of(b)[i].bound < b->cutoff)
            return 0;
    return b->has_root;
}

const uint32_t *hsi_price_tree_found_assignment(const hsi_price_tree *b)
{
    return b->has_found ? b->found : NULL;
}

size_t hsi_price_tree_nodes(const hsi_price_tree *b)
{
    return b->evaluated;
}
