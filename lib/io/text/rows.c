/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/text/rows.h"

#include <errno.h>
#include <stdio.h>

#include "io/text/field.h"

#define QUOTED(field) hsi_csv_quote((field)->at, (field)->length, (char[HSI_QUOTE]){0})

hs_status hsi_rows_open(struct hsi_rows *r, int fd, const char *kind,
                        const hs_read_options *options, hs_diagnostic *why)
{
    hs_status st;

    memset(r, 0, sizeof *r);
    hsi_header_init(&r->header, kind);
    st = hsi_csv_open(&r->csv, fd, why);
    if (st == HS_OK)
        st = hsi_csv_fail_status(&r->csv, hsi_read_options_resolve(&r->options, options));
    if (st == HS_OK)
        st = hsi_csv_fail_status(&r->csv, hs_builder_create(&r->builder));
    return st;
}

void hsi_rows_close(struct hsi_rows *r)
{
    int error = errno;

    hs_builder_free(r->builder);
    hsi_places_close(&r->places);
    hsi_csv_close(&r->csv);
    errno = error;
}

hs_status hsi_rows_header(struct hsi_rows *r, size_t count, const char *const *own,
                          int *own_column, int end)
{
    const char *names[HSI_COLUMNS + 8];
    int         column[HSI_COLUMNS + 8];
    hs_status   st = hsi_header_workers(&r->header, &r->csv, &r->options);

    if (st != HS_OK)
        return st;
    for (size_t i = 0; i < count; i++)
        names[i] = own[i];
    for (int c = 0; c < end; c++)
        names[count + (size_t)c] = hsi_columns[c].is.name;
    st = hsi_csv_header(&r->csv, count + (size_t)end, names, count + HSI_REQUIRED,
                        r->options.ignore_unknown, column);
    for (size_t i = 0; i < count; i++)
        own_column[i] = column[i];
    memcpy(r->column, column + count, (size_t)end * sizeof *column);
    r->width = r->csv.count;
    for (int c = 0; st == HS_OK && c < end; c++) {
        if (r->column[c] < 0)
            continue;
        r->there[r->count++] = (unsigned char)c;
        r->given |= HSI_BIT(c);
        if (hsi_columns[c].is.type == HS_COLUMN_TIME && r->column[c] < 64)
            r->csv.times |= (uint64_t)1 << r->column[c];
    }
    return st;
}

/* "yes, no or nothing" */
static hs_status wrong_word(struct hsi_csv *csv, const struct hsi_field *field,
                            const hs_column *column)
{
    char   expected[128] = "";
    size_t used = 0;

    for (int i = 1; column->words[i] && used < sizeof expected; i++)
        used += (size_t)snprintf(expected + used, sizeof expected - used, "%s%s",
                                 i > 1 ? ", " : "", column->words[i]);
    return hsi_csv_fail(csv, field, "%s %s; expected %s or nothing", column->name, QUOTED(field),
                        expected);
}

static hs_status read_word(struct hsi_csv *csv, const struct hsi_field *field,
                           const hs_column *column, int64_t *value)
{
    for (*value = 0; column->words[*value]; ++*value)
        if (hsi_field_is(field, column->words[*value]))
            return HS_OK;
    return wrong_word(csv, field, column);
}

/* The value that a field has in a column, where a look does not tell it. */
static hs_status convert(struct hsi_csv *csv, const struct hsi_field *field, int column,
                         hsi_value *value)
{
    const hs_column *is = &hsi_columns[column].is;
    uint64_t         count;
    hs_status        st;

    if (field->length == 0) {
        *value = hsi_default(column);
        return HS_OK;
    }
    switch (is->type) {
    case HS_COLUMN_TIME:
        return hsi_field_time(csv, field, is->name, &value->time);
    case HS_COLUMN_INTEGER:
        return hsi_field_signed(csv, field, is->name, &value->integer);
    case HS_COLUMN_COUNT:
        st = hsi_field_whole(csv, field, is->name, 1, HS_MAX_TASKS, &count);
        value->integer = (int64_t)count;
        return st;
    default:
        return read_word(csv, field, is, &value->integer);
    }
}

static inline hs_status read_value(struct hsi_csv *csv, const struct hsi_field *field, int column,
                                   hsi_value *value)
{
    if (field->is_time)
        value->time = field->time;
    else if (hsi_columns[column].is.type == HS_COLUMN_TEXT)
        value->text = (hsi_text){field->at, field->length};
    else
        return convert(csv, field, column, value);
    return HS_OK;
}

static inline int has_worker(const struct hsi_rows *r, const hsi_row *row)
{
    return (r->header.cpus > 0 && row->value[HSI_CPU].time < INFINITY) ||
           (r->header.gpus > 0 && row->value[HSI_GPU].time < INFINITY);
}

static hs_status refuse_times(struct hsi_rows *r, const hsi_row *row)
{
    const struct hsi_field *cpu = &r->csv.fields[r->column[HSI_CPU]];
    const struct hsi_field *gpu = &r->csv.fields[r->column[HSI_GPU]];

    if (row->value[HSI_GPU].time < INFINITY)
        return hsi_csv_fail(&r->csv, cpu, "the task runs on GPUs only and there is none; expected "
                            "a finite cpu time");
    if (row->value[HSI_CPU].time < INFINITY)
        return hsi_csv_fail(&r->csv, gpu, "the task runs on CPUs only and there is none; expected "
                            "a finite gpu time");
    return hsi_csv_fail(&r->csv, cpu, "the task has no implementation at all; expected a finite "
                        "cpu or gpu time");
}

hs_status hsi_rows_read(struct hsi_rows *r, hsi_row *row)
{
    hs_status st = HS_OK;

    row->given = r->given;
    for (int i = 0; i < r->count && st == HS_OK; i++) {
        int c = r->there[i];

        st = read_value(&r->csv, &r->csv.fields[r->column[c]], c, &row->value[c]);
        if (c == HSI_GPU && st == HS_OK && !has_worker(r, row))
            st = refuse_times(r, row);
    }
    return st;
}

hs_status hsi_rows_add(struct hsi_rows *r, const hsi_row *row, const struct hsi_field *field)
{
    uint64_t  line = r->csv.line, column = 1;
    hs_status st;

    if (field)
        hsi_csv_place(&r->csv, field, &line, &column);
    st = hsi_places_add(&r->places, line, column);
    if (st == HS_OK)
        st = hsi_builder_add(r->builder, row);
    return st == HS_OK ? HS_OK : hsi_csv_fail_status(&r->csv, st);
}

hs_status hsi_rows_finish(struct hsi_rows *r, hs_instance **out, size_t *row)
{
    uint64_t  line, column;
    hs_status st;

    hsi_csv_close(&r->csv); /* finishing needs room, too */
    st = hs_builder_workers(r->builder, r->header.cpus, r->header.gpus);
    if (st == HS_OK)
        st = hs_builder_unit(r->builder, r->header.unit);
    if (st == HS_OK)
        st = hs_builder_finish(r->builder, out, row);
    if (st == HS_EDUPLICATE)
        return st;
    if (st == HS_EOVERFLOW) {
        hsi_places_find(&r->places, *row, &line, &column);
        return hsi_csv_fail_at(&r->csv, line, 1, "with this row the times are too large to be "
                               "added up; expected times whose sum is a double");
    }
    return hsi_csv_fail_status(&r->csv, st);
}
