/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_GRAPH_ARCS_H
#define HSI_CORE_GRAPH_ARCS_H

#include "core/graph/links.h"
#include "core/problem.h"

/*
 * The graph in the form used by searches. Arcs connect tasks directly, one per pair; barriers are
 * expanded. Transfer times depend only on the place of a worker: without links its type; with links
 * its memory node, the hosts first. Several pieces from one task to another count as one, the
 * largest, since transfers do not delay each other.
 */
typedef struct hsi_arc {
    uint32_t task; /* target */
    uint32_t move; /* index of its transfer, HS_LINKS times each; 0 for an arc without bytes */
} hsi_arc;

typedef struct hsi_arcs {
    const hsi_problem   *pb;
    const hsi_node_list *nodes; /* nodes of the workers; NULL: one node, or no links */
    uint32_t             places;
    uint32_t             hosts; /* number of the places of CPUs */
    size_t            *after_at; /* first arc of each task in `after`, and the number of arcs */
    hsi_arc           *after;
    uint32_t          *waits; /* per task: number of incoming arcs */
    double            *move;  /* time of each transfer by hs_link, HS_LINKS per transfer; the first
                                 ones are 0 */
    double            *fetch; /* per task: arrival at a GPU of the first node of its inputs without
                                 a writer */
    double            *fetch_bytes; /* per task: largest size of an input without a writer; NULL:
                                       one node */
    double *initial;          /* per task and place: arrival of its inputs without a writer; NULL:
                                 all lie on the first host, see `fetch` */
    uint32_t          *order; /* tasks in topological order */
    hsi_arena          arena;
} hsi_arcs;

/* Build the arcs. HS_ETOOBIG: too many arcs for a search. O(arcs). */
hs_status hsi_arcs_open(const hsi_problem *pb, hsi_arcs *arcs);
void      hsi_arcs_close(hsi_arcs *arcs);

/* Sort the arcs by target, in the arena: *before has the arcs, their `task` being the source, and
 * *before_at the first arc of each target and the number of arcs. */
hs_status hsi_arcs_reverse(const hsi_arcs *arcs, hsi_arena *arena, size_t **before_at,
                           hsi_arc **before);

static inline uint32_t hsi_place_of_worker(const hsi_arcs *arcs, uint32_t worker)
{
    uint32_t m = arcs->pb->m;

    if (arcs->nodes)
        return hsi_memory_node(arcs->nodes, m, worker);
    return worker < m ? 0 : arcs->places > 2 ? worker - m + 1 : 1;
}

static inline hs_type hsi_type_at(const hsi_arcs *arcs, uint32_t place)
{
    return place < arcs->hosts ? HS_CPU : HS_GPU;
}

/* Return the number of workers at a place; and the first of them. */
static inline uint32_t hsi_worker_count_at(const hsi_arcs *arcs, uint32_t place)
{
    const hsi_problem *pb = arcs->pb;

    if (place >= arcs->hosts)
        return arcs->nodes || arcs->places > 2 ? 1 : pb->k;
    return arcs->nodes ? hsi_node_at(arcs->nodes, place)[1].cpu - hsi_node_at(arcs->nodes, place)->cpu
                       : pb->m;
}

static inline uint32_t hsi_first_worker_at(const hsi_arcs *arcs, uint32_t place)
{
    if (place >= arcs->hosts)
        return arcs->pb->m + place - arcs->hosts;
    return arcs->nodes ? hsi_node_at(arcs->nodes, place)->cpu : 0;
}

static inline double hsi_task_time_at(const hsi_arcs *arcs, uint32_t task, uint32_t place)
{
    return place < arcs->hosts ? arcs->pb->p[task] : arcs->pb->q[task];
}

/* Return the transfer time of an arc between two places; 0 within one place. */
static inline double hsi_arc_transfer_time(const hsi_arcs *arcs, const hsi_arc *arc, uint32_t from,
                                           uint32_t to)
{
    const double *move = arcs->move + (size_t)HS_LINKS * arc->move;

    if (from == to)
        return 0;
    if (arcs->nodes &&
        hsi_node_of_memory(arcs->nodes, from) != hsi_node_of_memory(arcs->nodes, to))
        return (from < arcs->hosts ? 0 : move[HS_D2H]) + move[HS_N2N] +
               (to < arcs->hosts ? 0 : move[HS_H2D]);
    return move[from < arcs->hosts ? HS_H2D : to < arcs->hosts ? HS_D2H : HS_D2D];
}

/* Return the longest transfer time of an arc from a worker of a type. */
static inline double hsi_longest_arc_transfer(const hsi_arcs *arcs, const hsi_arc *arc, hs_type from)
{
    const double *move = arcs->move + (size_t)HS_LINKS * arc->move;
    double        longest = from == HS_CPU             ? move[HS_H2D]
                            : move[HS_D2H] > move[HS_D2D] ? move[HS_D2H]
                                                          : move[HS_D2D];
    double        far = (from == HS_CPU ? 0 : move[HS_D2H]) + move[HS_N2N] + move[HS_H2D];

    return arcs->nodes && far > longest ? far : longest;
}

/* Return the arrival time at a place of a task's inputs without a writer. */
static inline double hsi_initial_data_arrival(const hsi_arcs *arcs, uint32_t task, uint32_t place)
{
    if (arcs->initial)
        return arcs->initial[(size_t)task * arcs->places + place];
    if (arcs->nodes)
        return hsi_link_time_between(arcs->pb->links, arcs->nodes, 0, place,
                                     arcs->fetch_bytes[task]);
    return place == 0 ? 0 : arcs->fetch[task];
}

/* Return the earliest arrival time of these inputs at any place of a type. */
double hsi_earliest_initial_data(const hsi_arcs *arcs, uint32_t task, hs_type type);

/* Return the latest arrival time of these inputs at any place. */
double hsi_latest_initial_data(const hsi_arcs *arcs, uint32_t task);

#endif
