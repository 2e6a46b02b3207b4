/* SPDX-License-Identifier: BSD-3-Clause */
/* gemm, syrk, trsm: the updates of Cholesky and LU. */
#include "exec/backend/kernel/blas.h"
#include "exec/backend/kernel/kernel.h"

static void gemm_predict(hsi_job *job)
{
    int n = job->n;

    hsi_predict_product(job);
    hsi_gemv(job, true, job->columns, n, 1, job->in[1], n, job->x, job->got);
    hsi_gemv(job, false, n, n, -1, job->in[0], n, job->got, job->want);
}

static void gemm_compute(hsi_job *job)
{
    int n = job->n;

    hsi_gemm(job, true, n, job->columns, n, job->in[0], n, job->in[1], n, job->out[0], n);
}

HSI_KERNEL(gemm, .inputs = 2, .outputs = 1, .first = 2, .divisible = true, .predict = gemm_predict,
           .compute = gemm_compute, .observe = hsi_observe_product);

static void syrk_predict(hsi_job *job)
{
    int n = job->n;

    hsi_symv(job, n, 1, job->out[0], n, job->x, job->want);
    hsi_gemv(job, true, n, n, 1, job->in[0], n, job->x, job->got);
    hsi_gemv(job, false, n, n, -1, job->in[0], n, job->got, job->want);
}

static void syrk_compute(hsi_job *job)
{
    hsi_syrk(job, job->n, job->n, job->in[0], job->n, job->out[0], job->n);
}

static void syrk_observe(hsi_job *job)
{
    hsi_symv(job, job->n, 1, job->out[0], job->n, job->x, job->got);
}

HSI_KERNEL(syrk, .inputs = 1, .outputs = 1, .first = 2, .predict = syrk_predict,
           .compute = syrk_compute, .observe = syrk_observe);

static void trsm_compute(hsi_job *job)
{
    hsi_trsm_right(job, true, job->n, job->n, job->in[0], job->n, job->out[0], job->n);
}

static void trsm_observe(hsi_job *job)
{
    hsi_trmv(job, HSI_LOWER_UNIT_TRANSPOSED, job->n, job->in[0], job->n, job->x);
    hsi_observe_product(job);
}

HSI_KERNEL(trsm, .inputs = 1, .outputs = 1, .first = 2, .predict = hsi_predict_product,
           .compute = trsm_compute, .observe = trsm_observe);
