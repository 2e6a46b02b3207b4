/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/log.h"

#include <stdlib.h>

#include "core/schedule_impl.h"

hs_status hsi_log_open(hsi_log *log, const hsi_problem *pb, size_t aborts)
{
    size_t capacity = pb->n + 2 * aborts + 1; /* an abort, and the task once more */

    log->size = log->aborts = 0;
    log->task = malloc(capacity * sizeof *log->task);
    log->worker = malloc(capacity * sizeof *log->worker);
    log->end = malloc(capacity * sizeof *log->end);
    if (log->task && log->worker && log->end)
        return HS_OK;
    hsi_log_close(log);
    return HS_ENOMEM;
}

void hsi_log_close(hsi_log *log)
{
    free(log->task);
    free(log->worker);
    free(log->end);
    log->task = log->worker = NULL;
    log->end = NULL;
}

static void place(const hsi_log *log, hs_schedule *s, double *free_at, size_t *next)
{
    size_t i;

    for (i = 0; i < log->size; i++) {
        uint32_t  worker = log->worker[i] & ~HSI_ABORT;
        hs_entry *entry;

        if (log->worker[i] & HSI_ABORT) {
            entry = &s->entries[next[worker] - 1];
            entry->state = HS_ABORTED;
        } else {
            entry = &s->entries[next[worker]++];
            entry->start = free_at[worker];
            entry->task = log->task[i];
            entry->state = HS_RUN;
        }
        entry->end = free_at[worker] = log->end[i];
    }
}

hs_status hsi_log_schedule(const hsi_log *log, const hsi_problem *pb, hs_schedule **out)
{
    unsigned     workers = pb->m + pb->k, w;
    hs_schedule *s = NULL;
    double      *free_at = calloc(workers, sizeof *free_at);
    size_t      *next = malloc(workers * sizeof *next);
    hs_status    st = free_at && next ? HS_OK : HS_ENOMEM;
    size_t       i;

    if (st == HS_OK)
        st = hsi_schedule_create(pb->m, pb->k, log->size - log->aborts, &s);
    if (st != HS_OK)
        goto out;
    for (i = 0; i < log->size; i++)
        if (!(log->worker[i] & HSI_ABORT))
            s->first[log->worker[i] + 1]++;
    hsi_schedule_sum_counts(s);
    for (w = 0; w < workers; w++)
        next[w] = s->first[w];
    place(log, s, free_at, next);
    for (w = 0; w < workers; w++)
        if (free_at[w] > s->makespan)
            s->makespan = free_at[w];
    *out = s;
out:
    free(next);
    free(free_at);
    return st;
}
