/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>

#include "core/error.h"
#include "core/task_names.h"
#include "io/plan/plan_info.h"
#include "io/plan/plan_header.h"
#include "io/plan/regroup_tasks.h"
#include "io/text/field_value.h"
#include "io/text/task_table.h"
#include "support/sized.h"

/* The columns of plans besides the columns of instances. */
enum { NAME, WORKER, START, END, STATE, ROW, OWN };

static const char *const own_names[OWN] = {"id", "worker", "start", "end", "state", "row"};

static const struct hsi_own_columns own_columns = {OWN, ROW, own_names};

struct reader {
    /* task table; a task is numbered by its first row in the file */
    struct hsi_rows       rows;
    struct hsi_plan_header lines;
    hsi_names             tasks;      /* index of the tasks by name, to find a task's earlier row */
    hs_plan_info          info;
    hsi_vector            placements;
    /* uint32_t: row of each task in the instance; empty without a column `row` */
    hsi_vector            numbers;
    int                   column[OWN];
};

/* Return whether the header has any of the columns worker, start, end, state. */
static bool has_places(const struct reader *r)
{
    return r->column[WORKER] >= 0 || r->column[START] >= 0 || r->column[END] >= 0 ||
           r->column[STATE] >= 0;
}

static bool has_tasks(const struct reader *r)
{
    int c = 0;

    while (c < HSI_SHARED && r->rows.column[c] < 0)
        c++;
    return c < HSI_SHARED || r->column[NAME] >= 0;
}

/*
 * Read the header. HS_EKIND: the file has no executions (columns worker, start, end, state), so it
 * may be an instance.
 */
static hs_status read_columns(struct reader *r)
{
    hs_status st = hsi_rows_read_header(&r->rows, &own_columns, r->column, HSI_SHARED);

    if (st != HS_ESYNTAX || has_places(r))
        return st;
    if (has_tasks(r))
        hsi_csv_fail(&r->rows.csv, NULL, "the header has none of the columns worker, start, end "
                     "and state; expected a plan, which an instance is not");
    return hsi_csv_fail_wrong_kind(&r->rows.csv);
}

/* Require the column `row` if tasks depend on each other, because then their order matters. */
static hs_status check_row_column(struct reader *r)
{
    if (r->column[ROW] >= 0 ||
        (r->rows.column[HSI_AFTER] < 0 && r->rows.column[HSI_DATA] < 0))
        return HS_OK;
    return hsi_csv_fail(&r->rows.csv, NULL, "the header has no column 'row', which plans with "
                        "'after' or 'data' must have");
}

static hs_status read_header(struct reader *r)
{
    struct hsi_csv *csv = &r->rows.csv;
    int             found, taken;
    hs_status       st;

    for (;;) {
        st = hsi_header_next_line(&r->rows.header, csv, &found);
        if (st != HS_OK || !found)
            break;
        st = hsi_rows_read_header_line(&r->rows, &taken);
        if (st == HS_OK && !taken)
            st = hsi_plan_header_add(&r->lines, csv);
        if (st != HS_OK)
            break;
    }
    if (st == HS_OK)
        st = hsi_plan_header_finish(&r->lines, csv, r->rows.builder, &r->info);
    if (st == HS_OK)
        st = read_columns(r);
    if (st == HS_OK)
        st = check_row_column(r);
    return st;
}

static const struct hsi_field *field_of(const struct reader *r, int column)
{
    return &r->rows.csv.fields[r->column[column]];
}

static bool is_text(const struct hsi_rows *rows, int column, hsi_text text)
{
    const struct hsi_field *field;

    if (rows->column[column] < 0)
        return true;
    field = &rows->csv.fields[rows->column[column]];
    return field->length == text.length &&
           (text.length == 0 || memcmp(field->at, text.at, text.length) == 0);
}

/* Return a column in which this row differs from the task's first row; -1: none. */
static int find_difference(const struct hsi_rows *rows, size_t task, const hsi_row *row)
{
    int column = hsi_store_first_difference(hsi_builder_rows(rows->builder), task, row, HSI_SHARED);

    if (column >= 0)
        return column;
    if (!is_text(rows, HSI_AFTER, hsi_list_text(&rows->after, task)))
        return HSI_AFTER;
    return is_text(rows, HSI_DATA, hsi_list_text(&rows->data, task)) ? -1 : HSI_DATA;
}

/* Check that the rows of a task (aborted and completed runs) have equal columns. */
static hs_status check_same(struct reader *r, size_t task, const hsi_row *row)
{
    const struct hsi_field *name = field_of(r, NAME);
    struct hsi_csv         *csv = &r->rows.csv;
    int                     column = find_difference(&r->rows, task, row);
    char                    id[HSI_QUOTE];
    uint64_t                line, ignored;

    if (column < 0)
        return HS_OK;
    hsi_places_find_row(&r->rows.places, task, &line, &ignored);
    return hsi_csv_fail(csv, &csv->fields[r->rows.column[column]], "%s of task %s is not the same "
                        "as on line %llu; expected a task's rows to agree",
                        hsi_columns[column].is.name, hsi_quote(name->at, name->length, id),
                        (unsigned long long)line);
}

static hs_status add_task(struct reader *r, hsi_row *row, hsi_text name)
{
    if (hsi_builder_rows(r->rows.builder)->tasks == HS_MAX_TASKS)
        return hsi_csv_fail(&r->rows.csv, NULL, "more tasks than there may be; expected at most "
                            "%llu", (unsigned long long)HS_MAX_TASKS);
    row->given |= HSI_BIT(HSI_ID);
    row->value[HSI_ID].text = name;
    return hsi_rows_add_to_builder(&r->rows, row, NULL);
}

/* Find the task named in the row, or add it to the task table. */
static hs_status find_task(struct reader *r, hsi_row *row, uint64_t hash, uint32_t *task)
{
    const struct hsi_field *field = field_of(r, NAME);
    const hsi_store        *store = hsi_builder_rows(r->rows.builder);
    hsi_text                name = {field->at, field->length};
    size_t                  number = hsi_names_insert(store, &r->tasks, name, hash);

    *task = (uint32_t)number;
    return number < store->rows ? check_same(r, number, row) : add_task(r, row, name);
}

static hs_status read_name(struct reader *r, uint64_t *hash)
{
    const struct hsi_field *name = field_of(r, NAME);
    hs_status               st;

    if (name->length == 0)
        return hsi_csv_fail(&r->rows.csv, name, "a row without an id; expected the task's name");
    st = hsi_field_check_name(&r->rows.csv, name, HSI_MAX_NAME);
    if (st != HS_OK)
        return st;
    return hsi_csv_fail_status(
        &r->rows.csv, hsi_names_prepare_insert(hsi_builder_rows(r->rows.builder), &r->tasks,
                                               (hsi_text){name->at, name->length}, hash));
}

/*
 * Read the column `row`: the task's row in the instance. Store it at the task's first row; later
 * rows must have the same number.
 */
static hs_status read_number(struct reader *r, uint32_t task)
{
    const struct hsi_field *field;
    const uint32_t         *known = r->numbers.data;
    uint64_t                number;
    uint32_t                small;
    hs_status               st;

    if (r->column[ROW] < 0)
        return HS_OK;
    field = field_of(r, ROW);
    st = hsi_field_read_whole(&r->rows.csv, field, "row", 0, HS_MAX_TASKS - 1, &number);
    if (st != HS_OK)
        return st;
    small = (uint32_t)number;
    if (task == r->numbers.size / sizeof small)
        return hsi_csv_fail_status(&r->rows.csv,
                                   hsi_vector_append(&r->numbers, &small, sizeof small)
                                       ? HS_ENOMEM
                                       : HS_OK);
    if (known[task] == small)
        return HS_OK;
    return hsi_csv_fail(&r->rows.csv, field, "row %lu, and %lu where the task stood before; "
                        "expected a task's rows to agree", (unsigned long)small,
                        (unsigned long)known[task]);
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
                            hsi_quote(field->at, field->length, shown));
    return HS_OK;
}

/* Read worker, start, end and state of a row. */
static hs_status read_placement(struct reader *r, hs_placement *placement)
{
    struct hsi_csv *csv = &r->rows.csv;
    hs_status       st;

    st = hsi_field_read_worker(csv, field_of(r, WORKER), r->rows.header.cpus, r->rows.header.gpus,
                               &placement->worker);
    if (st == HS_OK)
        st = hsi_field_read_number(csv, field_of(r, START), "start", 0, &placement->start);
    if (st == HS_OK)
        st = hsi_field_read_number(csv, field_of(r, END), "end", 0, &placement->end);
    if (st == HS_OK && placement->end < placement->start)
        st = hsi_csv_fail(csv, field_of(r, END), "the end is before the start; expected "
                          "a time at or after it");
    return st == HS_OK ? read_state(r, &placement->state) : st;
}

/*
 * Read a row. If both the task and the placement are faulty, the task's error is reported, although
 * it is found later: see hsi_names_prepare_insert().
 */
static hs_status read_row(struct reader *r, hs_placement *placement)
{
    hsi_row   row;
    uint64_t  hash;
    hs_status st = read_name(r, &hash), placed;

    if (st == HS_OK)
        st = hsi_rows_convert_record(&r->rows, &row);
    if (st != HS_OK)
        return st;
    placed = read_placement(r, placement);
    st = find_task(r, &row, hash, &placement->task);
    if (st == HS_OK)
        st = read_number(r, placement->task);
    return st == HS_OK ? placed : st;
}

static hs_status read_rows(struct reader *r)
{
    hs_placement placement;
    int          found;
    hs_status    st;

    for (;;) {
        st = hsi_csv_next_row(&r->rows.csv, r->rows.width, &found);
        if (st != HS_OK || !found)
            return st;
        st = read_row(r, &placement);
        if (st != HS_OK)
            return st;
        if (hsi_vector_append(&r->placements, &placement, sizeof placement))
            return hsi_csv_fail_status(&r->rows.csv, HS_ENOMEM);
    }
}

/* Merge tasks into the rows of the instance, by the column `row`, and renumber the placements. */
static hs_status regroup(struct reader *r)
{
    hs_placement *placements = r->placements.data;
    size_t        tasks = r->numbers.size / sizeof(uint32_t);
    uint32_t     *renumbered = malloc((tasks + 1) * sizeof *renumbered);
    hs_status     st = renumbered ? hsi_plan_regroup(&r->rows, r->numbers.data, renumbered)
                                  : hsi_csv_fail_status(&r->rows.csv, HS_ENOMEM);

    for (size_t i = 0; st == HS_OK && i < r->placements.size / sizeof *placements; i++)
        placements[i].task = renumbered[placements[i].task];
    free(renumbered);
    return st;
}

/*
 * Complete the result. Memory no longer needed is freed first, because the last steps need memory
 * too.
 */
static hs_status finish(struct reader *r, hs_instance **instance, hs_schedule **schedule)
{
    const struct hsi_header *header = &r->rows.header;
    hs_status                st;

    hsi_names_free(&r->tasks);
    hsi_vector_trim(&r->placements);
    hsi_builder_assume_unique_ids(r->rows.builder);
    st = r->column[ROW] >= 0 ? regroup(r) : HS_OK;
    if (st == HS_OK)
        st = hsi_rows_finish(&r->rows, instance);
    if (st != HS_OK)
        return st;
    st = hs_schedule_build(header->cpus, header->gpus,
                           r->placements.size / sizeof(hs_placement), r->placements.data,
                           schedule);
    return hsi_csv_fail_status(&r->rows.csv, st);
}

static void close_reader(struct reader *r)
{
    int saved_errno = errno;

    hsi_vector_free(&r->placements);
    hsi_vector_free(&r->numbers);
    hsi_names_free(&r->tasks);
    hsi_plan_header_close(&r->lines);
    hsi_rows_close(&r->rows);
    errno = saved_errno;
}

hs_status hs_plan_read(int fd, const hs_read_settings *settings, hs_instance **instance,
                       hs_schedule **schedule, hs_plan_info *info, hs_error *error)
{
    struct reader r = {.column = {0}};
    hs_instance  *in = NULL;
    hs_status     st;

    if (!instance || !schedule)
        return hsi_error_set_status(error, HS_EINVAL);
    hs_plan_info_init(&r.info);
    st = hsi_rows_open(&r.rows, fd, "plan", settings, error);
    if (st == HS_OK)
        st = read_header(&r);
    if (st == HS_OK)
        st = read_rows(&r);
    if (st == HS_OK)
        st = finish(&r, &in, schedule);
    if (st == HS_OK) {
        *instance = in;
        if (info)
            hsi_sized_copy_out(info, &r.info, sizeof r.info);
        in = NULL;
    }
    hs_instance_free(in);
    close_reader(&r);
    return st;
}
