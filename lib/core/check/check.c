/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Check a schedule against an instance. Uses only the public interface and shares no code with the
 * schedulers, to be an independent check.
 */
#include <math.h>
#include <stdlib.h>

#include "core/check/dependencies.h"
#include "core/check/violation.h"
#include "core/instance_store.h"
#include "core/error.h"
#include "support/sized.h"

/* An aborted execution. */
typedef struct attempt {
    double   start, end;
    size_t   task, entry;
    unsigned worker;
} attempt;

/*
 * The check has two passes. First each worker's entries are checked in order, alone and against the
 * previous entry; this pass records the run and the aborted executions of each task. Then the
 * records of each task are checked.
 */
typedef struct check {
    const hs_instance *in;
    const hs_schedule *s;
    const double      *available; /* times from which workers are available, by worker; NULL: all
                                     0 */
    const unsigned char *skip;    /* tasks done before the start; NULL: none */
    const uint32_t      *skip_worker; /* by task: worker that ran a skipped task; NULL: unknown */
    double              *run_start;   /* start of each task's run, by task; -1: not run */
    attempt             *aborted;
    size_t               aborts;
    hs_violation         v;
} check;

static bool set_violation(hs_violation *v, hs_violation_kind kind, double expected, double found)
{
    v->kind = kind;
    v->expected = expected;
    v->found = found;
    return true;
}

static bool check_times(const hs_entry *entry, double time, hs_violation *v)
{
    double end = entry->start + time;

    if (!(entry->start >= 0) || isinf(entry->start))
        return set_violation(v, HS_NOT_FINITE, 0, entry->start);
    if (!(entry->end >= entry->start) || isinf(entry->end))
        return set_violation(v, HS_NOT_FINITE, entry->start, entry->end);
    if (isinf(time))
        return set_violation(v, HS_CANNOT_RUN, 0, 0);
    if (entry->state == HS_RUN && entry->end != end)
        return set_violation(v, HS_WRONG_END, end, entry->end);
    if (entry->state == HS_ABORTED && entry->end > end)
        return set_violation(v, HS_ABORTED_TOO_LATE, end, entry->end);
    return false;
}

static bool record_entry(check *c, const hs_entry *entry)
{
    double *run_start = &c->run_start[entry->task];

    if (entry->state == HS_ABORTED) {
        c->aborted[c->aborts++] =
            (attempt){entry->start, entry->end, entry->task, c->v.entry, c->v.worker};
        return false;
    }
    if (*run_start >= 0)
        return set_violation(&c->v, HS_RUN_TWICE, *run_start, entry->start);
    *run_start = entry->start;
    return false;
}

static bool check_worker(check *c, unsigned worker)
{
    hs_type         type = worker < hs_schedule_cpus(c->s) ? HS_CPU : HS_GPU;
    size_t          count, i;
    const hs_entry *entries = hs_schedule_entries(c->s, worker, &count);
    double          free_at = 0;

    c->v.worker = worker;
    for (i = 0; i < count; i++) {
        const hs_entry *entry = &entries[i];

        c->v.entry = i;
        c->v.task = entry->task;
        if (entry->task >= hs_instance_tasks(c->in))
            return set_violation(&c->v, HS_UNKNOWN_TASK, 0, 0);
        if (c->skip && c->skip[entry->task])
            return set_violation(&c->v, HS_RUN_AGAIN, 0, entry->start);
        if (check_times(entry, hs_instance_time(c->in, entry->task, type), &c->v))
            return true;
        if (c->available && entry->start < c->available[worker])
            return set_violation(&c->v, HS_NOT_AVAILABLE, c->available[worker], entry->start);
        if (entry->start < free_at)
            return set_violation(&c->v, HS_OVERLAP, free_at, entry->start);
        if (record_entry(c, entry))
            return true;
        free_at = entry->end;
    }
    return false;
}

static int by_task_and_time(const void *a, const void *b)
{
    const attempt *x = a, *y = b;

    if (x->task != y->task)
        return x->task < y->task ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

/*
 * Check that each task has a run, and that its aborted executions precede the run without overlap.
 */
static bool check_tasks(check *c)
{
    size_t tasks = hs_instance_tasks(c->in), i;

    c->v.worker = 0;
    c->v.entry = 0;
    for (c->v.task = 0; c->v.task < tasks; c->v.task++)
        if (c->run_start[c->v.task] < 0 && !(c->skip && c->skip[c->v.task]))
            return set_violation(&c->v, HS_NEVER_RUN, 0, 0);
    if (c->aborts > 0)
        qsort(c->aborted, c->aborts, sizeof *c->aborted, by_task_and_time);
    for (i = 0; i < c->aborts; i++) {
        const attempt *a = &c->aborted[i];

        c->v.task = a->task;
        if (a->end > c->run_start[a->task])
            return set_violation(&c->v, HS_RUN_BEFORE_ABORT, a->end, c->run_start[a->task]);
        if (i == 0 || a[-1].task != a->task || a->start >= a[-1].end)
            continue;
        c->v.worker = a->worker;
        c->v.entry = a->entry;
        return set_violation(&c->v, HS_TASK_OVERLAP, a[-1].end, a->start);
    }
    return false;
}

static bool check_all(check *c)
{
    unsigned workers = hs_schedule_cpus(c->s) + hs_schedule_gpus(c->s), w;

    if (hs_schedule_cpus(c->s) != hs_instance_cpus(c->in) ||
        hs_schedule_gpus(c->s) != hs_instance_gpus(c->in))
        return set_violation(&c->v, HS_WORKERS_DIFFER, 0, 0);
    for (w = 0; w < workers; w++)
        if (check_worker(c, w))
            return true;
    return check_tasks(c);
}

/* Check the schedule; after HS_ESCHEDULE c->v has the first violation. */
static hs_status run_check(check *c)
{
    hs_status st = hsi_require_known_times(c->in);

    if (st != HS_OK)
        return st;
    st = HS_ENOMEM;
    c->run_start = malloc((hs_instance_tasks(c->in) + 1) * sizeof *c->run_start);
    /* an upper limit; untouched pages cost nothing */
    c->aborted = malloc((hs_schedule_entry_count(c->s) + 1) * sizeof *c->aborted);
    if (c->run_start && c->aborted) {
        for (size_t i = 0; i < hs_instance_tasks(c->in); i++)
            c->run_start[i] = -1;
        st = check_all(c) ? HS_ESCHEDULE : HS_OK;
        if (st == HS_OK && hs_instance_has_graph(c->in))
            st = hsi_check_dependencies(c->in, c->s, c->skip, c->skip_worker, &c->v);
        if (st == HS_OK)
            c->v = (hs_violation){.kind = HS_VALID};
    }
    free(c->run_start);
    free(c->aborted);
    return st;
}

hs_status hs_schedule_check_rest(const hs_instance *in, const hs_schedule *s,
                                 const double *available, const unsigned char *skip,
                                 const uint32_t *skip_worker, hs_error *error)
{
    check     c = {.in = in,
                   .s = s,
                   .available = available,
                   .skip = skip,
                   .skip_worker = skip ? skip_worker : NULL};
    hs_status st;

    if (!in || !s)
        return hsi_error_set(error, HS_EINVAL, "no instance, or no schedule");
    st = run_check(&c);
    if (st == HS_ESCHEDULE)
        return hsi_violation_describe(in, s, &c.v, error);
    return st == HS_OK ? st : hsi_error_set(error, st, "%s", hs_status_text(st));
}

hs_status hs_schedule_check_available(const hs_instance *in, const hs_schedule *s,
                                      const double *available, hs_error *error)
{
    return hs_schedule_check_rest(in, s, available, NULL, NULL, error);
}

hs_status hs_schedule_check(const hs_instance *in, const hs_schedule *s, hs_error *error)
{
    return hs_schedule_check_available(in, s, NULL, error);
}

hs_status hs_schedule_find_violation(const hs_instance *in, const hs_schedule *s,
                                     const double *available, const unsigned char *skip,
                                     const uint32_t *skip_worker, hs_violation *violation)
{
    check     c = {.in = in,
                   .s = s,
                   .available = available,
                   .skip = skip,
                   .skip_worker = skip ? skip_worker : NULL};
    hs_status st;

    if (!in || !s || !violation)
        return HS_EINVAL;
    st = run_check(&c);
    if (st == HS_OK || st == HS_ESCHEDULE)
        hsi_sized_copy_out(violation, &c.v, sizeof c.v);
    return st;
}

void hs_violation_init_sized(hs_violation *violation, size_t size)
{
    static const hs_violation valid = {.kind = HS_VALID};

    hsi_sized_init(violation, size, &valid, sizeof valid);
}
