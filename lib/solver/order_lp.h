/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SOLVER_ORDER_LP_H
#define HSI_SOLVER_ORDER_LP_H

#include "core/graph/arcs.h"
#include "core/stop.h"
#include "support/vector.h"

/*
 * The mixed program of a graph's schedules, with the binaries relaxed: C, a start for each task, a
 * binary for each task and worker (it runs there), and one for each pair of tasks of which neither
 * waits for the other (the first of them comes first, where they share a worker). All rows are
 * a x >= b, and all columns are between bounds that are not negative. A column of its own, which
 * costs much, makes every row true: there is always a solution, and its multipliers prove
 * something of every node, those without a schedule included.
 *
 * Times are divided by a power of two, so that some schedule takes 1 at most. What the multipliers
 * prove is added up anew and rounded down.
 */
typedef struct hsi_order_lp {
    const hsi_arcs  *arcs;
    uint32_t         n, workers;
    int              exponent;
    double          *time[2], *head, *tail; /* of tasks, divided */
    uint64_t        *after;                 /* of tasks, by bits: what waits for it */
    int              columns, first_binary;
    int             *ran;   /* column of task and worker */
    int             *order; /* column of a pair, the smaller task first; 0: one waits */
    double          *low, *high;
    hsi_vector       at, index, value, limit; /* rows: size_t, int, double, double */
    double          *most;     /* what a row needs of the column that makes it true */
    struct glp_prob *lp;       /* lives under the guard */
    double          *gradient; /* scratch */
    double          *solution; /* of columns */
    hsi_arena        arena;
} hsi_order_lp;

enum { HSI_ORDER_MAKESPAN = 1, HSI_ORDER_EXCUSE = 2 }; /* columns */

/* HS_ETOOBIG: too many rows. No schedule is shorter than `least`. */
hs_status hsi_order_lp_open(hsi_order_lp *o, const hsi_arcs *arcs, double least);
void      hsi_order_lp_close(hsi_order_lp *o);

/* The rest only under the guard (solver/guard.h), in one run of it. */
void hsi_order_lp_build(hsi_order_lp *o);
void hsi_order_lp_drop(hsi_order_lp *o);

/* A binary is 0, 1, or either. */
void hsi_order_lp_fix(hsi_order_lp *o, int column, int value);
void hsi_order_lp_free(hsi_order_lp *o, int column);

/*
 * *bound: what is proved of all schedules that are left, divided. 0: the time is up, and nothing is
 * known.
 */
int hsi_order_lp_solve(hsi_order_lp *o, const hsi_stop *stop, double *bound);

/* A binary that the last solution leaves undecided, those of workers first; 0: there is none. */
int hsi_order_lp_undecided(const hsi_order_lp *o);

#endif
