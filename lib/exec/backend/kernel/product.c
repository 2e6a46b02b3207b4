/* SPDX-License-Identifier: BSD-3-Clause */
/* dgemm, sgemm, dsyrk, dtrsm: the updates of Cholesky and LU. */
#include "exec/backend/kernel/blas.h"
#include "exec/backend/kernel/kernel.h"

static void gemm_predict(hsi_job *job)
{
    int n = job->n;

    hsi_predict_product(job);
    hsi_gemv(job, 1, n, n, 1, job->in[1], n, job->x, job->got);
    hsi_gemv(job, 0, n, n, -1, job->in[0], n, job->got, job->want);
}

static void gemm_compute(hsi_job *job)
{
    int n = job->n;

    hsi_gemm(job, 1, n, n, n, job->in[0], n, job->in[1], n, job->out[0], n);
}

const hsi_kernel hsi_kernel_dgemm = {.inputs = 2,
                                     .outputs = 1,
                                     .first = 2,
                                     .predict = gemm_predict,
                                     .compute = gemm_compute,
                                     .observe = hsi_observe_product};

/* A matrix of a job of floats. */
static const float *floats(const double *matrix)
{
    return (const float *)(const void *)matrix;
}

/* y += alpha op(A) x: the product by way of floats, in `work`. */
static void sgemv(hsi_job *job, int transpose, double alpha, const float *a, const double *x,
                  double *y)
{
    int    n = job->n, columns = n < 1024 ? n : 1024, i, j;
    float *from = (float *)(void *)job->work, *to = from + n;

    for (i = 0; i < n; i++) {
        from[i] = (float)x[i];
        to[i] = 0;
    }
    for (j = 0; j < n && !hsi_job_stopped(job); j += columns, a += (size_t)n * (size_t)columns)
        hsi_blas.sgemv(CblasColMajor, transpose ? CblasTrans : CblasNoTrans, n,
                       columns < n - j ? columns : n - j, 1, a, n, transpose ? from : from + j, 1,
                       1, transpose ? to + j : to, 1);
    for (i = 0; i < n; i++)
        y[i] += alpha * (double)to[i];
}

static void sgemm_predict(hsi_job *job)
{
    sgemv(job, 0, 1, floats(job->out[0]), job->x, job->want);
    sgemv(job, 1, 1, floats(job->in[1]), job->x, job->got);
    sgemv(job, 0, -1, floats(job->in[0]), job->got, job->want);
}

static void sgemm_compute(hsi_job *job)
{
    hsi_sgemm(job, job->n, floats(job->in[0]), floats(job->in[1]), (float *)(void *)job->out[0]);
}

static void sgemm_observe(hsi_job *job)
{
    sgemv(job, 0, 1, floats(job->out[0]), job->x, job->got);
}

const hsi_kernel hsi_kernel_sgemm = {.inputs = 2,
                                     .outputs = 1,
                                     .first = 2,
                                     .single = 1,
                                     .predict = sgemm_predict,
                                     .compute = sgemm_compute,
                                     .observe = sgemm_observe};

static void syrk_predict(hsi_job *job)
{
    int n = job->n;

    hsi_symv(job, n, 1, job->out[0], n, job->x, job->want);
    hsi_gemv(job, 1, n, n, 1, job->in[0], n, job->x, job->got);
    hsi_gemv(job, 0, n, n, -1, job->in[0], n, job->got, job->want);
}

static void syrk_compute(hsi_job *job)
{
    hsi_syrk(job, job->n, job->n, job->in[0], job->n, job->out[0], job->n);
}

static void syrk_observe(hsi_job *job)
{
    hsi_symv(job, job->n, 1, job->out[0], job->n, job->x, job->got);
}

const hsi_kernel hsi_kernel_dsyrk = {.inputs = 1,
                                     .outputs = 1,
                                     .first = 2,
                                     .predict = syrk_predict,
                                     .compute = syrk_compute,
                                     .observe = syrk_observe};

static void trsm_compute(hsi_job *job)
{
    hsi_trsm_right(job, 1, job->n, job->n, job->in[0], job->n, job->out[0], job->n);
}

static void trsm_observe(hsi_job *job)
{
    hsi_trmv(job, HSI_LOWER_UNIT_TRANSPOSED, job->n, job->in[0], job->n, job->x);
    hsi_observe_product(job);
}

const hsi_kernel hsi_kernel_dtrsm = {.inputs = 1,
                                     .outputs = 1,
                                     .first = 2,
                                     .predict = hsi_predict_product,
                                     .compute = trsm_compute,
                                     .observe = trsm_observe};
