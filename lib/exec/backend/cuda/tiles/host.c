/* SPDX-License-Identifier: BSD-3-Clause */
/* Access to tiles for workers of CPUs: wait for the tiles, and mark them written. */
#include <stdio.h>

#include "exec/backend/cuda/tiles/tiles.h"
#include "exec/error_text.h"
#include "support/clock.h"

/* Return 1 if the steps that use a place on the host have completed, 0 if not, -1 if the GPU of the
 * writing step is broken. */
static int is_quiet(hsi_memory *memory, const hsi_tiles_place *place, bool write)
{
    int      over = hsi_tiles_step_completed(memory, place->writer, place->written);
    unsigned i;

    for (i = 0; over > 0 && write && i < memory->queues; i++)
        if (hsi_tiles_step_completed(memory, i, place->read[i]) ==
            0) /* a broken GPU does not read */
            return 0;
    return over;
}

static int are_quiet(hsi_memory *memory, const hsi_matrix_row *row)
{
    int i, quiet = 1;

    for (i = 0; i < row->count && quiet > 0; i++)
        quiet =
            is_quiet(memory, &memory->home[row->operand[i].piece], row->operand[i].mode != HS_READ);
    return quiet;
}

static bool wait_until_quiet(hsi_memory *memory, const hsi_matrix_row *row)
{
    int64_t start = hsi_clock_ns();
    int     quiet;

    while ((quiet = are_quiet(memory, row)) == 0) {
        pthread_mutex_unlock(&memory->lock);
        hsi_cuda_polling_pause(start);
        pthread_mutex_lock(&memory->lock);
    }
    return quiet > 0;
}

static bool bring_all(hsi_memory *memory, const hsi_matrix_row *row)
{
    hsi_moves moves;
    int       i;

    for (i = 0; i < row->count; i++) {
        const hsi_operand *o = &row->operand[i];

        if (hsi_nodes_bring(memory->nodes, HSI_HOST, o->piece, o->mode != HS_WRITE, &moves) !=
                HSI_THERE ||
            !hsi_tiles_start_copies(memory, &moves))
            return false;
    }
    return true;
}

bool hsi_tiles_versions_are_current(const hsi_memory *memory, const hsi_matrix_row *row)
{
    int i;

    for (i = 0; i < row->count; i++)
        if (hsi_nodes_latest_version(memory->nodes, row->operand[i].piece) !=
            row->operand[i].version)
            return false;
    return true;
}

static bool prepare(hsi_memory *memory, const hsi_matrix_row *row, char why[HS_WHY])
{
    if (!hsi_tiles_versions_are_current(memory, row)) {
        snprintf(why, HS_WHY, "its data are not those that the tasks before it have made");
        return false;
    }
    if (bring_all(memory, row) && wait_until_quiet(memory, row) && bring_all(memory, row))
        return true;
    snprintf(why, HS_WHY, "its data are lost with a GPU: %.300s", memory->why_lost);
    return false;
}

int hsi_tiles_acquire_on_host(hsi_memory *memory, const hsi_matrix_row *row, char why[HS_WHY])
{
    bool there;

    pthread_mutex_lock(&memory->lock);
    there = prepare(memory, row, why);
    pthread_mutex_unlock(&memory->lock);
    return there;
}

void hsi_tiles_release_on_host(hsi_memory *memory, const hsi_matrix_row *row, int done)
{
    int i;

    pthread_mutex_lock(&memory->lock);
    for (i = 0; done && i < row->count; i++)
        if (row->operand[i].mode != HS_READ)
            hsi_nodes_record_write(memory->nodes, HSI_HOST, row->operand[i].piece);
    pthread_mutex_unlock(&memory->lock);
}

void hsi_tiles_prefetch_to_host(hsi_memory *memory, const hsi_matrix_row *row)
{
    hsi_moves moves;
    int       i;

    pthread_mutex_lock(&memory->lock);
    for (i = 0; i < row->count; i++) {
        const hsi_operand *o = &row->operand[i];

        if (o->mode != HS_WRITE &&
            hsi_nodes_latest_version(memory->nodes, o->piece) == o->version &&
            !hsi_tiles_is_launching(memory, o->piece) &&
            hsi_nodes_bring(memory->nodes, HSI_HOST, o->piece, true, &moves) == HSI_THERE)
            hsi_tiles_start_copies(memory, &moves);
    }
    pthread_mutex_unlock(&memory->lock);
}
