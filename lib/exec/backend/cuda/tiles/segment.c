/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Segments. A segment is a sequence of consecutive tasks in a GPU's list that form one CUDA graph,
 * captured before the start and launched once. Segments need a slot for each piece and tasks that
 * work in place, since the addresses of all tiles are then known. The tasks use stream contexts
 * that only graphs use, since a graph contains the address of a stream context's work space. Each
 * task is a step of its stream context's queue: the graph records an event behind the task, and
 * other queues wait for that event as for any other. If such an event is not pending before its
 * node runs (event_trial.c), the events are recorded behind the whole graph.
 *
 * Each of these queues has a stream during the capture. Later all of them use the stream of the
 * first queue, in which the graphs are launched.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "exec/backend/cuda/range.h"
#include "exec/backend/cuda/tiles/tiles.h"

struct hsi_tiles_graph_segment {
    cudaGraphExec_t exec;
    uint32_t        first; /* task */
    size_t          count;
    cudaEvent_t     over[HSI_SEGMENT]; /* by task: its end */
};

static unsigned context_of(size_t item)
{
    return HSI_TILES_GRAPH + (unsigned)item % HSI_TILES_CONTEXTS;
}

static unsigned lead_of(const hsi_tiles_gpu *gpu)
{
    return hsi_tiles_queue_number(gpu, HSI_TILES_GRAPH);
}

static int open_contexts(hsi_tiles_gpu *gpu)
{
    unsigned i;

    for (i = HSI_TILES_GRAPH; i < HSI_TILES_ALL_CONTEXTS; i++)
        if (!hsi_tiles_open_stream_context(gpu, i) || !hsi_tiles_warm_up(gpu, &gpu->context[i]) ||
            !CUDA(&gpu->fault, cudaStreamSynchronize, gpu->context[i].stream))
            return 0;
    return hsi_cuda_try_graph_events(&gpu->fault, gpu->queue[HSI_TILES_GRAPH].stream,
                                     gpu->queue[HSI_TILES_GRAPH + 1].stream,
                                     gpu->context[HSI_TILES_GRAPH].blas_space, &gpu->graph_events);
}

/* Fork the remaining queues from the first queue; the capture then includes every queue. */
static bool fork_lines(hsi_tiles_gpu *gpu)
{
    unsigned i;

    if (!hsi_tiles_end_step(gpu->memory, lead_of(gpu)))
        return false;
    for (i = HSI_TILES_GRAPH + 1; i < HSI_TILES_ALL_CONTEXTS; i++)
        if (!hsi_tiles_wait_for_step(gpu->memory, hsi_tiles_queue_number(gpu, i), lead_of(gpu),
                                     gpu->queue[HSI_TILES_GRAPH].last))
            return false;
    return true;
}

/* Join the other queues with the first queue. */
static bool join_lines(hsi_tiles_gpu *gpu)
{
    unsigned i;

    for (i = HSI_TILES_GRAPH + 1; i < HSI_TILES_ALL_CONTEXTS; i++)
        if (!hsi_tiles_end_step(gpu->memory, hsi_tiles_queue_number(gpu, i)) ||
            !hsi_tiles_wait_for_step(gpu->memory, lead_of(gpu), hsi_tiles_queue_number(gpu, i),
                                     gpu->queue[i].last))
            return false;
    return true;
}

static bool capture_task(hsi_tiles_gpu *gpu, const hsi_tiles_body *body, unsigned queue,
                         cudaEvent_t over)
{
    hsi_tiles_in_flight in_flight = {.row = body->row, .queue = queue};
    int                 i;

    for (i = 0; i < HSI_OPERANDS; i++) {
        in_flight.slot[i] = i < body->row->count ? (uint32_t)body->row->operand[i].piece : HS_NONE;
        in_flight.spare[i] = HS_NONE;
    }
    if (!hsi_tiles_in_flight_wait_for_inputs(gpu, &in_flight, queue) ||
        !hsi_tiles_in_flight_launch(gpu, &in_flight) ||
        (gpu->graph_events && !CUDA(&gpu->fault, cudaEventRecordWithFlags, over,
                                    gpu->queue[queue].stream, cudaEventRecordExternal)))
        return false;
    hsi_tiles_in_flight_mark_places(gpu, &in_flight);
    return hsi_tiles_end_step(gpu->memory, hsi_tiles_queue_number(gpu, queue));
}

static bool capture_tasks(hsi_tiles_gpu *gpu, const hsi_ahead *list,
                          const hsi_tiles_graph_segment *s)
{
    size_t i;

    if (!fork_lines(gpu))
        return false;
    for (i = 0; i < s->count; i++)
        if (!capture_task(gpu, hsi_tiles_body_of(list[i].body), context_of(i), s->over[i]))
            return false;
    return join_lines(gpu);
}

/* Capture a segment. No queue has to wait for the steps of the capture, which run no work. */
static bool capture(hsi_tiles_gpu *gpu, const hsi_ahead *list, hsi_tiles_graph_segment *s)
{
    cudaStream_t lead = gpu->queue[HSI_TILES_GRAPH].stream;
    cudaGraph_t  made = NULL;
    unsigned     i;
    bool         ok;

    if (!CUDA(&gpu->fault, cudaStreamBeginCapture, lead, cudaStreamCaptureModeRelaxed))
        return false;
    ok = capture_tasks(gpu, list, s);
    ok = CUDA(&gpu->fault, cudaStreamEndCapture, lead, &made) && ok;
    ok = ok && CUDA(&gpu->fault, cudaGraphInstantiate, &s->exec, made, 0) &&
         CUDA(&gpu->fault, cudaGraphUpload, s->exec, lead);
    if (made)
        cudaGraphDestroy(made);
    for (i = HSI_TILES_GRAPH; i < HSI_TILES_ALL_CONTEXTS; i++)
        gpu->queue[i].over = gpu->queue[i].last;
    return ok;
}

static void free_segment(hsi_tiles_graph_segment *s)
{
    size_t i;

    if (s->exec)
        cudaGraphExecDestroy(s->exec);
    for (i = 0; i < HSI_SEGMENT; i++)
        if (s->over[i])
            cudaEventDestroy(s->over[i]);
}

/* Return the number of tasks at the head of the list that can form a segment. Only tasks of cuBLAS
 * can be captured. */
static size_t find_together(const hsi_tiles_gpu *gpu, const hsi_ahead *list, size_t count)
{
    size_t n = 0;

    if (gpu->no_segments || gpu->slots < gpu->memory->matrix->pieces)
        return 0;
    while (n < count && n < HSI_SEGMENT && gpu->captured + n < HSI_CUDA_CAPTURED_MOST &&
           !hsi_tiles_uses_cusolver(hsi_tiles_body_of(list[n].body)->row->step) &&
           !hsi_tiles_body_of(list[n].body)->copies)
        n++;
    return n > 1 ? n : 0;
}

static hsi_tiles_graph_segment *add_segment(hsi_tiles_gpu *gpu)
{
    hsi_tiles_graph_segment *more;
    size_t                   room = 2 * gpu->segments + 16;

    if (gpu->segments == gpu->segment_room) {
        more = realloc(gpu->segment, room * sizeof *more);
        if (!more)
            return NULL;
        gpu->segment = more;
        gpu->segment_room = room;
    }
    gpu->segment[gpu->segments] = (hsi_tiles_graph_segment){.count = 0};
    return &gpu->segment[gpu->segments++];
}

static bool put_together(hsi_tiles_gpu *gpu, const hsi_ahead *list, hsi_tiles_graph_segment *s)
{
    size_t i;

    if (!hsi_tiles_make_gpu_current(gpu) || (!gpu->captured && !open_contexts(gpu)))
        return false;
    for (i = 0; i < s->count; i++)
        if (!CUDA(&gpu->fault, cudaEventCreateWithFlags, &s->over[i], cudaEventDisableTiming))
            return false;
    return capture(gpu, list, s);
}

/* Create a segment. Without memory, set *count to 0, and the tasks are launched one by one. */
static hs_status make(hsi_tiles_gpu *gpu, const hsi_ahead *list, size_t *count)
{
    hsi_tiles_graph_segment *s = add_segment(gpu);

    if (!s)
        return HS_ENOMEM;
    s->first = list->task;
    s->count = *count;
    if (put_together(gpu, list, s)) {
        gpu->captured += *count;
        return HS_OK;
    }
    if (!gpu->fault.memory)
        return HS_ERESOURCE;
    *count = 0;
    gpu->fault.text[0] = '\0';
    gpu->no_segments = true;
    free_segment(s);
    gpu->segments--;
    return HS_OK;
}

hs_status hsi_tiles_segment_make(hs_backend_worker *worker, const hsi_ahead *list, size_t *count,
                                 hs_error *error)
{
    hsi_tiles_gpu *gpu = hsi_tiles_of(worker);
    hs_status      st = HS_OK;

    pthread_mutex_lock(&gpu->memory->lock);
    *count = find_together(gpu, list, *count);
    if (*count)
        st = make(gpu, list, count);
    pthread_mutex_unlock(&gpu->memory->lock);
    return st == HS_ERESOURCE ? hsi_error_set(error, st, "GPU %d (%s) takes no graph: %s",
                                              gpu->device, gpu->label, gpu->fault.text)
                              : st;
}

bool hsi_tiles_segment_begins_with(const hsi_tiles_gpu *gpu, uint32_t task)
{
    return gpu->passed < gpu->segments && gpu->segment[gpu->passed].first == task;
}

void hsi_tiles_segment_skip(hsi_tiles_gpu *gpu)
{
    gpu->passed++;
}

static bool is_all_certain(const hsi_ahead *list, size_t count)
{
    while (count > 0 && list[count - 1].certain)
        count--;
    return count == 0;
}

static uint32_t times_written(const hsi_ahead *list, size_t count, size_t piece)
{
    uint32_t times = 0;
    int      k;

    while (count-- > 0) {
        const hsi_matrix_row *row = hsi_tiles_body_of(list[count].body)->row;

        for (k = 0; k < row->count; k++)
            times += row->operand[k].piece == piece && row->operand[k].mode != HS_READ;
    }
    return times;
}

/* Return whether the item finds the versions of its data that it needs, once the items before it
 * have run. */
static bool is_right(const hsi_memory *memory, const hsi_ahead *list, size_t item)
{
    const hsi_matrix_row *row = hsi_tiles_body_of(list[item].body)->row;
    int                   k;

    for (k = 0; k < row->count; k++) {
        const hsi_operand *o = &row->operand[k];

        if (hsi_nodes_latest_version(memory->nodes, o->piece) +
                times_written(list, item, o->piece) !=
            o->version)
            return false;
    }
    return true;
}

/* Bring the tiles of a task into the slots whose addresses are in the graph. */
static bool begin_in_flight(hsi_tiles_gpu *gpu, const hsi_ahead *item,
                            hsi_tiles_in_flight *in_flight)
{
    const hsi_tiles_body *body = hsi_tiles_body_of(item->body);
    int                   k;

    if (hsi_tiles_in_flight_assign_slots(gpu, body, in_flight) != HSI_LAUNCHED)
        return false;
    for (k = 0; k < body->row->count; k++)
        if (in_flight->slot[k] != body->row->operand[k].piece)
            return false;
    return true;
}

/* Register all tasks of the segment as in flight. *count_in_flight is the number of entries to end
 * after a failure. */
static bool begin_all(hsi_tiles_gpu *gpu, const hsi_ahead *list, size_t count,
                      hsi_tiles_in_flight **in_flight, size_t *count_in_flight)
{
    size_t i;

    for (i = 0; i < count; i++) {
        in_flight[i] = hsi_tiles_in_flight_begin(gpu, hsi_tiles_body_of(list[i].body), list[i].task,
                                                 context_of(i));
        if (!in_flight[i])
            return false;
        *count_in_flight = i + 1;
        if (!is_right(gpu->memory, list, i) || !begin_in_flight(gpu, &list[i], in_flight[i]))
            return false;
    }
    return true;
}

static bool launch_all(hsi_tiles_gpu *gpu, const hsi_tiles_graph_segment *s,
                       hsi_tiles_in_flight **in_flight)
{
    cudaStream_t lead = gpu->context[HSI_TILES_GRAPH].stream;
    size_t       i;
    bool         launched;

    if (!hsi_tiles_make_gpu_current(gpu))
        return false;
    for (i = HSI_TILES_GRAPH; i < HSI_TILES_ALL_CONTEXTS; i++)
        gpu->queue[i].stream = lead;
    for (i = 0; i < s->count; i++)
        if (!hsi_tiles_in_flight_wait_for_inputs(gpu, in_flight[i], HSI_TILES_GRAPH))
            return false;
    hsi_cuda_range_begin("segment");
    launched = CUDA(&gpu->fault, cudaGraphLaunch, s->exec, lead);
    hsi_cuda_range_end();
    return launched;
}

/* Record the end of the graph as the step of each task. Return false for a fault. */
static bool note_end(hsi_tiles_gpu *gpu, hsi_tiles_in_flight **in_flight, size_t count)
{
    bool   ok = true;
    size_t i;

    for (i = 0; i < count; i++) {
        hsi_tiles_in_flight_mark_places(gpu, in_flight[i]);
        ok &= hsi_tiles_end_step(gpu->memory, hsi_tiles_queue_number(gpu, in_flight[i]->queue));
        in_flight[i]->number = gpu->queue[in_flight[i]->queue].last;
    }
    return ok;
}

/* Make the events of the graph the events of the steps. The segment keeps the replaced events. */
static void note_steps(hsi_tiles_gpu *gpu, hsi_tiles_graph_segment *s,
                       hsi_tiles_in_flight **in_flight)
{
    size_t i;

    for (i = 0; i < s->count; i++) {
        hsi_tiles_queue *queue = &gpu->queue[in_flight[i]->queue];
        cudaEvent_t     *place = &queue->event[(queue->last + 1) % HSI_TILES_EVENTS];
        cudaEvent_t      unused = *place;

        hsi_tiles_in_flight_mark_places(gpu, in_flight[i]);
        in_flight[i]->number = ++queue->last;
        *place = s->over[i];
        s->over[i] = unused;
    }
}

size_t hsi_tiles_segment_launch(hsi_tiles_gpu *gpu, const hsi_ahead *list, size_t count)
{
    hsi_tiles_graph_segment *s = &gpu->segment[gpu->passed];
    hsi_tiles_in_flight     *in_flight[HSI_SEGMENT];
    size_t                   count_in_flight = 0, i;

    if (count < s->count || !is_all_certain(list, s->count))
        return 0;
    if (begin_all(gpu, list, s->count, in_flight, &count_in_flight) &&
        launch_all(gpu, s, in_flight)) {
        if (gpu->graph_events)
            note_steps(gpu, s, in_flight);
        else if (!note_end(gpu, in_flight, s->count))
            hsi_tiles_mark_broken(gpu);
        for (i = 0; i < s->count && !gpu->broken; i++)
            hsi_tiles_in_flight_publish_results(gpu, in_flight[i]);
        return s->count;
    }
    if (gpu->fault.text[0] && !gpu->fault.memory)
        hsi_tiles_mark_broken(gpu);
    for (i = 0; i < count_in_flight; i++)
        hsi_tiles_in_flight_end(gpu, in_flight[i]);
    if (!gpu->broken)
        gpu->fault.text[0] = '\0';
    return 0;
}

/* Free in the order of the list. A graph must be destroyed before its events, and a later segment
 * may hold events of an earlier graph. */
void hsi_tiles_segment_free_all(hsi_tiles_gpu *gpu)
{
    size_t i;

    for (i = 0; i < gpu->segments; i++)
        free_segment(&gpu->segment[i]);
    free(gpu->segment);
    gpu->segment = NULL;
    gpu->segments = gpu->segment_room = gpu->passed = gpu->captured = 0;
    gpu->no_segments = false;
}
