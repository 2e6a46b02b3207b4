/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dgeqrf, dormqr, dtpqrt, dtpmqrt: the tiles of a QR factorisation. Reflectors come
 * in blocks of HSI_KERNEL_PANEL columns V with a triangle T each: Q = I - V T V', as in
 * LAPACK's dgeqrt and its kin. For dtpqrt and dtpmqrt a unit matrix stands on top of V.
 */
#include <cblas.h>
#include <lapacke.h>
#include <string.h>

#include "exec/backend/kernel/kernel.h"

enum { W = HSI_KERNEL_PANEL };

static size_t place(int ld, int row, int column)
{
    return (size_t)column * (size_t)ld + (size_t)row;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static double *triangle(hsi_job *job, int column)
{
    return job->t + (size_t)column * W;
}

/* Columns that a block reflector of m rows is applied to at once. */
static int columns_at_once(int m, int columns)
{
    int most = (int)(1.6e7 / ((double)m * W));

    return hsi_piece(columns, most < W ? W : most);
}

/* C := Q' C, for the block of `w` reflectors at v. */
static void apply(hsi_job *job, int m, int columns, int w, const double *v, int ldv,
                  const double *t, double *c, int ldc)
{
    int piece = columns_at_once(m, columns), j;

    for (j = 0; j < columns && !hsi_job_stopped(job); j += piece)
        LAPACKE_dlarfb_work(LAPACK_COL_MAJOR, 'L', 'T', 'F', 'C', m, least(piece, columns - j), w,
                            v, ldv, t, W, c + place(ldc, 0, j), ldc, job->work, piece);
}

/* [A; B] := Q' [A; B]; A has w rows, B has m. */
static void apply_below(hsi_job *job, int m, int columns, int w, const double *v, int ldv,
                        const double *t, double *a, int lda, double *b, int ldb)
{
    int piece = columns_at_once(m, columns), j, info;

    for (j = 0; j < columns && !hsi_job_stopped(job); j += piece) {
        info = LAPACKE_dtpmqrt_work(LAPACK_COL_MAJOR, 'L', 'T', m, least(piece, columns - j), w, 0,
                                    w, v, ldv, t, W, a + place(lda, 0, j), lda,
                                    b + place(ldb, 0, j), ldb, job->work);
        hsi_job_info(job, info);
    }
}

/*
 * y := Q' y by one reflector, straight from its definition: H = I - tau v v' with
 * v = [1; below] is orthogonal if tau is 2 over v'v. tau 0: work it out.
 */
static void reflect(int m, const double *below, double tau, double *top, double *y)
{
    double product = *top + cblas_ddot(m, below, 1, y, 1);

    if (tau == 0)
        tau = 2 / (1 + cblas_ddot(m, below, 1, below, 1));
    *top -= tau * product;
    cblas_daxpy(m, -tau * product, below, 1, y, 1);
}

/* inv(T) + inv(T)' = V'V =: S, whose upper half is in t. */
static void invert(hsi_job *job, int w, double *t)
{
    int i;

    for (i = 0; i < w; i++)
        t[place(W, i, i)] /= 2;
    hsi_job_info(job, LAPACKE_dtrtri_work(LAPACK_COL_MAJOR, 'U', 'N', w, t, W));
}

static void gram(hsi_job *job, int m, int w, const double *v, int ldv, double *t)
{
    int rows = hsi_piece(m, 4096), i;

    for (i = 0; i < m && !hsi_job_stopped(job); i += rows)
        cblas_dsyrk(CblasColMajor, CblasUpper, CblasTrans, w, least(rows, m - i), 1, v + i, ldv, 1,
                    t, W);
}

/* The top of V: ones on the diagonal, zeros above. */
static void unit_lower(int w, const double *v, int ldv, double *top)
{
    int i, j;

    for (j = 0; j < w; j++)
        for (i = 0; i < w; i++)
            top[place(W, i, j)] = i < j ? 0 : i == j ? 1 : v[place(ldv, i, j)];
}

static void geqrf_prepare(hsi_job *job)
{
    hsi_copy(job, hsi_pool(job, 0), job->out[0]);
}

static void geqrf_predict(hsi_job *job)
{
    hsi_gemv(job, 0, job->n, job->n, 1, job->out[0], job->n, job->x, job->want);
}

static void geqrf_compute(hsi_job *job)
{
    int     n = job->n, j, w;
    double *a;

    for (j = 0; j < n && !hsi_job_stopped(job); j += W) {
        w = least(W, n - j);
        a = job->out[0] + place(n, j, j);
        hsi_job_info(job, LAPACKE_dgeqrt_work(LAPACK_COL_MAJOR, n - j, w, w, a, n, triangle(job, j),
                                              W, job->work));
        apply(job, n - j, n - j - w, w, a, n, triangle(job, j), a + place(n, 0, w), n);
    }
}

/* Q' A x is to be R x; LAPACK's tau is on the diagonal of T, 0 for no reflector. */
static void geqrf_observe(hsi_job *job)
{
    int    n = job->n, j;
    double tau;

    for (j = 0; j < n && (j % W || !hsi_job_stopped(job)); j++) {
        tau = triangle(job, j / W * W)[place(W, j % W, j % W)];
        if (tau != 0)
            reflect(n - j - 1, job->out[0] + place(n, j, j) + 1, tau, job->want + j,
                    job->want + j + 1);
    }
    memcpy(job->got, job->x, sizeof *job->x * (size_t)n);
    hsi_trmv(job, HSI_UPPER, n, job->out[0], n, job->got);
}

const hsi_kernel hsi_kernel_dgeqrf = {
    .inputs = 1,
    .outputs = 1,
    .epsilon = 0x1p-53,
    .prepare = geqrf_prepare,
    .predict = geqrf_predict,
    .compute = geqrf_compute,
    .observe = geqrf_observe,
};

static void ormqr_prepare(hsi_job *job)
{
    job->in[0] = hsi_pool(job, 0);
    hsi_copy(job, hsi_pool(job, 1), job->out[0]);
}

static void ormqr_predict(hsi_job *job)
{
    int n = job->n, j;

    hsi_gemv(job, 0, n, n, 1, job->out[0], n, job->x, job->want);
    for (j = 0; j < n && (j % W || !hsi_job_stopped(job)); j++)
        reflect(n - j - 1, job->in[0] + place(n, j, j) + 1, 0, job->want + j, job->want + j + 1);
}

/* As in LAPACK's, T is part of the work. */
static void ormqr_compute(hsi_job *job)
{
    int           n = job->n, j, w;
    const double *v;
    double       *t;

    for (j = 0; j < n && !hsi_job_stopped(job); j += W) {
        w = least(W, n - j);
        v = job->in[0] + place(n, j, j);
        t = triangle(job, j);
        memset(t, 0, sizeof *t * W * (size_t)w);
        unit_lower(w, v, n, job->work);
        gram(job, w, w, job->work, W, t);
        gram(job, n - j - w, w, v + w, n, t);
        invert(job, w, t);
        apply(job, n - j, n, w, v, n, t, job->out[0] + j, n);
    }
}

static void ormqr_observe(hsi_job *job)
{
    hsi_gemv(job, 0, job->n, job->n, 1, job->out[0], job->n, job->x, job->got);
}

const hsi_kernel hsi_kernel_dormqr = {
    .inputs = 1,
    .outputs = 1,
    .epsilon = 0x1p-53,
    .prepare = ormqr_prepare,
    .predict = ormqr_predict,
    .compute = ormqr_compute,
    .observe = ormqr_observe,
};

static void tpqrt_prepare(hsi_job *job)
{
    hsi_copy(job, hsi_pool(job, 0), job->out[0]);
    hsi_copy(job, hsi_pool(job, 1), job->out[1]);
}

static void tpqrt_predict(hsi_job *job)
{
    int n = job->n;

    job->length = 2 * n;
    memcpy(job->want, job->x, sizeof *job->x * (size_t)n);
    hsi_trmv(job, HSI_UPPER, n, job->out[0], n, job->want);
    hsi_gemv(job, 0, n, n, 1, job->out[1], n, job->x, job->want + n);
}

static void tpqrt_compute(hsi_job *job)
{
    int     n = job->n, j, w;
    double *a, *b, *t;

    for (j = 0; j < n && !hsi_job_stopped(job); j += W) {
        w = least(W, n - j);
        a = job->out[0] + place(n, j, j);
        b = job->out[1] + place(n, 0, j);
        t = triangle(job, j);
        hsi_job_info(
            job, LAPACKE_dtpqrt_work(LAPACK_COL_MAJOR, n, w, 0, w, a, n, b, n, t, W, job->work));
        apply_below(job, n, n - j - w, w, b, n, t, a + place(n, 0, w), n, b + place(n, 0, w), n);
    }
}

static void tpqrt_observe(hsi_job *job)
{
    int    n = job->n, j;
    double tau;

    for (j = 0; j < n && (j % W || !hsi_job_stopped(job)); j++) {
        tau = triangle(job, j / W * W)[place(W, j % W, j % W)];
        if (tau != 0)
            reflect(n, job->out[1] + place(n, 0, j), tau, job->want + j, job->want + n);
    }
    memcpy(job->got, job->x, sizeof *job->x * (size_t)n);
    hsi_trmv(job, HSI_UPPER, n, job->out[0], n, job->got);
}

const hsi_kernel hsi_kernel_dtpqrt = {
    .inputs = 2,
    .outputs = 2,
    .epsilon = 0x1p-53,
    .prepare = tpqrt_prepare,
    .predict = tpqrt_predict,
    .compute = tpqrt_compute,
    .observe = tpqrt_observe,
};

static void tpmqrt_prepare(hsi_job *job)
{
    job->in[0] = hsi_pool(job, 0);
    hsi_copy(job, hsi_pool(job, 1), job->out[0]);
    hsi_copy(job, hsi_pool(job, 2), job->out[1]);
}

static void tpmqrt_predict(hsi_job *job)
{
    int n = job->n, j;

    job->length = 2 * n;
    hsi_gemv(job, 0, n, n, 1, job->out[0], n, job->x, job->want);
    hsi_gemv(job, 0, n, n, 1, job->out[1], n, job->x, job->want + n);
    for (j = 0; j < n && (j % W || !hsi_job_stopped(job)); j++)
        reflect(n, job->in[0] + place(n, 0, j), 0, job->want + j, job->want + n);
}

static void tpmqrt_compute(hsi_job *job)
{
    int           n = job->n, i, j, w;
    const double *v;
    double       *t;

    for (j = 0; j < n && !hsi_job_stopped(job); j += W) {
        w = least(W, n - j);
        v = job->in[0] + place(n, 0, j);
        t = triangle(job, j);
        memset(t, 0, sizeof *t * W * (size_t)w);
        for (i = 0; i < w; i++)
            t[place(W, i, i)] = 1;
        gram(job, n, w, v, n, t);
        invert(job, w, t);
        apply_below(job, n, n, w, v, n, t, job->out[0] + j, n, job->out[1], n);
    }
}

static void tpmqrt_observe(hsi_job *job)
{
    int n = job->n;

    hsi_gemv(job, 0, n, n, 1, job->out[0], n, job->x, job->got);
    hsi_gemv(job, 0, n, n, 1, job->out[1], n, job->x, job->got + n);
}

const hsi_kernel hsi_kernel_dtpmqrt = {
    .inputs = 1,
    .outputs = 2,
    .epsilon = 0x1p-53,
    .prepare = tpmqrt_prepare,
    .predict = tpmqrt_predict,
    .compute = tpmqrt_compute,
    .observe = tpmqrt_observe,
};
