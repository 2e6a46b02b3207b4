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

static const void *number(const hsi_stream_context *context, int value)
{
    return hsi_cuda_scalar(context, value);
}

static void *past(const hsi_stream_context *context, const void *a, size_t elements)
{
    return hsi_cuda_element_address(context, a, elements);
}

size_t hsi_cuda_reflect_scratch_elements(int columns)
{
    return (size_t)W * W + (size_t)W * (size_t)columns;
}

/* Compute the triangle of a block from V'V in s. */
static bool finish_triangle(hsi_stream_context *context, int w, const void *tau, void *s, void *t)
{
    return BLAS_OF(context, copy, w, tau, 1, t, W + 1) &&
           BLAS_OF(context, dgmm, CUBLAS_SIDE_LEFT, w, w, s, W, tau, 1, s, W) &&
           BLAS_OF(context, trsm, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N,
                   CUBLAS_DIAG_UNIT, w, w, number(context, 1), s, W, t, W);
}

/* Compute s := V'V + beta s above the diagonal. */
static bool gram(hsi_stream_context *context, int rows, int w, const void *v, int ld,
                 const void *beta, void *s)
{
    return BLAS_OF(context, syrk, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T, w, rows, number(context, 1),
                   v, ld, beta, s, W);
}

static bool clear(hsi_stream_context *context, int n, void *t)
{
    return CUDA(context->fault, cudaMemsetAsync, t, 0,
                hsi_cuda_element_bytes(context) * W * (size_t)n, context->stream);
}

int hsi_cuda_compute_triangles(hsi_stream_context *context, int m, int n, const void *v, int ldv,
                               const void *tau, void *t, void *scratch)
{
    int j, ok = clear(context, n, t);

    for (j = 0; j < n && ok; j += W) {
        int w = hsi_smaller(W, n - j);

        ok = gram(context, m, w, past(context, v, hsi_element_index(ldv, 0, j)), ldv,
                  number(context, 0), scratch) &&
             finish_triangle(context, w, past(context, tau, (size_t)j), scratch,
                             past(context, t, hsi_element_index(W, 0, j)));
    }
    return ok;
}

/* Compute s := L'L, where L is the top of a block and has ones on its diagonal. */
static bool gram_of_top(hsi_stream_context *context, int ld, int w, const void *l, const void *unit,
                        void *s)
{
    return BLAS_OF(context, copy, W * w, unit, 1, s, 1) &&
           BLAS_OF(context, trmm, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
                   CUBLAS_DIAG_UNIT, w, w, number(context, 1), l, ld, s, W, s, W) &&
           BLAS_OF(context, trmm, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T,
                   CUBLAS_DIAG_UNIT, w, w, number(context, 1), l, ld, s, W, s, W);
}

int hsi_cuda_compute_lower_triangles(hsi_stream_context *context, int m, int n, const void *v,
                                     int ldv, const void *tau, const void *unit, void *t,
                                     void *scratch)
{
    int j, ok = clear(context, n, t);

    for (j = 0; j < n && ok; j += W) {
        int         w = hsi_smaller(W, n - j), below = m - j - w;
        const void *top = past(context, v, hsi_element_index(ldv, j, j));

        ok = gram_of_top(context, ldv, w, top, unit, scratch) &&
             (below == 0 || gram(context, below, w, past(context, top, (size_t)w), ldv,
                                 number(context, 1), scratch)) &&
             finish_triangle(context, w, past(context, tau, (size_t)j), scratch,
                             past(context, t, hsi_element_index(W, 0, j)));
    }
    return ok;
}

bool hsi_cuda_copy_tau(hsi_stream_context *context, int n, const void *t, void *tau)
{
    int j;

    for (j = 0; j < n; j += W)
        if (!BLAS_OF(context, copy, hsi_smaller(W, n - j),
                     past(context, t, hsi_element_index(W, 0, j)), W + 1,
                     past(context, tau, (size_t)j), 1))
            return false;
    return true;
}

/* Compute y := x + weight y. */
static bool add(hsi_stream_context *context, int rows, int columns, const void *x, int ldx,
                const void *weight, void *y, int ldy)
{
    return BLAS_OF(context, geam, CUBLAS_OP_N, CUBLAS_OP_N, rows, columns, number(context, 1), x,
                   ldx, weight, y, ldy, y, ldy);
}

/* Apply one block of w reflectors of m rows. `room` holds w rows of the matrix. */
static bool reflect(hsi_stream_context *context, cublasOperation_t op, int m, int columns, int w,
                    const void *v, int ldv, const void *t, void *a, int lda, void *b, int ldb,
                    void *room)
{
    return add(context, w, columns, a, lda, number(context, 0), room, W) &&
           BLAS_OF(context, gemm, CUBLAS_OP_T, CUBLAS_OP_N, w, columns, m, number(context, 1), v,
                   ldv, b, ldb, number(context, 1), room, W) &&
           BLAS_OF(context, trmm, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, op,
                   CUBLAS_DIAG_NON_UNIT, w, columns, number(context, 1), t, W, room, W, room, W) &&
           BLAS_OF(context, geam, CUBLAS_OP_N, CUBLAS_OP_N, w, columns, number(context, 1), a, lda,
                   number(context, -1), room, W, a, lda) &&
           BLAS_OF(context, gemm, CUBLAS_OP_N, CUBLAS_OP_N, m, columns, w, number(context, -1), v,
                   ldv, room, W, number(context, 1), b, ldb);
}

int hsi_cuda_apply_reflectors(hsi_stream_context *context, cublasOperation_t op, int m, int columns,
                              int k, const void *v, int ldv, const void *t, void *a, int lda,
                              void *b, int ldb, void *scratch)
{
    int blocks = (k + W - 1) / W, i, ok = 1;

    for (i = 0; i < blocks && ok; i++) {
        int j = (op == CUBLAS_OP_N ? blocks - 1 - i : i) * W;

        ok = reflect(context, op, m, columns, hsi_smaller(W, k - j),
                     past(context, v, hsi_element_index(ldv, 0, j)), ldv,
                     past(context, t, hsi_element_index(W, 0, j)), past(context, a, (size_t)j), lda,
                     b, ldb, scratch);
    }
    return ok;
}

/* Copy a triangle. `by` holds its packed form meanwhile. */
static bool move_triangle(hsi_stream_context *context, int n, const void *from, int ld_from,
                          void *by, void *to, int ld_to)
{
    return BLAS_OF(context, trttp, CUBLAS_FILL_MODE_UPPER, n, from, ld_from, by) &&
           BLAS_OF(context, tpttr, CUBLAS_FILL_MODE_UPPER, n, by, to, ld_to);
}

bool hsi_cuda_stack(hsi_stream_context *context, int m, int n, const void *a, int lda,
                    const void *b, int ldb, void *stack, void *packed)
{
    size_t bytes = hsi_cuda_element_bytes(context) * (size_t)(m + n) * (size_t)n;

    return CUDA(context->fault, cudaMemsetAsync, stack, 0, bytes, context->stream) &&
           add(context, m, n, b, ldb, number(context, 0), past(context, stack, (size_t)n), m + n) &&
           move_triangle(context, n, a, lda, packed, stack, m + n);
}

bool hsi_cuda_unstack(hsi_stream_context *context, int m, int n, const void *stack, void *a,
                      int lda, void *b, int ldb, void *packed)
{
    return move_triangle(context, n, stack, m + n, packed, a, lda) &&
           add(context, m, n, past(context, stack, (size_t)n), m + n, number(context, 0), b, ldb);
}
