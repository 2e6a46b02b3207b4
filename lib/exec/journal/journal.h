/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_JOURNAL_JOURNAL_H
#define HSI_EXEC_JOURNAL_JOURNAL_H

#include <hybridsched/backend.h>

/*
 * What is done, on disk: an append-only file of lines with a checksum each. A task
 * counts as done when its record has been synced; at most 10 ms or HSI_JOURNAL_LAG
 * records are behind.
 */
typedef struct hsi_journal hsi_journal;

#define HSI_JOURNAL_LAG 256

typedef struct hsi_journal_record {
    uint32_t task;
    unsigned worker;
    unsigned number;     /* of the attempt */
    double   start, end; /* seconds from the start of its run */
} hsi_journal_record;

/* Tells one plan of one instance from others, whatever the order of its rows; `plan` may be
 * NULL. */
uint64_t hsi_journal_digest(const hs_instance *in, const hs_schedule *plan);

/*
 * Open or make the journal of a plan of `in`, which must outlive it. Without `resume` it must
 * not exist or be empty; with it, it must be one of this plan (its digest says so) unless there
 * is none yet, and done[task] is set to 1 for each task it has on record, *count of them. What a
 * crash left unfinished at its end is cut off, with a note in `why` ("" if there is none) and
 * HS_OK; damage to what was once on disk, another plan's journal, or one that another process
 * has open is refused: HS_EINVAL. HS_EIO, HS_ENOMEM. `why` then says what to do, and done[]
 * means nothing.
 */
hs_status hsi_journal_open(const char *path, const hs_instance *in, uint64_t digest, int resume,
                           unsigned char *done, uint64_t *count, hsi_journal **out,
                           char why[HS_WHY]);

/*
 * What hsi_journal_open() would find, or refuse. Nothing is made, cut off or written, and so no
 * note is left: `why` is only that of a refusal.
 */
hs_status hsi_journal_look(const char *path, const hs_instance *in, uint64_t digest, int resume,
                           unsigned char *done, uint64_t *count, char why[HS_WHY]);

/* Record a task as done: from any thread. Waits while HSI_JOURNAL_LAG records are behind.
 * HS_EIO: it can no longer be written (from the first failure on, for every call). */
hs_status hsi_journal_done(hsi_journal *journal, const hsi_journal_record *record);

/*
 * Sync what is behind and close; NULL will do. HS_EIO, and `why`, if anything could not be
 * written: *lost of the records that hsi_journal_done() has taken cannot be relied upon.
 */
hs_status hsi_journal_close(hsi_journal *journal, uint64_t *lost, char why[HS_WHY]);

#endif
