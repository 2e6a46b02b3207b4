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

hs_status hsi_results_open_journal(hsi_results *results, const hsi_work *work, char why[HS_WHY])
{
    const hs_exec_settings *s = &work->settings;
    uint64_t                digest;

    if (!s->journal)
        return HS_OK;
    results->skip = calloc(hs_instance_tasks(work->in) + 1, 1);
    if (!results->skip)
        return HS_ENOMEM;
    digest = hsi_journal_digest(work->in, work->plan);
    if (s->look_only)
        return hsi_journal_look(s->journal, work->in, digest, s->resume, results->skip,
                                &results->resumed, why);
    return hsi_journal_open(s->journal, work->in, digest, s->resume, results->skip,
                            &results->resumed, &results->journal, why);
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
    free(results->state);
    free(results->attempts);
    free(results->failures);
    free(results->skip);
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
