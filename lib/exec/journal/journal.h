/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_JOURNAL_JOURNAL_H
#define HSI_EXEC_JOURNAL_JOURNAL_H

#include "exec/backend/plugin/call.h"

/*
 * The results of attempts on disk: an append-only file of lines, each with a checksum. A record has
 * reached the kernel when hsi_journal_add() returns, so the end of this process loses no record. A
 * loss of power may cost the last 10 ms or HSI_JOURNAL_LAG records, which are not on disk yet. The
 * last record of a task counts: done, failed, or undone.
 *
 * The journal identifies tasks by their names and by a digest of what was run, so it stays valid
 * when the rest of the instance, the plan or the workers change.
 */
typedef struct hsi_journal hsi_journal;

#define HSI_JOURNAL_LAG 256

/* An attempt that is done or has failed. */
typedef struct hsi_journal_record {
    hs_exec_attempt attempt;
    bool            emulated; /* the task was emulated */
    bool            called;   /* a function of settings.run.calls executed the task */
} hsi_journal_record;

/* The state of a task according to the journal. */
typedef enum hsi_element_address {
    HSI_PAST_NONE,
    HSI_PAST_DONE,
    HSI_PAST_CHANGED, /* the task was done, but its command or kernel has changed since, or the task
                         was done before a predecessor was */
    HSI_PAST_UNDONE,  /* the task was done, but a later attempt began and did not end */
    HSI_PAST_FAILED
} hsi_element_address;

typedef struct hsi_journal_past {
    bool           emulated; /* set by the caller: tasks done by emulation count as done */
    hsi_calls      calls;    /* set by the caller: functions that execute the tasks of this run */
    const char *const *others; /* set by the caller: paths of other journals, read but not changed */
    size_t             other_count;
    size_t             idle_count; /* set by the caller: the first of `others` that no other process
                                      may be writing */
    /* set by the caller: called for each attempt in the order of reading; NULL: no call */
    void (*attempt)(void *data, const hs_journal_attempt *attempt);
    void *data;
    unsigned char *state;    /* array of the caller, by task, initially 0: an hsi_element_address */
    uint16_t      *attempts; /* array of the caller, by task: the highest number of an attempt */
    uint64_t       done, failed, changed; /* number of tasks; `changed` includes undone tasks */
    uint64_t       gone;                  /* names in the journal that no task has */
    char           note[HS_WHY]; /* a repair of the file to report, e.g. an unfinished end that was
                                    cut off; empty: none */
} hsi_journal_past;

/* Return a digest of what runs a task on workers of a type: the command, or else the kernel. */
uint64_t hsi_journal_digest_implementation(const hs_instance *in, uint32_t task, hs_type type);

/* Return a digest of a task that a function of the program executes: of the name of its kernel,
 * because an address says nothing about a function in another process. */
uint64_t hsi_journal_digest_call(const hs_instance *in, uint32_t task);

/*
 * Open or create the journal of the tasks of `in`, which must outlive it. Without `resume` the file
 * must be missing or empty. With `resume` *past is filled from the file, if it exists, and from the
 * other journals that exist. The file is locked before others are read, so of two processes that
 * need each other's journal to be idle at most one succeeds. An unfinished end, as a crash leaves
 * it, is cut off: HS_OK, with past->note. HS_EINVAL: data that was once on disk is damaged, the
 * file is not a journal, or another process uses it or one of the first past->idle_count others.
 * HS_EIO and HS_ENOMEM are possible, too. On failure *error says what to do, and *past is
 * undefined.
 */
hs_status hsi_journal_open(const char *path, const hs_instance *in, int resume,
                           hsi_journal_past *past, hsi_journal **out, hs_error *error);

/* Check what hsi_journal_open() would find or refuse, without creating, truncating or writing a
 * file. *past is filled, with an empty note. */
hs_status hsi_journal_inspect(const char *path, const hs_instance *in, bool resume,
                              hsi_journal_past *past, hs_error *error);

/* Fill *past from the other journals alone. Errors are those of hsi_journal_open(). */
hs_status hsi_journal_read_others(const hs_instance *in, hsi_journal_past *past, hs_error *error);

/*
 * Write a record, from any thread that blocks SIGXFSZ. The call waits while HSI_JOURNAL_LAG records
 * are not on disk. HS_EIO: the journal can no longer be written; after the first failure all calls
 * fail.
 */
hs_status hsi_journal_add(hsi_journal *journal, const hsi_journal_record *record);

/*
 * Revoke the records of a task that is HSI_PAST_CHANGED, and wait until the revocation is on disk.
 * Call this before an attempt: the attempt may overwrite the earlier result of the task, so after a
 * crash, a loss of power included, no version of the task may count as done. Threads and errors as
 * for hsi_journal_add().
 */
hs_status hsi_journal_undo(hsi_journal *journal, uint32_t task);

/*
 * Sync and close; NULL is allowed. HS_EIO, with the reason in *error: a record could not be written
 * or synced, or the file was removed or renamed meanwhile. *lost: number of done tasks whose
 * records are not on disk, or are in a file without a name.
 */
hs_status hsi_journal_close(hsi_journal *journal, uint64_t *lost, hs_error *error);

#endif
