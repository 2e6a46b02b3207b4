/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SOLVER_NODES_H
#define HSI_SOLVER_NODES_H

#include <hybridsched/status.h>

#include "support/vector.h"

#include <stdint.h>

#define HSI_NO_NODE UINT32_MAX

/* How a node differs from its parent. */
typedef enum hsi_cut {
    HSI_AT_MOST,    /* cell <= value */
    HSI_AT_LEAST,   /* cell >= value */
    HSI_NOT_ON_TYPE /* the cell's row runs nowhere on the type `value` */
} hsi_cut;

typedef struct hsi_node {
    uint32_t parent, cell, value, depth; /* the root: HSI_NO_NODE for parent and cell */
    uint32_t uses; /* children, and one while it is open or at hand */
    hsi_cut  kind;
    double   bound;
} hsi_node;

/* The nodes of a tree that still matter, and those that are open, least bound first. */
typedef struct hsi_nodes {
    hsi_vector all, heap;
    uint32_t   unused; /* list, by parent; HSI_NO_NODE to begin with */
} hsi_nodes;

static inline hsi_node *hsi_node_at(const hsi_nodes *nodes, uint32_t index)
{
    return (hsi_node *)nodes->all.data + index;
}

static inline size_t hsi_nodes_open(const hsi_nodes *nodes)
{
    return nodes->heap.size / sizeof(uint32_t);
}

/* The open node with the least bound; there is one. */
static inline uint32_t hsi_nodes_first(const hsi_nodes *nodes)
{
    return *(const uint32_t *)nodes->heap.data;
}

hs_status hsi_nodes_add(hsi_nodes *nodes, hsi_node content, uint32_t *index);

/* Ends one use; what nobody uses any more is forgotten, ancestors included. */
void hsi_nodes_drop(hsi_nodes *nodes, uint32_t index);

hs_status hsi_nodes_push(hsi_nodes *nodes, uint32_t index);
uint32_t  hsi_nodes_pop(hsi_nodes *nodes);
void      hsi_nodes_free(hsi_nodes *nodes);

#endif
