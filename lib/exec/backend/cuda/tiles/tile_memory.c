/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "exec/backend/cuda/tiles/tiles.h"
#include "support/clock.h"

hsi_tiles_place *hsi_tiles_allocate_places(size_t places, unsigned queues, uint64_t **reads)
{
    hsi_tiles_place *place = calloc(places + 1, sizeof *place);
    size_t           i;

    *reads = calloc(places * queues + 1, sizeof **reads);
    if (!place || !*reads) {
        free(place);
        free(*reads);
        *reads = NULL;
        return NULL;
    }
    for (i = 0; i < places; i++)
        place[i].read = *reads + i * queues;
    return place;
}

uint32_t hsi_tiles_least(const hsi_matrix *matrix)
{
    uint32_t most = 0;
    size_t   i;
    int      k;

    for (i = 0; i < matrix->rows; i++) {
        const hsi_matrix_row *row = &matrix->row[i];
        uint32_t              needed = 0;

        for (k = 0; k < row->count; k++)
            needed += 1 + (row->operand[k].mode == HS_READ_WRITE && matrix->may_fail);
        most = needed > most ? needed : most;
    }
    return most;
}

static hs_status make(hsi_memory *memory)
{
    unsigned i;

    memory->gpu = calloc(memory->gpus + 1, sizeof *memory->gpu);
    memory->home =
        hsi_tiles_allocate_places(memory->matrix->pieces, memory->queues, &memory->reads);
    if (!memory->gpu || !memory->home)
        return HS_ENOMEM;
    for (i = 0; i < memory->gpus; i++) {
        memory->gpu[i].memory = memory;
        memory->gpu[i].node = i + 1;
    }
    return hsi_nodes_create(memory->matrix->pieces, memory->gpus + 1, &memory->nodes);
}

hs_status hsi_tiles_create(hsi_matrix *matrix, unsigned gpus, const hs_exec_settings *settings,
                           hsi_memory **out, hs_error *error)
{
    const double usual = 0.8; /* the rest is for code, libraries and displays */
    double       bytes = settings->gpu.tile_memory;
    size_t       tile =
        (hsi_matrix_elements(matrix) * hsi_matrix_element_bytes(matrix) + 255) / 256 * 256;
    double      least = (double)tile * hsi_tiles_least(matrix);
    hsi_memory *memory;
    hs_status   st;

    if (bytes > 0 && bytes < least)
        return hsi_error_set(error, HS_EINVAL,
                             "on a GPU one task needs %.0f bytes for its tiles, more than "
                             "settings.gpu.tile_memory",
                             least);
    memory = calloc(1, sizeof *memory);
    if (!memory || pthread_mutex_init(&memory->lock, NULL) != 0) {
        free(memory);
        return HS_ENOMEM;
    }
    memory->matrix = matrix;
    memory->gpus = gpus;
    memory->queues = gpus * HSI_TILES_QUEUES;
    memory->tile_bytes = tile;
    memory->limit = bytes;
    memory->share = settings->gpu.tile_share > 0 ? settings->gpu.tile_share : usual;
    st = make(memory);
    if (st == HS_OK)
        *out = memory;
    else
        hsi_tiles_free(memory);
    return st;
}

void hsi_tiles_free(hsi_memory *memory)
{
    hsi_nodes_free(memory->nodes);
    free(memory->home);
    free(memory->reads);
    free(memory->gpu);
    hsi_tiles_free_copy_records(memory);
    pthread_mutex_destroy(&memory->lock);
    free(memory);
}

/* No worker is open, and no step is in flight. */
void hsi_tiles_reset_for_run(hsi_memory *memory)
{
    size_t i;

    hsi_nodes_reset(memory->nodes);
    memory->why_lost[0] = '\0';
    memory->epoch = hsi_clock_ns();
    hsi_tiles_free_copy_records(memory);
    for (i = 0; i < memory->matrix->pieces; i++)
        memory->home[i].written = 0;
    memset(memory->reads, 0, memory->matrix->pieces * memory->queues * sizeof *memory->reads);
}

int hsi_tiles_was_lost(hsi_memory *memory, char why[HS_WHY])
{
    size_t i;

    for (i = 0; i < memory->matrix->pieces; i++)
        if (hsi_nodes_is_lost(memory->nodes, i)) {
            snprintf(why, HS_WHY, "part of the result is lost with a GPU: %.300s",
                     memory->why_lost);
            return 1;
        }
    return 0;
}

static void *allocate(size_t bytes)
{
    void *at = NULL;

    if (cudaHostAlloc(&at, bytes, cudaHostAllocPortable) == cudaSuccess)
        return at;
    cudaGetLastError();
    return NULL;
}

static void release(void *at)
{
    cudaFreeHost(at);
}

const hsi_sharing hsi_cuda_sharing = {
    .backend = &hsi_backend_tiles,
    .create = hsi_tiles_create,
    .free = hsi_tiles_free,
    .renew = hsi_tiles_reset_for_run,
    .allocate = allocate,
    .release = release,
    .take = hsi_tiles_acquire_on_host,
    .give = hsi_tiles_release_on_host,
    .expect = hsi_tiles_prefetch_to_host,
    .segment = hsi_tiles_segment_make,
    .ahead = hsi_tiles_launch_certain_tasks,
    .next = hsi_tiles_set_prefetch,
    .lost = hsi_tiles_was_lost,
    .transfers = hsi_tiles_transfers,
};
