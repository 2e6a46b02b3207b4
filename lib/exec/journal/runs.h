/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_JOURNAL_RUNS_H
#define HSI_EXEC_JOURNAL_RUNS_H

#include <stddef.h>
#include <stdint.h>

#include <hybridsched/status.h>

/*
 * The runs that several journals record, and their order. Runs of one journal are in the order of
 * the file, whatever the clock said; runs of different journals are in the order of their starts.
 */

/* The lines of one run in a journal: from `begin`, the line "run", to `end`. */
typedef struct hsi_journal_run {
    const char *path, *text;
    size_t      begin, end;
    uint64_t    line;    /* number of the first line, from 1 */
    size_t      journal; /* index of the journal; 0: the one to be written */
    uint64_t    date;    /* start of the run, see hsi_journal_run_date() */
    uint64_t    rank;    /* the latest date of this run and of earlier runs of its journal */
    size_t      order;   /* position in the order of reading */
} hsi_journal_run;

typedef struct hsi_journal_runs {
    hsi_journal_run *of; /* freed by the owner of the list */
    size_t           count, room;
} hsi_journal_runs;

/*
 * Return the start of a run as a number: the digits of its line "run 2026-01-31T12:00:00.123Z", up to
 * the milliseconds, which earlier versions did not write.
 */
uint64_t hsi_journal_run_date(const char *line, size_t length);

/* Return such a date in seconds since 1970. */
double hsi_journal_run_seconds(uint64_t date);

/* Append a run whose `rank` and `order` are not set. The runs of a journal are appended one after the
 * other. Return HS_OK or HS_ENOMEM. */
hs_status hsi_journal_runs_add(hsi_journal_runs *runs, const hsi_journal_run *run);

/* Sort the runs. */
void hsi_journal_runs_sort(hsi_journal_runs *runs);

#endif
