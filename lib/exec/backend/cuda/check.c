/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Verification of results. The host multiplies a vector of signs by the result that follows from
 * the inputs, and by the results in host memory, and compares the products. Each product takes
 * O(n^2) operations, and no number of the first one comes from the GPU. Since a verification
 * reads whole matrices, one of SAMPLE tasks per kernel and size is verified, beginning with the
 * first. The worker's thread verifies a task while later tasks are in flight. Memory on both sides
 * is filled with NaN before, so a result that was not computed or not copied is never right.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/backend/cuda/cuda.h"
#include "exec/backend/cuda/range.h"
#include "exec/error_text.h"

enum { SAMPLE = 16, SIZES = HSI_CUDA_SIZE_MOST + 1, NOT_LANDED = INT_MIN };

bool hsi_cuda_check_open(hsi_cuda_gpu *gpu)
{
    if (!gpu->verify)
        return true;
    gpu->check.tasks = calloc(HSI_CUDA_KERNELS, SIZES);
    hsi_blas_one_thread();
    return gpu->check.tasks != NULL;
}

void hsi_cuda_check_close(hsi_cuda_gpu *gpu)
{
    free(gpu->check.tasks);
}

static unsigned char *tasks_of(const hsi_cuda_gpu *gpu, const hsi_cuda_body *body)
{
    return gpu->check.tasks + (body->cuda - hsi_cuda_kernel_at(0)) * SIZES + body->n;
}

bool hsi_cuda_check_is_due(hsi_cuda_gpu *gpu, const hsi_cuda_body *body)
{
    unsigned char *tasks;
    bool           due;

    if (!gpu->verify)
        return false;
    tasks = tasks_of(gpu, body);
    due = *tasks == 0;
    *tasks = (unsigned char)((*tasks + 1) % SAMPLE);
    return due;
}

void hsi_cuda_check_next_of_kind(hsi_cuda_gpu *gpu, const hsi_cuda_body *body)
{
    *tasks_of(gpu, body) = 0;
}

void hsi_cuda_check_next_of_all_kinds(hsi_cuda_gpu *gpu)
{
    if (gpu->verify)
        memset(gpu->check.tasks, 0, (size_t)HSI_CUDA_KERNELS * SIZES);
}

/* The parts of the results are contiguous, and the matrices come first. */
void hsi_cuda_check_fill_with_nan(const hsi_cuda_body *body, const hsi_cuda_results *results)
{
    memset(results->c, 0xff, hsi_cuda_results_bytes(body));
    if (body->cuda->solver)
        results->info[0] = NOT_LANDED;
}

void hsi_cuda_check_predict_product(hsi_cuda_gpu *gpu, const hsi_cuda_body *body,
                                    const hs_attempt *attempt)
{
    hsi_job *job = &gpu->check.job;

    hsi_cuda_range_begin("predict");
    hsi_cuda_data_locate(gpu, body, attempt->instance, attempt->task, job);
    job->attempt = attempt;
    hsi_job_allocate_vectors(job);
    hsi_job_predict_product_from_pool(job);
    gpu->check.attempt = attempt;
    hsi_cuda_range_end();
}

/* Convert the pivots of panels into LAPACK's, which count from the first row of the matrix. Return
 * false if a pivot is outside its panel. */
static bool take_pivots(hsi_job *job, const hsi_cuda_results *results)
{
    int i;

    for (i = 0; i < job->n; i++) {
        int panel = i / results->width * results->width, row = results->pivots[i];

        if (row <= i - panel || row > job->n - panel)
            return false;
        job->pivots[i] = panel + row;
    }
    return true;
}

/* Write the factors where dgeqrt leaves them, on the diagonals of the triangles. */
static void take_factors(hsi_job *job, const void *tau)
{
    int j;

    for (j = 0; j < job->n; j++)
        hsi_element_set(
            job, hsi_element_address_at(job, job->t, HSI_KERNEL_PANEL, j % HSI_KERNEL_PANEL, j), 0,
            hsi_element_get(job, tau, j));
}

static double residual_of(hsi_job *job, const hsi_cuda_body *body, const hsi_cuda_results *results)
{
    job->out[0] = results->c;
    job->out[1] = results->d;
    if (body->cuda->launch == hsi_cuda_getrf && !take_pivots(job, results))
        return INFINITY;
    if (body->cuda->launch == hsi_cuda_geqrf)
        take_factors(job, results->vector);
    if (body->cuda->launch == hsi_cuda_tpqrt)
        job->t = results->t;
    return hsi_job_residual(job);
}

static hs_outcome verify(hsi_cuda_gpu *gpu, const hsi_cuda_body *body,
                         const hsi_cuda_results *results, hs_attempt *attempt)
{
    hsi_job *job = &gpu->check.job;
    double   residual = 0;

    if (gpu->check.attempt != attempt)
        hsi_cuda_check_predict_product(gpu, body, attempt);
    gpu->check.attempt = NULL;
    hsi_cuda_range_begin("verify");
    if (!job->stopped) /* a cancelled prediction may be incomplete */
        residual = residual_of(job, body, results);
    hsi_cuda_range_end();
    if (job->stopped) {
        hsi_cuda_check_next_of_kind(gpu, body);
        return HS_OUTCOME_ABORTED;
    }
    attempt->verification = HS_VERIFICATION_PASSED;
    return hsi_job_outcome_by_residual(residual, body->cuda->name, body->n, attempt);
}

static int info_of(const hsi_cuda_body *body, const hsi_cuda_results *results)
{
    int i;

    for (i = 0; body->cuda->solver && i < HSI_CUDA_PANELS_MOST; i++)
        if (results->info[i])
            return results->info[i];
    return 0;
}

hs_outcome hsi_cuda_verify_results(hsi_cuda_gpu *gpu, const hsi_cuda_body *body,
                                   const hsi_cuda_results *results, hs_attempt *attempt)
{
    const char *name = body->cuda->name;
    int         info = info_of(body, results);

    if (info && results->checked)
        hsi_cuda_check_next_of_kind(gpu, body);
    if (info == NOT_LANDED)
        return hsi_attempt_fail(
            attempt, "%s:%d: wrong result: nothing was copied back from the GPU", name, body->n);
    if (info)
        return hsi_attempt_fail(attempt, "%s:%d: cuSOLVER gave up (info %d)", name, body->n, info);
    attempt->verification = HS_VERIFICATION_SKIPPED;
    return results->checked ? verify(gpu, body, results, attempt) : HS_OUTCOME_DONE;
}
