/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_JOURNAL_TEXT_H
#define HSI_EXEC_JOURNAL_TEXT_H

#include "core/digest.h"
#include "exec/journal/journal.h"

/*
 * The lines of a journal:
 *
 *     hybridsched-journal 2 SUM
 *     run 2026-01-31T12:00:00.123Z SYNCED SUM
 *     done t17 cpu3 1 0.000123456 0.001234567 WHAT SYNCED SUM
 *     failed t18 gpu0 2 0.000123456 0.001234567 WHAT exit:1 SYNCED SUM
 *     undone t17 SYNCED SUM
 *     closed SYNCED SUM
 *
 * Each opening of the journal writes `run`, and the end of a run writes `closed`. A finished
 * attempt writes `done` or `failed` with the task, the worker, the number of the attempt, its start
 * and end in seconds of the run, and WHAT, a digest of the command or kernel. A failure adds
 * exit:STATUS, signal:NUMBER, timeout, lost (with its worker), or failed. `undone` precedes an
 * attempt at a task that an earlier line records as done. In names, bytes up to the blank, % and
 * DEL are written %XX. WHAT and SUM have 16 hexadecimal digits.
 *
 * SUM is a checksum of the rest of its line and of the previous SUM: a missing, repeated or moved
 * record breaks the chain. SYNCED is the number of bytes of the file known to be on disk when the
 * line was written. A crash can damage only bytes behind the last SYNCED; damage before is refused.
 */

/* The maximum number of bytes in a line. */
#define HSI_JOURNAL_LINE (3 * (HS_MAX_ID + 16) + 200)

/* Digits of a number in base 16. */
#define HSI_JOURNAL_HEX 16

/* Start and finish the sum of a line that follows a line with the sum `before`; hsi_digest_bytes()
 * adds the text between the two calls. */
static inline uint64_t hsi_journal_sum_start(uint64_t before)
{
    return hsi_digest_number(HSI_FNV_BASIS, before, 8);
}

static inline uint64_t hsi_journal_sum_end(uint64_t state)
{
    state = (state ^ (state >> 33)) * 0xff51afd7ed558ccdu;
    state = (state ^ (state >> 33)) * 0xc4ceb9fe1a85ec53u;
    return state ^ (state >> 33);
}

/* Write a complete line without NUL and return its length. *chain is the sum of the line before,
 * and is set to the sum of the new line. A header begins a chain. */
size_t hsi_journal_put_header(char *line, uint64_t *chain);
size_t hsi_journal_put_run(char *line, uint64_t synced, uint64_t *chain);
size_t hsi_journal_put_closed(char *line, uint64_t synced, uint64_t *chain);

/* Write a line that lacks its last two words, SYNCED and SUM; return its length. */
size_t hsi_journal_put_record(char *line, const hs_instance *in, const hsi_journal_record *record);
size_t hsi_journal_put_undone(char *line, const hs_instance *in, uint32_t task);

/* Complete such a line with SYNCED, SUM and a newline; return its whole length. */
size_t hsi_journal_seal(char *line, size_t length, uint64_t synced, uint64_t *chain);

/* Parse 16 hexadecimal digits. Return false if other characters are found. */
bool hsi_journal_get_hex(const char *at, uint64_t *value);

/* Decode a name of `length` bytes into `name`, which has room for `length` bytes; return its
 * length. */
size_t hsi_journal_get_name(const char *at, size_t length, char *name);

/* Return true if the text begins like a journal. */
bool hsi_is_journal_text(const char *text, size_t size);

/* Return the digest that stands for an emulated task. */
uint64_t hsi_journal_emulated_digest(void);

/*
 * Read `count` journals, of `size` bytes each: fill *past for the tasks of `in`, and *found with the
 * end of the trusted part of the first journal and its last sum. The last record of a task counts;
 * records of several journals are in the order of the starts of their runs. HS_OK: the rest of a
 * journal, if any, is what a crash leaves, or a line that another process is writing; past->note
 * describes that of the first journal. HS_EINVAL and HS_ENOMEM are possible.
 */
typedef struct hsi_journal_text {
    const char *path, *text;
    size_t      size;
} hsi_journal_text;

typedef struct hsi_journal_found {
    size_t   end; /* 0: even the header is incomplete */
    uint64_t chain;
} hsi_journal_found;

hs_status hsi_journal_read(const hsi_journal_text *journals, size_t count, const hs_instance *in,
                           hsi_journal_past *past, hsi_journal_found *found, hs_error *error);

#endif
