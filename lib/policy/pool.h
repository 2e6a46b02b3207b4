/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_POLICY_POOL_H
#define HSI_POLICY_POOL_H

#include "core/problem.h"

/*
 * The tasks that are anybody's, in HeteroPrio's order, and the workers in service.
 * What one end of the order has to offer to its type is the best there is for it,
 * and if it cannot be run by that type nothing else in the pool can either.
 *
 * The order is made once; which of its ranks are there is a tree of 64-bit sets, so
 * that any task may leave or come back, in any order, in O(log n) to the base 64.
 */
enum { HSI_POOL_LEVELS = 6 }; /* 64^6 > 2^31 */

typedef struct hsi_pool {
    const hsi_problem *pb;
    uint32_t          *task_at;              /* a rank */
    uint32_t          *rank_of;              /* a task */
    uint64_t          *set[HSI_POOL_LEVELS]; /* ranks; words of the one before that are not 0 */
    unsigned           levels;
    unsigned char     *retired;       /* workers */
    unsigned           in_service[2]; /* by hs_type */
} hsi_pool;

/* With every task in it, or with none. `pb` must outlive it. */
hs_status hsi_pool_open(hsi_pool *pool, const hsi_problem *pb, int full);
void      hsi_pool_close(hsi_pool *pool);

void hsi_pool_add(hsi_pool *pool, uint32_t task);
void hsi_pool_remove(hsi_pool *pool, uint32_t task); /* if it is there */

/* 1 and the task in which this type's advantage is greatest, if it can run any. */
int hsi_pool_take(hsi_pool *pool, hs_type type, uint32_t *task);

/* 0 if the worker was out of service already. */
int hsi_pool_retire(hsi_pool *pool, unsigned worker);

static inline int hsi_pool_serves(const hsi_pool *pool, unsigned worker)
{
    return !pool->retired[worker];
}

/* Takes out a task that none of the workers in service can run, if there is one. */
int hsi_pool_stranded(hsi_pool *pool, uint32_t *task);

#endif
