/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_COLUMNS_H
#define HSI_CORE_COLUMNS_H

#include <math.h>
#include <string.h>

#include <hybridsched/instance.h>

/*
 * The task table: what is known of each row, told once. Whatever has to do with every column
 * (initialiser, builder, readers, writers, digest, comparison) walks this table, so that a new
 * column is one line here and one field of hs_task. The line: the name in capitals, the name in
 * files and in hs_task, the type, its part in the digest, the words of a WORD.
 *
 * A LIST has no field and no cells: what rows have there is told in core/graph/told.h; readers have
 * its text in hand as that of a TEXT.
 *
 * Files have them in this order, `id` apart, which comes first. `id` and `count` make the names
 * of tasks: instances have them in each row, plans the names instead.
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
    X(AFTER, after, LIST, EXTRA, NULL)                \
    X(DATA, data, LIST, EXTRA, NULL)                  \
    X(ID, id, TEXT, NAME, NULL)                       \
    X(COUNT, count, COUNT, NAME, NULL)

enum {
#define X(name, field, type, digest, words) HSI_##name,
    HSI_COLUMN_MAP(X)
#undef X
    HSI_COLUMNS,
    HSI_REQUIRED = HSI_PRIORITY, /* columns before this one must be in a file */
    HSI_SHARED = HSI_ID          /* columns before this one are a plan's, too */
};

/*
 * How a task's digest has a column (hsched-formats(5)): not but by the task's name; among the
 * numbers; among the strings behind them; or behind all those, where a row has a value, with the
 * name of the column, so that instances without it keep their digest: so every new column.
 */
typedef enum hsi_digest_part {
    HSI_DIGEST_NAME,
    HSI_DIGEST_NUMBER,
    HSI_DIGEST_STRING,
    HSI_DIGEST_EXTRA
} hsi_digest_part;

typedef struct hsi_column {
    hs_column       is;
    hsi_digest_part digest;
} hsi_column;

extern const hsi_column hsi_columns[HSI_COLUMNS];

typedef struct hsi_text {
    const char *at; /* not terminated; may be NULL when empty */
    size_t      length;
} hsi_text;

/* What a row says in one column, by its type; COUNT and WORD are integers, too, a LIST is text. */
typedef union hsi_value {
    double   time;
    int64_t  integer;
    hsi_text text;
} hsi_value;

#define HSI_BIT(column) ((uint32_t)1 << (column))

/* A row as readers and the builder have it in hand. */
typedef struct hsi_row {
    uint32_t  given; /* HSI_BIT() of the columns whose value is there; others have their default */
    hsi_value value[HSI_COLUMNS];
} hsi_row;

/* What says nothing: INFINITY, 0, 1, the first word, no text. */
static inline hsi_value hsi_default(int column)
{
    switch (hsi_columns[column].is.type) {
    case HS_COLUMN_TIME:
        return (hsi_value){.time = INFINITY};
    case HS_COLUMN_COUNT:
        return (hsi_value){.integer = 1};
    case HS_COLUMN_TEXT:
    case HS_COLUMN_LIST:
        return (hsi_value){.text = {NULL, 0}};
    default:
        return (hsi_value){.integer = 0};
    }
}

static inline int hsi_is_same(int column, const hsi_value *a, const hsi_value *b)
{
    switch (hsi_columns[column].is.type) {
    case HS_COLUMN_TIME:
        return a->time == b->time;
    case HS_COLUMN_TEXT:
    case HS_COLUMN_LIST:
        return a->text.length == b->text.length &&
               (a->text.length == 0 || memcmp(a->text.at, b->text.at, a->text.length) == 0);
    default:
        return a->integer == b->integer;
    }
}

static inline int hsi_is_default(int column, const hsi_value *value)
{
    hsi_value none = hsi_default(column);

    return hsi_is_same(column, value, &none);
}

/* Without its size. */
extern const hs_task hsi_task_defaults;

/* All columns of a row from a task; those that an older caller's struct lacks have their default.
 * HS_EINVAL: it was not initialised, or has no such word. */
hs_status hsi_task_resolve(const hs_task *given, hsi_row *row);

/*
 * The time of a type on which the row would run nothing, although it has a command for the other
 * type; -1: there is none. Without any command, and without a kernel, a task is only its time.
 */
int hsi_row_lacks_command(const hsi_row *row);

/* One field of it; a LIST has none. A text that is not empty has a NUL behind it, and is not
 * copied. */
void hsi_task_set(hs_task *task, int column, const hsi_value *value);

#endif
