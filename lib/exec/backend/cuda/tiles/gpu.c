/* SPDX-License-Identifier: BSD-3-Clause */
/* The GPU of a worker: its streams and the memory for tiles. */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "exec/backend/cuda/tiles/tiles.h"
#include "support/clock.h"

static bool take_device(hsi_tiles_gpu *gpu)
{
    struct cudaDeviceProp properties;
    char                  uuid[48];

    if (!hsi_tiles_make_gpu_current(gpu) ||
        !CUDA(&gpu->fault, cudaGetDeviceProperties, &properties, gpu->device))
        return false;
    gpu->bytes = properties.totalGlobalMem;
    hsi_cuda_uuid(&properties, uuid);
    snprintf(gpu->label, sizeof gpu->label, "%.100s, %s", properties.name, uuid);
    return true;
}

static bool make_events(hsi_tiles_gpu *gpu, hsi_tiles_queue *queue)
{
    unsigned k;

    for (k = 0; k < HSI_TILES_EVENTS; k++)
        if (!CUDA(&gpu->fault, cudaEventCreateWithFlags, &queue->event[k], cudaEventDisableTiming))
            return false;
    return true;
}

unsigned hsi_tiles_steps_of_matrix(const hsi_matrix *matrix)
{
    unsigned steps = 0;
    size_t   i;

    for (i = 0; i < matrix->rows; i++)
        steps |= 1U << matrix->row[i].step;
    return steps;
}

/* Make the arena of a stream context large enough for each step of the matrix. */
static bool fit_context(hsi_tiles_gpu *gpu, hsi_stream_context *context)
{
    const hsi_matrix *matrix = gpu->memory->matrix;
    unsigned          steps = hsi_tiles_steps_of_matrix(matrix), step;
    size_t            bytes = 0;
    int               elements;

    for (step = HSI_NO_STEP; step <= HSI_TPMQRT; step++) {
        if (!(steps >> step & 1))
            continue;
        if (!hsi_tiles_solver_elements(context, (hsi_step)step, matrix->tile, &elements))
            return false;
        gpu->work = hsi_larger(gpu->work, elements);
    }
    for (step = HSI_NO_STEP; step <= HSI_TPMQRT; step++)
        if (steps >> step & 1) {
            size_t room = hsi_tiles_arena_bytes((hsi_step)step, matrix->tile, gpu->work,
                                                hsi_matrix_element_bytes(matrix));

            bytes = room > bytes ? room : bytes;
        }
    return bytes == 0 || hsi_stream_context_reserve_arena(context, bytes);
}

bool hsi_tiles_open_stream_context(hsi_tiles_gpu *gpu, unsigned number)
{
    const size_t        usual = (size_t)32 << 20, little = (size_t)1 << 20;
    size_t              blas = gpu->bytes / 64 / HSI_TILES_CONTEXTS >= usual ? usual : little;
    hsi_stream_context *context = &gpu->context[number];

    if (!hsi_stream_context_open(context, &gpu->fault, blas))
        return false;
    context->single = gpu->memory->matrix->single;
    if (!fit_context(gpu, context))
        return false;
    gpu->queue[number].stream = context->stream;
    return make_events(gpu, &gpu->queue[number]);
}

static bool open_lines(hsi_tiles_gpu *gpu)
{
    unsigned i;

    for (i = 0; i < HSI_TILES_CONTEXTS; i++)
        if (!hsi_tiles_open_stream_context(gpu, i))
            return false;
    for (i = HSI_TILES_IN; i <= HSI_TILES_OUT; i++)
        if (!CUDA(&gpu->fault, cudaStreamCreateWithFlags, &gpu->queue[i].stream,
                  cudaStreamNonBlocking) ||
            !make_events(gpu, &gpu->queue[i]))
            return false;
    return true;
}

/* Return the bytes for tiles. The number does not depend on other processes. */
static double share_of(const hsi_tiles_gpu *gpu)
{
    const hsi_memory *memory = gpu->memory;

    return memory->limit > 0 ? memory->limit : memory->share * (double)gpu->bytes;
}

/* Return the number of slots: one per piece, and a few spare ones for tasks that may fail, as far
 * as the share has room. */
static uint32_t wanted_slots(const hsi_tiles_gpu *gpu)
{
    const hsi_memory *memory = gpu->memory;
    double            most = (double)memory->matrix->pieces + 2 * HSI_OPERANDS;
    double            fit = (double)(uint32_t)(share_of(gpu) / (double)memory->tile_bytes);

    return (uint32_t)(fit < most ? fit : most);
}

/* Explain why the memory for tiles could not be allocated. */
static void explain_lack(hsi_tiles_gpu *gpu)
{
    const double MiB = 1 << 20;
    size_t       room = 0, all = 0;

    if (cudaMemGetInfo(&room, &all) != cudaSuccess)
        cudaGetLastError();
    snprintf(gpu->fault.text, sizeof gpu->fault.text,
             "%.0f of its %.0f MiB are free and tiles take %.0f: other processes hold the rest; "
             "wait for them, or give tiles less with settings.gpu.tile_memory",
             (double)room / MiB, (double)gpu->bytes / MiB,
             (double)gpu->slots * (double)gpu->memory->tile_bytes / MiB);
}

/* Allocate the whole share or fail, so a run does not depend on other processes. */
static bool take_tiles(hsi_tiles_gpu *gpu)
{
    hsi_memory *memory = gpu->memory;
    uint32_t    least = hsi_tiles_least(memory->matrix);
    void       *at = NULL;

    gpu->slots = wanted_slots(gpu);
    if (gpu->slots < least) {
        snprintf(gpu->fault.text, sizeof gpu->fault.text,
                 "tiles take %.0f bytes, too few for the %u tiles of one task: raise "
                 "settings.gpu.tile_memory",
                 share_of(gpu), least);
        return false;
    }
    if (!CUDA(&gpu->fault, cudaMalloc, &at, gpu->slots * memory->tile_bytes) && gpu->fault.memory)
        explain_lack(gpu);
    gpu->tiles = at;
    return at != NULL;
}

static bool take_small(hsi_tiles_gpu *gpu)
{
    size_t bytes = HSI_TILES_IN_FLIGHT * sizeof *gpu->info;
    void  *there = NULL, *here = NULL;
    bool   ok = CUDA(&gpu->fault, cudaMalloc, &there, bytes);

    gpu->info = there;
    ok = ok && CUDA(&gpu->fault, cudaHostAlloc, &here, bytes, cudaHostAllocPortable);
    gpu->info_here = here;
    return ok;
}

static bool take_unit(hsi_tiles_gpu *gpu)
{
    const int order = HSI_KERNEL_PANEL;
    bool      single = gpu->memory->matrix->single;
    size_t    bytes = hsi_matrix_element_bytes(gpu->memory->matrix) * (size_t)order * (size_t)order;
    cudaStream_t stream = gpu->context[0].stream;
    void        *there = NULL, *here = NULL;
    int          i, ok;

    ok = CUDA(&gpu->fault, cudaMalloc, &there, bytes) &&
         CUDA(&gpu->fault, cudaHostAlloc, &here, bytes, cudaHostAllocDefault);
    gpu->unit = there;
    gpu->unit_here = here;
    if (!ok)
        return false;
    memset(here, 0, bytes);
    for (i = 0; i < order; i++)
        if (single)
            ((float *)here)[hsi_element_index(order, i, i)] = 1;
        else
            ((double *)here)[hsi_element_index(order, i, i)] = 1;
    return CUDA(&gpu->fault, cudaMemcpyAsync, there, here, bytes, cudaMemcpyHostToDevice, stream) &&
           CUDA(&gpu->fault, cudaStreamSynchronize, stream);
}

/* Warm up all stream contexts. This needs memory of the GPU, of which take_tiles() may leave none.
 */
static bool warm_contexts(hsi_tiles_gpu *gpu)
{
    unsigned i;

    for (i = 0; i < HSI_TILES_CONTEXTS; i++)
        if (!hsi_tiles_warm_up(gpu, &gpu->context[i]))
            return false;
    return true;
}

static void free_events(hsi_tiles_gpu *gpu)
{
    unsigned i, k;

    for (i = 0; i < HSI_TILES_QUEUES; i++) {
        hsi_tiles_queue *queue = &gpu->queue[i];

        for (k = 0; k < HSI_TILES_EVENTS; k++)
            if (queue->event[k])
                cudaEventDestroy(queue->event[k]);
        memset(queue->event, 0, sizeof queue->event);
        queue->over = queue->last;
        if (i >= HSI_TILES_IN && queue->stream)
            cudaStreamDestroy(queue->stream);
        queue->stream = NULL;
    }
}

/* Free everything. No work of the GPU is in flight. */
static void release_all(hsi_tiles_gpu *gpu)
{
    cudaSetDevice(gpu->device); /* meet_peers() may have left another device current */
    hsi_tiles_segment_free_all(gpu);
    free_events(gpu);
    for (unsigned i = 0; i < HSI_TILES_ALL_CONTEXTS; i++)
        hsi_stream_context_close(&gpu->context[i]);
    if (gpu->tiles)
        cudaFree(gpu->tiles);
    if (gpu->unit)
        cudaFree(gpu->unit);
    if (gpu->unit_here)
        cudaFreeHost(gpu->unit_here);
    if (gpu->info)
        cudaFree(gpu->info);
    if (gpu->info_here)
        cudaFreeHost(gpu->info_here);
    hsi_cuda_time_close(&gpu->time);
    free(gpu->place);
    free(gpu->reads);
    gpu->tiles = NULL;
    gpu->unit = NULL;
    gpu->unit_here = NULL;
    gpu->info = gpu->info_here = NULL;
    gpu->place = NULL;
    gpu->reads = NULL;
    gpu->slots = 0;
    memset(gpu->in_flight, 0, sizeof gpu->in_flight);
}

/* Return whether one GPU can read the memory of another. Without access, copies go through the
 * host. */
static bool has_access(const hsi_tiles_gpu *to, const hsi_tiles_gpu *from)
{
    int         can = 0;
    cudaError_t error = cudaDeviceCanAccessPeer(&can, to->device, from->device);

    if (error == cudaSuccess && can)
        error = cudaSetDevice(to->device);
    if (error == cudaSuccess && can)
        error = cudaDeviceEnablePeerAccess(from->device, 0);
    cudaGetLastError();
    return can && (error == cudaSuccess || error == cudaErrorPeerAccessAlreadyEnabled);
}

static void meet_peers(hsi_tiles_gpu *gpu)
{
    hsi_memory *memory = gpu->memory;
    unsigned    i;

    for (i = 0; i < memory->gpus; i++) {
        hsi_tiles_gpu *other = &memory->gpu[i];

        if (other != gpu && other->open && has_access(gpu, other) && has_access(other, gpu))
            hsi_nodes_link_peers(memory->nodes, gpu->node, other->node);
    }
}

static hs_status make_places(hsi_tiles_gpu *gpu)
{
    hsi_memory *memory = gpu->memory;

    gpu->place = hsi_tiles_allocate_places(gpu->slots, memory->queues, &gpu->reads);
    return gpu->place ? hsi_nodes_open(memory->nodes, gpu->node, gpu->slots) : HS_ENOMEM;
}

hs_status hsi_tiles_open(const hs_backend_options *options, const hs_backend_worker_info *info,
                         hs_backend_worker **out, hs_error *error)
{
    hsi_memory    *memory = options->data;
    hsi_tiles_gpu *gpu = &memory->gpu[info->index];
    hs_status      st = HS_ERESOURCE;

    pthread_mutex_lock(&memory->lock);
    gpu->base.backend = &hsi_backend_tiles;
    gpu->device = (int)info->device_index;
    gpu->fault.text[0] = '\0';
    gpu->broken = false;
    gpu->wanted = NULL;
    if (take_device(gpu) && open_lines(gpu) && (memory->matrix->kind != HS_QR || take_unit(gpu)) &&
        warm_contexts(gpu) && take_tiles(gpu) && take_small(gpu) &&
        (!memory->matrix->records || hsi_cuda_time_open(&gpu->time, &gpu->fault)))
        st = make_places(gpu);
    if (st == HS_OK) {
        meet_peers(gpu);
        if (!hsi_tiles_make_gpu_current(gpu))
            st = HS_ERESOURCE;
    }
    gpu->open = st == HS_OK;
    if (st == HS_OK)
        *out = &gpu->base;
    else
        release_all(gpu);
    pthread_mutex_unlock(&memory->lock);
    return st == HS_ERESOURCE ? hsi_error_set(error, st, "no GPU %d (%s): %s", gpu->device,
                                              gpu->label, gpu->fault.text)
                              : st;
}

static void send_home(hsi_tiles_gpu *gpu)
{
    hsi_memory *memory = gpu->memory;
    hsi_moves   moves;
    size_t      i;

    for (i = 0; i < memory->matrix->pieces && !gpu->broken; i++)
        if (hsi_nodes_replica_state(memory->nodes, gpu->node, i) == HSI_DIRTY &&
            hsi_nodes_bring(memory->nodes, HSI_HOST, i, true, &moves) == HSI_THERE)
            hsi_tiles_start_copies(memory, &moves);
}

/* Wait for the end of all steps of the GPU. Other threads use the lock meanwhile, but start no work
 * here, since the GPU holds no data that they need. */
static void wait_for_all(hsi_tiles_gpu *gpu)
{
    hsi_memory *memory = gpu->memory;
    int64_t     start = hsi_clock_ns();
    unsigned    i = 0;

    while (i < HSI_TILES_QUEUES && !gpu->broken) {
        if (hsi_tiles_step_completed(memory, hsi_tiles_queue_number(gpu, i), gpu->queue[i].last)) {
            i++;
            continue;
        }
        pthread_mutex_unlock(&memory->lock);
        hsi_cuda_polling_pause(start);
        pthread_mutex_lock(&memory->lock);
    }
}

/* Return whether other GPUs are copying tiles from this one. */
static bool is_read(const hsi_tiles_gpu *gpu)
{
    hsi_memory *memory = gpu->memory;
    uint32_t    s;
    unsigned    i;

    for (s = 0; s < gpu->slots; s++)
        for (i = 0; i < memory->queues; i++)
            if (i / HSI_TILES_QUEUES != gpu->node - 1 &&
                hsi_tiles_step_completed(memory, i, gpu->place[s].read[i]) == 0)
                return true;
    return false;
}

/* Wait for copies to other GPUs. No new copy starts, since the node is closed. */
static void wait_for_readers(hsi_tiles_gpu *gpu)
{
    int64_t start = hsi_clock_ns();

    while (is_read(gpu)) {
        pthread_mutex_unlock(&gpu->memory->lock);
        hsi_cuda_polling_pause(start);
        pthread_mutex_lock(&gpu->memory->lock);
    }
}

void hsi_tiles_close(hs_backend_worker *worker)
{
    hsi_tiles_gpu *gpu = worker ? hsi_tiles_of(worker) : NULL;
    hsi_memory    *memory;

    if (!gpu)
        return;
    memory = gpu->memory;
    pthread_mutex_lock(&memory->lock);
    if (hsi_tiles_make_gpu_current(gpu))
        send_home(gpu);
    else
        hsi_tiles_mark_broken(gpu);
    wait_for_all(gpu);
    if (gpu->open)
        hsi_nodes_close(memory->nodes, gpu->node);
    gpu->open = false;
    wait_for_readers(gpu);
    hsi_tiles_make_gpu_current(gpu);
    for (unsigned i = 0; i < HSI_TILES_QUEUES; i++)
        if (gpu->queue[i].stream)
            cudaStreamSynchronize(gpu->queue[i].stream); /* also on a broken GPU */
    hsi_tiles_collect_copy_records(gpu);
    release_all(gpu);
    pthread_mutex_unlock(&memory->lock);
}
