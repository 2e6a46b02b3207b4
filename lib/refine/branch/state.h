/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_BRANCH_STATE_H
#define HSI_REFINE_BRANCH_STATE_H

#include "bound/configuration/configuration.h"
#include "core/problem.h"
#include "refine/branch/branch.h"
#include "support/arena.h"
#include "support/vector.h"

enum { HSI_FREE = 2 }; /* value of `type` beside hs_type: the task may run on both */

/* HARD: all types are settled, and the complete search has run out of time so far. */
typedef enum hsi_branch_state {
    HSI_NODE_OPEN,
    HSI_NODE_CLOSED,
    HSI_NODE_SEARCHED,
    HSI_NODE_HARD
} hsi_branch_state;

typedef struct hsi_branch_node {
    double           bound; /* lower bound of the schedules that agree with `type` */
    hsi_branch_state state;
    uint32_t         task;   /* task to branch on; n: the LP is integral */
    uint32_t         on_cpu; /* tasks of its kind that the LP runs on CPUs, rounded down */
    unsigned char   *type;   /* type of each task: HSI_FREE, or an hs_type */
    unsigned char   *mostly; /* type on which the LP mostly runs each task */
    double          *worth;  /* value of each task in the LP */
} hsi_branch_node;

struct hsi_branch {
    const hsi_problem *pb;
    hsi_arena          arena; /* memory of the arrays */
    hsi_vector         nodes; /* the leaves, hsi_branch_node each */
    double             from;
    double             cutoff;
    double             patience;
    double            *p, *q; /* times of a node's instance */
    double            *share;
    uint64_t          *scaled; /* values of tasks as integers */
    unsigned char     *types;  /* types from the last LP */
    uint32_t          *found;
    size_t             evaluated;
    int                has_root, has_types, has_found;

    /* The node being branched on, if a child is begun or ready. */
    size_t             at, ready;
    int                begun;
    hsi_branch_node    child[2];
    hsi_configuration *cf; /* bound in progress; NULL: none */
};

static inline hsi_branch_node *hsi_branch_nodes_of(const hsi_branch *b)
{
    return b->nodes.data;
}

/*
 * Return the number of leaves, open and closed. Together the leaves contain every schedule. A
 * leaf's bound is the largest of the configuration bound, the deadline bound and `from`, or the
 * cutoff after a complete search.
 */
static inline size_t hsi_branch_leaves(const hsi_branch *b)
{
    return b->nodes.size / sizeof(hsi_branch_node);
}

hs_status hsi_branch_copy_node(const hsi_branch *b, const hsi_branch_node *from,
                               hsi_branch_node *to);
void      hsi_branch_free_node(hsi_branch_node *nd);

/* Return the node's instance; its times are in `b`, valid until the next call. */
hsi_problem hsi_branch_instance(hsi_branch *b, const hsi_branch_node *nd);

/* Bound the node and choose its branching task; *done = 0: interrupted, call again. */
hs_status hsi_branch_evaluate(hsi_branch *b, hsi_branch_node *nd, const hsi_stop *stop, int *done);
void      hsi_branch_forget_bounding(hsi_branch *b);

/* Search a node without a branching task: find a schedule below the cutoff, prove that none exists,
 * or run out of time. */
hs_status hsi_branch_search_through(hsi_branch *b, hsi_branch_node *nd, const hsi_stop *stop);

#endif
