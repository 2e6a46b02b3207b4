/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_COLUMNS_H
#define HSI_CORE_COLUMNS_H

#include <math.h>
#include <string.h>

#include <hybridsched/instance.h>

/*
 * The table of columns, the only place with the list of task attributes. Code about every column
 * (initialiser, builder, readers, writers, digest, comparison) iterates over this table, so a new
 * column is one line here and one field of hs_task. The line has: the name in capitals, the name in
 * files and in hs_task, the type, the part of the digest, the words of a WORD.
 *
 * A LIST has no field and no cells: the lists of rows are in core/graph/relations.h; readers handle
 * its text like a TEXT.
 *
 * Files have the columns in this order, except `id`, which comes first. `id` and `count` define the
 * names of tasks: instances have both in each row, plans have the names instead.
 */
#define HSI_COLUMN_MAP(X)                             \
    X(CPU, cpu, TIME, NUMBER, NULL)                   \
    X(GPU, gpu, TIME, NUMBER, NULL)                   \
    X(PRIORITY, priority, INTEGER, NUMBER, NULL)      \
    X(KERNEL, kernel, TEXT, STRING, NULL)             \
    X(CPU_COMMAND, cpu_command, TEXT, STRING, NULL)   \
    X(GPU_COMMAND, gpu_command, TEXT, STRING, NULL)   \
    X(RESTARTABLE, restartable, WORD, NUMBER, yes_no) \
    X(TIMEOUT, timeout, TIME, EXTRA, NULL)            \
    X(SIZE, size, NUMBER, EXTRA, NULL)                \
    X(FLOPS, flops, NUMBER, EXTRA, NULL)              \
    X(GUESS, guess, WORD, NONE, guess_words)          \
    X(AFTER, after, LIST, EXTRA, NULL)                \
    X(DATA, data, LIST, EXTRA, NULL)                  \
    X(ID, id, TEXT, NAME, NULL)                       \
    X(COUNT, count, COUNT, NAME, NULL)

enum {
#define X(name, field, type, digest, words) HSI_##name,
    HSI_COLUMN_MAP(X)
#undef X
        HSI_COLUMNS,
    HSI_REQUIRED = HSI_PRIORITY, /* first column that is optional in files */
    HSI_SHARED = HSI_ID          /* first column that plan files do not have */
};

/*
 * Position of a column in a task's digest (hsched-formats(5)): within the task's name; among the
 * numbers; among the strings after them; or at the end, with the column's name and only in rows
 * with a value; or not at all. New columns use EXTRA, to keep the digests of existing instances.
 */
typedef enum hsi_digest_part {
    HSI_DIGEST_NAME,
    HSI_DIGEST_NUMBER,
    HSI_DIGEST_STRING,
    HSI_DIGEST_EXTRA,
    HSI_DIGEST_NONE
} hsi_digest_part;

typedef struct hsi_column {
    hs_column       is;
    hsi_digest_part digest;
} hsi_column;

extern const hsi_column hsi_columns[HSI_COLUMNS];

typedef struct hsi_text {
    const char *at; /* text that is not terminated by NUL; may be NULL when empty */
    size_t      length;
} hsi_text;

/*
 * Value of a row in one column, by the column's type; NUMBER uses `time`, COUNT and WORD use
 * `integer`, LIST uses `text`.
 */
typedef union hsi_value {
    double   time;
    int64_t  integer;
    hsi_text text;
} hsi_value;

#define HSI_BIT(column) ((uint32_t)1 << (column))

/* A row in transit between readers and builder. */
typedef struct hsi_row {
    uint32_t  given; /* mask of HSI_BIT(): columns with a value here; other columns have their
                        default */
    hsi_value value[HSI_COLUMNS];
} hsi_row;

/* Return the default of a column: INFINITY, 0, 1, the first word, or no text. */
static inline hsi_value hsi_column_default(int column)
{
    switch (hsi_columns[column].is.type) {
    case HS_COLUMN_TIME:
        return (hsi_value){.time = INFINITY};
    case HS_COLUMN_NUMBER:
        return (hsi_value){.time = 0};
    case HS_COLUMN_COUNT:
        return (hsi_value){.integer = 1};
    case HS_COLUMN_TEXT:
    case HS_COLUMN_LIST:
        return (hsi_value){.text = {NULL, 0}};
    default:
        return (hsi_value){.integer = 0};
    }
}

static inline bool hsi_column_values_equal(int column, const hsi_value *a, const hsi_value *b)
{
    switch (hsi_columns[column].is.type) {
    case HS_COLUMN_TIME:
        return a->time == b->time || (isnan(a->time) && isnan(b->time));
    case HS_COLUMN_NUMBER:
        return a->time == b->time;
    case HS_COLUMN_TEXT:
    case HS_COLUMN_LIST:
        return a->text.length == b->text.length &&
               (a->text.length == 0 || memcmp(a->text.at, b->text.at, a->text.length) == 0);
    default:
        return a->integer == b->integer;
    }
}

static inline bool hsi_column_is_default(int column, const hsi_value *value)
{
    hsi_value none = hsi_column_default(column);

    return hsi_column_values_equal(column, value, &none);
}

/* Defaults of hs_task; struct_size is not set. */
extern const hs_task hsi_task_defaults;

/*
 * Copy a task to a row with all columns; fields missing in an older caller's struct get their
 * default. HS_EINVAL: the task was not initialised, or has an invalid word.
 */
hs_status hsi_task_to_row(const hs_task *given, hsi_row *row);

/*
 * Return the time column of the type that has a time but no command, although the other type has a
 * command; -1: none. A task without any command and kernel is valid: it has only times.
 */
int hsi_row_column_without_command(const hsi_row *row);

/*
 * Set a field of a task; no effect for a LIST. A nonempty text must be NUL-terminated and is not
 * copied.
 */
void hsi_task_set_column(hs_task *task, int column, const hsi_value *value);

#endif
