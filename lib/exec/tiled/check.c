/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Check a factorisation: multiply the factors tile by tile and compare with the input, which is
 * generated again; and multiply QR's Q by its own transpose. The check uses products of CBLAS and
 * LAPACK's application of reflectors only: no code that made the factors, and not the graph's
 * order.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/backend/kernel/kernel.h"
#include "exec/ranks/exchange.h"
#include "exec/tiled/matrix.h"

#if defined HAVE_OPENBLAS && defined HAVE_LAPACKE
#include "exec/backend/kernel/blas.h"

typedef struct sums {
    double error, size; /* sums of squares */
    double largest;
} sums;

typedef enum checked_part { WHOLE, LOWER, LOWER_UNIT, UPPER } checked_part;

static size_t square(int n)
{
    return (size_t)n * (size_t)n;
}

/* Return `count` elements of a piece as doubles: the piece itself, or a copy in `room` if the
 * elements are floats. */
static const double *widen(const hsi_matrix *m, const void *piece, size_t count, double *room)
{
    size_t i;

    if (!m->single)
        return piece;
    for (i = 0; i < count; i++)
        room[i] = hsi_matrix_get(m, piece, i);
    return room;
}

/* Copy a part of a tile as doubles, with zeros elsewhere. */
static void take(const hsi_matrix *m, checked_part which, const void *tile, double *out)
{
    const double *whole = widen(m, tile, square(m->tile), out);
    int           n = m->tile, i, j;

    if (whole != out)
        memcpy(out, whole, square(n) * sizeof *out);
    for (j = 0; j < n && which != WHOLE; j++) {
        if (which == UPPER)
            memset(out + hsi_element_index(n, j, j) + 1, 0, sizeof *out * (size_t)(n - j - 1));
        for (i = 0; i < j && which != UPPER; i++)
            out[hsi_element_index(n, i, j)] = 0;
        if (which == LOWER_UNIT)
            out[hsi_element_index(n, j, j)] = 1;
    }
}

/* Add squares of errors; a NaN counts as the largest error. Values divided by `scale` do not
 * overflow when squared. */
static void add_error(sums *s, size_t count, const double *error, const double *size, double weight,
                      double scale)
{
    size_t i;

    for (i = 0; i < count; i++) {
        double e = error[i] / scale, x = size[i] / scale;

        s->error += weight * e * e;
        s->size += weight * x * x;
        if (!(fabs(error[i]) <= s->largest))
            s->largest = fabs(error[i]);
    }
}

/* Return the relative error; for an input of zeros the absolute one. */
static double relative(const sums *s)
{
    return sqrt(s->size > 0 ? s->error / s->size : s->error);
}

/* Subtract tile (row, column) of the product of the factors from `c`. */
static void subtract_product(const hsi_matrix *m, int row, int column, double *c, double *left,
                             double *right)
{
    int definite = m->kind == HS_CHOLESKY, n = m->tile, k;

    for (k = 0; k <= row && k <= column; k++) {
        take(m, k < row ? WHOLE : definite ? LOWER : LOWER_UNIT, hsi_matrix_tile(m, row, k), left);
        if (definite)
            take(m, k < column ? WHOLE : LOWER, hsi_matrix_tile(m, column, k), right);
        else
            take(m, k < column ? WHOLE : UPPER, hsi_matrix_tile(m, k, column), right);
        hsi_blas.dgemm(CblasColMajor, CblasNoTrans, definite ? CblasTrans : CblasNoTrans, n, n, n,
                       -1, left, n, right, n, 1, c, n);
    }
}

/* Return true if this rank checks the tile: a rank has received all tiles that its tiles need. */
static bool is_checked_here(const hsi_matrix *m, int row, int column)
{
    const hs_mpi *mpi = m->exchange ? hsi_exchange_mpi(m->exchange) : NULL;

    return !mpi || hsi_matrix_rank_of_tile(mpi->ranks, row, column) == mpi->rank;
}

static hs_status check_product(const hsi_matrix *m, sums *s)
{
    size_t  count = square(m->tile);
    double *tile = malloc(4 * count * sizeof *tile);
    int     row, column;

    if (!tile)
        return HS_ENOMEM;
    for (row = 0; row < m->tiles; row++)
        for (column = 0; column < (m->kind == HS_CHOLESKY ? row + 1 : m->tiles); column++) {
            if (!is_checked_here(m, row, column))
                continue;
            hsi_matrix_write_input_tile(m, row, column, tile);
            memcpy(tile + count, tile, count * sizeof *tile);
            subtract_product(m, row, column, tile, tile + 2 * count, tile + 3 * count);
            add_error(s, count, tile, tile + count, m->kind == HS_CHOLESKY && row != column ? 2 : 1,
                      m->scale);
        }
    free(tile);
    return HS_OK;
}

/* Return a tile of a square matrix that is stored by rows of tiles. */
static double *at(const hsi_matrix *m, double *all, int row, int column)
{
    return all + ((size_t)row * (size_t)m->tiles + (size_t)column) * square(m->tile);
}

/* Return the part of the workspace behind LAPACK's part and a tile: it holds the reflectors of a
 * tile and their factors as doubles. */
static double *wide_room(const hsi_matrix *m, double *work)
{
    return work + hsi_matrix_elements(m) + square(m->tile);
}

/* Multiply Q by one column of tiles: apply the reflectors in the reverse order of the rows. */
static void multiply_column(const hsi_matrix *m, double *all, int column, double *work)
{
    size_t  i;
    int     n = m->tile, w = hsi_smaller(n, HSI_KERNEL_PANEL);
    double *room = wide_room(m, work);

    for (i = m->rows; i-- > 0;) {
        const hsi_matrix_row *r = &m->row[i];
        const hsi_datum      *v = &m->piece[r->operand[1].piece];
        const double         *reflectors, *t;

        if (r->step != HSI_GEQRF && r->step != HSI_TPQRT)
            continue;
        reflectors = widen(m, v->at, square(n), room);
        t = widen(m, m->piece[r->operand[2].piece].at, hsi_matrix_piece_elements(m, 'T'),
                  room + hsi_matrix_elements(m));
        if (r->step == HSI_GEQRF)
            hsi_blas.dgemqrt(LAPACK_COL_MAJOR, 'L', 'N', n, n, n, w, reflectors, n, t,
                             HSI_KERNEL_PANEL, at(m, all, v->row, column), n, work);
        else
            hsi_blas.dtpmqrt(LAPACK_COL_MAJOR, 'L', 'N', n, n, n, 0, w, reflectors, n, t,
                             HSI_KERNEL_PANEL, at(m, all, v->column, column), n,
                             at(m, all, v->row, column), n, work);
    }
}

/* Compare Q R with the input. */
static void check_triangle(const hsi_matrix *m, sums *s, double *all, double *work)
{
    size_t  count = square(m->tile), i;
    double *input = work + hsi_matrix_elements(m);
    int     row, column;

    for (column = 0; column < m->tiles; column++) {
        for (row = 0; row < m->tiles; row++) {
            memset(at(m, all, row, column), 0, count * sizeof *all);
            if (row <= column)
                take(m, row < column ? WHOLE : UPPER, hsi_matrix_tile(m, row, column),
                     at(m, all, row, column));
        }
        multiply_column(m, all, column, work);
        for (row = 0; row < m->tiles; row++) {
            hsi_matrix_write_input_tile(m, row, column, input);
            for (i = 0; i < count; i++)
                at(m, all, row, column)[i] -= input[i];
            add_error(s, count, at(m, all, row, column), input, 1, m->scale);
        }
    }
}

static void set_unit(int n, double *tile)
{
    int i;

    memset(tile, 0, square(n) * sizeof *tile);
    for (i = 0; i < n; i++)
        tile[hsi_element_index(n, i, i)] = 1;
}

/* Compare Q'Q with the unit matrix; one triangle suffices, as the product is symmetric. */
static void check_orthogonal(const hsi_matrix *m, sums *s, double *all, double *work)
{
    size_t  count = square(m->tile);
    double *product = work, *unit = work + hsi_matrix_elements(m);
    int     row, column, k, n = m->tile;

    for (column = 0; column < m->tiles; column++) {
        for (row = 0; row < m->tiles; row++)
            memset(at(m, all, row, column), 0, count * sizeof *all);
        set_unit(n, at(m, all, column, column));
        multiply_column(m, all, column, work);
    }
    for (column = 0; column < m->tiles; column++)
        for (row = column; row < m->tiles; row++) {
            memset(unit, 0, count * sizeof *unit);
            if (row == column)
                set_unit(n, unit);
            memcpy(product, unit, count * sizeof *product);
            for (k = 0; k < m->tiles; k++)
                hsi_blas.dgemm(CblasColMajor, CblasTrans, CblasNoTrans, n, n, n, -1,
                               at(m, all, k, row), n, at(m, all, k, column), n, 1, product, n);
            add_error(s, count, product, unit, row == column ? 1 : 2, 1);
        }
}

static hs_status check_qr(const hsi_matrix *m, sums *s, sums *orthogonal)
{
    size_t  tiles = (size_t)m->tiles;
    size_t  wide = m->single ? 2 * hsi_matrix_elements(m) : 0;
    double *work = malloc((square(m->tile) + hsi_matrix_elements(m) + wide) * sizeof *work);
    double *all = malloc(tiles * tiles * square(m->tile) * sizeof *all);

    if (work && all) {
        check_triangle(m, s, all, work);
        check_orthogonal(m, orthogonal, all, work);
    }
    free(work);
    free(all);
    return work && all ? HS_OK : HS_ENOMEM;
}

typedef struct result {
    sums product, orthogonal;
} result;

static void add_sums(sums *s, const sums *more)
{
    s->error += more->error;
    s->size += more->size;
    if (!(more->largest <= s->largest))
        s->largest = more->largest;
}

/* Add the sums of all ranks, in their order. */
static hs_status add_ranks(const hs_mpi *mpi, result *r, hs_error *error)
{
    result   *all = calloc(mpi->ranks, sizeof *all);
    hs_status st = all ? hsi_mpi_share(mpi, r, all, sizeof *r, error) : HS_ENOMEM;

    *r = (result){0};
    for (unsigned rank = 0; rank < mpi->ranks && st == HS_OK; rank++) {
        add_sums(&r->product, &all[rank].product);
        add_sums(&r->orthogonal, &all[rank].orthogonal);
    }
    free(all);
    return st;
}

/* QR needs whole columns of tiles, which rank 0 has collected. */
static hs_status check_all(hsi_matrix *m, result *r, hs_error *error)
{
    const hs_mpi *mpi = m->exchange ? hsi_exchange_mpi(m->exchange) : NULL;
    hs_status     st = HS_OK;

    if (m->kind != HS_QR)
        st = check_product(m, &r->product);
    else if (!mpi || mpi->rank == 0)
        st = check_qr(m, &r->product, &r->orthogonal);
    return st == HS_OK && mpi ? add_ranks(mpi, r, error) : st;
}

hs_status hsi_matrix_verify_factors(hsi_matrix *m, hs_error *error)
{
    hs_exec_factorisation *r = &m->result;
    result                 found = {.product = {0}};
    hs_status              st = check_all(m, &found, error);

    if (st != HS_OK)
        return st;
    r->verified = true;
    r->relative_residual = relative(&found.product);
    r->largest_residual = found.product.largest;
    r->orthogonality = relative(&found.orthogonal);
    r->wrong =
        !(r->relative_residual < m->tolerance && r->largest_residual < r->largest_residual_limit &&
          r->orthogonality < m->tolerance &&
          found.orthogonal.largest < hsi_matrix_element_tolerance(m));
    return HS_OK;
}

#else

/* A build without OpenBLAS or LAPACKE cannot check. */
hs_status hsi_matrix_verify_factors(hsi_matrix *m, hs_error *error)
{
    (void)m;
    (void)error->why;
    return HS_EUNSUPPORTED;
}

#endif
