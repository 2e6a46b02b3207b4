/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels geqrf, ormqr, tpqrt and tpmqrt of a tiled QR factorisation. A block of reflectors has
 * HSI_KERNEL_PANEL columns V and a triangle T, Q = I - V T V', as in LAPACK's dgeqrt, dgemqrt,
 * dtpqrt and dtpmqrt. For tpqrt and tpmqrt, a unit matrix stands on top of V.
 */
#include <string.h>

#include "exec/backend/kernel/blas.h"
#include "exec/backend/kernel/kernel.h"

enum { W = HSI_KERNEL_PANEL };

static void *triangle(hsi_job *job, int column)
{
    return hsi_element_address_at(job, job->t, W, 0, column);
}

/* Return the number of columns to which a block reflector of m rows is applied at once. */
static int columns_at_once(int m, int columns)
{
    int most = (int)(1.6e7 / ((double)m * W));

    return hsi_piece_length(columns, most < W ? W : most);
}

/* Compute C := Q' C for the block of `w` reflectors at v. */
static void apply(hsi_job *job, int m, int columns, int w, const void *v, int ldv, const void *t,
                  void *c, int ldc)
{
    int piece = columns_at_once(m, columns), j;

    for (j = 0; j < columns && !hsi_job_is_stopped(job); j += piece)
        HSI_BLAS(job, larfb, LAPACK_COL_MAJOR, 'L', 'T', 'F', 'C', m,
                 hsi_smaller(piece, columns - j), w, v, ldv, t, W,
                 hsi_element_address_at(job, c, ldc, 0, j), ldc, job->work, piece);
}

/* Compute [A; B] := Q' [A; B]; A has w rows, B has m. */
static void apply_below(hsi_job *job, int m, int columns, int w, const void *v, int ldv,
                        const void *t, void *a, int lda, void *b, int ldb)
{
    int piece = columns_at_once(m, columns), j, info;

    for (j = 0; j < columns && !hsi_job_is_stopped(job); j += piece) {
        info = HSI_BLAS(job, tpmqrt, LAPACK_COL_MAJOR, 'L', 'T', m, hsi_smaller(piece, columns - j),
                        w, 0, w, v, ldv, t, W, hsi_element_address_at(job, a, lda, 0, j), lda,
                        hsi_element_address_at(job, b, ldb, 0, j), ldb, job->work);
        hsi_job_set_info(job, info);
    }
}

/*
 * Apply one reflector H = I - tau v v', v = [1; below], to [top; y]. H is orthogonal if tau is 2
 * over v'v; tau 0: compute tau so.
 */
static void reflect(const hsi_job *job, int m, const void *below, double tau, void *top, void *y)
{
    double product = hsi_element_get(job, top, 0) + HSI_BLAS(job, dot, m, below, 1, y, 1);

    if (tau == 0)
        tau = 2 / (1 + HSI_BLAS(job, dot, m, below, 1, below, 1));
    hsi_element_set(job, top, 0, hsi_element_get(job, top, 0) - tau * product);
    HSI_BLAS(job, axpy, m, -tau * product, below, 1, y, 1);
}

/*
 * Compute want := Q' want by the reflectors in `v`, which lie below a diagonal of ones; for kernels
 * with two results, the reflectors are whole columns below a unit matrix. The factor tau of a
 * reflector is on the diagonal of T (0: no reflector), or is computed if the reflectors are input.
 */
static void reflect_all(hsi_job *job, const void *v)
{
    int    n = job->n, below = job->kernel->outputs == 2, known = job->kernel->inputs == 0, j;
    double tau = 0;

    for (j = 0; j < n && (j % W || !hsi_job_is_stopped(job)); j++) {
        if (known)
            tau = hsi_element_get(job, triangle(job, j), j % W);
        if (known && tau == 0)
            continue;
        if (below)
            reflect(job, n, hsi_element_address_at(job, v, n, 0, j), tau,
                    hsi_element_address(job, job->want, j), hsi_element_address(job, job->want, n));
        else
            reflect(job, n - j - 1, hsi_element_address_at(job, v, n, j + 1, j), tau,
                    hsi_element_address(job, job->want, j),
                    hsi_element_address(job, job->want, j + 1));
    }
}

/* Compute want := Q' want by blocks of reflectors below a unit matrix, which verifies the triangles
 * of the blocks, too. */
static void reflect_blocks(hsi_job *job, const void *v)
{
    int   n = job->n, i, j, w;
    void *top = job->work;

    for (j = 0; j < n && !hsi_job_is_stopped(job); j += W) {
        w = hsi_smaller(W, n - j);
        hsi_copy_vector(job, top, hsi_element_address(job, job->want, j), w);
        hsi_gemv(job, true, n, w, 1, hsi_element_address_at(job, v, n, 0, j), n,
                 hsi_element_address(job, job->want, n), top);
        HSI_BLAS(job, trmv, CblasColMajor, CblasUpper, CblasTrans, CblasNonUnit, w,
                 triangle(job, j), W, top, 1);
        for (i = 0; i < w; i++)
            hsi_element_set(job, job->want, j + i,
                            hsi_element_get(job, job->want, j + i) - hsi_element_get(job, top, i));
        hsi_gemv(job, false, n, w, -1, hsi_element_address_at(job, v, n, 0, j), n, top,
                 hsi_element_address(job, job->want, n));
    }
}

/* Compare Q' A x with R x. */
static void observe_triangle(hsi_job *job)
{
    if (job->kernel->outputs == 2)
        reflect_blocks(job, job->out[1]);
    else
        reflect_all(job, job->out[0]);
    hsi_copy_vector(job, job->got, job->x, job->n);
    hsi_trmv(job, HSI_UPPER, job->n, job->out[0], job->n, job->got);
}

/* Compute want := Q' C x. */
static void predict_reflections(hsi_job *job)
{
    hsi_predict_product(job);
    reflect_all(job, job->in[0]);
}

/* Compute T from inv(T) + inv(T)' = V'V =: S; the upper half of S is in t. */
static void invert(hsi_job *job, int w, void *t)
{
    int i;

    for (i = 0; i < w; i++)
        hsi_element_set(job, t, i * (W + 1), hsi_element_get(job, t, i * (W + 1)) / 2);
    hsi_job_set_info(job, HSI_BLAS(job, trtri, LAPACK_COL_MAJOR, 'U', 'N', w, t, W));
}

static void gram(hsi_job *job, int m, int w, const void *v, int ldv, void *t)
{
    int rows = hsi_piece_length(m, 4096), i;

    for (i = 0; i < m && !hsi_job_is_stopped(job); i += rows)
        HSI_BLAS(job, syrk, CblasColMajor, CblasUpper, CblasTrans, w, hsi_smaller(rows, m - i), 1,
                 hsi_element_address(job, v, i), ldv, 1, t, W);
}

/* Copy the top of V with ones on the diagonal and zeros above. */
static void unit_lower(const hsi_job *job, int w, const void *v, int ldv, void *top)
{
    int i, j;

    for (j = 0; j < w; j++)
        for (i = 0; i < w; i++)
            hsi_element_set(
                job, top, i + j * W,
                i < j    ? 0
                : i == j ? 1
                         : hsi_element_get(job, hsi_element_address_at(job, v, ldv, 0, j), i));
}

static void geqrf_compute(hsi_job *job)
{
    int   n = job->n, j, w;
    void *a;

    for (j = 0; j < n && !hsi_job_is_stopped(job); j += W) {
        w = hsi_smaller(W, n - j);
        a = hsi_element_address_at(job, job->out[0], n, j, j);
        hsi_job_set_info(job, HSI_BLAS(job, geqrt, LAPACK_COL_MAJOR, n - j, w, w, a, n,
                                       triangle(job, j), W, job->work));
        apply(job, n - j, n - j - w, w, a, n, triangle(job, j),
              hsi_element_address_at(job, a, n, 0, w), n);
    }
}

HSI_KERNEL(geqrf, .outputs = 1, .predict = hsi_predict_product, .compute = geqrf_compute,
           .observe = observe_triangle);

/* Apply Q block by block. Each block's T is computed here, as LAPACK's ormqr does. */
static void ormqr_compute(hsi_job *job)
{
    int         n = job->n, j, w;
    const void *v;
    void       *t;

    for (j = 0; j < n && !hsi_job_is_stopped(job); j += W) {
        w = hsi_smaller(W, n - j);
        v = hsi_element_address_at(job, job->in[0], n, j, j);
        t = triangle(job, j);
        memset(t, 0, hsi_kernel_element_bytes(job->kernel) * W * (size_t)w);
        unit_lower(job, w, v, n, job->work);
        gram(job, w, w, job->work, W, t);
        gram(job, n - j - w, w, hsi_element_address(job, v, w), n, t);
        invert(job, w, t);
        apply(job, n - j, n, w, v, n, t, hsi_element_address(job, job->out[0], j), n);
    }
}

HSI_KERNEL(ormqr, .inputs = 1, .outputs = 1, .first = 1, .predict = predict_reflections,
           .compute = ormqr_compute, .observe = hsi_observe_product);

static void tpqrt_predict(hsi_job *job)
{
    int n = job->n;

    hsi_copy_vector(job, job->want, job->x, n);
    hsi_trmv(job, HSI_UPPER, n, job->out[0], n, job->want);
    hsi_gemv(job, false, n, n, 1, job->out[1], n, job->x, hsi_element_address(job, job->want, n));
}

static void tpqrt_compute(hsi_job *job)
{
    int   n = job->n, j, w;
    void *a, *b, *t;

    for (j = 0; j < n && !hsi_job_is_stopped(job); j += W) {
        w = hsi_smaller(W, n - j);
        a = hsi_element_address_at(job, job->out[0], n, j, j);
        b = hsi_element_address_at(job, job->out[1], n, 0, j);
        t = triangle(job, j);
        hsi_job_set_info(
            job, HSI_BLAS(job, tpqrt, LAPACK_COL_MAJOR, n, w, 0, w, a, n, b, n, t, W, job->work));
        apply_below(job, n, n - j - w, w, b, n, t, hsi_element_address_at(job, a, n, 0, w), n,
                    hsi_element_address_at(job, b, n, 0, w), n);
    }
}

HSI_KERNEL(tpqrt, .outputs = 2, .predict = tpqrt_predict, .compute = tpqrt_compute,
           .observe = observe_triangle);

static void tpmqrt_compute(hsi_job *job)
{
    int         n = job->n, i, j, w;
    const void *v;
    void       *t;

    for (j = 0; j < n && !hsi_job_is_stopped(job); j += W) {
        w = hsi_smaller(W, n - j);
        v = hsi_element_address_at(job, job->in[0], n, 0, j);
        t = triangle(job, j);
        memset(t, 0, hsi_kernel_element_bytes(job->kernel) * W * (size_t)w);
        for (i = 0; i < w; i++)
            hsi_element_set(job, t, i * (W + 1), 1);
        gram(job, n, w, v, n, t);
        invert(job, w, t);
        apply_below(job, n, n, w, v, n, t, hsi_element_address(job, job->out[0], j), n, job->out[1],
                    n);
    }
}

HSI_KERNEL(tpmqrt, .inputs = 1, .outputs = 2, .first = 1, .predict = predict_reflections,
           .compute = tpmqrt_compute, .observe = hsi_observe_product);

void hsi_ormqr_given(hsi_job *job)
{
    int n = job->n, j;

    for (j = 0; j < n && !hsi_job_is_stopped(job); j += W)
        apply(job, n - j, n, hsi_smaller(W, n - j),
              hsi_element_address_at(job, job->in[0], n, j, j), n, triangle(job, j),
              hsi_element_address(job, job->out[0], j), n);
}

void hsi_tpmqrt_given(hsi_job *job)
{
    int n = job->n, j;

    for (j = 0; j < n && !hsi_job_is_stopped(job); j += W)
        apply_below(job, n, n, hsi_smaller(W, n - j),
                    hsi_element_address_at(job, job->in[0], n, 0, j), n, triangle(job, j),
                    hsi_element_address(job, job->out[0], j), n, job->out[1], n);
}
