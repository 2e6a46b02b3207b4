/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Read journals, each up to the first line whose sum is wrong. A crash may leave anything in the part
 * that was not synced, so the reader drops the rest of the file from that line on. If a later sound
 * line says that the wrong line had been synced, the file was damaged: the reader refuses the file,
 * since the dropped records would be lost. It refuses a second header for the same reason.
 */

#include "exec/journal/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "exec/journal/outdated.h"
#include "exec/journal/runs.h"

/* Length of a blank, the sum and a newline, which precede each line but the first. */
#define SEAL (HSI_JOURNAL_HEX + 2)

typedef struct journal_reader {
    const char          *path;
    const char          *text;
    size_t               size, at; /* all text before `at` is sound */
    uint64_t             chain;
    uint64_t             line; /* number of the line at `at`, from 1 */
    const hs_instance   *in;
    const hs_name_index *index;
    hsi_journal_past    *past;
    uint64_t            *done_in; /* by task of a graph: `records` at its last record; NULL: no
                                     graph */
    uint64_t *strange;            /* digests of names that no task has, with repetitions */
    size_t    strange_count, strange_room;
    size_t       journal; /* index of the journal that is read */
    double       began;   /* start of the run that is read, seconds since 1970 */
    uint64_t     records; /* number of records that were applied */
    hsi_journal_runs runs;  /* the runs that the journals record */
    hs_error *error;
} journal_reader;

/* A line of the journal, without its newline. */
typedef struct journal_line {
    const char *at;
    size_t      length;
    uint64_t    sum;
} journal_line;

/* Find the line that begins at `start`. Return false if it has no newline or no sum. */
static bool line_at(const journal_reader *r, size_t start, journal_line *out)
{
    size_t      most = r->size - start < HSI_JOURNAL_LINE ? r->size - start : HSI_JOURNAL_LINE;
    const char *newline = memchr(r->text + start, '\n', most);

    if (!newline)
        return false;
    out->at = r->text + start;
    out->length = (size_t)(newline - out->at);
    return out->length > HSI_JOURNAL_HEX && out->at[out->length - HSI_JOURNAL_HEX - 1] == ' ' &&
           hsi_journal_get_hex(newline - HSI_JOURNAL_HEX, &out->sum);
}

/* Return true if the line has the right sum for a line that follows the sum `before`. */
static bool fits(const journal_line *l, uint64_t before)
{
    uint64_t state = hsi_journal_sum_start(before);

    state = hsi_digest_bytes(state, l->at, l->length - HSI_JOURNAL_HEX - 1);
    return hsi_journal_sum_end(state) == l->sum;
}

/* Return SYNCED, the number in front of the sum. */
static uint64_t synced(const journal_line *l)
{
    const char *end = l->at + l->length - HSI_JOURNAL_HEX - 1, *at = end;
    uint64_t    value = 0;

    while (at > l->at && at[-1] >= '0' && at[-1] <= '9')
        at--;
    for (; at < end; at++)
        value = value * 10 + (uint64_t)(*at - '0');
    return value;
}

static bool starts(const char *at, size_t size, const char *word)
{
    size_t length = strlen(word);

    return size >= length && memcmp(at, word, length) == 0;
}

static bool is_record(const char *at, size_t size)
{
    return starts(at, size, "done ") || starts(at, size, "failed ") ||
           starts(at, size, "undone ") || starts(at, size, "run ") || starts(at, size, "closed ");
}

static bool all_zero(const char *at, const char *end)
{
    while (at < end)
        if (*at++ != 0)
            return false;
    return true;
}

static const char magic[] = "hybridsched-journal ";

bool hsi_is_journal_text(const char *text, size_t size)
{
    return starts(text, size, magic);
}

/* Explain a first line that is neither the expected header nor a torn one. */
static hs_status refuse_header(const journal_reader *r)
{
    journal_line first;

    if (!hsi_is_journal_text(r->text, r->size))
        return hsi_error_set(r->error, HS_EINVAL,
                             "'%.300s' is not a journal and was not changed: name another file",
                             r->path);
    if (!line_at(r, 0, &first) || !fits(&first, 0))
        return hsi_error_set(r->error, HS_EINVAL,
                             "the first line of the journal '%.300s' is damaged", r->path);
    return hsi_error_set(r->error, HS_EINVAL,
                         "the journal '%.300s' was written by another version of hybridsched: use "
                         "that version, or name another file",
                         r->path);
}

/* Read the header and move behind it; stay at 0 if the header is torn. A file with a torn header
 * holds no more than a header and a line, so a larger file is not a journal. */
static hs_status read_header(journal_reader *r)
{
    char     expected[HSI_JOURNAL_LINE];
    uint64_t chain;
    size_t   length = hsi_journal_put_header(expected, &chain), same = 0;

    while (same < length && same < r->size && r->text[same] == expected[same])
        same++;
    if (same == length) {
        r->at = length;
        r->chain = chain;
        r->line = 2;
        return HS_OK;
    }
    if (r->size <= HSI_JOURNAL_LINE && all_zero(r->text + same, r->text + r->size))
        return HS_OK;
    return refuse_header(r);
}

static hs_status refuse_record(const journal_reader *r, const char *what)
{
    return hsi_error_set(r->error, HS_EINVAL, "line %" PRIu64 " of the journal '%.300s' %s",
                         r->line, r->path, what);
}

/* A word of a record, for example the name of the task. */
typedef struct line_word {
    const char *at;
    size_t      length;
} line_word;

static bool next_word(const char **at, const char *end, line_word *out)
{
    const char *blank = memchr(*at, ' ', (size_t)(end - *at));

    if (!blank)
        return false;
    *out = (line_word){*at, (size_t)(blank - *at)};
    *at = blank + 1;
    return out->length > 0;
}

enum { KIND, NAME, WORKER, NUMBER, START, END, WHAT, WORDS };

/* Split off the first words of a record about a task; a record "undone" has two words. Return false
 * if the record is malformed. */
static bool split(const journal_line *l, line_word words[WORDS], uint64_t *what)
{
    const char *at = l->at, *end = l->at + l->length;
    int         count = *at == 'u' ? NAME + 1 : WORDS, i;

    for (i = 0; i < count; i++)
        if (!next_word(&at, end, &words[i]))
            return false;
    return count < WORDS ||
           (words[WHAT].length == HSI_JOURNAL_HEX && hsi_journal_get_hex(words[WHAT].at, what));
}

static uint16_t number_of(const line_word *w)
{
    unsigned value = 0;
    size_t   i;

    for (i = 0; i < w->length && w->at[i] >= '0' && w->at[i] <= '9' && value < UINT16_MAX; i++)
        value = value * 10 + (unsigned)(w->at[i] - '0');
    return (uint16_t)(value < UINT16_MAX ? value : UINT16_MAX);
}

static bool is_text(const char *text)
{
    return text && *text;
}

/* Return true if the row of a task names no command and no kernel: only a timer executes the task. */
static bool runs_nothing(const hs_instance *in, uint32_t task)
{
    hs_task row;

    hs_instance_row(in, hs_instance_row_of(in, task), &row);
    return !is_text(row.kernel) && !is_text(row.cpu_command) && !is_text(row.gpu_command);
}

/* Return true if the digest fits what executes the task in this run: its function, or else its
 * command or kernel on either type. The digest of emulated tasks is also that of a type without a
 * kernel, so it fits only emulated runs, and rows that run nothing. */
static bool is_same(const journal_reader *r, uint32_t task, uint64_t what)
{
    if (r->past->emulated && what == hsi_journal_emulated_digest())
        return true;
    if (hsi_calls_have_row(&r->past->calls, hs_instance_row_of(r->in, task)))
        return what == hsi_journal_digest_call(r->in, task);
    if (what == hsi_journal_emulated_digest())
        return runs_nothing(r->in, task);
    return what == hsi_journal_digest_implementation(r->in, task, HS_CPU) ||
           what == hsi_journal_digest_implementation(r->in, task, HS_GPU);
}

static void note_task(journal_reader *r, uint32_t task, bool failed, uint16_t number, uint64_t what)
{
    hsi_element_address state = failed                   ? HSI_PAST_FAILED
                                : is_same(r, task, what) ? HSI_PAST_DONE
                                                         : HSI_PAST_CHANGED;

    r->past->state[task] = (unsigned char)state;
    if (r->done_in)
        r->done_in[task] = r->records;
    if (number > r->past->attempts[task])
        r->past->attempts[task] = number;
}

/* Return the seconds that a word like "12.000000345" says. */
static double seconds_in(const line_word *w)
{
    uint64_t digits = 0;
    double   scale = 1;
    bool     is_fraction = false;

    for (size_t i = 0; i < w->length && digits < UINT64_MAX / 100; i++) {
        if (w->at[i] == '.')
            is_fraction = true;
        else if (w->at[i] >= '0' && w->at[i] <= '9') {
            digits = digits * 10 + (uint64_t)(w->at[i] - '0');
            scale *= is_fraction ? 10 : 1;
        }
    }
    return (double)digits / scale;
}

/* Copy the reason of a failure, the word behind the digest. */
static void copy_reason(const line_word *what, const journal_line *l, char *why, size_t size)
{
    const char *at = what->at + what->length + 1, *end = l->at + l->length;
    size_t      length = 0;

    while (at + length < end && at[length] != ' ' && length < size - 1)
        length++;
    memcpy(why, at, length);
    why[length] = '\0';
}

/* Call the caller's function for an attempt; `task` may be HS_NONE. */
static void visit(const journal_reader *r, const journal_line *l, const line_word words[],
                  uint32_t task, uint64_t what)
{
    const line_word   *worker = &words[WORKER];
    bool               done = *l->at == 'd';
    char               why[32] = "";
    line_word          number = {worker->at + 3, worker->length > 3 ? worker->length - 3 : 0};
    hs_journal_attempt attempt = {.struct_size = sizeof attempt,
                                  .journal = r->journal > 0 ? r->journal - 1 : 0,
                                  .began = r->began,
                                  .task = task,
                                  .number = number_of(&words[NUMBER]),
                                  .type = *worker->at == 'g' ? HS_GPU : HS_CPU,
                                  .done = done,
                                  .why = why,
                                  .start = seconds_in(&words[START]),
                                  .end = seconds_in(&words[END]),
                                  .unchanged = task != HS_NONE && is_same(r, task, what)};

    for (size_t i = 0; i < number.length && attempt.worker < HS_MAX_WORKERS; i++)
        attempt.worker = attempt.worker * 10 + (unsigned)(number.at[i] - '0') % 10;
    if (!done)
        copy_reason(&words[WHAT], l, why, sizeof why);
    r->past->attempt(r->past->data, &attempt);
}

static bool make_room(journal_reader *r)
{
    size_t    room = r->strange_room ? 2 * r->strange_room : 16;
    uint64_t *more;

    if (r->strange_count < r->strange_room)
        return true;
    more = realloc(r->strange, room * sizeof *more);
    if (!more)
        return false;
    r->strange = more;
    r->strange_room = room;
    return true;
}

static hs_status note_strange(journal_reader *r, const char *name, size_t length)
{
    if (!make_room(r))
        return HS_ENOMEM;
    r->strange[r->strange_count++] =
        hsi_digest_finish(hsi_digest_bytes(HSI_FNV_BASIS, name, length));
    return HS_OK;
}

static hs_status read_task(journal_reader *r, const journal_line *l)
{
    char      plain[HSI_JOURNAL_LINE];
    line_word words[WORDS];
    uint64_t  what;
    size_t    length, task;

    if (!split(l, words, &what))
        return refuse_record(r, "lacks words or has a malformed digest");
    length = hsi_journal_get_name(words[NAME].at, words[NAME].length, plain);
    if (!hs_name_index_find(r->index, plain, length, &task))
        task = HS_NONE;
    if (*l->at != 'u' && r->past->attempt)
        visit(r, l, words, (uint32_t)task, what);
    if (task == HS_NONE)
        return note_strange(r, plain, length);
    if (*l->at == 'u')
        r->past->state[task] = HSI_PAST_UNDONE;
    else
        note_task(r, (uint32_t)task, *l->at == 'f', number_of(&words[NUMBER]), what);
    return HS_OK;
}

/* Add the run that begins with this line at r->at. */
static hs_status add_run(journal_reader *r, const journal_line *l)
{
    return hsi_journal_runs_add(&r->runs,
                                &(hsi_journal_run){.path = r->path,
                                                   .text = r->text,
                                                   .begin = r->at,
                                                   .end = r->at,
                                                   .line = r->line,
                                                   .date = hsi_journal_run_date(l->at, l->length),
                                                   .journal = r->journal});
}

/* Find the runs in the lines before the first line that is not sound. `first`: the number of runs
 * of other journals. */
static hs_status find_runs(journal_reader *r, size_t first)
{
    hs_status    st = HS_OK;
    journal_line l;

    while (st == HS_OK && r->at < r->size && line_at(r, r->at, &l) && fits(&l, r->chain)) {
        if (!is_record(l.at, l.length))
            return refuse_record(
                r, "has an unknown kind of record: use the version of hybridsched that wrote it");
        if (starts(l.at, l.length, "run ") || r->runs.count == first)
            st = add_run(r, &l);
        r->chain = l.sum;
        r->at += l.length + 1;
        r->line++;
        if (st == HS_OK)
            r->runs.of[r->runs.count - 1].end = r->at;
    }
    return st;
}

/* Apply the records of a run, whose lines are sound. */
static hs_status read_run(journal_reader *r, const hsi_journal_run *run)
{
    hs_status    st = HS_OK;
    journal_line l;

    r->path = run->path;
    r->text = run->text;
    r->size = run->end;
    r->journal = run->journal;
    r->began = hsi_journal_run_seconds(run->date);
    r->line = run->line;
    for (size_t at = run->begin; st == HS_OK && at < run->end && line_at(r, at, &l);
         at += l.length + 1, r->line++) {
        r->records++;
        if (!starts(l.at, l.length, "run ") && !starts(l.at, l.length, "closed "))
            st = read_task(r, &l);
    }
    return st;
}

/*
 * Apply the records of the journals in the order of their runs: the last record of a task counts, in
 * whichever journal it is. The records of one journal keep their order.
 */
static hs_status read_runs(journal_reader *r)
{
    hs_status st = HS_OK;

    hsi_journal_runs_sort(&r->runs);
    for (size_t i = 0; st == HS_OK && i < r->runs.count; i++)
        st = read_run(r, &r->runs.of[i]);
    return st;
}

/*
 * Return true if a sound line behind the damage was written when the damaged part was on disk. A
 * line is sound if its sum is right behind the line in front of it, or, if that line alone is
 * damaged, behind the sum that the first damaged line should have.
 */
static bool was_synced(const journal_reader *r)
{
    uint64_t state = hsi_journal_sum_start(r->chain), before;
    size_t   at;

    for (at = r->at + SEAL; at < r->size; at++) {
        journal_line l;

        if (is_record(r->text + at, r->size - at) && line_at(r, at, &l) && synced(&l) > r->at &&
            (fits(&l, hsi_journal_sum_end(state)) ||
             (hsi_journal_get_hex(r->text + at - HSI_JOURNAL_HEX - 1, &before) &&
              fits(&l, before))))
            return true;
        state = hsi_digest_bytes(state, r->text + at - SEAL, 1);
    }
    return false;
}

/* Find a second header behind the sound part, as `cat` leaves when it joins two journals. Return
 * its position, or r->size. */
static size_t find_header(const journal_reader *r)
{
    size_t       at = r->at;
    journal_line l;

    while (at < r->size &&
           !(hsi_is_journal_text(r->text + at, r->size - at) && line_at(r, at, &l) && fits(&l, 0)))
        at++;
    return at;
}

/* Refuse joined journals: to cut off the second one would lose its records. */
static hs_status refuse_joined(const journal_reader *r, size_t header)
{
    uint64_t number = r->line;

    for (size_t at = r->at; at < header; at++)
        number += r->text[at] == '\n';
    return hsi_error_set(
        r->error, HS_EINVAL,
        "the journal '%.200s' has the first line of another journal in line %" PRIu64
        ", as if two files were joined: split it with 'head -c %zu' and "
        "'tail -c +%zu', and resume one part",
        r->path, number, header, header + 1);
}

/* Find the runs of one journal, and say in past->note what its end lacks. */
static hs_status read_journal(journal_reader *r, const hsi_journal_text *journal)
{
    size_t    header, first = r->runs.count;
    hs_status st;

    r->path = journal->path;
    r->text = journal->text;
    r->size = journal->size;
    r->at = 0;
    r->line = 1;
    st = read_header(r);
    if (st == HS_OK && r->at > 0)
        st = find_runs(r, first);
    if (st == HS_OK && r->at > 0 && (header = find_header(r)) < r->size)
        return refuse_joined(r, header);
    if (st == HS_OK && r->at > 0 && r->at < r->size && was_synced(r))
        st = hsi_error_set(r->error, HS_EINVAL,
                           "the journal '%.200s' is damaged in line %" PRIu64
                           ": to keep the records before that line and run all other tasks again, "
                           "truncate it with 'truncate -s %zu' and resume",
                           r->path, r->line, r->at);
    return st;
}

/* Find the runs of all journals and apply their records. *found is about the first journal. */
static hs_status read_all(journal_reader *r, const hsi_journal_text *journals, size_t count,
                          hsi_journal_found *found)
{
    hs_status st = HS_OK;

    for (size_t i = 0; st == HS_OK && i < count; i++) {
        r->journal = i;
        st = journals[i].size > 0 || count == 1 ? read_journal(r, &journals[i]) : HS_OK;
        if (st != HS_OK || i > 0)
            continue;
        *found = journals[0].size > 0 ? (hsi_journal_found){.end = r->at, .chain = r->chain}
                                      : (hsi_journal_found){0};
        if (found->end < journals[0].size)
            snprintf(r->past->note, sizeof r->past->note,
                     "the last %zu bytes of the journal '%.300s' were incomplete and are cut off",
                     journals[0].size - found->end, r->path);
    }
    return st == HS_OK ? read_runs(r) : st;
}

static int compare(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

static void count_states(const journal_reader *r)
{
    hsi_journal_past *past = r->past;
    size_t            n = hs_instance_tasks(r->in), i;

    past->done = past->failed = past->changed = past->gone = 0;
    for (i = 0; i < n; i++) {
        past->done += past->state[i] == HSI_PAST_DONE;
        past->failed += past->state[i] == HSI_PAST_FAILED;
        past->changed += past->state[i] == HSI_PAST_CHANGED || past->state[i] == HSI_PAST_UNDONE;
    }
    if (r->strange_count)
        qsort(r->strange, r->strange_count, sizeof *r->strange, compare);
    for (i = 0; i < r->strange_count; i++)
        past->gone += i == 0 || r->strange[i] != r->strange[i - 1];
}

hs_status hsi_journal_read(const hsi_journal_text *journals, size_t count, const hs_instance *in,
                           hsi_journal_past *past, hsi_journal_found *found, hs_error *error)
{
    hs_name_index *index = NULL;
    journal_reader r = {.in = in, .past = past, .error = error};
    hs_status      st = hs_name_index_create(in, &index);

    if (st != HS_OK)
        return st;
    r.index = index;
    if (hs_instance_has_graph(in) &&
        !(r.done_in = calloc(hs_instance_tasks(in) + 1, sizeof *r.done_in)))
        st = HS_ENOMEM;
    if (st == HS_OK)
        st = read_all(&r, journals, count, found);
    if (st == HS_OK && r.done_in)
        st = hsi_journal_mark_outdated(in, r.done_in, past);
    if (st == HS_OK)
        count_states(&r);
    free(r.strange);
    free(r.done_in);
    free(r.runs.of);
    hs_name_index_free(index);
    return st;
}
