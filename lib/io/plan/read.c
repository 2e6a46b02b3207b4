/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>

#include "core/names.h"
#include "io/plan/info.h"
#include "io/plan/lines.h"
#include "io/text/field.h"
#include "io/text/rows.h"

/* Columns of plans alone. */
enum { NAME, WORKER, START, END, STATE, OWN };

static const char *const own_names[OWN] = {"id", "worker", "start", "end", "state"};

struct reader {
    struct hsi_rows       rows;       /* tasks, in the order in which they come first */
    struct hsi_plan_lines lines;
    hsi_names             tasks;      /* by their names */
    hs_plan_info          info;
    hsi_vector            placements;
    int                   column[OWN];
};

static hs_status read_header(struct reader *r)
{
    struct hsi_csv *csv = &r->rows.csv;
    int             found;
    hs_status       st;

    for (;;) {
        st = hsi_header_next(&r->rows.header, csv, &found);
        if (st != HS_OK || !found)
            break;
        st = hsi_plan_lines_add(&r->lines, csv);
        if (st != HS_OK)
            break;
    }
    if (st == HS_OK)
        st = hsi_plan_lines_finish(&r->lines, csv, r->rows.builder, &r->info);
    if (st == HS_OK)
        st = hsi_rows_header(&r->rows, OWN, own_names, r->column, HSI_SHARED);
    return st;
}

static const struct hsi_field *field_of(const struct reader *r, int column)
{
    return &r->rows.csv.fields[r->column[column]];
}

/* All rows of a task say the same of it. */
static hs_status check_same(struct reader *r, size_t task, const hsi_row *row)
{
    const struct hsi_field *name = field_of(r, NAME);
    struct hsi_csv         *csv = &r->rows.csv;
    int      column = hsi_store_difference(hsi_builder_store(r->rows.builder), task, row,
                                           HSI_SHARED);
    char     id[HSI_QUOTE];
    uint64_t line, ignored;

    if (column < 0)
        return HS_OK;
    hsi_places_find(&r->rows.places, task, &line, &ignored);
    return hsi_csv_fail(csv, &csv->fields[r->rows.column[column]], "%s of task %s is not the same "
                        "as on line %llu; expected a task's rows to agree",
                        hsi_columns[column].is.name, hsi_csv_quote(name->at, name->length, id),
                        (unsigned long long)line);
}

static hs_status add_task(struct reader *r, hsi_row *row, hsi_text name)
{
    if (hsi_builder_store(r->rows.builder)->tasks == HS_MAX_TASKS)
        return hsi_csv_fail(&r->rows.csv, NULL, "more tasks than there may be; expected at most "
                            "%llu", (unsigned long long)HS_MAX_TASKS);
    row->given |= HSI_BIT(HSI_ID);
    row->value[HSI_ID].text = name;
    return hsi_rows_add(&r->rows, row, NULL);
}

/* The row's task, met before or not. */
static hs_status find_task(struct reader *r, hsi_row *row, uint64_t hash, uint32_t *task)
{
    const struct hsi_field *field = field_of(r, NAME);
    const hsi_store        *store = hsi_builder_store(r->rows.builder);
    hsi_text                name = {field->at, field->length};
    size_t                  number = hsi_names_enter(store, &r->tasks, name, hash);

    *task = (uint32_t)number;
    return number < store->rows ? check_same(r, number, row) : add_task(r, row, name);
}

static hs_status read_name(struct reader *r, uint64_t *hash)
{
    const struct hsi_field *name = field_of(r, NAME);
    hs_status               st;

    if (name->length == 0)
        return hsi_csv_fail(&r->rows.csv, name, "a row without an id; expected the task's name");
    st = hsi_field_name(&r->rows.csv, name, HSI_MAX_NAME);
    if (st != HS_OK)
        return st;
    return hsi_csv_fail_status(&r->rows.csv,
                               hsi_names_hash(hsi_builder_store(r->rows.builder), &r->tasks,
                                              (hsi_text){name->at, name->length}, hash));
}

static hs_status read_state(struct reader *r, uint32_t *state)
{
    const struct hsi_field *field = field_of(r, STATE);
    char                    shown[HSI_QUOTE];

    if (hsi_field_is(field, "run"))
        *state = HS_RUN;
    else if (hsi_field_is(field, "aborted"))
        *state = HS_ABORTED;
    else
        return hsi_csv_fail(&r->rows.csv, field, "state %s; expected run or aborted",
                            hsi_csv_quote(field->at, field->length, shown));
    return HS_OK;
}

/* All but its task. */
static hs_status read_placement(struct reader *r, hs_placement *placement)
{
    struct hsi_csv *csv = &r->rows.csv;
    hs_status       st;

    st = hsi_field_worker(csv, field_of(r, WORKER), r->rows.header.cpus, r->rows.header.gpus,
                          &placement->worker);
    if (st == HS_OK)
        st = hsi_field_number(csv, field_of(r, START), "start", 0, &placement->start);
    if (st == HS_OK)
        st = hsi_field_number(csv, field_of(r, END), "end", 0, &placement->end);
    if (st == HS_OK && placement->end < placement->start)
        st = hsi_csv_fail(csv, field_of(r, END), "the end is before the start; expected "
                          "a time at or after it");
    return st == HS_OK ? read_state(r, &placement->state) : st;
}

/* What is wrong with the task comes before what is wrong with the placement, and is found out after
 * it: see hsi_names_hash(). */
static hs_status read_row(struct reader *r, hs_placement *placement)
{
    hsi_row   row;
    uint64_t  hash;
    hs_status st = read_name(r, &hash), placed;

    if (st == HS_OK)
        st = hsi_rows_read(&r->rows, &row);
    if (st != HS_OK)
        return st;
    placed = read_placement(r, placement);
    st = find_task(r, &row, hash, &placement->task);
    return st == HS_OK ? placed : st;
}

static hs_status read_rows(struct reader *r)
{
    hs_placement placement;
    int          found;
    hs_status    st;

    for (;;) {
        st = hsi_csv_row(&r->rows.csv, r->rows.width, &found);
        if (st != HS_OK || !found)
            return st;
        st = read_row(r, &placement);
        if (st != HS_OK)
            return st;
        if (hsi_vector_append(&r->placements, &placement, sizeof placement))
            return hsi_csv_fail_status(&r->rows.csv, HS_ENOMEM);
    }
}

/* What is no longer needed goes first: finishing needs room, too. */
static hs_status finish(struct reader *r, hs_instance **instance, hs_schedule **schedule)
{
    const struct hsi_header *header = &r->rows.header;
    size_t                   row;
    hs_status                st;

    hsi_names_free(&r->tasks);
    hsi_vector_trim(&r->placements);
    hsi_builder_distinct(r->rows.builder);
    st = hsi_rows_finish(&r->rows, instance, &row);
    if (st != HS_OK)
        return st;
    st = hs_schedule_build(header->cpus, header->gpus,
                           r->placements.size / sizeof(hs_placement), r->placements.data,
                           schedule);
    return hsi_csv_fail_status(&r->rows.csv, st);
}

static void close_reader(struct reader *r)
{
    int error = errno;

    hsi_vector_free(&r->placements);
    hsi_names_free(&r->tasks);
    hsi_plan_lines_close(&r->lines);
    hsi_rows_close(&r->rows);
    errno = error;
}

hs_status hs_plan_read(int fd, const hs_read_options *options, hs_instance **instance,
                       hs_schedule **schedule, hs_plan_info *info, hs_diagnostic *why)
{
    struct reader r = {.column = {0}};
    hs_instance  *in = NULL;
    hs_diagnostic unseen;
    hs_status     st;

    if (!instance || !schedule)
        return HS_EINVAL;
    hs_plan_info_init(&r.info);
    st = hsi_rows_open(&r.rows, fd, "plan", options, why ? why : &unseen);
    if (st == HS_OK)
        st = read_header(&r);
    if (st == HS_OK)
        st = read_rows(&r);
    if (st == HS_OK)
        st = finish(&r, &in, schedule);
    if (st == HS_OK) {
        *instance = in;
        hsi_plan_info_give(&r.info, info);
        in = NULL;
    }
    hs_instance_free(in);
    close_reader(&r);
    return st;
}
