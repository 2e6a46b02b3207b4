/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SOLVER_NODES_H
#define HSI_SOLVER_NODES_H

#include <hybridsched/instance.h>

#include "support/vector.h"

#include <stdint.h>

/* How a node differs from its parent. */
typedef enum hsi_cut {
    HSI_AT_MOST,    /* cell <= value */
    HSI_AT_LEAST,   /* cell >= value */
    HSI_NOT_ON_TYPE /* the cell's row does not run on the type `value` */
} hsi_cut;

typedef struct hsi_tree_node {
    uint32_t parent, cell, value, depth; /* HS_NONE for parent and cell: the root */
    uint32_t uses; /* number of children, plus one while the node is open or current */
    hsi_cut  kind;
    double   bound;
} hsi_tree_node;

/* The nodes of a tree still in use, and a heap of the open ones, least bound first. */
typedef struct hsi_tree_nodes {
    hsi_vector all, heap;
    uint32_t   unused; /* list of free entries, linked by `parent`; initially HS_NONE */
} hsi_tree_nodes;

static inline hsi_tree_node *hsi_tree_node_at(const hsi_tree_nodes *nodes, uint32_t index)
{
    return (hsi_tree_node *)nodes->all.data + index;
}

static inline size_t hsi_tree_nodes_open(const hsi_tree_nodes *nodes)
{
    return nodes->heap.size / sizeof(uint32_t);
}

/* Return the open node with the least bound; at least one must be open. */
static inline uint32_t hsi_tree_nodes_first(const hsi_tree_nodes *nodes)
{
    return *(const uint32_t *)nodes->heap.data;
}

hs_status hsi_tree_nodes_add(hsi_tree_nodes *nodes, hsi_tree_node content, uint32_t *index);

/* Drop a use of a node; free the node and its ancestors as far as they have no uses. */
void hsi_tree_nodes_drop(hsi_tree_nodes *nodes, uint32_t index);

hs_status hsi_tree_nodes_push(hsi_tree_nodes *nodes, uint32_t index);
uint32_t  hsi_tree_nodes_pop(hsi_tree_nodes *nodes);
void      hsi_tree_nodes_free(hsi_tree_nodes *nodes);

#endif
