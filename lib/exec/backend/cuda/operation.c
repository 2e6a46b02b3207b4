/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of kernels for GPUs, and gemm, syrk and trsm by cuBLAS in pieces of columns or rows. */
#include <math.h>
#include <string.h>

#include "exec/backend/cuda/cuda.h"

const void *hsi_cuda_scalar(const hsi_stream_context *context, int value)
{
    static const double doubles[] = {-1, 0, 1};
    static const float  floats[] = {-1, 0, 1};

    return context->single ? (const void *)&floats[value + 1] : (const void *)&doubles[value + 1];
}

static void *to(const hsi_cuda_run *run, const void *a, int row, int column)
{
    return hsi_cuda_element_address(run->context, a, hsi_element_index(run->n, row, column));
}

/* Move behind the piece that was launched. Return whether a piece is left. */
static bool advance(hsi_cuda_run *run, int width)
{
    run->column += width;
    return run->column < run->columns;
}

/* Compute C -= A B'. */
static int gemm(hsi_cuda_run *run)
{
    const void *one = hsi_cuda_scalar(run->context, 1),
               *minus_one = hsi_cuda_scalar(run->context, -1);
    int n = run->n, j = run->column, w = hsi_smaller(run->width, run->columns - j);

    if (!BLAS_OF(run->context, gemm, CUBLAS_OP_N, CUBLAS_OP_T, n, w, n, minus_one, run->a, n,
                 to(run, run->b, j, 0), n, one, to(run, run->c, 0, j), n))
        return -1;
    return advance(run, w);
}

/* Compute the lower triangle of C -= A A'. A piece is a square on the diagonal and the rows below.
 */
static int syrk(hsi_cuda_run *run)
{
    const void *one = hsi_cuda_scalar(run->context, 1),
               *minus_one = hsi_cuda_scalar(run->context, -1);
    int n = run->n, j = run->column, w = hsi_smaller(run->width, n - j), below = n - j - w;

    if (!BLAS_OF(run->context, syrk, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, w, n, minus_one,
                 to(run, run->a, j, 0), n, one, to(run, run->c, j, j), n))
        return -1;
    if (below && !BLAS_OF(run->context, gemm, CUBLAS_OP_N, CUBLAS_OP_T, below, w, n, minus_one,
                          to(run, run->a, j + w, 0), n, to(run, run->a, j, 0), n, one,
                          to(run, run->c, j + w, j), n))
        return -1;
    return advance(run, w);
}

/* Solve X L' = B, where L has ones on its diagonal. A piece is a range of rows of X. */
static int trsm(hsi_cuda_run *run)
{
    const void *one = hsi_cuda_scalar(run->context, 1);
    int         n = run->n, i = run->column, rows = hsi_smaller(run->width, n - i);

    if (!BLAS_OF(run->context, trsm, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T,
                 CUBLAS_DIAG_UNIT, rows, n, one, run->a, n, to(run, run->c, i, 0), n))
        return -1;
    return advance(run, rows);
}

/* Define a kernel in both precisions. */
#define BOTH(name, ...)                                                                            \
    {"d" name, 0, __VA_ARGS__},                                                                    \
    {                                                                                              \
        "s" name, 1, __VA_ARGS__                                                                   \
    }

static const hsi_cuda_kernel kernels[HSI_CUDA_KERNELS] = {
    BOTH("gemm", 2, 0, 2, gemm, NULL),
    BOTH("syrk", 1, 0, 1, syrk, NULL),
    BOTH("trsm", 1, 0, 1, trsm, NULL),
    BOTH("potrf", 0, 1, 1.0 / 3, hsi_cuda_potrf, hsi_cuda_potrf_work),
    BOTH("getrf", 0, 1, 2.0 / 3, hsi_cuda_getrf, hsi_cuda_getrf_work),
    BOTH("geqrf", 0, 1, 4.0 / 3, hsi_cuda_geqrf, hsi_cuda_geqrf_work),
    BOTH("ormqr", 1, 1, 2, hsi_cuda_ormqr, hsi_cuda_ormqr_work),
    BOTH("tpqrt", 0, 1, 2, hsi_cuda_tpqrt, hsi_cuda_tpqrt_work),
    BOTH("tpmqrt", 1, 1, 4, hsi_cuda_tpmqrt, NULL),
};

const hsi_cuda_kernel *hsi_cuda_kernel_at(size_t index)
{
    return index < HSI_CUDA_KERNELS ? &kernels[index] : NULL;
}

const hsi_cuda_kernel *hsi_cuda_kernel_find(const char *name)
{
    size_t i;

    for (i = 0; i < HSI_CUDA_KERNELS; i++)
        if (strcmp(kernels[i].name, name) == 0)
            return &kernels[i];
    return NULL;
}

/*
 * Return the width of a panel. cuSOLVER takes a few microseconds per column, so 512 columns take a
 * few milliseconds. A task that is not cut takes about 20 ms at most on a large GPU.
 */
static int panel_width(int n)
{
    const int    whole = 1024, widest = 512;
    const double flops = 2e10;

    return n <= whole ? n : hsi_smaller(widest, (int)sqrt(flops / (2.0 * n)));
}

static int product_width(int n)
{
    const int    whole = 2048;
    const double flops = 2e10;

    return n <= whole ? n : (int)(flops / (2.0 * n * n));
}

int hsi_cuda_piece_columns(const hsi_cuda_kernel *kernel, int n, bool watched)
{
    const int whole = 6000; /* a product of 4e11 operations takes about 10 ms on a large GPU */
    int       width;

    if (!watched && n <= whole)
        return n;
    width = kernel->solver && !kernel->inputs ? panel_width(n) : product_width(n);
    return width >= n ? n : hsi_smaller(n, hsi_larger(256, width / 32 * 32));
}

int hsi_cuda_piece(int n, int width)
{
    const double flops = 1e10;
    double       columns = flops / (2.0 * n * width);

    return columns > n ? n : hsi_larger((int)columns, width);
}
