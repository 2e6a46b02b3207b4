/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_BRANCH_STATE_H
#define HSI_REFINE_BRANCH_STATE_H

#include "bound/configuration/configuration.h"
#include "core/problem.h"
#include "refine/branch/branch.h"
#include "support/arena.h"
#include "support/vector.h"

enum { HSI_FREE = 2 }; /* besides hs_type: the task may run on both */

/* HARD: all types are settled, and searching it through has taken too long so far. */
typedef enum hsi_branch_state {
    HSI_NODE_OPEN,
    HSI_NODE_CLOSED,
    HSI_NODE_SEARCHED,
    HSI_NODE_HARD
} hsi_branch_state;

typedef struct hsi_branch_node {
    double           bound; /* for schedules that agree with `type` */
    hsi_branch_state state;
    uint32_t         task;   /* to be branched on: a free task, or n: none is fractional */
    uint32_t         on_cpu; /* tasks of its kind that the LP runs on CPUs, rounded down */
    unsigned char   *type;   /* of each task: HSI_FREE, or where it has to run */
    unsigned char   *mostly; /* where the LP runs it */
    double          *worth;  /* what the LP values it at */
} hsi_branch_node;

struct hsi_branch {
    const hsi_problem *pb;
    hsi_arena          arena; /* of the arrays */
    hsi_vector         nodes; /* of node: the leaves */
    double             from;
    double             cutoff;
    double             patience;
    double            *p, *q; /* of a node's instance */
    double            *share;
    uint64_t          *scaled; /* worth in integers */
    unsigned char     *types;  /* of the last LP */
    uint32_t          *found;
    size_t             evaluated;
    int                has_root, has_types, has_found;

    /* The node that is being branched on, if a child is begun or ready. */
    size_t             at, ready;
    int                begun;
    hsi_branch_node    child[2];
    hsi_configuration *cf; /* of the node that is being bounded */
};

static inline hsi_branch_node *hsi_branch_nodes_of(const hsi_branch *b)
{
    return b->nodes.data;
}

/*
 * Open and closed ones; together they hold every schedule. A leaf's bound is the greatest of
 * the configuration bound, deadline's for it, and the one begun with; or, if it was searched
 * through, the cutoff.
 */
static inline size_t hsi_branch_leaves(const hsi_branch *b)
{
    return b->nodes.size / sizeof(hsi_branch_node);
}

hs_status hsi_branch_copy_node(const hsi_branch *b, const hsi_branch_node *from,
                               hsi_branch_node *to);
void      hsi_branch_free_node(hsi_branch_node *nd);

/* The node's instance: its times are in b. */
hsi_problem hsi_branch_instance(hsi_branch *b, const hsi_branch_node *nd);

/* Bounds the node and chooses its branching; *done = 0 if it has to be called again. */
hs_status hsi_branch_evaluate(hsi_branch *b, hsi_branch_node *nd, const hsi_stop *stop, int *done);
void      hsi_branch_forget_bounding(hsi_branch *b);

/* Where no task is to be branched on: a schedule, the proof that there is none, or neither. */
hs_status hsi_branch_search_through(hsi_branch *b, hsi_branch_node *nd, const hsi_stop *stop);

#endif
