/* SPDX-License-Identifier: BSD-3-Clause */
/* dpotrf and dgetrf: by halves, so that most of the work is products of tiles. */
#include <string.h>

#include "exec/backend/kernel/blas.h"
#include "exec/backend/kernel/kernel.h"

static void potrf(hsi_job *job, int n, double *a, int lda)
{
    int h = hsi_half(n);

    if (hsi_job_stopped(job))
        return;
    if (n <= 320) {
        hsi_job_info(job, hsi_blas.dpotrf(LAPACK_COL_MAJOR, 'L', n, a, lda));
        return;
    }
    potrf(job, h, a, lda);
    hsi_trsm_right(job, 0, n - h, h, a, lda, a + h, lda);
    hsi_syrk(job, n - h, h, a + h, lda, a + hsi_at(lda, h, h), lda);
    potrf(job, n - h, a + hsi_at(lda, h, h), lda);
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
    memcpy(job->got, job->x, sizeof *job->x * (size_t)job->n);
    hsi_trmv(job, HSI_LOWER_TRANSPOSED, job->n, job->out[0], job->n, job->got);
    hsi_trmv(job, HSI_LOWER, job->n, job->out[0], job->n, job->got);
}

const hsi_kernel hsi_kernel_dpotrf = {.outputs = 1,
                                      .dominant = 1,
                                      .predict = potrf_predict,
                                      .compute = potrf_compute,
                                      .observe = potrf_observe};

/* Exchange rows as `pivots` say, from row `first` to before row `last`. */
static void exchange(hsi_job *job, int columns, double *a, int lda, int first, int last,
                     const int *pivots)
{
    int piece = 4096, j;

    for (j = 0; j < columns && !hsi_job_stopped(job); j += piece)
        hsi_blas.dlaswp(LAPACK_COL_MAJOR, hsi_smaller(piece, columns - j), a + hsi_at(lda, 0, j),
                        lda, first + 1, last, pivots, 1);
}

/* The narrower the taller it is: it is not fast. */
static int is_panel(int m, int n)
{
    return n <= 8 || (double)m * n * n <= 8e6;
}

/* m >= n; pivots count from 1 at the first row of a. */
static void getrf(hsi_job *job, int m, int n, double *a, int lda, int *pivots)
{
    int h = hsi_half(n), i;

    if (hsi_job_stopped(job))
        return;
    if (is_panel(m, n)) {
        hsi_job_info(job, hsi_blas.dgetrf(LAPACK_COL_MAJOR, m, n, a, lda, pivots));
        return;
    }
    getrf(job, m, h, a, lda, pivots);
    exchange(job, n - h, a + hsi_at(lda, 0, h), lda, 0, h, pivots);
    hsi_trsm_left(job, h, n - h, a, lda, a + hsi_at(lda, 0, h), lda);
    hsi_gemm(job, 0, m - h, n - h, h, a + h, lda, a + hsi_at(lda, 0, h), lda, a + hsi_at(lda, h, h),
             lda);
    getrf(job, m - h, n - h, a + hsi_at(lda, h, h), lda, pivots + h);
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

    memcpy(job->got, job->x, sizeof *job->x * (size_t)n);
    hsi_trmv(job, HSI_UPPER, n, job->out[0], n, job->got);
    hsi_trmv(job, HSI_LOWER_UNIT, n, job->out[0], n, job->got);
    for (i = n - 1; i >= 0 && !job->stopped; i--) {
        kept = job->got[i];
        job->got[i] = job->got[job->pivots[i] - 1];
        job->got[job->pivots[i] - 1] = kept;
    }
}

const hsi_kernel hsi_kernel_dgetrf = {.outputs = 1,
                                      .dominant = 1,
                                      .predict = hsi_predict_product,
                                      .compute = getrf_compute,
                                      .observe = getrf_observe};

/* Column by column: a few of them. */
static void eliminate(hsi_job *job, int n, double *a, int lda)
{
    int j;

    for (j = 0; j < n && !job->stopped; j++) {
        double *pivot = a + hsi_at(lda, j, j);
        int     below = n - j - 1;

        if (*pivot == 0) {
            hsi_job_info(job, j + 1);
            return;
        }
        if (below == 0)
            return;
        hsi_blas.dscal(below, 1 / *pivot, pivot + 1, 1);
        hsi_blas.dger(CblasColMajor, below, below, -1, pivot + 1, 1, pivot + lda, lda,
                      pivot + lda + 1, lda);
    }
}

void hsi_getrf_in_place(hsi_job *job, int n, double *a, int lda)
{
    int h = hsi_half(n);

    if (hsi_job_stopped(job))
        return;
    if (n <= 32) {
        eliminate(job, n, a, lda);
        return;
    }
    hsi_getrf_in_place(job, h, a, lda);
    hsi_trsm_left(job, h, n - h, a, lda, a + hsi_at(lda, 0, h), lda);
    hsi_trsm_upper(job, n - h, h, a, lda, a + h, lda);
    hsi_gemm(job, 0, n - h, n - h, h, a + h, lda, a + hsi_at(lda, 0, h), lda, a + hsi_at(lda, h, h),
             lda);
    hsi_getrf_in_place(job, n - h, a + hsi_at(lda, h, h), lda);
}
