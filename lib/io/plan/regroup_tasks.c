/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/plan/regroup_tasks.h"

#include <stdlib.h>

#include "core/task_names.h"
#include "support/sort.h"

struct work {
    struct hsi_rows  *rows;   /* tasks in the order of the file */
    const hsi_store  *store;
    const uint32_t   *number;
    uint32_t         *renumbered;
    uint32_t         *order;  /* tasks sorted by row of the instance */
    uint32_t         *scratch;
    hs_builder       *builder; /* result: rows of the instance, with `after` and `data` */
    struct hsi_list   after, data;
    struct hsi_places places;
    size_t            tasks; /* number of tasks in the rows added so far */
};

static int comes_before(const void *context, uint32_t a, uint32_t b)
{
    const uint32_t *number = context;

    return number[a] != number[b] ? number[a] < number[b] : a < b;
}

static hsi_text name_of(const struct work *w, uint32_t task)
{
    return hsi_store_value(w->store, HSI_ID, task).text;
}

static bool is_same_text(hsi_text a, hsi_text b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.at, b.at, a.length) == 0);
}

static hs_status refuse(struct work *w, uint32_t task, const char *why)
{
    hsi_text name = name_of(w, task);
    char     shown[HSI_QUOTE];
    uint64_t line, column;

    hsi_places_find_row(&w->rows->places, task, &line, &column);
    hsi_quote(name.at, name.length, shown);
    return hsi_csv_fail_at(&w->rows->csv, line, 1, "task %s of row %lu %s", shown,
                           (unsigned long)w->number[task], why);
}

/* Fill *row with the columns of a task; `id` is the task's name without the number of a copy. */
static void take_row(const struct work *w, uint32_t task, hsi_text id, size_t count, hsi_row *row)
{
    row->given = HSI_BIT(HSI_ID) | HSI_BIT(HSI_COUNT);
    row->value[HSI_ID].text = id;
    row->value[HSI_COUNT].integer = (int64_t)count;
    for (int c = 0; c < HSI_SHARED; c++)
        if (hsi_columns[c].is.type != HS_COLUMN_LIST) {
            row->given |= HSI_BIT(c);
            row->value[c] = hsi_store_value(w->store, c, task);
        }
}

/* Return whether two tasks agree in all columns but their names. */
static bool agree(const struct work *w, uint32_t task, uint32_t other, const hsi_row *row)
{
    return hsi_store_first_difference(w->store, other, row, HSI_SHARED) < 0 &&
           is_same_text(hsi_list_text(&w->rows->after, task),
                        hsi_list_text(&w->rows->after, other)) &&
           is_same_text(hsi_list_text(&w->rows->data, task), hsi_list_text(&w->rows->data, other));
}

/*
 * Renumber the tasks members[0 .. count - 1], which must be the copies ID#1 .. ID#count of one row,
 * in any order.
 */
static hs_status number_copies(struct work *w, const uint32_t *members, size_t count,
                               hsi_text *id)
{
    uint32_t copy;

    memset(w->scratch, 0, count * sizeof *w->scratch);
    for (size_t i = 0; i < count; i++) {
        hsi_text whole = name_of(w, members[i]), name = hsi_split_copy_name(whole, &copy);

        if (i == 0)
            *id = name;
        if (copy == 0 || copy > count || !is_same_text(name, *id) || w->scratch[copy - 1])
            return refuse(w, members[i], "is not one of its copies; expected ID#1, ID#2 and so "
                          "on where several tasks have the same row");
        w->scratch[copy - 1] = 1;
        w->renumbered[members[i]] = (uint32_t)(w->tasks + copy - 1);
    }
    return HS_OK;
}

static hs_status add_row(struct work *w, const uint32_t *members, size_t count)
{
    hsi_text  id = name_of(w, members[0]);
    hsi_row   row;
    uint64_t  line, column;
    hs_status st = HS_OK;

    w->renumbered[members[0]] = (uint32_t)w->tasks;
    if (count > 1)
        st = number_copies(w, members, count, &id);
    if (st != HS_OK)
        return st;
    take_row(w, members[0], id, count, &row);
    for (size_t i = 1; i < count; i++)
        if (!agree(w, members[0], members[i], &row))
            return refuse(w, members[i], "is not like the others of its row; expected copies to "
                          "differ in their names alone");
    hsi_places_find_row(&w->rows->places, members[0], &line, &column);
    st = hsi_places_add(&w->places, line, column);
    if (st == HS_OK)
        st = hsi_list_copy_row(&w->after, &w->rows->after, members[0]);
    if (st == HS_OK)
        st = hsi_list_copy_row(&w->data, &w->rows->data, members[0]);
    if (st == HS_OK)
        st = hsi_builder_add_row(w->builder, &row);
    w->tasks += count;
    return hsi_csv_fail_status(&w->rows->csv, st);
}

static hs_status add_all(struct work *w)
{
    size_t    tasks = w->store->rows, first = 0, end;
    hs_status st = HS_OK;

    for (size_t i = 0; i < tasks; i++)
        w->order[i] = (uint32_t)i;
    hsi_sort_indices(w->order, w->scratch, tasks, comes_before, w->number);
    for (; first < tasks && st == HS_OK; first = end) {
        for (end = first + 1; end < tasks; end++)
            if (w->number[w->order[end]] != w->number[w->order[first]])
                break;
        st = add_row(w, w->order + first, end - first);
    }
    return st;
}

/* Exchange the data of the reader and of `w`, so that the caller frees the old data. */
static void swap(struct work *w)
{
    struct hsi_rows *rows = w->rows;
    hs_builder      *builder = rows->builder;
    struct hsi_list  after = rows->after, data = rows->data;
    struct hsi_places places = rows->places;

    hsi_builder_move_header(w->builder, builder);
    rows->builder = w->builder;
    rows->after = w->after;
    rows->data = w->data;
    rows->places = w->places;
    w->builder = builder;
    w->after = after;
    w->data = data;
    w->places = places;
}

hs_status hsi_plan_regroup(struct hsi_rows *rows, const uint32_t *number, uint32_t *renumbered)
{
    struct work w = {.rows = rows, .number = number, .renumbered = renumbered};
    hs_status   st = hs_builder_create(&w.builder);

    w.store = hsi_builder_rows(rows->builder);
    w.order = malloc((w.store->rows + 1) * sizeof *w.order);
    w.scratch = malloc((w.store->rows + 1) * sizeof *w.scratch);
    if (st != HS_OK || !w.order || !w.scratch)
        st = hsi_csv_fail_status(&rows->csv, HS_ENOMEM);
    if (st == HS_OK)
        st = add_all(&w);
    if (st == HS_OK)
        swap(&w);
    hs_builder_free(w.builder);
    hsi_list_close(&w.after);
    hsi_list_close(&w.data);
    hsi_places_close(&w.places);
    free(w.order);
    free(w.scratch);
    return st;
}
