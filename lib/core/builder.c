/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/builder.h"

#include <stdlib.h>

/*
 * Columns that rows seldom fill are made when the first row does, and then
 * filled up with zeros for the rows before it.
 */
struct hs_builder {
    hsi_store  content; /* rows, tasks, strings, notes, unit */
    hsi_vector cpu, gpu, priority, count, restartable;
    unsigned   cpus, gpus;
    int        special;     /* a column other than the times and the id has begun */
    int        unordered;   /* the ids so far do not ascend: see add_id() */
    size_t     last_length; /* of the last row's id, as long as they do */
};

static inline void hsi_column_append(hsi_vector *v, const void *bytes, size_t size)
{
    memcpy((char *)v->data + v->size, bytes, size);
    v->size += size;
}

/* Room for row `rows` in a column of `size` bytes a row that may not have begun yet. */
static inline int hsi_column_reserve(hsi_vector *v, size_t rows, size_t size)
{
    size_t bytes = rows * size, had = v->size;

    if (hsi_vector_reserve(v, bytes - had + size))
        return -1;
    if (had < bytes)
        memset((char *)v->data + had, 0, bytes - had);
    v->size = bytes;
    return 0;
}

static inline uint64_t hsi_id_word(const char *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* Does `a` stand before `b` in the order of bytes? Mostly without a call. */
static inline int hsi_id_before(const char *a, const char *b, size_t length)
{
    uint64_t x, y;

    if (length < 8 || length > 16)
        return memcmp(a, b, length) < 0;
    x = hsi_id_word(a);
    y = hsi_id_word(b);
    if (x != y)
        return x < y;
    return hsi_id_word(a + length - 8) < hsi_id_word(b + length - 8);
}

/*
 * Notes whether the ids ascend, the shorter first, as counters make them: then none is
 * there twice, which need not be found out the long way.
 */
static inline int hsi_id_ascends(const hs_builder *b, size_t row, hsi_text id)
{
    const hsi_vector *text = &b->content.id.text;

    if (b->last_length == 0)
        return row == 0 && id.length > 0;
    if (b->last_length != id.length)
        return b->last_length < id.length;
    return hsi_id_before((const char *)text->data + text->size - id.length - 1, id.at, id.length);
}

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

static void free_strings(hsi_strings *s)
{
    hsi_vector_free(&s->at);
    hsi_vector_free(&s->text);
}

void hs_builder_free(hs_builder *b)
{
    if (!b)
        return;
    hsi_vector_free(&b->cpu);
    hsi_vector_free(&b->gpu);
    hsi_vector_free(&b->priority);
    hsi_vector_free(&b->count);
    hsi_vector_free(&b->restartable);
    free_strings(&b->content.id);
    free_strings(&b->content.kernel);
    free_strings(&b->content.cpu_command);
    free_strings(&b->content.gpu_command);
    hsi_vector_free(&b->content.notes);
    free(b);
}

hs_status hs_builder_workers(hs_builder *b, unsigned cpus, unsigned gpus)
{
    if (!b || cpus > HS_MAX_WORKERS || gpus > HS_MAX_WORKERS || cpus + gpus == 0)
        return HS_EINVAL;
    b->cpus = cpus;
    b->gpus = gpus;
    return HS_OK;
}

hs_status hs_builder_unit(hs_builder *b, hs_unit unit)
{
    if (!b || unit < HS_SECONDS || unit > HS_NANOSECONDS)
        return HS_EINVAL;
    b->content.unit = unit;
    return HS_OK;
}

hs_status hsi_builder_note(hs_builder *b, hsi_text key, hsi_text value)
{
    hsi_vector *notes = &b->content.notes;

    if (hsi_vector_reserve(notes, key.length + value.length + 2))
        return HS_ENOMEM;
    hsi_column_append(notes, key.at, key.length);
    hsi_column_append(notes, "", 1);
    hsi_column_append(notes, value.length ? value.at : "", value.length);
    hsi_column_append(notes, "", 1);
    return HS_OK;
}

hs_status hs_builder_note(hs_builder *b, const char *key, const char *value)
{
    if (!b || !key || !*key || !value)
        return HS_EINVAL;
    return hsi_builder_note(b, (hsi_text){key, strlen(key)}, (hsi_text){value, strlen(value)});
}

static int reserve_string(hsi_strings *s, size_t rows, hsi_text text)
{
    if (text.length == 0 && !s->at.data)
        return 0;
    return hsi_column_reserve(&s->at, rows, sizeof(size_t)) ||
           hsi_vector_reserve(&s->text, text.length + 2);
}

/* A call would take longer than to copy what ids mostly are. */
static inline void append_text(hsi_vector *v, hsi_text text)
{
    char *to = (char *)v->data + v->size;

    if (text.length >= 8 && text.length <= 16) {
        memcpy(to, text.at, 8);
        memcpy(to + text.length - 8, text.at + text.length - 8, 8);
    } else if (text.length >= 4 && text.length < 8) {
        memcpy(to, text.at, 4);
        memcpy(to + text.length - 4, text.at + text.length - 4, 4);
    } else {
        memcpy(to, text.at, text.length);
    }
    to[text.length] = '\0';
    v->size += text.length + 1;
}

/* There is room for it, unless the column has not begun. */
static inline void add_string(hsi_strings *s, hsi_text text)
{
    size_t at = 0;

    if (!s->at.data)
        return;
    if (s->text.size == 0)
        hsi_column_append(&s->text, "", 1); /* offset 0 means empty */
    if (text.length) {
        at = s->text.size;
        append_text(&s->text, text);
    }
    hsi_column_append(&s->at, &at, sizeof at);
}

static inline void add_id(hs_builder *b, size_t row, hsi_text id)
{
    if (!b->content.id.at.data)
        return;
    if (!b->unordered) {
        b->unordered = !hsi_id_ascends(b, row, id);
        b->last_length = id.length;
    }
    add_string(&b->content.id, id);
}

static int reserve_count(hs_builder *b, uint32_t count)
{
    size_t    had = b->count.size / sizeof count, rows = b->content.rows;
    uint32_t *counts;

    if (count == 1 && !b->count.data)
        return 0;
    if (hsi_column_reserve(&b->count, rows, sizeof count))
        return -1;
    for (counts = b->count.data; had < rows; had++)
        counts[had] = 1;
    return 0;
}

/* Does the row fill a column that most instances lack? */
static int is_special(const hsi_row *row, uint32_t count)
{
    return row->priority || row->restartable || count > 1 || row->kernel.length ||
           row->cpu_command.length || row->gpu_command.length;
}

static int reserve_special(hs_builder *b, const hsi_row *row, uint32_t count)
{
    size_t rows = b->content.rows;

    if ((row->priority || b->priority.data) &&
        hsi_column_reserve(&b->priority, rows, sizeof row->priority))
        return -1;
    if ((row->restartable || b->restartable.data) && hsi_column_reserve(&b->restartable, rows, 1))
        return -1;
    return reserve_count(b, count) ||
           reserve_string(&b->content.kernel, rows, row->kernel) ||
           reserve_string(&b->content.cpu_command, rows, row->cpu_command) ||
           reserve_string(&b->content.gpu_command, rows, row->gpu_command);
}

static void add_special(hs_builder *b, const hsi_row *row, uint32_t count)
{
    unsigned char restartable = (unsigned char)row->restartable;

    if (b->priority.data)
        hsi_column_append(&b->priority, &row->priority, sizeof row->priority);
    if (b->count.data)
        hsi_column_append(&b->count, &count, sizeof count);
    if (b->restartable.data)
        hsi_column_append(&b->restartable, &restartable, 1);
    add_string(&b->content.kernel, row->kernel);
    add_string(&b->content.cpu_command, row->cpu_command);
    add_string(&b->content.gpu_command, row->gpu_command);
}

hs_status hsi_builder_add(hs_builder *b, const hsi_row *row)
{
    uint32_t count = row->count ? row->count : 1;

    if (!(row->cpu > 0) || !(row->gpu > 0))
        return HS_ETIME;
    if (count > HS_MAX_TASKS - b->content.tasks || row->id.length > HSI_MAX_NAME)
        return HS_ETOOBIG;
    if (hsi_vector_reserve(&b->cpu, sizeof(double)) ||
        hsi_vector_reserve(&b->gpu, sizeof(double)) ||
        reserve_string(&b->content.id, b->content.rows, row->id))
        return HS_ENOMEM;
    if (b->special || is_special(row, count)) {
        b->special = 1;
        if (reserve_special(b, row, count))
            return HS_ENOMEM;
        add_special(b, row, count);
    }
    hsi_column_append(&b->cpu, &row->cpu, sizeof row->cpu);
    hsi_column_append(&b->gpu, &row->gpu, sizeof row->gpu);
    add_id(b, b->content.rows, row->id);
    b->content.rows++;
    b->content.tasks += count;
    return HS_OK;
}

/* Ids of a column that has begun may be empty all the same. */
static int reserve_batch(hs_builder *b, const hsi_batch *batch)
{
    hsi_strings *id = &b->content.id;
    size_t       bytes = batch->count * sizeof(double);

    if (hsi_vector_reserve(&b->cpu, bytes) || hsi_vector_reserve(&b->gpu, bytes))
        return -1;
    if (batch->id_bytes == 0 && !id->at.data)
        return 0;
    return hsi_column_reserve(&id->at, b->content.rows, sizeof(size_t)) ||
           hsi_vector_reserve(&id->at, batch->count * sizeof(size_t)) ||
           hsi_vector_reserve(&id->text, batch->id_bytes + batch->count + 1);
}

/* Rows that fill another column, if only with what it holds by default. */
static hs_status add_one_by_one(hs_builder *b, const hsi_batch *batch)
{
    hsi_row   row = {.count = 1};
    hs_status st = HS_OK;

    for (size_t i = 0; i < batch->count && st == HS_OK; i++) {
        row.cpu = batch->cpu[i];
        row.gpu = batch->gpu[i];
        row.id = batch->id_bytes ? batch->id[i] : (hsi_text){NULL, 0};
        st = hsi_builder_add(b, &row);
    }
    return st;
}

hs_status hsi_builder_add_batch(hs_builder *b, const hsi_batch *batch)
{
    const hsi_text none = {NULL, 0};
    size_t         bytes = batch->count * sizeof(double);

    if (b->special)
        return add_one_by_one(b, batch);
    if (reserve_batch(b, batch))
        return HS_ENOMEM;
    hsi_column_append(&b->cpu, batch->cpu, bytes);
    hsi_column_append(&b->gpu, batch->gpu, bytes);
    if (b->content.id.at.data)
        for (size_t i = 0; i < batch->count; i++)
            add_id(b, b->content.rows + i, batch->id_bytes ? batch->id[i] : none);
    b->content.rows += batch->count;
    b->content.tasks += batch->count;
    return HS_OK;
}

/* A quarter more than it seems: room that is not used costs nothing, to move does. */
static void expect(hsi_vector *v, double share)
{
    double more = (double)v->size * (1.25 / share - 1);

    if (more > 0 && more < (double)(SIZE_MAX / 4))
        (void)hsi_vector_reserve(v, (size_t)more);
}

static void expect_strings(hsi_strings *s, double share)
{
    expect(&s->at, share);
    expect(&s->text, share);
}

void hsi_builder_expect(hs_builder *b, double share)
{
    expect(&b->cpu, share);
    expect(&b->gpu, share);
    expect(&b->priority, share);
    expect(&b->count, share);
    expect(&b->restartable, share);
    expect_strings(&b->content.id, share);
    expect_strings(&b->content.kernel, share);
    expect_strings(&b->content.cpu_command, share);
    expect_strings(&b->content.gpu_command, share);
}

static hsi_text text_of(const char *string)
{
    return (hsi_text){string, string ? strlen(string) : 0};
}

hs_status hs_builder_add(hs_builder *b, const hs_task *task)
{
    hsi_row row;

    if (!b || !task || task->restartable < HS_RESTART_DEFAULT || task->restartable > HS_RESTART_NO)
        return HS_EINVAL;
    row.id = text_of(task->id);
    row.kernel = text_of(task->kernel);
    row.cpu_command = text_of(task->cpu_command);
    row.gpu_command = text_of(task->gpu_command);
    row.cpu = task->cpu;
    row.gpu = task->gpu;
    row.priority = task->priority;
    row.count = task->count;
    row.restartable = task->restartable;
    return row.id.length > HS_MAX_ID ? HS_ETOOBIG : hsi_builder_add(b, &row);
}

static hs_status number_tasks(hsi_store *store)
{
    size_t i, task = 0;

    if (!store->count)
        return HS_OK;
    store->first = malloc((store->rows + 1) * sizeof *store->first);
    if (!store->first)
        return HS_ENOMEM;
    for (i = 0; i < store->rows; i++) {
        store->first[i] = (uint32_t)task;
        task += store->count[i];
    }
    store->first[i] = (uint32_t)task;
    return HS_OK;
}

static void trim_strings(hsi_strings *s)
{
    hsi_vector_trim(&s->at);
    hsi_vector_trim(&s->text);
}

static void trim(hs_builder *b)
{
    hsi_vector_trim(&b->cpu);
    hsi_vector_trim(&b->gpu);
    hsi_vector_trim(&b->priority);
    hsi_vector_trim(&b->count);
    hsi_vector_trim(&b->restartable);
    trim_strings(&b->content.id);
    trim_strings(&b->content.kernel);
    trim_strings(&b->content.cpu_command);
    trim_strings(&b->content.gpu_command);
}

static void point_at_columns(hsi_store *store, const hs_builder *b)
{
    store->cpu = b->cpu.data;
    store->gpu = b->gpu.data;
    store->priority = b->priority.data;
    store->count = b->count.data;
    store->restartable = b->restartable.data;
}

const hsi_store *hsi_builder_store(hs_builder *b)
{
    point_at_columns(&b->content, b);
    return &b->content;
}

hs_status hs_builder_finish(hs_builder *b, hs_instance **out, size_t *row)
{
    hs_status    st;
    hs_instance *in = NULL;
    hsi_store   *store = NULL;
    size_t       ignored;

    if (!row)
        row = &ignored;
    if (!b || !out)
        return HS_EINVAL;
    trim(b);
    point_at_columns(&b->content, b);
    st = number_tasks(&b->content);
    if (st != HS_OK)
        goto out;
    st = hsi_store_validate(&b->content, b->cpus, b->gpus, row);
    if (st != HS_OK)
        goto out;
    if (b->unordered || b->content.count)
        st = hsi_names_verify(&b->content, row);
    if (st != HS_OK)
        goto out;
    in = malloc(sizeof *in);
    store = malloc(sizeof *store);
    st = in && store ? HS_OK : HS_ENOMEM;
    if (st != HS_OK)
        goto out;
    memcpy(store, &b->content, sizeof *store);
    atomic_init(&store->references, 1);
    store->owns_arrays = 1;
    in->store = store;
    in->cpus = b->cpus;
    in->gpus = b->gpus;
    memset(b, 0, sizeof *b);
    *out = in;
    return HS_OK;
out:
    free(b->content.first);
    b->content.first = NULL;
    free(store);
    free(in);
    return st;
}
