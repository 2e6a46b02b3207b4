/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps of queues, the waits between queues, and copies of tiles. */
#include <stdio.h>
#include <string.h>

#include "exec/backend/cuda/range.h"
#include "exec/backend/cuda/tiles/tiles.h"

static hsi_tiles_gpu *gpu_of(const hsi_memory *memory, unsigned queue)
{
    return &memory->gpu[queue / HSI_TILES_QUEUES];
}

static hsi_tiles_queue *queue_of(const hsi_memory *memory, unsigned queue)
{
    return &gpu_of(memory, queue)->queue[queue % HSI_TILES_QUEUES];
}

bool hsi_tiles_make_gpu_current(hsi_tiles_gpu *gpu)
{
    return CUDA(&gpu->fault, cudaSetDevice, gpu->device);
}

/* Return the event of a step. If the event is reused, return the oldest event that is left, whose
 * step is a later one. */
static cudaEvent_t event_of(const hsi_tiles_queue *queue, uint64_t number)
{
    uint64_t oldest = queue->last < HSI_TILES_EVENTS ? 1 : queue->last - HSI_TILES_EVENTS + 1;

    return queue->event[(number > oldest ? number : oldest) % HSI_TILES_EVENTS];
}

/* Steps in the same stream need no wait. */
bool hsi_tiles_wait_for_step(hsi_memory *memory, unsigned queue, unsigned other, uint64_t step)
{
    hsi_tiles_queue *before = queue_of(memory, other);
    cudaStream_t     stream = queue_of(memory, queue)->stream;

    if (stream == before->stream || step <= before->over || gpu_of(memory, other)->broken)
        return true;
    return CUDA(&gpu_of(memory, queue)->fault, cudaStreamWaitEvent, stream, event_of(before, step),
                0);
}

bool hsi_tiles_wait_for_place(hsi_memory *memory, unsigned queue, const hsi_tiles_place *place,
                              bool write)
{
    unsigned i;

    if (!hsi_tiles_wait_for_step(memory, queue, place->writer, place->written))
        return false;
    for (i = 0; write && i < memory->queues; i++)
        if (!hsi_tiles_wait_for_step(memory, queue, i, place->read[i]))
            return false;
    return true;
}

void hsi_tiles_record_access(hsi_memory *memory, unsigned queue, hsi_tiles_place *place, bool write)
{
    uint64_t number = queue_of(memory, queue)->last + 1;

    if (!write) {
        place->read[queue] = number;
        return;
    }
    place->writer = queue;
    place->written = number;
    place->peer = HSI_HOST;
    memset(place->read, 0, memory->queues * sizeof *place->read);
}

bool hsi_tiles_end_step(hsi_memory *memory, unsigned queue)
{
    hsi_tiles_queue *l = queue_of(memory, queue);

    l->last++;
    return CUDA(&gpu_of(memory, queue)->fault, cudaEventRecord,
                l->event[l->last % HSI_TILES_EVENTS], l->stream);
}

int hsi_tiles_step_completed(hsi_memory *memory, unsigned queue, uint64_t step)
{
    hsi_tiles_gpu   *gpu = gpu_of(memory, queue);
    hsi_tiles_queue *l = queue_of(memory, queue);
    int             over;

    if (step <= l->over)
        return 1;
    if (gpu->broken)
        return -1;
    over = hsi_tiles_make_gpu_current(gpu)
               ? hsi_cuda_event_completed(&gpu->fault, event_of(l, step), false)
               : -1;
    if (over > 0)
        l->over = step;
    if (over < 0)
        hsi_tiles_mark_broken(gpu);
    return over;
}

/* A copy of a tile. The queue belongs to the target GPU, or to the source GPU if the target is the
 * host. */
typedef struct passage {
    hsi_tiles_gpu   *gpu;
    unsigned         queue;
    hsi_tiles_place *from, *to;
    const void      *source;
    void            *target;
    size_t           bytes;
} passage;

static void *tile_at(const hsi_tiles_gpu *gpu, uint32_t slot)
{
    return gpu->tiles + slot * gpu->memory->tile_bytes;
}

static passage find_passage(hsi_memory *memory, const hsi_move *move)
{
    bool             home = move->to == HSI_HOST;
    const hsi_datum *piece = &memory->matrix->piece[move->piece];
    hsi_tiles_place *there, *here = &memory->home[move->piece];
    void            *tile;
    passage          p = {.gpu = &memory->gpu[(home ? move->from : move->to) - 1]};

    there = &p.gpu->place[move->slot];
    tile = tile_at(p.gpu, move->slot);
    p.queue = hsi_tiles_queue_number(p.gpu, home ? HSI_TILES_OUT : HSI_TILES_IN);
    p.bytes = hsi_matrix_piece_elements(memory->matrix, piece->matrix) *
              hsi_matrix_element_bytes(memory->matrix);
    p.from = home ? there : here;
    p.to = home ? here : there;
    p.source = home ? tile : piece->at;
    p.target = home ? piece->at : tile;
    if (!home && move->from != HSI_HOST) {
        const hsi_tiles_gpu *peer = &memory->gpu[move->from - 1];

        p.from = &peer->place[move->peer_slot];
        p.source = tile_at(peer, move->peer_slot);
    }
    return p;
}

static bool enqueue(const passage *p, const hsi_memory *memory, const hsi_move *move,
                    cudaStream_t stream)
{
    hsi_cuda_fault *fault = &p->gpu->fault;

    if (move->from != HSI_HOST && move->to != HSI_HOST)
        return CUDA(fault, cudaMemcpyPeerAsync, p->target, p->gpu->device, p->source,
                    memory->gpu[move->from - 1].device, p->bytes, stream);
    return CUDA(fault, cudaMemcpyAsync, p->target, p->source, p->bytes,
                move->to == HSI_HOST ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice, stream);
}

static bool put_copy(const passage *p, const hsi_memory *memory, const hsi_move *move)
{
    cudaStream_t    stream = p->gpu->queue[p->queue % HSI_TILES_QUEUES].stream;
    hsi_tiles_copy *record;
    bool            made;

    hsi_cuda_range_begin(move->to == HSI_HOST     ? "tile to host"
                         : move->from == HSI_HOST ? "tile to GPU"
                                                  : "tile from peer");
    made = hsi_tiles_record_copy_begin(p->gpu, stream, move, p->bytes, &record) &&
           enqueue(p, memory, move, stream) && hsi_tiles_record_copy_end(p->gpu, stream, record);
    hsi_cuda_range_end();
    return made;
}

static bool copy(hsi_memory *memory, const hsi_move *move)
{
    passage p = find_passage(memory, move);

    if (p.gpu->broken || !hsi_tiles_make_gpu_current(p.gpu) ||
        !hsi_tiles_wait_for_place(memory, p.queue, p.from, false) ||
        !hsi_tiles_wait_for_place(memory, p.queue, p.to, true) || !put_copy(&p, memory, move)) {
        hsi_tiles_mark_broken(p.gpu);
        return false;
    }
    hsi_tiles_record_access(memory, p.queue, p.from, false);
    hsi_tiles_record_access(memory, p.queue, p.to, true);
    p.to->peer = move->to == HSI_HOST ? HSI_HOST : move->from;
    if (hsi_tiles_end_step(memory, p.queue))
        return true;
    hsi_tiles_mark_broken(p.gpu);
    return false;
}

bool hsi_tiles_start_copies(hsi_memory *memory, const hsi_moves *moves)
{
    unsigned i;

    for (i = 0; i < moves->count; i++)
        if (!copy(memory, &moves->move[i])) {
            for (; i < moves->count; i++) /* the nodes count these moves as made */
                hsi_nodes_mark_lost(memory->nodes, moves->move[i].piece);
            return false;
        }
    return true;
}

static bool is_on_its_way(const hsi_memory *memory, const hsi_tiles_place *place)
{
    return place->written && place->written > queue_of(memory, place->writer)->over;
}

/* Mark the pieces lost that the GPU was copying to the host, since the copies may be incomplete. */
static void lose_what_it_wrote(hsi_tiles_gpu *gpu)
{
    hsi_memory *memory = gpu->memory;
    size_t      i;

    for (i = 0; i < memory->matrix->pieces; i++) {
        const hsi_tiles_place *place = &memory->home[i];

        if (gpu_of(memory, place->writer) == gpu && is_on_its_way(memory, place))
            hsi_nodes_mark_lost(memory->nodes, i);
    }
}

/* Mark the pieces lost that other GPUs were copying from this GPU. */
static void lose_what_they_read(hsi_tiles_gpu *gpu)
{
    hsi_memory *memory = gpu->memory;
    unsigned    i;
    size_t      piece;

    for (i = 0; i < memory->gpus; i++) {
        const hsi_tiles_gpu *other = &memory->gpu[i];

        for (piece = 0; other->open && piece < memory->matrix->pieces; piece++) {
            uint32_t slot = hsi_nodes_slot(memory->nodes, other->node, piece);

            if (slot != HS_NONE && other->place[slot].peer == gpu->node &&
                is_on_its_way(memory, &other->place[slot]))
                hsi_nodes_mark_lost(memory->nodes, piece);
        }
    }
}

/* Wait for copies that may still run after a fault. The calls return at once on a broken GPU. */
static void come_to_rest(hsi_tiles_gpu *gpu)
{
    unsigned i;

    for (i = 0; i < HSI_TILES_QUEUES; i++)
        if (gpu->queue[i].stream)
            cudaStreamSynchronize(gpu->queue[i].stream);
    cudaGetLastError();
}

void hsi_tiles_mark_broken(hsi_tiles_gpu *gpu)
{
    hsi_memory *memory = gpu->memory;

    if (gpu->broken)
        return;
    gpu->broken = true;
    come_to_rest(gpu);
    if (!memory->why_lost[0])
        snprintf(memory->why_lost, HS_WHY, "%s; GPU %d (%.150s)", gpu->fault.text, gpu->device,
                 gpu->label);
    if (gpu->open)
        hsi_nodes_close(memory->nodes, gpu->node);
    gpu->open = false;
    lose_what_it_wrote(gpu);
    lose_what_they_read(gpu);
}
