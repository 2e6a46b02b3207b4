/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SOLVER_ORDER_LP_H
#define HSI_SOLVER_ORDER_LP_H

#include "core/graph/arcs.h"
#include "core/stop.h"
#include "support/vector.h"

/*
 * The relaxed mixed program of a graph's schedules. Columns: the makespan C, a start for each task,
 * a binary for each task and worker (the task runs there), and a binary for each pair of tasks that
 * may overlap (the first one precedes the second if both share a worker). All rows have the form a
 * x >= b, and all columns have finite nonnegative bounds. One expensive column, the excuse,
 * satisfies every row: a solution always exists, so the multipliers prove a bound of every node,
 * also of nodes without a schedule.
 *
 * Times are divided by a power of two such that some schedule takes at most 1. Proved bounds are
 * recomputed from the multipliers and rounded down.
 */
typedef struct hsi_order_lp {
    const hsi_arcs *arcs;
    uint32_t        n, workers;
    int             exponent;
    double         *time[2], *head, *tail; /* scaled times by type; longest paths before and after
                                              each task */
    uint64_t *after;                       /* bit set of each task's direct and indirect
                                              successors */
    int  columns, first_binary;
    int *ran;   /* column of each task and worker */
    int *order; /* column of each pair, the smaller task first; 0: one depends on the
                   other */
    double          *low, *high;
    hsi_vector       at, index, value, limit; /* rows: size_t, int, double, double */
    double          *most;                    /* coefficient of the excuse in each row */
    struct glp_prob *lp;                      /* valid under the guard only */
    double          *gradient;                /* scratch */
    double          *solution;                /* value of each column in the last solution */
    hsi_arena        arena;
} hsi_order_lp;

enum { HSI_ORDER_MAKESPAN = 1, HSI_ORDER_EXCUSE = 2 }; /* column numbers */

/* Build the rows in memory. HS_ETOOBIG: too many rows. `least`: a known lower bound of all
 * makespans. */
hs_status hsi_order_lp_open(hsi_order_lp *o, const hsi_arcs *arcs, double least);
void      hsi_order_lp_close(hsi_order_lp *o);

/* Create or delete GLPK's problem. These and all functions below run under one call of the guard
 * (glpk/guard.h). */
void hsi_order_lp_build(hsi_order_lp *o);
void hsi_order_lp_drop(hsi_order_lp *o);

/* Fix a binary to 0 or 1, or restore its bounds. */
void hsi_order_lp_fix(hsi_order_lp *o, int column, int value);
void hsi_order_lp_free(hsi_order_lp *o, int column);

/* Solve the LP; *bound is a proved lower bound of the remaining schedules, scaled. Return 0 if the
 * time is up, without a bound. */
int hsi_order_lp_solve(hsi_order_lp *o, const hsi_stop *stop, double *bound);

/* Return a fractional binary of the last solution, one of task and worker first; 0: none. */
int hsi_order_lp_undecided(const hsi_order_lp *o);

#endif
