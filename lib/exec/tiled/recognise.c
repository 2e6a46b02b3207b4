/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "exec/backend/kernel/kernel.h"
#include "exec/tiled/tiles.h"
#include "exec/machine/limits.h"
#include "exec/ranks/exchange.h"

/*
 * A step and its operands in the order of the data column: the matrix, two of the letters i, j, k
 * for row and column of the tile, and the access: nothing for read, + for read and write, * for
 * write.
 */
typedef struct pattern {
    const char      *kernel; /* its name behind the letter of the precision */
    hs_factorisation kind;
    hsi_step         step;
    const char      *operand[HSI_OPERANDS];
} pattern;

static const pattern patterns[] = {
    {"potrf", HS_CHOLESKY, HSI_POTRF, {"Akk+"}},
    {"trsm", HS_CHOLESKY, HSI_TRSM, {"Akk", "Aik+"}},
    {"syrk", HS_CHOLESKY, HSI_SYRK, {"Aik", "Aii+"}},
    {"gemm", HS_CHOLESKY, HSI_GEMM, {"Aik", "Ajk", "Aij+"}},
    {"getrf", HS_LU, HSI_GETRF, {"Akk+"}},
    {"trsm", HS_LU, HSI_TRSM_LEFT, {"Akk", "Akj+"}},
    {"trsm", HS_LU, HSI_TRSM_RIGHT, {"Akk", "Aik+"}},
    {"gemm", HS_LU, HSI_GEMM_LU, {"Aik", "Akj", "Aij+"}},
    {"geqrf", HS_QR, HSI_GEQRF, {"Akk+", "Vkk*", "Tkk*"}},
    {"ormqr", HS_QR, HSI_ORMQR, {"Vkk", "Tkk", "Akj+"}},
    {"tpqrt", HS_QR, HSI_TPQRT, {"Akk+", "Aik+", "Tik*"}},
    {"tpmqrt", HS_QR, HSI_TPMQRT, {"Aik", "Tik", "Akj+", "Aij+"}},
};

enum { PATTERNS = sizeof patterns / sizeof *patterns, MOST_TILES = 65536 };

static const char *const names[] = {"Cholesky", "LU", "QR"};

/* Return the entry of a kernel of this library, and its tile size; NULL: another kernel. */
static const hsi_kernel_entry *kernel_of(const hs_task *row, int *tile)
{
    const char             *colon = row->kernel ? strchr(row->kernel, ':') : NULL;
    const hsi_kernel_entry *entry;
    char                   *end;
    long                    n;

    if (!colon || (row->cpu_command && *row->cpu_command))
        return NULL;
    entry = hsi_kernel_find(row->kernel, (size_t)(colon - row->kernel));
    n = strtol(colon + 1, &end, 10);
    *tile = *end || n < 1 || n > HSI_KERNEL_MOST ? 0 : (int)n; /* a wrong size is 0, and the
                                                                  kernel's backend refuses it */
    return entry;
}

bool hsi_matrix_has_row(const hs_instance *in, size_t number, const hs_task *row)
{
    size_t         data;
    hs_access_mode mode;
    int            tile;

    return hs_instance_access(in, number, 0, &data, &mode) && kernel_of(row, &tile);
}

/* Parse "-3" in a name such as "A-3-1". Return false if no index is found. */
static bool read_index(const char **text, int *index)
{
    char *end;
    long  n;

    if ((*text)[0] != '-' || (*text)[1] < '0' || (*text)[1] > '9')
        return false;
    n = strtol(*text + 1, &end, 10);
    *text = end;
    *index = (int)n;
    return n < MOST_TILES;
}

static hsi_datum read_piece(const char *name)
{
    hsi_datum   piece = {.matrix = name[0]};
    const char *at = name + 1;

    if (!strchr("AVT", name[0]) || !read_index(&at, &piece.row) ||
        !read_index(&at, &piece.column) || *at)
        piece.matrix = 0;
    return piece;
}

static hs_access_mode mode_of(char sign)
{
    return sign == '+' ? HS_READ_WRITE : sign == '*' ? HS_WRITE : HS_READ;
}

/* Compare a piece with an operand of a pattern; bind the letters i, j, k that are not bound
 * (-1). */
static bool fits(const char *wanted, const hsi_datum *piece, hs_access_mode mode, int bound[3])
{
    int *row = &bound[wanted[1] - 'i'], *column = &bound[wanted[2] - 'i'];

    if (piece->matrix != wanted[0] || mode != mode_of(wanted[3]))
        return false;
    if (*row < 0)
        *row = piece->row;
    if (*column < 0)
        *column = piece->column;
    return *row == piece->row && *column == piece->column;
}

/* Return true if the row has this operand already: operands must be different tiles. */
static bool is_among(const hsi_matrix_row *row, int count, size_t piece)
{
    while (count-- > 0)
        if (row->operand[count].piece == piece)
            return true;
    return false;
}

static bool match(const hsi_matrix *matrix, const hs_instance *in, size_t number, const pattern *p,
                  hsi_matrix_row *out)
{
    int            bound[3] = {-1, -1, -1}, i;
    hs_access_mode mode;
    size_t         data;

    *out = (hsi_matrix_row){.step = p->step};
    for (i = 0; hs_instance_access(in, number, (size_t)i, &data, &mode); i++) {
        if (i == HSI_OPERANDS || !p->operand[i] ||
            !fits(p->operand[i], &matrix->piece[data], mode, bound) || is_among(out, i, data))
            return false;
        out->operand[i] = (hsi_operand){.matrix = p->operand[i][0], .mode = mode, .piece = data};
    }
    out->count = i;
    return out->count == HSI_OPERANDS || !p->operand[out->count];
}

void hsi_matrix_name_step(const hsi_matrix *matrix, hsi_step step, int k, int i, int j, size_t size,
                          char *text)
{
    static const char *const modes[] = {[HS_READ] = "r", [HS_WRITE] = "w", [HS_READ_WRITE] = "rw"};
    const int                value['k' - 'i' + 1] = {i, j, k};
    const pattern           *p = patterns;
    size_t                   length;
    int                      o;

    while (p->kind != matrix->kind || p->step != step)
        p++;
    length = (size_t)snprintf(text, size, "%c%s:%d with the data ", matrix->single ? 's' : 'd',
                              p->kernel, matrix->tile);
    for (o = 0; o < HSI_OPERANDS && p->operand[o] && length < size; o++)
        length += (size_t)snprintf(text + length, size - length, "%s%c-%d-%d:%s", o ? ";" : "",
                                   p->operand[o][0], value[p->operand[o][1] - 'i'],
                                   value[p->operand[o][2] - 'i'], modes[mode_of(p->operand[o][3])]);
}

static hs_status recognise_row(hsi_matrix *matrix, const hs_instance *in, size_t number,
                               const hsi_kernel_entry *entry, const hs_task *row, int tile,
                               hs_error *error)
{
    char name[200];
    int  i;

    hs_instance_row_name(in, number, 0, name, sizeof name);
    if (matrix->tile == 0)
        matrix->tile = tile;
    if (tile != matrix->tile)
        return hsi_error_set(error, HS_EDEPENDENT,
                             "task %.100s: its tiles are of %d and those of others of %d: kernels "
                             "that share data have one size",
                             name, tile, matrix->tile);
    if ((entry->name[0] == 's') != matrix->single)
        return hsi_error_set(
            error, HS_EDEPENDENT,
            "task %.100s: %.32s is of %s precision and other kernels on shared data "
            "are not: kernels that share data have one precision",
            name, row->kernel, matrix->single ? "double" : "single");
    for (i = 0; i < PATTERNS && (row->count ? row->count : 1) == 1; i++)
        if (patterns[i].kind == matrix->kind && strcmp(patterns[i].kernel, entry->name + 1) == 0 &&
            match(matrix, in, number, &patterns[i], &matrix->row[number]))
            return HS_OK;
    return hsi_error_set(
        error, HS_EDEPENDENT,
        "task %.100s: with its data, %.32s is no step of a tiled %s factorisation of "
        "tiles A-0-0, A-1-0, ...; kernels that share data do nothing else",
        name, row->kernel, names[matrix->kind]);
}

/* Find the kind of factorisation by the first kernel that only one kind has. HS_OK and *found 0: no
 * kernel accesses data. */
static hs_status find_kind(const hs_instance *in, hsi_matrix *matrix, int *found, hs_error *error)
{
    size_t  i, first = SIZE_MAX;
    hs_task row;
    int     p, tile;

    *found = 0;
    for (i = 0; i < hs_instance_rows(in); i++) {
        hs_instance_row(in, i, &row);
        if (!hsi_matrix_has_row(in, i, &row))
            continue;
        first = i < first ? i : first;
        for (p = 0; p < PATTERNS; p++)
            if (patterns[p].operand[0][3] == '+' &&
                strcmp(patterns[p].kernel, kernel_of(&row, &tile)->name + 1) == 0) {
                matrix->kind = patterns[p].kind;
                matrix->single = kernel_of(&row, &tile)->name[0] == 's';
                *found = 1;
                return HS_OK;
            }
    }
    if (first == SIZE_MAX)
        return HS_OK;
    hs_instance_row(in, first, &row);
    return hsi_error_set(error, HS_EDEPENDENT,
                         "%.64s works on data that other tasks made, and without a dpotrf, dgetrf, "
                         "dgeqrf, spotrf, sgetrf or sgeqrf among them that is no factorisation; "
                         "kernels do nothing else on "
                         "shared data",
                         row.kernel);
}

static hs_status recognise_rows(const hs_instance *in, hsi_matrix *matrix, hs_error *error)
{
    hs_status st = HS_OK;
    size_t    i;
    hs_task   row;
    int       tile;

    for (i = 0; i < matrix->rows && st == HS_OK; i++) {
        const hsi_kernel_entry *entry;

        hs_instance_row(in, i, &row);
        if (!hsi_matrix_has_row(in, i, &row))
            continue;
        entry = kernel_of(&row, &tile);
        if (tile == 0)
            return hsi_kernel_describe_bad_size(row.kernel, entry, error);
        if (!entry->kernel)
            return hsi_error_set(error, HS_EUNSUPPORTED,
                                 "kernel '%.64s' needs %s, which this build is without", row.kernel,
                                 entry->needs);
        st = recognise_row(matrix, in, i, entry, &row, tile, error);
    }
    return st;
}

/* Fill matrix->place. All tiles of A must exist, or for Cholesky all on and below the diagonal. */
static hs_status place_tiles(hsi_matrix *matrix, hs_error *error)
{
    size_t tiles, i;
    int    row, column;

    for (i = 0; i < matrix->pieces; i++)
        if (matrix->piece[i].matrix == 'A') {
            matrix->tiles = hsi_larger(matrix->tiles, matrix->piece[i].row + 1);
            matrix->tiles = hsi_larger(matrix->tiles, matrix->piece[i].column + 1);
        }
    tiles = (size_t)matrix->tiles;
    if (tiles * tiles / 2 > matrix->pieces) /* keeps the table in proportion to the data read */
        return hsi_error_set(error, HS_EDEPENDENT, "tiles of the matrix A are missing");
    matrix->place = malloc(tiles * tiles * sizeof *matrix->place);
    if (!matrix->place)
        return HS_ENOMEM;
    for (i = 0; i < tiles * tiles; i++)
        matrix->place[i] = SIZE_MAX;
    for (i = 0; i < matrix->pieces; i++)
        if (matrix->piece[i].matrix == 'A')
            matrix->place[(size_t)matrix->piece[i].row * tiles + (size_t)matrix->piece[i].column] =
                i;
    for (row = 0; row < matrix->tiles; row++)
        for (column = 0; column < (matrix->kind == HS_CHOLESKY ? row + 1 : matrix->tiles); column++)
            if (matrix->place[(size_t)row * tiles + (size_t)column] == SIZE_MAX)
                return hsi_error_set(error, HS_EDEPENDENT,
                                     "the tile A-%d-%d of the matrix is missing", row, column);
    return HS_OK;
}

/* Return the number of pieces that a run uses here. Of several ranks each has its own and those
 * that it receives; rank 0 may receive the others at the end. */
static size_t used_pieces(const hsi_matrix *matrix)
{
    size_t count = 0, i;

    if (!matrix->exchange || (hsi_matrix_collects(matrix) &&
                              hsi_exchange_mpi(matrix->exchange)->rank == 0))
        return matrix->pieces;
    for (i = 0; i < matrix->pieces; i++)
        count += matrix->is_used[i];
    return count;
}

hs_status hsi_matrix_check_memory(const hsi_matrix *matrix, hs_error *error)
{
    double needed = (double)(hsi_matrix_elements(matrix) * hsi_matrix_element_bytes(matrix)) *
                    (double)used_pieces(matrix);
    double memory;

    if (needed < 0x1p28) /* reading the memory limit is slow */
        return HS_OK;
    memory = hsi_memory_limit();
    if (memory == 0 || needed <= memory)
        return HS_OK;
    return hsi_error_set(error, HS_ERESOURCE,
                         "the matrix needs %.1f GiB of memory, and there are %.1f", needed / 0x1p30,
                         memory / 0x1p30);
}

static hs_status read_pieces(const hs_instance *in, hsi_matrix *matrix)
{
    size_t i;

    matrix->rows = hs_instance_rows(in);
    while (hs_instance_handle_name(in, matrix->pieces))
        matrix->pieces++;
    matrix->row = calloc(matrix->rows + 1, sizeof *matrix->row);
    matrix->piece = calloc(matrix->pieces + 1, sizeof *matrix->piece);
    if (!matrix->row || !matrix->piece)
        return HS_ENOMEM;
    for (i = 0; i < matrix->pieces; i++)
        matrix->piece[i] = read_piece(hs_instance_handle_name(in, i));
    return HS_OK;
}

/* The largest element of the input that fill.c makes, nearly: of floats errors are in proportion.
 */
static double magnitude(const hsi_matrix *matrix, double order)
{
    const double of_kind[] = {[HS_CHOLESKY] = 150, [HS_LU] = 2 * sqrt(order) + 1, [HS_QR] = 1};

    return matrix->single ? of_kind[matrix->kind] : 1;
}

/* Rounding errors of floats grow with the square root of the order, and are next to what is
 * tolerated; those of doubles are not. */
static void describe(hsi_matrix *matrix)
{
    static const double thirds[] = {1, 2, 4};
    double              order = (double)matrix->tile * matrix->tiles;

    matrix->scale = 1;
    matrix->tolerance = matrix->single ? 1e-6 * sqrt(order) : 1e-8;
    matrix->result = (hs_exec_factorisation){
        .struct_size = sizeof matrix->result,
        .name = names[matrix->kind],
        .order = (size_t)matrix->tile * (size_t)matrix->tiles,
        .tile = (size_t)matrix->tile,
        .seed = matrix->seed,
        .operations = thirds[matrix->kind] / 3 * order * order * order,
        .largest_residual_limit = hsi_matrix_element_tolerance(matrix) * magnitude(matrix, order),
        .single_precision = matrix->single};
}

hs_status hsi_matrix_create(const hs_instance *in, uint64_t seed, hsi_matrix **out, hs_error *error)
{
    hsi_matrix *matrix = calloc(1, sizeof *matrix);
    int         found = 0;
    hs_status   st = matrix ? find_kind(in, matrix, &found, error) : HS_ENOMEM;

    *out = NULL;
    if (st == HS_OK && found) {
        matrix->seed = seed;
        st = read_pieces(in, matrix);
        if (st == HS_OK)
            st = recognise_rows(in, matrix, error);
        if (st == HS_OK)
            st = hsi_matrix_set_versions(matrix);
        if (st == HS_OK)
            st = place_tiles(matrix, error);
        if (st == HS_OK)
            st = hsi_matrix_check_steps(in, matrix, error);
    }
    if (st == HS_OK && found) {
        describe(matrix);
        *out = matrix;
    } else {
        hsi_matrix_free(matrix);
    }
    return st;
}

void hsi_matrix_free(hsi_matrix *matrix)
{
    if (!matrix)
        return;
    hsi_matrix_release_all(matrix);
    if (matrix->shared)
        hsi_tiles_free(matrix->shared);
    hsi_exchange_free(matrix->exchange);
    free(matrix->rank_of);
    free(matrix->is_own);
    free(matrix->is_used);
    free(matrix->feature);
    free(matrix->place);
    free(matrix->piece);
    free(matrix->row);
    free(matrix);
}
