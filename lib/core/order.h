/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_ORDER_H
#define HSI_CORE_ORDER_H

#include "core/problem.h"

/* Orders by rho = p/q, compared exactly. */
typedef enum hsi_rho_order {
    HSI_RHO_UP,   /* rho increasing, then smaller index */
    HSI_RHO_DOWN, /* rho decreasing, then smaller index: as UP with the types switched */
    HSI_RHO_QUEUE /* HeteroPrio's: as DOWN, priorities between rho and index */
} hsi_rho_order;

/*
 * order[] = the items of `pb` in that order. O(n log n), mostly O(n). This and what follows:
 * HS_ECANCELED: the asker wants no more.
 */
hs_status hsi_order_by_rho(const hsi_problem *pb, hsi_rho_order kind, uint32_t *order);

/* order[] = 0 .. n-1 by decreasing key, then smaller index; keys >= 0. */
hs_status hsi_order_by_time(const double *time, size_t n, uint32_t *order);
hs_status hsi_order_by_time_in(hsi_arena *arena, const double *time, size_t n, uint32_t *order,
                               hsi_asker *asker);

/* The n increasing indices in order[] by decreasing time, then smaller index. */
hs_status hsi_sort_by_time(hsi_arena *arena, const double *time, size_t n, uint32_t *order,
                           hsi_asker *asker);

/* by_place[i] = time[order[i]]: what is looked at often is better looked at in a row. */
hs_status hsi_gather(const uint32_t *order, size_t n, const double *time, double *by_place,
                     hsi_asker *asker);

/* Of two tasks: by their places in the graph if there is one, else by their numbers. */
static inline int hsi_comes_first(const hsi_problem *pb, uint32_t a, uint32_t b)
{
    return pb->graph ? hsi_position(pb->graph, a) < hsi_position(pb->graph, b) : a < b;
}

/* Is task 1 nearer to the GPU end than task 2? *tie: the index has to decide. */
int hsi_queue_before(double p1, double q1, int64_t priority1, double p2, double q2,
                     int64_t priority2, int *tie);

/* A key that rises from the GPU end; where it is equal, hsi_queue_before() says more. */
static inline double hsi_queue_key(double p, double q)
{
    return -(p / q);
}

/*
 * The same where ratios in one cell of a grid are the same: the cell's number, from the GPU end. A
 * double's bits rise with it, and in step with its logarithm but for a factor of 2: cells are so
 * many of them, counted from 1. What one type cannot run is in a cell of its own.
 */
double hsi_queue_cell(double p, double q, double width);

/* Is that a width, or 0: none? */
static inline int hsi_is_cell_width(double width)
{
    return width == 0 || (width >= 1e-12 && width <= 1);
}

/* Of two in one cell. */
int hsi_queue_cellmate_before(const void *problem, uint32_t a, uint32_t b);

#endif
