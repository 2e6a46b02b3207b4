/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_ALGORITHM_GRAPH_TIMELINE_H
#define HSI_ALGORITHM_GRAPH_TIMELINE_H

#include <hybridsched/status.h>

#include "support/vector.h"

#include <stdint.h>

/*
 * What a worker is planned to do: where it is idle before its last task, and when that ends.
 *
 * Gaps lie one behind the other, so that both their begins and their ends rise. One that the
 * shortest task there is on that type would not fit into is forgotten. A search begins, by
 * bisection, at the first gap that ends late enough and goes on until one is long enough:
 * O(log gaps) and the gaps that are too short, which mostly are few.
 */
typedef struct hsi_gap {
    double   begin, end;
    uint32_t before; /* the task that ends where it begins, or HS_NOBODY */
} hsi_gap;

typedef struct hsi_timeline {
    hsi_vector gaps; /* of hsi_gap */
    double     end;  /* of the last task */
    uint32_t   last; /* HS_NOBODY: there is none yet */
    uint32_t   first;
    double     shortest; /* of all times on the worker's type */
} hsi_timeline;

/* Where a task goes: into that gap, or behind everything. */
typedef struct hsi_slot_found {
    double start;
    size_t gap; /* SIZE_MAX: behind everything */
} hsi_slot_found;

/* The earliest start from `arrival` on such that the task ends before the next one begins. */
hsi_slot_found hsi_timeline_find(const hsi_timeline *line, double arrival, double time);

/* Puts it there; next[] leads from each task to the one behind it. HS_ENOMEM. */
hs_status hsi_timeline_put(hsi_timeline *line, hsi_slot_found slot, double end, uint32_t task,
                           uint32_t *next);

/* Behind everything; what is idle before it is forgotten. */
void hsi_timeline_append(hsi_timeline *line, double end, uint32_t task, uint32_t *next);

#endif
