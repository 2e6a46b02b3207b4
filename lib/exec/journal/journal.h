/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_JOURNAL_JOURNAL_H
#define HSI_EXEC_JOURNAL_JOURNAL_H

#include <hybridsched/exec.h>

/*
 * What has become of tasks, on disk: an append-only file of lines with a checksum each. A record
 * is in the hands of the kernel when hsi_journal_add() returns, so that the end of this process
 * loses none; at most 10 ms or HSI_JOURNAL_LAG records are not on disk yet, which a loss of power
 * may cost. The last record of a task counts: done, failed, or undone.
 *
 * Tasks are known by their names and by a digest of what was run, so that a journal
 * goes on whatever else of the instance, the plan or the workers has changed.
 */
typedef struct hsi_journal hsi_journal;

#define HSI_JOURNAL_LAG 256

/* An attempt that is done or has failed. */
typedef struct hsi_journal_record {
    hs_exec_attempt attempt;
    int             stand_in; /* it took its time, and ran nothing */
} hsi_journal_record;

/* What the journal has of a task. */
typedef enum hsi_past {
    HSI_PAST_NONE,
    HSI_PAST_DONE,
    HSI_PAST_CHANGED, /* it was done, but what was run is not what would be run now, or it was
                         done before something that it comes after */
    HSI_PAST_UNDONE, /* it was done, and an attempt has begun since that came to no end */
    HSI_PAST_FAILED
} hsi_past;

typedef struct hsi_journal_past {
    int            stand_ins; /* given: one that stand-ins did is done for this run */
    unsigned char *state;     /* given, by task, all 0: an hsi_past */
    uint16_t      *attempts;  /* likewise: the highest number of an attempt */
    uint64_t       done, failed, changed; /* `changed` counts tasks undone, too */
    uint64_t       gone; /* names on record that no task has */
} hsi_journal_past;

/* A digest of what runs a task on workers of a type: the command there, or the kernel. */
uint64_t hsi_journal_what(const hs_instance *in, uint32_t task, hs_type type);

/*
 * Open or make the journal of tasks of `in`, which must outlive it. Without `resume` it must
 * not exist or be empty; with it, *past is what it has on record of them, if it is there. What a
 * crash left unfinished at its end is cut off, with a note in `why` ("" if there is none) and
 * HS_OK; damage to what was once on disk, a file that is no journal, or one that another process
 * has open is refused: HS_EINVAL. HS_EIO, HS_ENOMEM. `why` then says what to do, and *past
 * means nothing.
 */
hs_status hsi_journal_open(const char *path, const hs_instance *in, int resume,
                           hsi_journal_past *past, hsi_journal **out, char why[HS_WHY]);

/*
 * What hsi_journal_open() would find, or refuse. Nothing is made, cut off or written, and so no
 * note is left: `why` is only that of a refusal.
 */
hs_status hsi_journal_look(const char *path, const hs_instance *in, int resume,
                           hsi_journal_past *past, char why[HS_WHY]);

/*
 * Write a record: from any thread that blocks SIGXFSZ. Waits while HSI_JOURNAL_LAG records are not
 * on disk. HS_EIO: the journal can no longer be written (from the first failure on, for every
 * call).
 */
hs_status hsi_journal_add(hsi_journal *journal, const hsi_journal_record *record);

/*
 * Write that what the journal has of a task's end counts no more, and wait until that is on disk:
 * before an attempt at a task that is HSI_PAST_CHANGED. The attempt may overwrite what the task
 * made when it was done, so that after a crash, a loss of power included, no version of the task
 * may count as done. Threads and errors as above.
 */
hs_status hsi_journal_undo(hsi_journal *journal, uint32_t task);

/*
 * Sync and close; NULL will do. HS_EIO, and `why`, if anything could not be written or synced, or
 * the file has lost its name meanwhile: *lost of the tasks that were written as done are not on
 * disk, or in a file that nobody finds.
 */
hs_status hsi_journal_close(hsi_journal *journal, uint64_t *lost, char why[HS_WHY]);

#endif
