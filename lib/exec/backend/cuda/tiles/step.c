/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of each step of a factorisation. The tiles have the order of the data column. */
#include "exec/backend/cuda/tiles/tiles.h"

enum { LINE = 64 }; /* elements; parts of the work space are aligned to cache lines */

static bool potrf_work(hsi_stream_context *context, int n, int *elements)
{
    return SOLVER_OF(context, potrf_bufferSize, CUBLAS_FILL_MODE_LOWER, n, NULL, n, elements);
}

static bool ormqr_work(hsi_stream_context *context, int n, int *elements)
{
    return SOLVER_OF(context, ormqr_bufferSize, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, n, n, n, NULL, n,
                     NULL, NULL, n, elements);
}

bool hsi_tiles_uses_cusolver(hsi_step step)
{
    switch (step) {
    case HSI_POTRF:
    case HSI_GETRF:
    case HSI_GEQRF:
    case HSI_ORMQR:
    case HSI_TPQRT:
        return true;
    default:
        return false;
    }
}

/* cuSOLVER does not document its number of kernels. Eight per panel is an estimate. */
unsigned hsi_tiles_kernel_count(hsi_step step, int n)
{
    unsigned panels = (unsigned)(n + HSI_KERNEL_PANEL - 1) / HSI_KERNEL_PANEL;

    switch (step) {
    case HSI_POTRF:
    case HSI_GETRF:
        return 8 * panels;
    case HSI_GEQRF:
        return (8 + 8) * panels;
    case HSI_ORMQR:
        return (8 + 1) * panels;
    case HSI_TPQRT:
        return (8 + 3) * panels + 8;
    case HSI_TPMQRT:
        return 5 * panels;
    default:
        return 1;
    }
}

/* A stream of CUDA holds about 1,000 launches, which include waits, events and copies. */
unsigned hsi_tiles_most_kernels_in_stream(void)
{
    return 512;
}

bool hsi_tiles_solver_elements(hsi_stream_context *context, hsi_step step, int n, int *elements)
{
    const hsi_cuda_kernel *opens_solver =
        hsi_cuda_kernel_find(context->single ? "spotrf" : "dpotrf");

    *elements = 0;
    if (!hsi_tiles_uses_cusolver(step))
        return true;
    if (!hsi_stream_context_solver_elements(context, opens_solver, n, elements))
        return false;
    if (step == HSI_POTRF)
        return potrf_work(context, n, elements);
    if (step == HSI_GETRF)
        return SOLVER_OF(context, getrf_bufferSize, n, n, NULL, n, elements);
    if (step == HSI_ORMQR)
        return ormqr_work(context, n, elements);
    n = step == HSI_TPQRT ? 2 * n : n;
    return SOLVER_OF(context, geqrf_bufferSize, n, step == HSI_TPQRT ? n / 2 : n, NULL, n,
                     elements);
}

static size_t whole(int elements)
{
    return ((size_t)elements + LINE - 1) / LINE * LINE;
}

/* Return the elements that a step needs beside cuSOLVER's work space: factors of reflectors, work
 * space for triangles, and the stack of dtpqrt. */
static size_t room_for(hsi_step step, int n)
{
    switch (step) {
    case HSI_GEQRF:
        return whole(n) + hsi_cuda_reflect_scratch_elements(0);
    case HSI_ORMQR:
        return whole(n);
    case HSI_TPQRT:
        return whole(n) + 2 * (size_t)n * (size_t)n + hsi_cuda_reflect_scratch_elements(0);
    case HSI_TPMQRT:
        return hsi_cuda_reflect_scratch_elements(n);
    default:
        return 0;
    }
}

size_t hsi_tiles_arena_bytes(hsi_step step, int n, int solver_elements, size_t element_bytes)
{
    return (whole(solver_elements) + room_for(step, n)) * element_bytes;
}

static bool trsm(hsi_stream_context *context, cublasSideMode_t side, cublasFillMode_t fill,
                 cublasOperation_t transposed, cublasDiagType_t diagonal, int n, const void *a,
                 void *b)
{
    return BLAS_OF(context, trsm, side, fill, transposed, diagonal, n, n,
                   hsi_cuda_scalar(context, 1), a, n, b, n);
}

static bool gemm(hsi_stream_context *context, cublasOperation_t transposed, int n, void *const at[])
{
    return BLAS_OF(context, gemm, CUBLAS_OP_N, transposed, n, n, n, hsi_cuda_scalar(context, -1),
                   at[0], n, at[1], n, hsi_cuda_scalar(context, 1), at[2], n);
}

/* Return cuSOLVER's work space, which is the start of the arena. */
static void *work_of(const hsi_stream_context *context)
{
    return context->arena;
}

static void *room_of(const hsi_tiles_gpu *gpu, const hsi_stream_context *context)
{
    return hsi_cuda_element_address(context, work_of(context), whole(gpu->work));
}

/* The tile with R and V also serves as the operand V. */
static bool geqrf(const hsi_tiles_gpu *gpu, hsi_stream_context *context, int n, void *const at[],
                  int *info)
{
    void *tau = room_of(gpu, context);

    return SOLVER_OF(context, geqrf, n, n, at[0], n, tau, work_of(context), gpu->work, info) &&
           CUDA(context->fault, cudaMemcpyAsync, at[1], at[0],
                hsi_cuda_element_bytes(context) * (size_t)n * (size_t)n, cudaMemcpyDeviceToDevice,
                context->stream) &&
           hsi_cuda_compute_lower_triangles(context, n, n, at[0], n, tau, gpu->unit, at[2],
                                            hsi_cuda_element_address(context, tau, whole(n)));
}

static bool ormqr(const hsi_tiles_gpu *gpu, hsi_stream_context *context, int n, void *const at[],
                  int *info)
{
    void *tau = room_of(gpu, context);

    return hsi_cuda_copy_tau(context, n, at[1], tau) &&
           SOLVER_OF(context, ormqr, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, n, n, n, at[0], n, tau, at[2],
                     n, work_of(context), gpu->work, info);
}

static bool tpqrt(const hsi_tiles_gpu *gpu, hsi_stream_context *context, int n, void *const at[],
                  int *info)
{
    void *tau = room_of(gpu, context), *room = hsi_cuda_element_address(context, tau, whole(n));
    void *stack = hsi_cuda_element_address(context, room, hsi_cuda_reflect_scratch_elements(0));

    return hsi_cuda_stack(context, n, n, at[0], n, at[1], n, stack, at[1]) &&
           SOLVER_OF(context, geqrf, 2 * n, n, stack, 2 * n, tau, work_of(context), gpu->work,
                     info) &&
           hsi_cuda_unstack(context, n, n, stack, at[0], n, at[1], n, at[1]) &&
           hsi_cuda_compute_triangles(context, n, n, at[1], n, tau, at[2], room);
}

static bool launch_lu(hsi_stream_context *context, hsi_step step, int n, void *const at[],
                      int *info)
{
    switch (step) {
    case HSI_GETRF: /* a NULL array of pivots makes cuSOLVER factorise without pivoting */
        return SOLVER_OF(context, getrf, n, n, at[0], n, work_of(context), NULL, info);
    case HSI_TRSM_LEFT:
        return trsm(context, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
                    CUBLAS_DIAG_UNIT, n, at[0], at[1]);
    case HSI_TRSM_RIGHT:
        return trsm(context, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N,
                    CUBLAS_DIAG_NON_UNIT, n, at[0], at[1]);
    default:
        return gemm(context, CUBLAS_OP_N, n, at);
    }
}

int hsi_tiles_launch_step(const hsi_tiles_gpu *gpu, hsi_stream_context *context, hsi_step step,
                          void *const at[HSI_OPERANDS], int *info)
{
    int n = gpu->memory->matrix->tile;

    switch (step) {
    case HSI_POTRF:
        return SOLVER_OF(context, potrf, CUBLAS_FILL_MODE_LOWER, n, at[0], n, work_of(context),
                         gpu->work, info);
    case HSI_SYRK:
        return BLAS_OF(context, syrk, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, n, n,
                       hsi_cuda_scalar(context, -1), at[0], n, hsi_cuda_scalar(context, 1), at[1],
                       n);
    case HSI_TRSM:
        return trsm(context, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T,
                    CUBLAS_DIAG_NON_UNIT, n, at[0], at[1]);
    case HSI_GEMM:
        return gemm(context, CUBLAS_OP_T, n, at);
    case HSI_GEQRF:
        return geqrf(gpu, context, n, at, info);
    case HSI_ORMQR:
        return ormqr(gpu, context, n, at, info);
    case HSI_TPQRT:
        return tpqrt(gpu, context, n, at, info);
    case HSI_TPMQRT:
        return hsi_cuda_apply_reflectors(context, CUBLAS_OP_T, n, n, n, at[0], n, at[1], at[2], n,
                                         at[3], n, room_of(gpu, context));
    default:
        return launch_lu(context, step, n, at, info);
    }
}
