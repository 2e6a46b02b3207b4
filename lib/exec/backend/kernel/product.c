/* SPDX-License-Identifier: BSD-3-Clause */
/* dgemm, sgemm, dsyrk, dtrsm: the updates of Cholesky and LU. */
#include <cblas.h>

#include "exec/backend/kernel/kernel.h"

/* The inputs are read where they are; what is overwritten is copied. */
static void prepare(hsi_job *job)
{
    int i;

    for (i = 0; i < job->kernel->inputs; i++)
        job->in[i] = hsi_pool(job, i);
    hsi_copy(job, hsi_pool(job, 2), job->out[0]);
}

static void gemm_predict(hsi_job *job)
{
    int n = job->n;

    hsi_gemv(job, 0, n, n, 1, job->out[0], n, job->x, job->want);
    hsi_gemv(job, 1, n, n, 1, job->in[1], n, job->x, job->got);
    hsi_gemv(job, 0, n, n, -1, job->in[0], n, job->got, job->want);
}

static void gemm_compute(hsi_job *job)
{
    hsi_gemm(job, 1, job->n, job->n, job->n, job->in[0], job->n, job->in[1], job->n, job->out[0],
             job->n);
}

static void gemm_observe(hsi_job *job)
{
    hsi_gemv(job, 0, job->n, job->n, 1, job->out[0], job->n, job->x, job->got);
}

const hsi_kernel hsi_kernel_dgemm = {
    .inputs = 2,
    .outputs = 1,
    .epsilon = 0x1p-53,
    .prepare = prepare,
    .predict = gemm_predict,
    .compute = gemm_compute,
    .observe = gemm_observe,
};

static void sgemm_prepare(hsi_job *job)
{
    job->in_single[0] = hsi_pool_single(job, 0);
    job->in_single[1] = hsi_pool_single(job, 1);
    hsi_copy_single(job, hsi_pool_single(job, 2), job->out_single);
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
        cblas_sgemv(CblasColMajor, transpose ? CblasTrans : CblasNoTrans, n,
                    columns < n - j ? columns : n - j, 1, a, n, transpose ? from : from + j, 1, 1,
                    transpose ? to + j : to, 1);
    for (i = 0; i < n; i++)
        y[i] += alpha * (double)to[i];
}

static void sgemm_predict(hsi_job *job)
{
    sgemv(job, 0, 1, job->out_single, job->x, job->want);
    sgemv(job, 1, 1, job->in_single[1], job->x, job->got);
    sgemv(job, 0, -1, job->in_single[0], job->got, job->want);
}

static void sgemm_compute(hsi_job *job)
{
    hsi_sgemm(job, job->n, job->in_single[0], job->in_single[1], job->out_single);
}

static void sgemm_observe(hsi_job *job)
{
    sgemv(job, 0, 1, job->out_single, job->x, job->got);
}

const hsi_kernel hsi_kernel_sgemm = {
    .inputs = 2,
    .outputs = 1,
    .epsilon = 0x1p-24,
    .prepare = sgemm_prepare,
    .predict = sgemm_predict,
    .compute = sgemm_compute,
    .observe = sgemm_observe,
};

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

const hsi_kernel hsi_kernel_dsyrk = {
    .inputs = 1,
    .outputs = 1,
    .epsilon = 0x1p-53,
    .prepare = prepare,
    .predict = syrk_predict,
    .compute = syrk_compute,
    .observe = syrk_observe,
};

static void trsm_predict(hsi_job *job)
{
    hsi_gemv(job, 0, job->n, job->n, 1, job->out[0], job->n, job->x, job->want);
}

static void trsm_compute(hsi_job *job)
{
    hsi_trsm_right(job, 1, job->n, job->n, job->in[0], job->n, job->out[0], job->n);
}

static void trsm_observe(hsi_job *job)
{
    hsi_trmv(job, HSI_LOWER_UNIT_TRANSPOSED, job->n, job->in[0], job->n, job->x);
    hsi_gemv(job, 0, job->n, job->n, 1, job->out[0], job->n, job->x, job->got);
}

const hsi_kernel hsi_kernel_dtrsm = {
    .inputs = 1,
    .outputs = 1,
    .epsilon = 0x1p-53,
    .prepare = prepare,
    .predict = trsm_predict,
    .compute = trsm_compute,
    .observe = trsm_observe,
};
