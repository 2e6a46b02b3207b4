/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix products and triangular solves in tiles of about a millisecond; a stop ends them between
 * two tiles. */
#include "exec/backend/kernel/blas.h"
#include "exec/backend/kernel/kernel.h"

/* Triangular solves halve the triangle down to CORNER: products are up to twice as fast. */
enum { TILE = 320, CORNER = 8 };

int hsi_piece_length(int length, int most)
{
    int pieces = (length + most - 1) / most;
    int piece = pieces ? (length + pieces - 1) / pieces : 1;

    return hsi_smaller((piece + 7) / 8 * 8, most);
}

typedef struct product_shape {
    int m, n, k;
    int lda, ldb, ldc;
    bool transpose_b;
} product_shape;

static void gemm_tile(const hsi_job *job, const product_shape *p, int m, int n, int k,
                      const void *a, const void *b, void *c)
{
    HSI_BLAS(job, gemm, CblasColMajor, CblasNoTrans, p->transpose_b ? CblasTrans : CblasNoTrans, m,
             n, k, -1, a, p->lda, b, p->ldb, 1, c, p->ldc);
}

/* Complete the tiles of C one by one: a tile stays in the cache until it is complete. */
void hsi_gemm(hsi_job *job, bool transpose_b, int m, int n, int k, const void *a, int lda,
              const void *b, int ldb, void *c, int ldc)
{
    product_shape p = {m, n, k, lda, ldb, ldc, transpose_b};
    int           rows = hsi_piece_length(m, TILE), columns = hsi_piece_length(n, TILE),
        depth = hsi_piece_length(k, TILE);
    int i, j, l;

    for (j = 0; j < n; j += columns)
        for (i = 0; i < m; i += rows)
            for (l = 0; l < k && !hsi_job_is_stopped(job); l += depth)
                gemm_tile(job, &p, hsi_smaller(rows, m - i), hsi_smaller(columns, n - j),
                          hsi_smaller(depth, k - l), hsi_element_address_at(job, a, lda, i, l),
                          transpose_b ? hsi_element_address_at(job, b, ldb, j, l)
                                      : hsi_element_address_at(job, b, ldb, l, j),
                          hsi_element_address_at(job, c, ldc, i, j));
}

static void syrk_tile(hsi_job *job, int n, int k, const void *a, int lda, void *c, int ldc)
{
    int depth = hsi_piece_length(k, 2 * TILE), l;

    for (l = 0; l < k && !hsi_job_is_stopped(job); l += depth)
        HSI_BLAS(job, syrk, CblasColMajor, CblasLower, CblasNoTrans, n, hsi_smaller(depth, k - l),
                 -1, hsi_element_address_at(job, a, lda, 0, l), lda, 1, c, ldc);
}

void hsi_syrk(hsi_job *job, int n, int k, const void *a, int lda, void *c, int ldc)
{
    int h = hsi_half(n);

    if (hsi_job_is_stopped(job))
        return;
    if (n <= TILE) {
        syrk_tile(job, n, k, a, lda, c, ldc);
        return;
    }
    hsi_syrk(job, h, k, a, lda, c, ldc);
    hsi_gemm(job, true, n - h, h, k, hsi_element_address(job, a, h), lda, a, lda,
             hsi_element_address(job, c, h), ldc);
    hsi_syrk(job, n - h, k, hsi_element_address(job, a, h), lda,
             hsi_element_address_at(job, c, ldc, h, h), ldc);
}

void hsi_trsm_right(hsi_job *job, bool unit, int m, int n, const void *l, int ldl, void *b, int ldb)
{
    int h = hsi_half(n), rows = hsi_piece_length(m, 2 * TILE), i;

    if (n > CORNER && !hsi_job_is_stopped(job)) {
        hsi_trsm_right(job, unit, m, h, l, ldl, b, ldb);
        hsi_gemm(job, true, m, n - h, h, b, ldb, hsi_element_address(job, l, h), ldl,
                 hsi_element_address_at(job, b, ldb, 0, h), ldb);
        hsi_trsm_right(job, unit, m, n - h, hsi_element_address_at(job, l, ldl, h, h), ldl,
                       hsi_element_address_at(job, b, ldb, 0, h), ldb);
        return;
    }
    for (i = 0; i < m && !hsi_job_is_stopped(job); i += rows)
        HSI_BLAS(job, trsm, CblasColMajor, CblasRight, CblasLower, CblasTrans,
                 unit ? CblasUnit : CblasNonUnit, hsi_smaller(rows, m - i), n, 1, l, ldl,
                 hsi_element_address(job, b, i), ldb);
}

void hsi_trsm_left(hsi_job *job, int m, int n, const void *l, int ldl, void *b, int ldb)
{
    int h = hsi_half(m), columns = hsi_piece_length(n, 2 * TILE), j;

    if (m > CORNER && !hsi_job_is_stopped(job)) {
        hsi_trsm_left(job, h, n, l, ldl, b, ldb);
        hsi_gemm(job, false, m - h, n, h, hsi_element_address(job, l, h), ldl, b, ldb,
                 hsi_element_address(job, b, h), ldb);
        hsi_trsm_left(job, m - h, n, hsi_element_address_at(job, l, ldl, h, h), ldl,
                      hsi_element_address(job, b, h), ldb);
        return;
    }
    for (j = 0; j < n && !hsi_job_is_stopped(job); j += columns)
        HSI_BLAS(job, trsm, CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, m,
                 hsi_smaller(columns, n - j), 1, l, ldl, hsi_element_address_at(job, b, ldb, 0, j),
                 ldb);
}

void hsi_trsm_upper(hsi_job *job, int m, int n, const void *u, int ldu, void *b, int ldb)
{
    int h = hsi_half(n), rows = hsi_piece_length(m, 2 * TILE), i;

    if (n > CORNER && !hsi_job_is_stopped(job)) {
        hsi_trsm_upper(job, m, h, u, ldu, b, ldb);
        hsi_gemm(job, false, m, n - h, h, b, ldb, hsi_element_address_at(job, u, ldu, 0, h), ldu,
                 hsi_element_address_at(job, b, ldb, 0, h), ldb);
        hsi_trsm_upper(job, m, n - h, hsi_element_address_at(job, u, ldu, h, h), ldu,
                       hsi_element_address_at(job, b, ldb, 0, h), ldb);
        return;
    }
    for (i = 0; i < m && !hsi_job_is_stopped(job); i += rows)
        HSI_BLAS(job, trsm, CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit,
                 hsi_smaller(rows, m - i), n, 1, u, ldu, hsi_element_address(job, b, i), ldb);
}
