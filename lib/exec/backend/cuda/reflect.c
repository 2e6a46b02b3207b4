/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks of reflectors, as LAPACK's dgeqrt and dtpqrt leave them: Q = I - V T V' for each
 * HSI_KERNEL_PANEL columns of V, with a triangle T each, beside each other in t. cuSOLVER makes V
 * and the factors tau; T comes of them by inv(T) = the part of V'V above its diagonal, and
 * 1 / tau on it. Since a factor may be 0, that is solved as T = inv(I + D U) D, where U is that
 * part and D has the factors.
 */
#include "exec/backend/cuda/cuda.h"

static const double one = 1, minus_one = -1, zero = 0;

enum { W = HSI_KERNEL_PANEL };

size_t hsi_cuda_reflect_room(int columns)
{
    return (size_t)W * W + (size_t)W * (size_t)columns;
}

/* Of the block with V'V in s. */
static int finish_triangle(hsi_cuda_lane *lane, int w, const double *tau, double *s, double *t)
{
    return BLAS(lane, cublasDcopy, w, tau, 1, t, W + 1) &&
           BLAS(lane, cublasDdgmm, CUBLAS_SIDE_LEFT, w, w, s, W, tau, 1, s, W) &&
           BLAS(lane, cublasDtrsm, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N,
                CUBLAS_DIAG_UNIT, w, w, &one, s, W, t, W);
}

/* s := V'V + beta s, above the diagonal */
static int gram(hsi_cuda_lane *lane, int rows, int w, const double *v, int ld, const double *beta,
                double *s)
{
    return BLAS(lane, cublasDsyrk, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T, w, rows, &one, v, ld, beta,
                s, W);
}

static int clear(hsi_cuda_lane *lane, int n, double *t)
{
    return CUDA(lane->fault, cudaMemsetAsync, t, 0, sizeof *t * W * (size_t)n, lane->stream);
}

int hsi_cuda_triangles(hsi_cuda_lane *lane, int n, const double *v, const double *tau, double *t,
                       double *room)
{
    int j, ok = clear(lane, n, t);

    for (j = 0; j < n && ok; j += W) {
        int w = hsi_smaller(W, n - j);

        ok = gram(lane, n, w, v + hsi_at(n, 0, j), n, &zero, room) &&
             finish_triangle(lane, w, tau + j, room, t + hsi_at(W, 0, j));
    }
    return ok;
}

/* s := L'L, of a block's top L, which has ones on its diagonal. */
static int gram_of_top(hsi_cuda_lane *lane, int n, int w, const double *l, const double *unit,
                       double *s)
{
    return BLAS(lane, cublasDcopy, W * w, unit, 1, s, 1) &&
           BLAS(lane, cublasDtrmm, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
                CUBLAS_DIAG_UNIT, w, w, &one, l, n, s, W, s, W) &&
           BLAS(lane, cublasDtrmm, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T,
                CUBLAS_DIAG_UNIT, w, w, &one, l, n, s, W, s, W);
}

int hsi_cuda_lower_triangles(hsi_cuda_lane *lane, int n, const double *v, const double *tau,
                             const double *unit, double *t, double *room)
{
    int j, ok = clear(lane, n, t);

    for (j = 0; j < n && ok; j += W) {
        int           w = hsi_smaller(W, n - j), below = n - j - w;
        const double *top = v + hsi_at(n, j, j);

        ok = gram_of_top(lane, n, w, top, unit, room) &&
             (below == 0 || gram(lane, below, w, top + w, n, &one, room)) &&
             finish_triangle(lane, w, tau + j, room, t + hsi_at(W, 0, j));
    }
    return ok;
}

int hsi_cuda_factors_of(hsi_cuda_lane *lane, int n, const double *t, double *tau)
{
    int j;

    for (j = 0; j < n; j += W)
        if (!BLAS(lane, cublasDcopy, hsi_smaller(W, n - j), t + hsi_at(W, 0, j), W + 1, tau + j, 1))
            return 0;
    return 1;
}

/* y := x + weight y */
static int add(hsi_cuda_lane *lane, int rows, int columns, const double *x, int ldx,
               const double *weight, double *y, int ldy)
{
    return BLAS(lane, cublasDgeam, CUBLAS_OP_N, CUBLAS_OP_N, rows, columns, &one, x, ldx, weight, y,
                ldy, y, ldy);
}

/* One block, with room for w rows of what it is applied to. */
static int reflect(hsi_cuda_lane *lane, cublasOperation_t op, int n, int columns, int w,
                   const double *v, const double *t, double *a, double *b, double *room)
{
    return add(lane, w, columns, a, n, &zero, room, W) &&
           BLAS(lane, cublasDgemm, CUBLAS_OP_T, CUBLAS_OP_N, w, columns, n, &one, v, n, b, n, &one,
                room, W) &&
           BLAS(lane, cublasDtrmm, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, op,
                CUBLAS_DIAG_NON_UNIT, w, columns, &one, t, W, room, W, room, W) &&
           BLAS(lane, cublasDgeam, CUBLAS_OP_N, CUBLAS_OP_N, w, columns, &one, a, n, &minus_one,
                room, W, a, n) &&
           BLAS(lane, cublasDgemm, CUBLAS_OP_N, CUBLAS_OP_N, n, columns, w, &minus_one, v, n, room,
                W, &one, b, n);
}

int hsi_cuda_reflect(hsi_cuda_lane *lane, cublasOperation_t op, int n, int columns, const double *v,
                     const double *t, double *a, double *b, double *room)
{
    int blocks = (n + W - 1) / W, i, ok = 1;

    for (i = 0; i < blocks && ok; i++) {
        int j = (op == CUBLAS_OP_N ? blocks - 1 - i : i) * W;

        ok = reflect(lane, op, n, columns, hsi_smaller(W, n - j), v + hsi_at(n, 0, j),
                     t + hsi_at(W, 0, j), a + j, b, room);
    }
    return ok;
}

/* The triangle goes by way of a matrix that holds it without gaps. */
static int move_triangle(hsi_cuda_lane *lane, int n, const double *from, int ld_from, double *by,
                         double *to, int ld_to)
{
    return BLAS(lane, cublasDtrttp, CUBLAS_FILL_MODE_UPPER, n, from, ld_from, by) &&
           BLAS(lane, cublasDtpttr, CUBLAS_FILL_MODE_UPPER, n, by, to, ld_to);
}

int hsi_cuda_stack(hsi_cuda_lane *lane, int n, const double *a, double *b, double *stack)
{
    size_t bytes = 2 * sizeof *stack * (size_t)n * (size_t)n;

    return CUDA(lane->fault, cudaMemsetAsync, stack, 0, bytes, lane->stream) &&
           add(lane, n, n, b, n, &zero, stack + n, 2 * n) &&
           move_triangle(lane, n, a, n, b, stack, 2 * n);
}

int hsi_cuda_unstack(hsi_cuda_lane *lane, int n, const double *stack, double *a, double *b)
{
    return move_triangle(lane, n, stack, 2 * n, b, a, n) &&
           add(lane, n, n, stack + n, 2 * n, &zero, b, n);
}
