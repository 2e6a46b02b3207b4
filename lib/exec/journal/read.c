/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What a journal says, and how far it can be believed: up to the first line whose sum is
 * wrong. A crash may leave anything in the part that was not synced, so what comes
 * after that line is dropped, unless a sound line further on says that it had been
 * synced: then the file was damaged, and to go on would be to forget what was done.
 */

#include "exec/journal/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "exec/why.h"

/* In front of the next line: a blank, the sum and a newline. */
#define SEAL (HSI_JOURNAL_HEX + 2)

typedef struct reader {
    const char        *path;
    const char        *text;
    size_t             size, at; /* all before `at` is sound */
    uint64_t           chain;
    uint64_t           line; /* that begins there, from 1 */
    const hs_instance *in;
    uint64_t           digest;
    const hs_index    *index;
    unsigned char     *done;
    uint64_t           count;
    char              *why;
} reader;

/* A line without its newline. */
typedef struct line {
    const char *at;
    size_t      length;
    uint64_t    sum;
} line;

/* The line that begins at `start`; 0 if it has no end or is too short for a sum. */
static int line_at(const reader *r, size_t start, line *out)
{
    size_t      most = r->size - start < HSI_JOURNAL_LINE ? r->size - start : HSI_JOURNAL_LINE;
    const char *newline = memchr(r->text + start, '\n', most);

    if (!newline)
        return 0;
    out->at = r->text + start;
    out->length = (size_t)(newline - out->at);
    return out->length > HSI_JOURNAL_HEX && out->at[out->length - HSI_JOURNAL_HEX - 1] == ' ' &&
           hsi_journal_get_hex(newline - HSI_JOURNAL_HEX, &out->sum);
}

/* Does its sum fit behind a line with the sum `before`? */
static int fits(const line *l, uint64_t before)
{
    uint64_t state = hsi_journal_sum_start(before);

    state = hsi_digest_bytes(state, l->at, l->length - HSI_JOURNAL_HEX - 1);
    return hsi_journal_sum_end(state) == l->sum;
}

/* The number in front of the sum. */
static uint64_t synced(const line *l)
{
    const char *end = l->at + l->length - HSI_JOURNAL_HEX - 1, *at = end;
    uint64_t    value = 0;

    while (at > l->at && at[-1] >= '0' && at[-1] <= '9')
        at--;
    for (; at < end; at++)
        value = value * 10 + (uint64_t)(*at - '0');
    return value;
}

static int starts(const char *at, size_t size, const char *word)
{
    size_t length = strlen(word);

    return size >= length && memcmp(at, word, length) == 0;
}

static int is_record(const char *at, size_t size)
{
    return starts(at, size, "done ") || starts(at, size, "run ") || starts(at, size, "closed ");
}

static int all_zero(const char *at, const char *end)
{
    while (at < end)
        if (*at++ != 0)
            return 0;
    return 1;
}

/* A first line that is not the one expected and not a torn one. */
static hs_status refuse_header(const reader *r, const char *expected)
{
    const char *magic = "hybridsched-journal ";
    size_t      digest = strlen(magic) + 2;
    line        first;

    if (!starts(r->text, r->size, magic))
        return hsi_refuse(r->why, HS_EINVAL, "'%.300s' is not a journal", r->path);
    if (!line_at(r, 0, &first) || !fits(&first, 0))
        return hsi_refuse(r->why, HS_EINVAL, "the first line of the journal '%.300s' is damaged",
                          r->path);
    if (!starts(first.at + strlen(magic), first.length - strlen(magic), "1 "))
        return hsi_refuse(r->why, HS_EINVAL,
                          "the journal '%.300s' was made by another version of hybridsched",
                          r->path);
    return hsi_refuse(r->why, HS_EINVAL,
                      "'%.300s' is the journal of another plan (digest %.16s, here %.16s)", r->path,
                      first.at + digest, expected + digest);
}

/* Moves behind the header; stays where there is none because it was never finished. */
static hs_status read_header(reader *r)
{
    char     expected[HSI_JOURNAL_LINE];
    uint64_t chain;
    size_t   length = hsi_journal_put_header(expected, r->digest, hs_instance_tasks(r->in), &chain),
           same = 0;

    while (same < length && same < r->size && r->text[same] == expected[same])
        same++;
    if (same == length) {
        r->at = length;
        r->chain = chain;
        r->line = 2;
        return HS_OK;
    }
    return all_zero(r->text + same, r->text + r->size) ? HS_OK : refuse_header(r, expected);
}

static hs_status refuse_record(const reader *r, const char *what)
{
    return hsi_refuse(r->why, HS_EINVAL, "line %" PRIu64 " of the journal '%.300s' %s", r->line,
                      r->path, what);
}

static hs_status read_done(reader *r, const line *l)
{
    const char *name = l->at + strlen("done ");
    const char *end = memchr(name, ' ', (size_t)(l->at + l->length - name));
    char        plain[HSI_JOURNAL_LINE];
    size_t      length, task;

    length = hsi_journal_get_name(name, (size_t)(end - name), plain);
    if (!hs_index_find(r->index, plain, length, &task))
        return refuse_record(r, "is about a task that is not in the plan");
    r->count += !r->done[task];
    r->done[task] = 1;
    return HS_OK;
}

/* All lines up to the first that is not sound. */
static hs_status read_records(reader *r)
{
    hs_status st = HS_OK;
    line      l;

    while (st == HS_OK && r->at < r->size && line_at(r, r->at, &l) && fits(&l, r->chain)) {
        if (!is_record(l.at, l.length))
            return refuse_record(r, "is of a kind that this version does not know");
        if (starts(l.at, l.length, "done "))
            st = read_done(r, &l);
        r->chain = l.sum;
        r->at += l.length + 1;
        r->line++;
    }
    return st;
}

/*
 * Is there a sound line behind the damage that was written when the damaged part was on
 * disk? It is sound if its sum fits behind the one in front of it, or, should just that
 * one be damaged, behind the one that the first damaged line should have.
 */
static int was_synced(const reader *r)
{
    uint64_t state = hsi_journal_sum_start(r->chain), before;
    size_t   at;

    for (at = r->at + SEAL; at < r->size; at++) {
        line l;

        if (is_record(r->text + at, r->size - at) && line_at(r, at, &l) && synced(&l) > r->at &&
            (fits(&l, hsi_journal_sum_end(state)) ||
             (hsi_journal_get_hex(r->text + at - HSI_JOURNAL_HEX - 1, &before) &&
              fits(&l, before))))
            return 1;
        state = hsi_digest_bytes(state, r->text + at - SEAL, 1);
    }
    return 0;
}

static hs_status read_all(reader *r)
{
    hs_status st = read_header(r);

    if (st == HS_OK && r->at > 0)
        st = read_records(r);
    if (st == HS_OK && r->at > 0 && r->at < r->size && was_synced(r))
        st = hsi_refuse(r->why, HS_EINVAL,
                        "the journal '%.200s' is damaged in line %" PRIu64
                        ": what stands before is sound; to do again whatever is recorded after, "
                        "'truncate -s %zu' it and resume",
                        r->path, r->line, r->at);
    if (st == HS_OK && r->at < r->size)
        snprintf(r->why, HS_WHY,
                 "the last %zu bytes of the journal '%.300s' were not finished, and are cut off",
                 r->size - r->at, r->path);
    return st;
}

hs_status hsi_journal_read(const char *path, const char *text, size_t size, const hs_instance *in,
                           uint64_t digest, unsigned char *done, hsi_journal_found *found,
                           char why[HS_WHY])
{
    hs_index *index = NULL;
    reader    r = {.path = path,
                   .text = text,
                   .size = size,
                   .line = 1,
                   .in = in,
                   .digest = digest,
                   .done = done,
                   .why = why};
    hs_status st = hs_index_create(in, &index);

    if (st != HS_OK)
        return st;
    r.index = index;
    st = read_all(&r);
    if (st == HS_OK)
        *found = (hsi_journal_found){.done = r.count, .end = r.at, .chain = r.chain};
    hs_index_free(index);
    return st;
}
