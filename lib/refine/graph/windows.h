/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_GRAPH_WINDOWS_H
#define HSI_REFINE_GRAPH_WINDOWS_H

#include "core/graph/arcs.h"

enum { HSI_BRANCH_TASKS = 64 }; /* the most of a graph that is searched through */

/* What has been decided: tasks in the order of their starts. */
typedef struct hsi_partial {
    uint64_t done; /* a bit a task */
    double   start[HSI_BRANCH_TASKS], end[HSI_BRANCH_TASKS];
    uint32_t worker[HSI_BRANCH_TASKS], place[HSI_BRANCH_TASKS];
    double  *free_at; /* of workers */
    double   last;    /* the latest start: none that follows is earlier */
} hsi_partial;

/*
 * Can a partial schedule be completed in less than a cutoff? On each type a task has a window: not
 * before all that leads to it, whichever types that is on, and the transfers between those; and
 * early enough for all that follows. A type whose window is too short for it is closed. Then, for
 * each tail, those tasks that have no shorter one have to fit, cut as you like, into what workers
 * have left before it. Two GPUs are one here, so that nothing moves between them.
 *
 * A no is safe: it is said with a little room for rounding.
 */
typedef struct hsi_windows {
    const hsi_arcs *arcs;
    uint32_t        n;
    double          cutoff;
    size_t         *before_at; /* of each task's arcs in `before`, and the number of all */
    hsi_arc        *before;    /* their tasks are where they come from */
    uint64_t        follow[HSI_BRANCH_TASKS]; /* all that comes after a task, by bits */
    uint64_t        lead[HSI_BRANCH_TASKS];   /* what comes directly before it */
    double          tail[HSI_BRANCH_TASKS][2];
    double          head[HSI_BRANCH_TASKS][2];    /* of the partial schedule asked about last */
    int             open[HSI_BRANCH_TASKS][2];    /* the same: may it run there? */
    uint32_t        by_ratio[HSI_BRANCH_TASKS];   /* tasks by falling p/q: the GPUs' first */
    double          leaving[HSI_BRANCH_TASKS][2]; /* the longest transfer of what it makes */
    hsi_arena       arena;
} hsi_windows;

/* HS_ETOOBIG: too many tasks. */
hs_status hsi_windows_open(hsi_windows *w, const hsi_arcs *arcs);
void      hsi_windows_close(hsi_windows *w);

/* From now on it is about this cutoff, which tails follow from; 0: it is refuted already. */
int hsi_windows_aim(hsi_windows *w, const hsi_partial *nothing, double cutoff);

/* 0: surely not. O(arcs + tasks^2). */
int hsi_windows_allow(hsi_windows *w, const hsi_partial *partial);

/* The largest cutoff from `low` to `high` that is refuted before anything is decided, or nearly. */
double hsi_windows_bound(hsi_windows *w, const hsi_partial *nothing, double low, double high);

#endif
