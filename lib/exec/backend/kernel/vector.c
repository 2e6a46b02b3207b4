/* SPDX-License-Identifier: BSD-3-Clause */
/* Products with vectors, in pieces of about a millisecond. */
#include "exec/backend/kernel/blas.h"
#include "exec/backend/kernel/kernel.h"

enum { ELEMENTS = 1 << 20, TILE = 512 };

/* Return the number of columns of m rows in a piece. */
static int columns_of(int m)
{
    return m < ELEMENTS ? ELEMENTS / (m ? m : 1) : 1;
}

void hsi_gemv(hsi_job *job, bool transpose, int m, int n, double alpha, const void *a, int lda,
              const void *x, void *y)
{
    int columns = columns_of(m), j;

    for (j = 0; j < n && !hsi_job_is_stopped(job); j += columns)
        HSI_BLAS(job, gemv, CblasColMajor, transpose ? CblasTrans : CblasNoTrans, m,
                 hsi_smaller(columns, n - j), alpha, hsi_element_address_at(job, a, lda, 0, j), lda,
                 transpose ? x : hsi_element_address(job, x, j), 1, 1,
                 transpose ? hsi_element_address(job, y, j) : y, 1);
}

void hsi_symv(hsi_job *job, int n, double alpha, const void *a, int lda, const void *x, void *y)
{
    int         h = hsi_half(n);
    const void *below = hsi_element_address(job, a, h),
               *rest = hsi_element_address_at(job, a, lda, h, h);

    if (hsi_job_is_stopped(job))
        return;
    if (n <= TILE) {
        HSI_BLAS(job, symv, CblasColMajor, CblasLower, n, alpha, a, lda, x, 1, 1, y, 1);
        return;
    }
    hsi_symv(job, h, alpha, a, lda, x, y);
    hsi_gemv(job, false, n - h, h, alpha, below, lda, x, hsi_element_address(job, y, h));
    hsi_gemv(job, true, n - h, h, alpha, below, lda, hsi_element_address(job, x, h), y);
    hsi_symv(job, n - h, alpha, rest, lda, hsi_element_address(job, x, h),
             hsi_element_address(job, y, h));
}

static bool is_transposed(hsi_triangle how)
{
    return how == HSI_LOWER_TRANSPOSED || how == HSI_LOWER_UNIT_TRANSPOSED;
}

static void trmv_tile(const hsi_job *job, hsi_triangle how, int n, const void *a, int lda, void *x)
{
    bool unit = how == HSI_LOWER_UNIT || how == HSI_LOWER_UNIT_TRANSPOSED;

    HSI_BLAS(job, trmv, CblasColMajor, how == HSI_UPPER ? CblasUpper : CblasLower,
             is_transposed(how) ? CblasTrans : CblasNoTrans, unit ? CblasUnit : CblasNonUnit, n, a,
             lda, x, 1);
}

/* Compute x := op(A) x by halves. A half of x is overwritten after its last use. */
void hsi_trmv(hsi_job *job, hsi_triangle how, int n, const void *a, int lda, void *x)
{
    int         h = hsi_half(n);
    const void *right = hsi_element_address_at(job, a, lda, 0, h),
               *below = hsi_element_address(job, a, h), *rest = hsi_element_address(job, right, h);

    if (hsi_job_is_stopped(job))
        return;
    if (n <= TILE) {
        trmv_tile(job, how, n, a, lda, x);
        return;
    }
    if (how == HSI_LOWER || how == HSI_LOWER_UNIT) {
        hsi_trmv(job, how, n - h, rest, lda, hsi_element_address(job, x, h));
        hsi_gemv(job, false, n - h, h, 1, below, lda, x, hsi_element_address(job, x, h));
        hsi_trmv(job, how, h, a, lda, x);
        return;
    }
    hsi_trmv(job, how, h, a, lda, x);
    if (is_transposed(how))
        hsi_gemv(job, true, n - h, h, 1, below, lda, hsi_element_address(job, x, h), x);
    else
        hsi_gemv(job, false, h, n - h, 1, right, lda, hsi_element_address(job, x, h), x);
    hsi_trmv(job, how, n - h, rest, lda, hsi_element_address(job, x, h));
}

/* Add the product of each output and x to the output's part of y. */
static void multiply(hsi_job *job, void *y)
{
    int i;

    for (i = 0; i < job->kernel->outputs; i++)
        hsi_gemv(job, false, job->n, job->columns, 1, job->out[i], job->n, job->x,
                 hsi_element_address_at(job, y, job->n, 0, i));
}

void hsi_predict_product(hsi_job *job)
{
    multiply(job, job->want);
}

void hsi_observe_product(hsi_job *job)
{
    multiply(job, job->got);
}
