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

    for (i = 0; i < 2; i++)
        if (data->there[i])
            cudaFree(data->there[i]);
    free(data->squares.sum);
    if (data->space.release)
        hsi_space_free(&data->space);
    memset(data, 0, sizeof *data);
}

/*
 * Reflectors. Of a column v with 1 on top, tau is 2 over v'v. Columns lie one behind the other in the
 * pool, so that sums of its squares give all of them in a time of n.
 */

static int sum_squares(hsi_cuda_squares *squares, const double *pool, size_t elements)
{
    size_t      count = elements / LINE, i;
    long double sum = 0, *more = realloc(squares->sum, (count + 1) * sizeof *more);

    if (!more)
        return 0;
    *squares = (hsi_cuda_squares){pool, more, count, elements};
    for (i = 0; i < elements; i++) {
        if (i % LINE == 0)
            more[i / LINE] = sum;
        sum += (long double)pool[i] * pool[i];
    }
    return 1;
}

/* Of the elements before the given one. */
static long double squares_before(const hsi_cuda_squares *squares, const double *end)
{
    size_t      place = (size_t)(end - squares->pool), line = place / LINE, i;
    long double sum;

    if (line >= squares->count)
        line = squares->count - 1;
    sum = squares->sum[line];
    for (i = line * LINE; i < place; i++)
        sum += (long double)squares->pool[i] * squares->pool[i];
    return sum;
}

void hsi_cuda_reflectors(const hsi_cuda_gpu *gpu, const hsi_job *job, double *tau)
{
    const hsi_cuda_squares *squares = &gpu->data.squares;
    size_t                  n = (size_t)job->n, j;

    for (j = 0; j < n; j++) {
        const double *end = job->in[0] + (j + 1) * n, *below = job->in[0] + j * n + j + 1;

        tau[j] = (double)(2 / (1 + squares_before(squares, end) - squares_before(squares, below)));
    }
}

static int is_single(const hsi_cuda_body *body)
{
    return hsi_kernel_is_single(body->kernel);
}

static int needs_squares(const hsi_cuda_body *body)
{
    return body->cuda->solver && body->cuda->inputs;
}

static size_t filled(const hsi_space *space, int single)
{
    return single ? space->single_filled : space->pool_filled;
}

int hsi_cuda_data_fits(const hsi_cuda_gpu *gpu, const hsi_cuda_body *body)
{
    const hsi_cuda_data *data = &gpu->data;
    size_t               elements = hsi_pool_elements(body->n);
    int                  single = is_single(body);

    if (filled(&data->space, single) < elements ||
        (gpu->resident && data->there_elements[single] < elements))
        return 0;
    return !needs_squares(body) ||
           (data->squares.pool == data->space.pool && data->squares.elements >= elements);
}

/* The pool again, on the GPU. */
static int take_there(hsi_cuda_gpu *gpu, int single)
{
    hsi_cuda_data *data = &gpu->data;
    size_t         elements = filled(&data->space, single);
    size_t         bytes = elements * (single ? sizeof(float) : sizeof(double));
    const void    *from = single ? (const void *)data->space.single : data->space.pool;
    cudaStream_t   stream = gpu->lane[0].stream;

    if (data->there[single])
        cudaFree(data->there[single]);
    data->there[single] = NULL;
    data->there_elements[single] = 0;
    if (!CUDA(&gpu->fault, cudaMalloc, &data->there[single], bytes) ||
        !CUDA(&gpu->fault, cudaMemcpyAsync, data->there[single], from, bytes,
              cudaMemcpyHostToDevice, stream) ||
        !CUDA(&gpu->fault, cudaStreamSynchronize, stream))
        return 0;
    data->there_elements[single] = elements;
    return 1;
}

static void out_of_memory(hsi_cuda_fault *fault)
{
    hsi_cuda_ok(fault, cudaErrorMemoryAllocation, "malloc");
}

int hsi_cuda_data_fit(hsi_cuda_gpu *gpu, const hsi_cuda_body *body)
{
    static const int never = 0;
    const hs_attempt nobody = {.struct_size = sizeof nobody, .cancel = &never};
    hsi_cuda_data   *data = &gpu->data;
    int              single = is_single(body);
    size_t           elements = hsi_pool_elements(body->n);
    hsi_job          job;

    if (hsi_cuda_data_fits(gpu, body))
        return 1;
    hsi_job_locate(&job, body->kernel, body->n, 0, &nobody, &data->space);
    if (job.no_memory) {
        out_of_memory(&gpu->fault);
        return 0;
    }
    if (needs_squares(body) && !sum_squares(&data->squares, data->space.pool, elements)) {
        out_of_memory(&gpu->fault);
        return 0;
    }
    return !gpu->resident || take_there(gpu, single);
}

int hsi_cuda_data_room(hsi_cuda_gpu *gpu, const hsi_cuda_body *body)
{
    static const int never = 0;
    const hs_attempt nobody = {.struct_size = sizeof nobody, .cancel = &never};
    hsi_job          job;

    hsi_job_begin(&job, body->kernel, body->n, 0, &nobody, &gpu->data.space);
    if (job.no_memory)
        out_of_memory(&gpu->fault);
    return !job.no_memory;
}

void hsi_cuda_data_locate(hsi_cuda_gpu *gpu, const hsi_cuda_body *body, const hs_instance *instance,
                          uint32_t task, hsi_job *job)
{
    static const int never = 0;
    const hs_attempt nobody = {.struct_size = sizeof nobody, .cancel = &never};

    hsi_job_locate(job, body->kernel, body->n, hsi_job_seed(instance, task), &nobody,
                   &gpu->data.space);
}
