/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks of reflectors in the form of LAPACK's dgeqrt and dtpqrt. Each block of HSI_KERNEL_PANEL
 * columns of V has a triangle T with Q = I - V T V'. The triangles lie beside each other in t.
 * cuSOLVER computes V and the factors tau. Let U be the part of V'V above the diagonal, and D the
 * diagonal matrix of the factors. Then inv(T) = U + inv(D). Since a factor may be 0, T is computed
 * as inv(I + D U) D.
 */
#include "exec/backend/cuda/cuda.h"

enum { W = HSI_KERNEL_PANEL };

static const void *number(const hsi_cuda_lane *lane, int value)
{
    return hsi_cuda_scalar(lane, value);
}

static void *past(const hsi_cuda_lane *lane, const void *a, size_t elements)
{
    return hsi_cuda_past(lane, a, elements);
}

size_t hsi_cuda_reflect_room(int columns)
{
    return (size_t)W * W + (size_t)W * (size_t)columns;
}

/* Compute the triangle of a block from V'V in s. */
static int finish_triangle(hsi_cuda_lane *lane, int w, const void *tau, void *s, void *t)
{
    return BLAS_OF(lane, copy, w, tau, 1, t, W + 1) &&
           BLAS_OF(lane, dgmm, CUBLAS_SIDE_LEFT, w, w, s, W, tau, 1, s, W) &&
           BLAS_OF(lane, trsm, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N,
                   CUBLAS_DIAG_UNIT, w, w, number(lane, 1), s, W, t, W);
}

/* Compute s := V'V + beta s above the diagonal. */
static int gram(hsi_cuda_lane *lane, int rows, int w, const void *v, int ld, const void *beta,
                void *s)
{
    return BLAS_OF(lane, syrk, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T, w, rows, number(lane, 1), v, ld,
                   beta, s, W);
}

static int clear(hsi_cuda_lane *lane, int n, void *t)
{
    return CUDA(lane->fault, cudaMemsetAsync, t, 0, hsi_cuda_element(lane) * W * (size_t)n,
                lane->stream);
}

int hsi_cuda_triangles(hsi_cuda_lane *lane, int n, const void *v, const void *tau, void *t,
                       void *room)
{
    int j, ok = clear(lane, n, t);

    for (j = 0; j < n && ok; j += W) {
        int w = hsi_smaller(W, n - j);

        ok = gram(lane, n, w, past(lane, v, hsi_at(n, 0, j)), n, number(lane, 0), room) &&
             finish_triangle(lane, w, past(lane, tau, (size_t)j), room,
                             past(lane, t, hsi_at(W, 0, j)));
    }
    return ok;
}

/* Compute s := L'L, where L is the top of a block and has ones on its diagonal. */
static int gram_of_top(hsi_cuda_lane *lane, int n, int w, const void *l, const void *unit, void *s)
{
    return BLAS_OF(lane, copy, W * w, unit, 1, s, 1) &&
           BLAS_OF(lane, trmm, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
                   CUBLAS_DIAG_UNIT, w, w, number(lane, 1), l, n, s, W, s, W) &&
           BLAS_OF(lane, trmm, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T,
                   CUBLAS_DIAG_UNIT, w, w, number(lane, 1), l, n, s, W, s, W);
}

int hsi_cuda_lower_triangles(hsi_cuda_lane *lane, int n, const void *v, const void *tau,
                             const void *unit, void *t, void *room)
{
    int j, ok = clear(lane, n, t);

    for (j = 0; j < n && ok; j += W) {
        int         w = hsi_smaller(W, n - j), below = n - j - w;
        const void *top = past(lane, v, hsi_at(n, j, j));

        ok = gram_of_top(lane, n, w, top, unit, room) &&
             (below == 0 ||
              gram(lane, below, w, past(lane, top, (size_t)w), n, number(lane, 1), room)) &&
             finish_triangle(lane, w, past(lane, tau, (size_t)j), room,
                             past(lane, t, hsi_at(W, 0, j)));
    }
    return ok;
}

int hsi_cuda_factors_of(hsi_cuda_lane *lane, int n, const void *t, void *tau)
{
    int j;

    for (j = 0; j < n; j += W)
        if (!BLAS_OF(lane, copy, hsi_smaller(W, n - j), past(lane, t, hsi_at(W, 0, j)), W + 1,
                     past(lane, tau, (size_t)j), 1))
            return 0;
    return 1;
}

/* Compute y := x + weight y. */
static int add(hsi_cuda_lane *lane, int rows, int columns, const void *x, int ldx,
               const void *weight, void *y, int ldy)
{
    return BLAS_OF(lane, geam, CUBLAS_OP_N, CUBLAS_OP_N, rows, columns, number(lane, 1), x, ldx,
                   weight, y, ldy, y, ldy);
}

/* Apply one block of w reflectors. `room` holds w rows of the matrix. */
static int reflect(hsi_cuda_lane *lane, cublasOperation_t op, int n, int columns, int w,
                   const void *v, const void *t, void *a, void *b, void *room)
{
    return add(lane, w, columns, a, n, number(lane, 0), room, W) &&
           BLAS_OF(lane, gemm, CUBLAS_OP_T, CUBLAS_OP_N, w, columns, n, number(lane, 1), v, n, b, n,
                   number(lane, 1), room, W) &&
           BLAS_OF(lane, trmm, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, op, CUBLAS_DIAG_NON_UNIT,
                   w, columns, number(lane, 1), t, W, room, W, room, W) &&
           BLAS_OF(lane, geam, CUBLAS_OP_N, CUBLAS_OP_N, w, columns, number(lane, 1), a, n,
                   number(lane, -1), room, W, a, n) &&
           BLAS_OF(lane, gemm, CUBLAS_OP_N, CUBLAS_OP_N, n, columns, w, number(lane, -1), v, n,
                   room, W, number(lane, 1), b, n);
}

int hsi_cuda_reflect(hsi_cuda_lane *lane, cublasOperation_t op, int n, int columns, const void *v,
                     const void *t, void *a, void *b, void *room)
{
    int blocks = (n + W - 1) / W, i, ok = 1;

    for (i = 0; i < blocks && ok; i++) {
        int j = (op == CUBLAS_OP_N ? blocks - 1 - i : i) * W;

        ok = reflect(lane, op, n, columns, hsi_smaller(W, n - j), past(lane, v, hsi_at(n, 0, j)),
                     past(lane, t, hsi_at(W, 0, j)), past(lane, a, (size_t)j), b, room);
    }
    return ok;
}

/* Copy a triangle. `by` holds its packed form meanwhile. */
static int move_triangle(hsi_cuda_lane *lane, int n, const void *from, int ld_from, void *by,
                         void *to, int ld_to)
{
    return BLAS_OF(lane, trttp, CUBLAS_FILL_MODE_UPPER, n, from, ld_from, by) &&
           BLAS_OF(lane, tpttr, CUBLAS_FILL_MODE_UPPER, n, by, to, ld_to);
}

int hsi_cuda_stack(hsi_cuda_lane *lane, int n, const void *a, void *b, void *stack)
{
    size_t bytes = 2 * hsi_cuda_element(lane) * (size_t)n * (size_t)n;

    return CUDA(lane->fault, cudaMemsetAsync, stack, 0, bytes, lane->stream) &&
           add(lane, n, n, b, n, number(lane, 0), past(lane, stack, (size_t)n), 2 * n) &&
           move_triangle(lane, n, a, n, b, stack, 2 * n);
}

int hsi_cuda_unstack(hsi_cuda_lane *lane, int n, const void *stack, void *a, void *b)
{
    return move_triangle(lane, n, stack, 2 * n, b, a, n) &&
           add(lane, n, n, past(lane, stack, (size_t)n), 2 * n, number(lane, 0), b, n);
}
