/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks on a GPU. A task that was launched ahead is in flight or complete when the dispatcher gives
 * it to the worker, since its kernels were queued behind those of its predecessors.
 */
#include <stdio.h>

#include "exec/backend/cuda/range.h"
#include "exec/backend/cuda/tiles/tiles.h"
#include "support/clock.h"

/* Launch kernels without the lock. Other threads may write gpu->fault meanwhile, so the stream
 * context has a separate fault. */
static bool launch_unlocked(hsi_tiles_gpu *gpu, const hsi_tiles_in_flight *in_flight)
{
    hsi_stream_context *context = &gpu->context[in_flight->queue];
    hsi_cuda_fault      fault = {.text = ""};
    int                 ok;

    context->fault = &fault;
    gpu->launching = in_flight->row;
    pthread_mutex_unlock(&gpu->memory->lock);
    ok = hsi_tiles_in_flight_launch(gpu, in_flight);
    pthread_mutex_lock(&gpu->memory->lock);
    gpu->launching = NULL;
    context->fault = &gpu->fault;
    if (!gpu->fault.text[0])
        gpu->fault = fault;
    return ok && !gpu->broken;
}

static int launch_kernels(hsi_tiles_gpu *gpu, const hsi_tiles_in_flight *in_flight)
{
    return in_flight->kernels > hsi_tiles_most_kernels_in_stream()
               ? launch_unlocked(gpu, in_flight)
               : hsi_tiles_in_flight_launch(gpu, in_flight);
}

static bool put_on_its_way(hsi_tiles_gpu *gpu, const hsi_tiles_body *body,
                           hsi_tiles_in_flight *in_flight)
{
    bool launched;

    hsi_cuda_range_begin(body->name);
    launched = hsi_tiles_make_gpu_current(gpu) &&
               hsi_tiles_in_flight_wait_for_inputs(gpu, in_flight, in_flight->queue) &&
               launch_kernels(gpu, in_flight);
    hsi_cuda_range_end();
    if (!launched)
        return false;
    hsi_tiles_in_flight_mark_places(gpu, in_flight);
    if (!hsi_tiles_end_step(gpu->memory, hsi_tiles_queue_number(gpu, in_flight->queue)))
        return false;
    in_flight->number = gpu->queue[in_flight->queue].last;
    /* While the lock was free, another GPU may have broken and the data may be lost. */
    if (!body->copies && !hsi_tiles_operand_is_lost(gpu->memory, in_flight->row))
        hsi_tiles_in_flight_publish_results(gpu, in_flight);
    return true;
}

/* Return whether the stream of the queue has room for `kernels` kernels. An empty stream takes any
 * number. */
static bool has_room(const hsi_tiles_gpu *gpu, unsigned queue, unsigned kernels)
{
    unsigned held = 0;
    int      i;

    for (i = 0; i < HSI_TILES_IN_FLIGHT; i++)
        if (gpu->in_flight[i].there && !gpu->in_flight[i].settled &&
            gpu->in_flight[i].queue == queue)
            held += gpu->in_flight[i].kernels;
    return held == 0 || held + kernels <= hsi_tiles_most_kernels_in_stream();
}

/* Launch a task. If the result is HSI_LAUNCHED, *out is the task's in-flight entry. */
static hsi_launched launch(hsi_tiles_gpu *gpu, const hsi_tiles_body *body, uint32_t task,
                           hsi_tiles_in_flight **out)
{
    hsi_launched how = HSI_NOT_LAUNCHED;
    unsigned     queue = gpu->next % HSI_TILES_CONTEXTS;
    unsigned     kernels = hsi_tiles_kernel_count(body->row->step, gpu->memory->matrix->tile);
    hsi_tiles_in_flight *in_flight = NULL;

    if (has_room(gpu, queue, kernels))
        in_flight = hsi_tiles_in_flight_begin(gpu, body, task, queue);
    *out = in_flight;
    if (!in_flight)
        return HSI_NO_SLOTS;
    gpu->next++;
    in_flight->kernels = kernels;
    if (hsi_tiles_versions_are_current(gpu->memory, body->row))
        how = hsi_tiles_in_flight_assign_slots(gpu, body, in_flight);
    if (how == HSI_LAUNCHED && !put_on_its_way(gpu, body, in_flight)) {
        how = HSI_NOT_LAUNCHED;
        hsi_tiles_mark_broken(
            gpu); /* kernels in a stream context can be neither removed nor repeated */
    }
    if (how != HSI_LAUNCHED)
        hsi_tiles_in_flight_end(gpu, in_flight);
    return how;
}

static void pause_unlocked(hsi_memory *memory, int64_t start)
{
    pthread_mutex_unlock(&memory->lock);
    hsi_cuda_polling_pause(start);
    pthread_mutex_lock(&memory->lock);
}

/* Launch the task that the worker was given. Wait for tasks that occupy the slots. Return NULL and
 * set attempt->why if the task cannot be launched. */
static hsi_tiles_in_flight *launch_now(hsi_tiles_gpu *gpu, const hsi_tiles_body *body,
                                       hs_attempt *attempt)
{
    hsi_memory          *memory = gpu->memory;
    hsi_tiles_in_flight *in_flight;
    int64_t              start = hsi_clock_ns();

    for (;;) {
        hsi_launched how = HSI_NO_SLOTS;

        hsi_tiles_set_outcomes_of_completed(gpu);
        if (!gpu->broken)
            how = launch(gpu, body, attempt->task, &in_flight);
        if (how == HSI_LAUNCHED)
            return in_flight;
        if (gpu->broken || how == HSI_NOT_LAUNCHED || !hsi_tiles_has_running_task(gpu))
            break;
        pause_unlocked(memory, start);
    }
    if (!hsi_tiles_versions_are_current(memory, body->row))
        snprintf(attempt->why, HS_WHY, "its data are not those that the tasks before it have made");
    else if (hsi_tiles_operand_is_lost(memory, body->row))
        snprintf(attempt->why, HS_WHY, "its data are lost with a GPU: %.300s", memory->why_lost);
    else
        snprintf(attempt->why, HS_WHY, "%.200s; GPU %d (%.150s)",
                 gpu->fault.text[0] ? gpu->fault.text : "its memory has no room for the tiles",
                 gpu->device, gpu->label);
    return NULL;
}

/* Start the copies of those inputs of a task that exist already. */
static void fetch(hsi_tiles_gpu *gpu, const hsi_matrix_row *row)
{
    hsi_memory *memory = gpu->memory;
    hsi_moves   moves;
    int         i;

    for (i = 0; i < row->count && !gpu->broken; i++) {
        const hsi_operand *o = &row->operand[i];

        if (o->mode != HS_WRITE &&
            hsi_nodes_latest_version(memory->nodes, o->piece) == o->version &&
            !hsi_tiles_is_launching(memory, o->piece) &&
            hsi_nodes_bring(memory->nodes, gpu->node, o->piece, true, &moves) == HSI_THERE)
            hsi_tiles_start_copies(memory, &moves);
    }
}

/* Fetch the inputs of the next task once. Another worker may take the task later, and that worker
 * waits only for copies that were started before. */
static void fetch_next(hsi_tiles_gpu *gpu)
{
    const hs_body *next = __atomic_exchange_n(&gpu->wanted, NULL, __ATOMIC_ACQUIRE);

    if (next)
        fetch(gpu, hsi_tiles_body_of(next)->row);
}

void hsi_tiles_set_prefetch(hs_backend_worker *worker, const hs_body *body)
{
    __atomic_store_n(&hsi_tiles_of(worker)->wanted, body, __ATOMIC_RELEASE);
}

static void wait_for(hsi_tiles_gpu *gpu, const hsi_tiles_body *body, hsi_tiles_in_flight *in_flight)
{
    int64_t start = hsi_clock_ns();
    int     over;

    while (!in_flight->settled) {
        over = hsi_tiles_step_completed(gpu->memory, hsi_tiles_queue_number(gpu, in_flight->queue),
                                        in_flight->number);
        if (over) {
            hsi_tiles_in_flight_set_outcome(gpu, body, in_flight, over);
        } else {
            fetch_next(gpu);
            pause_unlocked(gpu->memory, start);
        }
    }
}

hs_outcome hsi_tiles_run(hs_backend_worker *worker, const hs_body *public_body, hs_attempt *attempt)
{
    hsi_tiles_gpu        *gpu = hsi_tiles_of(worker);
    const hsi_tiles_body *body = hsi_tiles_body_of(public_body);
    hsi_tiles_in_flight  *in_flight;
    hs_outcome            outcome;

    pthread_mutex_lock(&gpu->memory->lock);
    in_flight = hsi_tiles_in_flight_of(gpu, attempt->task);
    if (!in_flight && hs_attempt_cancelled(attempt)) {
        pthread_mutex_unlock(&gpu->memory->lock);
        return HS_OUTCOME_ABORTED;
    }
    if (!in_flight)
        in_flight = launch_now(gpu, body, attempt);
    if (!in_flight) {
        outcome = gpu->broken ? HS_OUTCOME_LOST : HS_OUTCOME_FAILED;
    } else {
        wait_for(gpu, body, in_flight);
        outcome = in_flight->outcome;
        if (outcome != HS_OUTCOME_DONE)
            snprintf(attempt->why, HS_WHY, "%.32s:%d: %.400s", body->name,
                     gpu->memory->matrix->tile, in_flight->why);
        in_flight->there = false;
    }
    pthread_mutex_unlock(&gpu->memory->lock);
    return outcome;
}

/* Launch a task ahead. Return false if that is not possible now. */
static bool launch_ahead(hsi_tiles_gpu *gpu, const hsi_ahead *next)
{
    hsi_tiles_in_flight *in_flight;

    return launch(gpu, hsi_tiles_body_of(next->body), next->task, &in_flight) == HSI_LAUNCHED;
}

/*
 * Launch the tasks of the list that are certain, and fetch the inputs of the others. A task with
 * copies (body->copies) is not launched ahead, since it may fail and be retried. A segment is
 * launched as a whole. Later tasks wait until the segment is launched or given up. A segment is
 * given up if part of it is still uncertain in the first or second place of the list.
 */
void hsi_tiles_launch_certain_tasks(hs_backend_worker *worker, const hsi_ahead *list, size_t count)
{
    hsi_tiles_gpu *gpu = hsi_tiles_of(worker);
    bool           launches = true;
    size_t         i, together;

    pthread_mutex_lock(&gpu->memory->lock);
    hsi_tiles_set_outcomes_of_completed(gpu);
    for (i = 0; i < count && !gpu->broken; i += together ? together : 1) {
        const hsi_tiles_body *body = hsi_tiles_body_of(list[i].body);

        together = hsi_tiles_in_flight_of(gpu, list[i].task) != NULL;
        if (!together && launches && hsi_tiles_segment_begins_with(gpu, list[i].task)) {
            together = hsi_tiles_segment_launch(gpu, list + i, count - i);
            launches = together || i <= 1;
            if (launches)
                hsi_tiles_segment_skip(gpu);
        }
        if (together || gpu->broken)
            continue;
        if (launches && list[i].certain && !body->copies) {
            launches = launch_ahead(gpu, &list[i]);
            if (!launches && i == 0)
                break; /* hsi_tiles_run() reports the reason */
        } else {
            fetch(gpu, body->row);
        }
    }
    pthread_mutex_unlock(&gpu->memory->lock);
}
