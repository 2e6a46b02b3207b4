/* SPDX-License-Identifier: BSD-3-Clause */

/* The order of the runs that several journals record. */

#include "exec/journal/runs.h"

#include <stdlib.h>
#include <time.h>

enum { DIGITS = 17 }; /* of a date with milliseconds */

uint64_t hsi_journal_run_date(const char *line, size_t length)
{
    uint64_t date = 0;
    int      digits = 0;

    for (size_t i = 4; i < length && line[i] != ' ' && digits < DIGITS; i++)
        if (line[i] >= '0' && line[i] <= '9') {
            date = date * 10 + (uint64_t)(line[i] - '0');
            digits++;
        }
    for (; digits < DIGITS; digits++)
        date *= 10;
    return date;
}

double hsi_journal_run_seconds(uint64_t date)
{
    uint64_t  whole = date / 1000;
    struct tm utc = {.tm_sec = (int)(whole % 100),
                     .tm_min = (int)(whole / 100 % 100),
                     .tm_hour = (int)(whole / 10000 % 100),
                     .tm_mday = (int)(whole / 1000000 % 100),
                     .tm_mon = (int)(whole / 100000000 % 100) - 1,
                     .tm_year = (int)(whole / 10000000000) - 1900};

    return (double)timegm(&utc) + (double)(date % 1000) / 1000;
}

hs_status hsi_journal_runs_add(hsi_journal_runs *runs, const hsi_journal_run *run)
{
    const hsi_journal_run *last;
    hsi_journal_run       *own;

    if (runs->count == runs->room) {
        size_t           room = runs->room ? 2 * runs->room : 16;
        hsi_journal_run *more = realloc(runs->of, room * sizeof *more);

        if (!more)
            return HS_ENOMEM;
        runs->of = more;
        runs->room = room;
    }
    own = &runs->of[runs->count];
    *own = *run;
    own->order = runs->count;
    own->rank = run->date;
    last = runs->count > 0 ? own - 1 : NULL;
    if (last && last->journal == own->journal && last->rank > own->rank)
        own->rank = last->rank; /* the clock was set back */
    runs->count++;
    return HS_OK;
}

static int by_rank(const void *a, const void *b)
{
    const hsi_journal_run *x = a, *y = b;

    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

void hsi_journal_runs_sort(hsi_journal_runs *runs)
{
    if (runs->count > 1)
        qsort(runs->of, runs->count, sizeof *runs->of, by_rank);
}
