/* SPDX-License-Identifier: BSD-3-Clause */
#include "certify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct ledger {
    const sample *s;
    double       *run_at;       /* start of the task's run; NaN: not run yet */
    double       *aborted_till; /* latest end of an aborted entry of the task; 0: none */
    double        last;         /* latest end of an entry of any worker */
} ledger;

static const char *book_entry(ledger *l, const hs_entry *entry, double time, double free_at)
{
    double end = entry->start + time;

    if (isinf(time))
        return "a task runs where it has no implementation";
    if (!(entry->start >= free_at))
        return "two entries of a worker overlap";
    if (!(entry->end >= entry->start) || isinf(entry->end))
        return "an entry ends before it starts, or never";
    if (entry->end > l->last)
        l->last = entry->end;
    if (entry->state == HS_ABORTED) {
        if (entry->end > end)
            return "an aborted entry is longer than its task";
        if (entry->end > l->aborted_till[entry->task])
            l->aborted_till[entry->task] = entry->end;
        return NULL;
    }
    if (entry->state != HS_RUN)
        return "an entry has no state";
    if (entry->end != end)
        return "a run has the wrong end";
    if (!isnan(l->run_at[entry->task]))
        return "a task is run twice";
    l->run_at[entry->task] = entry->start;
    return NULL;
}

static const char *book_worker(ledger *l, const hs_schedule *plan, unsigned worker, exact *load)
{
    const sample   *s = l->s;
    const double   *time = worker < s->m ? s->p : s->q;
    size_t          count, i;
    const hs_entry *entries = hs_schedule_entries(plan, worker, &count);
    double          free_at = 0;

    memset(load, 0, sizeof *load);
    for (i = 0; i < count; i++) {
        const char *wrong;

        if (entries[i].task >= s->n)
            return "a task is unknown";
        wrong = book_entry(l, &entries[i], time[entries[i].task], free_at);
        if (wrong)
            return wrong;
        free_at = entries[i].end;
        if (entries[i].state == HS_RUN)
            exact_add(load, time[entries[i].task]);
    }
    return NULL;
}

static const char *book_all(ledger *l, const hs_schedule *plan, exact *span)
{
    const sample *s = l->s;
    exact         load;
    unsigned      w;
    size_t        i;

    for (w = 0; w < s->m + s->k; w++) {
        const char *wrong;
        size_t      entries;

        hs_schedule_entries(plan, w, &entries);
        if (entries == 0)
            continue;
        wrong = book_worker(l, plan, w, &load);
        if (wrong)
            return wrong;
        if (exact_compare(&load, span) > 0)
            *span = load;
    }
    for (i = 0; i < s->n; i++) {
        if (isnan(l->run_at[i]))
            return "a task is not run";
        if (l->run_at[i] < l->aborted_till[i])
            return "a task is run before it is aborted";
    }
    return l->last == hs_schedule_makespan(plan) ? NULL : "the makespan is not the last end";
}

const char *certify(const sample *s, const hs_schedule *plan, exact *span)
{
    ledger      l = {.s = s};
    const char *wrong = "no memory";
    size_t      i;

    memset(span, 0, sizeof *span);
    if (hs_schedule_cpus(plan) != s->m || hs_schedule_gpus(plan) != s->k)
        return "the plan is for other workers";
    l.run_at = malloc((s->n + 1) * sizeof *l.run_at);
    l.aborted_till = calloc(s->n + 1, sizeof *l.aborted_till);
    if (l.run_at && l.aborted_till) {
        for (i = 0; i < s->n; i++)
            l.run_at[i] = NAN;
        wrong = book_all(&l, plan, span);
    }
    free(l.aborted_till);
    free(l.run_at);
    return wrong;
}
