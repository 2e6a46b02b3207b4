/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Builder of instances, row by row. The first row with a value in a column starts the column and
 * fills it with defaults for the earlier rows. Started columns have room for equally many rows, so
 * one comparison decides whether a row fits. O(columns of the row), amortised.
 */
#include "core/builder.h"

#include <stdlib.h>

#include "core/error.h"
#include "core/graph/graph.h"
#include "core/task_names.h"

hs_status hs_builder_create(hs_builder **out)
{
    hs_builder *b;

    if (!out)
        return HS_EINVAL;
    b = calloc(1, sizeof *b);
    if (!b)
        return HS_ENOMEM;
    *out = b;
    return HS_OK;
}

void hs_builder_free(hs_builder *b)
{
    if (!b)
        return;
    hsi_store_free_content(&b->content);
    hsi_relations_builder_close(&b->pending);
    hsi_vector_free(&b->fault.cycle);
    free(b);
}

hs_status hs_builder_set_workers(hs_builder *b, unsigned cpus, unsigned gpus)
{
    if (!b || cpus > HS_MAX_WORKERS || gpus > HS_MAX_WORKERS || cpus + gpus == 0)
        return HS_EINVAL;
    b->cpus = cpus;
    b->gpus = gpus;
    return HS_OK;
}

hs_status hsi_builder_add_node(hs_builder *b, hsi_text name, unsigned cpus, unsigned gpus)
{
    return hsi_node_list_add(&b->content.nodes, name.at, name.length, cpus, gpus);
}

hs_status hs_builder_add_node(hs_builder *b, const char *name, unsigned cpus, unsigned gpus)
{
    if (!b || !name)
        return HS_EINVAL;
    return hsi_builder_add_node(b, (hsi_text){name, strlen(name)}, cpus, gpus);
}

void hsi_builder_drop_nodes(hs_builder *b)
{
    hsi_node_list_clear(&b->content.nodes);
}

hs_status hs_builder_set_unit(hs_builder *b, hs_unit unit)
{
    if (!b || unit < HS_SECONDS || unit > HS_NANOSECONDS)
        return HS_EINVAL;
    b->content.unit = unit;
    return HS_OK;
}

hs_status hsi_builder_add_note(hs_builder *b, hsi_text key, hsi_text value)
{
    hsi_vector *notes = &b->content.notes;

    if (hsi_vector_reserve(notes, key.length + value.length + 2))
        return HS_ENOMEM;
    (void)hsi_vector_append(notes, key.at, key.length);
    (void)hsi_vector_append(notes, "", 1);
    (void)hsi_vector_append(notes, value.at, value.length);
    (void)hsi_vector_append(notes, "", 1);
    return HS_OK;
}

hs_status hs_builder_add_note(hs_builder *b, const char *key, const char *value)
{
    if (!b || !key || !*key || !value)
        return HS_EINVAL;
    return hsi_builder_add_note(b, (hsi_text){key, strlen(key)}, (hsi_text){value, strlen(value)});
}

/*
 * Track whether the ids ascend, shorter ids first, as a counter generates them: then no id is
 * repeated, and no hash table is needed to prove it. The previous id is the end of the text.
 */
static void track_id_order(hs_builder *b, hsi_text id)
{
    const hsi_vector *text = &b->content.cells[HSI_ID].text;
    const char       *end = (const char *)text->data + text->size;

    if (b->unordered)
        return;
    if (b->last_length == 0)
        b->unordered = b->content.rows > 0 || id.length == 0;
    else if (b->last_length != id.length)
        b->unordered = id.length < b->last_length;
    else
        b->unordered = memcmp(end - id.length - 1, id.at, id.length) >= 0;
    b->last_length = id.length;
}

/* Bytes per row in the cells of a column. */
static const unsigned char width[HSI_COLUMNS] = {
#define WIDTH_TIME sizeof(double)
#define WIDTH_NUMBER sizeof(double)
#define WIDTH_INTEGER sizeof(int64_t)
#define WIDTH_COUNT sizeof(uint32_t)
#define WIDTH_WORD 1
#define WIDTH_TEXT sizeof(size_t)
#define WIDTH_LIST 0
#define X(name, field, type, digest, words) WIDTH_##type,
    HSI_COLUMN_MAP(X)
#undef X
};

/* Bit mask of the columns of text. */
static const uint32_t texts = 0
#define X(name, field, type, digest, words) | (HS_COLUMN_##type == HS_COLUMN_TEXT) << HSI_##name
    HSI_COLUMN_MAP(X);
#undef X

/* Bit mask of the columns without cells. */
static const uint32_t lists = 0
#define X(name, field, type, digest, words) | (HS_COLUMN_##type == HS_COLUMN_LIST) << HSI_##name
    HSI_COLUMN_MAP(X);
#undef X

/* Append a text and its NUL; their room is reserved. */
static void append_text(hsi_vector *v, hsi_text text)
{
    char *to = (char *)v->data + v->size;

    memcpy(to, text.at, text.length);
    to[text.length] = '\0';
    v->size += text.length + 1;
}

/* Write a cell; its room is reserved. */
static inline void write_cell(hsi_cells *cells, int column, size_t row, const hsi_value *value)
{
    void *at = cells->at.data;

    if (texts & HSI_BIT(column)) {
        ((size_t *)at)[row] = value->text.length ? cells->text.size : 0;
        if (value->text.length)
            append_text(&cells->text, value->text);
    } else if (width[column] == sizeof value->integer) {
        memcpy((char *)at + row * sizeof value->integer, value, sizeof value->integer);
    } else if (width[column] == sizeof(uint32_t)) {
        ((uint32_t *)at)[row] = (uint32_t)value->integer;
    } else {
        ((unsigned char *)at)[row] = (unsigned char)value->integer;
    }
}

/* Reserve room for `rows` rows in a started column. */
static int make_room(hs_builder *b, int column, size_t rows)
{
    hsi_vector *at = &b->content.cells[column].at;

    at->size = b->content.rows * width[column];
    return hsi_vector_reserve(at, rows * width[column] - at->size);
}

static int make_all_room(hs_builder *b, size_t rows)
{
    for (int c = 0; c < HSI_COLUMNS; c++)
        if (b->begun & HSI_BIT(c) && make_room(b, c, rows))
            return -1;
    b->room = rows;
    return 0;
}

static int begin_column(hs_builder *b, int column)
{
    hsi_cells *cells = &b->content.cells[column];
    hsi_value  none = hsi_column_default(column);

    if (texts & HSI_BIT(column) && cells->text.size == 0 &&
        hsi_vector_append(&cells->text, "", 1)) /* offset 0 of the text column is the empty text */
        return -1;
    if (hsi_vector_reserve(&cells->at, b->room * width[column]))
        return -1;
    for (size_t row = 0; row < b->content.rows; row++)
        write_cell(cells, column, row, &none);
    b->begun |= HSI_BIT(column);
    return 0;
}

/* Start the columns that this row needs, and reserve room in every column. */
static int prepare_columns(hs_builder *b, const hsi_row *row)
{
    size_t rows = b->content.rows;

    if (rows == b->room && make_all_room(b, rows + rows / 2 + 32))
        return -1;
    for (uint32_t left = row->given & ~b->begun & ~lists; left; left &= left - 1) {
        int c = __builtin_ctz(left);

        if ((c < HSI_REQUIRED || !hsi_column_is_default(c, &row->value[c])) && begin_column(b, c))
            return -1;
    }
    for (uint32_t left = row->given & b->begun & texts; left; left &= left - 1) {
        int c = __builtin_ctz(left);

        if (hsi_vector_reserve(&b->content.cells[c].text, row->value[c].text.length + 1))
            return -1;
    }
    return 0;
}

/* Write the cells of a row; their room is reserved. */
static void put_row(hs_builder *b, const hsi_row *row)
{
    hsi_store *store = &b->content;

    if (b->begun & HSI_BIT(HSI_ID))
        track_id_order(b, row->given & HSI_BIT(HSI_ID) ? row->value[HSI_ID].text : (hsi_text){0});
    for (uint32_t left = row->given & b->begun; left; left &= left - 1) {
        int c = __builtin_ctz(left);

        write_cell(&store->cells[c], c, store->rows, &row->value[c]);
    }
    for (uint32_t left = b->begun & ~row->given; left; left &= left - 1) {
        int       c = __builtin_ctz(left);
        hsi_value none = hsi_column_default(c);

        write_cell(&store->cells[c], c, store->rows, &none);
    }
}

hs_status hsi_builder_add_row(hs_builder *b, const hsi_row *row)
{
    hsi_store *store = &b->content;

    if (prepare_columns(b, row))
        return HS_ENOMEM;
    put_row(b, row);
    store->rows++;
    store->tasks += row->given & HSI_BIT(HSI_COUNT) ? (size_t)row->value[HSI_COUNT].integer : 1;
    return HS_OK;
}

/* Return whether a time is positive or unknown, and give every unknown time the same bits. */
static bool is_time(hsi_row *row, int column)
{
    if (!isnan(row->value[column].time))
        return row->value[column].time > 0;
    row->value[column].time = HS_UNKNOWN;
    return column < HSI_REQUIRED;
}

hs_status hs_builder_add_row(hs_builder *b, const hs_task *task)
{
    hsi_row   row;
    hs_status st = b && task ? hsi_task_to_row(task, &row) : HS_EINVAL;

    if (st != HS_OK)
        return st;
    for (int c = 0; c < HSI_COLUMNS; c++)
        if (hsi_columns[c].is.type == HS_COLUMN_TIME && !is_time(&row, c))
            return HS_ETIME;
    if ((uint64_t)row.value[HSI_COUNT].integer > HS_MAX_TASKS - b->content.tasks ||
        row.value[HSI_ID].text.length > HS_MAX_ID)
        return HS_ETOOBIG;
    return hsi_builder_add_row(b, &row);
}

/* reserve a quarter more than the estimate: unused room costs nothing, but moving the rows does */
void hsi_builder_reserve_share(hs_builder *b, double share)
{
    double more = 1.25 / share - 1;

    if (!(more > 0 && more * (double)b->content.rows < (double)HS_MAX_TASKS))
        return;
    (void)make_all_room(b, b->content.rows + (size_t)(more * (double)b->content.rows));
    for (int c = 0; c < HSI_COLUMNS; c++) {
        hsi_vector *text = &b->content.cells[c].text;

        (void)hsi_vector_reserve(text, (size_t)(more * (double)text->size));
    }
    (void)hsi_vector_reserve(&b->pending.accesses,
                             (size_t)(more * (double)b->pending.accesses.size));
    (void)hsi_vector_reserve(&b->pending.runs, (size_t)(more * (double)b->pending.runs.size));
}

void hsi_builder_assume_unique_ids(hs_builder *b)
{
    b->unordered = false;
}

void hsi_builder_move_header(hs_builder *b, hs_builder *from)
{
    b->content.notes = from->content.notes;
    b->content.relations = from->content.relations;
    b->content.unit = from->content.unit;
    b->content.nodes = from->content.nodes;
    from->content.nodes = (hsi_node_list){0};
    from->content.notes = (hsi_vector){0};
    from->content.relations = NULL;
}

const hsi_store *hsi_builder_rows(const hs_builder *b)
{
    return &b->content;
}

static hs_status number_tasks(hsi_store *store)
{
    const uint32_t *count = hsi_store_counts(store);
    size_t          i, task = 0;

    if (!count)
        return HS_OK;
    store->first = malloc((store->rows + 1) * sizeof *store->first);
    if (!store->first)
        return HS_ENOMEM;
    for (i = 0; i < store->rows; i++) {
        store->first[i] = (uint32_t)task;
        task += count[i];
    }
    store->first[i] = (uint32_t)task;
    return HS_OK;
}

static void trim_columns(hs_builder *b)
{
    for (int c = 0; c < HSI_COLUMNS; c++) {
        hsi_cells *cells = &b->content.cells[c];

        cells->at.size = b->begun & HSI_BIT(c) ? b->content.rows * width[c] : 0;
        hsi_vector_trim(&cells->at);
        hsi_vector_trim(&cells->text);
    }
    b->room = b->content.rows;
}

hs_status hs_builder_finish(hs_builder *b, hs_instance **out, hs_error *error)
{
    hs_status    st;
    hs_instance *in = NULL;
    hsi_store   *store = NULL;
    hs_graph    *graph = NULL;
    size_t       row = 0;

    if (!b || !out)
        return hsi_error_set(error, HS_EINVAL, "no builder, or no place for the instance");
    trim_columns(b);
    st = number_tasks(&b->content);
    if (st != HS_OK)
        goto out;
    if (b->content.nodes.count > 0 && !hsi_nodes_have(&b->content.nodes, b->cpus, b->gpus))
        st = HS_EINVAL;
    if (st == HS_OK)
        st = hsi_builder_build_graph(b, &graph, &row);
    if (st != HS_OK)
        goto out;
    st = hsi_store_validate(&b->content, b->cpus, b->gpus, &row);
    if (st != HS_OK)
        goto out;
    if (b->unordered || hsi_store_has(&b->content, HSI_COUNT))
        st = hsi_names_check_unique(&b->content, &row);
    if (st != HS_OK)
        goto out;
    in = malloc(sizeof *in);
    store = malloc(sizeof *store);
    st = in && store ? HS_OK : HS_ENOMEM;
    if (st != HS_OK)
        goto out;
    memcpy(store, &b->content, sizeof *store);
    store->unknown = hsi_store_count_unknown(store);
    atomic_init(&store->references, 1);
    atomic_init(&store->graph, graph);
    hsi_relations_builder_close(&b->pending);
    hsi_vector_free(&b->fault.cycle);
    in->store = store;
    in->cpus = b->cpus;
    in->gpus = b->gpus;
    memset(b, 0, sizeof *b);
    *out = in;
    return HS_OK;
out:
    hsi_builder_describe_failure(b, st, row, error);
    hsi_graph_free(graph);
    hsi_relations_return_accesses(b->content.relations, &b->pending);
    free(b->content.first);
    b->content.first = NULL;
    free(store);
    free(in);
    return st;
}
