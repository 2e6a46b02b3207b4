/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A factorisation by several ranks. Each tile belongs to a rank, and a task runs on the rank of the
 * last tile of A that it writes. The input of each tile is made where tasks read it. Each further
 * version of a piece goes once to each other rank with a task that reads the version.
 */
#include <stdlib.h>

#include "core/error.h"
#include "exec/tiled/matrix.h"
#include "exec/ranks/exchange.h"
#include "support/hash.h"

enum { NAME = 104 };

unsigned hsi_matrix_rank_of_tile(unsigned ranks, int row, int column)
{
    unsigned rows = 1;

    for (unsigned p = 2; p <= ranks / p; p++)
        if (ranks % p == 0)
            rows = p;
    return (unsigned)row % rows * (ranks / rows) + (unsigned)column % (ranks / rows);
}

/* Return the rank of a row's task. */
static unsigned rank_of_row(const hsi_matrix *m, const hsi_matrix_row *row, unsigned ranks)
{
    const hsi_datum *tile = NULL;

    for (int i = 0; i < row->count; i++)
        if (row->operand[i].matrix == 'A' && row->operand[i].mode & HS_WRITE)
            tile = &m->piece[row->operand[i].piece];
    return tile ? hsi_matrix_rank_of_tile(ranks, tile->row, tile->column) : 0;
}

/* A version of a piece that a rank needs from another. */
typedef struct need {
    uint32_t writer; /* row */
    unsigned rank;   /* the rank with the readers */
    size_t   piece;
    uint32_t reader; /* row */
    uint32_t after;  /* the last row of the rank that used the piece before `reader`; HS_NONE */
} need;

static bool is_same(const need *x, const need *y)
{
    return x->writer == y->writer && x->piece == y->piece && x->rank == y->rank;
}

static int compare_needs(const void *a, const void *b)
{
    const need *x = a, *y = b;

    if (x->writer != y->writer)
        return x->writer < y->writer ? -1 : 1;
    if (x->piece != y->piece)
        return x->piece < y->piece ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->reader < y->reader ? -1 : x->reader > y->reader;
}

/* The state of a division. */
typedef struct division {
    hsi_matrix        *m;
    const hs_instance *in;
    const hs_mpi      *mpi;
    need              *need; /* room for each operand of each row */
    size_t             count;
    uint32_t          *last_use; /* by piece: the last row of this rank that has used the piece */
    uint32_t          *last_writer; /* by piece: the last row that writes it */
} division;

static hs_status refuse(const division *d, size_t row, const char *what, hs_error *error)
{
    char name[NAME];

    hs_instance_row_name(d->in, row, 0, name, sizeof name);
    return hsi_error_set(error, HS_EDEPENDENT, "task %.100s: settings.run.mpi: %s", name, what);
}

/* Note the versions that the row needs from other ranks, and where this rank uses the pieces. */
static hs_status add_row(division *d, size_t number, hs_error *error)
{
    hsi_matrix           *m = d->m;
    const hsi_matrix_row *row = &m->row[number];
    const unsigned        rank = m->rank_of[number];
    const bool            is_own = rank == d->mpi->rank;

    for (int i = 0; i < row->count; i++) {
        const hsi_operand *o = &row->operand[i];

        if (o->mode == HS_READ && o->version != d->last_writer[o->piece])
            return refuse(d, number,
                          "a later task writes a tile that this task only reads; each tile must "
                          "be final before other tiles are computed from it",
                          error);
        if (o->mode & HS_READ && o->version != HS_NONE && m->rank_of[o->version] != rank)
            d->need[d->count++] = (need){o->version, rank, o->piece, (uint32_t)number,
                                         is_own ? d->last_use[o->piece] : HS_NONE};
        if (is_own && (o->mode & HS_WRITE || o->version == HS_NONE))
            m->is_own[o->piece] = m->is_used[o->piece] = true;
        if (is_own)
            d->last_use[o->piece] = (uint32_t)number;
    }
    return HS_OK;
}

/* Keep the first reader of each version on each rank: the rank's uses before it are of older
 * versions. */
static void unite_needs(division *d)
{
    size_t kept = 0;

    qsort(d->need, d->count, sizeof *d->need, compare_needs);
    for (size_t i = 0; i < d->count; i++)
        if (kept == 0 || !is_same(&d->need[kept - 1], &d->need[i]))
            d->need[kept++] = d->need[i];
    d->count = kept;
}

static hsi_parcel parcel_of(const hsi_matrix *m, const need *n, unsigned other)
{
    const hsi_datum *piece = &m->piece[n->piece];

    return (hsi_parcel){.task = n->writer,
                        .after = n->after,
                        .other = other,
                        .tag = (int)n->piece,
                        .bytes = hsi_matrix_piece_elements(m, piece->matrix) *
                                 hsi_matrix_element_bytes(m),
                        .at = &piece->at};
}

/* Return whether the row reads a version that the row `writer` wrote. */
static bool reads_from(const hsi_matrix_row *row, uint32_t writer)
{
    for (int i = 0; i < row->count; i++)
        if (row->operand[i].mode & HS_READ && row->operand[i].version == writer)
            return true;
    return false;
}

/* Return whether all versions of other ranks that the row reads are predecessors of the row. */
static bool waits_for_data(const hsi_matrix *m, size_t number, const uint32_t *before, size_t count)
{
    const hsi_matrix_row *row = &m->row[number];

    for (int i = 0; i < row->count; i++) {
        const hsi_operand *o = &row->operand[i];
        size_t             at = 0;

        if (!(o->mode & HS_READ) || o->version == HS_NONE ||
            m->rank_of[o->version] == m->rank_of[number])
            continue;
        while (at < count && before[at] != o->version)
            at++;
        if (at == count)
            return false;
    }
    return true;
}

/* Check that a task of this rank depends on a task of another rank only through a tile.
 */
static hs_status check_graph(const division *d, hs_error *error)
{
    const hs_graph *graph;
    hs_status       st = hs_instance_graph(d->in, &graph);

    for (size_t i = 0; i < d->m->rows && st == HS_OK; i++) {
        size_t          count = 0;
        const uint32_t *before = graph ? hs_graph_predecessors(graph, i, &count, NULL) : NULL;

        if (d->m->rank_of[i] != d->mpi->rank)
            continue;
        if (!waits_for_data(d->m, i, before, count))
            st = refuse(d, i, "it does not wait for a task whose tile it reads", error);
        for (size_t at = 0; at < count && st == HS_OK; at++)
            if (before[at] >= d->m->rows || (d->m->rank_of[before[at]] != d->mpi->rank &&
                                             !reads_from(&d->m->row[i], before[at])))
                st =
                    refuse(d, i, "it waits for a task of another rank whose tiles it does not read",
                           error);
    }
    return st;
}

/* Divide the rows. */
static hs_status divide_rows(division *d, hs_error *error)
{
    hsi_matrix *m = d->m;
    hs_status   st = HS_OK;

    for (size_t i = 0; i < m->rows && st == HS_OK; i++) {
        if (m->row[i].step == HSI_NO_STEP)
            st = refuse(d, i, "each task must be a step of the factorisation", error);
        m->rank_of[i] = rank_of_row(m, &m->row[i], d->mpi->ranks);
        for (int o = 0; o < m->row[i].count; o++)
            if (m->row[i].operand[o].mode & HS_WRITE)
                d->last_writer[m->row[i].operand[o].piece] = (uint32_t)i;
    }
    for (size_t i = 0; i < m->rows && st == HS_OK; i++)
        st = add_row(d, i, error);
    return st == HS_OK ? check_graph(d, error) : st;
}

/* Create the exchange with the parcels from and to this rank. */
static hs_status create_exchange(division *d)
{
    const unsigned    rank = d->mpi->rank;
    hsi_matrix       *m = d->m;
    hsi_exchange_plan plan = {.elsewhere = calloc(m->rows + 1, sizeof *plan.elsewhere),
                              .from = calloc(d->count + 1, sizeof *plan.from),
                              .to = calloc(d->count + 1, sizeof *plan.to)};
    hs_status         st = plan.elsewhere && plan.from && plan.to ? HS_OK : HS_ENOMEM;

    for (size_t i = 0; i < m->rows && st == HS_OK; i++)
        plan.elsewhere[i] = m->rank_of[i] != rank;
    for (size_t i = 0; i < d->count && st == HS_OK; i++) {
        const need *n = &d->need[i];

        if (m->rank_of[n->writer] == rank)
            plan.from[plan.from_count++] = parcel_of(m, n, n->rank);
        if (n->rank != rank)
            continue;
        plan.to[plan.to_count++] = parcel_of(m, n, m->rank_of[n->writer]);
        m->is_used[n->piece] = true;
    }
    plan.digest = hsi_hash((const char *)&m->seed, sizeof m->seed, 0);
    if (m->given)
        plan.digest ^= hsi_hash((const char *)m->given,
                                m->result.order * m->result.order * sizeof *m->given, 1);
    if (st == HS_OK)
        st = hsi_exchange_create(d->mpi, m->rows, &plan, &m->exchange);
    if (st != HS_OK) {
        free(plan.elsewhere);
        free(plan.from);
        free(plan.to);
    }
    return st;
}

static bool allocate(division *d)
{
    hsi_matrix *m = d->m;

    m->rank_of = calloc(m->rows + 1, sizeof *m->rank_of);
    m->is_own = calloc(m->pieces + 1, sizeof *m->is_own);
    m->is_used = calloc(m->pieces + 1, sizeof *m->is_used);
    d->need = calloc(m->rows + 1, HSI_OPERANDS * sizeof *d->need);
    d->last_use = malloc((m->pieces + 1) * sizeof *d->last_use);
    d->last_writer = malloc((m->pieces + 1) * sizeof *d->last_writer);
    if (!m->rank_of || !m->is_own || !m->is_used || !d->need || !d->last_use || !d->last_writer)
        return false;
    for (size_t i = 0; i < m->pieces; i++)
        d->last_use[i] = d->last_writer[i] = HS_NONE;
    return true;
}

hs_status hsi_matrix_divide(hsi_matrix *m, const hs_instance *in, const hs_mpi *mpi,
                            hs_error *error)
{
    division  d = {.m = m, .in = in, .mpi = mpi};
    hs_status st = allocate(&d) ? HS_OK : HS_ENOMEM;

    if (st == HS_OK && m->pieces > (size_t)mpi->most_tag)
        st =
            hsi_error_set(error, HS_EUNSUPPORTED, "%zu tiles are more than the %d tags of this MPI",
                          m->pieces, mpi->most_tag);
    if (st == HS_OK)
        st = divide_rows(&d, error);
    if (st == HS_OK) {
        unite_needs(&d);
        st = create_exchange(&d);
    }
    free(d.need);
    free(d.last_use);
    free(d.last_writer);
    return st;
}

/* Return the rank with the newest version of each piece; NULL: memory is short. */
static unsigned *newest_ranks(const hsi_matrix *m)
{
    unsigned *rank = calloc(m->pieces + 1, sizeof *rank);

    for (size_t i = 0; rank && i < m->rows; i++)
        for (int o = 0; o < m->row[i].count; o++)
            if (m->row[i].operand[o].mode & HS_WRITE)
                rank[m->row[i].operand[o].piece] = m->rank_of[i];
    return rank;
}

hs_status hsi_matrix_collect(const hsi_matrix *m, bool all_pieces, hs_error *error)
{
    const unsigned rank = hsi_exchange_mpi(m->exchange)->rank;
    unsigned      *newest = newest_ranks(m);
    hsi_parcel    *parcel = calloc(m->pieces + 1, sizeof *parcel);
    size_t         count = 0;
    hs_status      st = HS_ENOMEM;

    for (size_t i = 0; newest && parcel && i < m->pieces; i++) {
        const need n = {.piece = i};

        if (m->piece[i].matrix != 'A' && !(all_pieces && m->piece[i].matrix))
            continue;
        if (newest[i] > 0 && (rank == 0 || newest[i] == rank))
            parcel[count++] = parcel_of(m, &n, rank == 0 ? newest[i] : 0);
    }
    if (newest && parcel)
        st = rank == 0 ? hsi_exchange_move(m->exchange, NULL, 0, parcel, count, error)
                       : hsi_exchange_move(m->exchange, parcel, count, NULL, 0, error);
    free(newest);
    free(parcel);
    return st;
}
