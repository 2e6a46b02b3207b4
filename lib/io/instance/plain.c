/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Most rows are plain, and then their fields can be converted where they stand, each
 * telling where the next begins. Nothing is refused here: what is not plain is left to
 * the careful reader, which says what is wrong with it, if anything is.
 */
#include <math.h>

#include "io/instance/reader.h"
#include "io/text/plain.h"
#include "support/decimal/decimal.h"

enum { UNKNOWN = HSI_INSTANCE_COLUMNS }; /* a column that is not read */

hs_status hsi_plain_prepare(struct hsi_instance_reader *r)
{
    r->kind = hsi_columns_kinds(r->column, HSI_INSTANCE_COLUMNS, r->width);
    return r->kind ? HS_OK : HS_ENOMEM;
}

static const char *count(const char *at, const char *end, uint32_t *value)
{
    int64_t number;

    at = hsi_plain_whole(at, end, &number);
    if (!at || number < 1 || number > UINT32_MAX)
        return NULL;
    *value = (uint32_t)number;
    return at;
}

/* One field into the row; its end, or NULL if the row is not plain. */
static const char *field(int kind, const char *at, const char *end, hsi_row *row)
{
    hsi_text ignored;

    switch (kind) {
    case HSI_COUNT:
        return count(at, end, &row->count);
    case HSI_ID:
        return hsi_plain_text(at, end, &row->id);
    case UNKNOWN:
        return hsi_plain_text(at, end, &ignored);
    default:
        return hsi_plain_field(kind, at, end, row);
    }
}

/* The row at `at`: the start of the next, or NULL if it is not plain. */
static const char *plain_row(const struct hsi_instance_reader *r, const char *at, const char *end,
                             hsi_row *row)
{
    size_t last = r->width - 1;

    if (at == end || *at == '#')
        return NULL;
    for (size_t i = 0;; i++) {
        at = field(r->kind[i], at, end, row);
        if (!at || at == end)
            return NULL;
        if (i == last)
            break;
        if (*at++ != ',')
            return NULL;
    }
    if (*at == '\r' && at + 1 < end)
        at++;
    return *at == '\n' ? at + 1 : NULL;
}

/* Only what is right beyond doubt: a time that is infinite may have been meant or not. */
static int is_right(const struct hsi_instance_reader *r, const hsi_row *row)
{
    return row->cpu > 0 && row->gpu > 0 && row->cpu < INFINITY && row->gpu < INFINITY &&
           row->id.length <= HS_MAX_ID && row->count <= HS_MAX_TASKS - r->tasks;
}

static hs_status add(struct hsi_instance_reader *r, const char *start, const hsi_row *row)
{
    uint64_t  column = r->column[HSI_ID] > 0 ? (uint64_t)(row->id.at - start) + 1 : 1;
    hs_status st = hsi_places_add(&r->places, r->csv.next_line, column);

    if (st == HS_OK)
        st = hsi_builder_add(r->builder, row);
    r->tasks += row->count;
    r->csv.next_line++;
    return st;
}

static hs_status special_rows(struct hsi_instance_reader *r)
{
    const char *at = r->csv.window + r->csv.next, *end = r->csv.window + r->csv.clean, *next;
    hsi_row     row = {.count = 1};
    hs_status   st = HS_OK;

    while (st == HS_OK && (next = plain_row(r, at, end, &row)) && is_right(r, &row)) {
        st = add(r, at, &row);
        at = next;
    }
    r->csv.next = (size_t)(at - r->csv.window);
    return st;
}

/* "cpu,gpu" or "id,cpu,gpu", nothing else and in this order? */
static int has_times_alone(const struct hsi_instance_reader *r)
{
    int id = r->column[HSI_ID] == 0;

    return r->column[HSI_CPU] == id && r->column[HSI_GPU] == id + 1 && r->width == (size_t)id + 2;
}

static inline int is_time(double value)
{
    return value > 0 && value < INFINITY;
}

/* As plain_row() and is_right(): row i of the batch. */
static inline const char *times_row(const char *at, const char *end, int has_id, hsi_batch *batch,
                                    size_t i)
{
    if (at == end || *at == '#')
        return NULL;
    if (has_id) {
        at = hsi_plain_text(at, end, &batch->id[i]);
        if (at == end || *at++ != ',' || batch->id[i].length > HS_MAX_ID)
            return NULL;
    }
    at = hsi_decimal_read(at, end, &batch->cpu[i]);
    if (!at || at == end || *at++ != ',')
        return NULL;
    at = hsi_decimal_read(at, end, &batch->gpu[i]);
    if (!at || at == end || !is_time(batch->cpu[i]) || !is_time(batch->gpu[i]))
        return NULL;
    if (*at == '\r' && at + 1 < end)
        at++;
    return *at == '\n' ? at + 1 : NULL;
}

/* As many as there are, or fit; where the next row begins. */
static const char *fill_batch(const char *at, const char *end, int has_id, hsi_batch *batch)
{
    const char *next;
    size_t      bytes = 0, i;

    for (i = 0; i < HSI_BATCH && (next = times_row(at, end, has_id, batch, i)); i++) {
        bytes += has_id ? batch->id[i].length : 0;
        at = next;
    }
    batch->count = i;
    batch->id_bytes = bytes;
    return at;
}

static hs_status add_batch(struct hsi_instance_reader *r, const hsi_batch *batch)
{
    hs_status st = hsi_places_add_lines(&r->places, r->csv.next_line, batch->count);

    if (st == HS_OK)
        st = hsi_builder_add_batch(r->builder, batch);
    r->tasks += batch->count;
    r->csv.next_line += batch->count;
    return st;
}

static hs_status times_rows(struct hsi_instance_reader *r)
{
    const char *at = r->csv.window + r->csv.next, *end = r->csv.window + r->csv.clean;
    int         has_id = r->column[HSI_ID] == 0;
    hsi_batch   batch;
    hs_status   st = HS_OK;

    do {
        const char *next = fill_batch(at, end, has_id, &batch);

        if (batch.count == 0 || batch.count > HS_MAX_TASKS - r->tasks)
            break;
        st = add_batch(r, &batch);
        at = next;
    } while (st == HS_OK && batch.count == HSI_BATCH);
    r->csv.next = (size_t)(at - r->csv.window);
    return st;
}

hs_status hsi_plain_rows(struct hsi_instance_reader *r)
{
    return has_times_alone(r) ? times_rows(r) : special_rows(r);
}
