/* SPDX-License-Identifier: BSD-3-Clause */
/* In-flight tasks of a GPU: the slots of their operands, their kernels and their outcomes. */
#include <stdio.h>
#include <string.h>

#include "exec/backend/cuda/tiles/tiles.h"

static bool writes(const hsi_operand *operand)
{
    return operand->mode != HS_READ;
}

hsi_tiles_in_flight *hsi_tiles_in_flight_begin(hsi_tiles_gpu *gpu, const hsi_tiles_body *body,
                                               uint32_t task, unsigned queue)
{
    int i, k;

    for (i = 0; i < HSI_TILES_IN_FLIGHT; i++) {
        hsi_tiles_in_flight *f = &gpu->in_flight[i];

        if (f->there)
            continue;
        *f = (hsi_tiles_in_flight){.there = true,
                                   .task = task,
                                   .row = body->row,
                                   .queue = queue,
                                   .outcome = HS_OUTCOME_DONE};
        for (k = 0; k < HSI_OPERANDS; k++)
            f->slot[k] = f->spare[k] = HS_NONE;
        return f;
    }
    return NULL;
}

static void let_go(hsi_tiles_gpu *gpu, hsi_tiles_in_flight *in_flight)
{
    hsi_nodes *nodes = gpu->memory->nodes;
    int        i;

    for (i = 0; i < HSI_OPERANDS; i++) {
        if (in_flight->slot[i] != HS_NONE && gpu->open)
            hsi_nodes_release_slot(nodes, gpu->node, in_flight->slot[i]);
        if (in_flight->spare[i] != HS_NONE && gpu->open)
            hsi_nodes_release_slot(nodes, gpu->node, in_flight->spare[i]);
        in_flight->slot[i] = in_flight->spare[i] = HS_NONE;
    }
}

void hsi_tiles_in_flight_end(hsi_tiles_gpu *gpu, hsi_tiles_in_flight *in_flight)
{
    let_go(gpu, in_flight);
    in_flight->there = false;
}

/* Bring each operand into a slot, and take a spare slot for each operand that is copied. */
hsi_launched hsi_tiles_in_flight_assign_slots(hsi_tiles_gpu *gpu, const hsi_tiles_body *body,
                                              hsi_tiles_in_flight *in_flight)
{
    hsi_memory *memory = gpu->memory;
    hsi_moves   moves;
    int         i;

    for (i = 0; i < body->row->count; i++) {
        const hsi_operand *o = &body->row->operand[i];
        hsi_brought        how =
            hsi_nodes_bring(memory->nodes, gpu->node, o->piece, o->mode != HS_WRITE, &moves);

        if (how != HSI_THERE)
            return how == HSI_NO_ROOM ? HSI_NO_SLOTS : HSI_NOT_LAUNCHED;
        in_flight->slot[i] = hsi_nodes_slot(memory->nodes, gpu->node, o->piece);
        hsi_nodes_use_slot(memory->nodes, gpu->node, in_flight->slot[i]);
        if (!hsi_tiles_start_copies(memory, &moves))
            return HSI_NOT_LAUNCHED;
        if (!body->copies || o->mode != HS_READ_WRITE)
            continue;
        in_flight->spare[i] = hsi_nodes_take_spare_slot(memory->nodes, gpu->node, &moves);
        if (in_flight->spare[i] == HS_NONE)
            return HSI_NO_SLOTS;
        if (!hsi_tiles_start_copies(memory, &moves))
            return HSI_NOT_LAUNCHED;
    }
    return HSI_LAUNCHED;
}

static void *tile_at(const hsi_tiles_gpu *gpu, uint32_t slot)
{
    return gpu->tiles + slot * gpu->memory->tile_bytes;
}

bool hsi_tiles_in_flight_wait_for_inputs(hsi_tiles_gpu *gpu, const hsi_tiles_in_flight *in_flight,
                                         unsigned queue)
{
    hsi_memory *memory = gpu->memory;
    unsigned    number = hsi_tiles_queue_number(gpu, queue);
    int         i;

    for (i = 0; i < in_flight->row->count; i++) {
        bool copied = in_flight->spare[i] != HS_NONE;

        if (!hsi_tiles_wait_for_place(memory, number, &gpu->place[in_flight->slot[i]],
                                      writes(&in_flight->row->operand[i]) && !copied) ||
            (copied &&
             !hsi_tiles_wait_for_place(memory, number, &gpu->place[in_flight->spare[i]], true)))
            return false;
    }
    return true;
}

void hsi_tiles_in_flight_mark_places(hsi_tiles_gpu *gpu, const hsi_tiles_in_flight *in_flight)
{
    hsi_memory *memory = gpu->memory;
    unsigned    queue = hsi_tiles_queue_number(gpu, in_flight->queue);
    int         i;

    for (i = 0; i < in_flight->row->count; i++) {
        bool copied = in_flight->spare[i] != HS_NONE;

        hsi_tiles_record_access(memory, queue, &gpu->place[in_flight->slot[i]],
                                writes(&in_flight->row->operand[i]) && !copied);
        if (copied)
            hsi_tiles_record_access(memory, queue, &gpu->place[in_flight->spare[i]], true);
    }
}

/* Launch a step of cuSOLVER, and copy its status to the host behind the step. */
static bool launch_solver(hsi_tiles_gpu *gpu, const hsi_tiles_in_flight *in_flight,
                          hsi_stream_context *context, void *const at[HSI_OPERANDS])
{
    ptrdiff_t number = in_flight - gpu->in_flight;

    return CUDA(context->fault, cudaMemsetAsync, gpu->info + number, 0, sizeof *gpu->info,
                context->stream) &&
           hsi_tiles_launch_step(gpu, context, in_flight->row->step, at, gpu->info + number) &&
           CUDA(context->fault, cudaMemcpyAsync, gpu->info_here + number, gpu->info + number,
                sizeof *gpu->info, cudaMemcpyDeviceToHost, context->stream);
}

int hsi_tiles_in_flight_launch(hsi_tiles_gpu *gpu, const hsi_tiles_in_flight *in_flight)
{
    hsi_stream_context *context = &gpu->context[in_flight->queue];
    size_t              bytes = hsi_matrix_piece_elements(gpu->memory->matrix, 'A') *
                   hsi_matrix_element_bytes(gpu->memory->matrix);
    hsi_step step = in_flight->row->step;
    void    *at[HSI_OPERANDS] = {NULL};
    int      i;

    for (i = 0; i < in_flight->row->count; i++) {
        at[i] = tile_at(gpu, in_flight->slot[i]);
        if (in_flight->spare[i] == HS_NONE)
            continue;
        at[i] = tile_at(gpu, in_flight->spare[i]);
        if (!CUDA(context->fault, cudaMemcpyAsync, at[i], tile_at(gpu, in_flight->slot[i]), bytes,
                  cudaMemcpyDeviceToDevice, context->stream))
            return 0;
    }
    return hsi_tiles_uses_cusolver(step) ? launch_solver(gpu, in_flight, context, at)
                                         : hsi_tiles_launch_step(gpu, context, step, at, NULL);
}

/* Copy the operands to the host that no later task writes, while other tasks run. */
static void send_home(hsi_tiles_gpu *gpu, const hsi_tiles_in_flight *in_flight)
{
    hsi_memory *memory = gpu->memory;
    hsi_moves   moves;
    int         i;

    for (i = 0; i < in_flight->row->count && !gpu->broken; i++) {
        const hsi_operand *o = &in_flight->row->operand[i];

        if (o->last &&
            hsi_nodes_bring(memory->nodes, HSI_HOST, o->piece, true, &moves) == HSI_THERE)
            hsi_tiles_start_copies(memory, &moves);
    }
}

void hsi_tiles_in_flight_publish_results(hsi_tiles_gpu *gpu, hsi_tiles_in_flight *in_flight)
{
    hsi_nodes *nodes = gpu->memory->nodes;
    int        i;

    for (i = 0; i < in_flight->row->count; i++) {
        const hsi_operand *o = &in_flight->row->operand[i];

        if (!writes(o))
            continue;
        if (in_flight->spare[i] != HS_NONE)
            hsi_nodes_replace_slot(nodes, gpu->node, o->piece, in_flight->spare[i]);
        hsi_nodes_record_write(nodes, gpu->node, o->piece);
    }
    send_home(gpu, in_flight);
}

bool hsi_tiles_operand_is_lost(const hsi_memory *memory, const hsi_matrix_row *row)
{
    int i;

    for (i = 0; i < row->count; i++)
        if (hsi_nodes_is_lost(memory->nodes, row->operand[i].piece))
            return true;
    return false;
}

static void lose_results(hsi_memory *memory, const hsi_matrix_row *row)
{
    int i;

    for (i = 0; i < row->count; i++)
        if (writes(&row->operand[i]))
            hsi_nodes_mark_lost(memory->nodes, row->operand[i].piece);
}

static void fail(hsi_tiles_in_flight *in_flight, hs_outcome outcome, const char *why)
{
    in_flight->outcome = outcome;
    snprintf(in_flight->why, sizeof in_flight->why, "%.500s", why);
}

void hsi_tiles_in_flight_set_outcome(hsi_tiles_gpu *gpu, const hsi_tiles_body *body,
                                     hsi_tiles_in_flight *in_flight, int over)
{
    hsi_memory *memory = gpu->memory;
    bool        solved = over > 0 && hsi_tiles_uses_cusolver(in_flight->row->step);
    int         info = solved ? gpu->info_here[in_flight - gpu->in_flight] : 0;
    char        text[HS_WHY];

    in_flight->settled = true;
    if (over < 0) {
        fail(in_flight, HS_OUTCOME_LOST, memory->why_lost);
    } else if (hsi_tiles_operand_is_lost(memory, in_flight->row)) {
        snprintf(text, sizeof text, "its data are lost with a GPU: %.300s", memory->why_lost);
        fail(in_flight, HS_OUTCOME_FAILED, text);
        if (!body || !body->copies)
            lose_results(memory, in_flight->row);
    } else if (info) {
        snprintf(text, sizeof text, "cuSOLVER gave up (info %d)", info);
        fail(in_flight, HS_OUTCOME_FAILED, text);
    } else if (body && body->copies) {
        hsi_tiles_in_flight_publish_results(gpu, in_flight);
    }
    let_go(gpu, in_flight);
}

/* Tasks that were launched ahead work in place, so they have no body with copies. */
void hsi_tiles_set_outcomes_of_completed(hsi_tiles_gpu *gpu)
{
    int i;

    for (i = 0; i < HSI_TILES_IN_FLIGHT; i++) {
        hsi_tiles_in_flight *f = &gpu->in_flight[i];
        int                  over;

        if (!f->there || f->settled)
            continue;
        over =
            hsi_tiles_step_completed(gpu->memory, hsi_tiles_queue_number(gpu, f->queue), f->number);
        if (over)
            hsi_tiles_in_flight_set_outcome(gpu, NULL, f, over);
    }
}

hsi_tiles_in_flight *hsi_tiles_in_flight_of(hsi_tiles_gpu *gpu, uint32_t task)
{
    int i;

    for (i = 0; i < HSI_TILES_IN_FLIGHT; i++)
        if (gpu->in_flight[i].there && gpu->in_flight[i].task == task)
            return &gpu->in_flight[i];
    return NULL;
}

bool hsi_tiles_is_launching(const hsi_memory *memory, size_t piece)
{
    unsigned g;
    int      i;

    for (g = 0; g < memory->gpus; g++) {
        const hsi_matrix_row *row = memory->gpu[g].launching;

        for (i = 0; row && i < row->count; i++)
            if (row->operand[i].piece == piece && writes(&row->operand[i]))
                return true;
    }
    return false;
}

bool hsi_tiles_has_running_task(const hsi_tiles_gpu *gpu)
{
    int i;

    for (i = 0; i < HSI_TILES_IN_FLIGHT; i++)
        if (gpu->in_flight[i].there && !gpu->in_flight[i].settled)
            return true;
    return false;
}
