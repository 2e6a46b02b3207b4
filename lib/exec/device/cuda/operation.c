/* SPDX-License-Identifier: BSD-3-Clause */
/* The operations, by cuBLAS and cuSOLVER. */
#include "exec/device/cuda/cuda_device.h"

enum { LINE = 64 }; /* elements; parts of the work space are aligned to cache lines */

/* The parts of the work space in elements, in this order; the rest is cuSOLVER's. */
typedef struct layout {
    size_t tau, scratch, packed, stack;
} layout;

static size_t whole(size_t elements)
{
    return (elements + LINE - 1) / LINE * LINE;
}

static layout layout_of(const hs_operation *o)
{
    size_t n = (size_t)o->n;

    switch (o->kind) {
    case HS_OPERATION_GEQRF:
        return (layout){.tau = whole(n), .scratch = whole(hsi_cuda_reflect_scratch_elements(0))};
    case HS_OPERATION_ORMQR:
        return (layout){.tau = whole((size_t)o->k)};
    case HS_OPERATION_TPQRT:
        return (layout){.tau = whole(n),
                        .scratch = whole(hsi_cuda_reflect_scratch_elements(0)),
                        .packed = whole(n * (n + 1) / 2),
                        .stack = whole((n + (size_t)o->m) * n)};
    case HS_OPERATION_TPMQRT:
        return (layout){.scratch = whole(hsi_cuda_reflect_scratch_elements(o->n))};
    default:
        return (layout){0};
    }
}

static size_t sum(const layout *l)
{
    return l->tau + l->scratch + l->packed + l->stack;
}

static bool uses_cusolver(hs_operation_kind kind)
{
    return kind >= HS_OPERATION_POTRF && kind <= HS_OPERATION_TPQRT;
}

/* Set *elements to the size of cuSOLVER's work space. */
static bool ask_solver(hsi_stream_context *context, const hs_operation *o, int *elements)
{
    int m = o->m, n = o->n;

    *elements = 0;
    switch (o->kind) {
    case HS_OPERATION_POTRF:
        return SOLVER_OF(context, potrf_bufferSize, CUBLAS_FILL_MODE_LOWER, n, NULL, o->a.ld,
                         elements);
    case HS_OPERATION_GETRF:
        return SOLVER_OF(context, getrf_bufferSize, m, n, NULL, o->a.ld, elements);
    case HS_OPERATION_GEQRF:
        return SOLVER_OF(context, geqrf_bufferSize, m, n, NULL, o->a.ld, elements);
    case HS_OPERATION_ORMQR:
        return SOLVER_OF(context, ormqr_bufferSize, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, m, n, o->k, NULL,
                         o->a.ld, NULL, NULL, o->c.ld, elements);
    case HS_OPERATION_TPQRT:
        return SOLVER_OF(context, geqrf_bufferSize, m + n, n, NULL, m + n, elements);
    default:
        return true;
    }
}

int hsi_cuda_device_work(hs_device *device, const hs_operation *o, size_t *bytes)
{
    cuda_device *d = hsi_cuda_device_of(device);
    layout       l = layout_of(o);
    int          elements = 0;

    if (!hsi_cuda_device_begin_call(device))
        return 0;
    d->own.single = o->single;
    if (o->kind == HS_OPERATION_GEQRF && !hsi_cuda_device_make_unit(d, o->single))
        return hsi_cuda_device_end_call(device, 0);
    if (uses_cusolver(o->kind) &&
        (!hsi_stream_context_make_solver(&d->own) || !ask_solver(&d->own, o, &elements)))
        return hsi_cuda_device_end_call(device, 0);
    *bytes = (sum(&l) + (size_t)elements) * hsi_cuda_element_bytes(&d->own);
    return 1;
}

/* An operation with addresses. */
typedef struct run {
    hsi_stream_context *context;
    const hs_operation *o;
    const void         *unit;
    void               *a, *b, *c, *t, *tau, *scratch, *packed, *stack, *work;
    int                *pivots, *info;
    int                 work_size; /* elements */
} run;

static void *address(const hs_operand *operand)
{
    return operand->buffer ? (char *)operand->buffer + operand->offset : NULL;
}

static run run_of(const cuda_device *d, hsi_stream_context *context, const hs_operation *o)
{
    layout l = layout_of(o);
    size_t all = o->work_bytes / hsi_cuda_element_bytes(context);
    run    r = {.context = context, .o = o, .unit = d->unit[o->single]};

    r.a = address(&o->a);
    r.b = address(&o->b);
    r.c = address(&o->c);
    r.t = address(&o->t);
    r.pivots = address(&o->pivots);
    r.info = address(&o->info);
    r.tau = address(&o->work);
    r.scratch = hsi_cuda_element_address(context, r.tau, l.tau);
    r.packed = hsi_cuda_element_address(context, r.scratch, l.scratch);
    r.stack = hsi_cuda_element_address(context, r.packed, l.packed);
    r.work = hsi_cuda_element_address(context, r.stack, l.stack);
    r.work_size = all > sum(&l) ? (int)(all - sum(&l)) : 0;
    return r;
}

static cublasOperation_t transposed(const hs_operation *o)
{
    return o->options & HS_TRANSPOSED ? CUBLAS_OP_T : CUBLAS_OP_N;
}

static const void *scalar(const run *r, int value)
{
    return hsi_cuda_scalar(r->context, value);
}

static bool gemm(const run *r)
{
    const hs_operation *o = r->o;

    return BLAS_OF(r->context, gemm, CUBLAS_OP_N, transposed(o), o->m, o->n, o->k, scalar(r, -1),
                   r->a, o->a.ld, r->b, o->b.ld, scalar(r, 1), r->c, o->c.ld);
}

static bool syrk(const run *r)
{
    const hs_operation *o = r->o;

    return BLAS_OF(r->context, syrk, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, o->n, o->k, scalar(r, -1),
                   r->a, o->a.ld, scalar(r, 1), r->c, o->c.ld);
}

static bool trsm(const run *r)
{
    const hs_operation *o = r->o;

    return BLAS_OF(r->context, trsm, o->options & HS_LEFT ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT,
                   o->options & HS_UPPER ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER,
                   transposed(o), o->options & HS_UNIT ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT,
                   o->m, o->n, scalar(r, 1), r->a, o->a.ld, r->c, o->c.ld);
}

static bool potrf(const run *r)
{
    return SOLVER_OF(r->context, potrf, CUBLAS_FILL_MODE_LOWER, r->o->n, r->a, r->o->a.ld, r->work,
                     r->work_size, r->info);
}

/* A NULL array of pivots makes cuSOLVER factorise without pivoting. */
static bool getrf(const run *r)
{
    return SOLVER_OF(r->context, getrf, r->o->m, r->o->n, r->a, r->o->a.ld, r->work, r->pivots,
                     r->info);
}

static bool geqrf(const run *r)
{
    int m = r->o->m, n = r->o->n, ld = r->o->a.ld;

    return SOLVER_OF(r->context, geqrf, m, n, r->a, ld, r->tau, r->work, r->work_size, r->info) &&
           hsi_cuda_compute_lower_triangles(r->context, m, n, r->a, ld, r->tau, r->unit, r->t,
                                            r->scratch);
}

static bool ormqr(const run *r)
{
    const hs_operation *o = r->o;

    return hsi_cuda_copy_tau(r->context, o->k, r->t, r->tau) &&
           SOLVER_OF(r->context, ormqr, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, o->m, o->n, o->k, r->a,
                     o->a.ld, r->tau, r->c, o->c.ld, r->work, r->work_size, r->info);
}

static bool tpqrt(const run *r)
{
    int m = r->o->m, n = r->o->n, lda = r->o->a.ld, ldb = r->o->b.ld;

    return hsi_cuda_stack(r->context, m, n, r->a, lda, r->b, ldb, r->stack, r->packed) &&
           SOLVER_OF(r->context, geqrf, m + n, n, r->stack, m + n, r->tau, r->work, r->work_size,
                     r->info) &&
           hsi_cuda_unstack(r->context, m, n, r->stack, r->a, lda, r->b, ldb, r->packed) &&
           hsi_cuda_compute_triangles(r->context, m, n, r->b, ldb, r->tau, r->t, r->scratch);
}

static bool tpmqrt(const run *r)
{
    const hs_operation *o = r->o;

    return hsi_cuda_apply_reflectors(r->context, CUBLAS_OP_T, o->m, o->n, o->k, r->a, o->a.ld, r->t,
                                     r->c, o->c.ld, r->b, o->b.ld, r->scratch);
}

static bool (*const launches[HS_OPERATION_KINDS])(const run *r) = {
    [HS_OPERATION_GEMM] = gemm,   [HS_OPERATION_SYRK] = syrk,   [HS_OPERATION_TRSM] = trsm,
    [HS_OPERATION_POTRF] = potrf, [HS_OPERATION_GETRF] = getrf, [HS_OPERATION_GEQRF] = geqrf,
    [HS_OPERATION_ORMQR] = ormqr, [HS_OPERATION_TPQRT] = tpqrt, [HS_OPERATION_TPMQRT] = tpmqrt,
};

/* Give cuBLAS 32 MiB on large GPUs, as NVIDIA recommends, and 1 MiB on others. */
static size_t blas_bytes(const cuda_device *d)
{
    return d->base.chunk >> 33 ? (size_t)32 << 20 : (size_t)1 << 20;
}

/* A part of an operation may fail when others have changed the matrices: the device is then lost,
 * even if only memory is missing. */
static bool has_parts(hs_operation_kind kind)
{
    return kind >= HS_OPERATION_GEQRF;
}

int hsi_cuda_device_launch(hs_stream *stream, const hs_operation *o)
{
    cuda_device        *d = hsi_cuda_device_of(stream->device);
    hsi_stream_context *context = &((cuda_stream *)stream->own)->context;
    run                 r;
    bool                done;

    if (o->kind >= HS_OPERATION_KINDS || !hsi_cuda_device_begin_call(stream->device))
        return 0;
    context->single = o->single;
    if (!hsi_stream_context_make_blas(context, blas_bytes(d)) ||
        (uses_cusolver(o->kind) && !hsi_stream_context_make_solver(context)) ||
        (o->kind == HS_OPERATION_GEQRF && !hsi_cuda_device_make_unit(d, o->single)))
        return hsi_cuda_device_end_call(stream->device, 0);
    r = run_of(d, context, o);
    done = launches[o->kind](&r);
    if (!done && has_parts(o->kind))
        d->fault.memory = false;
    return hsi_cuda_device_end_call(stream->device, done);
}
