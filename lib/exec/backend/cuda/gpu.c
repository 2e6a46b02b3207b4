/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "exec/backend/cuda/cuda.h"

static bool take_device(hsi_cuda_gpu *gpu)
{
    struct cudaDeviceProp properties;
    char                  uuid[48];

    if (!CUDA(&gpu->fault, cudaSetDevice, gpu->device) ||
        !CUDA(&gpu->fault, cudaGetDeviceProperties, &properties, gpu->device))
        return false;
    gpu->opened = true;
    gpu->memory = properties.totalGlobalMem;
    hsi_cuda_uuid(&properties, uuid);
    snprintf(gpu->label, sizeof gpu->label, "%.100s, %s", properties.name, uuid);
    return true;
}

/* NVIDIA recommends 32 MiB on large GPUs. A GPU with little memory gets 1 MiB per stream context.
 */
size_t hsi_cuda_blas_bytes(const hsi_cuda_gpu *gpu)
{
    const size_t usual = (size_t)32 << 20, little = (size_t)1 << 20;

    return gpu->memory / 64 / HSI_CUDA_CONTEXTS >= usual ? usual : little;
}

/* Close the stream contexts from `from` on if only memory was missing. Return false if `from` is 0,
 * since one stream context is needed, or if there was another fault. */
static bool do_without(hsi_cuda_gpu *gpu, unsigned from)
{
    if (from == 0 || !gpu->fault.memory)
        return false;
    gpu->fault.text[0] = '\0';
    while (gpu->contexts > from)
        hsi_stream_context_close(&gpu->context[--gpu->contexts]);
    return true;
}

static bool open_contexts(hsi_cuda_gpu *gpu)
{
    unsigned i;

    for (i = 0; i < HSI_CUDA_CONTEXTS; i++) {
        gpu->contexts =
            i + 1; /* count first: hsi_stream_context_close() also cleans up after a failure */
        if (!hsi_stream_context_open(&gpu->context[i], &gpu->fault, hsi_cuda_blas_bytes(gpu)))
            return do_without(gpu, i);
    }
    return true;
}

static hs_status refuse(hsi_cuda_gpu *gpu, hs_error *error)
{
    return hsi_error_set(error, HS_ERESOURCE, "no GPU %u%s%s%s: %s", (unsigned)gpu->device,
                         gpu->label[0] ? " (" : "", gpu->label, gpu->label[0] ? ")" : "",
                         gpu->fault.text);
}

hs_status hsi_cuda_open(const hs_backend_options *options, const hs_backend_worker_info *info,
                        hs_backend_worker **out, hs_error *error)
{
    hsi_cuda_gpu *gpu = calloc(1, sizeof *gpu);
    hs_status     st;

    if (!gpu)
        return HS_ENOMEM;
    gpu->base.backend = &hsi_backend_cuda;
    gpu->number = info->number;
    gpu->device = (int)info->device_index;
    gpu->verify = options->verify;
    gpu->resident = options->resident;
    gpu->mode = options->gpu_mode;
    gpu->patience = (int64_t)(1e9 * (options->grace < 1 ? 1 : options->grace));
    hsi_cuda_data_open(&gpu->data, &gpu->fault);
    st = hsi_blas_open(error);
    if (st == HS_OK && !hsi_cuda_check_open(gpu))
        st = HS_ENOMEM;
    if (st != HS_OK) {
        free(gpu);
        return st;
    }
    if (take_device(gpu) && open_contexts(gpu) && hsi_cuda_time_open(&gpu->time, &gpu->fault)) {
        *out = &gpu->base;
        return HS_OK;
    }
    st = refuse(gpu, error);
    hsi_cuda_close(&gpu->base);
    return st;
}

void hsi_cuda_close(hs_backend_worker *worker)
{
    hsi_cuda_gpu *gpu = hsi_cuda_gpu_of(worker);
    unsigned      i;

    if (!gpu)
        return;
    if (gpu->fault.hung) { /* calls that free memory of the GPU would wait forever */
        free(gpu->data.squares[0].sum);
        free(gpu->data.squares[1].sum);
        hsi_cuda_check_close(gpu);
        hsi_cuda_graph_free_host_memory(gpu->graph);
        free(gpu);
        return;
    }
    for (i = 0; i < gpu->contexts; i++)
        hsi_cuda_drain_stream(&gpu->context[i]);
    hsi_cuda_graph_free(gpu->graph);
    for (i = 0; i < gpu->contexts; i++)
        hsi_stream_context_close(&gpu->context[i]);
    hsi_cuda_time_close(&gpu->time);
    hsi_cuda_data_close(&gpu->data);
    hsi_cuda_check_close(gpu);
    free(gpu);
}

void *hsi_cuda_stream(hs_backend_worker *worker)
{
    return hsi_cuda_gpu_of(worker)->context[0].stream;
}

bool hsi_stream_context_reserve_for_body(hsi_cuda_gpu *gpu, hsi_stream_context *context,
                                         const hsi_cuda_body *body)
{
    size_t arena = hsi_cuda_arena_bytes(gpu, context, body);

    return arena && hsi_stream_context_reserve_arena(context, arena) &&
           hsi_stream_context_reserve_room(context, hsi_cuda_results_bytes(body));
}

/* The distinct pairs of kernel and size that warm_up() runs, up to a limit. */
enum { KINDS_MOST = 256 };

typedef struct kinds {
    const hsi_cuda_body *body[KINDS_MOST];
    uint32_t             task[KINDS_MOST];
    unsigned             count;
} kinds;

static bool is_known(const kinds *k, const hsi_cuda_body *body)
{
    unsigned i;

    for (i = 0; i < k->count; i++)
        if (k->body[i]->cuda == body->cuda && k->body[i]->n == body->n)
            return true;
    return false;
}

static void find_kinds(const hs_backend_item *items, size_t count, kinds *k)
{
    size_t i;

    k->count = 0;
    for (i = 0; i < count && k->count < KINDS_MOST; i++) {
        const hsi_cuda_body *body = hsi_cuda_body_of(items[i].body);

        if (is_known(k, body))
            continue;
        k->body[k->count] = body;
        k->task[k->count++] = items[i].task;
    }
}

/* Return the largest body of the kernel, or NULL if there is none. */
static const hsi_cuda_body *largest_of(const hs_backend_item *items, size_t count,
                                       const hsi_cuda_kernel *kernel)
{
    const hsi_cuda_body *largest = NULL;
    size_t               i;

    for (i = 0; i < count; i++) {
        const hsi_cuda_body *body = hsi_cuda_body_of(items[i].body);

        if (body->cuda == kernel && (!largest || body->n > largest->n))
            largest = body;
    }
    return largest;
}

/* Make the pool large enough for all tasks. Graphs contain addresses in the pool, so the pool may
 * not move later. */
static bool fit_data(hsi_cuda_gpu *gpu, const hs_backend_item *items, size_t count)
{
    const hsi_cuda_kernel *kernel;
    size_t                 i;

    for (i = 0; (kernel = hsi_cuda_kernel_at(i)); i++) {
        const hsi_cuda_body *body = largest_of(items, count, kernel);

        if (body && !hsi_cuda_data_grow_pool(gpu, body))
            return false;
    }
    return true;
}

static bool fit_contexts(hsi_cuda_gpu *gpu, const kinds *k)
{
    unsigned i, j;

    for (i = 0; i < gpu->contexts; i++)
        for (j = 0; j < k->count; j++)
            if (!hsi_stream_context_reserve_for_body(gpu, &gpu->context[i], k->body[j]))
                return do_without(gpu, i);
    return true;
}

static bool is_least_of_kernel(const kinds *k, unsigned which)
{
    unsigned i;

    for (i = 0; i < k->count; i++)
        if (k->body[i]->cuda == k->body[which]->cuda && k->body[i]->n < k->body[which]->n)
            return false;
    return true;
}

bool hsi_cuda_run_warm_up_task(hsi_cuda_gpu *gpu, hsi_stream_context *context,
                               const hs_instance *instance, const hsi_cuda_body *body,
                               uint32_t task)
{
    hsi_cuda_results results = hsi_cuda_results_at(body, context->room, false);
    hsi_cuda_run     run;

    return hsi_cuda_copy_in_and_launch(gpu, context, body, instance, task, &results, &run) &&
           CUDA(&gpu->fault, cudaStreamSynchronize, context->stream);
}

/*
 * Run each kind once in the first stream context, so the libraries are loaded before the first
 * measured task. In each other stream context, run the smallest kind of each kernel, since
 * libraries also delay work until the first call with a handle.
 */
static bool warm_up(hsi_cuda_gpu *gpu, const hs_instance *instance, const kinds *k)
{
    unsigned context, i;

    for (context = 0; context < gpu->contexts; context++)
        for (i = 0; i < k->count; i++)
            if ((context == 0 || is_least_of_kernel(k, i)) &&
                !hsi_cuda_run_warm_up_task(gpu, &gpu->context[context], instance, k->body[i],
                                           k->task[i]))
                return do_without(gpu, context);
    return true;
}

/* Create the graphs. If that fails and the GPU still works, tasks are launched one by one. */
static hs_status make_graph(hsi_cuda_gpu *gpu, const hs_instance *instance,
                            const hs_backend_item *items, size_t count, hs_error *error)
{
    hs_status      st = hsi_cuda_graph_create(gpu, instance, items, count, &gpu->graph);
    hsi_cuda_fault fault = gpu->fault;

    hsi_cuda_check_next_of_all_kinds(
        gpu); /* a batch may be dropped, so stream contexts restart the count */
    if (st != HS_ERESOURCE)
        return st;
    gpu->fault.text[0] = '\0';
    if (!CUDA(&gpu->fault, cudaStreamSynchronize, gpu->context[0].stream)) {
        gpu->fault = fault;
        return refuse(gpu, error);
    }
    snprintf(gpu->note, sizeof gpu->note,
             "without graphs, which cannot be made: each task goes to GPU %d by itself: %s",
             gpu->device, fault.text);
    return HS_OK;
}

hs_status hsi_cuda_prepare(hs_backend_worker *worker, const hs_instance *instance,
                           const hs_backend_item *items, size_t count, int ordered, hs_error *error)
{
    hsi_cuda_gpu *gpu = hsi_cuda_gpu_of(worker);
    kinds         k;

    find_kinds(items, count, &k);
    if (!fit_data(gpu, items, count) || !fit_contexts(gpu, &k) || !warm_up(gpu, instance, &k))
        return refuse(gpu, error);
    if (gpu->mode == HS_GPU_GRAPH && ordered)
        return make_graph(gpu, instance, items, count, error);
    return HS_OK;
}
