/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Results are verified where they are: what comes of a vector of signs by the inputs, and by the
 * result, is computed on the GPU in a time of n^2, and the host holds the one against the other.
 * On a core, and with the result to be copied there first, it takes longer than many a task. Where
 * there is a Q, it is the result that is turned back by it: factors that make no orthogonal
 * matrix are noticed, too.
 */
#include <math.h>

#include "exec/backend/cuda/cuda.h"

static const double one = 1, minus_one = -1, zero = 0;

/* y := alpha op(A) x + beta y */
static int gemv(hsi_cuda_run *run, cublasOperation_t op, const double *alpha, const void *a,
                const double *x, const double *beta, double *y)
{
    return BLAS(run->lane, cublasDgemv, op, run->n, run->n, alpha, a, run->n, x, 1, beta, y, 1);
}

/* y := lower A x */
static int symv(hsi_cuda_run *run, const double *x, double *y)
{
    return BLAS(run->lane, cublasDsymv, CUBLAS_FILL_MODE_LOWER, run->n, &one, run->c, run->n, x, 1,
                &zero, y, 1);
}

/* x := op(A) x, of a triangle */
static int trmv(hsi_cuda_run *run, cublasFillMode_t fill, cublasOperation_t op,
                cublasDiagType_t diagonal, const void *a, double *x)
{
    return BLAS(run->lane, cublasDtrmv, fill, op, diagonal, run->n, a, run->n, x, 1);
}

static int copy_signs(hsi_cuda_run *run, double *to)
{
    return BLAS(run->lane, cublasDcopy, run->n, run->signs, 1, to, 1);
}

/* What is in C, and in D, times x. */
static int multiply(hsi_cuda_run *run, double *y)
{
    return gemv(run, CUBLAS_OP_N, &one, run->c, run->signs, &zero, y) &&
           (!run->d || gemv(run, CUBLAS_OP_N, &one, run->d, run->signs, &zero, y + run->n));
}

int hsi_cuda_predict_product(hsi_cuda_run *run)
{
    return multiply(run, run->want);
}

int hsi_cuda_observe_product(hsi_cuda_run *run)
{
    return multiply(run, run->got);
}

/* C x - A B' x; `other` is B, or A where C is symmetric. */
static int subtract(hsi_cuda_run *run, const void *other)
{
    return gemv(run, CUBLAS_OP_T, &one, other, run->signs, &zero, run->got) &&
           gemv(run, CUBLAS_OP_N, &minus_one, run->a, run->got, &one, run->want);
}

int hsi_cuda_predict_gemm(hsi_cuda_run *run)
{
    return hsi_cuda_predict_product(run) && subtract(run, run->b);
}

static int sgemv(hsi_cuda_run *run, cublasOperation_t op, float alpha, const void *a, const void *x,
                 float beta, void *y)
{
    return BLAS(run->lane, cublasSgemv, op, run->n, run->n, &alpha, (const float *)a, run->n,
                (const float *)x, 1, &beta, (float *)y, 1);
}

int hsi_cuda_predict_sgemm(hsi_cuda_run *run)
{
    return sgemv(run, CUBLAS_OP_N, 1, run->c, run->signs, 0, run->want) &&
           sgemv(run, CUBLAS_OP_T, 1, run->b, run->signs, 0, run->got) &&
           sgemv(run, CUBLAS_OP_N, -1, run->a, run->got, 1, run->want);
}

int hsi_cuda_observe_sgemm(hsi_cuda_run *run)
{
    return sgemv(run, CUBLAS_OP_N, 1, run->c, run->signs, 0, run->got);
}

int hsi_cuda_predict_syrk(hsi_cuda_run *run)
{
    return symv(run, run->signs, run->want) && subtract(run, run->a);
}

int hsi_cuda_observe_syrk(hsi_cuda_run *run)
{
    return symv(run, run->signs, run->got);
}

/* X L' x is to be B x. */
int hsi_cuda_observe_trsm(hsi_cuda_run *run)
{
    return copy_signs(run, run->aside) &&
           trmv(run, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, CUBLAS_DIAG_UNIT, run->a, run->aside) &&
           gemv(run, CUBLAS_OP_N, &one, run->c, run->aside, &zero, run->got);
}

int hsi_cuda_predict_potrf(hsi_cuda_run *run)
{
    return symv(run, run->signs, run->want);
}

/* L L' x */
int hsi_cuda_observe_potrf(hsi_cuda_run *run)
{
    return copy_signs(run, run->got) &&
           trmv(run, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, CUBLAS_DIAG_NON_UNIT, run->c, run->got) &&
           trmv(run, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, run->c, run->got);
}

/* The upper triangle of C, times x. */
static int multiply_triangle(hsi_cuda_run *run, double *y)
{
    return copy_signs(run, y) &&
           trmv(run, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, run->c, y);
}

/* L U x is to be P A x. */
int hsi_cuda_observe_getrf(hsi_cuda_run *run)
{
    return multiply_triangle(run, run->got) &&
           trmv(run, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, run->c, run->got) &&
           hsi_cuda_exchange(run, run->want);
}

/* Q R x */
int hsi_cuda_observe_geqrf(hsi_cuda_run *run)
{
    return multiply_triangle(run, run->got) && hsi_cuda_turn_back(run, run->c, run->got);
}

int hsi_cuda_observe_ormqr(hsi_cuda_run *run)
{
    return multiply(run, run->got) && hsi_cuda_turn_back(run, run->a, run->got);
}

int hsi_cuda_predict_tpqrt(hsi_cuda_run *run)
{
    return multiply_triangle(run, run->want) &&
           gemv(run, CUBLAS_OP_N, &one, run->d, run->signs, &zero, run->want + run->n);
}

static int turn_back_below(hsi_cuda_run *run, const double *v)
{
    return hsi_cuda_reflect(run->lane, CUBLAS_OP_N, run->n, 1, v, run->t, run->got,
                            run->got + run->n, run->room);
}

/* Q [R x; 0] */
int hsi_cuda_observe_tpqrt(hsi_cuda_run *run)
{
    return multiply_triangle(run, run->got) &&
           CUDA(run->lane->fault, cudaMemsetAsync, run->got + run->n, 0,
                sizeof *run->got * (size_t)run->n, run->lane->stream) &&
           turn_back_below(run, run->d);
}

int hsi_cuda_observe_tpmqrt(hsi_cuda_run *run)
{
    return multiply(run, run->got) && turn_back_below(run, run->a);
}

double hsi_cuda_residual(const hsi_cuda_body *body, const hsi_cuda_results *results)
{
    int    single = body->kernel->single, i;
    double error = 0, size = 0;

    for (i = 0; i < body->kernel->outputs * body->n; i++) {
        double want =
            single ? (double)((const float *)results->want)[i] : ((const double *)results->want)[i];
        double got =
            single ? (double)((const float *)results->got)[i] : ((const double *)results->got)[i];

        error += (got - want) * (got - want);
        size += want * want;
    }
    return hsi_residual(body->kernel, body->n, error, size);
}
