/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_ALGORITHM_BALANCED_H
#define HSI_ALGORITHM_BALANCED_H

#include "core/recorder.h"
#include "core/problem.h"

/*
 * The walk over allocations shared by BalancedEstimate and BalancedMakespan (Canon, Marchal, Vivien
 * 2017, Algorithms 1 and 3): every task starts on its faster type; then tasks move one by one from
 * the type with the larger average load ("type 2") to the other ("type 1"), by increasing c1/c2; a
 * task that comes to dominate the estimate is moved back. Allocation x, the result of the first x
 * moves, is rebuilt on request.
 */
typedef struct hsi_balanced_walk {
    const hsi_problem *pb;
    bool               switched; /* true: type 1 is the GPUs */
    double            *c1, *c2;  /* times by position in `order` */
    unsigned           w1, w2;   /* workers of each type */
    uint32_t          *order;    /* tasks by increasing c1/c2 */
    size_t             start;    /* order[0, start) starts on type 1 */
    uint32_t *back; /* position moved back after each position's move; HS_NONE */
    size_t    move_count;
    double   *floor;    /* lower bound of the makespans of allocation floor_of[i], if
                           requested */
    uint32_t *floor_of; /* allocations with a floor, without those that cannot be the
                           best */
    size_t floor_count;
    size_t best;    /* allocation with the first least estimate */
    size_t inverse; /* mu_inv of the paper: allocation where the averages cross */
} hsi_balanced_walk;

/* Run the complete walk; store floors if requested. Memory is in the problem's arena. O(n log
 * n). */
hs_status hsi_balanced_walk_open(hsi_balanced_walk *walk, const hsi_problem *pb, bool want_floors);

/* Set type[] to allocation x. O(n). */
void hsi_balanced_walk_write_types(const hsi_balanced_walk *walk, size_t allocation,
                                   unsigned char *type);

#endif
