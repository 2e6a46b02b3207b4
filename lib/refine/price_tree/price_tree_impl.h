/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_BRANCH_STATE_H
#define HSI_REFINE_BRANCH_STATE_H

#include "bound/configuration/configuration.h"
#include "core/problem.h"
#include "refine/price_tree/price_tree.h"
#include "support/arena.h"
#include "support/vector.h"

enum { HSI_FREE = 2 }; /* value of `type` beside hs_type: the task may run on both */

/* HARD: all types are settled, and the complete search has run out of time so far. */
typedef enum hsi_price_tree_state {
    HSI_NODE_OPEN,
    HSI_NODE_CLOSED,
    HSI_NODE_SEARCHED,
    HSI_NODE_HARD
} hsi_price_tree_state;

typedef struct hsi_price_tree_node {
    double               bound; /* lower bound of the schedules that agree with `type` */
    hsi_price_tree_state state;
    uint32_t             task;   /* task to branch on; n: the LP is integral */
    uint32_t             on_cpu; /* number of tasks of its kind that the LP runs on CPUs, rounded
                                    down */
    unsigned char *type;         /* type of each task: HSI_FREE, or an hs_type */
    unsigned char *mostly;       /* type on which the LP mostly runs each task */
    double        *worth;        /* value of each task in the LP */
} hsi_price_tree_node;

struct hsi_price_tree {
    const hsi_problem *pb;
    hsi_arena          arena; /* memory of the arrays */
    hsi_vector         nodes; /* leaves of the tree, hsi_price_tree_node each */
    double             from;
    double             cutoff;
    double             patience;
    double            *p, *q; /* times of the items in a node's instance */
    double            *share;
    uint64_t          *scaled; /* values of tasks as integers */
    uint32_t          *found;
    size_t             evaluated;
    int                has_root, has_found;

    /* The node being branched on, if a child is begun or ready. */
    size_t              at, ready;
    bool                begun;
    hsi_price_tree_node child[2];
    hsi_configuration  *cf; /* configuration bound in progress; NULL: none */
};

static inline hsi_price_tree_node *hsi_price_tree_nodes_of(const hsi_price_tree *b)
{
    return b->nodes.data;
}

/*
 * Return the number of leaves, open and closed. Together the leaves contain every schedule. A
 * leaf's bound is the largest of the configuration bound, the deadline bound and `from`, or the
 * cutoff after a complete search.
 */
static inline size_t hsi_price_tree_leaves(const hsi_price_tree *b)
{
    return b->nodes.size / sizeof(hsi_price_tree_node);
}

hs_status hsi_price_tree_copy_node(const hsi_price_tree *b, const hsi_price_tree_node *from,
                                   hsi_price_tree_node *to);
void      hsi_price_tree_free_node(hsi_price_tree_node *nd);

/* Return the node's instance; its times are in `b`, valid until the next call. */
hsi_problem hsi_price_tree_node_problem(hsi_price_tree *b, const hsi_price_tree_node *nd);

/* Bound the node and choose its branching task; *complete = 0: interrupted, call again. */
hs_status hsi_price_tree_evaluate(hsi_price_tree *b, hsi_price_tree_node *nd, const hsi_stop *stop,
                                  int *complete);
void      hsi_price_tree_drop_interrupted_bound(hsi_price_tree *b);

/* Search a node without a branching task: find a schedule below the cutoff, prove that none exists,
 * or run out of time. */
hs_status hsi_price_tree_search_through(hsi_price_tree *b, hsi_price_tree_node *nd,
                                        const hsi_stop *stop);

#endif
