/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>

#include "io/text/field.h"
#include "io/plan/info.h"
#include "io/plan/lines.h"
#include "io/plan/reader.h"

static const char *const names[HSI_PLAN_COLUMNS] = {
    "id", "worker", "start", "end", "state", HSI_COLUMN_NAMES,
};

static hs_status read_header(struct hsi_plan_reader *r)
{
    int       found;
    hs_status st;

    for (;;) {
        st = hsi_header_next(&r->header, &r->csv, &found);
        if (st != HS_OK || !found)
            break;
        st = hsi_plan_lines_add(&r->lines, &r->csv);
        if (st != HS_OK)
            break;
    }
    if (st == HS_OK)
        st = hsi_plan_lines_finish(&r->lines, &r->csv, r->builder, &r->info);
    if (st == HS_OK)
        st = hsi_header_workers(&r->header, &r->csv, &r->options);
    if (st != HS_OK)
        return st;
    st = hsi_csv_header(&r->csv, HSI_PLAN_COLUMNS, names, HSI_PLAN_SHARED + 2,
                        r->options.ignore_unknown, r->column);
    r->width = r->csv.count;
    return st == HS_OK ? hsi_csv_fail_status(&r->csv, hsi_plain_plan_prepare(r)) : st;
}

static const struct hsi_field *field_of(const struct hsi_plan_reader *r, int column)
{
    return &r->csv.fields[r->column[column]];
}

static int same_text(const hsi_strings *column, size_t row, hsi_text text)
{
    const char *held = hsi_strings_get(column, row);

    if (!held)
        return text.length == 0;
    return strlen(held) == text.length && memcmp(held, text.at, text.length) == 0;
}

int hsi_plan_difference(const hsi_store *store, size_t task, const hsi_row *row)
{
    int restartable = store->restartable ? store->restartable[task] : HS_RESTART_DEFAULT;

    if (store->cpu[task] != row->cpu)
        return HSI_CPU;
    if (store->gpu[task] != row->gpu)
        return HSI_GPU;
    if ((store->priority ? store->priority[task] : 0) != row->priority)
        return HSI_PRIORITY;
    if (!same_text(&store->kernel, task, row->kernel))
        return HSI_KERNEL;
    if (!same_text(&store->cpu_command, task, row->cpu_command))
        return HSI_CPU_COMMAND;
    if (!same_text(&store->gpu_command, task, row->gpu_command))
        return HSI_GPU_COMMAND;
    return restartable == (int)row->restartable ? -1 : HSI_RESTARTABLE;
}

static hs_status check_same(struct hsi_plan_reader *r, size_t task, const hsi_row *row)
{
    int      column = hsi_plan_difference(hsi_builder_store(r->builder), task, row);
    char     id[HSI_QUOTE];
    uint64_t line, ignored;

    if (column < 0)
        return HS_OK;
    hsi_places_find(&r->places, task, &line, &ignored);
    column += HSI_PLAN_SHARED;
    return hsi_csv_fail(&r->csv, field_of(r, column), "%s of task %s is not the same as on line "
                        "%llu; expected a task's rows to agree", names[column],
                        hsi_csv_quote(row->id.at, row->id.length, id), (unsigned long long)line);
}

hs_status hsi_plan_add_task(struct hsi_plan_reader *r, const hsi_row *row, uint64_t line)
{
    hs_status st = hsi_places_add(&r->places, line, 1);

    if (st == HS_OK)
        st = hsi_builder_add(r->builder, row);
    r->count += st == HS_OK;
    return st;
}

static hs_status add_task(struct hsi_plan_reader *r, const hsi_row *row)
{
    if (r->count == HS_MAX_TASKS)
        return hsi_csv_fail(&r->csv, NULL, "more tasks than there may be; expected at most %llu",
                            (unsigned long long)HS_MAX_TASKS);
    return hsi_csv_fail_status(&r->csv, hsi_plan_add_task(r, row, r->csv.line));
}

static hs_status read_task(struct hsi_plan_reader *r, uint32_t *task)
{
    hsi_row   row = {.count = 1};
    size_t    number;
    hs_status st;

    if (field_of(r, HSI_PLAN_ID)->length == 0)
        return hsi_csv_fail(&r->csv, field_of(r, HSI_PLAN_ID), "a row without an id; expected the "
                            "task's name");
    st = hsi_columns_id(&r->csv, field_of(r, HSI_PLAN_ID), HSI_MAX_NAME, &row.id);
    if (st == HS_OK)
        st = hsi_columns_read(&r->csv, r->column + HSI_PLAN_SHARED, r->header.cpus,
                              r->header.gpus, &row);
    if (st != HS_OK)
        return st;
    st = hsi_name_table_enter(&r->tasks, &hsi_builder_store(r->builder)->id, row.id, r->count,
                              &number);
    if (st != HS_OK)
        return hsi_csv_fail_status(&r->csv, st);
    *task = (uint32_t)number;
    return number < r->count ? check_same(r, number, &row) : add_task(r, &row);
}

static hs_status read_state(struct hsi_plan_reader *r, uint32_t *state)
{
    const struct hsi_field *field = field_of(r, HSI_PLAN_STATE);
    char                    shown[HSI_QUOTE];

    if (hsi_field_is(field, "run"))
        *state = HS_RUN;
    else if (hsi_field_is(field, "aborted"))
        *state = HS_ABORTED;
    else
        return hsi_csv_fail(&r->csv, field, "state %s; expected run or aborted",
                            hsi_csv_quote(field->at, field->length, shown));
    return HS_OK;
}

static hs_status read_placement(struct hsi_plan_reader *r, hs_placement *placement)
{
    struct hsi_csv *csv = &r->csv;
    hs_status       st = read_task(r, &placement->task);

    if (st == HS_OK)
        st = hsi_field_worker(csv, field_of(r, HSI_PLAN_WORKER), r->header.cpus, r->header.gpus,
                              &placement->worker);
    if (st == HS_OK)
        st = hsi_field_number(csv, field_of(r, HSI_PLAN_START), "start", 0, &placement->start);
    if (st == HS_OK)
        st = hsi_field_number(csv, field_of(r, HSI_PLAN_END), "end", 0, &placement->end);
    if (st == HS_OK && placement->end < placement->start)
        st = hsi_csv_fail(csv, field_of(r, HSI_PLAN_END), "the end is before the start; expected "
                          "a time at or after it");
    return st == HS_OK ? read_state(r, &placement->state) : st;
}

static hs_status read_rows(struct hsi_plan_reader *r)
{
    hs_placement placement;
    int          found;
    hs_status    st;

    for (;;) {
        st = hsi_csv_fail_status(&r->csv, hsi_plain_plan_rows(r));
        if (st != HS_OK)
            return st;
        st = hsi_csv_row(&r->csv, r->width, &found);
        if (st != HS_OK || !found)
            return st;
        st = read_placement(r, &placement);
        if (st != HS_OK)
            return st;
        if (hsi_vector_append(&r->placements, &placement, sizeof placement))
            return hsi_csv_fail_status(&r->csv, HS_ENOMEM);
    }
}

static hs_status finish_instance(struct hsi_plan_reader *r, hs_instance **instance)
{
    uint64_t  line, column;
    size_t    row = 0;
    hs_status st;

    /* What is no longer needed goes first: finishing needs room, too. */
    hsi_csv_close(&r->csv);
    hsi_name_table_close(&r->tasks);
    hsi_vector_trim(&r->placements);
    st = hs_builder_workers(r->builder, r->header.cpus, r->header.gpus);
    if (st == HS_OK)
        st = hs_builder_unit(r->builder, r->header.unit);
    if (st == HS_OK)
        st = hs_builder_finish(r->builder, instance, &row);
    if (st == HS_EOVERFLOW) {
        hsi_places_find(&r->places, row, &line, &column);
        return hsi_csv_fail_at(&r->csv, line, 1, "with this row the times are too large to be "
                               "added up; expected times whose sum is a double");
    }
    return hsi_csv_fail_status(&r->csv, st);
}

static hs_status read_all(struct hsi_plan_reader *r, hs_instance **instance, hs_schedule **schedule)
{
    hs_status st = hsi_csv_fail_status(&r->csv, hs_builder_create(&r->builder));

    if (st == HS_OK)
        st = read_header(r);
    if (st == HS_OK)
        st = read_rows(r);
    if (st == HS_OK)
        st = finish_instance(r, instance);
    if (st == HS_OK)
        st = hsi_csv_fail_status(&r->csv,
                                 hs_schedule_build(r->header.cpus, r->header.gpus,
                                                   r->placements.size / sizeof(hs_placement),
                                                   r->placements.data, schedule));
    return st;
}

static void close_reader(struct hsi_plan_reader *r)
{
    int error = errno;

    hs_builder_free(r->builder);
    hsi_vector_free(&r->placements);
    hsi_name_table_close(&r->tasks);
    free(r->kind);
    hsi_places_close(&r->places);
    hsi_plan_lines_close(&r->lines);
    hsi_csv_close(&r->csv);
    errno = error;
}

hs_status hs_plan_read(int fd, const hs_read_options *options, hs_instance **instance,
                       hs_schedule **schedule, hs_plan_info *info, hs_diagnostic *why)
{
    struct hsi_plan_reader r = {.builder = NULL};
    hs_instance  *in = NULL;
    hs_schedule  *s = NULL;
    hs_diagnostic unseen;
    hs_status     st;

    if (!instance || !schedule)
        return HS_EINVAL;
    hs_plan_info_init(&r.info);
    hsi_header_init(&r.header, "plan");
    st = hsi_csv_open(&r.csv, fd, why ? why : &unseen);
    if (st != HS_OK)
        return st;
    st = hsi_csv_fail_status(&r.csv, hsi_read_options_resolve(&r.options, options));
    if (st == HS_OK)
        st = read_all(&r, &in, &s);
    if (st == HS_OK) {
        *instance = in;
        *schedule = s;
        hsi_plan_info_give(&r.info, info);
        in = NULL;
    }
    hs_instance_free(in);
    close_reader(&r);
    return st;
}
