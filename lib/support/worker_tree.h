/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_WORKER_TREE_H
#define HSI_SUPPORT_WORKER_TREE_H

#include <math.h>
#include <stdlib.h>

#include "support/arena.h"
#include "support/sort.h"

/*
 * The worker that is free first, of the lowest rank on a tie: a winner tree whose leaves are the
 * workers in order of rank. An update costs a comparison per level and no unpredictable branch, the
 * main cost of a binary heap.
 *
 * Times are stored as the bits of a double >= 0, which have the order of integers.
 */
typedef struct hsi_slot {
    uint64_t free_at;
    uint32_t rank;
} hsi_slot;

typedef struct hsi_worker_tree {
    hsi_slot *node;   /* node[1] is the winner, node[leaves + rank] a worker */
    uint32_t  leaves; /* a power of two; leaves beyond `size` are never free */
    uint32_t  size;
} hsi_worker_tree;

/* Set the free times of the workers, >= 0, by rank; NULL: all 0. */
static inline void hsi_worker_tree_start(hsi_worker_tree *tree, const double *free_at)
{
    hsi_slot *node = tree->node;
    uint32_t  i;

    for (i = 0; i < tree->leaves; i++)
        node[tree->leaves + i] = (hsi_slot){
            i >= tree->size ? hsi_key_of_double(INFINITY)
            : free_at       ? hsi_key_of_double(free_at[i] + 0.0) /* turn -0 into 0 */
                            : 0,
            i};
    for (i = tree->leaves - 1; i > 0; i--) /* a tie goes to the left child, of lower rank */
        node[i] = node[2 * i + (node[2 * i + 1].free_at < node[2 * i].free_at)];
}

static inline void hsi_worker_tree_reset(hsi_worker_tree *tree)
{
    hsi_worker_tree_start(tree, NULL);
}

static inline size_t hsi_worker_tree_size(hsi_worker_tree *tree, uint32_t size)
{
    tree->size = size;
    tree->leaves = 1;
    while (tree->leaves < size)
        tree->leaves *= 2;
    return 2 * (size_t)tree->leaves * sizeof *tree->node;
}

static inline int hsi_worker_tree_open(hsi_worker_tree *tree, uint32_t size)
{
    tree->node = malloc(hsi_worker_tree_size(tree, size));
    if (!tree->node)
        return -1;
    hsi_worker_tree_reset(tree);
    return 0;
}

/* Allocate the tree in an arena; do not close it. */
static inline int hsi_worker_tree_open_in(hsi_worker_tree *tree, hsi_arena *arena, uint32_t size)
{
    tree->node = hsi_arena_alloc(arena, 1, hsi_worker_tree_size(tree, size));
    if (!tree->node)
        return -1;
    hsi_worker_tree_reset(tree);
    return 0;
}

static inline void hsi_worker_tree_close(hsi_worker_tree *tree)
{
    free(tree->node);
    tree->node = NULL;
}

/* Return the worker that is free first, and its free time; INFINITY if no worker ever is. */
static inline uint32_t hsi_worker_tree_first(const hsi_worker_tree *tree)
{
    return tree->node[1].rank;
}

static inline double hsi_worker_tree_time(const hsi_worker_tree *tree)
{
    return hsi_double_of_key(tree->node[1].free_at);
}

/* Return the free time of a worker. */
static inline double hsi_worker_tree_time_of(const hsi_worker_tree *tree, uint32_t rank)
{
    return hsi_double_of_key(tree->node[tree->leaves + rank].free_at);
}

/* Set a worker's free time, >= 0; INFINITY: never. */
static inline void hsi_worker_tree_set(hsi_worker_tree *tree, uint32_t rank, double time)
{
    hsi_slot *node = tree->node;
    uint32_t  at = tree->leaves + rank;
    hsi_slot  first = {hsi_key_of_double(time), rank};

    node[at] = first;
    while (at > 1) {
        hsi_slot sibling = node[at ^ 1];
        /* A right child loses a tie to its left sibling. */
        bool lost = sibling.free_at < first.free_at + (at & 1);

        first.free_at = lost ? sibling.free_at : first.free_at;
        first.rank = lost ? sibling.rank : first.rank;
        at >>= 1;
        node[at] = first;
    }
}

#endif
