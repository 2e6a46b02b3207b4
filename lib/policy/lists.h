/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_POLICY_LISTS_H
#define HSI_POLICY_LISTS_H

#include <hybridsched/schedule.h>

#include "core/problem.h"

#define HSI_SKIPPED UINT32_MAX

/* What is left of one worker's list; on a cache line of its own, for its thread's use. */
typedef struct hsi_list {
    uint32_t *next, *end;
} __attribute__((aligned(64))) hsi_list;

/* What each worker runs by a plan, in order. */
typedef struct hsi_lists {
    hsi_list *of; /* a worker */
    unsigned  workers;
    uint32_t *tasks; /* worker by worker */
    uint32_t *place; /* of each task in `tasks` */
} hsi_lists;

/* HS_ESCHEDULE: `plan` does not run each task once, where `pb` says it can be run. */
hs_status hsi_lists_open(hsi_lists *lists, const hsi_problem *pb, const hs_schedule *plan);
void      hsi_lists_close(hsi_lists *lists);

/* To be passed over. As long as its list was not compacted. */
static inline void hsi_lists_skip(hsi_lists *lists, uint32_t task)
{
    lists->tasks[lists->place[task]] = HSI_SKIPPED;
}

/* Takes what is skipped out of a list. O(its tasks). */
void hsi_list_compact(hsi_list *list);

/* 1 and the next task, which stays, or 0. */
static inline int hsi_list_peek(hsi_list *list, uint32_t *task)
{
    while (list->next != list->end && *list->next == HSI_SKIPPED)
        list->next++;
    if (list->next == list->end)
        return 0;
    *task = *list->next;
    return 1;
}

/* 1 and the next task, or 0. */
static inline int hsi_list_next(hsi_list *list, uint32_t *task)
{
    while (list->next != list->end) {
        uint32_t found = *list->next++;

        if (found != HSI_SKIPPED) {
            *task = found;
            return 1;
        }
    }
    return 0;
}

#endif
