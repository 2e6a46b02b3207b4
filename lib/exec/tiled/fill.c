/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fill the input of a factorisation, and write the result as one matrix. The input is the caller's
 * or depends on the seed, but not on the size of the tiles. Cholesky's is symmetric and positive
 * definite: 128 on the diagonal, plus products of eight features of row and column, which are sines
 * of their numbers. Elements for LU and QR are uniform in (-1, 1), with LU's diagonal dominant.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/error.h"
#include "exec/backend/kernel/kernel.h"
#include "exec/device/devices.h"
#include "exec/tiled/tiles.h"
#include "support/pages.h"

#define DIAGONAL 128.0

enum { LINE = 64 };

static int order_of(const hsi_matrix *matrix)
{
    return matrix->tile * matrix->tiles;
}

static double drawn(const hsi_matrix *matrix, uint64_t index)
{
    return (double)(hsi_draw(hsi_draw(matrix->seed) + index) >> 11) * 0x1p-53;
}

static double phase(const hsi_matrix *matrix, int index)
{
    return 6.283185307179586 * drawn(matrix, (uint64_t)index);
}

static hs_status make_features(hsi_matrix *matrix)
{
    int order = order_of(matrix), t, i;

    matrix->feature = malloc((size_t)order * HSI_FEATURES * sizeof *matrix->feature);
    if (!matrix->feature)
        return HS_ENOMEM;
    for (t = 0; t < HSI_FEATURES; t++) {
        double one = phase(matrix, 2 * t), other = phase(matrix, 2 * t + 1);

        for (i = 0; i < order; i++)
            matrix->feature[(size_t)i * HSI_FEATURES + (size_t)t] =
                sin(0.013 * i * t + one) + 0.5 * cos(0.007 * i * t + other);
    }
    return HS_OK;
}

static double definite(const hsi_matrix *matrix, int row, int column)
{
    const double *f = matrix->feature + (size_t)row * HSI_FEATURES;
    const double *g = matrix->feature + (size_t)column * HSI_FEATURES;
    double        sum = row == column ? DIAGONAL : 0;
    int           t;

    for (t = 0; t < HSI_FEATURES; t++)
        sum += f[t] * g[t];
    return sum;
}

static double uniform(const hsi_matrix *matrix, int row, int column)
{
    uint64_t order = (uint64_t)order_of(matrix);

    return 2 * drawn(matrix, (uint64_t)column * order + (uint64_t)row) - 1;
}

/* In single precision a diagonal as large as the order would hide errors elsewhere: it is above the
 * norm of the rest, about sqrt(order / 3), but not above the sum of each row. */
static double dominance(const hsi_matrix *matrix)
{
    return matrix->single ? 2 * sqrt(order_of(matrix)) : order_of(matrix);
}

static double exact(const hsi_matrix *matrix, int row, int column)
{
    double value;

    if (matrix->given && matrix->kind == HS_CHOLESKY)
        return matrix->given[hsi_element_index(order_of(matrix), hsi_larger(row, column),
                                               hsi_smaller(row, column))];
    if (matrix->given)
        return matrix->given[hsi_element_index(order_of(matrix), row, column)];
    if (matrix->kind == HS_CHOLESKY)
        return definite(matrix, row, column);
    value = uniform(matrix, row, column);
    return matrix->kind == HS_LU && row == column ? value + dominance(matrix) : value;
}

static double element(const hsi_matrix *matrix, int row, int column)
{
    double value = exact(matrix, row, column);

    return matrix->single ? (double)(float)value : value;
}

void hsi_matrix_write_input_tile(const hsi_matrix *matrix, int row, int column, double *tile)
{
    int n = matrix->tile, i, j;

    for (j = 0; j < n; j++)
        for (i = 0; i < n; i++)
            tile[hsi_element_index(n, i, j)] = element(matrix, row * n + i, column * n + j);
}

hs_status hsi_matrix_set_input(hsi_matrix *matrix, const double *input, size_t order,
                               hs_error *error)
{
    double largest = 0;
    int    n = order_of(matrix), i, j;

    if (order != (size_t)n)
        return hsi_error_set(
            error, HS_EINVAL,
            "settings.run.matrix is %zu x %zu, and the tasks factorise one of %d x %d", order,
            order, n, n);
    for (j = 0; j < n; j++)
        for (i = matrix->kind == HS_CHOLESKY ? j : 0; i < n; i++) {
            double value = input[hsi_element_index(n, i, j)];

            if (!isfinite(matrix->single ? (double)(float)value : value))
                return hsi_error_set(
                    error, HS_EINVAL,
                    "settings.run.matrix: the element in row %d, column %d (counted from "
                    "0) is %g, and no number%s",
                    i, j, value, matrix->single ? " of single precision" : "");
            largest = fmax(largest, fabs(value));
        }
    matrix->given = input;
    matrix->scale = largest > 0 ? largest : 1;
    matrix->result.input_given = true;
    matrix->result.largest_residual_limit = hsi_matrix_element_tolerance(matrix) * matrix->scale;
    return HS_OK;
}

/* Write both factors of LU as LAPACK stores them. Omit the reflectors of QR, which are useless
 * without the block factors. */
void hsi_matrix_write_factors(const hsi_matrix *matrix, double *out)
{
    int n = matrix->tile, order = order_of(matrix), r, c;

    for (c = 0; c < order; c++)
        for (r = 0; r < order; r++) {
            bool zero = matrix->kind == HS_CHOLESKY ? r < c : matrix->kind == HS_QR && r > c;

            out[hsi_element_index(order, r, c)] =
                zero ? 0
                     : hsi_matrix_get(matrix, hsi_matrix_tile(matrix, r / n, c / n),
                                      hsi_element_index(n, r % n, c % n));
        }
}

static size_t piece_bytes(const hsi_matrix *matrix)
{
    return (hsi_matrix_elements(matrix) * hsi_matrix_element_bytes(matrix) + LINE - 1) / LINE *
           LINE;
}

static void *allocate(const hsi_matrix *matrix, size_t bytes)
{
    return matrix->shared ? hsi_devices_allocate(hsi_tiles_devices(matrix->shared), bytes)
                          : aligned_alloc(LINE, bytes);
}

void *hsi_matrix_allocate(const hsi_matrix *matrix)
{
    return allocate(matrix, piece_bytes(matrix));
}

static void release(const hsi_matrix *matrix, void *at)
{
    if (at && matrix->shared)
        hsi_devices_release(hsi_tiles_devices(matrix->shared), at);
    else
        free(at);
}

void hsi_matrix_release(const hsi_matrix *matrix, void *at)
{
    uintptr_t from = (uintptr_t)matrix->block, place = (uintptr_t)at;

    if (place < from || place >= from + matrix->block_bytes)
        release(matrix, at);
}

void hsi_matrix_release_all(hsi_matrix *matrix)
{
    size_t i;

    for (i = 0; matrix->piece && i < matrix->pieces; i++)
        hsi_matrix_release(matrix, matrix->piece[i].at);
    release(matrix, matrix->block);
}

/* Allocate one block for all pieces, so that the kernel uses large pages: the address cache of a
 * core cannot cover three tiles with small pages. */
/* Return whether this rank uses the piece before the end of the run. */
static bool is_used(const hsi_matrix *matrix, size_t piece)
{
    return !matrix->is_used || matrix->is_used[piece];
}

static hs_status allocate_block(hsi_matrix *matrix)
{
    size_t bytes = piece_bytes(matrix), count = 0, used = 0, i;

    for (i = 0; i < matrix->pieces; i++) {
        count += matrix->piece[i].matrix != 0;
        used += matrix->piece[i].matrix != 0 && is_used(matrix, i);
    }
    if (count > SIZE_MAX / bytes)
        return HS_ENOMEM;
    matrix->block = allocate(matrix, count * bytes);
    if (!matrix->block)
        return HS_ENOMEM;
    matrix->block_bytes = count * bytes;
    if (!matrix->shared)
        hsi_large_pages_hint(matrix->block, used * bytes);
    return HS_OK;
}

/* Put each piece at its place in the block, also if a copy replaced the piece in the run before. The
 * pieces that this rank does not use come last: they share no page with others, so they take no memory. */
static void place_pieces(hsi_matrix *matrix)
{
    size_t bytes = piece_bytes(matrix), count = 0;

    for (int unused = 0; unused < 2; unused++)
        for (size_t i = 0; i < matrix->pieces; i++) {
            hsi_datum *piece = &matrix->piece[i];

            if (!piece->matrix || is_used(matrix, i) == unused)
                continue;
            hsi_matrix_release(matrix, piece->at);
            piece->at = matrix->block + bytes * count++;
        }
}

static void set(const hsi_matrix *matrix, void *tile, size_t index, double value)
{
    if (matrix->single)
        ((float *)tile)[index] = (float)value;
    else
        ((double *)tile)[index] = value;
}

/* Fill a tile with NaN, so that the factors of every run show a read before the first write. */
static void fill_with_nan(const hsi_matrix *matrix, void *tile)
{
    size_t i, count = hsi_matrix_elements(matrix);

    for (i = 0; i < count; i++)
        set(matrix, tile, i, NAN);
}

static void fill_with_input(const hsi_matrix *matrix, const hsi_datum *piece)
{
    int n = matrix->tile, i, j;

    for (j = 0; j < n; j++)
        for (i = 0; i < n; i++)
            set(matrix, piece->at, hsi_element_index(n, i, j),
                element(matrix, piece->row * n + i, piece->column * n + j));
}

hs_status hsi_matrix_fill(hsi_matrix *matrix)
{
    size_t i;

    matrix->result.verified = matrix->result.wrong = false;
    if (matrix->kind == HS_CHOLESKY && !matrix->feature && make_features(matrix) != HS_OK)
        return HS_ENOMEM;
    if (!matrix->block && allocate_block(matrix) != HS_OK)
        return HS_ENOMEM;
    place_pieces(matrix);
    for (i = 0; i < matrix->pieces; i++) {
        const hsi_datum *piece = &matrix->piece[i];

        if (matrix->is_own && !matrix->is_own[i])
            continue; /* the memory stays unused until a tile of another rank arrives */
        if (piece->matrix == 'A')
            fill_with_input(matrix, piece);
        else if (piece->matrix)
            fill_with_nan(matrix, piece->at);
    }
    if (matrix->shared)
        hsi_tiles_renew(matrix->shared);
    return HS_OK;
}
