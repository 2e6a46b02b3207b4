/* SPDX-License-Identifier: BSD-3-Clause */
/* Products with vectors, in pieces of about a millisecond. */
#include "exec/backend/kernel/blas.h"
#include "exec/backend/kernel/kernel.h"

enum { ELEMENTS = 1 << 20, TILE = 512 };

/* Columns of m rows that are a piece. */
static int columns_of(int m)
{
    return m < ELEMENTS ? ELEMENTS / (m ? m : 1) : 1;
}

void hsi_gemv(hsi_job *job, int transpose, int m, int n, double alpha, const double *a, int lda,
              const double *x, double *y)
{
    int columns = columns_of(m), j;

    for (j = 0; j < n && !hsi_job_stopped(job); j += columns)
        hsi_blas.dgemv(CblasColMajor, transpose ? CblasTrans : CblasNoTrans, m,
                       hsi_smaller(columns, n - j), alpha, a + (size_t)lda * (size_t)j, lda,
                       transpose ? x : x + j, 1, 1, transpose ? y + j : y, 1);
}

void hsi_symv(hsi_job *job, int n, double alpha, const double *a, int lda, const double *x,
              double *y)
{
    int           h = hsi_half(n);
    const double *below = a + h, *rest = below + (size_t)lda * (size_t)h;

    if (hsi_job_stopped(job))
        return;
    if (n <= TILE) {
        hsi_blas.dsymv(CblasColMajor, CblasLower, n, alpha, a, lda, x, 1, 1, y, 1);
        return;
    }
    hsi_symv(job, h, alpha, a, lda, x, y);
    hsi_gemv(job, 0, n - h, h, alpha, below, lda, x, y + h);
    hsi_gemv(job, 1, n - h, h, alpha, below, lda, x + h, y);
    hsi_symv(job, n - h, alpha, rest, lda, x + h, y + h);
}

static int is_transposed(hsi_triangle how)
{
    return how == HSI_LOWER_TRANSPOSED || how == HSI_LOWER_UNIT_TRANSPOSED;
}

static void trmv_tile(hsi_triangle how, int n, const double *a, int lda, double *x)
{
    int unit = how == HSI_LOWER_UNIT || how == HSI_LOWER_UNIT_TRANSPOSED;

    hsi_blas.dtrmv(CblasColMajor, how == HSI_UPPER ? CblasUpper : CblasLower,
                   is_transposed(how) ? CblasTrans : CblasNoTrans, unit ? CblasUnit : CblasNonUnit,
                   n, a, lda, x, 1);
}

/* Each half of x is overwritten when nothing needs it any more. */
void hsi_trmv(hsi_job *job, hsi_triangle how, int n, const double *a, int lda, double *x)
{
    int           h = hsi_half(n);
    const double *right = a + (size_t)lda * (size_t)h, *below = a + h, *rest = right + h;

    if (hsi_job_stopped(job))
        return;
    if (n <= TILE) {
        trmv_tile(how, n, a, lda, x);
        return;
    }
    if (how == HSI_LOWER || how == HSI_LOWER_UNIT) {
        hsi_trmv(job, how, n - h, rest, lda, x + h);
        hsi_gemv(job, 0, n - h, h, 1, below, lda, x, x + h);
        hsi_trmv(job, how, h, a, lda, x);
        return;
    }
    hsi_trmv(job, how, h, a, lda, x);
    if (is_transposed(how))
        hsi_gemv(job, 1, n - h, h, 1, below, lda, x + h, x);
    else
        hsi_gemv(job, 0, h, n - h, 1, right, lda, x + h, x);
    hsi_trmv(job, how, n - h, rest, lda, x + h);
}

/* y += each of the results, or of what is there before them, times x. */
static void multiply(hsi_job *job, double *y)
{
    int i;

    for (i = 0; i < job->kernel->outputs; i++)
        hsi_gemv(job, 0, job->n, job->n, 1, job->out[i], job->n, job->x,
                 y + (size_t)i * (size_t)job->n);
}

void hsi_predict_product(hsi_job *job)
{
    multiply(job, job->want);
}

void hsi_observe_product(hsi_job *job)
{
    multiply(job, job->got);
}
