/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dgeqrf, dormqr, dtpqrt, dtpmqrt: the tiles of a QR factorisation. Reflectors come
 * in blocks of HSI_KERNEL_PANEL columns V with a triangle T each: Q = I - V T V', as in
 * LAPACK's dgeqrt and its kin. For dtpqrt and dtpmqrt a unit matrix stands on top of V.
 */
#include <string.h>

#include "exec/backend/kernel/blas.h"
#include "exec/backend/kernel/kernel.h"

enum { W = HSI_KERNEL_PANEL };

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
        hsi_blas.dlarfb(LAPACK_COL_MAJOR, 'L', 'T', 'F', 'C', m, hsi_smaller(piece, columns - j), w,
                        v, ldv, t, W, c + hsi_at(ldc, 0, j), ldc, job->work, piece);
}

/* [A; B] := Q' [A; B]; A has w rows, B has m. */
static void apply_below(hsi_job *job, int m, int columns, int w, const double *v, int ldv,
                        const double *t, double *a, int lda, double *b, int ldb)
{
    int piece = columns_at_once(m, columns), j, info;

    for (j = 0; j < columns && !hsi_job_stopped(job); j += piece) {
        info = hsi_blas.dtpmqrt(LAPACK_COL_MAJOR, 'L', 'T', m, hsi_smaller(piece, columns - j), w,
                                0, w, v, ldv, t, W, a + hsi_at(lda, 0, j), lda,
                                b + hsi_at(ldb, 0, j), ldb, job->work);
        hsi_job_info(job, info);
    }
}

/*
 * y := Q' y by one reflector, straight from its definition: H = I - tau v v' with
 * v = [1; below] is orthogonal if tau is 2 over v'v. tau 0: work it out.
 */
static void reflect(int m, const double *below, double tau, double *top, double *y)
{
    double product = *top + hsi_blas.ddot(m, below, 1, y, 1);

    if (tau == 0)
        tau = 2 / (1 + hsi_blas.ddot(m, below, 1, below, 1));
    *top -= tau * product;
    hsi_blas.daxpy(m, -tau * product, below, 1, y, 1);
}

/*
 * want := Q' want, by the reflectors in `v`: below a diagonal of ones, or, for the kernels of
 * two results, whole columns that stand below a unit matrix. tau is what LAPACK has left on the
 * diagonal of T (0: no reflector), or, where the reflectors are an input, to be worked out.
 */
static void reflect_all(hsi_job *job, const double *v)
{
    int    n = job->n, below = job->kernel->outputs == 2, known = job->kernel->inputs == 0, j;
    double tau = 0;

    for (j = 0; j < n && (j % W || !hsi_job_stopped(job)); j++) {
        if (known)
            tau = triangle(job, j / W * W)[hsi_at(W, j % W, j % W)];
        if (known && tau == 0)
            continue;
        if (below)
            reflect(n, v + hsi_at(n, 0, j), tau, job->want + j, job->want + n);
        else
            reflect(n - j - 1, v + hsi_at(n, j, j) + 1, tau, job->want + j, job->want + j + 1);
    }
}

/* want := Q' want by the blocks below a unit matrix: this verifies their triangles, too. */
static void reflect_blocks(hsi_job *job, const double *v)
{
    int     n = job->n, i, j, w;
    double *top = job->work;

    for (j = 0; j < n && !hsi_job_stopped(job); j += W) {
        w = hsi_smaller(W, n - j);
        memcpy(top, job->want + j, sizeof *top * (size_t)w);
        hsi_gemv(job, 1, n, w, 1, v + hsi_at(n, 0, j), n, job->want + n, top);
        hsi_blas.dtrmv(CblasColMajor, CblasUpper, CblasTrans, CblasNonUnit, w, triangle(job, j), W,
                       top, 1);
        for (i = 0; i < w; i++)
            job->want[j + i] -= top[i];
        hsi_gemv(job, 0, n, w, -1, v + hsi_at(n, 0, j), n, top, job->want + n);
    }
}

/* Compare Q' A x with R x. */
static void observe_triangle(hsi_job *job)
{
    if (job->kernel->outputs == 2)
        reflect_blocks(job, job->out[1]);
    else
        reflect_all(job, job->out[0]);
    memcpy(job->got, job->x, sizeof *job->x * (size_t)job->n);
    hsi_trmv(job, HSI_UPPER, job->n, job->out[0], job->n, job->got);
}

/* Q' C x */
static void predict_reflections(hsi_job *job)
{
    hsi_predict_product(job);
    reflect_all(job, job->in[0]);
}

/* inv(T) + inv(T)' = V'V =: S, whose upper half is in t. */
static void invert(hsi_job *job, int w, double *t)
{
    int i;

    for (i = 0; i < w; i++)
        t[hsi_at(W, i, i)] /= 2;
    hsi_job_info(job, hsi_blas.dtrtri(LAPACK_COL_MAJOR, 'U', 'N', w, t, W));
}

static void gram(hsi_job *job, int m, int w, const double *v, int ldv, double *t)
{
    int rows = hsi_piece(m, 4096), i;

    for (i = 0; i < m && !hsi_job_stopped(job); i += rows)
        hsi_blas.dsyrk(CblasColMajor, CblasUpper, CblasTrans, w, hsi_smaller(rows, m - i), 1, v + i,
                       ldv, 1, t, W);
}

/* The top of V: ones on the diagonal, zeros above. */
static void unit_lower(int w, const double *v, int ldv, double *top)
{
    int i, j;

    for (j = 0; j < w; j++)
        for (i = 0; i < w; i++)
            top[hsi_at(W, i, j)] = i < j ? 0 : i == j ? 1 : v[hsi_at(ldv, i, j)];
}

static void geqrf_compute(hsi_job *job)
{
    int     n = job->n, j, w;
    double *a;

    for (j = 0; j < n && !hsi_job_stopped(job); j += W) {
        w = hsi_smaller(W, n - j);
        a = job->out[0] + hsi_at(n, j, j);
        hsi_job_info(job, hsi_blas.dgeqrt(LAPACK_COL_MAJOR, n - j, w, w, a, n, triangle(job, j), W,
                                          job->work));
        apply(job, n - j, n - j - w, w, a, n, triangle(job, j), a + hsi_at(n, 0, w), n);
    }
}

const hsi_kernel hsi_kernel_dgeqrf = {.outputs = 1,
                                      .predict = hsi_predict_product,
                                      .compute = geqrf_compute,
                                      .observe = observe_triangle};

/* As in LAPACK's, T is part of the work. */
static void ormqr_compute(hsi_job *job)
{
    int           n = job->n, j, w;
    const double *v;
    double       *t;

    for (j = 0; j < n && !hsi_job_stopped(job); j += W) {
        w = hsi_smaller(W, n - j);
        v = job->in[0] + hsi_at(n, j, j);
        t = triangle(job, j);
        memset(t, 0, sizeof *t * W * (size_t)w);
        unit_lower(w, v, n, job->work);
        gram(job, w, w, job->work, W, t);
        gram(job, n - j - w, w, v + w, n, t);
        invert(job, w, t);
        apply(job, n - j, n, w, v, n, t, job->out[0] + j, n);
    }
}

const hsi_kernel hsi_kernel_dormqr = {.inputs = 1,
                                      .outputs = 1,
                                      .first = 1,
                                      .predict = predict_reflections,
                                      .compute = ormqr_compute,
                                      .observe = hsi_observe_product};

static void tpqrt_predict(hsi_job *job)
{
    int n = job->n;

    memcpy(job->want, job->x, sizeof *job->x * (size_t)n);
    hsi_trmv(job, HSI_UPPER, n, job->out[0], n, job->want);
    hsi_gemv(job, 0, n, n, 1, job->out[1], n, job->x, job->want + n);
}

static void tpqrt_compute(hsi_job *job)
{
    int     n = job->n, j, w;
    double *a, *b, *t;

    for (j = 0; j < n && !hsi_job_stopped(job); j += W) {
        w = hsi_smaller(W, n - j);
        a = job->out[0] + hsi_at(n, j, j);
        b = job->out[1] + hsi_at(n, 0, j);
        t = triangle(job, j);
        hsi_job_info(job,
                     hsi_blas.dtpqrt(LAPACK_COL_MAJOR, n, w, 0, w, a, n, b, n, t, W, job->work));
        apply_below(job, n, n - j - w, w, b, n, t, a + hsi_at(n, 0, w), n, b + hsi_at(n, 0, w), n);
    }
}

const hsi_kernel hsi_kernel_dtpqrt = {
    .outputs = 2, .predict = tpqrt_predict, .compute = tpqrt_compute, .observe = observe_triangle};

static void tpmqrt_compute(hsi_job *job)
{
    int           n = job->n, i, j, w;
    const double *v;
    double       *t;

    for (j = 0; j < n && !hsi_job_stopped(job); j += W) {
        w = hsi_smaller(W, n - j);
        v = job->in[0] + hsi_at(n, 0, j);
        t = triangle(job, j);
        memset(t, 0, sizeof *t * W * (size_t)w);
        for (i = 0; i < w; i++)
            t[hsi_at(W, i, i)] = 1;
        gram(job, n, w, v, n, t);
        invert(job, w, t);
        apply_below(job, n, n, w, v, n, t, job->out[0] + j, n, job->out[1], n);
    }
}

const hsi_kernel hsi_kernel_dtpmqrt = {.inputs = 1,
                                       .outputs = 2,
                                       .first = 1,
                                       .predict = predict_reflections,
                                       .compute = tpmqrt_compute,
                                       .observe = hsi_observe_product};

void hsi_ormqr_given(hsi_job *job)
{
    int n = job->n, j;

    for (j = 0; j < n && !hsi_job_stopped(job); j += W)
        apply(job, n - j, n, hsi_smaller(W, n - j), job->in[0] + hsi_at(n, j, j), n,
              triangle(job, j), job->out[0] + j, n);
}

void hsi_tpmqrt_given(hsi_job *job)
{
    int n = job->n, j;

    for (j = 0; j < n && !hsi_job_stopped(job); j += W)
        apply_below(job, n, n, hsi_smaller(W, n - j), job->in[0] + hsi_at(n, 0, j), n,
                    triangle(job, j), job->out[0] + j, n, job->out[1], n);
}
