/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_GRAPH_WINDOW_LOADS_H
#define HSI_BOUND_GRAPH_WINDOW_LOADS_H

#include "core/problem.h"

enum { HSI_WINDOW_MULTIPLIERS = 18 };

/*
 * The loads of tasks for pairs of multipliers x and y: a task takes min(x p, y q), over the types
 * that are open to it, of the m x + k y that all workers together do in a unit of time. So a set of
 * tasks, cut at will, takes at least the sum of its loads, here divided by m x + k y.
 */
typedef struct hsi_window_loads {
    const hsi_problem      *pb;
    double                  multiplier[HSI_WINDOW_MULTIPLIERS][2]; /* pairs, by type */
    size_t                  multipliers;
    double                 *head, *tail, *load; /* of each task */
    uint32_t               *by_head, *by_tail;  /* tasks by rising head and by rising tail */
    uint32_t               *rank;               /* position of each task in `by_head` */
    uint64_t               *keys, *scratch;     /* memory for sorting */
    struct hsi_window_load *tree; /* the root has index 1; leaves are in the order by head */
    size_t                  leaves;
    size_t                  pair;   /* index of the multipliers of a window that is too short */
    size_t                  ending; /* position in `by_tail` of the first of its tasks */
} hsi_window_loads;

/* Allocate in the arena, and choose the multipliers. HS_ENOMEM, HS_ECANCELED. */
hs_status hsi_window_loads_open(hsi_window_loads *loads, const hsi_problem *pb, hsi_arena *arena);

/* Return a task's load for a pair of multipliers, rounded down. */
double hsi_window_load_of(const hsi_window_loads *loads, uint32_t task, const bool open[2],
                          size_t multiplier);

/* Return a task's least head or tail over its open types. */
static inline double hsi_least_of_types(const double value[2], const bool open[2])
{
    if (!open[HS_CPU] || !open[HS_GPU])
        return value[open[HS_CPU] ? HS_CPU : HS_GPU];
    return value[HS_CPU] < value[HS_GPU] ? value[HS_CPU] : value[HS_GPU];
}

/*
 * Return false if some window is too short: the tasks with at least a head and at least a tail take
 * longer than from this head until this tail before `limit`. Return true also if cancelled.
 * O(multipliers x n log n).
 */
bool hsi_window_loads_fit(hsi_window_loads *loads, double (*head)[2], double (*tail)[2],
                          bool (*open)[2], double limit);

/* After hsi_window_loads_fit() returned false: list the tasks of the window that is too short, set
 * the multipliers, and return the number of tasks, at most n. */
size_t hsi_window_loads_overfull(const hsi_window_loads *loads, uint32_t *task,
                                 double multiplier[2]);

#endif
