/* SPDX-License-Identifier: BSD-3-Clause */
#include "policy/arrivals.h"

#include <math.h>
#include <stdlib.h>

#include "policy/history.h"

/* Create a column of the instance, with a value of `size` bytes for each row. */
static bool open_column(hsi_arrivals *a, int column, size_t size)
{
    size_t bytes = a->room.tasks * size;

    a->store.cells[column].at.data = calloc(a->room.tasks, size);
    a->store.cells[column].at.size = bytes;
    return a->store.cells[column].at.data != NULL;
}

static bool open_rows(hsi_arrivals *a)
{
    size_t tasks = a->room.tasks;

    a->restartable = calloc(tasks, 1);
    a->kernel = calloc(tasks, 1);
    a->state = calloc(tasks, 1);
    a->number = calloc(tasks, sizeof *a->number);
    a->next = calloc(tasks, sizeof *a->next);
    a->edges = calloc(tasks, sizeof *a->edges);
    a->edge = calloc((size_t)a->room.edges + 1, sizeof *a->edge);
    return a->restartable && a->kernel && a->state && a->number && a->next && a->edges && a->edge &&
           open_column(a, HSI_CPU, sizeof(double)) && open_column(a, HSI_GPU, sizeof(double)) &&
           open_column(a, HSI_PRIORITY, sizeof(int64_t)) && open_column(a, HSI_RESTARTABLE, 1);
}

static bool open_graph(hsi_arrivals *a)
{
    size_t tasks = a->room.tasks;

    if (hsi_access_queues_open(&a->queues, a->room.tasks, a->room.accesses, a->room.handles))
        return false;
    a->graph = (hs_graph){.tasks = tasks, .vertices = tasks, .number = a->number};
    if (a->room.accesses == 0)
        return true;
    a->graph.access = a->queues.access;
    a->graph.access_at = malloc((tasks + 1) * sizeof *a->graph.access_at);
    for (size_t i = 0; a->graph.access_at && i <= tasks; i++)
        a->graph.access_at[i] = i * a->room.accesses;
    return a->graph.access_at != NULL;
}

static void describe_machine(hsi_arrivals *a, const hs_instance *machine)
{
    a->in = (hs_instance){&a->store, machine->cpus, machine->gpus};
    a->rows = (hsi_recycled_rows){&a->graph, a->restartable, a->kernel};
    a->store.rows = a->store.tasks = a->room.tasks;
    a->store.unit = machine->store->unit;
    a->store.nodes = machine->store->nodes;
    a->store.recycled = &a->rows;
    a->store.relations = &a->relations;
    if (machine->store->relations)
        a->relations.links = machine->store->relations->links;
}

static bool is_possible(const hs_room *room)
{
    return room->tasks > 0 && room->tasks <= HS_MAX_TASKS && room->edges < HS_NONE &&
           room->handles < HS_NONE && (uint64_t)room->tasks * room->accesses < HS_NONE;
}

hs_status hsi_arrivals_create(const hs_instance *machine, const hs_room *room, hsi_arrivals **out)
{
    hsi_arrivals *a;

    if (!is_possible(room))
        return HS_ETOOBIG;
    a = calloc(1, sizeof *a);
    if (!a)
        return HS_ENOMEM;
    a->room = *room;
    a->free_row = a->free_edge = a->dropped = HS_NONE;
    a->free_edges = room->edges;
    if (!open_rows(a) || !open_graph(a)) {
        hsi_arrivals_free(a);
        return HS_ENOMEM;
    }
    describe_machine(a, machine);
    *out = a;
    return HS_OK;
}

void hsi_arrivals_free(hsi_arrivals *a)
{
    if (!a)
        return;
    for (int column = 0; column < HSI_COLUMNS; column++)
        free(a->store.cells[column].at.data);
    hsi_access_queues_close(&a->queues);
    free(a->graph.access_at);
    free(a->restartable);
    free(a->kernel);
    free(a->state);
    free(a->number);
    free(a->next);
    free(a->edges);
    free(a->edge);
    free(a);
}

static uint32_t take_row(hsi_arrivals *a)
{
    uint32_t row = a->free_row;

    if (row == HS_NONE)
        return a->unused_row++;
    a->free_row = a->next[row];
    return row;
}

/* Free the row of a task that is no longer live, unless edges lead to it. */
static void free_row(hsi_arrivals *a, uint32_t row)
{
    if (a->ready->unfinished[row] & ~HSI_NEVER_READY) {
        a->state[row] = HSI_ROW_LEFT;
        return;
    }
    a->ready->unfinished[row] = HSI_NEVER_READY;
    a->state[row] = HSI_ROW_FREE;
    a->next[row] = a->free_row;
    a->free_row = row;
    a->live--;
}

static bool is_live(const hsi_arrivals *a, const hs_task_id *id)
{
    return a->number[id->task] == id->number &&
           (a->state[id->task] == HSI_ROW_WAITS || a->state[id->task] == HSI_ROW_GIVEN);
}

static void add_edge(hsi_arrivals *a, uint32_t from, uint32_t to)
{
    uint32_t edge = a->free_edge;

    if (edge == HS_NONE)
        edge = a->unused_edge++;
    else
        a->free_edge = a->edge[edge].next;
    a->edge[edge] = (hsi_arrival_edge){to, a->edges[from]};
    a->edges[from] = edge;
    a->free_edges--;
}

/* Return HS_OK if each access and each predecessor of the task exists and its times are valid. */
static hs_status check_arrival(const hsi_arrivals *a, const hs_arrival *task)
{
    if (!(task->cpu > 0 && task->gpu > 0))
        return HS_ETIME;
    if ((isinf(task->cpu) || a->in.cpus == 0) && (isinf(task->gpu) || a->in.gpus == 0))
        return HS_EWORKER;
    if (task->accesses > a->room.accesses)
        return HS_ETOOBIG;
    for (size_t i = 0; i < task->accesses; i++) {
        const hs_access *access = &task->access[i];

        if (!hsi_access_queues_have(&a->queues, access->data) || access->mode < HS_READ ||
            access->mode > HS_READ_WRITE)
            return HS_EINVAL;
        for (size_t j = 0; j < i; j++)
            if (task->access[j].data == access->data)
                return HS_EINVAL;
    }
    for (size_t i = 0; i < task->predecessors; i++)
        if (task->after[i].task >= a->room.tasks || task->after[i].number > a->latest)
            return HS_EINVAL;
    return task->kernel < HSI_CLASSES ? HS_OK : HS_EINVAL;
}

static hs_status check_room(const hsi_arrivals *a, const hs_arrival *task)
{
    size_t edges = 0;

    for (size_t i = 0; i < task->predecessors; i++)
        edges += is_live(a, &task->after[i]);
    if (edges > a->room.edges)
        return HS_ETOOBIG;
    return a->live < a->room.tasks && edges <= a->free_edges ? HS_OK : HS_EFULL;
}

/* Fill a row; a type without workers has no implementation. */
static void fill_row(hsi_arrivals *a, uint32_t row, const hs_arrival *task)
{
    ((double *)a->store.cells[HSI_CPU].at.data)[row] = a->in.cpus ? task->cpu : INFINITY;
    ((double *)a->store.cells[HSI_GPU].at.data)[row] = a->in.gpus ? task->gpu : INFINITY;
    ((int64_t *)a->store.cells[HSI_PRIORITY].at.data)[row] = task->priority;
    ((unsigned char *)a->store.cells[HSI_RESTARTABLE].at.data)[row] =
        task->restartable ? HS_RESTART_YES : HS_RESTART_NO;
    a->restartable[row] = task->restartable != 0;
    a->kernel[row] = (unsigned char)task->kernel;
    a->state[row] = HSI_ROW_WAITS;
    a->number[row] = ++a->latest;
    a->edges[row] = HS_NONE;
    a->live++;
}

/* Record the version that a granted access reads: all earlier writes are done. */
static void record_version(hsi_arrivals *a, uint32_t index)
{
    hs_access *access = &a->queues.access[index];

    access->writer = hsi_inputs_version(a->inputs, access->data);
}

/* Append the accesses of a row to the queues. Return the number of those that are not granted. */
static uint32_t append_accesses(hsi_arrivals *a, uint32_t row, const hs_arrival *task)
{
    uint32_t first = row * a->room.accesses, waiting = 0;

    for (uint32_t i = 0; i < a->room.accesses; i++) {
        if (i >= task->accesses) {
            a->queues.access[first + i].mode = 0;
            continue;
        }
        a->queues.access[first + i] = task->access[i];
        a->queues.access[first + i].writer = HS_NONE;
        if (hsi_access_queues_append(&a->queues, first + i))
            record_version(a, first + i);
        else
            waiting++;
    }
    return waiting;
}

hs_status hsi_arrivals_add(hsi_arrivals *a, const hs_arrival *task, hs_task_id *id, bool *is_ready)
{
    hs_status st = check_arrival(a, task);
    uint32_t  row, waits = 0;

    if (st == HS_OK)
        st = check_room(a, task);
    if (st != HS_OK)
        return st;
    row = take_row(a);
    fill_row(a, row, task);
    for (size_t i = 0; i < task->predecessors; i++)
        if (is_live(a, &task->after[i])) {
            add_edge(a, task->after[i].task, row);
            waits++;
        }
    waits += append_accesses(a, row, task);
    a->ready->unfinished[row] = waits;
    *is_ready = waits == 0;
    if (*is_ready)
        a->ready->news[a->ready->news_count++] = row;
    if (id)
        *id = (hs_task_id){a->number[row], row};
    return HS_OK;
}

/* Count an edge or access that a task no longer waits for. */
static void release(hsi_arrivals *a, uint32_t task)
{
    uint32_t unfinished = --a->ready->unfinished[task];

    if (unfinished == 0)
        a->ready->news[a->ready->news_count++] = task;
    else if (unfinished == HSI_NEVER_READY && a->state[task] == HSI_ROW_LEFT)
        free_row(a, task);
}

static void release_access(void *data, uint32_t index)
{
    hsi_arrivals *a = data;

    record_version(a, index);
    release(a, index / a->room.accesses);
}

/* Remove the accesses and edges of a task that ends. */
static void detach(hsi_arrivals *a, uint32_t task)
{
    uint32_t first = task * a->room.accesses, next;

    for (uint32_t i = first; i < first + a->room.accesses && a->queues.access[i].mode; i++) {
        a->ready->unfinished[task] -= !a->queues.granted[i];
        hsi_access_queues_remove(&a->queues, i, release_access, a);
        a->queues.access[i].mode = 0;
    }
    for (uint32_t edge = a->edges[task]; edge != HS_NONE; edge = next) {
        next = a->edge[edge].next;
        a->edge[edge].next = a->free_edge;
        a->free_edge = edge;
        a->free_edges++;
        release(a, a->edge[edge].task);
    }
    a->edges[task] = HS_NONE;
}

void hsi_arrivals_retire(hsi_arrivals *a, uint32_t task)
{
    detach(a, task);
    free_row(a, task);
}

static void mark_dropped(hsi_arrivals *a, uint32_t task, size_t *count)
{
    if (a->state[task] != HSI_ROW_WAITS)
        return;
    a->state[task] = HSI_ROW_DROPPED;
    a->ready->unfinished[task] |= HSI_NEVER_READY;
    a->ready->scratch[(*count)++] = task;
}

/* Mark the tasks whose access to a handle waits for this one, up to the next write. */
static void mark_behind(hsi_arrivals *a, uint32_t index, size_t *count)
{
    bool     is_read = !(a->queues.access[index].mode & HS_WRITE);
    uint32_t behind = a->queues.link[index].next;

    for (; behind != HS_NONE; behind = a->queues.link[behind].next) {
        bool writes = a->queues.access[behind].mode & HS_WRITE;

        if (writes || !is_read)
            mark_dropped(a, behind / a->room.accesses, count);
        if (writes)
            return;
    }
}

static void mark_successors(hsi_arrivals *a, uint32_t task, size_t *count)
{
    uint32_t first = task * a->room.accesses;

    for (uint32_t edge = a->edges[task]; edge != HS_NONE; edge = a->edge[edge].next)
        mark_dropped(a, a->edge[edge].task, count);
    for (uint32_t i = first; i < first + a->room.accesses && a->queues.access[i].mode; i++)
        mark_behind(a, i, count);
}

void hsi_arrivals_drop(hsi_arrivals *a, uint32_t task)
{
    uint32_t *marked = a->ready->scratch;
    size_t    count = 0;

    a->state[task] = HSI_ROW_DROPPED;
    a->ready->unfinished[task] |= HSI_NEVER_READY;
    mark_successors(a, task, &count);
    for (size_t i = 0; i < count; i++)
        mark_successors(a, marked[i], &count);
    detach(a, task);
    free_row(a, task);
    for (; count > 0; count--) {
        uint32_t last = marked[count - 1];

        detach(a, last);
        a->next[last] = a->dropped;
        a->dropped = last;
    }
}

uint32_t hsi_arrivals_take_dropped(hsi_arrivals *a)
{
    uint32_t task = a->dropped;

    if (task == HS_NONE)
        return HS_NONE;
    a->dropped = a->next[task];
    free_row(a, task);
    return task;
}
