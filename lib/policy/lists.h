/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_POLICY_LISTS_H
#define HSI_POLICY_LISTS_H

#include <hybridsched/schedule.h>

#include "core/problem.h"

#define HSI_SKIPPED UINT32_MAX

/* The rest of one worker's list. Aligned to a cache line, since the worker's thread updates it
 * alone. */
typedef struct hsi_task_list {
    uint32_t *next, *end;
} __attribute__((aligned(64))) hsi_task_list;

/* The tasks of each worker by a plan, in order. */
typedef struct hsi_lists {
    hsi_task_list *of; /* indexed by worker */
    unsigned       workers;
    uint32_t      *tasks; /* the lists, concatenated in worker order */
    uint32_t      *place; /* indexed by task: index in `tasks` */
} hsi_lists;

/* Copy the tasks of `plan`, without its aborted entries. HS_ESCHEDULE: `plan` does not run each
 * task exactly once, on a type with a finite time. */
hs_status hsi_lists_open(hsi_lists *lists, const hsi_problem *pb, const hs_schedule *plan);
void      hsi_lists_close(hsi_lists *lists);

/* Make the list pass over a task. Call only before the list is compacted. */
static inline void hsi_lists_skip(hsi_lists *lists, uint32_t task)
{
    lists->tasks[lists->place[task]] = HSI_SKIPPED;
}

/* Remove skipped tasks from a list. O(its tasks). */
void hsi_task_list_compact(hsi_task_list *list);

/* Return 1 and the next task, which stays in the list; 0: the list is empty. */
static inline int hsi_task_list_peek(hsi_task_list *list, uint32_t *task)
{
    while (list->next != list->end && *list->next == HSI_SKIPPED)
        list->next++;
    if (list->next == list->end)
        return 0;
    *task = *list->next;
    return 1;
}

/* Return 1 and the next task, and remove it from the list; 0: the list is empty. */
static inline int hsi_task_list_next(hsi_task_list *list, uint32_t *task)
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
