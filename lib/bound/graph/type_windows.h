/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_GRAPH_TYPE_WINDOWS_H
#define HSI_BOUND_GRAPH_TYPE_WINDOWS_H

#include "bound/graph/window_loads.h"
#include "bound/graph/window_log.h"

enum { HSI_JOINED_TASKS = 1000 /* limit of the tasks whose ancestors' loads are added */ };

/*
 * The windows of the tasks of a graph on each type, in schedules that are shorter than a guess. A
 * task starts no earlier than its head: the longest path to the task, each task on the path on the
 * better of its open types, with the transfers between types; and, in small graphs, the end of the
 * loads of its ancestors. A tail is the same backward. A type is closed for a task if head, time
 * and tail reach the guess.
 *
 * All GPUs count as one memory, and so do all hosts. All sums are rounded down.
 */
typedef struct hsi_type_windows {
    const hsi_arcs *arcs;
    uint32_t        n;
    double          limit;      /* the guess with the rounding error of a schedule's ends */
    double (*side[2])[2];       /* heads, then tails, by task and type */
    bool (*open)[2];            /* whether the task may run on the type */
    bool             changed;   /* whether the last passes closed a type or raised a value much */
    size_t          *before_at; /* first arc of each task in `before` */
    hsi_arc         *before;    /* arcs by target; their `task` is the source */
    hsi_window_loads loads;
    hsi_relatives    relatives; /* unused in larger graphs */
    uint32_t        *visited;   /* tasks visited in this pass, by falling value; NULL: no loads are
                                   added */
    double   *value;            /* least value of each of them */
    size_t    count;
    double   *load; /* load of each visited task, by task and multipliers */
    uint32_t         stuck; /* task without an open type; HS_NONE: none */
    hsi_window_log  *log;   /* NULL: the derivation is not logged */
    uint32_t        *set;   /* set that is being logged */
    hsi_arena arena;
} hsi_type_windows;

/* Allocate the windows of the graph in `arcs`, which is borrowed. Call hsi_type_windows_close()
 * also after a failure. HS_ENOMEM, HS_ECANCELED. */
hs_status hsi_type_windows_open(hsi_type_windows *windows, const hsi_arcs *arcs);
void      hsi_type_windows_close(hsi_type_windows *windows);

/* Return true if no schedule is shorter than `guess`; false also if cancelled. */
bool hsi_type_windows_refute(hsi_type_windows *windows, double guess);

/* Prove by the windows of a problem with a graph that no schedule is shorter than `target` in exact
 * arithmetic, where the rounding errors of a schedule's ends do not count. *proof becomes
 * HSI_STEP_GRAPH if the windows do not refute the target, or if cancelled; the caller frees it.
 * HS_ENOMEM, HS_ETOOBIG. */
hs_status hsi_prove_by_windows(const hsi_problem *pb, double target, hsi_proof_node *proof);

#endif
