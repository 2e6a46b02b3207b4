/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "exec/backend/cuda/cuda.h"

enum { LINE = 8 };

static void *allocate(size_t bytes, void *data)
{
    void *memory = NULL;

    return CUDA((hsi_cuda_fault *)data, cudaHostAlloc, &memory, bytes, cudaHostAllocDefault)
               ? memory
               : NULL;
}

static void release(void *memory, void *data)
{
    (void)data;
    cudaFreeHost(memory);
}

void hsi_cuda_data_open(hsi_cuda_data *data, hsi_cuda_fault *fault)
{
    memset(data, 0, sizeof *data);
    data->space = (hsi_space){.allocate = allocate, .release = release, .data = fault};
}

void hsi_cuda_data_close(hsi_cuda_data *data)
{
    int i;

    for (i = 0; i < 2; i++) {
        free(data->squares[i].sum);
        if (data->there[i])
            cudaFree(data->there[i]);
    }
    if (data->space.release)
        hsi_space_free(&data->space);
    memset(data, 0, sizeof *data);
}

/*
 * Factors of reflectors. The factor tau of a reflector v is 2 / v'v. The first element of v is 1.
 * The others are the elements of a column below the diagonal, or the whole column if the
 * reflectors lie below a unit matrix. Columns are contiguous in the pool, so prefix sums of squares
 * give all n factors in O(n) operations.
 */

static long double square_at(const void *pool, int single, size_t i)
{
    long double x = single ? ((const float *)pool)[i] : ((const double *)pool)[i];

    return x * x;
}

static bool sum_squares(hsi_cuda_squares *squares, const void *pool, int single, size_t elements)
{
    size_t      count = elements / LINE, i;
    long double sum = 0, *more = realloc(squares->sum, (count + 1) * sizeof *more);

    if (!more)
        return false;
    *squares = (hsi_cuda_squares){pool, single, more, count, elements};
    for (i = 0; i < elements; i++) {
        if (i % LINE == 0)
            more[i / LINE] = sum;
        sum += square_at(pool, single, i);
    }
    return true;
}

/* Return the sum of the squares before the element `end`. */
static long double squares_before(const hsi_cuda_squares *squares, const void *end)
{
    size_t      element = squares->single ? sizeof(float) : sizeof(double);
    size_t      place = (size_t)((const char *)end - (const char *)squares->pool) / element;
    size_t      line = place / LINE, i;
    long double sum;

    if (line >= squares->count)
        line = squares->count - 1;
    sum = squares->sum[line];
    for (i = line * LINE; i < place; i++)
        sum += square_at(squares->pool, squares->single, i);
    return sum;
}

void hsi_cuda_compute_tau(const hsi_cuda_gpu *gpu, const hsi_job *job, void *tau)
{
    const hsi_cuda_squares *squares = &gpu->data.squares[job->kernel->single];
    size_t                  n = (size_t)job->n, j;
    bool                    whole = job->kernel->outputs == 2;

    for (j = 0; j < n; j++) {
        const void *end = hsi_element_address(job, job->in[0], (j + 1) * n);
        const void *below = hsi_element_address(job, job->in[0], j * n + (whole ? 0 : j + 1));

        hsi_element_set(
            job, tau, (int)j,
            (double)(2 / (1 + squares_before(squares, end) - squares_before(squares, below))));
    }
}

static bool needs_squares(const hsi_cuda_body *body)
{
    return body->cuda->solver && body->cuda->inputs;
}

bool hsi_cuda_data_pool_suffices(const hsi_cuda_gpu *gpu, const hsi_cuda_body *body)
{
    const hsi_cuda_data *data = &gpu->data;
    size_t               elements = hsi_pool_elements(hsi_square(body->n));
    int                  single = body->kernel->single;

    if (data->space.pool[single].filled < elements ||
        (gpu->resident && data->there_elements[single] < elements) ||
        (gpu->verify && data->space.room_size < hsi_job_vector_bytes(body->n)))
        return false;
    return !needs_squares(body) || (data->squares[single].pool == data->space.pool[single].at &&
                                    data->squares[single].elements >= elements);
}

/* Copy the pool to the GPU. The memory is filled with NaN first, so a missing copy is noticed. */
static bool take_there(hsi_cuda_gpu *gpu, const hsi_kernel *kernel)
{
    const hsi_numbers *pool = &gpu->data.space.pool[kernel->single];
    void             **there = &gpu->data.there[kernel->single];
    size_t             bytes = pool->filled * hsi_kernel_element_bytes(kernel);
    cudaStream_t       stream = gpu->context[0].stream;

    if (*there)
        cudaFree(*there);
    *there = NULL;
    gpu->data.there_elements[kernel->single] = 0;
    if (!CUDA(&gpu->fault, cudaMalloc, there, bytes) ||
        !CUDA(&gpu->fault, cudaMemsetAsync, *there, 0xff, bytes, stream) ||
        !CUDA(&gpu->fault, cudaMemcpyAsync, *there, pool->at, bytes, cudaMemcpyHostToDevice,
              stream) ||
        !CUDA(&gpu->fault, cudaStreamSynchronize, stream))
        return false;
    gpu->data.there_elements[kernel->single] = pool->filled;
    return true;
}

/* Return an attempt that is never cancelled, for data that no single task owns. */
static const hs_attempt *nobody(void)
{
    static const int        never = 0;
    static const hs_attempt attempt = {.struct_size = sizeof attempt, .cancel = &never};

    return &attempt;
}

static bool no_memory(hsi_cuda_gpu *gpu)
{
    return hsi_cuda_ok(&gpu->fault, cudaErrorMemoryAllocation, "malloc");
}

bool hsi_cuda_data_grow_pool(hsi_cuda_gpu *gpu, const hsi_cuda_body *body)
{
    hsi_cuda_data *data = &gpu->data;
    int            single = body->kernel->single;
    hsi_job        job;

    if (hsi_cuda_data_pool_suffices(gpu, body))
        return true;
    hsi_job_locate(&job, body->kernel, hsi_square(body->n), 0, nobody(), &data->space);
    gpu->check.attempt = NULL;
    if (gpu->verify)
        hsi_job_allocate_vectors(&job);
    if (job.no_memory ||
        (needs_squares(body) && !sum_squares(&data->squares[single], data->space.pool[single].at,
                                             single, hsi_pool_elements(hsi_square(body->n)))))
        return no_memory(gpu);
    return !gpu->resident || take_there(gpu, body->kernel);
}

void hsi_cuda_data_locate(hsi_cuda_gpu *gpu, const hsi_cuda_body *body, const hs_instance *instance,
                          uint32_t task, hsi_job *job)
{
    uint64_t  seed;
    hsi_shape shape = hsi_kernel_shape_of_task(&body->size, instance, task, &seed);

    hsi_job_locate(job, body->kernel, shape, seed, nobody(), &gpu->data.space);
}
