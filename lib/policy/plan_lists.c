/* SPDX-License-Identifier: BSD-3-Clause */
#include "policy/plan_lists.h"

#include <math.h>
#include <stdlib.h>

/* Append the tasks of one worker; *count is the number of tasks copied so far. */
static hs_status copy_list(hsi_plan_lists *lists, const hsi_problem *pb, const hs_schedule *plan,
                           unsigned worker, size_t *count)
{
    const double   *time = worker < pb->m ? pb->p : pb->q;
    size_t          entries, i;
    const hs_entry *entry = hs_schedule_entries(plan, worker, &entries);

    lists->of[worker].next = lists->tasks + *count;
    for (i = 0; i < entries; i++) {
        uint32_t task = entry[i].task;

        if (hsi_poll_after_work(pb->token, 1))
            return HS_ECANCELED;
        if (entry[i].state != HS_RUN)
            continue;
        if (task >= pb->n || lists->place[task] != HS_NONE || isinf(time[task]))
            return HS_ESCHEDULE;
        lists->place[task] = (uint32_t)*count;
        lists->tasks[(*count)++] = task;
    }
    lists->of[worker].end = lists->tasks + *count;
    return HS_OK;
}

hs_status hsi_plan_lists_open(hsi_plan_lists *lists, const hsi_problem *pb, const hs_schedule *plan)
{
    size_t    size = pb->n ? pb->n : 1, count = 0, i;
    hs_status st;
    unsigned  w;

    *lists = (hsi_plan_lists){.workers = pb->m + pb->k};
    lists->of = aligned_alloc(sizeof *lists->of, lists->workers * sizeof *lists->of);
    lists->tasks = malloc(size * sizeof *lists->tasks);
    lists->place = malloc(size * sizeof *lists->place);
    st = lists->of && lists->tasks && lists->place ? HS_OK : HS_ENOMEM;
    for (i = 0; i < pb->n && st == HS_OK && !hsi_poll_at_iteration(pb->token, i); i++)
        lists->place[i] = HS_NONE;
    for (w = 0; w < lists->workers && st == HS_OK; w++)
        st = copy_list(lists, pb, plan, w, &count);
    if (st == HS_OK && count != pb->n)
        st = HS_ESCHEDULE;
    if (st != HS_OK)
        hsi_plan_lists_close(lists);
    return st;
}

void hsi_plan_lists_close(hsi_plan_lists *lists)
{
    free(lists->of);
    free(lists->tasks);
    free(lists->place);
    *lists = (hsi_plan_lists){0};
}

void hsi_plan_list_compact(hsi_plan_list *list)
{
    uint32_t *from, *to = list->next;

    for (from = to; from != list->end; from++)
        if (*from != HS_NONE)
            *to++ = *from;
    list->end = to;
}
