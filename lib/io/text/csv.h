/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_TEXT_CSV_H
#define HSI_IO_TEXT_CSV_H

#include <stddef.h>
#include <stdint.h>

#include <hybridsched/io.h>

/*
 * A streaming reader of RFC 4180 text: fields parted by commas, records by LF
 * or CRLF, a field in double quotes when it holds commas, quotes (doubled) or
 * line ends. An optional byte order mark is skipped; all text must be UTF-8
 * without NUL bytes. '#' lines stand before the first record only.
 *
 * The text is held a block at a time in a window that grows only for a record
 * longer than it. Every failing call has written *why and returns HS_ESYNTAX
 * (the content), HS_EIO (errno says why) or HS_ENOMEM.
 */

struct hsi_field {
    const char *at;     /* the content, out of its quotes; not NUL terminated */
    size_t      length;
    const char *raw;    /* where it begins in the window; for its position alone */
    int         is_time; /* it says `time`, and stands in one of csv->times */
    double      time;
};

struct hsi_csv {
    /* The record last read; valid until the next call. */
    struct hsi_field *fields;
    size_t            count;
    uint64_t          line;      /* line on which it begins, from 1 */
    uint64_t          next_line; /* line on which the next one begins */

    /* Bits 0 .. 63, the reader's to set: fields that mostly are positive numbers. They are
     * converted while their ends are looked for, which costs no more than that. */
    uint64_t times;

    /* The rest is csv.c's own. */
    hs_diagnostic *why;
    int            fd;
    int            ended;        /* the descriptor has no more */
    const char    *fault;        /* why no text can be used past `clean`; NULL: none known */
    char          *window;
    size_t         size;         /* of the window */
    size_t         record;       /* where the record last read begins */
    size_t         next;         /* where the next one begins */
    size_t         clean;        /* up to here the text is known to be good */
    size_t         filled;       /* up to here the window holds text */
    size_t         capacity;     /* of fields */
    char          *scratch;      /* fields that had doubled quotes, without them */
    size_t         scratch_size;
    int            started;      /* the byte order mark has been looked for */
    uint64_t       dropped;      /* bytes that have left the window */
    uint64_t       total;        /* bytes there were to read; 0: not known */
};

/** Start on `fd`, which stays the caller's. */
hs_status hsi_csv_open(struct hsi_csv *csv, int fd, hs_diagnostic *why);

/** Free the text; may be called again. hsi_csv_fail_at, _whole and _status work still. */
void hsi_csv_close(struct hsi_csv *csv);

/**
 * If the next line begins with '#', read it: HS_OK, *found = 1, fields[0] is its
 * first word (empty if it has none) and fields[1] the rest without the blanks
 * around it. Otherwise HS_OK and *found = 0.
 */
hs_status hsi_csv_note(struct hsi_csv *csv, int *found);

/** The next record; *found = 0 at the end of the text. */
hs_status hsi_csv_record(struct hsi_csv *csv, int *found);

/**
 * The next record, which must be the header: column[i] becomes the number of the
 * column called names[i], or -1 where there is none. The first `required` of the
 * names must be there; a column twice is refused, and one that is not among the
 * names too unless `ignore_unknown`. csv->count is then the number of columns.
 */
hs_status hsi_csv_header(struct hsi_csv *csv, size_t count, const char *const *names,
                         size_t required, int ignore_unknown, int *column);

/** The share of all text that lies behind the record last read; 0 if it is not known. */
double hsi_csv_part_read(const struct hsi_csv *csv);

/** The next record; refused unless it has `columns` fields. *found = 0 at the end. */
hs_status hsi_csv_row(struct hsi_csv *csv, size_t columns, int *found);

/** Write *why: that line, and that field of the record last read. Returns HS_ESYNTAX. */
hs_status hsi_csv_fail(struct hsi_csv *csv, const struct hsi_field *field, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** The same for a place that is no longer in the window. */
hs_status hsi_csv_fail_at(struct hsi_csv *csv, uint64_t line, uint64_t column,
                          const char *format, ...) __attribute__((format(printf, 4, 5)));

/** Where a field of the record last read begins. O(length of the record). */
void hsi_csv_place(const struct hsi_csv *csv, const struct hsi_field *field, uint64_t *line,
                   uint64_t *column);

/** The same for the file as a whole (line 0). */
hs_status hsi_csv_fail_whole(struct hsi_csv *csv, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** *why for a status that is not HS_ESYNTAX ("out of memory" and the like); returns it. */
hs_status hsi_csv_fail_status(struct hsi_csv *csv, hs_status status);

/** Enough for hsi_csv_quote(). */
#define HSI_QUOTE 80

/**
 * `length` bytes of foreign text, fit to be shown in a message: in single
 * quotes, shortened, control characters as \xHH. Returns `buffer`.
 */
const char *hsi_csv_quote(const char *at, size_t length, char buffer[HSI_QUOTE]);

/** Is the field this word, to the letter? */
int hsi_field_is(const struct hsi_field *field, const char *word);

#endif
