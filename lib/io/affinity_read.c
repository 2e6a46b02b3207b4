/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "core/error.h"
#include "io/text/field_value.h"
#include "io/text/file_header.h"
#include "support/vector.h"

enum { TASK, WORKER, SCORE, COLUMNS };

static const char *const names[COLUMNS] = {"task", "worker", "score"};

/* The position of a task's row in the file, to name it if a later row has the same task. */
struct seen {
    uint32_t task;
    uint32_t column;
    uint64_t line;
};

struct reader {
    struct hsi_csv     csv;
    const hs_instance *in;
    hs_name_index     *index;
    hsi_vector         affinities, seen;
    size_t             width;
    int                column[COLUMNS];
};

static hs_status read_header(struct reader *r)
{
    struct hsi_header header;
    int               found;
    hs_status         st;

    hsi_header_init(&header, "affinities");
    do /* Skip comments: lines with an unknown key. */
        st = hsi_header_next_line(&header, &r->csv, &found);
    while (st == HS_OK && found);
    if (st == HS_OK)
        st = hsi_csv_read_header(&r->csv, COLUMNS, names, COLUMNS, 0, r->column);
    r->width = r->csv.count;
    return st;
}

static hs_status read_task(struct reader *r, const struct hsi_field *field, uint32_t *task)
{
    char   shown[HSI_QUOTE];
    size_t found;

    if (!hs_name_index_find(r->index, field->at, field->length, &found))
        return hsi_csv_fail(&r->csv, field, "no task is called %s; expected one of the instance",
                            hsi_quote(field->at, field->length, shown));
    *task = (uint32_t)found;
    return HS_OK;
}

static hs_status read_row(struct reader *r)
{
    const struct hsi_field *task = &r->csv.fields[r->column[TASK]];
    hs_affinity             affinity;
    struct seen             seen;
    uint64_t                column;
    hs_status               st = read_task(r, task, &affinity.task);

    if (st == HS_OK)
        st = hsi_field_read_worker(&r->csv, &r->csv.fields[r->column[WORKER]],
                                   hs_instance_cpus(r->in), hs_instance_gpus(r->in),
                                   &affinity.worker);
    if (st == HS_OK)
        st = hsi_field_read_number(&r->csv, &r->csv.fields[r->column[SCORE]], "score", -INFINITY,
                                   &affinity.score);
    if (st != HS_OK)
        return st;
    hsi_csv_position(&r->csv, task, &seen.line, &column);
    seen.task = affinity.task;
    seen.column = column < UINT32_MAX ? (uint32_t)column : UINT32_MAX;
    if (hsi_vector_append(&r->affinities, &affinity, sizeof affinity) ||
        hsi_vector_append(&r->seen, &seen, sizeof seen))
        return hsi_csv_fail_status(&r->csv, HS_ENOMEM);
    return HS_OK;
}

static hs_status read_rows(struct reader *r)
{
    int       found;
    hs_status st;

    for (;;) {
        st = hsi_csv_next_row(&r->csv, r->width, &found);
        if (st != HS_OK || !found)
            return st;
        st = read_row(r);
        if (st != HS_OK)
            return st;
    }
}

static int by_task_and_line(const void *a, const void *b)
{
    const struct seen *x = a, *y = b;

    if (x->task != y->task)
        return x->task < y->task ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* Report the first row whose task already has a row, as HS_ESYNTAX with both positions. */
static hs_status refuse_second(struct reader *r)
{
    struct seen       *seen = r->seen.data;
    const struct seen *first = NULL, *second = NULL;
    size_t             count = r->seen.size / sizeof *seen;

    if (count > 1)
        qsort(seen, count, sizeof *seen, by_task_and_line);
    for (size_t i = 1; i < count; i++)
        if (seen[i].task == seen[i - 1].task && (!second || seen[i].line < second->line)) {
            first = &seen[i - 1];
            second = &seen[i];
        }
    if (!second)
        return HS_OK;
    return hsi_csv_fail_at(&r->csv, second->line, second->column, "this task has an affinity on "
                           "line %llu already; expected one a task",
                           (unsigned long long)first->line);
}

hs_status hs_affinities_read(int fd, const hs_instance *in, hs_affinity **out, size_t *count,
                             hs_error *error)
{
    struct reader r = {.in = in};
    hs_status     st;
    int           saved_errno;

    if (!in || !out || !count)
        return hsi_error_set_status(error, HS_EINVAL);
    st = hsi_csv_open(&r.csv, fd, error);
    if (st != HS_OK)
        return st;
    st = hsi_csv_fail_status(&r.csv, hs_name_index_create(in, &r.index));
    if (st == HS_OK)
        st = read_header(&r);
    if (st == HS_OK)
        st = read_rows(&r);
    if (st == HS_OK)
        st = refuse_second(&r);
    if (st == HS_OK) {
        *out = r.affinities.data;
        *count = r.affinities.size / sizeof **out;
        r.affinities.data = NULL;
    }
    saved_errno = errno;
    hsi_vector_free(&r.affinities);
    hsi_vector_free(&r.seen);
    hs_name_index_free(r.index);
    hsi_csv_close(&r.csv);
    errno = saved_errno;
    return st;
}
