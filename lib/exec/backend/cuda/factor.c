/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * potrf, getrf, geqrf, ormqr, tpqrt, tpmqrt in both precisions. cuSOLVER factorises panels, and
 * cuBLAS updates the rest.
 * The panel starts at run->column. If run->next is not 0, the panel is factorised and applied to
 * the columns before run->next.
 * A size of cuSOLVER's work space is valid for one shape. The work space is as large as the
 * maximum over all shapes of a factorisation.
 */
#include "exec/backend/cuda/cuda.h"

static void *to(const hsi_cuda_run *run, int row, int column)
{
    return hsi_cuda_element_address(run->context, run->c, hsi_element_index(run->n, row, column));
}

static void *tau_of(const hsi_cuda_run *run, int column)
{
    return hsi_cuda_element_address(run->context, run->tau, (size_t)column);
}

static const void *one(const hsi_cuda_run *run)
{
    return hsi_cuda_scalar(run->context, 1);
}

static const void *minus_one(const hsi_cuda_run *run)
{
    return hsi_cuda_scalar(run->context, -1);
}

static int panel_width(const hsi_cuda_run *run)
{
    return hsi_smaller(run->width, run->n - run->column);
}

/* Return the width of the next piece behind the panel. */
static int piece_width(const hsi_cuda_run *run)
{
    return hsi_smaller(hsi_cuda_piece(run->n, run->width), run->n - run->next);
}

/* Move behind the panel or the piece that was launched. Return whether a piece is left. */
static bool advance(hsi_cuda_run *run, int next)
{
    if (next < run->n) {
        run->next = next;
        return true;
    }
    run->column += panel_width(run);
    run->next = 0;
    return run->column < run->n;
}

/* Launch the panel at run->column, or the next piece behind the panel. */
static int step(hsi_cuda_run *run, int (*panel)(hsi_cuda_run *), int (*piece)(hsi_cuda_run *))
{
    if (run->next == 0)
        return panel(run) ? advance(run, run->column + panel_width(run)) : -1;
    return piece(run) ? advance(run, run->next + piece_width(run)) : -1;
}

static int *info_of_panel(const hsi_cuda_run *run)
{
    return run->info + run->column / run->width;
}

static int potrf_panel(hsi_cuda_run *run)
{
    int n = run->n, j = run->column, w = panel_width(run), below = n - j - w;

    return SOLVER_OF(run->context, potrf, CUBLAS_FILL_MODE_LOWER, w, to(run, j, j), n, run->work,
                     run->work_size, info_of_panel(run)) &&
           (below == 0 || BLAS_OF(run->context, trsm, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER,
                                  CUBLAS_OP_T, CUBLAS_DIAG_NON_UNIT, below, w, one(run),
                                  to(run, j, j), n, to(run, j + w, j), n));
}

static int potrf_piece(hsi_cuda_run *run)
{
    int n = run->n, j = run->column, w = panel_width(run), k = run->next, v = piece_width(run);
    int below = n - k - v;

    return BLAS_OF(run->context, syrk, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, v, w, minus_one(run),
                   to(run, k, j), n, one(run), to(run, k, k), n) &&
           (below == 0 ||
            BLAS_OF(run->context, gemm, CUBLAS_OP_N, CUBLAS_OP_T, below, v, w, minus_one(run),
                    to(run, k + v, j), n, to(run, k, j), n, one(run), to(run, k + v, k), n));
}

int hsi_cuda_potrf(hsi_cuda_run *run)
{
    return step(run, potrf_panel, potrf_piece);
}

int hsi_cuda_potrf_work(hsi_stream_context *context, int n, int width, int *elements)
{
    int j, needed = 0;

    for (j = 0, *elements = 0; j < n; j += width) {
        if (!SOLVER_OF(context, potrf_bufferSize, CUBLAS_FILL_MODE_LOWER, hsi_smaller(width, n - j),
                       NULL, n, &needed))
            return 0;
        *elements = hsi_larger(*elements, needed);
    }
    return 1;
}

/*
 * dgetrf: P A = L U. Pivots count from the first row of their panel.
 * The manual of cuSOLVER does not describe laswp. As in LAPACK, rows and pivots count from 1.
 */

static bool swap_rows(hsi_cuda_run *run, int first, int columns)
{
    return columns == 0 || SOLVER_OF(run->context, laswp, columns, to(run, run->column, first),
                                     run->n, 1, panel_width(run), run->pivots + run->column, 1);
}

static int getrf_panel(hsi_cuda_run *run)
{
    int n = run->n, j = run->column, w = panel_width(run);

    return SOLVER_OF(run->context, getrf, n - j, w, to(run, j, j), n, run->work, run->pivots + j,
                     info_of_panel(run)) &&
           swap_rows(run, 0, j) && swap_rows(run, j + w, n - j - w);
}

static int getrf_piece(hsi_cuda_run *run)
{
    int n = run->n, j = run->column, w = panel_width(run), k = run->next, v = piece_width(run);

    return BLAS_OF(run->context, trsm, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
                   CUBLAS_DIAG_UNIT, w, v, one(run), to(run, j, j), n, to(run, j, k), n) &&
           BLAS_OF(run->context, gemm, CUBLAS_OP_N, CUBLAS_OP_N, n - j - w, v, w, minus_one(run),
                   to(run, j + w, j), n, to(run, j, k), n, one(run), to(run, j + w, k), n);
}

int hsi_cuda_getrf(hsi_cuda_run *run)
{
    return step(run, getrf_panel, getrf_piece);
}

int hsi_cuda_getrf_work(hsi_stream_context *context, int n, int width, int *elements)
{
    int j, needed = 0;

    for (j = 0, *elements = 0; j < n; j += width) {
        if (!SOLVER_OF(context, getrf_bufferSize, n - j, hsi_smaller(width, n - j), NULL, n,
                       &needed))
            return 0;
        *elements = hsi_larger(*elements, needed);
    }
    return 1;
}

/* dgeqrf of run->q, which may have more rows than columns. */

static void *to_q(const hsi_cuda_run *run, int row, int column)
{
    return hsi_cuda_element_address(run->context, run->q,
                                    hsi_element_index(run->rows, row, column));
}

static int *spare_info(const hsi_cuda_run *run)
{
    return run->info + HSI_CUDA_PANELS_MOST - 1;
}

static int geqrf_panel(hsi_cuda_run *run)
{
    int m = run->rows, j = run->column;

    return SOLVER_OF(run->context, geqrf, m - j, panel_width(run), to_q(run, j, j), m,
                     tau_of(run, j), run->work, run->work_size, info_of_panel(run));
}

static int geqrf_piece(hsi_cuda_run *run)
{
    int m = run->rows, j = run->column, w = panel_width(run), k = run->next, v = piece_width(run);

    return SOLVER_OF(run->context, ormqr, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, m - j, v, w,
                     to_q(run, j, j), m, tau_of(run, j), to_q(run, j, k), m, run->work,
                     run->work_size, spare_info(run));
}

int hsi_cuda_geqrf(hsi_cuda_run *run)
{
    return step(run, geqrf_panel, geqrf_piece);
}

static bool ask_ormqr(hsi_stream_context *context, int ld, int rows, int columns, int k,
                      int *elements)
{
    int needed = 0;

    if (!SOLVER_OF(context, ormqr_bufferSize, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, rows, columns, k, NULL,
                   ld, NULL, NULL, ld, &needed))
        return false;
    *elements = hsi_larger(*elements, needed);
    return true;
}

/* The pieces behind a panel have the same width, except the last one. */
static bool ask_geqrf(hsi_stream_context *context, int m, int n, int width, int *elements)
{
    int j, needed = 0, piece = hsi_cuda_piece(n, width);

    for (j = 0; j < n; j += width) {
        int behind = n - j - width;

        if (!SOLVER_OF(context, geqrf_bufferSize, m - j, hsi_smaller(width, n - j), NULL, m,
                       &needed))
            return false;
        *elements = hsi_larger(*elements, needed);
        if (behind > 0 &&
            !(ask_ormqr(context, m, m - j, hsi_smaller(piece, behind), width, elements) &&
              ask_ormqr(context, m, m - j, (behind - 1) % piece + 1, width, elements)))
            return false;
    }
    return true;
}

int hsi_cuda_geqrf_work(hsi_stream_context *context, int n, int width, int *elements)
{
    *elements = 0;
    return ask_geqrf(context, n, n, width, elements);
}

int hsi_cuda_ormqr(hsi_cuda_run *run)
{
    int n = run->n, j = run->column, w = panel_width(run);

    if (!SOLVER_OF(run->context, ormqr, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, n, w, n, run->a, n, run->tau,
                   to(run, 0, j), n, run->work, run->work_size, info_of_panel(run)))
        return -1;
    run->column += w;
    return run->column < n;
}

int hsi_cuda_ormqr_work(hsi_stream_context *context, int n, int width, int *elements)
{
    *elements = 0;
    return ask_ormqr(context, n, n, hsi_smaller(width, n), n, elements) &&
           ask_ormqr(context, n, n, (n - 1) % width + 1, n, elements);
}

/*
 * dtpqrt is dgeqrf of the stack of both matrices. Zeros below the diagonal of the upper matrix
 * stay zeros, so the upper part of the reflectors is the unit matrix.
 */
int hsi_cuda_tpqrt(hsi_cuda_run *run)
{
    int begun = run->column > 0 || run->next > 0, more;

    if (!begun && !hsi_cuda_stack(run->context, run->n, run->n, run->c, run->n, run->d, run->n,
                                  run->q, run->d))
        return -1;
    more = step(run, geqrf_panel, geqrf_piece);
    if (more)
        return more;
    return hsi_cuda_unstack(run->context, run->n, run->n, run->q, run->c, run->n, run->d, run->n,
                            run->d) &&
                   hsi_cuda_compute_triangles(run->context, run->n, run->n, run->d, run->n,
                                              run->tau, run->t, run->room)
               ? 0
               : -1;
}

int hsi_cuda_tpqrt_work(hsi_stream_context *context, int n, int width, int *elements)
{
    *elements = 0;
    return ask_geqrf(context, 2 * n, n, width, elements);
}

/* The time of the task includes the triangles, as on CPUs. */
int hsi_cuda_tpmqrt(hsi_cuda_run *run)
{
    int n = run->n, j = run->column, w = panel_width(run);

    if (j == 0 &&
        !hsi_cuda_compute_triangles(run->context, n, n, run->a, n, run->tau, run->t, run->room))
        return -1;
    if (!hsi_cuda_apply_reflectors(
            run->context, CUBLAS_OP_T, n, w, n, run->a, n, run->t, to(run, 0, j), n,
            hsi_cuda_element_address(run->context, run->d, hsi_element_index(n, 0, j)), n,
            run->room))
        return -1;
    run->column += w;
    return run->column < n;
}
