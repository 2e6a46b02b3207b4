/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_GRAPH_BETWEEN_H
#define HSI_BOUND_GRAPH_BETWEEN_H

#include "core/certificate.h"
#include "core/problem.h"
#include "core/stop.h"

/*
 * What lies between two vertices of a graph: the tasks that come after the one and before the
 * other. Vertices are counted in topological order here; HSI_BEGIN comes before all, HSI_END after.
 *
 * Nothing of that starts before the one has ended, nor ends after the other starts: the workers of
 * a type have that long for what of it they run.
 */
#define HSI_BEGIN (UINT32_MAX - 1)
#define HSI_END UINT32_MAX

typedef struct hsi_between {
    const hsi_problem *pb;
    size_t             vertices, words;
    uint64_t          *after, *before; /* of vertices: by bits, those that are */
    uint32_t          *position;       /* of vertices as the graph numbers them */
    int                stopped;        /* before all of that was known */
} hsi_between;

enum { HSI_BETWEEN_MOST = 20000 }; /* vertices: the bits take 100 megabytes */

/* HS_ETOOBIG: too many. O(vertices x edges / 64). */
hs_status hsi_between_open(hsi_between *b, const hsi_problem *pb, const hsi_stop *stop,
                           hsi_arena *arena);

static inline int hsi_is_before(const hsi_between *b, uint32_t first, uint32_t second)
{
    return (int)(b->after[first * b->words + second / 64] >> second % 64 & 1);
}

/* The sums of what the vertices between weigh. */
void hsi_between_sum(const hsi_between *b, uint32_t first, uint32_t second,
                     const double (*weight)[2], double sum[2]);

/* Tasks between, in topological order, each with `over`; returns how many. */
size_t hsi_between_list(const hsi_between *b, uint32_t first, uint32_t second, uint32_t over,
                        hsi_counted *counted);

#endif
