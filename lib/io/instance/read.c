/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>

#include "io/text/columns.h"
#include "io/text/csv_window.h"
#include "io/text/field.h"
#include "io/text/header.h"
#include "io/instance/reader.h"

static const char *const names[HSI_INSTANCE_COLUMNS] = {HSI_COLUMN_NAMES, "id", "count"};

static hs_status read_header(struct hsi_instance_reader *r)
{
    struct hsi_csv *csv = &r->csv;
    int             found;
    hs_status       st;

    for (;;) {
        st = hsi_header_next(&r->header, csv, &found);
        if (st != HS_OK)
            return st;
        if (!found)
            break;
        st = hsi_builder_note(r->builder,
                              (hsi_text){csv->fields[0].at, csv->fields[0].length},
                              (hsi_text){csv->fields[1].at, csv->fields[1].length});
        if (st != HS_OK)
            return hsi_csv_fail_status(csv, st);
    }
    st = hsi_header_workers(&r->header, csv, &r->options);
    if (st != HS_OK)
        return st;
    st = hsi_csv_header(csv, HSI_INSTANCE_COLUMNS, names, 2, r->options.ignore_unknown, r->column);
    r->width = csv->count;
    return st == HS_OK ? hsi_csv_fail_status(csv, hsi_plain_prepare(r)) : st;
}

static hs_status read_count(struct hsi_instance_reader *r, hsi_row *row)
{
    const struct hsi_field *field;
    uint64_t                count = 1;

    if (r->column[HSI_COUNT] >= 0 && (field = &r->csv.fields[r->column[HSI_COUNT]])->length > 0) {
        hs_status st = hsi_field_whole(&r->csv, field, "count", 1, HS_MAX_TASKS, &count);

        if (st != HS_OK)
            return st;
        if (count > HS_MAX_TASKS - r->tasks)
            return hsi_csv_fail(&r->csv, field, "more tasks than there may be; expected at most "
                                "%llu in all", (unsigned long long)HS_MAX_TASKS);
    } else if (r->tasks == HS_MAX_TASKS) {
        return hsi_csv_fail(&r->csv, NULL, "more tasks than there may be; expected at most %llu",
                            (unsigned long long)HS_MAX_TASKS);
    }
    r->tasks += count;
    row->count = (uint32_t)count;
    return HS_OK;
}

static hs_status read_id(struct hsi_instance_reader *r, hsi_row *row)
{
    uint64_t  line = r->csv.line, column = 1;
    hs_status st;

    row->id = (hsi_text){NULL, 0};
    if (r->column[HSI_ID] >= 0) {
        const struct hsi_field *field = &r->csv.fields[r->column[HSI_ID]];

        st = hsi_columns_id(&r->csv, field, HS_MAX_ID, &row->id);
        if (st != HS_OK)
            return st;
        if (r->column[HSI_ID] > 0)
            hsi_csv_place(&r->csv, field, &line, &column);
    }
    return hsi_csv_fail_status(&r->csv, hsi_places_add(&r->places, line, column));
}

/* Any row, whatever is right or wrong with it. */
static hs_status read_row(struct hsi_instance_reader *r, int *found)
{
    hsi_row   row;
    hs_status st = hsi_csv_row(&r->csv, r->width, found);

    if (st != HS_OK || !*found)
        return st;
    st = hsi_columns_read(&r->csv, r->column, r->header.cpus, r->header.gpus, &row);
    if (st == HS_OK)
        st = read_count(r, &row);
    if (st == HS_OK)
        st = read_id(r, &row);
    if (st != HS_OK)
        return st;
    return hsi_csv_fail_status(&r->csv, hsi_builder_add(r->builder, &row));
}

/* So many rows tell what the others will be like. */
enum { ENOUGH = 1000 };

static hs_status read_rows(struct hsi_instance_reader *r)
{
    int       found, expected = 0;
    hs_status st;

    do {
        if (!expected && r->places.rows >= ENOUGH && hsi_csv_share(&r->csv) > 0) {
            hsi_builder_expect(r->builder, hsi_csv_share(&r->csv));
            expected = 1;
        }
        st = hsi_csv_fail_status(&r->csv, hsi_plain_rows(r));
        if (st == HS_OK)
            st = read_row(r, &found);
    } while (st == HS_OK && found);
    return st;
}

static hs_status refuse_duplicate(struct hsi_instance_reader *r, size_t row)
{
    const hsi_strings *ids = &hsi_builder_store(r->builder)->id;
    const char        *id = hsi_strings_get(ids, row);
    char               shown[HSI_QUOTE];
    uint64_t           line, column, first, ignored;
    size_t             other = 0;

    while (other < row && (!hsi_strings_get(ids, other) ||
                           strcmp(hsi_strings_get(ids, other), id) != 0))
        other++;
    hsi_places_find(&r->places, row, &line, &column);
    hsi_places_find(&r->places, other, &first, &ignored);
    hsi_csv_quote(id, strlen(id), shown);
    if (other < row)
        return hsi_csv_fail_at(&r->csv, line, column, "id %s stands on line %llu already; "
                               "expected ids that differ", shown, (unsigned long long)first);
    return hsi_csv_fail_at(&r->csv, line, column, "id %s is the name of another task already, "
                           "which has no id of its own or a count; expected ids that differ",
                           shown);
}

static hs_status finish(struct hsi_instance_reader *r, hs_instance **out)
{
    uint64_t  line, column;
    size_t    row = 0;
    hs_status st;

    hsi_csv_close(&r->csv); /* finishing needs room, too */
    st = hs_builder_workers(r->builder, r->header.cpus, r->header.gpus);
    if (st == HS_OK)
        st = hs_builder_unit(r->builder, r->header.unit);
    if (st == HS_OK)
        st = hs_builder_finish(r->builder, out, &row);
    if (st == HS_EDUPLICATE)
        return refuse_duplicate(r, row);
    if (st == HS_EOVERFLOW) {
        hsi_places_find(&r->places, row, &line, &column);
        return hsi_csv_fail_at(&r->csv, line, 1, "with this row the times are too large to be "
                               "added up; expected times whose sum is a double");
    }
    return hsi_csv_fail_status(&r->csv, st);
}

hs_status hs_instance_read(int fd, const hs_read_options *options, hs_instance **out,
                           hs_diagnostic *why)
{
    struct hsi_instance_reader r = {.builder = NULL};
    hs_diagnostic unseen;
    hs_status     st;
    int           error;

    if (!out)
        return HS_EINVAL;
    hsi_header_init(&r.header, "instance");
    st = hsi_csv_open(&r.csv, fd, why ? why : &unseen);
    if (st != HS_OK)
        return st;
    st = hsi_csv_fail_status(&r.csv, hsi_read_options_resolve(&r.options, options));
    if (st == HS_OK)
        st = hsi_csv_fail_status(&r.csv, hs_builder_create(&r.builder));
    if (st == HS_OK)
        st = read_header(&r);
    if (st == HS_OK)
        st = read_rows(&r);
    if (st == HS_OK)
        st = finish(&r, out);
    error = errno;
    hs_builder_free(r.builder);
    free(r.kind);
    hsi_places_close(&r.places);
    hsi_csv_close(&r.csv);
    errno = error;
    return st;
}
