/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_POLICY_READY_POOL_H
#define HSI_POLICY_READY_POOL_H

#include "core/problem.h"
#include "support/ordered_set.h"

/*
 * Ready tasks that any worker may take, in HeteroPrio's order, and the workers in service. GPUs
 * take from the front, CPUs from the back; if a type cannot run the task at its end, it can run no
 * task of the pool.
 */
typedef struct hsi_ready_pool {
    const hsi_problem *pb;
    hsi_ordered_set    tasks;      /* ready tasks; the GPUs' end comes first */
    double             cell_width; /* width of the cells in which ratios count as equal, see
                                      hsi_heteroprio_cell(); 0: exact ratios */
    unsigned char *retired;        /* indexed by worker */
    unsigned       in_service[2];  /* number of workers in service, by hs_type */
} hsi_ready_pool;

/* Create an empty pool with room for all tasks of `pb`, which must outlive `pool`. HS_ENOMEM. */
hs_status hsi_ready_pool_open(hsi_ready_pool *pool, const hsi_problem *pb, double cell_width);
void      hsi_ready_pool_close(hsi_ready_pool *pool);

enum {
    HSI_POOL_WORK = 16
}; /* cost of adding one task to a large pool, in steps of the cancel
      token */

/* Add a task, or remove a task; without effect if the task is, or is not, in the pool. The priority
 * of a task in the pool must not change. O(log n). */
void hsi_ready_pool_add(hsi_ready_pool *pool, uint32_t task);
void hsi_ready_pool_remove(hsi_ready_pool *pool, uint32_t task);

/* Remove the task at the type's end of the order. Return true and the task; false: the pool has
 * no task for the type. */
bool hsi_ready_pool_take(hsi_ready_pool *pool, hs_type type, uint32_t *task);

/* Take a worker out of service. Return false if it already was. */
bool hsi_ready_pool_retire(hsi_ready_pool *pool, unsigned worker);

static inline bool hsi_ready_pool_is_in_service(const hsi_ready_pool *pool, unsigned worker)
{
    return !pool->retired[worker];
}

/* Remove a task that no worker in service can run. Return true and the task; false: all tasks
 * can run. */
bool hsi_ready_pool_take_stranded(hsi_ready_pool *pool, uint32_t *task);

#endif
