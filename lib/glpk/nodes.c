/* SPDX-License-Identifier: BSD-3-Clause */
/* A node stores its cut and its parent; its bounds follow from all ancestors. Each node counts its
 * uses, children included, and its entry is reused when the count reaches 0. */
#include "glpk/nodes.h"

#include "support/heap.h"

hs_status hsi_tree_nodes_add(hsi_tree_nodes *nodes, hsi_tree_node content, uint32_t *index)
{
    if (nodes->unused != HS_NONE) {
        *index = nodes->unused;
        nodes->unused = hsi_tree_node_at(nodes, *index)->parent;
        *hsi_tree_node_at(nodes, *index) = content;
    } else {
        *index = (uint32_t)(nodes->all.size / sizeof content);
        if (*index == HS_NONE || hsi_vector_append(&nodes->all, &content, sizeof content) != 0)
            return HS_ENOMEM;
    }
    if (content.parent != HS_NONE)
        hsi_tree_node_at(nodes, content.parent)->uses++;
    return HS_OK;
}

void hsi_tree_nodes_drop(hsi_tree_nodes *nodes, uint32_t index)
{
    while (index != HS_NONE && --hsi_tree_node_at(nodes, index)->uses == 0) {
        uint32_t parent = hsi_tree_node_at(nodes, index)->parent;

        hsi_tree_node_at(nodes, index)->parent = nodes->unused;
        nodes->unused = index;
        index = parent;
    }
}

/* Order of open nodes: the least bound, among equals the deepest. */
static int comes_before(const void *context, uint32_t a, uint32_t b)
{
    const hsi_tree_node *first = hsi_tree_node_at(context, a);
    const hsi_tree_node *second = hsi_tree_node_at(context, b);

    if (first->bound < second->bound || first->bound > second->bound)
        return first->bound < second->bound;
    return first->depth > second->depth;
}

hs_status hsi_tree_nodes_push(hsi_tree_nodes *nodes, uint32_t index)
{
    size_t open = hsi_tree_nodes_open(nodes);

    if (hsi_vector_append(&nodes->heap, &index, sizeof index) != 0)
        return HS_ENOMEM;
    hsi_heap_push(nodes->heap.data, open, index, comes_before, nodes);
    return HS_OK;
}

uint32_t hsi_tree_nodes_pop(hsi_tree_nodes *nodes)
{
    uint32_t first =
        hsi_heap_pop(nodes->heap.data, hsi_tree_nodes_open(nodes), comes_before, nodes);

    nodes->heap.size -= sizeof first;
    return first;
}

void hsi_tree_nodes_free(hsi_tree_nodes *nodes)
{
    hsi_vector_free(&nodes->all);
    hsi_vector_free(&nodes->heap);
}
