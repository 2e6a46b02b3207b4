/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_TEXT_CSV_H
#define HSI_IO_TEXT_CSV_H

#include <stddef.h>
#include <stdint.h>

#include <hybridsched/io.h>

#include "core/error.h"

/*
 * A streaming reader of RFC 4180 text: fields are separated by commas, records by LF or CR LF; a
 * field is quoted if it contains commas, quotes (doubled) or line ends. An optional byte order mark
 * is skipped; the text must be UTF-8 without NUL bytes. '#' lines are allowed before the first
 * record only.
 *
 * The text is read in blocks into a window that grows only for a record longer than the window.
 * Every failing call writes *error and returns HS_ESYNTAX (bad content), HS_EIO (errno says why) or
 * HS_ENOMEM.
 */

struct hsi_field {
    const char *at;     /* content without enclosing quotes; not NUL-terminated */
    size_t      length;
    const char *raw;    /* begin in the window, for positions in messages */
    bool        is_time; /* csv->times selects the field and `time` has its value */
    double      time;
};

struct hsi_csv {
    /* The record last read; valid until the next call. */
    struct hsi_field *fields;
    size_t            count;
    uint64_t          line;      /* first line of the record, from 1 */
    uint64_t          next_line; /* first line of the next record */

    /*
     * Bits 0 .. 63, set by the caller: numbers of the fields that usually are positive numbers.
     * They are converted while the end of the field is searched.
     */
    uint64_t times;

    /* The members below are private to the reader. */
    hs_error      *error;
    int            fd;
    bool           ended;        /* the descriptor is at its end */
    const char    *fault;        /* why the text after `clean` is invalid; NULL: no fault found */
    char          *window;
    size_t         size;         /* size of the window in bytes */
    size_t         record;       /* offset of the record last read */
    size_t         next;         /* offset of the next record */
    size_t         clean;        /* offset of the end of the text known to be valid UTF-8 */
    size_t         filled;       /* offset of the end of the text in the window */
    size_t         capacity;     /* number of allocated `fields` */
    char          *scratch;      /* contents of fields that had doubled quotes */
    size_t         scratch_size;
    bool           started;      /* the byte order mark has been looked for */
    uint64_t       dropped;      /* number of bytes that have left the window */
    uint64_t       total;        /* size of the text in bytes; 0: unknown */
};

/** Start reading `fd`; the caller keeps the descriptor. */
hs_status hsi_csv_open(struct hsi_csv *csv, int fd, hs_error *error);

/**
 * Free the window and the fields; further calls do nothing. hsi_csv_fail_at() and
 * hsi_csv_fail_status() still work.
 */
void hsi_csv_close(struct hsi_csv *csv);

/**
 * If the next line begins with '#', read it: return HS_OK with *found = 1, the first word (may be
 * empty) in fields[0] and the rest without surrounding blanks in fields[1]. Otherwise return HS_OK
 * with *found = 0.
 */
hs_status hsi_csv_next_comment(struct hsi_csv *csv, int *found);

/** Read the next record; *found = 0 at the end of the text. */
hs_status hsi_csv_next_record(struct hsi_csv *csv, int *found);

/**
 * Read the next record as the header: column[i] becomes the number of the column named names[i], or
 * -1 if it is missing. The first `required` names must be present. Duplicate columns are refused,
 * and unknown columns too unless `ignore_unknown`. csv->count is then the number of columns.
 */
hs_status hsi_csv_read_header(struct hsi_csv *csv, size_t count, const char *const *names,
                              size_t required, int ignore_unknown, int *column);

/** Return the share of the text up to the end of the record last read; 0 if unknown. */
double hsi_csv_share_read(const struct hsi_csv *csv);

/** Read the next record, which must have `columns` fields. *found = 0 at the end. */
hs_status hsi_csv_next_row(struct hsi_csv *csv, size_t columns, int *found);

/**
 * Write *error with the place of a field of the record last read (NULL: of the record). Return
 * HS_ESYNTAX.
 */
hs_status hsi_csv_fail(struct hsi_csv *csv, const struct hsi_field *field, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Write *error for a place that is no longer in the window. Return HS_ESYNTAX. */
hs_status hsi_csv_fail_at(struct hsi_csv *csv, uint64_t line, uint64_t column,
                          const char *format, ...) __attribute__((format(printf, 4, 5)));

/**
 * Compute line and column of a field of the record last read; NULL: of the record. O(length of the
 * record).
 */
void hsi_csv_position(const struct hsi_csv *csv, const struct hsi_field *field, uint64_t *line,
                      uint64_t *column);

/**
 * Change the status of *error to HS_EKIND, because the file is of another kind. Return HS_EKIND.
 */
hs_status hsi_csv_fail_wrong_kind(struct hsi_csv *csv);

/**
 * Describe a status without position, e.g. HS_ENOMEM, in *error; return the status. HS_OK leaves
 * *error as it is.
 */
hs_status hsi_csv_fail_status(struct hsi_csv *csv, hs_status status);

/** Return whether the content of the field is `word`. */
bool hsi_field_is(const struct hsi_field *field, const char *word);

#endif
