/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_PROBLEM_H
#define HSI_CORE_PROBLEM_H

#include <hybridsched/instance.h>

#include "core/graph/graph.h"
#include "support/arena.h"
#include "support/cancel.h"

/*
 * The view of an instance for algorithms and bounds: flat arrays, with infinite times for a type
 * without workers. Arrays are borrowed from the instance where they already have this form.
 */
typedef struct hsi_problem {
    size_t               n;
    unsigned             m, k;        /* numbers of CPUs and of GPUs */
    const double        *p, *q;       /* times of the items on a CPU and on a GPU; INFINITY: the
                                         item cannot run there */
    const int64_t       *priority;    /* NULL: all 0 */
    const uint32_t      *count;       /* copies of each row; NULL: all 1 */
    const unsigned char *restartable; /* whether the task may be aborted; NULL: all may, or no
                                         algorithm needs this */
    const uint32_t      *first; /* first task of each row, for instances with counts; NULL: task
                                   i is item i */
    const hs_graph      *graph; /* graph of the tasks; NULL: independent tasks, or items other
                                   than tasks */
    const hsi_links     *links; /* links of the instance; set together with `graph` */
    const hsi_node_list *nodes; /* nodes of the instance; NULL: one node, or no `graph` */
    const hs_instance   *in;    /* instance of `graph` */
    const double        *available; /* free time of each worker; NULL: all 0 */
    hsi_arena           *arena;     /* arena for temporary memory; NULL: each function allocates
                                       its own */
    hsi_token           *token;     /* cancel token; NULL: never cancelled */
    hsi_arena            own;       /* memory of this problem that is not borrowed and not in
                                       `arena` */
} hsi_problem;

/*
 * Create a problem with one item per task. HS_ECANCELED, here and below: cancelled by `token` (may
 * be NULL).
 */
hs_status hsi_problem_of_tasks(const hs_instance *in, hsi_token *token, hsi_problem *pb);

/* Create a problem with one item per row, with counts. */
hs_status hsi_problem_of_rows(const hs_instance *in, hsi_token *token, hsi_problem *pb);

/*
 * Create a problem in `arena`, with no need to close it: one item per row if `by_rows` and the
 * tasks are independent, else one per task.
 */
hs_status hsi_problem_open_in(hsi_arena *arena, const hs_instance *in, int by_rows,
                              hsi_token *token, hsi_problem *pb);

/*
 * Create a problem with one item per kind, with counts; tasks with equal times on both types are
 * one kind. Kinds are sorted by CPU time, then GPU time. kind_of[i] (may be NULL) is set to the
 * kind of item i of `pb`. HS_ETOOBIG: more than `most` kinds. O(n log n).
 */
hs_status hsi_problem_of_kinds(const hsi_problem *pb, size_t most, hsi_problem *kinds,
                               uint32_t *kind_of);

void hsi_problem_close(hsi_problem *pb);

/* Return true if all times are whole or infinite, and small enough for exact sums of 500 times. */
bool hsi_problem_has_whole_times(const hsi_problem *pb);

/* Return the number of memory nodes; and the memory node of a worker. */
static inline size_t hsi_memory_node_count(const hsi_problem *pb)
{
    return (size_t)pb->k + (pb->nodes ? pb->nodes->count : 1);
}

static inline uint32_t hsi_node_of_worker(const hsi_problem *pb, unsigned worker)
{
    return hsi_memory_node(pb->nodes, pb->m, worker);
}

static inline int64_t hsi_priority_of(const hsi_problem *pb, size_t index)
{
    return pb->priority ? pb->priority[index] : 0;
}

/* Return the free times of the workers of a type; NULL: all 0, or no such worker. */
static inline const double *hsi_available(const hsi_problem *pb, hs_type type)
{
    if (!pb->available || !(type == HS_CPU ? pb->m : pb->k))
        return NULL;
    return type == HS_CPU ? pb->available : pb->available + pb->m;
}

static inline bool hsi_is_restartable(const hsi_problem *pb, size_t index)
{
    return !pb->restartable || pb->restartable[index];
}

static inline uint32_t hsi_row_count(const hsi_problem *pb, size_t index)
{
    return pb->count ? pb->count[index] : 1;
}

#endif
