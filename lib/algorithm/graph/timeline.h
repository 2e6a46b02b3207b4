/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_ALGORITHM_GRAPH_TIMELINE_H
#define HSI_ALGORITHM_GRAPH_TIMELINE_H

#include <hybridsched/status.h>

#include "support/vector.h"

#include <stdint.h>

/*
 * The plan of one worker: its end, and the idle gaps before its last task.
 *
 * Gaps are in order, so that their begins and ends increase. Gaps shorter than the shortest task on
 * this type are dropped. A search starts by bisection at the first gap that ends late enough and
 * continues until one is long enough: O(log gaps) plus the gaps that are too short, mostly few.
 */
typedef struct hsi_idle_gap {
    double   begin, end;
    uint32_t before; /* task that ends at `begin`, or HS_NONE */
} hsi_idle_gap;

typedef struct hsi_timeline {
    hsi_vector gaps; /* hsi_idle_gap each */
    double     end;  /* end of the last task */
    uint32_t   last; /* last task; HS_NONE: none */
    uint32_t   first;
    double     shortest; /* shortest time of all tasks on the worker's type */
} hsi_timeline;

/* The position found for a task: a gap, or the end of the plan. */
typedef struct hsi_slot_found {
    double start;
    size_t gap; /* SIZE_MAX: after the last task */
} hsi_slot_found;

/* Return the earliest position, starting at or after `arrival`, in which a task of length `length`
 * fits. A task whose length is lost in rounding takes no gap that ends at its start: the task after the
 * gap may be a predecessor that ends at this time, too. */
hsi_slot_found hsi_timeline_find(const hsi_timeline *line, double arrival, double length);

/* Place a task at a found position; next[] links the tasks of the worker in order. HS_ENOMEM. */
hs_status hsi_timeline_put(hsi_timeline *line, hsi_slot_found slot, double end, uint32_t task,
                           uint32_t *next);

/* Place a task after the last one; idle time before it is not recorded as a gap. */
void hsi_timeline_append(hsi_timeline *line, double end, uint32_t task, uint32_t *next);

#endif
