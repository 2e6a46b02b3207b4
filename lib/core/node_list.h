/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_NODE_LIST_H
#define HSI_CORE_NODE_LIST_H

#include <hybridsched/instance.h>

#include "support/vector.h"

/* A node: the numbers of its first CPU and of its first GPU, each counted from 0. */
typedef struct hsi_node {
    unsigned cpu, gpu;
    size_t   name; /* offset of the name in the names of the list */
} hsi_node;

/* The nodes of an instance. Each node has consecutive CPUs and consecutive GPUs. A zeroed structure
 * has no nodes. */
typedef struct hsi_node_list {
    uint32_t   count;
    hsi_vector node;  /* hsi_node: the nodes, then an end with the numbers of all CPUs and GPUs */
    hsi_vector names; /* each followed by NUL */
} hsi_node_list;

/* Append a node. HS_EINVAL: the name is empty, has a blank or is in the list, or the node has no
 * worker. HS_ETOOBIG: too many nodes or workers, or the name is too long. */
hs_status hsi_node_list_add(hsi_node_list *list, const char *name, size_t length, unsigned cpus,
                            unsigned gpus);

/* Free the list; it is empty again. NULL has no effect. */
void hsi_node_list_clear(hsi_node_list *list);

static inline const hsi_node *hsi_node_at(const hsi_node_list *list, size_t node)
{
    return (const hsi_node *)list->node.data + node;
}

static inline const char *hsi_node_name(const hsi_node_list *list, size_t node)
{
    return (const char *)list->names.data + hsi_node_at(list, node)->name;
}

/* Return true if the nodes together have these workers. */
static inline bool hsi_nodes_have(const hsi_node_list *list, unsigned cpus, unsigned gpus)
{
    return list->count > 0 && hsi_node_at(list, list->count)->cpu == cpus &&
           hsi_node_at(list, list->count)->gpu == gpus;
}

/* Return the node of a worker of a type, counted from 0 in its type. O(log nodes). */
static inline uint32_t hsi_node_of(const hsi_node_list *list, hs_type type, unsigned number)
{
    uint32_t low = 0, high = list->count;

    while (high - low > 1) { /* the first worker of `low` is not after the worker, that of `high` is */
        uint32_t        middle = low + (high - low) / 2;
        const hsi_node *node = hsi_node_at(list, middle);

        if ((type == HS_CPU ? node->cpu : node->gpu) <= number)
            low = middle;
        else
            high = middle;
    }
    return low;
}

#endif
