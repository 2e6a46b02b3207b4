/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_ALGORITHM_GRAPH_PLACING_H
#define HSI_ALGORITHM_GRAPH_PLACING_H

#include "algorithm/graph/timeline.h"
#include "core/log.h"
#include "core/problem.h"

/*
 * A plan of a graph's tasks that is made one task at a time, each when all before it are placed.
 * Where everything goes is known before anything runs: what task u makes is on node v at end(u) +
 * T(node(u), v), what nobody made at T(host, v). Without a graph everything is there from the
 * start.
 *
 * A barrier keeps, for each node, when all that comes into it can be there, and when the last of
 * what leads to it from that node ends, for the bytes of edges out of it. T rises with the bytes,
 * so that is as good as every task before it by itself. Without links there is one node.
 *
 * O(nodes) an edge with bytes and an access, O(m + k) a task and what its timelines take.
 */
typedef struct hsi_placing {
    const hsi_problem *pb;
    size_t             nodes;
    double            *start, *end;  /* of tasks */
    uint32_t          *worker;       /* of tasks */
    uint32_t          *next;         /* of tasks: what the worker does then */
    double            *arrival;      /* of nodes: the task's that is being placed */
    double            *there, *ends; /* of barriers and nodes */
    unsigned char     *known;        /* of barriers: those two are */
    hsi_timeline      *line;         /* of workers */
    size_t             work;         /* of a task, as an asker counts */
} hsi_placing;

/* In the problem's arena; close it whatever comes of this. */
hs_status hsi_placing_open(hsi_placing *placing, const hsi_problem *pb);
void      hsi_placing_close(hsi_placing *placing);

/* To the worker that ends it first, with gaps; GPUs first, lower numbers first. */
hs_status hsi_placing_put(hsi_placing *placing, uint32_t task);

enum { HSI_EITHER_TYPE = 1 << HS_CPU | 1 << HS_GPU };

/*
 * The same after what is there, on the workers of these types (1 << hs_type), one of which can run
 * it. Not for a placing with hsi_placing_put().
 */
hs_status hsi_placing_append(hsi_placing *placing, uint32_t task, unsigned types);

/* Writes it all down; opens the log. */
hs_status hsi_placing_log(const hsi_placing *placing, hsi_log *log);

#endif
