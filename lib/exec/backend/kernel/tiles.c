/* SPDX-License-Identifier: BSD-3-Clause */
/* Level 3 in tiles of about a millisecond: as large as that allows, for speed. */
#include <cblas.h>

#include "exec/backend/kernel/kernel.h"

enum { TILE = 320 };

/* An element of a matrix, wherever it is. */
static const double *at(const double *a, int lda, int row, int column)
{
    return a + (size_t)column * (size_t)lda + row;
}

static double *to(double *a, int lda, int row, int column)
{
    return a + (size_t)column * (size_t)lda + row;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

int hsi_piece(int length, int most)
{
    int pieces = (length + most - 1) / most;
    int piece = pieces ? (length + pieces - 1) / pieces : 1;

    return least((piece + 7) / 8 * 8, most);
}

/* Half of a triangle that is more than a tile. */
static int half(int n)
{
    return (n / 2 + 7) / 8 * 8;
}

typedef struct product {
    int m, n, k;
    int lda, ldb, ldc;
    int transpose_b;
} product;

static void gemm_tile(const product *p, int m, int n, int k, const double *a, const double *b,
                      double *c)
{
    cblas_dgemm(CblasColMajor, CblasNoTrans, p->transpose_b ? CblasTrans : CblasNoTrans, m, n, k,
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
                gemm_tile(&p, least(rows, m - i), least(columns, n - j), least(depth, k - l),
                          at(a, lda, i, l), transpose_b ? at(b, ldb, j, l) : at(b, ldb, l, j),
                          to(c, ldc, i, j));
}

void hsi_sgemm(hsi_job *job, int n, const float *a, const float *b, float *c)
{
    int    side = hsi_piece(n, TILE), i, j, l;
    size_t ld = (size_t)n;

    for (j = 0; j < n; j += side)
        for (i = 0; i < n; i += side)
            for (l = 0; l < n && !hsi_job_stopped(job); l += side)
                cblas_sgemm(CblasColMajor, CblasNoTrans, CblasTrans, least(side, n - i),
                            least(side, n - j), least(side, n - l), -1, a + ld * (size_t)l + i, n,
                            b + ld * (size_t)l + j, n, 1, c + ld * (size_t)j + i, n);
}

static void syrk_tile(hsi_job *job, int n, int k, const double *a, int lda, double *c, int ldc)
{
    int depth = hsi_piece(k, 2 * TILE), l;

    for (l = 0; l < k && !hsi_job_stopped(job); l += depth)
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, n, least(depth, k - l), -1,
                    at(a, lda, 0, l), lda, 1, c, ldc);
}

void hsi_syrk(hsi_job *job, int n, int k, const double *a, int lda, double *c, int ldc)
{
    int h = half(n);

    if (hsi_job_stopped(job))
        return;
    if (n <= TILE) {
        syrk_tile(job, n, k, a, lda, c, ldc);
        return;
    }
    hsi_syrk(job, h, k, a, lda, c, ldc);
    hsi_gemm(job, 1, n - h, h, k, a + h, lda, a, lda, c + h, ldc);
    hsi_syrk(job, n - h, k, a + h, lda, to(c, ldc, h, h), ldc);
}

void hsi_trsm_right(hsi_job *job, int unit, int m, int n, const double *l, int ldl, double *b,
                    int ldb)
{
    int h = half(n), rows = hsi_piece(m, 2 * TILE), i;

    if (n > TILE && !hsi_job_stopped(job)) {
        hsi_trsm_right(job, unit, m, h, l, ldl, b, ldb);
        hsi_gemm(job, 1, m, n - h, h, b, ldb, l + h, ldl, to(b, ldb, 0, h), ldb);
        hsi_trsm_right(job, unit, m, n - h, at(l, ldl, h, h), ldl, to(b, ldb, 0, h), ldb);
        return;
    }
    for (i = 0; i < m && !hsi_job_stopped(job); i += rows)
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans,
                    unit ? CblasUnit : CblasNonUnit, least(rows, m - i), n, 1, l, ldl, b + i, ldb);
}

void hsi_trsm_left(hsi_job *job, int m, int n, const double *l, int ldl, double *b, int ldb)
{
    int h = half(m), columns = hsi_piece(n, 2 * TILE), j;

    if (m > TILE && !hsi_job_stopped(job)) {
        hsi_trsm_left(job, h, n, l, ldl, b, ldb);
        hsi_gemm(job, 0, m - h, n, h, l + h, ldl, b, ldb, b + h, ldb);
        hsi_trsm_left(job, m - h, n, at(l, ldl, h, h), ldl, b + h, ldb);
        return;
    }
    for (j = 0; j < n && !hsi_job_stopped(job); j += columns)
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, m,
                    least(columns, n - j), 1, l, ldl, to(b, ldb, 0, j), ldb);
}
