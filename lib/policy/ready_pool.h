/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_POLICY_READY_POOL_H
#define HSI_POLICY_READY_POOL_H

#include "core/problem.h"
#include "support/place_set.h"

/*
 * The tasks that are anybody's, in HeteroPrio's order, and the workers in service.
 * What one end of the order has to offer to its type is the best there is for it,
 * and if it cannot be run by that type nothing else in the pool can either.
 *
 * The order is known before anything is ready: each task has its place in it, the GPU end first,
 * and what is in the pool is a set of places. Only where those come first who come first are the
 * places of tasks with one ratio given to them as they come.
 */
typedef enum hsi_pool_start {
    HSI_POOL_FULL,  /* every task is in it */
    HSI_POOL_EMPTY, /* none */
    HSI_POOL_COMES, /* none, and their priorities are how early they come */
    HSI_POOL_SELDOM /* none, and mostly it stays so: places are found when one is needed */
} hsi_pool_start;

typedef struct hsi_pool {
    const hsi_problem *pb;
    hsi_place_set      there;
    uint32_t          *task;  /* of places */
    uint32_t          *place; /* of tasks */
    uint32_t          *next;  /* COMES, of a ratio's first or last place: the next to give */
    uint64_t          *keys;  /* for sorting, two a task */
    int                is_sorted;
    uint32_t       limit[2]; /* by hs_type: CPUs run what is from here on, GPUs what is before */
    unsigned char *retired;  /* workers */
    unsigned       in_service[2]; /* by hs_type */
    double         width;         /* of the cells in which ratios are the same; 0: none */
} hsi_pool;

/* `pb` must outlive it. `width`: see hsi_queue_cell(). O(n log n), mostly O(n). */
hs_status hsi_pool_open(hsi_pool *pool, const hsi_problem *pb, hsi_pool_start start, double width);
void      hsi_pool_close(hsi_pool *pool);

enum { HSI_POOL_WORK = 16 }; /* to add one among many, as an asker counts */

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
