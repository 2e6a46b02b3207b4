/* SPDX-License-Identifier: BSD-3-Clause */
/* The operations of emulated devices, by OpenBLAS and LAPACKE. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "exec/device/emulated/emulated_private.h"

double hsi_emulated_flops(const emulated_operation *o)
{
    double m = o->m, n = o->n, k = o->k;

    switch (o->kind) {
    case HS_OPERATION_GEMM:
        return 2 * m * n * k;
    case HS_OPERATION_SYRK:
        return n * n * k;
    case HS_OPERATION_TRSM:
        return m * n * (o->options & HS_LEFT ? m : n);
    case HS_OPERATION_POTRF:
        return n * n * n / 3;
    case HS_OPERATION_GETRF:
        return n * n * (m - n / 3);
    case HS_OPERATION_GEQRF:
        return 2 * n * n * (m - n / 3);
    case HS_OPERATION_ORMQR:
        return 2 * n * k * (2 * m - k);
    case HS_OPERATION_TPQRT:
        return 2 * m * n * n;
    case HS_OPERATION_TPMQRT:
        return 4 * m * n * k;
    default:
        return 0;
    }
}

#ifdef HAVE_OPENBLAS

#include "exec/backend/kernel/blas.h"
#include "exec/backend/kernel/kernel.h"

uint32_t hsi_emulated_kinds(void)
{
    hs_error error;

    if (hsi_blas_open(&error) != HS_OK)
        return 0;
#ifdef HAVE_LAPACKE
    return (1u << HS_OPERATION_KINDS) - 1;
#else
    return 1u << HS_OPERATION_GEMM | 1u << HS_OPERATION_SYRK | 1u << HS_OPERATION_TRSM;
#endif
}

/* Return the address of an operand of the size rows x columns; NULL: it leaves its buffer. */
static void *place(const hs_operand *operand, int rows, int columns, size_t element)
{
    const emulated_buffer *b = operand->buffer;
    size_t                 whole;

    if (!b || operand->ld < rows || operand->offset % element)
        return NULL;
    whole = columns ? ((size_t)operand->ld * (size_t)(columns - 1) + (size_t)rows) * element : 0;
    if (operand->offset > b->bytes || whole > b->bytes - operand->offset)
        return NULL;
    return b->at + operand->offset;
}

/* The operands of an operation; 0 x 0: none. */
typedef struct shapes {
    int a[2], b[2], c[2], t[2];
    int pivots;
} shapes;

static shapes shapes_of(const hs_operation *o)
{
    int m = o->m, n = o->n, k = o->k, order = o->options & HS_LEFT ? m : n;

    switch (o->kind) {
    case HS_OPERATION_GEMM:
        return o->options & HS_TRANSPOSED ? (shapes){{m, k}, {n, k}, {m, n}, {0, 0}, 0}
                                          : (shapes){{m, k}, {k, n}, {m, n}, {0, 0}, 0};
    case HS_OPERATION_SYRK:
        return (shapes){{n, k}, {0, 0}, {n, n}, {0, 0}, 0};
    case HS_OPERATION_TRSM:
        return (shapes){{order, order}, {0, 0}, {m, n}, {0, 0}, 0};
    case HS_OPERATION_POTRF:
        return (shapes){{n, n}, {0, 0}, {0, 0}, {0, 0}, 0};
    case HS_OPERATION_GETRF:
        return (shapes){{m, n}, {0, 0}, {0, 0}, {0, 0}, o->pivots.buffer ? n : 0};
    case HS_OPERATION_GEQRF:
        return (shapes){{m, n}, {0, 0}, {0, 0}, {HSI_KERNEL_PANEL, n}, 0};
    case HS_OPERATION_ORMQR:
        return (shapes){{m, k}, {0, 0}, {m, n}, {HSI_KERNEL_PANEL, k}, 0};
    case HS_OPERATION_TPQRT:
        return (shapes){{n, n}, {m, n}, {0, 0}, {HSI_KERNEL_PANEL, n}, 0};
    default:
        return (shapes){{m, k}, {m, n}, {k, n}, {HSI_KERNEL_PANEL, k}, 0};
    }
}

/* Set the address of an operand. Return whether it is valid, or not there and not needed. */
static bool set(const hs_operand *operand, const int shape[2], size_t element,
                emulated_operand *out)
{
    *out = (emulated_operand){NULL, operand->ld};
    if (shape[0] == 0 || shape[1] == 0)
        return true;
    out->at = place(operand, shape[0], shape[1], element);
    return out->at != NULL;
}

static bool set_ints(const hs_operand *operand, int count, int **out)
{
    hs_operand column = {operand->buffer, operand->offset, count};

    *out = count ? place(&column, count, 1, sizeof **out) : NULL;
    return *out || !count;
}

const char *hsi_emulated_resolve(const hs_operation *o, emulated_operation *out, void **to)
{
    shapes s = shapes_of(o);
    size_t element = o->single ? sizeof(float) : sizeof(double);

    *out = (emulated_operation){.kind = o->kind,
                                .single = o->single,
                                .options = o->options,
                                .m = o->m,
                                .n = o->n,
                                .k = o->k};
    if (o->m < 0 || o->n < 0 || o->k < 0)
        return "a size is negative";
    if (!set(&o->a, s.a, element, &out->a) || !set(&o->b, s.b, element, &out->b) ||
        !set(&o->c, s.c, element, &out->c) || !set(&o->t, s.t, element, &out->t) ||
        !set_ints(&o->pivots, s.pivots, &out->pivots) ||
        !set_ints(&o->info, o->info.buffer != NULL, &out->info))
        return "an operand leaves its buffer";
    *to = out->c.at ? out->c.at : out->a.at;
    return NULL;
}

static CBLAS_TRANSPOSE transposed(const emulated_operation *o)
{
    return o->options & HS_TRANSPOSED ? CblasTrans : CblasNoTrans;
}

/* Call a function in the precision of the operation. */
#define BLAS(o, name, ...)                                                                         \
    ((o)->single ? hsi_blas.s##name(__VA_ARGS__) : hsi_blas.d##name(__VA_ARGS__))

static void gemm(const emulated_operation *o)
{
    BLAS(o, gemm, CblasColMajor, CblasNoTrans, transposed(o), o->m, o->n, o->k, -1, o->a.at,
         o->a.ld, o->b.at, o->b.ld, 1, o->c.at, o->c.ld);
}

static void syrk(const emulated_operation *o)
{
    BLAS(o, syrk, CblasColMajor, CblasLower, CblasNoTrans, o->n, o->k, -1, o->a.at, o->a.ld, 1,
         o->c.at, o->c.ld);
}

static void trsm(const emulated_operation *o)
{
    BLAS(o, trsm, CblasColMajor, o->options & HS_LEFT ? CblasLeft : CblasRight,
         o->options & HS_UPPER ? CblasUpper : CblasLower, transposed(o),
         o->options & HS_UNIT ? CblasUnit : CblasNonUnit, o->m, o->n, 1, o->a.at, o->a.ld, o->c.at,
         o->c.ld);
}

#ifdef HAVE_LAPACKE

/* Factorise without row exchanges, with the library's kernel for tiles. */
static int eliminate(const emulated_operation *o)
{
    static const int        never = HS_CANCEL_NONE;
    static const hs_attempt attempt = {.cancel = &never};
    hsi_job                 job = {.kernel = o->single ? &hsi_kernel_sgetrf : &hsi_kernel_dgetrf,
                                   .attempt = &attempt};

    hsi_getrf_in_place(&job, o->n, o->a.at, o->a.ld);
    return job.info;
}

static int getrf(const emulated_operation *o)
{
    if (!o->pivots)
        return eliminate(o);
    return BLAS(o, getrf, LAPACK_COL_MAJOR, o->m, o->n, o->a.at, o->a.ld, o->pivots);
}

/* Return the columns of the first block of reflectors. */
static int block(int columns)
{
    return hsi_smaller(HSI_KERNEL_PANEL, columns);
}

/* Set the triangles to 0: LAPACK leaves what is below them. */
static void clear(const emulated_operation *o, int columns)
{
    size_t element = o->single ? sizeof(float) : sizeof(double);
    int    j;

    for (j = 0; j < columns; j++)
        memset((char *)o->t.at + hsi_element_index(o->t.ld, 0, j) * element, 0,
               HSI_KERNEL_PANEL * element);
}

/* Work space of LAPACK's functions for reflectors: a block times the columns of the matrix. */
static void *scratch(const emulated_operation *o)
{
    return malloc((size_t)HSI_KERNEL_PANEL * (size_t)hsi_larger(o->n, 1) * sizeof(double));
}

static int reflect(const emulated_operation *o, void *work)
{
    switch (o->kind) {
    case HS_OPERATION_GEQRF:
        clear(o, o->n);
        return BLAS(o, geqrt, LAPACK_COL_MAJOR, o->m, o->n, block(o->n), o->a.at, o->a.ld, o->t.at,
                    o->t.ld, work);
    case HS_OPERATION_ORMQR:
        return BLAS(o, gemqrt, LAPACK_COL_MAJOR, 'L', 'T', o->m, o->n, o->k, block(o->k), o->a.at,
                    o->a.ld, o->t.at, o->t.ld, o->c.at, o->c.ld, work);
    case HS_OPERATION_TPQRT:
        clear(o, o->n);
        return BLAS(o, tpqrt, LAPACK_COL_MAJOR, o->m, o->n, 0, block(o->n), o->a.at, o->a.ld,
                    o->b.at, o->b.ld, o->t.at, o->t.ld, work);
    default:
        return BLAS(o, tpmqrt, LAPACK_COL_MAJOR, 'L', 'T', o->m, o->n, o->k, 0, block(o->k),
                    o->a.at, o->a.ld, o->t.at, o->t.ld, o->c.at, o->c.ld, o->b.at, o->b.ld, work);
    }
}

/* A missing work space is reported like an error of LAPACK. */
static int factorise(const emulated_operation *o)
{
    void *work;
    int   info;

    if (o->kind == HS_OPERATION_POTRF)
        return BLAS(o, potrf, LAPACK_COL_MAJOR, 'L', o->n, o->a.at, o->a.ld);
    if (o->kind == HS_OPERATION_GETRF)
        return getrf(o);
    work = scratch(o);
    info = work ? reflect(o, work) : LAPACK_WORK_MEMORY_ERROR;
    free(work);
    return info;
}
#else
static int factorise(const emulated_operation *o)
{
    (void)o;
    return 0;
}
#endif

void hsi_emulated_compute(const emulated_operation *o)
{
    int info = 0;

    if (o->m + o->n == 0)
        return;
    hsi_blas_one_thread();
    if (o->kind == HS_OPERATION_GEMM)
        gemm(o);
    else if (o->kind == HS_OPERATION_SYRK)
        syrk(o);
    else if (o->kind == HS_OPERATION_TRSM)
        trsm(o);
    else
        info = factorise(o);
    if (o->info)
        *o->info = info;
}

#else

uint32_t hsi_emulated_kinds(void)
{
    return 0;
}

const char *hsi_emulated_resolve(const hs_operation *o, emulated_operation *out, void **to)
{
    (void)o;
    (void)out;
    (void)to;
    return "this build has no OpenBLAS";
}

void hsi_emulated_compute(const emulated_operation *o)
{
    (void)o;
}

#endif
