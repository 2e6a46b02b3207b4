/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/graph/told.h"

#include <stdlib.h>

#include "support/pages.h"

hs_status hsi_tell_edge(hsi_telling *telling, const hsi_edge *edge, double bytes)
{
    size_t edges = telling->edges.size / sizeof *edge;

    if (telling->bytes.size == 0 && bytes > 0) { /* the first edge with bytes */
        if (hsi_vector_reserve(&telling->bytes, (edges + 1) * sizeof bytes))
            return HS_ENOMEM;
        if (edges > 0)
            memset(telling->bytes.data, 0, edges * sizeof bytes);
        telling->bytes.size = edges * sizeof bytes;
    }
    if ((bytes > 0 || telling->bytes.size > 0) &&
        hsi_vector_reserve(&telling->bytes, sizeof bytes))
        return HS_ENOMEM;
    if (hsi_vector_append(&telling->edges, edge, sizeof *edge))
        return HS_ENOMEM;
    if (bytes > 0 || telling->bytes.size > 0)
        (void)hsi_vector_append(&telling->bytes, &bytes, sizeof bytes);
    return HS_OK;
}

void hsi_telling_close(hsi_telling *telling)
{
    hsi_vector_free(&telling->edges);
    hsi_vector_free(&telling->bytes);
    hsi_vector_free(&telling->accesses);
    hsi_vector_free(&telling->turns);
}

static void free_edges(hsi_told *told)
{
    free(told->edge_at);
    free(told->from);
    free(told->copy);
    free(told->bytes);
    free(told->access_at);
    free(told->access);
    told->edge_at = told->access_at = NULL;
    told->from = told->copy = told->access = NULL;
    told->bytes = NULL;
}

void hsi_told_free(hsi_told *told)
{
    if (!told)
        return;
    hsi_data_close(&told->data);
    free_edges(told);
    free(told);
}

/* State of hsi_relations_finish(). */
typedef struct work {
    hsi_told       *told;
    size_t          rows;
    const uint32_t *counts;
    hsi_fault      *fault;
} work;

static hs_status blame(const work *w, hsi_fault_kind kind, size_t row, size_t other, uint32_t copy)
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
        return blame(w, HSI_FAULT_NO_ROW, edge->to, edge->from, edge->copy);
    if (edge->copy > (w->counts ? w->counts[edge->from] : 1))
        return blame(w, HSI_FAULT_NO_ROW, edge->to, edge->from, edge->copy);
    if (edge->to == edge->from)
        return blame(w, HSI_FAULT_SELF, edge->to, edge->from, edge->copy);
    return HS_OK;
}

/* Return the copy of an edge; 0 for a row with one copy. */
static uint32_t copy_of(const work *w, const hsi_edge *edge)
{
    return w->counts && w->counts[edge->from] > 1 ? edge->copy : 0;
}

/* Turn counts into start indices: row i's count is in at[i + 1] before. */
static void sum(size_t *at, size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        at[i + 1] += at[i];
}

/* Shift end indices back to start indices. */
static void shift(size_t *at, size_t rows)
{
    memmove(at + 1, at, rows * sizeof *at);
    at[0] = 0;
}

static hs_status take_edge_room(const work *w, const hsi_telling *telling)
{
    const hsi_edge *edges = telling->edges.data;
    size_t          count = telling->edges.size / sizeof *edges;
    int             copies = 0;
    hs_status       st = HS_OK;

    for (size_t i = 0; i < count && st == HS_OK; i++) {
        st = check_edge(w, &edges[i]);
        copies |= st == HS_OK && copy_of(w, &edges[i]) > 0;
    }
    if (st != HS_OK)
        return st;
    w->told->edge_at = hsi_pages_zeroed(w->rows + 2, sizeof *w->told->edge_at);
    w->told->from = hsi_pages_alloc(count * sizeof *w->told->from);
    if (copies)
        w->told->copy = hsi_pages_alloc(count * sizeof *w->told->copy);
    if (telling->bytes.size)
        w->told->bytes = hsi_pages_alloc(count * sizeof *w->told->bytes);
    return w->told->edge_at && w->told->from && (w->told->copy || !copies) &&
                   (w->told->bytes || !telling->bytes.size)
               ? HS_OK
               : HS_ENOMEM;
}

/* Group the edges by row, stable within a row. */
static void sort_by_rows(const work *w, const hsi_telling *telling)
{
    const hsi_edge *edges = telling->edges.data;
    const double   *bytes = telling->bytes.data;
    size_t          count = telling->edges.size / sizeof *edges, *at = w->told->edge_at;

    for (size_t i = 0; i < count; i++)
        at[edges[i].to + 1]++;
    sum(at, w->rows);
    for (size_t i = 0; i < count; i++) {
        size_t to = at[edges[i].to]++;

        w->told->from[to] = edges[i].from;
        if (w->told->copy)
            w->told->copy[to] = copy_of(w, &edges[i]);
        if (w->told->bytes)
            w->told->bytes[to] = bytes[i];
    }
    shift(at, w->rows);
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

static int is_ascending(const hsi_told *told, size_t first, size_t end)
{
    for (size_t i = first + 1; i < end; i++)
        if (told->from[i] <= told->from[i - 1])
            return 0;
    return 1;
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
    hsi_told *told = w->told;
    size_t    first = told->edge_at[row], count = told->edge_at[row + 1] - first;
    entry    *entries;

    if (count <= FEW && !told->copy && !told->bytes) {
        sort_few(told->from + first, count);
        if (is_ascending(told, first, first + count))
            return HS_OK;
    }
    scratch->size = 0;
    if (hsi_vector_reserve(scratch, count * sizeof *entries))
        return HS_ENOMEM;
    entries = scratch->data;
    for (size_t i = 0; i < count; i++)
        entries[i] = (entry){told->from[first + i], told->copy ? told->copy[first + i] : 0,
                             told->bytes ? told->bytes[first + i] : 0};
    qsort(entries, count, sizeof *entries, by_from);
    for (size_t i = 0; i < count; i++) {
        told->from[first + i] = entries[i].from;
        if (told->copy)
            told->copy[first + i] = entries[i].copy;
        if (told->bytes)
            told->bytes[first + i] = entries[i].bytes;
        if (i > 0 && entries[i].from == entries[i - 1].from &&
            (entries[i].copy == entries[i - 1].copy || entries[i - 1].copy == 0))
            return blame(w, HSI_FAULT_TWICE, row, entries[i].from, entries[i].copy);
    }
    return HS_OK;
}

static hs_status finish_edges(const work *w, const hsi_telling *telling)
{
    hsi_vector scratch = {0};
    hs_status  st;

    if (telling->edges.size == 0)
        return HS_OK;
    st = take_edge_room(w, telling);
    if (st != HS_OK)
        return st;
    sort_by_rows(w, telling);
    for (size_t row = 0; row < w->rows && st == HS_OK; row++)
        if (!is_ascending(w->told, w->told->edge_at[row], w->told->edge_at[row + 1]))
            st = sort_row(w, row, &scratch);
    hsi_vector_free(&scratch);
    return st;
}

/* Count the accesses of each row, and note whether they were added in the order of rows. */
static hs_status count_accesses(const work *w, const hsi_telling *telling, int *in_order)
{
    const hsi_turn *turn = telling->turns.data;
    size_t          turns = telling->turns.size / sizeof *turn, *at = w->told->access_at;

    *in_order = 1;
    for (size_t i = 0; i < turns; i++) {
        if (turn[i].row >= w->rows)
            return blame(w, HSI_FAULT_NO_ROW, turn[i].row, 0, 0);
        *in_order &= i == 0 || turn[i - 1].row <= turn[i].row;
        at[turn[i].row + 1] += turn[i].count;
    }
    sum(at, w->rows);
    return HS_OK;
}

static hs_status sort_accesses(const work *w, const hsi_telling *telling)
{
    const hsi_turn *turn = telling->turns.data;
    const uint32_t *access = telling->accesses.data;
    size_t          turns = telling->turns.size / sizeof *turn, *at = w->told->access_at;

    w->told->access = hsi_pages_alloc(telling->accesses.size);
    if (!w->told->access)
        return HS_ENOMEM;
    for (size_t i = 0; i < turns; access += turn[i++].count) {
        memcpy(w->told->access + at[turn[i].row], access, turn[i].count * sizeof *access);
        at[turn[i].row] += turn[i].count;
    }
    shift(at, w->rows);
    return HS_OK;
}

static void take_accesses(const work *w, hsi_telling *telling)
{
    hsi_vector_trim(&telling->accesses);
    w->told->access = telling->accesses.data;
    telling->accesses.data = NULL;
}

void hsi_told_undo(hsi_told *told, hsi_telling *telling)
{
    if (telling->accesses.size == 0 || telling->accesses.data)
        return;
    telling->accesses.data = told->access;
    told->access = NULL;
}

/* Reject two accesses of a row to one handle. seen[data] is the last row with an access, plus 1. */
static hs_status check_accesses(const work *w, uint32_t *seen)
{
    const size_t *at = w->told->access_at;

    for (size_t row = 0; row < w->rows; row++)
        for (size_t i = at[row]; i < at[row + 1]; i++) {
            uint32_t data = w->told->access[i] >> 2;

            if (seen[data] == row + 1)
                return blame(w, HSI_FAULT_ACCESS_TWICE, row, data, 0);
            seen[data] = (uint32_t)row + 1;
        }
    return HS_OK;
}

static hs_status finish_accesses(const work *w, hsi_telling *telling)
{
    uint32_t *seen;
    int       in_order;
    hs_status st;

    if (telling->accesses.size == 0)
        return HS_OK;
    w->told->access_at = hsi_pages_zeroed(w->rows + 2, sizeof *w->told->access_at);
    seen = calloc(w->told->data.count + 1, sizeof *seen);
    st = w->told->access_at && seen ? count_accesses(w, telling, &in_order) : HS_ENOMEM;
    if (st == HS_OK && in_order)
        take_accesses(w, telling);
    else if (st == HS_OK)
        st = sort_accesses(w, telling);
    if (st == HS_OK)
        st = check_accesses(w, seen);
    free(seen);
    return st;
}

/* Return the longest transfer time of a piece over any link. */
static double longest(const hsi_links *links, double bytes)
{
    double most = hsi_transfer(links, 1, 2, bytes);

    most = most > hsi_transfer(links, 0, 1, bytes) ? most : hsi_transfer(links, 0, 1, bytes);
    return most > hsi_transfer(links, 1, 0, bytes) ? most : hsi_transfer(links, 1, 0, bytes);
}

static double copies_of(const work *w, size_t row)
{
    return w->counts ? w->counts[row] : 1;
}

static double edge_transfers(const work *w, size_t row)
{
    const hsi_told *told = w->told;
    double          all = 0;

    for (size_t i = told->edge_at[row]; i < told->edge_at[row + 1]; i++) {
        double pieces = told->copy && told->copy[i] ? 1 : copies_of(w, told->from[i]);

        all += pieces * longest(&told->links, told->bytes[i]);
    }
    return all;
}

static double data_transfers(const work *w, size_t row)
{
    const hsi_told *told = w->told;
    double          all = 0;

    for (size_t i = told->access_at[row]; i < told->access_at[row + 1]; i++)
        all += longest(&told->links, hsi_data_bytes(&told->data, told->access[i] >> 2));
    return all;
}

/* Sum the transfers' times; INFINITY on overflow. */
static double sum_transfers(const work *w)
{
    double all = 0;

    for (size_t row = 0; row < w->rows && w->told->links.has[HS_H2D]; row++) {
        if (w->told->bytes)
            all += copies_of(w, row) * edge_transfers(w, row);
        if (w->told->access_at)
            all += copies_of(w, row) * data_transfers(w, row);
    }
    return all;
}

hs_status hsi_told_finish(hsi_told *told, hsi_telling *telling, size_t rows,
                          const uint32_t *counts, hsi_fault *fault)
{
    work      w = {told, rows, counts, fault};
    hs_status st;

    free_edges(told);
    st = finish_edges(&w, telling);
    if (st == HS_OK)
        st = finish_accesses(&w, telling);
    told->transfers = st == HS_OK ? sum_transfers(&w) : 0;
    return st;
}
