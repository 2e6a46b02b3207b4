/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_POLICY_PLAN_LISTS_H
#define HSI_POLICY_PLAN_LISTS_H

#include <hybridsched/schedule.h>

#include "core/problem.h"

/* The rest of one worker's list of a plan. Aligned to a cache line, because only the worker's
 * thread updates the list. */
typedef struct hsi_plan_list {
    uint32_t *next, *end; /* first task of the remaining list, and its end. A removed task leaves
                             HS_NONE in its place. */
} __attribute__((aligned(64))) hsi_plan_list;

/* The tasks of each worker by a plan, in order. */
typedef struct hsi_plan_lists {
    hsi_plan_list *of; /* indexed by worker */
    unsigned       workers;
    uint32_t      *tasks; /* the lists, concatenated in worker order */
    uint32_t      *place; /* indexed by task: index in `tasks` */
} hsi_plan_lists;

/* Copy the tasks of `plan`, without its aborted entries. HS_ESCHEDULE: `plan` does not run each
 * task exactly once, on a type with a finite time. */
hs_status hsi_plan_lists_open(hsi_plan_lists *lists, const hsi_problem *pb,
                              const hs_schedule *plan);
void      hsi_plan_lists_close(hsi_plan_lists *lists);

/* Remove a task from its list. Call only before the list is compacted. */
static inline void hsi_plan_lists_remove(hsi_plan_lists *lists, uint32_t task)
{
    lists->tasks[lists->place[task]] = HS_NONE;
}

/* Remove skipped tasks from a list. O(its tasks). */
void hsi_plan_list_compact(hsi_plan_list *list);

/* Return true and the next task of the list, without removing it; false: the list is empty. */
static inline bool hsi_plan_list_peek(hsi_plan_list *list, uint32_t *task)
{
    while (list->next != list->end && *list->next == HS_NONE)
        list->next++;
    if (list->next == list->end)
        return false;
    *task = *list->next;
    return true;
}

/* Return true and the next task, and remove it from the list; false: the list is empty. */
static inline bool hsi_plan_list_take(hsi_plan_list *list, uint32_t *task)
{
    while (list->next != list->end) {
        uint32_t found = *list->next++;

        if (found != HS_NONE) {
            *task = found;
            return true;
        }
    }
    return false;
}

#endif
