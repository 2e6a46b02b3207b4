/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks on a GPU. One that is launched ahead of its turn is over, or on its way, when the worker is
 * given it: it was queued behind those that it comes after.
 */
#include <stdio.h>
#include <string.h>

#include "exec/backend/cuda/tiles/tiles.h"
#include "exec/why.h"
#include "support/clock.h"

typedef enum launched { LAUNCHED, NO_ROOM, NOT_LAUNCHED } launched;

static const hsi_tiles_body *body_of(const hs_body *body)
{
    return (const hsi_tiles_body *)(const void *)body;
}

static int writes(const hsi_operand *operand)
{
    return operand->mode != HS_READ;
}

static void let_go(hsi_tiles_gpu *gpu, hsi_tiles_flight *flight)
{
    hsi_nodes *nodes = gpu->memory->nodes;
    int        i;

    for (i = 0; i < HSI_OPERANDS; i++) {
        if (flight->slot[i] != HSI_NO_SLOT && gpu->open)
            hsi_nodes_let_go(nodes, gpu->node, flight->slot[i]);
        if (flight->spare[i] != HSI_NO_SLOT && gpu->open)
            hsi_nodes_let_go(nodes, gpu->node, flight->spare[i]);
        flight->slot[i] = flight->spare[i] = HSI_NO_SLOT;
    }
}

/* A slot for each operand, with what is to be in it, and one more for each that is copied. */
static launched take_operands(hsi_tiles_gpu *gpu, const hsi_tiles_body *body,
                              hsi_tiles_flight *flight)
{
    hsi_memory *memory = gpu->memory;
    hsi_moves   moves;
    int         i;

    for (i = 0; i < body->row->count; i++) {
        const hsi_operand *o = &body->row->operand[i];
        hsi_brought        how =
            hsi_nodes_bring(memory->nodes, gpu->node, o->piece, o->mode != HS_WRITE, &moves);

        if (how != HSI_THERE)
            return how == HSI_NO_ROOM ? NO_ROOM : NOT_LAUNCHED;
        flight->slot[i] = hsi_nodes_slot(memory->nodes, gpu->node, o->piece);
        hsi_nodes_use(memory->nodes, gpu->node, flight->slot[i]);
        if (!hsi_tiles_move(memory, &moves))
            return NOT_LAUNCHED;
        if (!body->copies || o->mode != HS_READ_WRITE)
            continue;
        flight->spare[i] = hsi_nodes_spare(memory->nodes, gpu->node, &moves);
        if (flight->spare[i] == HSI_NO_SLOT)
            return NO_ROOM;
        if (!hsi_tiles_move(memory, &moves))
            return NOT_LAUNCHED;
    }
    return LAUNCHED;
}

static double *tile_at(const hsi_tiles_gpu *gpu, uint32_t slot)
{
    return (double *)(void *)(gpu->tiles + slot * gpu->memory->tile_bytes);
}

/* The lane waits for what has to be over, and the places know of the step. */
static int order_operands(hsi_tiles_gpu *gpu, const hsi_tiles_flight *flight)
{
    hsi_memory *memory = gpu->memory;
    unsigned    line = hsi_tiles_number(gpu, flight->line);
    int         i;

    for (i = 0; i < flight->row->count; i++) {
        int copied = flight->spare[i] != HSI_NO_SLOT;

        if (!hsi_tiles_order(memory, line, &gpu->place[flight->slot[i]],
                             writes(&flight->row->operand[i]) && !copied) ||
            (copied && !hsi_tiles_order(memory, line, &gpu->place[flight->spare[i]], 1)))
            return 0;
    }
    return 1;
}

static void touch_operands(hsi_tiles_gpu *gpu, const hsi_tiles_flight *flight)
{
    hsi_memory *memory = gpu->memory;
    unsigned    line = hsi_tiles_number(gpu, flight->line);
    int         i;

    for (i = 0; i < flight->row->count; i++) {
        int copied = flight->spare[i] != HSI_NO_SLOT;

        hsi_tiles_touch(memory, line, &gpu->place[flight->slot[i]],
                        writes(&flight->row->operand[i]) && !copied);
        if (copied)
            hsi_tiles_touch(memory, line, &gpu->place[flight->spare[i]], 1);
    }
}

static int launch_kernels(hsi_tiles_gpu *gpu, const hsi_tiles_flight *flight)
{
    hsi_cuda_lane *lane = &gpu->lane[flight->line];
    size_t         bytes = hsi_matrix_piece_elements(gpu->memory->matrix, 'A') * sizeof(double);
    ptrdiff_t      number = flight - gpu->flight;
    double        *at[HSI_OPERANDS] = {NULL};
    int            i;

    for (i = 0; i < flight->row->count; i++) {
        at[i] = tile_at(gpu, flight->slot[i]);
        if (flight->spare[i] == HSI_NO_SLOT)
            continue;
        at[i] = tile_at(gpu, flight->spare[i]);
        if (!CUDA(&gpu->fault, cudaMemcpyAsync, at[i], tile_at(gpu, flight->slot[i]), bytes,
                  cudaMemcpyDeviceToDevice, lane->stream))
            return 0;
    }
    return CUDA(&gpu->fault, cudaMemsetAsync, gpu->info + number, 0, sizeof *gpu->info,
                lane->stream) &&
           hsi_tiles_launch(gpu, lane, flight->row->step, at, gpu->info + number) &&
           CUDA(&gpu->fault, cudaMemcpyAsync, gpu->info_here + number, gpu->info + number,
                sizeof *gpu->info, cudaMemcpyDeviceToHost, lane->stream);
}

/* What is never written again goes home at once, while other tasks run. */
static void send_home(hsi_tiles_gpu *gpu, const hsi_tiles_flight *flight)
{
    hsi_memory *memory = gpu->memory;
    hsi_moves   moves;
    int         i;

    for (i = 0; i < flight->row->count && !gpu->broken; i++) {
        const hsi_operand *o = &flight->row->operand[i];

        if (o->last && hsi_nodes_bring(memory->nodes, HSI_HOST, o->piece, 1, &moves) == HSI_THERE)
            hsi_tiles_move(memory, &moves);
    }
}

/* The results are the tiles, from here on for all that is put on its way. */
static void adopt_results(hsi_tiles_gpu *gpu, hsi_tiles_flight *flight)
{
    hsi_nodes *nodes = gpu->memory->nodes;
    int        i;

    for (i = 0; i < flight->row->count; i++) {
        const hsi_operand *o = &flight->row->operand[i];

        if (!writes(o))
            continue;
        if (flight->spare[i] != HSI_NO_SLOT)
            hsi_nodes_replace(nodes, gpu->node, o->piece, flight->spare[i]);
        hsi_nodes_written(nodes, gpu->node, o->piece);
    }
    send_home(gpu, flight);
}

static int put_on_its_way(hsi_tiles_gpu *gpu, const hsi_tiles_body *body, hsi_tiles_flight *flight)
{
    hsi_memory *memory = gpu->memory;
    unsigned    line = hsi_tiles_number(gpu, flight->line);

    if (!hsi_tiles_enter(gpu) || !order_operands(gpu, flight) || !launch_kernels(gpu, flight))
        return 0;
    touch_operands(gpu, flight);
    if (!hsi_tiles_step(memory, line))
        return 0;
    flight->number = gpu->line[flight->line].last;
    flight->there = 1;
    if (!body->copies)
        adopt_results(gpu, flight);
    return 1;
}

static launched launch(hsi_tiles_gpu *gpu, const hsi_tiles_body *body, uint32_t task,
                       hsi_tiles_flight *flight)
{
    launched how = NOT_LAUNCHED;
    int      i;

    *flight = (hsi_tiles_flight){.task = task,
                                 .row = body->row,
                                 .line = gpu->next++ % gpu->lanes,
                                 .outcome = HS_OUTCOME_DONE};
    for (i = 0; i < HSI_OPERANDS; i++)
        flight->slot[i] = flight->spare[i] = HSI_NO_SLOT;
    if (hsi_tiles_are_right(gpu->memory, body->row))
        how = take_operands(gpu, body, flight);
    if (how == LAUNCHED && !put_on_its_way(gpu, body, flight)) {
        how = NOT_LAUNCHED;
        if (!gpu->fault.memory)
            hsi_tiles_break(gpu);
    }
    if (how != LAUNCHED)
        let_go(gpu, flight);
    return how;
}

static int is_any_lost(const hsi_memory *memory, const hsi_matrix_row *row)
{
    int i;

    for (i = 0; i < row->count; i++)
        if (hsi_nodes_is_lost(memory->nodes, row->operand[i].piece))
            return 1;
    return 0;
}

static void lose_results(hsi_memory *memory, const hsi_matrix_row *row)
{
    int i;

    for (i = 0; i < row->count; i++)
        if (writes(&row->operand[i]))
            hsi_nodes_lose(memory->nodes, row->operand[i].piece);
}

static void fail(hsi_tiles_flight *flight, hs_outcome outcome, const char *why)
{
    flight->outcome = outcome;
    snprintf(flight->why, sizeof flight->why, "%.500s", why);
}

/* Its kernels are over, or never will be. */
static void settle(hsi_tiles_gpu *gpu, const hsi_tiles_body *body, hsi_tiles_flight *flight,
                   int over)
{
    hsi_memory *memory = gpu->memory;
    int         info = over > 0 ? gpu->info_here[flight - gpu->flight] : 0;
    char        text[HS_WHY];

    flight->settled = 1;
    if (over < 0) {
        fail(flight, HS_OUTCOME_LOST, memory->why_lost);
    } else if (is_any_lost(memory, flight->row)) {
        snprintf(text, sizeof text, "its data are lost with a GPU: %.300s", memory->why_lost);
        fail(flight, HS_OUTCOME_FAILED, text);
        if (!body || !body->copies)
            lose_results(memory, flight->row);
    } else if (info) {
        snprintf(text, sizeof text, "cuSOLVER gave up (info %d)", info);
        fail(flight, HS_OUTCOME_FAILED, text);
    } else if (body && body->copies) {
        adopt_results(gpu, flight);
    }
    let_go(gpu, flight);
}

/* Those that are over give back what they use. Only what is launched ahead is settled here, which
 * works in place. */
static void settle_those_over(hsi_tiles_gpu *gpu)
{
    int i;

    for (i = 0; i < HSI_TILES_FLIGHTS; i++) {
        hsi_tiles_flight *f = &gpu->flight[i];
        int               over;

        if (!f->there || f->settled)
            continue;
        over = hsi_tiles_over(gpu->memory, hsi_tiles_number(gpu, f->line), f->number);
        if (over)
            settle(gpu, NULL, f, over);
    }
}

static hsi_tiles_flight *find(hsi_tiles_gpu *gpu, uint32_t task)
{
    int i;

    for (i = 0; i < HSI_TILES_FLIGHTS; i++)
        if (gpu->flight[i].there && gpu->flight[i].task == task)
            return &gpu->flight[i];
    return NULL;
}

static hsi_tiles_flight *find_free(hsi_tiles_gpu *gpu)
{
    int i;

    for (i = 0; i < HSI_TILES_FLIGHTS; i++)
        if (!gpu->flight[i].there)
            return &gpu->flight[i];
    return NULL;
}

static int is_anything_under_way(const hsi_tiles_gpu *gpu)
{
    int i;

    for (i = 0; i < HSI_TILES_FLIGHTS; i++)
        if (gpu->flight[i].there && !gpu->flight[i].settled)
            return 1;
    return 0;
}

static void pause_unlocked(hsi_memory *memory, int64_t start)
{
    pthread_mutex_unlock(&memory->lock);
    hsi_cuda_pause(start);
    pthread_mutex_lock(&memory->lock);
}

/* With the worker's turn: what is in the way of a slot is waited for. NULL: see `why`. */
static hsi_tiles_flight *launch_now(hsi_tiles_gpu *gpu, const hsi_tiles_body *body,
                                    hs_attempt *attempt)
{
    hsi_memory       *memory = gpu->memory;
    hsi_tiles_flight *flight;
    int64_t           start = hsi_clock_ns();

    for (;;) {
        launched how = NO_ROOM;

        settle_those_over(gpu);
        flight = find_free(gpu);
        if (flight && !gpu->broken)
            how = launch(gpu, body, attempt->task, flight);
        if (how == LAUNCHED)
            return flight;
        if (gpu->broken || how == NOT_LAUNCHED || !is_anything_under_way(gpu))
            break;
        pause_unlocked(memory, start);
    }
    if (!hsi_tiles_are_right(memory, body->row))
        snprintf(attempt->why, HS_WHY, "its data are not those that the tasks before it have made");
    else if (is_any_lost(memory, body->row))
        snprintf(attempt->why, HS_WHY, "its data are lost with a GPU: %.300s", memory->why_lost);
    else
        snprintf(attempt->why, HS_WHY, "%.200s; GPU %d (%.150s)",
                 gpu->fault.text[0] ? gpu->fault.text : "its memory has no room for the tiles",
                 gpu->device, gpu->label);
    if (!gpu->broken)
        gpu->fault.text[0] = '\0';
    return NULL;
}

/* What is there already of its inputs is put on its way. */
static void fetch(hsi_tiles_gpu *gpu, const hsi_matrix_row *row)
{
    hsi_memory *memory = gpu->memory;
    hsi_moves   moves;
    int         i;

    for (i = 0; i < row->count && !gpu->broken; i++) {
        const hsi_operand *o = &row->operand[i];

        if (o->mode != HS_WRITE && hsi_nodes_newest(memory->nodes, o->piece) == o->version &&
            hsi_nodes_bring(memory->nodes, gpu->node, o->piece, 1, &moves) == HSI_THERE)
            hsi_tiles_move(memory, &moves);
    }
}

/* Once: from then on it may be another worker's, which looks out for what is on its way only if
 * that was before it began. */
static void fetch_next(hsi_tiles_gpu *gpu)
{
    const hs_body *next = __atomic_exchange_n(&gpu->wanted, NULL, __ATOMIC_ACQUIRE);

    if (next)
        fetch(gpu, body_of(next)->row);
}

void hsi_tiles_next(hs_backend_worker *worker, const hs_body *body)
{
    __atomic_store_n(&hsi_tiles_of(worker)->wanted, body, __ATOMIC_RELEASE);
}

static void wait_for(hsi_tiles_gpu *gpu, const hsi_tiles_body *body, hsi_tiles_flight *flight)
{
    int64_t start = hsi_clock_ns();
    int     over;

    while (!flight->settled) {
        over = hsi_tiles_over(gpu->memory, hsi_tiles_number(gpu, flight->line), flight->number);
        if (over) {
            settle(gpu, body, flight, over);
        } else {
            fetch_next(gpu);
            pause_unlocked(gpu->memory, start);
        }
    }
}

hs_outcome hsi_tiles_run(hs_backend_worker *worker, const hs_body *public_body, hs_attempt *attempt)
{
    hsi_tiles_gpu        *gpu = hsi_tiles_of(worker);
    const hsi_tiles_body *body = body_of(public_body);
    hsi_tiles_flight     *flight;
    hs_outcome            outcome;

    pthread_mutex_lock(&gpu->memory->lock);
    flight = find(gpu, attempt->task);
    if (!flight && hs_attempt_cancelled(attempt)) {
        pthread_mutex_unlock(&gpu->memory->lock);
        return HS_OUTCOME_ABORTED;
    }
    if (!flight)
        flight = launch_now(gpu, body, attempt);
    if (!flight) {
        outcome = gpu->broken ? HS_OUTCOME_LOST : HS_OUTCOME_FAILED;
    } else {
        wait_for(gpu, body, flight);
        outcome = flight->outcome;
        if (outcome != HS_OUTCOME_DONE)
            snprintf(attempt->why, HS_WHY, "%.32s:%d: %.400s", body->name,
                     gpu->memory->matrix->tile, flight->why);
        flight->there = 0;
    }
    pthread_mutex_unlock(&gpu->memory->lock);
    return outcome;
}

/* With copies nothing is launched ahead: it may have to be tried again. */
void hsi_tiles_ahead(hs_backend_worker *worker, const hsi_ahead *list, size_t count)
{
    hsi_tiles_gpu *gpu = hsi_tiles_of(worker);
    int            launches = 1;
    size_t         i;

    pthread_mutex_lock(&gpu->memory->lock);
    settle_those_over(gpu);
    for (i = 0; i < count && !gpu->broken; i++) {
        const hsi_tiles_body *body = body_of(list[i].body);
        hsi_tiles_flight     *flight = find_free(gpu);

        if (find(gpu, list[i].task))
            continue;
        if (launches && list[i].certain && !body->copies && flight) {
            launches = launch(gpu, body, list[i].task, flight) == LAUNCHED;
            if (!gpu->broken)
                gpu->fault.text[0] = '\0'; /* of want of memory: it comes to its turn again */
            if (!launches && i == 0)
                break; /* run() says why */
        } else {
            fetch(gpu, body->row);
        }
    }
    pthread_mutex_unlock(&gpu->memory->lock);
}
