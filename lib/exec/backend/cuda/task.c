/* SPDX-License-Identifier: BSD-3-Clause */
/* Copy the data of one task to the GPU, launch its kernels, copy its results back. */
#include "exec/backend/cuda/cuda.h"

enum { LINE = 256 };

static size_t whole(size_t bytes)
{
    return (bytes + LINE - 1) / LINE * LINE;
}

/* Return the bytes of a matrix without the padding to whole lines. */
static size_t matrix_bytes(const hsi_cuda_body *body)
{
    size_t n = (size_t)body->n;

    return n * n * hsi_kernel_element_bytes(body->kernel);
}

static size_t matrix_room(const hsi_cuda_body *body)
{
    return whole(matrix_bytes(body));
}

static size_t vector_bytes(const hsi_cuda_body *body)
{
    return body->cuda->solver ? whole(hsi_kernel_element_bytes(body->kernel) * (size_t)body->n) : 0;
}

static size_t pivot_bytes(const hsi_cuda_body *body)
{
    return body->cuda->solver ? whole(sizeof(int) * (size_t)body->n) : 0;
}

static size_t info_bytes(const hsi_cuda_body *body)
{
    return body->cuda->solver ? whole(sizeof(int) * HSI_CUDA_PANELS_MOST) : 0;
}

static size_t small_bytes(const hsi_cuda_body *body)
{
    return vector_bytes(body) + pivot_bytes(body) + info_bytes(body);
}

static size_t outputs(const hsi_cuda_body *body)
{
    return (size_t)body->kernel->outputs;
}

/* Return whether the reflectors of the kernel lie below a unit matrix. */
static bool is_below(const hsi_cuda_body *body)
{
    return outputs(body) == 2;
}

static bool is_stacked(const hsi_cuda_body *body)
{
    return is_below(body) && body->cuda->inputs == 0;
}

static size_t triangle_bytes(const hsi_cuda_body *body)
{
    return is_below(body)
               ? whole(hsi_kernel_element_bytes(body->kernel) * HSI_KERNEL_PANEL * (size_t)body->n)
               : 0;
}

static size_t stack_bytes(const hsi_cuda_body *body)
{
    return is_stacked(body) ? 2 * matrix_room(body) : 0;
}

static size_t reflect_bytes(const hsi_cuda_body *body)
{
    return is_below(body) ? whole(hsi_kernel_element_bytes(body->kernel) *
                                  hsi_cuda_reflect_scratch_elements(body->n))
                          : 0;
}

double hsi_cuda_body_bytes(const hsi_cuda_body *body)
{
    return (double)(outputs(body) + (size_t)body->cuda->inputs) * (double)matrix_room(body) +
           (double)(small_bytes(body) + triangle_bytes(body) + stack_bytes(body) +
                    reflect_bytes(body));
}

size_t hsi_cuda_results_bytes(const hsi_cuda_body *body)
{
    return outputs(body) * matrix_room(body) + small_bytes(body) + triangle_bytes(body);
}

hsi_cuda_results hsi_cuda_results_at(const hsi_cuda_body *body, char *memory, bool watched)
{
    char *vector = memory + outputs(body) * matrix_room(body),
         *pivots = vector + vector_bytes(body), *info = pivots + pivot_bytes(body);

    return (hsi_cuda_results){.width = hsi_cuda_piece_columns(body->cuda, body->n, watched),
                              .c = memory,
                              .d = memory + matrix_room(body),
                              .vector = vector,
                              .pivots = (int *)(void *)pivots,
                              .info = (int *)(void *)info,
                              .t = info + info_bytes(body)};
}

static size_t fixed_bytes(const hsi_cuda_gpu *gpu, const hsi_cuda_body *body)
{
    size_t copied = outputs(body) + (gpu->resident ? 0 : (size_t)body->cuda->inputs);

    return copied * matrix_room(body) + small_bytes(body) + triangle_bytes(body) +
           stack_bytes(body) + reflect_bytes(body);
}

size_t hsi_cuda_arena_bytes(hsi_cuda_gpu *gpu, hsi_stream_context *context,
                            const hsi_cuda_body *body)
{
    int elements;

    if (!hsi_stream_context_solver_elements(context, body->cuda, body->n, &elements))
        return 0;
    return fixed_bytes(gpu, body) +
           whole(hsi_kernel_element_bytes(body->kernel) * (size_t)elements);
}

/* Return the bytes of a result: fewer than of a matrix if several tasks share its columns. */
static size_t result_bytes(const hsi_cuda_run *run)
{
    return (size_t)run->n * (size_t)run->columns * hsi_kernel_element_bytes(run->body->kernel);
}

/* Return the address on the GPU of an element of the pool. */
static const void *there(const hsi_cuda_gpu *gpu, const hsi_cuda_body *body, const void *from)
{
    int         single = body->kernel->single;
    const char *pool = gpu->data.space.pool[single].at;

    return (const char *)gpu->data.there[single] + ((const char *)from - pool);
}

static bool copy(hsi_cuda_gpu *gpu, const hsi_cuda_run *run, void *to, const void *from,
                 size_t bytes)
{
    return CUDA(run->context->fault, cudaMemcpyAsync, to,
                gpu->resident ? there(gpu, run->body, from) : from, bytes,
                gpu->resident ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice,
                run->context->stream);
}

/* Copy the matrices that the kernel overwrites with its results. */
static bool place_outputs(hsi_cuda_gpu *gpu, const hsi_job *job, hsi_cuda_run *run, char **arena)
{
    void **place[] = {&run->c, &run->d};
    size_t i;

    for (i = 0; i < outputs(run->body); i++) {
        *place[i] = *arena;
        if (!copy(gpu, run, *arena, job->from[i], result_bytes(run)))
            return false;
        *arena += matrix_room(run->body);
    }
    return true;
}

static bool place_inputs(hsi_cuda_gpu *gpu, const hsi_job *job, hsi_cuda_run *run, char **arena)
{
    const void **place[] = {&run->a, &run->b};
    size_t       bytes = matrix_bytes(run->body);
    size_t       skipped = (size_t)job->first * hsi_kernel_element_bytes(run->body->kernel);
    int          i;

    for (i = 0; i < run->body->cuda->inputs; i++) {
        if (gpu->resident) {
            *place[i] = there(gpu, run->body, job->in[i]);
            continue;
        }
        *place[i] = *arena;
        if (!copy(gpu, run, *arena, job->in[i],
                  i + 1 < run->body->cuda->inputs ? bytes : bytes - skipped))
            return false;
        *arena += matrix_room(run->body);
    }
    return true;
}

/* Copy a vector from the host to the place of tau. */
static bool send_vector(const hsi_cuda_run *run, const void *vector)
{
    return CUDA(run->context->fault, cudaMemcpyAsync, run->tau, vector,
                hsi_cuda_element_bytes(run->context) * (size_t)run->n, cudaMemcpyHostToDevice,
                run->context->stream);
}

static bool set_diagonal(const hsi_cuda_run *run, const hsi_job *job, void *vector)
{
    int i;

    for (i = 0; i < run->n; i++)
        hsi_element_set(job, vector, i, job->diagonal);
    return send_vector(run, vector) &&
           BLAS_OF(run->context, copy, run->n, run->tau, 1, run->c, run->n + 1);
}

/* Assign the rest of the arena, behind the matrices. Return false for a fault. */
static bool place_small(hsi_cuda_run *run, char *arena)
{
    const hsi_cuda_body *body = run->body;

    run->tau = arena;
    run->pivots = (int *)(void *)(arena + vector_bytes(body));
    run->info = (int *)(void *)(arena + vector_bytes(body) + pivot_bytes(body));
    arena += small_bytes(body);
    run->t = arena;
    arena += triangle_bytes(body);
    run->q = is_stacked(body) ? (void *)arena : run->c;
    run->rows = is_stacked(body) ? 2 * run->n : run->n;
    arena += stack_bytes(body);
    run->room = arena;
    run->work = arena + reflect_bytes(body);
    return hsi_stream_context_solver_elements(run->context, body->cuda, body->n, &run->work_size);
}

static bool send_small(hsi_cuda_gpu *gpu, const hsi_job *job, const hsi_cuda_results *results,
                       hsi_cuda_run *run)
{
    const hsi_cuda_body *body = run->body;

    if (!CUDA(run->context->fault, cudaMemsetAsync, run->info, 0, info_bytes(body),
              run->context->stream))
        return false;
    if (job->diagonal != 0)
        return set_diagonal(run, job, results->vector);
    if (body->cuda->inputs == 0)
        return true;
    hsi_cuda_compute_tau(gpu, job, results->vector);
    return send_vector(run, results->vector);
}

/* Fill the task's part of the arena with NaN. The data and the results of an earlier task are not
 * left there, so a copy or a kernel that is missing is noticed. */
static bool clear(const hsi_cuda_gpu *gpu, const hsi_cuda_run *run)
{
    return CUDA(run->context->fault, cudaMemsetAsync, run->context->arena, 0xff,
                fixed_bytes(gpu, run->body), run->context->stream);
}

bool hsi_cuda_copy_in(hsi_cuda_gpu *gpu, hsi_stream_context *context, const hsi_cuda_body *body,
                      const hs_instance *instance, uint32_t task, const hsi_cuda_results *results,
                      hsi_cuda_run *run)
{
    char   *arena = context->arena;
    hsi_job job;

    context->single = body->kernel->single;
    hsi_cuda_data_locate(gpu, body, instance, task, &job);
    *run = (hsi_cuda_run){.context = context,
                          .body = body,
                          .n = body->n,
                          .columns = job.columns,
                          .width = results->width};
    if ((results->checked && !clear(gpu, run)) || !place_outputs(gpu, &job, run, &arena) ||
        !place_inputs(gpu, &job, run, &arena))
        return false;
    return !body->cuda->solver || (place_small(run, arena) && send_small(gpu, &job, results, run));
}

bool hsi_cuda_copy_in_and_launch(hsi_cuda_gpu *gpu, hsi_stream_context *context,
                                 const hsi_cuda_body *body, const hs_instance *instance,
                                 uint32_t task, const hsi_cuda_results *results, hsi_cuda_run *run)
{
    int more;

    if (!hsi_cuda_copy_in(gpu, context, body, instance, task, results, run))
        return false;
    while ((more = body->cuda->launch(run)) > 0)
        continue;
    return more == 0;
}

static bool fetch(const hsi_cuda_run *run, void *to, const void *from, size_t bytes)
{
    return CUDA(run->context->fault, cudaMemcpyAsync, to, from, bytes, cudaMemcpyDeviceToHost,
                run->context->stream);
}

static bool fetch_matrices(const hsi_cuda_run *run, const hsi_cuda_results *results)
{
    const hsi_cuda_body *body = run->body;

    return fetch(run, results->c, run->c, result_bytes(run)) &&
           (!run->d || fetch(run, results->d, run->d, matrix_bytes(body))) &&
           (!is_stacked(body) || fetch(run, results->t, run->t, triangle_bytes(body)));
}

bool hsi_cuda_copy_out(const hsi_cuda_gpu *gpu, const hsi_cuda_run *run,
                       const hsi_cuda_results *results)
{
    const hsi_cuda_body *body = run->body;

    if (!gpu->resident && !fetch_matrices(run, results))
        return false;
    /* tau, pivots and info are contiguous on both sides */
    return !body->cuda->solver || fetch(run, results->vector, run->tau, small_bytes(body));
}

bool hsi_cuda_copy_out_to_verify(const hsi_cuda_gpu *gpu, const hsi_cuda_run *run,
                                 const hsi_cuda_results *results)
{
    return !results->checked || !gpu->resident || fetch_matrices(run, results);
}
