/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/run/results.h"

#include <stdlib.h>
#include <string.h>

hs_status hsi_results_open(hsi_results *results, const hsi_work *work)
{
    size_t n = hs_instance_tasks(work->in);

    results->state = calloc(n + 1, sizeof *results->state);
    results->attempts = calloc(n + 1, sizeof *results->attempts);
    results->failures = calloc(n + 1, sizeof *results->failures);
    return results->state && results->attempts && results->failures ? HS_OK : HS_ENOMEM;
}

static void count_left_out(hsi_results *results, const hsi_work *work)
{
    size_t n = hs_instance_tasks(work->in), i;

    for (i = 0; i < n; i++)
        results->left_out += (uint64_t)hsi_is_left_out(results, work, (uint32_t)i);
}

hs_status hsi_results_open_journal(hsi_results *results, const hsi_work *work, char why[HS_WHY])
{
    const hs_exec_settings *s = &work->settings;
    hsi_journal_past       *past = &results->past;
    int                     resume = s->resume != HS_RESUME_NOT;
    hs_status               st;

    if (!s->journal)
        return HS_OK;
    past->state = calloc(hs_instance_tasks(work->in) + 1, 1);
    if (!past->state)
        return HS_ENOMEM;
    past->attempts = results->attempts;
    past->stand_ins = s->emulate[HS_CPU] || s->emulate[HS_GPU];
    if (s->look_only)
        st = hsi_journal_look(s->journal, work->in, resume, past, why);
    else
        st = hsi_journal_open(s->journal, work->in, resume, past, &results->journal, why);
    if (st == HS_OK)
        count_left_out(results, work);
    return st;
}

void hsi_results_close(hsi_results *results)
{
    size_t i;

    hsi_journal_close(results->journal, &(uint64_t){0}, (char[HS_WHY]){0});
    for (i = 0; i < results->failure_count; i++) {
        free(results->failure[i].why);
        free(results->failure[i].log);
    }
    free(results->failure);
    free(results->retries.list);
    free(results->state);
    free(results->attempts);
    free(results->failures);
    free(results->past.state);
}

/* In the worker's thread: so the memory is near it, and no page is missing later. */
int hsi_records_prepare(hsi_records *records)
{
    records->list = malloc(records->capacity * sizeof *records->list);
    if (!records->list)
        return 0;
    memset(records->list, 0, records->capacity * sizeof *records->list);
    return 1;
}

int hsi_records_room(hsi_records *records)
{
    hs_exec_record *more;

    if (records->count < records->capacity)
        return 1;
    more = realloc(records->list, 2 * records->capacity * sizeof *more);
    if (!more)
        return 0;
    records->list = more;
    records->capacity *= 2;
    return 1;
}
