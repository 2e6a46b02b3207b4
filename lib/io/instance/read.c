/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/error.h"
#include "io/text/field_value.h"
#include "io/text/task_table.h"

static hs_status read_header(struct hsi_rows *r)
{
    struct hsi_csv *csv = &r->csv;
    int             found, taken;
    hs_status       st;

    for (;;) {
        st = hsi_header_next_line(&r->header, csv, &found);
        if (st != HS_OK)
            return st;
        if (!found)
            return hsi_rows_read_header(r, &(struct hsi_own_columns){0}, NULL, HSI_COLUMNS);
        st = hsi_rows_read_header_line(r, &taken);
        if (st != HS_OK)
            return st;
        if (taken)
            continue;
        st = hsi_builder_add_note(r->builder, (hsi_text){csv->fields[0].at, csv->fields[0].length},
                                  (hsi_text){csv->fields[1].at, csv->fields[1].length});
        if (st != HS_OK)
            return hsi_csv_fail_status(csv, st);
    }
}

/* Return HS_ETOOBIG if the tasks of this row bring the total above HS_MAX_TASKS. */
static hs_status check_count(struct hsi_rows *r, const hsi_row *row)
{
    uint64_t tasks = hsi_builder_rows(r->builder)->tasks;

    if (row->given & HSI_BIT(HSI_COUNT)) {
        const struct hsi_field *field = &r->csv.fields[r->column[HSI_COUNT]];

        if (field->length > 0 && (uint64_t)row->value[HSI_COUNT].integer > HS_MAX_TASKS - tasks)
            return hsi_csv_fail(&r->csv, field, "more tasks than there may be; expected at most "
                                "%llu in all", (unsigned long long)HS_MAX_TASKS);
    }
    if (tasks == HS_MAX_TASKS)
        return hsi_csv_fail(&r->csv, NULL, "more tasks than there may be; expected at most %llu",
                            (unsigned long long)HS_MAX_TASKS);
    return HS_OK;
}

enum { MUCH_TEXT = 1 << 16 };

static hs_status read_row(struct hsi_rows *r)
{
    const struct hsi_field *id = r->column[HSI_ID] < 0 ? NULL : &r->csv.fields[r->column[HSI_ID]];
    hsi_row                 row;
    hs_status               st = hsi_rows_convert_record(r, &row);

    if (st == HS_OK)
        st = check_count(r, &row);
    if (st == HS_OK && id)
        st = hsi_field_check_name(&r->csv, id, HS_MAX_ID);
    if (st == HS_OK)
        st = hsi_rows_add_to_builder(r, &row, r->column[HSI_ID] > 0 ? id : NULL);
    if (st == HS_OK && r->data.text.size >= MUCH_TEXT)
        st = hsi_list_flush_data(&r->data, r->builder, &r->csv);
    return st;
}

/* rows read before the number of rows in the rest of the file is estimated */
enum { ENOUGH = 1000 };

/*
 * Reserve memory for the rest of the file. The data lists are flushed first even if the length of
 * the text is unknown, so that errors come in the same order.
 */
static hs_status expect(struct hsi_rows *r)
{
    double    share = hsi_csv_share_read(&r->csv);
    hs_status st = hsi_list_flush_data(&r->data, r->builder, &r->csv);

    if (share > 0) {
        hsi_builder_reserve_share(r->builder, share);
        hsi_list_reserve_share(&r->after, share);
        hsi_list_reserve_share(&r->data, share);
    }
    return st;
}

static hs_status read_rows(struct hsi_rows *r)
{
    int       found;
    hs_status st;

    for (;;) {
        st = hsi_csv_next_row(&r->csv, r->width, &found);
        if (st != HS_OK || !found)
            return st;
        st = read_row(r);
        if (st == HS_OK && r->places.rows == ENOUGH)
            st = expect(r);
        if (st != HS_OK)
            return st;
    }
}

hs_status hs_instance_read(int fd, const hs_read_settings *settings, hs_instance **out,
                           hs_error *error)
{
    struct hsi_rows r;
    hs_status       st;

    if (!out)
        return hsi_error_set_status(error, HS_EINVAL);
    st = hsi_rows_open(&r, fd, "instance", settings, error);
    r.allows_unknown = true;
    if (st == HS_OK)
        st = read_header(&r);
    if (st == HS_OK)
        st = read_rows(&r);
    if (st == HS_OK)
        st = hsi_rows_finish(&r, out);
    hsi_rows_close(&r);
    return st;
}
