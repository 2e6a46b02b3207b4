/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_GRAPH_WAYS_H
#define HSI_BOUND_GRAPH_WAYS_H

#include "bound/graph/between.h"

/*
 * The longest ways through a graph, its tasks run on both types in given shares. A way is its tasks
 * from the first to the last, each after the one before it; with `between`, jumps too, as
 * hsi_proof_way has them.
 */
/* How a way goes on from a vertex. */
typedef struct hsi_next {
    uint32_t vertex; /* HS_NOBODY: nowhere */
    uint32_t over;   /* HSI_OVER_...; 0: the one depends on the other itself */
} hsi_next;

typedef struct hsi_ways {
    const hsi_problem *pb;
    const hsi_between *between;        /* NULL: tasks alone */
    double            *time;           /* of vertices */
    double            *head, *tail;    /* the longest ways to them and from them, with them */
    hsi_next          *before, *after; /* where those come from and go to */
    double (*weight)[2];               /* of vertices in order: on workers of each type together */
    double         *load;              /* of pairs in order: the longer; below 0: of the GPUs */
    const hsi_stop *stop;              /* asked where there are jumps: these take time */
    int             stopped;           /* then nothing that was found means anything */
} hsi_ways;

hs_status hsi_ways_open(hsi_ways *w, const hsi_problem *pb, const hsi_between *between,
                        const hsi_stop *stop, hsi_arena *arena);

/* What counts on a way: no task twice, since steps follow each other. `between`: of ways that jump.
 */
size_t hsi_way_spread(const hsi_between *between, const uint32_t *step, size_t count,
                      hsi_counted *counted);

/* The longest of all; share[i]: of task i on CPUs. */
double hsi_ways_find(hsi_ways *w, const double *share);

/* The longest way through a vertex has that length ... */
static inline double hsi_way_length(const hsi_ways *w, uint32_t vertex)
{
    return w->head[vertex] + w->tail[vertex] - w->time[vertex];
}

/* ... and these steps, 2 `vertices` + 1 at most; those of its vertices are marked. */
size_t hsi_way_through(const hsi_ways *w, uint32_t vertex, uint32_t *step, unsigned char *seen);

#endif
