/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Is this a schedule of that instance? Written against the public interface
 * alone, and knowing nothing of how schedules are made: that is its worth.
 */
#include <math.h>
#include <stdlib.h>

#include <hybridsched/schedule.h>

const char *hs_violation_text(hs_violation_kind kind)
{
    switch (kind) {
    case HS_VALID:
        return "valid";
    case HS_WORKERS_DIFFER:
        return "the schedule is for other numbers of workers";
    case HS_UNKNOWN_TASK:
        return "the task is not in the instance";
    case HS_NOT_FINITE:
        return "a time is not a finite number >= 0";
    case HS_CANNOT_RUN:
        return "the task cannot run on this type of worker";
    case HS_WRONG_END:
        return "the end is not the start plus the task's time";
    case HS_ABORTED_TOO_LATE:
        return "an aborted execution lasts longer than the task would";
    case HS_OVERLAP:
        return "the execution starts before the worker's previous one ends";
    case HS_RUN_TWICE:
        return "the task is run to its end twice";
    case HS_NEVER_RUN:
        return "the task is never run to its end";
    case HS_RUN_BEFORE_ABORT:
        return "the task is run before an aborted execution of it ends";
    }
    return "unknown violation";
}

/* What is known of each task so far. */
typedef struct seen_task {
    double run_start;  /* -1: not run */
    double abort_end;  /* latest; -1: never aborted */
} seen_task;

static int broken(hs_violation *v, hs_violation_kind kind, double expected, double found)
{
    v->kind = kind;
    v->expected = expected;
    v->found = found;
    return 1;
}

static int check_times(const hs_entry *entry, double time, hs_violation *v)
{
    double end = entry->start + time;

    if (!(entry->start >= 0) || isinf(entry->start))
        return broken(v, HS_NOT_FINITE, 0, entry->start);
    if (!(entry->end >= entry->start) || isinf(entry->end))
        return broken(v, HS_NOT_FINITE, entry->start, entry->end);
    if (isinf(time))
        return broken(v, HS_CANNOT_RUN, 0, 0);
    if (entry->state == HS_RUN && entry->end != end)
        return broken(v, HS_WRONG_END, end, entry->end);
    if (entry->state == HS_ABORTED && entry->end > end)
        return broken(v, HS_ABORTED_TOO_LATE, end, entry->end);
    return 0;
}

static int remember(const hs_entry *entry, seen_task *seen, hs_violation *v)
{
    if (entry->state == HS_ABORTED) {
        if (entry->end > seen->abort_end)
            seen->abort_end = entry->end;
        return 0;
    }
    if (seen->run_start >= 0)
        return broken(v, HS_RUN_TWICE, seen->run_start, entry->start);
    seen->run_start = entry->start;
    return 0;
}

static int check_worker(const hs_instance *in, const hs_schedule *s, unsigned worker,
                        seen_task *seen, hs_violation *v)
{
    hs_type         type = worker < hs_schedule_cpus(s) ? HS_CPU : HS_GPU;
    size_t          count, i;
    const hs_entry *entries = hs_schedule_entries(s, worker, &count);
    double          free_at = 0;

    v->worker = worker;
    for (i = 0; i < count; i++) {
        const hs_entry *entry = &entries[i];

        v->entry = i;
        v->task = entry->task;
        if (entry->task >= hs_instance_tasks(in))
            return broken(v, HS_UNKNOWN_TASK, 0, 0);
        if (check_times(entry, hs_instance_time(in, entry->task, type), v))
            return 1;
        if (entry->start < free_at)
            return broken(v, HS_OVERLAP, free_at, entry->start);
        if (remember(entry, &seen[entry->task], v))
            return 1;
        free_at = entry->end;
    }
    return 0;
}

static int check_tasks(size_t tasks, const seen_task *seen, hs_violation *v)
{
    size_t i;

    v->worker = 0;
    v->entry = 0;
    for (i = 0; i < tasks; i++) {
        v->task = i;
        if (seen[i].run_start < 0)
            return broken(v, HS_NEVER_RUN, 0, 0);
        if (seen[i].abort_end > seen[i].run_start)
            return broken(v, HS_RUN_BEFORE_ABORT, seen[i].abort_end, seen[i].run_start);
    }
    return 0;
}

hs_status hs_schedule_check(const hs_instance *in, const hs_schedule *s, hs_violation *first)
{
    hs_violation local = {HS_VALID, 0, 0, 0, 0, 0};
    size_t       tasks, i;
    seen_task   *seen;
    unsigned     w;
    int          found = 0;

    if (!in || !s)
        return HS_EINVAL;
    if (hs_schedule_cpus(s) != hs_instance_cpus(in) ||
        hs_schedule_gpus(s) != hs_instance_gpus(in)) {
        local.kind = HS_WORKERS_DIFFER;
        if (first)
            *first = local;
        return HS_ESCHEDULE;
    }
    tasks = hs_instance_tasks(in);
    seen = malloc((tasks ? tasks : 1) * sizeof *seen);
    if (!seen)
        return HS_ENOMEM;
    for (i = 0; i < tasks; i++)
        seen[i].run_start = seen[i].abort_end = -1;
    for (w = 0; w < hs_schedule_cpus(s) + hs_schedule_gpus(s) && !found; w++)
        found = check_worker(in, s, w, seen, &local);
    if (!found)
        found = check_tasks(tasks, seen, &local);
    free(seen);
    if (first)
        *first = local;
    return found ? HS_ESCHEDULE : HS_OK;
}
