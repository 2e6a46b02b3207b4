/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_ORDER_H
#define HSI_CORE_ORDER_H

#include "core/problem.h"

/* Orders by the ratio rho = p/q, compared exactly. */
typedef enum hsi_rho_order {
    HSI_RHO_UP,   /* increasing rho, then smaller index */
    HSI_RHO_DOWN, /* decreasing rho, then smaller index: UP with the types exchanged */
    HSI_RHO_QUEUE /* HeteroPrio's order: decreasing rho, then priority, then index */
} hsi_rho_order;

/*
 * Sort the items of `pb` into order[]. O(n log n), mostly O(n). This and the functions below return
 * HS_ECANCELED when the cancel token is cancelled.
 */
hs_status hsi_order_by_rho(const hsi_problem *pb, hsi_rho_order kind, uint32_t *order);

/* Sort 0 .. n-1 by decreasing key, then smaller index; keys >= 0. */
hs_status hsi_order_by_time(hsi_arena *arena, const double *time, size_t count, uint32_t *order,
                            hsi_token *token);

/* Sort the n increasing indices in order[] by decreasing time, then smaller index. */
hs_status hsi_sort_by_time(hsi_arena *arena, const double *time, size_t count, uint32_t *order,
                           hsi_token *token);

/* Copy by_place[i] = time[order[i]], for sequential access to frequently used times. */
hs_status hsi_gather_times(const uint32_t *order, size_t count, const double *time,
                           double *by_place, hsi_token *token);

/* Return true if task a precedes task b: by positions in the graph, without a graph by number. */
static inline bool hsi_task_comes_first(const hsi_problem *pb, uint32_t a, uint32_t b)
{
    return pb->graph ? hsi_position(pb->graph, a) < hsi_position(pb->graph, b) : a < b;
}

/* Compare two tasks by HeteroPrio's order: > 0 if task 1 is nearer to the GPU end, < 0 if task 2
 * is; 0: equal ratios and priorities. same_cell: the ratios count as equal. */
int hsi_heteroprio_compare(double cpu_time1, double gpu_time1, int64_t priority1, double cpu_time2,
                           double gpu_time2, int64_t priority2, bool same_cell);

/* Return a key that rises from the GPU end; equal keys need hsi_heteroprio_compare(). */
static inline double hsi_heteroprio_key(double cpu_time, double gpu_time)
{
    return -(cpu_time / gpu_time);
}

/*
 * Return the number of a ratio's cell in the grid of equal ratios, counted from the GPU end. The
 * bits of a double rise with its value, in proportion to its logarithm up to a factor of 2: a cell
 * is a fixed number of bit patterns, counted from 1. Tasks without an implementation on one type
 * have separate cells.
 */
double hsi_heteroprio_cell(double cpu_time, double gpu_time, double width);

/* Return true if `width` is a valid cell width; 0 means no grid and is valid. */
static inline bool hsi_is_cell_width(double width)
{
    return width == 0 || (width >= 1e-12 && width <= 1);
}

#endif
