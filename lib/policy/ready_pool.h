/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_POLICY_READY_POOL_H
#define HSI_POLICY_READY_POOL_H

#include "core/problem.h"
#include "support/place_set.h"

/*
 * Ready tasks that any worker may take, in HeteroPrio's order, and the workers in service. The task
 * at a type's end of the order has the greatest advantage there; if the type cannot run it, the
 * type can run no task of the pool.
 *
 * The order is computed before tasks are ready: each task has a place in it, the GPU end first, and
 * the pool is a set of places. Only with arrival order as priority (HSI_POOL_COMES) do tasks of one
 * ratio get their places as they arrive.
 */
typedef enum hsi_pool_start {
    HSI_POOL_FULL,  /* the pool starts with all tasks */
    HSI_POOL_EMPTY, /* the pool starts empty */
    HSI_POOL_COMES, /* empty; arrival order is the priority */
    HSI_POOL_SELDOM /* empty, and rarely used: places are computed at the first hsi_pool_add() */
} hsi_pool_start;

typedef struct hsi_pool {
    const hsi_problem *pb;
    hsi_place_set      there;
    uint32_t          *task;  /* indexed by place */
    uint32_t          *place; /* indexed by task */
    uint32_t          *next;  /* HSI_POOL_COMES: at the first or last place of a ratio, the next
                                 place to give */
    uint64_t          *keys;  /* for sorting, two per task; NULL after an early sort */
    int                is_sorted;
    uint32_t       limit[2]; /* indexed by hs_type: CPUs can run places >= limit, GPUs below it */
    unsigned char *retired;  /* indexed by worker */
    unsigned       in_service[2]; /* indexed by hs_type: number of workers */
    double         width;         /* width of the cells in which ratios count as equal; 0: exact
                                     ratios */
} hsi_pool;

/* Create a pool. `pb` must outlive `pool`; for `width` see hsi_queue_cell(). HS_ENOMEM, or
 * HS_ECANCELED by the cancel token of `pb`. O(n log n), mostly O(n). */
hs_status hsi_pool_open(hsi_pool *pool, const hsi_problem *pb, hsi_pool_start start, double width);
void      hsi_pool_close(hsi_pool *pool);

enum { HSI_POOL_WORK = 16 }; /* cost of adding one task to a large pool, in steps of the cancel
                                token */

void hsi_pool_add(hsi_pool *pool, uint32_t task);
void hsi_pool_remove(hsi_pool *pool, uint32_t task); /* no effect if the task is not in the pool */

/* Remove the task of the type's end of the order. Return 1 and the task; 0: the pool has no task
 * for the type. */
int hsi_pool_take(hsi_pool *pool, hs_type type, uint32_t *task);

/* Take a worker out of service. Return 0 if it already was. */
int hsi_pool_retire(hsi_pool *pool, unsigned worker);

static inline int hsi_pool_serves(const hsi_pool *pool, unsigned worker)
{
    return !pool->retired[worker];
}

/* Remove a task that no worker in service can run. Return 1 and the task; 0: there is none. */
int hsi_pool_stranded(hsi_pool *pool, uint32_t *task);

#endif
