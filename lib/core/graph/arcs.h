/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_GRAPH_ARCS_H
#define HSI_CORE_GRAPH_ARCS_H

#include "core/graph/links.h"
#include "core/problem.h"

/*
 * The graph in the form used by searches. Arcs connect tasks directly, one per pair; barriers are
 * expanded. Transfer times depend only on the place of a worker: without links its type; with links
 * its memory node, the host first. Several pieces from one task to another count as one, the
 * largest, since transfers do not delay each other.
 */
typedef struct hsi_arc {
    uint32_t task; /* target */
    uint32_t move; /* index of its transfer, three times each; 0 for an arc without bytes */
} hsi_arc;

typedef struct hsi_arcs {
    const hsi_problem *pb;
    uint32_t           places;
    size_t            *after_at; /* first arc of each task in `after`, and the number of arcs */
    hsi_arc           *after;
    uint32_t          *waits; /* per task: number of incoming arcs */
    double            *move;  /* time of each transfer by hs_link, three per transfer; the first
                                 three are 0 */
    double            *fetch; /* per task: arrival at a GPU of its inputs without a writer */
    uint32_t          *order; /* tasks in topological order */
    hsi_arena          arena;
} hsi_arcs;

/* Build the arcs. HS_ETOOBIG: too many arcs for a search. O(arcs). */
hs_status hsi_arcs_open(const hsi_problem *pb, hsi_arcs *arcs);
void      hsi_arcs_close(hsi_arcs *arcs);

static inline uint32_t hsi_place_of_worker(const hsi_arcs *arcs, uint32_t worker)
{
    uint32_t m = arcs->pb->m;

    return worker < m ? 0 : arcs->places > 2 ? worker - m + 1 : 1;
}

/* Return the number of workers at a place; and the first of them. */
static inline uint32_t hsi_worker_count_at(const hsi_arcs *arcs, uint32_t place)
{
    const hsi_problem *pb = arcs->pb;

    return place == 0 ? pb->m : arcs->places > 2 ? 1 : pb->k;
}

static inline uint32_t hsi_first_worker_at(const hsi_arcs *arcs, uint32_t place)
{
    return place == 0 ? 0 : arcs->pb->m + place - 1;
}

static inline double hsi_task_time_at(const hsi_arcs *arcs, uint32_t task, uint32_t place)
{
    return place == 0 ? arcs->pb->p[task] : arcs->pb->q[task];
}

/* Return the transfer time of an arc between two places; 0 within one place. */
static inline double hsi_arc_transfer_time(const hsi_arcs *arcs, const hsi_arc *arc, uint32_t from,
                                           uint32_t to)
{
    if (from == to)
        return 0;
    return arcs->move[3 * arc->move + (from == 0 ? HS_H2D : to == 0 ? HS_D2H : HS_D2D)];
}

/* Return the arrival time at a place of a task's inputs without a writer. */
static inline double hsi_initial_data_arrival(const hsi_arcs *arcs, uint32_t task, uint32_t place)
{
    return place == 0 ? 0 : arcs->fetch[task];
}

#endif
