/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Build the graph from the relations of rows, vertex by vertex, so the edges into a vertex are
 * contiguous; a counting pass then gives the edges out of each vertex. For the edges from accesses
 * only the last writer of a handle and the readers since then matter.
 */
#include "core/graph/graph.h"

#include <stdlib.h>

#include "core/graph/relations.h"
#include "support/pages.h"

/* State of a handle while tasks are added. */
typedef struct history {
    uint32_t writer;
    uint32_t reader;   /* index in `readers`, plus 1, of the latest reader; 0: none since the
                          last write */
    uint32_t last_row; /* last row that writes the handle, plus 1: later readers precede no
                          writer */
} history;

typedef struct reader {
    uint32_t task, older; /* index of the next reader in the list, plus 1; 0: end of the list */
} reader;

typedef struct work {
    const hsi_store     *store;
    const hsi_relations *relations;
    bool                 by_rows;
    hs_graph            *g;
    hsi_vector           pred;    /* uint32_t: predecessors */
    hsi_vector           bytes;   /* double: bytes of the edges in `pred` */
    hsi_vector           entries; /* predecessors (struct entry) of the current vertex, unsorted */
    history             *history; /* by handle */
    hsi_vector           readers; /* readers (struct reader) of handles that are written again
                                     later */
    uint32_t  *join, *fork;       /* barriers of each row; NULL: the instance has no counts */
    hsi_token *token;
} work;

typedef struct entry {
    uint32_t from;
    double   bytes;
} entry;

static uint32_t count_of(const work *w, size_t row)
{
    return w->by_rows ? 1 : hsi_store_count(w->store, row);
}

static size_t first_of(const work *w, size_t row)
{
    return w->by_rows ? row : hsi_store_first_task(w->store, row);
}

static bool comes_after(const work *w, size_t row)
{
    return w->relations->edge_at && w->relations->edge_at[row] < w->relations->edge_at[row + 1];
}

static hs_status add_edge(work *w, uint32_t from, double bytes)
{
    entry e = {from, bytes};

    return hsi_vector_append(&w->entries, &e, sizeof e) ? HS_ENOMEM : HS_OK;
}

/* Add the predecessors listed for a row. */
static hs_status add_listed(work *w, size_t row)
{
    const hsi_relations *relations = w->relations;
    hs_status            st = HS_OK;

    for (size_t i = comes_after(w, row) ? relations->edge_at[row] : 0;
         comes_after(w, row) && i < relations->edge_at[row + 1] && st == HS_OK; i++) {
        uint32_t from = relations->from[i], copy = relations->copy ? relations->copy[i] : 0;
        double   bytes = relations->bytes ? relations->bytes[i] : 0;

        if (count_of(w, from) > 1 && copy == 0)
            st = add_edge(w, w->join[from], bytes);
        else
            st = add_edge(w, (uint32_t)(first_of(w, from) + (copy && !w->by_rows ? copy - 1 : 0)),
                          bytes);
    }
    return st;
}

/* Add the readers since the last write as predecessors of the next writer. */
static hs_status add_readers(work *w, const history *h)
{
    const reader *readers = w->readers.data;
    hs_status     st = HS_OK;

    for (uint32_t i = h->reader; i > 0 && st == HS_OK; i = readers[i - 1].older)
        st = add_edge(w, readers[i - 1].task, 0);
    return st;
}

static hs_status keep_reader(work *w, history *h, uint32_t task)
{
    reader r = {task, h->reader};
    size_t count = w->readers.size / sizeof r;

    if (count == UINT32_MAX)
        return HS_ETOOBIG;
    h->reader = (uint32_t)count + 1;
    return hsi_vector_append(&w->readers, &r, sizeof r) ? HS_ENOMEM : HS_OK;
}

/* Record the accesses of a task, add its edges from them, and update the state of the handles. */
static hs_status add_accesses(work *w, size_t row, uint32_t task)
{
    const hsi_relations *relations = w->relations;
    hs_graph            *g = w->g;
    size_t               at = g->access_at[task];
    hs_status            st = HS_OK;

    for (size_t i = relations->access_at[row]; i < relations->access_at[row + 1] && st == HS_OK;
         i++, at++) {
        uint32_t data = relations->access[i] >> 2, mode = relations->access[i] & 3;
        history *h = &w->history[data];

        g->access[at] = (hs_access){data, h->writer, mode};
        if (h->writer != HS_NONE)
            st = add_edge(w, h->writer, 0);
        if (mode & HS_WRITE) {
            st = st == HS_OK ? add_readers(w, h) : st;
            h->writer = task;
            h->reader = 0;
        } else if (row < h->last_row && st == HS_OK) {
            st = keep_reader(w, h, task);
        }
    }
    g->access_at[task + 1] = at;
    return st;
}

enum { FEW = 16 };

static int by_from(const void *a, const void *b)
{
    const entry *x = a, *y = b;

    return (x->from > y->from) - (x->from < y->from);
}

static bool sort_ascending(const entry *entries, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (entries[i].from <= entries[i - 1].from)
            return false;
    return true;
}

static void sort_entries(entry *entries, size_t count)
{
    if (count > FEW) {
        qsort(entries, count, sizeof *entries, by_from);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        entry  next = entries[i];
        size_t at = i;

        for (; at > 0 && entries[at - 1].from > next.from; at--)
            entries[at] = entries[at - 1];
        entries[at] = next;
    }
}

/* Sort the collected predecessors, merge duplicates and store them as the edges into the vertex. */
static hs_status end_vertex(work *w, size_t vertex)
{
    entry *entries = w->entries.data;
    size_t count = w->entries.size / sizeof *entries;
    bool   has_bytes = w->relations->bytes != NULL;

    if (hsi_vector_reserve(&w->pred, count * sizeof entries->from) ||
        (has_bytes && hsi_vector_reserve(&w->bytes, count * sizeof entries->bytes)))
        return HS_ENOMEM;
    if (!sort_ascending(entries, count))
        sort_entries(entries, count);
    for (size_t i = 0; i < count; i++) {
        double bytes = entries[i].bytes;

        for (; i + 1 < count && entries[i + 1].from == entries[i].from; i++)
            bytes = entries[i + 1].bytes > bytes ? entries[i + 1].bytes : bytes;
        (void)hsi_vector_append(&w->pred, &entries[i].from, sizeof entries->from);
        if (has_bytes)
            (void)hsi_vector_append(&w->bytes, &bytes, sizeof bytes);
    }
    w->entries.size = 0;
    w->g->pred_at[vertex + 1] = w->pred.size / sizeof entries->from;
    return hsi_poll_after_work(w->token, 8 * (1 + count)) ? HS_ECANCELED : HS_OK;
}

static hs_status add_tasks(work *w)
{
    hs_status st = HS_OK;

    for (size_t row = 0; row < w->store->rows; row++) {
        size_t first = first_of(w, row), count = count_of(w, row);

        for (size_t task = first; task < first + count; task++) {
            if (count == 1)
                st = add_listed(w, row);
            else if (comes_after(w, row))
                st = add_edge(w, w->fork[row], 0);
            if (st == HS_OK && w->relations->access_at)
                st = add_accesses(w, row, (uint32_t)task);
            if (st == HS_OK)
                st = end_vertex(w, task);
            if (st != HS_OK)
                return st;
        }
    }
    return HS_OK;
}

/* Add the edges into barriers, in order of number: a row's join, then its fork. */
static hs_status add_barriers(work *w)
{
    hs_status st = HS_OK;

    for (size_t row = 0; w->join && row < w->store->rows && st == HS_OK; row++) {
        size_t first = first_of(w, row), count = count_of(w, row);

        for (size_t i = 0; w->join[row] != HS_NONE && i < count && st == HS_OK; i++)
            st = add_edge(w, (uint32_t)(first + i), 0);
        if (w->join[row] != HS_NONE && st == HS_OK)
            st = end_vertex(w, w->join[row]);
        if (w->fork[row] == HS_NONE || st != HS_OK)
            continue;
        st = add_listed(w, row);
        if (st == HS_OK)
            st = end_vertex(w, w->fork[row]);
    }
    return st;
}

/* Choose the rows with barriers and number the barriers after the tasks. */
static hs_status number_barriers(work *w)
{
    const hsi_relations *relations = w->relations;
    size_t               rows = w->store->rows, next = w->g->tasks;

    if (w->by_rows || !hsi_store_counts(w->store))
        return HS_OK;
    w->join = malloc((rows + 1) * sizeof *w->join);
    w->fork = malloc((rows + 1) * sizeof *w->fork);
    if (!w->join || !w->fork)
        return HS_ENOMEM;
    for (size_t row = 0; row < rows; row++)
        w->join[row] = w->fork[row] = HS_NONE;
    for (size_t i = 0; relations->edge_at && i < relations->edge_at[rows]; i++)
        if (count_of(w, relations->from[i]) > 1 && !(relations->copy && relations->copy[i]))
            w->join[relations->from[i]] = 0;
    for (size_t row = 0; row < rows; row++) {
        if (w->join[row] != HS_NONE)
            w->join[row] = (uint32_t)next++;
        if (count_of(w, row) > 1 && comes_after(w, row))
            w->fork[row] = (uint32_t)next++;
    }
    w->g->vertices = next;
    return next < HS_NONE ? HS_OK : HS_ETOOBIG;
}

static size_t count_accesses(const work *w)
{
    const size_t *at = w->relations->access_at;
    size_t        all = 0;

    for (size_t row = 0; row < w->store->rows; row++)
        all += (at[row + 1] - at[row]) * count_of(w, row);
    return all;
}

static void begin_histories(work *w)
{
    const hsi_relations *relations = w->relations;

    for (size_t i = 0; i < relations->data.count; i++)
        w->history[i] = (history){HS_NONE, 0, 0};
    for (size_t row = 0; row < w->store->rows; row++)
        for (size_t i = relations->access_at[row]; i < relations->access_at[row + 1]; i++)
            if (relations->access[i] & HS_WRITE)
                w->history[relations->access[i] >> 2].last_row = (uint32_t)row + 1;
}

static hs_status take_room(work *w)
{
    w->g->pred_at = hsi_large_pages_zeroed(w->g->vertices + 1, sizeof *w->g->pred_at);
    if (!w->g->pred_at)
        return HS_ENOMEM;
    if (!w->relations->access_at)
        return HS_OK;
    w->g->access_at = hsi_large_pages_zeroed(w->g->tasks + 1, sizeof *w->g->access_at);
    w->g->access = hsi_large_pages_alloc((count_accesses(w) + 1) * sizeof *w->g->access);
    w->history = malloc((w->relations->data.count + 1) * sizeof *w->history);
    (void)hsi_vector_reserve(&w->pred, count_accesses(w) * sizeof *w->g->pred); /* an estimate */
    if (!w->g->access_at || !w->g->access || !w->history)
        return HS_ENOMEM;
    begin_histories(w);
    return HS_OK;
}

/* Build the successor lists; they ascend because vertices are visited in order. */
static hs_status add_successors(hs_graph *g, hsi_token *token)
{
    size_t edges = g->pred_at[g->vertices],
           *at = hsi_large_pages_zeroed(g->vertices + 2, sizeof *at);

    g->succ_at = at;
    g->succ = hsi_large_pages_alloc((edges + 1) * sizeof *g->succ);
    if (!at || !g->succ)
        return HS_ENOMEM;
    for (size_t i = 0; i < edges && !hsi_poll_at_iteration(token, i); i++)
        at[g->pred[i] + 2]++;
    for (size_t v = 0; v + 1 < g->vertices; v++)
        at[v + 2] += at[v + 1];
    for (size_t v = 0; v < g->vertices;
         v++) /* at[v + 1] is first the start and finally the end of v's successors */
        for (size_t i = g->pred_at[v]; i < g->pred_at[v + 1]; i++) {
            if (hsi_poll_at_iteration(token, i))
                return HS_ECANCELED;
            g->succ[at[g->pred[i] + 1]++] = (uint32_t)v;
        }
    return HS_OK;
}

/* Transfer ownership of the edges to the graph. */
static void keep_edges(work *w)
{
    hsi_vector_trim(&w->pred);
    hsi_vector_trim(&w->bytes);
    w->g->pred = w->pred.data;
    w->g->bytes = w->bytes.data;
    w->pred = w->bytes = (hsi_vector){0};
}

static void close_work(work *w)
{
    hsi_vector_free(&w->pred);
    hsi_vector_free(&w->bytes);
    hsi_vector_free(&w->entries);
    free(w->history);
    hsi_vector_free(&w->readers);
    free(w->join);
    free(w->fork);
}

/* Return true if rows are tasks and accesses add no edges: the relations are already the edges. */
static bool are_edges_as_listed(const work *w)
{
    return !hsi_store_counts(w->store) && !w->relations->access_at;
}

static void borrow_edges(work *w)
{
    w->g->is_borrowed = true;
    w->g->pred_at = w->relations->edge_at;
    w->g->pred = w->relations->from;
    w->g->bytes = w->relations->bytes;
}

static hs_status add_edges(work *w)
{
    hs_status st = number_barriers(w);

    if (st == HS_OK)
        st = take_room(w);
    if (st == HS_OK)
        st = add_tasks(w);
    if (st == HS_OK)
        st = add_barriers(w);
    keep_edges(w);
    return st;
}

hs_status hsi_graph_build(const hsi_store *store, bool by_rows, hsi_token *token, hs_graph **out,
                          hsi_vector *cycle)
{
    work      w = {.store = store, .by_rows = by_rows, .token = token};
    hs_status st = HS_OK;

    w.relations = store->relations;
    w.g = calloc(1, sizeof *w.g);
    if (!w.g)
        return HS_ENOMEM;
    w.g->tasks = w.g->vertices = by_rows ? store->rows : store->tasks;
    if (are_edges_as_listed(&w))
        borrow_edges(&w);
    else
        st = add_edges(&w);
    if (st == HS_OK)
        st = add_successors(w.g, token);
    if (st == HS_OK)
        st = hsi_graph_sort(w.g, token, cycle);
    close_work(&w);
    if (st == HS_OK)
        *out = w.g;
    else
        hsi_graph_free(w.g);
    return st;
}

void hsi_graph_free(hs_graph *g)
{
    if (!g)
        return;
    if (!g->is_borrowed) {
        free(g->pred_at);
        free(g->pred);
        free(g->bytes);
    }
    free(g->succ_at);
    free(g->succ);
    free(g->position);
    free(g->order);
    free(g->access_at);
    free(g->access);
    free(g);
}

/*
 * Return the instance's graph and build it if needed. If several threads build it at once, the
 * first publishes its graph and the others discard theirs.
 */
hs_status hsi_graph_of(const hs_instance *in, hsi_token *token, const hs_graph **out)
{
    hsi_store *store = in->store;
    hs_graph  *g = store->relations ? atomic_load(&store->graph) : NULL, *first = NULL;
    hs_status  st;

    if (!g && hsi_store_has_graph(store)) {
        st = hsi_graph_build(store, false, token, &g, NULL);
        if (st != HS_OK)
            return st;
        if (!atomic_compare_exchange_strong(&store->graph, &first, g)) {
            hsi_graph_free(g);
            g = first;
        }
    }
    *out = g;
    return HS_OK;
}
