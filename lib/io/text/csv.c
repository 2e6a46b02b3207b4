/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/text/csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/text/csv_window.h"
#include "support/decimal/decimal.h"

/*
 * Limit on fields, so that a header of nothing but commas does not cost much memory. A power of
 * two.
 */
#define MOST_COLUMNS 4096u

hs_status hsi_csv_open(struct hsi_csv *csv, int fd, hs_error *error)
{
    memset(csv, 0, sizeof *csv);
    csv->fd = fd;
    csv->error = error;
    csv->line = csv->next_line = 1;
    csv->window = malloc(HSI_WINDOW + 1);
    csv->capacity = 16;
    csv->fields = malloc(csv->capacity * sizeof *csv->fields);
    if (!csv->window || !csv->fields) {
        hsi_csv_close(csv);
        return hsi_csv_fail_status(csv, HS_ENOMEM);
    }
    csv->window[0] = '\0';
    csv->size = HSI_WINDOW;
    csv->total = hsi_csv_bytes_to_end(fd);
    return HS_OK;
}

double hsi_csv_share_read(const struct hsi_csv *csv)
{
    uint64_t done = csv->dropped + csv->next;

    return done < csv->total ? (double)done / (double)csv->total : 0;
}

void hsi_csv_close(struct hsi_csv *csv)
{
    free(csv->window);
    free(csv->fields);
    free(csv->scratch);
    csv->window = csv->scratch = NULL;
    csv->fields = NULL;
}

bool hsi_field_is(const struct hsi_field *field, const char *word)
{
    return strlen(word) == field->length && memcmp(field->at, word, field->length) == 0;
}

/* The scan of a record: its position, and the end of the known text. */
struct scan {
    const char *at, *end;
    size_t      scratch;  /* number of used bytes in csv->scratch */
    uint64_t    lines;    /* number of line ends inside quotes */
    int         last;     /* the text ends at `end`: the last field is complete */
};

enum { MORE = 1 }; /* result besides HS_OK: the record is longer than the text read so far */

static uint64_t count_lines(const char *at, const char *end)
{
    uint64_t lines = 0;

    while ((at = memchr(at, '\n', (size_t)(end - at)))) {
        at++;
        lines++;
    }
    return lines;
}

/*
 * Append to the field in csv->scratch. Its first use in a record allocates room for a whole window,
 * so that fields already there do not move.
 */
static hs_status keep(struct hsi_csv *csv, struct scan *s, const char *at, size_t length)
{
    if (s->scratch == 0 && csv->scratch_size < csv->size) {
        char *scratch = malloc(csv->size);

        if (!scratch)
            return hsi_csv_fail_status(csv, HS_ENOMEM);
        free(csv->scratch);
        csv->scratch = scratch;
        csv->scratch_size = csv->size;
    }
    memcpy(csv->scratch + s->scratch, at, length);
    s->scratch += length;
    return HS_OK;
}

/* Read a field that begins with a quote, to the end of its closing quote. */
static int scan_quoted(struct hsi_csv *csv, struct scan *s, struct hsi_field *field)
{
    const char *from = s->at + 1, *quote;
    size_t      kept = s->scratch;
    bool        doubled = false;

    for (;;) {
        quote = memchr(from, '"', (size_t)(s->end - from));
        if (!quote && s->last)
            return hsi_csv_fail_here(csv, field->raw, "a quote that is never closed; expected "
                                     "another before the end of the text");
        if (!quote)
            return MORE;
        if (quote + 1 == s->end || quote[1] != '"')
            break; /* at the end of the known text: scan_record() asks for more */
        if (keep(csv, s, from, (size_t)(quote + 1 - from)) != HS_OK)
            return HS_ENOMEM;
        doubled = true;
        from = quote + 2;
    }
    s->lines += count_lines(field->raw, quote);
    if (doubled && keep(csv, s, from, (size_t)(quote - from)) != HS_OK)
        return HS_ENOMEM;
    field->at = doubled ? csv->scratch + kept : from;
    field->length = doubled ? s->scratch - kept : (size_t)(quote - from);
    s->at = quote + 1;
    if (s->at < s->end && *s->at != ',' && *s->at != '\n' && *s->at != '\r')
        return hsi_csv_fail_here(csv, s->at, "text behind a closing quote; expected a comma or a "
                                 "line end (a quote inside quotes is written twice)");
    return HS_OK;
}

/* Convert a field that consists of a positive number; return the end of the field, or NULL. */
static inline const char *scan_time(struct hsi_field *field, const char *end)
{
    const char *stop = hsi_decimal_read(field->at, end, &field->time);

    if (!stop || (*stop != ',' && *stop != '\n' && *stop != '\r'))
        return NULL;
    field->is_time = field->time > 0 && field->time < INFINITY;
    return stop;
}

/* Return the first character that ends a field or is forbidden without quotes; `end` if none. */
static inline const char *find_special(const char *at, const char *end)
{
    static const bool is_special[256] = {[','] = true, ['"'] = true, ['\r'] = true, ['\n'] = true};

    while (at < end && !is_special[(unsigned char)*at])
        at++;
    return at;
}

static hs_status more_fields(struct hsi_csv *csv, const char *at)
{
    size_t            capacity = csv->capacity * 2;
    struct hsi_field *fields;

    if (csv->capacity == MOST_COLUMNS)
        return hsi_csv_fail_here(csv, at, "a record of more fields than there may be; expected at "
                                 "most %u", MOST_COLUMNS);
    fields = realloc(csv->fields, capacity * sizeof *fields);
    if (!fields)
        return hsi_csv_fail_status(csv, HS_ENOMEM);
    csv->fields = fields;
    csv->capacity = capacity;
    return HS_OK;
}

/* Read the line end at s->at: CR LF, LF, or the end of the text. */
static int end_record(struct hsi_csv *csv, struct scan *s)
{
    if (s->at < s->end && *s->at == '\r') {
        if (s->at + 1 == s->end && !s->last)
            return MORE;
        if (s->at + 1 == s->end || s->at[1] != '\n')
            return hsi_csv_fail_here(csv, s->at, "a carriage return without a line feed; expected "
                                     "LF or CR LF at the end of a line (or quotes around the "
                                     "field)");
        s->at++;
    }
    csv->next = (size_t)(s->at - csv->window) + (s->at < s->end);
    csv->next_line = csv->line + s->lines + 1;
    return HS_OK;
}

/*
 * Try to read the record at csv->record from the known text. The byte at `end` may be examined too:
 * it ends no field, because it is a NUL or an incomplete character.
 */
static int scan_record(struct hsi_csv *csv)
{
    const char *at = csv->window + csv->record, *end = csv->window + csv->clean, *stop;
    struct scan s = {.end = end, .last = csv->ended && !csv->fault};
    uint64_t    times = csv->times;
    size_t      count = 0;
    int         st;

    for (;; at++, times >>= 1) {
        struct hsi_field *field = &csv->fields[count++];

        field->raw = field->at = at;
        field->is_time = false;
        if (*at == '"') {
            s.at = at;
            st = scan_quoted(csv, &s, field);
            if (st != HS_OK)
                return st;
            at = s.at;
        } else {
            stop = times & 1 ? scan_time(field, end) : NULL;
            at = stop ? stop : find_special(at, end);
            field->length = (size_t)(at - field->at);
        }
        if (*at != ',')
            break;
        if (count == csv->capacity) {
            st = more_fields(csv, at + 1);
            if (st != HS_OK)
                return st;
        }
    }
    if (*at == '"')
        return hsi_csv_fail_here(csv, at, "a quote inside a field that does not begin with one; "
                                 "expected quotes around the field, and this one twice");
    csv->count = count;
    s.at = at;
    return at == end && !s.last ? MORE : end_record(csv, &s);
}

/* Read more text, or report why the text cannot be used. */
static hs_status need_more(struct hsi_csv *csv)
{
    if (csv->fault)
        return hsi_csv_fail_here(csv, csv->window + csv->clean, "%s", csv->fault);
    return hsi_csv_fail_status(csv, hsi_csv_fill_window(csv));
}

hs_status hsi_csv_next_record(struct hsi_csv *csv, int *found)
{
    int st;

    csv->record = csv->next;
    csv->line = csv->next_line;
    csv->count = 0;
    *found = 0;
    for (;;) {
        if (csv->record == csv->clean && csv->ended && !csv->fault)
            return HS_OK;
        st = scan_record(csv);
        if (st != MORE)
            break;
        st = need_more(csv);
        if (st != HS_OK)
            return (hs_status)st;
    }
    *found = st == HS_OK;
    return (hs_status)st;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Find the line at csv->record. On HS_OK, *end is its end, without a CR. */
static hs_status find_line(struct hsi_csv *csv, const char **end)
{
    for (;;) {
        const char *at = csv->window + csv->record;
        const char *stop = memchr(at, '\n', csv->clean - csv->record);
        int         last = csv->ended && !csv->fault;
        hs_status   st;

        if (stop || last) {
            csv->next = stop ? (size_t)(stop + 1 - csv->window) : csv->clean;
            *end = stop ? stop : csv->window + csv->clean;
            if (stop && stop > at && stop[-1] == '\r')
                --*end;
            return HS_OK;
        }
        st = need_more(csv);
        if (st != HS_OK)
            return st;
    }
}

/* Set *found if there is a line that begins with '#'. */
static hs_status at_note(struct hsi_csv *csv, int *found)
{
    *found = 0;
    while (csv->record == csv->clean) {
        hs_status st;

        if (csv->ended && !csv->fault)
            return HS_OK;
        st = need_more(csv);
        if (st != HS_OK)
            return st;
    }
    *found = csv->window[csv->record] == '#';
    return HS_OK;
}

hs_status hsi_csv_next_comment(struct hsi_csv *csv, int *found)
{
    struct hsi_field *key = &csv->fields[0], *value = &csv->fields[1];
    const char       *at, *end = NULL, *word;
    hs_status         st;

    csv->record = csv->next;
    csv->line = csv->next_line;
    st = at_note(csv, found);
    if (st != HS_OK || !*found)
        return st;
    st = find_line(csv, &end);
    if (st != HS_OK)
        return st;
    at = csv->window + csv->record + 1;
    word = memchr(at, '\r', (size_t)(end - at));
    if (word)
        return hsi_csv_fail_here(csv, word, "a carriage return without a line feed; expected LF "
                                 "or CR LF at the end of a line");
    while (at < end && is_blank(*at))
        at++;
    while (at < end && is_blank(end[-1]))
        end--;
    for (word = at; at < end && !is_blank(*at);)
        at++;
    *key = (struct hsi_field){.at = word, .length = (size_t)(at - word), .raw = word};
    while (at < end && is_blank(*at))
        at++;
    *value = (struct hsi_field){.at = at, .length = (size_t)(end - at), .raw = at};
    csv->count = 2;
    csv->next_line = csv->line + 1;
    return HS_OK;
}

/* Return the end of the record last read, before its line end. */
static const char *record_end(const struct hsi_csv *csv)
{
    const char *start = csv->window + csv->record, *at = csv->window + csv->next;

    if (at > start && at[-1] == '\n')
        at--;
    if (at > start && at[-1] == '\r')
        at--;
    return at;
}

static hs_status wrong_count(struct hsi_csv *csv, size_t columns)
{
    if (csv->count == 1 && csv->window[csv->record] == '#')
        return hsi_csv_fail(csv, NULL, "a '#' line below the header; expected a row of %zu fields "
                            "('#' lines may stand before the header only)", columns);
    if (csv->count == 1 && record_end(csv) == csv->window + csv->record)
        return hsi_csv_fail(csv, NULL, "an empty line; expected a row of %zu fields", columns);
    if (csv->count > columns)
        return hsi_csv_fail(csv, &csv->fields[columns],
                            "%zu fields in a row; expected %zu as in the header", csv->count,
                            columns);
    return hsi_csv_fail_here(csv, record_end(csv), "%zu field%s in a row; expected %zu as in the "
                             "header", csv->count, csv->count == 1 ? "" : "s", columns);
}

hs_status hsi_csv_next_row(struct hsi_csv *csv, size_t columns, int *found)
{
    hs_status st = hsi_csv_next_record(csv, found);

    if (st != HS_OK || !*found)
        return st;
    if (csv->count != columns)
        return wrong_count(csv, columns);
    if (csv->window[csv->record] == '#')
        return hsi_csv_fail(csv, NULL, "a row that begins with '#'; put the field in quotes ('#' "
                            "lines may stand before the header only)");
    return HS_OK;
}
