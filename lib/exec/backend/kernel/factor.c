/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels potrf and getrf. They halve the matrix recursively, so most work is products of tiles. */
#include "exec/backend/kernel/blas.h"
#include "exec/backend/kernel/kernel.h"

static void potrf(hsi_job *job, int n, void *a, int lda)
{
    int h = hsi_half(n);

    if (hsi_job_is_stopped(job))
        return;
    if (n <= 320) {
        hsi_job_set_info(job, HSI_BLAS(job, potrf, LAPACK_COL_MAJOR, 'L', n, a, lda));
        return;
    }
    potrf(job, h, a, lda);
    hsi_trsm_right(job, false, n - h, h, a, lda, hsi_element_address(job, a, h), lda);
    hsi_syrk(job, n - h, h, hsi_element_address(job, a, h), lda,
             hsi_element_address_at(job, a, lda, h, h), lda);
    potrf(job, n - h, hsi_element_address_at(job, a, lda, h, h), lda);
}

static void potrf_predict(hsi_job *job)
{
    hsi_symv(job, job->n, 1, job->out[0], job->n, job->x, job->want);
}

static void potrf_compute(hsi_job *job)
{
    potrf(job, job->n, job->out[0], job->n);
}

static void potrf_observe(hsi_job *job)
{
    hsi_copy_vector(job, job->got, job->x, job->n);
    hsi_trmv(job, HSI_LOWER_TRANSPOSED, job->n, job->out[0], job->n, job->got);
    hsi_trmv(job, HSI_LOWER, job->n, job->out[0], job->n, job->got);
}

HSI_KERNEL(potrf, .outputs = 1, .dominant = 1, .predict = potrf_predict, .compute = potrf_compute,
           .observe = potrf_observe);

/* Exchange rows as `pivots` say, from row `first` to before row `last`. */
static void exchange(hsi_job *job, int columns, void *a, int lda, int first, int last,
                     const int *pivots)
{
    int piece = 4096, j;

    for (j = 0; j < columns && !hsi_job_is_stopped(job); j += piece)
        HSI_BLAS(job, laswp, LAPACK_COL_MAJOR, hsi_smaller(piece, columns - j),
                 hsi_element_address_at(job, a, lda, 0, j), lda, first + 1, last, pivots, 1);
}

/* Return true if an m x n block is factorised as one panel. Panels are slow; a tall panel is
 * narrow. */
static bool is_panel(int m, int n)
{
    return n <= 8 || (double)m * n * n <= 8e6;
}

/* Factorise an m x n block, m >= n. Pivots count from 1 at the first row of `a`. */
static void getrf(hsi_job *job, int m, int n, void *a, int lda, int *pivots)
{
    int h = hsi_half(n), i;

    if (hsi_job_is_stopped(job))
        return;
    if (is_panel(m, n)) {
        hsi_job_set_info(job, HSI_BLAS(job, getrf, LAPACK_COL_MAJOR, m, n, a, lda, pivots));
        return;
    }
    getrf(job, m, h, a, lda, pivots);
    exchange(job, n - h, hsi_element_address_at(job, a, lda, 0, h), lda, 0, h, pivots);
    hsi_trsm_left(job, h, n - h, a, lda, hsi_element_address_at(job, a, lda, 0, h), lda);
    hsi_gemm(job, false, m - h, n - h, h, hsi_element_address(job, a, h), lda,
             hsi_element_address_at(job, a, lda, 0, h), lda,
             hsi_element_address_at(job, a, lda, h, h), lda);
    getrf(job, m - h, n - h, hsi_element_address_at(job, a, lda, h, h), lda, pivots + h);
    for (i = h; i < n && !job->stopped; i++)
        pivots[i] += h;
    exchange(job, h, a, lda, h, n, pivots);
}

static void getrf_compute(hsi_job *job)
{
    getrf(job, job->n, job->n, job->out[0], job->n, job->pivots);
}

static void getrf_observe(hsi_job *job)
{
    int    n = job->n, i;
    double kept;

    hsi_copy_vector(job, job->got, job->x, n);
    hsi_trmv(job, HSI_UPPER, n, job->out[0], n, job->got);
    hsi_trmv(job, HSI_LOWER_UNIT, n, job->out[0], n, job->got);
    for (i = n - 1; i >= 0 && !job->stopped; i--) {
        kept = hsi_element_get(job, job->got, i);
        hsi_element_set(job, job->got, i, hsi_element_get(job, job->got, job->pivots[i] - 1));
        hsi_element_set(job, job->got, job->pivots[i] - 1, kept);
    }
}

HSI_KERNEL(getrf, .outputs = 1, .dominant = 1, .predict = hsi_predict_product,
           .compute = getrf_compute, .observe = getrf_observe);

/* Factorise a block of few columns without row exchanges, column by column. */
static void eliminate(hsi_job *job, int n, void *a, int lda)
{
    int j;

    for (j = 0; j < n && !job->stopped; j++) {
        void  *pivot = hsi_element_address_at(job, a, lda, j, j);
        double value = hsi_element_get(job, pivot, 0);
        int    below = n - j - 1;

        if (value == 0) {
            hsi_job_set_info(job, j + 1);
            return;
        }
        if (below == 0)
            return;
        HSI_BLAS(job, scal, below, 1 / value, hsi_element_address(job, pivot, 1), 1);
        HSI_BLAS(job, ger, CblasColMajor, below, below, -1, hsi_element_address(job, pivot, 1), 1,
                 hsi_element_address(job, pivot, lda), lda,
                 hsi_element_address(job, pivot, lda + 1), lda);
    }
}

void hsi_getrf_in_place(hsi_job *job, int n, void *a, int lda)
{
    int h = hsi_half(n);

    if (hsi_job_is_stopped(job))
        return;
    if (n <= 32) {
        eliminate(job, n, a, lda);
        return;
    }
    hsi_getrf_in_place(job, h, a, lda);
    hsi_trsm_left(job, h, n - h, a, lda, hsi_element_address_at(job, a, lda, 0, h), lda);
    hsi_trsm_upper(job, n - h, h, a, lda, hsi_element_address(job, a, h), lda);
    hsi_gemm(job, false, n - h, n - h, h, hsi_element_address(job, a, h), lda,
             hsi_element_address_at(job, a, lda, 0, h), lda,
             hsi_element_address_at(job, a, lda, h, h), lda);
    hsi_getrf_in_place(job, n - h, hsi_element_address_at(job, a, lda, h, h), lda);
}
