/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_PROBLEM_H
#define HSI_CORE_PROBLEM_H

#include <hybridsched/instance.h>

#include "core/graph/graph.h"
#include "support/arena.h"
#include "support/asker.h"

/*
 * What algorithms and bounds see of an instance: flat arrays, in which a type
 * that has no worker takes infinitely long. Borrowed wherever that is so already.
 */
typedef struct hsi_problem {
    size_t               n;
    unsigned             m, k;        /* CPUs, GPUs */
    const double        *p, *q;       /* times on a CPU, on a GPU */
    const int64_t       *priority;    /* NULL: all 0 */
    const uint32_t      *count;       /* of rows; NULL: all 1 */
    const unsigned char *restartable; /* may they be aborted? NULL: all may, or nobody asks */
    const uint32_t      *first; /* task of each row, where there are counts; NULL: task i is i */
    const hs_graph      *graph; /* of tasks; NULL: they are independent, or items are no tasks */
    const hsi_links     *links; /* where there is a graph */
    const hs_instance   *in;    /* whose graph it is */
    const double        *available; /* when each worker is free; NULL: at 0 */
    hsi_arena           *arena;     /* for what is worked on; NULL: everybody brings his own */
    hsi_asker           *asker;     /* whom what takes long asks whether to go on; NULL: nobody */
    hsi_arena            own;       /* of what is not borrowed, unless it lies in `arena` */
} hsi_problem;

/* One item a task. This and what follows: HS_ECANCELED: the asker, which may be NULL, says so. */
hs_status hsi_problem_of_tasks(const hs_instance *in, hsi_asker *asker, hsi_problem *pb);

/* One item a row, with counts. */
hs_status hsi_problem_of_rows(const hs_instance *in, hsi_asker *asker, hsi_problem *pb);

/*
 * For an algorithm, which works in `arena`: one item a row if it may (`by_rows`) and there is no
 * graph, else one a task. Its arrays are taken there, too: there is nothing to close.
 */
hs_status hsi_problem_in(hsi_arena *arena, const hs_instance *in, int by_rows, hsi_asker *asker,
                         hsi_problem *pb);

/*
 * One item a kind, with counts: tasks with the same two times are of one kind. Kinds come by
 * rising times on a CPU, of equal ones on a GPU. kind_of[i], unless it is NULL, is the kind of
 * item i of `pb`. HS_ETOOBIG: there are more than `most` kinds. O(n log n).
 */
hs_status hsi_problem_of_kinds(const hsi_problem *pb, size_t most, hsi_problem *kinds,
                               uint32_t *kind_of);

void hsi_problem_close(hsi_problem *pb);

/* Are all times whole (or infinite), and small enough that sums of some 500 are exact? */
int hsi_problem_is_whole(const hsi_problem *pb);

static inline int64_t hsi_priority(const hsi_problem *pb, size_t i)
{
    return pb->priority ? pb->priority[i] : 0;
}

/* When the workers of a type are free; NULL: all at 0, or there are none. */
static inline const double *hsi_available(const hsi_problem *pb, hs_type type)
{
    if (!pb->available || !(type == HS_CPU ? pb->m : pb->k))
        return NULL;
    return type == HS_CPU ? pb->available : pb->available + pb->m;
}

static inline int hsi_restartable(const hsi_problem *pb, size_t i)
{
    return !pb->restartable || pb->restartable[i];
}

static inline uint32_t hsi_count(const hsi_problem *pb, size_t i)
{
    return pb->count ? pb->count[i] : 1;
}

#endif
