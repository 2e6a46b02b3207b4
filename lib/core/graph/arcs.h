/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_GRAPH_ARCS_H
#define HSI_CORE_GRAPH_ARCS_H

#include "core/graph/links.h"
#include "core/problem.h"

/*
 * The graph as searches walk it: arcs between tasks alone, each pair once, barriers multiplied out,
 * and places, which are all that matters of a worker to what a task waits for: without links the
 * two types; with them the memory nodes, the host's first. Several pieces that one task makes and
 * another reads are one, the largest: transfers do not wait for each other.
 */
typedef struct hsi_arc {
    uint32_t task; /* that it leads to */
    uint32_t move; /* of the transfers, three an arc; those of arcs without bytes are 0 */
} hsi_arc;

typedef struct hsi_arcs {
    const hsi_problem *pb;
    uint32_t           places;
    size_t            *after_at; /* of each task's arcs in `after`, and the number of all */
    hsi_arc           *after;
    uint32_t          *waits; /* of tasks: how many arcs lead to it */
    double            *move;  /* by hs_link, three a transfer; the first three are 0 */
    double            *fetch; /* of tasks: what it reads is on a GPU then, if nobody made it */
    uint32_t          *order; /* tasks in topological order */
    hsi_arena          arena;
} hsi_arcs;

/* HS_ETOOBIG: more arcs than a search could walk. O(arcs). */
hs_status hsi_arcs_open(const hsi_problem *pb, hsi_arcs *arcs);
void      hsi_arcs_close(hsi_arcs *arcs);

static inline uint32_t hsi_place_of(const hsi_arcs *arcs, uint32_t worker)
{
    uint32_t m = arcs->pb->m;

    return worker < m ? 0 : arcs->places > 2 ? worker - m + 1 : 1;
}

/* How many workers a place has, and the first of them. */
static inline uint32_t hsi_workers_at(const hsi_arcs *arcs, uint32_t place)
{
    const hsi_problem *pb = arcs->pb;

    return place == 0 ? pb->m : arcs->places > 2 ? 1 : pb->k;
}

static inline uint32_t hsi_first_worker_at(const hsi_arcs *arcs, uint32_t place)
{
    return place == 0 ? 0 : arcs->pb->m + place - 1;
}

static inline double hsi_time_at(const hsi_arcs *arcs, uint32_t task, uint32_t place)
{
    return place == 0 ? arcs->pb->p[task] : arcs->pb->q[task];
}

/* From a place to another or the same. */
static inline double hsi_arc_time(const hsi_arcs *arcs, const hsi_arc *arc, uint32_t from,
                                  uint32_t to)
{
    if (from == to)
        return 0;
    return arcs->move[3 * arc->move + (from == 0 ? HS_H2D : to == 0 ? HS_D2H : HS_D2D)];
}

/* When what nobody made is at a place. */
static inline double hsi_fetch_time(const hsi_arcs *arcs, uint32_t task, uint32_t place)
{
    return place == 0 ? 0 : arcs->fetch[task];
}

#endif
