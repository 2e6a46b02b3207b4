/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/graph/relations.h"

#include <stdlib.h>

#include "support/pages.h"

hs_status hsi_add_edge(hsi_relations_builder *builder, const hsi_edge *edge, double bytes)
{
    size_t edges = builder->edges.size / sizeof *edge;

    if (builder->bytes.size == 0 && bytes > 0) { /* number of the first edge that has bytes */
        if (hsi_vector_reserve(&builder->bytes, (edges + 1) * sizeof bytes))
            return HS_ENOMEM;
        if (edges > 0)
            memset(builder->bytes.data, 0, edges * sizeof bytes);
        builder->bytes.size = edges * sizeof bytes;
    }
    if ((bytes > 0 || builder->bytes.size > 0) && hsi_vector_reserve(&builder->bytes, sizeof bytes))
        return HS_ENOMEM;
    if (hsi_vector_append(&builder->edges, edge, sizeof *edge))
        return HS_ENOMEM;
    if (bytes > 0 || builder->bytes.size > 0)
        (void)hsi_vector_append(&builder->bytes, &bytes, sizeof bytes);
    return HS_OK;
}

void hsi_relations_builder_close(hsi_relations_builder *builder)
{
    hsi_vector_free(&builder->edges);
    hsi_vector_free(&builder->bytes);
    hsi_vector_free(&builder->accesses);
    hsi_vector_free(&builder->runs);
}

static void free_edges(hsi_relations *relations)
{
    free(relations->edge_at);
    free(relations->from);
    free(relations->copy);
    free(relations->bytes);
    free(relations->access_at);
    free(relations->access);
    relations->edge_at = relations->access_at = NULL;
    relations->from = relations->copy = relations->access = NULL;
    relations->bytes = NULL;
}

void hsi_relations_free(hsi_relations *relations)
{
    if (!relations)
        return;
    hsi_data_close(&relations->data);
    free_edges(relations);
    free(relations);
}

/* State of hsi_relations_finish(). */
typedef struct work {
    hsi_relations  *relations;
    size_t          rows;
    const uint32_t *counts;
    hsi_fault      *fault;
} work;

static hs_status set_fault(const work *w, hsi_fault_kind kind, size_t row, size_t other,
                           uint32_t copy)
{
    w->fault->kind = kind;
    w->fault->row = row < w->rows ? row : 0;
    w->fault->other = other;
    w->fault->copy = copy;
    return HS_EGRAPH;
}

static hs_status check_edge(const work *w, const hsi_edge *edge)
{
    if (edge->to >= w->rows || edge->from >= w->rows)
        return set_fault(w, HSI_FAULT_NO_ROW, edge->to, edge->from, edge->copy);
    if (edge->copy > (w->counts ? w->counts[edge->from] : 1))
        return set_fault(w, HSI_FAULT_NO_ROW, edge->to, edge->from, edge->copy);
    if (edge->to == edge->from)
        return set_fault(w, HSI_FAULT_SELF, edge->to, edge->from, edge->copy);
    return HS_OK;
}

/* Return the copy of an edge; 0 for a row with one copy. */
static uint32_t copy_of(const work *w, const hsi_edge *edge)
{
    return w->counts && w->counts[edge->from] > 1 ? edge->copy : 0;
}

/* Turn counts into start indices: row i's count is in at[i + 1] before. */
static void counts_to_starts(size_t *at, size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        at[i + 1] += at[i];
}

/* Shift end indices back to start indices. */
static void ends_to_starts(size_t *at, size_t rows)
{
    memmove(at + 1, at, rows * sizeof *at);
    at[0] = 0;
}

static hs_status take_edge_room(const work *w, const hsi_relations_builder *builder)
{
    const hsi_edge *edges = builder->edges.data;
    size_t          count = builder->edges.size / sizeof *edges;
    bool            copies = false;
    hs_status       st = HS_OK;

    for (size_t i = 0; i < count && st == HS_OK; i++) {
        st = check_edge(w, &edges[i]);
        copies |= st == HS_OK && copy_of(w, &edges[i]) > 0;
    }
    if (st != HS_OK)
        return st;
    w->relations->edge_at = hsi_large_pages_zeroed(w->rows + 2, sizeof *w->relations->edge_at);
    w->relations->from = hsi_large_pages_alloc(count * sizeof *w->relations->from);
    if (copies)
        w->relations->copy = hsi_large_pages_alloc(count * sizeof *w->relations->copy);
    if (builder->bytes.size)
        w->relations->bytes = hsi_large_pages_alloc(count * sizeof *w->relations->bytes);
    return w->relations->edge_at && w->relations->from && (w->relations->copy || !copies) &&
                   (w->relations->bytes || !builder->bytes.size)
               ? HS_OK
               : HS_ENOMEM;
}

/* Group the edges by row, stable within a row. */
static void sort_by_rows(const work *w, const hsi_relations_builder *builder)
{
    const hsi_edge *edges = builder->edges.data;
    const double   *bytes = builder->bytes.data;
    size_t          count = builder->edges.size / sizeof *edges, *at = w->relations->edge_at;

    for (size_t i = 0; i < count; i++)
        at[edges[i].to + 1]++;
    counts_to_starts(at, w->rows);
    for (size_t i = 0; i < count; i++) {
        size_t to = at[edges[i].to]++;

        w->relations->from[to] = edges[i].from;
        if (w->relations->copy)
            w->relations->copy[to] = copy_of(w, &edges[i]);
        if (w->relations->bytes)
            w->relations->bytes[to] = bytes[i];
    }
    ends_to_starts(at, w->rows);
}

enum { FEW = 16 };

typedef struct entry {
    uint32_t from, copy;
    double   bytes;
} entry;

static int by_from(const void *a, const void *b)
{
    const entry *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->copy > y->copy) - (x->copy < y->copy);
}

static bool is_ascending(const hsi_relations *relations, size_t first, size_t end)
{
    for (size_t i = first + 1; i < end; i++)
        if (relations->from[i] <= relations->from[i - 1])
            return false;
    return true;
}

/* Sort a few predecessors of one row in place; the edges have no copies and no bytes. */
static void sort_few(uint32_t *from, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint32_t next = from[i];
        size_t   at = i;

        for (; at > 0 && from[at - 1] > next; at--)
            from[at] = from[at - 1];
        from[at] = next;
    }
}

/* Sort the predecessors of one row and reject duplicates. */
static hs_status sort_row(const work *w, size_t row, hsi_vector *scratch)
{
    hsi_relations *relations = w->relations;
    size_t         first = relations->edge_at[row], count = relations->edge_at[row + 1] - first;
    entry         *entries;

    if (count <= FEW && !relations->copy && !relations->bytes) {
        sort_few(relations->from + first, count);
        if (is_ascending(relations, first, first + count))
            return HS_OK;
    }
    scratch->size = 0;
    if (hsi_vector_reserve(scratch, count * sizeof *entries))
        return HS_ENOMEM;
    entries = scratch->data;
    for (size_t i = 0; i < count; i++)
        entries[i] =
            (entry){relations->from[first + i], relations->copy ? relations->copy[first + i] : 0,
                    relations->bytes ? relations->bytes[first + i] : 0};
    qsort(entries, count, sizeof *entries, by_from);
    for (size_t i = 0; i < count; i++) {
        relations->from[first + i] = entries[i].from;
        if (relations->copy)
            relations->copy[first + i] = entries[i].copy;
        if (relations->bytes)
            relations->bytes[first + i] = entries[i].bytes;
        if (i > 0 && entries[i].from == entries[i - 1].from &&
            (entries[i].copy == entries[i - 1].copy || entries[i - 1].copy == 0))
            return set_fault(w, HSI_FAULT_TWICE, row, entries[i].from, entries[i].copy);
    }
    return HS_OK;
}

static hs_status finish_edges(const work *w, const hsi_relations_builder *builder)
{
    hsi_vector scratch = {0};
    hs_status  st;

    if (builder->edges.size == 0)
        return HS_OK;
    st = take_edge_room(w, builder);
    if (st != HS_OK)
        return st;
    sort_by_rows(w, builder);
    for (size_t row = 0; row < w->rows && st == HS_OK; row++)
        if (!is_ascending(w->relations, w->relations->edge_at[row], w->relations->edge_at[row + 1]))
            st = sort_row(w, row, &scratch);
    hsi_vector_free(&scratch);
    return st;
}

/* Count the accesses of each row, and note whether they were added in the order of rows. */
static hs_status count_accesses(const work *w, const hsi_relations_builder *builder, int *in_order)
{
    const hsi_access_run *run = builder->runs.data;
    size_t                runs = builder->runs.size / sizeof *run, *at = w->relations->access_at;

    *in_order = 1;
    for (size_t i = 0; i < runs; i++) {
        if (run[i].row >= w->rows)
            return set_fault(w, HSI_FAULT_NO_ROW, run[i].row, 0, 0);
        *in_order &= i == 0 || run[i - 1].row <= run[i].row;
        at[run[i].row + 1] += run[i].count;
    }
    counts_to_starts(at, w->rows);
    return HS_OK;
}

static hs_status sort_accesses(const work *w, const hsi_relations_builder *builder)
{
    const hsi_access_run *run = builder->runs.data;
    const uint32_t       *access = builder->accesses.data;
    size_t                runs = builder->runs.size / sizeof *run, *at = w->relations->access_at;

    w->relations->access = hsi_large_pages_alloc(builder->accesses.size);
    if (!w->relations->access)
        return HS_ENOMEM;
    for (size_t i = 0; i < runs; access += run[i++].count) {
        memcpy(w->relations->access + at[run[i].row], access, run[i].count * sizeof *access);
        at[run[i].row] += run[i].count;
    }
    ends_to_starts(at, w->rows);
    return HS_OK;
}

static void take_accesses(const work *w, hsi_relations_builder *builder)
{
    hsi_vector_trim(&builder->accesses);
    w->relations->access = builder->accesses.data;
    builder->accesses.data = NULL;
}

void hsi_relations_return_accesses(hsi_relations *relations, hsi_relations_builder *builder)
{
    if (builder->accesses.size == 0 || builder->accesses.data)
        return;
    builder->accesses.data = relations->access;
    relations->access = NULL;
}

/* Reject two accesses of a row to one handle. seen[data] is the last row with an access, plus 1. */
static hs_status check_accesses(const work *w, uint32_t *seen)
{
    const size_t *at = w->relations->access_at;

    for (size_t row = 0; row < w->rows; row++)
        for (size_t i = at[row]; i < at[row + 1]; i++) {
            uint32_t data = w->relations->access[i] >> 2;

            if (seen[data] == row + 1)
                return set_fault(w, HSI_FAULT_ACCESS_TWICE, row, data, 0);
            seen[data] = (uint32_t)row + 1;
        }
    return HS_OK;
}

static hs_status finish_accesses(const work *w, hsi_relations_builder *builder)
{
    uint32_t *seen;
    int       in_order;
    hs_status st;

    if (builder->accesses.size == 0)
        return HS_OK;
    w->relations->access_at = hsi_large_pages_zeroed(w->rows + 2, sizeof *w->relations->access_at);
    seen = calloc(w->relations->data.count + 1, sizeof *seen);
    st = w->relations->access_at && seen ? count_accesses(w, builder, &in_order) : HS_ENOMEM;
    if (st == HS_OK && in_order)
        take_accesses(w, builder);
    else if (st == HS_OK)
        st = sort_accesses(w, builder);
    if (st == HS_OK)
        st = check_accesses(w, seen);
    free(seen);
    return st;
}

/* Return the longest transfer time of a piece over any link. */
static double longest_transfer(const hsi_links *links, double bytes)
{
    double most = hsi_transfer_time(links, 1, 2, bytes);

    if (links->has[HS_N2N]) {
        double far = hsi_link_time(links, HS_D2H, bytes) + hsi_link_time(links, HS_N2N, bytes) +
                     hsi_link_time(links, HS_H2D, bytes);

        most = most > far ? most : far;
    }
    most =
        most > hsi_transfer_time(links, 0, 1, bytes) ? most : hsi_transfer_time(links, 0, 1, bytes);
    return most > hsi_transfer_time(links, 1, 0, bytes) ? most
                                                        : hsi_transfer_time(links, 1, 0, bytes);
}

static double copies_of(const work *w, size_t row)
{
    return w->counts ? w->counts[row] : 1;
}

static double edge_transfers(const work *w, size_t row)
{
    const hsi_relations *relations = w->relations;
    double               all = 0;

    for (size_t i = relations->edge_at[row]; i < relations->edge_at[row + 1]; i++) {
        double pieces =
            relations->copy && relations->copy[i] ? 1 : copies_of(w, relations->from[i]);

        all += pieces * longest_transfer(&relations->links, relations->bytes[i]);
    }
    return all;
}

static double data_transfers(const work *w, size_t row)
{
    const hsi_relations *relations = w->relations;
    double               all = 0;

    for (size_t i = relations->access_at[row]; i < relations->access_at[row + 1]; i++)
        all += longest_transfer(&relations->links,
                                hsi_data_bytes(&relations->data, relations->access[i] >> 2));
    return all;
}

/* Sum the transfers' times; INFINITY on overflow. */
static double sum_transfers(const work *w)
{
    double all = 0;

    for (size_t row = 0; row < w->rows && w->relations->links.has[HS_H2D]; row++) {
        if (w->relations->bytes)
            all += copies_of(w, row) * edge_transfers(w, row);
        if (w->relations->access_at)
            all += copies_of(w, row) * data_transfers(w, row);
    }
    return all;
}

hs_status hsi_relations_finish(hsi_relations *relations, hsi_relations_builder *builder,
                               size_t rows, const uint32_t *counts, hsi_fault *fault)
{
    work      w = {relations, rows, counts, fault};
    hs_status st;

    free_edges(relations);
    st = finish_edges(&w, builder);
    if (st == HS_OK)
        st = finish_accesses(&w, builder);
    relations->transfers = st == HS_OK ? sum_transfers(&w) : 0;
    return st;
}
