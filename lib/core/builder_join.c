/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of one builder behind those of another, column by column. */
#include "core/builder_impl.h"

static void clear_strings(hsi_strings *s)
{
    s->at.size = s->text.size = 0;
}

void hsi_builder_clear(hs_builder *b)
{
    b->cpu.size = b->gpu.size = b->priority.size = b->count.size = b->restartable.size = 0;
    clear_strings(&b->content.id);
    clear_strings(&b->content.kernel);
    clear_strings(&b->content.cpu_command);
    clear_strings(&b->content.gpu_command);
    b->content.rows = b->content.tasks = 0;
    b->unordered = 0;
    b->last_length = 0;
}

static int reserve_column(hs_builder *b, hsi_vector *v, const hsi_vector *part, size_t rows,
                          size_t size)
{
    if (!v->data && !part->data)
        return 0;
    return hsi_column_reserve(v, b->content.rows, size) || hsi_vector_reserve(v, rows * size);
}

static int reserve_strings(hs_builder *b, hsi_strings *s, const hsi_strings *part, size_t rows)
{
    return reserve_column(b, &s->at, &part->at, rows, sizeof(size_t)) ||
           (part->at.data && hsi_vector_reserve(&s->text, part->text.size + 1));
}

static int reserve_counts(hs_builder *b, const hs_builder *part)
{
    return hsi_builder_reserve_count(b, part->count.data ? 2 : 1) ||
           reserve_column(b, &b->count, &part->count, part->content.rows, sizeof(uint32_t));
}

static int reserve(hs_builder *b, const hs_builder *part)
{
    hsi_store       *to = &b->content;
    const hsi_store *from = &part->content;
    size_t           rows = from->rows;

    return reserve_column(b, &b->cpu, &part->cpu, rows, sizeof(double)) ||
           reserve_column(b, &b->gpu, &part->gpu, rows, sizeof(double)) ||
           reserve_column(b, &b->priority, &part->priority, rows, sizeof(int64_t)) ||
           reserve_column(b, &b->restartable, &part->restartable, rows, 1) ||
           reserve_counts(b, part) ||
           reserve_strings(b, &to->id, &from->id, rows) ||
           reserve_strings(b, &to->kernel, &from->kernel, rows) ||
           reserve_strings(b, &to->cpu_command, &from->cpu_command, rows) ||
           reserve_strings(b, &to->gpu_command, &from->gpu_command, rows);
}

/* A column that only one of them has is zero in the rows of the other. */
static void add_column(hsi_vector *v, const hsi_vector *part, size_t rows, size_t size)
{
    if (!v->data)
        return;
    if (part->data)
        memcpy((char *)v->data + v->size, part->data, rows * size);
    else
        memset((char *)v->data + v->size, 0, rows * size);
    v->size += rows * size;
}

static void add_counts(hs_builder *b, const hs_builder *part)
{
    size_t    rows = part->content.rows;
    uint32_t *counts = b->count.data;

    add_column(&b->count, &part->count, rows, sizeof *counts);
    if (counts && !part->count.data)
        for (size_t i = 0; i < rows; i++)
            counts[b->content.rows + i] = 1;
}

static void add_strings(hsi_strings *s, const hsi_strings *part, size_t rows)
{
    const size_t *from = part->at.data;
    size_t       *to = (size_t *)s->at.data + s->at.size / sizeof *to, base;

    if (!s->at.data || !from) {
        add_column(&s->at, &part->at, rows, sizeof *to);
        return;
    }
    if (s->text.size == 0)
        hsi_column_append(&s->text, "", 1); /* offset 0 means empty */
    base = s->text.size - 1;                /* as it does in the part */
    hsi_column_append(&s->text, (const char *)part->text.data + 1, part->text.size - 1);
    for (size_t i = 0; i < rows; i++)
        to[i] = from[i] ? from[i] + base : 0;
    s->at.size += rows * sizeof *to;
}

/* Whether all ids still ascend: the part's do, and its first stands behind our last. */
static void join_order(hs_builder *b, const hs_builder *part)
{
    const char *first = hsi_strings_get(&part->content.id, 0);
    hsi_text    id = {first, first ? strlen(first) : 0};

    if (b->unordered || (!b->content.id.at.data && !part->content.id.at.data))
        return;
    b->unordered = part->unordered || !hsi_id_ascends(b, b->content.rows, id);
    b->last_length = part->last_length;
}

hs_status hsi_builder_join(hs_builder *b, const hs_builder *part)
{
    hsi_store       *to = &b->content;
    const hsi_store *from = &part->content;
    size_t           rows = from->rows;

    if (rows == 0)
        return HS_OK;
    if (reserve(b, part))
        return HS_ENOMEM;
    join_order(b, part);
    add_column(&b->cpu, &part->cpu, rows, sizeof(double));
    add_column(&b->gpu, &part->gpu, rows, sizeof(double));
    add_column(&b->priority, &part->priority, rows, sizeof(int64_t));
    add_column(&b->restartable, &part->restartable, rows, 1);
    add_counts(b, part);
    add_strings(&to->id, &from->id, rows);
    add_strings(&to->kernel, &from->kernel, rows);
    add_strings(&to->cpu_command, &from->cpu_command, rows);
    add_strings(&to->gpu_command, &from->gpu_command, rows);
    b->special |= part->special;
    to->rows += rows;
    to->tasks += from->tasks;
    return HS_OK;
}
