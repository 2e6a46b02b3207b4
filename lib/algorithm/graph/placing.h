/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_ALGORITHM_GRAPH_PLACING_H
#define HSI_ALGORITHM_GRAPH_PLACING_H

#include "algorithm/graph/timeline.h"
#include "core/recorder.h"
#include "core/problem.h"

/*
 * A plan of a graph's tasks, made one task at a time after its predecessors. All placements are
 * known before the run: output of task u reaches node v at end(u) + T(node(u), v), and initial data
 * at T(its memory node, v). Without a graph all inputs are available from the start.
 *
 * A barrier stores, for each node, the arrival of all its inputs, and the latest end of its
 * predecessors that ran there, for the bytes of its outgoing edges. T increases with the bytes, so
 * this equals the separate treatment of each predecessor. Without links there is one node.
 *
 * O(nodes) per edge with bytes and per access, O(m + k) per task, plus the searches of the
 * timelines.
 */
typedef struct hsi_placing {
    const hsi_problem *pb;
    size_t             nodes;
    double            *start, *end;  /* indexed by task */
    uint32_t          *worker;       /* indexed by task */
    uint32_t          *next;         /* indexed by task: next task on the worker */
    double            *arrival;      /* indexed by node: arrival for the current task */
    double            *there, *ends; /* indexed by barrier and node: arrival, latest end */
    unsigned char     *known;        /* indexed by barrier: 1: `there` and `ends` are computed */
    hsi_timeline      *line;         /* timeline of each worker */
    size_t             work;         /* cost of placing a task, in steps of the cancel token */
} hsi_placing;

/* Allocate in the problem's arena. Call hsi_placing_close() also after a failure. */
hs_status hsi_placing_open(hsi_placing *placing, const hsi_problem *pb);
void      hsi_placing_close(hsi_placing *placing);

/* Place a task on the worker that ends it first, gaps included; among equals GPUs first, then lower
 * numbers. */
hs_status hsi_placing_insert(hsi_placing *placing, uint32_t task);

/* Place a task on a worker that can run it, gaps included. */
hs_status hsi_placing_insert_on(hsi_placing *placing, uint32_t task, uint32_t worker);

/* Set *loss to the difference between the two least ends of a task on all workers, gaps included;
 * INFINITY: one worker can run it. */
hs_status hsi_placing_find_loss(hsi_placing *placing, uint32_t task, double *loss);

enum { HSI_EITHER_TYPE = 1 << HS_CPU | 1 << HS_GPU };

/* Place a task after the last task of a worker, on the types in `allowed_types` (bits 1 <<
 * hs_type), one of which must be able to run it. Do not mix with hsi_placing_insert(). */
hs_status hsi_placing_append(hsi_placing *placing, uint32_t task, unsigned allowed_types);

/* Open the recorder and record the placement of every task. */
hs_status hsi_placing_record(const hsi_placing *placing, hsi_recorder *recorder);

#endif
