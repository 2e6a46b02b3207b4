/* SPDX-License-Identifier: BSD-3-Clause */
/* Level 3 in tiles of about a millisecond: as large as that allows, for speed. */
#include "exec/backend/kernel/blas.h"
#include "exec/backend/kernel/kernel.h"

/* A triangle is solved with by halves until it is a corner: to multiply is up to twice as fast. */
enum { TILE = 320, CORNER = 8 };

int hsi_piece(int length, int most)
{
    int pieces = (length + most - 1) / most;
    int piece = pieces ? (length + pieces - 1) / pieces : 1;

    return hsi_smaller((piece + 7) / 8 * 8, most);
}

typedef struct product {
    int m, n, k;
    int lda, ldb, ldc;
    int transpose_b;
} product;

static void gemm_tile(const product *p, int m, int n, int k, const double *a, const double *b,
                      double *c)
{
    hsi_blas.dgemm(CblasColMajor, CblasNoTrans, p->transpose_b ? CblasTrans : CblasNoTrans, m, n, k,
                   -1, a, p->lda, b, p->ldb, 1, c, p->ldc);
}

/* One tile of C after the other, so that it stays in the cache. */
void hsi_gemm(hsi_job *job, int transpose_b, int m, int n, int k, const double *a, int lda,
              const double *b, int ldb, double *c, int ldc)
{
    product p = {m, n, k, lda, ldb, ldc, transpose_b};
    int     rows = hsi_piece(m, TILE), columns = hsi_piece(n, TILE), depth = hsi_piece(k, TILE);
    int     i, j, l;

    for (j = 0; j < n; j += columns)
        for (i = 0; i < m; i += rows)
            for (l = 0; l < k && !hsi_job_stopped(job); l += depth)
                gemm_tile(&p, hsi_smaller(rows, m - i), hsi_smaller(columns, n - j),
                          hsi_smaller(depth, k - l), a + hsi_at(lda, i, l),
                          transpose_b ? b + hsi_at(ldb, j, l) : b + hsi_at(ldb, l, j),
                          c + hsi_at(ldc, i, j));
}

void hsi_sgemm(hsi_job *job, int n, const float *a, const float *b, float *c)
{
    int    side = hsi_piece(n, TILE), i, j, l;
    size_t ld = (size_t)n;

    for (j = 0; j < n; j += side)
        for (i = 0; i < n; i += side)
            for (l = 0; l < n && !hsi_job_stopped(job); l += side)
                hsi_blas.sgemm(CblasColMajor, CblasNoTrans, CblasTrans, hsi_smaller(side, n - i),
                               hsi_smaller(side, n - j), hsi_smaller(side, n - l), -1,
                               a + ld * (size_t)l + i, n, b + ld * (size_t)l + j, n, 1,
                               c + ld * (size_t)j + i, n);
}

static void syrk_tile(hsi_job *job, int n, int k, const double *a, int lda, double *c, int ldc)
{
    int depth = hsi_piece(k, 2 * TILE), l;

    for (l = 0; l < k && !hsi_job_stopped(job); l += depth)
        hsi_blas.dsyrk(CblasColMajor, CblasLower, CblasNoTrans, n, hsi_smaller(depth, k - l), -1,
                       a + hsi_at(lda, 0, l), lda, 1, c, ldc);
}

void hsi_syrk(hsi_job *job, int n, int k, const double *a, int lda, double *c, int ldc)
{
    int h = hsi_half(n);

    if (hsi_job_stopped(job))
        return;
    if (n <= TILE) {
        syrk_tile(job, n, k, a, lda, c, ldc);
        return;
    }
    hsi_syrk(job, h, k, a, lda, c, ldc);
    hsi_gemm(job, 1, n - h, h, k, a + h, lda, a, lda, c + h, ldc);
    hsi_syrk(job, n - h, k, a + h, lda, c + hsi_at(ldc, h, h), ldc);
}

void hsi_trsm_right(hsi_job *job, int unit, int m, int n, const double *l, int ldl, double *b,
                    int ldb)
{
    int h = hsi_half(n), rows = hsi_piece(m, 2 * TILE), i;

    if (n > CORNER && !hsi_job_stopped(job)) {
        hsi_trsm_right(job, unit, m, h, l, ldl, b, ldb);
        hsi_gemm(job, 1, m, n - h, h, b, ldb, l + h, ldl, b + hsi_at(ldb, 0, h), ldb);
        hsi_trsm_right(job, unit, m, n - h, l + hsi_at(ldl, h, h), ldl, b + hsi_at(ldb, 0, h), ldb);
        return;
    }
    for (i = 0; i < m && !hsi_job_stopped(job); i += rows)
        hsi_blas.dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans,
                       unit ? CblasUnit : CblasNonUnit, hsi_smaller(rows, m - i), n, 1, l, ldl,
                       b + i, ldb);
}

void hsi_trsm_left(hsi_job *job, int m, int n, const double *l, int ldl, double *b, int ldb)
{
    int h = hsi_half(m), columns = hsi_piece(n, 2 * TILE), j;

    if (m > CORNER && !hsi_job_stopped(job)) {
        hsi_trsm_left(job, h, n, l, ldl, b, ldb);
        hsi_gemm(job, 0, m - h, n, h, l + h, ldl, b, ldb, b + h, ldb);
        hsi_trsm_left(job, m - h, n, l + hsi_at(ldl, h, h), ldl, b + h, ldb);
        return;
    }
    for (j = 0; j < n && !hsi_job_stopped(job); j += columns)
        hsi_blas.dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, m,
                       hsi_smaller(columns, n - j), 1, l, ldl, b + hsi_at(ldb, 0, j), ldb);
}

void hsi_trsm_upper(hsi_job *job, int m, int n, const double *u, int ldu, double *b, int ldb)
{
    int h = hsi_half(n), rows = hsi_piece(m, 2 * TILE), i;

    if (n > CORNER && !hsi_job_stopped(job)) {
        hsi_trsm_upper(job, m, h, u, ldu, b, ldb);
        hsi_gemm(job, 0, m, n - h, h, b, ldb, u + hsi_at(ldu, 0, h), ldu, b + hsi_at(ldb, 0, h),
                 ldb);
        hsi_trsm_upper(job, m, n - h, u + hsi_at(ldu, h, h), ldu, b + hsi_at(ldb, 0, h), ldb);
        return;
    }
    for (i = 0; i < m && !hsi_job_stopped(job); i += rows)
        hsi_blas.dtrsm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit,
                       hsi_smaller(rows, m - i), n, 1, u, ldu, b + i, ldb);
}
