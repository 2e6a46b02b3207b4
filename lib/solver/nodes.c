/* SPDX-License-Identifier: BSD-3-Clause */
#include "solver/nodes.h"

hs_status hsi_nodes_add(hsi_nodes *nodes, hsi_node content, uint32_t *index)
{
    if (nodes->unused != HSI_NO_NODE) {
        *index = nodes->unused;
        nodes->unused = hsi_node_at(nodes, *index)->parent;
        *hsi_node_at(nodes, *index) = content;
    } else {
        *index = (uint32_t)(nodes->all.size / sizeof content);
        if (*index == HSI_NO_NODE || hsi_vector_append(&nodes->all, &content, sizeof content) != 0)
            return HS_ENOMEM;
    }
    if (content.parent != HSI_NO_NODE)
        hsi_node_at(nodes, content.parent)->uses++;
    return HS_OK;
}

void hsi_nodes_drop(hsi_nodes *nodes, uint32_t index)
{
    while (index != HSI_NO_NODE && --hsi_node_at(nodes, index)->uses == 0) {
        uint32_t parent = hsi_node_at(nodes, index)->parent;

        hsi_node_at(nodes, index)->parent = nodes->unused;
        nodes->unused = index;
        index = parent;
    }
}

static int comes_before(const hsi_nodes *nodes, uint32_t a, uint32_t b)
{
    const hsi_node *first = hsi_node_at(nodes, a), *second = hsi_node_at(nodes, b);

    if (first->bound < second->bound || first->bound > second->bound)
        return first->bound < second->bound;
    return first->depth > second->depth;
}

hs_status hsi_nodes_push(hsi_nodes *nodes, uint32_t index)
{
    size_t    i = hsi_nodes_open(nodes);
    uint32_t *heap;

    if (hsi_vector_append(&nodes->heap, &index, sizeof index) != 0)
        return HS_ENOMEM;
    heap = nodes->heap.data;
    for (; i > 0 && comes_before(nodes, index, heap[(i - 1) / 2]); i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = index;
    return HS_OK;
}

uint32_t hsi_nodes_pop(hsi_nodes *nodes)
{
    uint32_t *heap = nodes->heap.data, first = heap[0], last;
    size_t    i = 0, child, n = hsi_nodes_open(nodes) - 1;

    last = heap[n];
    nodes->heap.size -= sizeof last;
    for (; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && comes_before(nodes, heap[child + 1], heap[child]))
            child++;
        if (!comes_before(nodes, heap[child], last))
            break;
        heap[i] = heap[child];
    }
    if (n)
        heap[i] = last;
    return first;
}

void hsi_nodes_free(hsi_nodes *nodes)
{
    hsi_vector_free(&nodes->all);
    hsi_vector_free(&nodes->heap);
}
