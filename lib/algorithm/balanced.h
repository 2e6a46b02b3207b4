/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_ALGORITHM_BALANCED_H
#define HSI_ALGORITHM_BALANCED_H

#include "core/log.h"
#include "core/problem.h"

/*
 * The walk over allocations that BalancedEstimate and BalancedMakespan share
 * (Canon, Marchal, Vivien 2017, Algorithms 1 and 3): every task starts on its
 * faster type, then tasks move one by one from the type with the larger average
 * load ("type 2") to the other ("type 1"), by increasing c1/c2; one that comes
 * to dominate the estimate is moved back. The allocations themselves are not
 * kept: allocation x is the first one after x moves.
 */
typedef struct hsi_walk {
    const hsi_problem *pb;
    int                switched; /* type 1 is the GPUs */
    double            *c1, *c2;  /* times by position in the order */
    unsigned           w1, w2;   /* workers of either type */
    uint32_t          *order;    /* by c1/c2 */
    size_t             start;    /* order[0, start) begins on type 1 */
    uint32_t          *back;     /* the position moved back after this one was moved */
    size_t             move_count;
    double            *floor;    /* if asked for: no schedule of allocation floor_of[i] ends */
    uint32_t          *floor_of; /* before floor[i]; those that cannot be best are left out */
    size_t             floor_count;
    size_t             best;    /* allocation with the first least estimate */
    size_t             inverse; /* mu_inv */
} hsi_walk;

#define HSI_WALK_NONE UINT32_MAX

/* Walks to the end; floors only if asked for. All in the problem's arena. O(n log n). */
hs_status hsi_walk_open(hsi_walk *walk, const hsi_problem *pb, int want_floors);

/* type[] = allocation x. O(n). */
void hsi_walk_allocation(const hsi_walk *walk, size_t x, unsigned char *type);

#endif
