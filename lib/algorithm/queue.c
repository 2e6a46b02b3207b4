/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HeteroPrio's ready queue. Waiting tasks lie in an interval heap: node i holds
 * the two tasks 2i (nearer to the GPU end) and 2i + 1; those nearer to the GPU
 * end form a heap with the front on top, the others one with the back on top.
 * Running tasks lie in one heap a type, the latest end on top, from which a task
 * leaves when it ends or when the other type can no longer improve it.
 */
#include <hybridsched/queue.h>

#include <math.h>
#include <stdlib.h>

#include "core/order.h"
#include "support/vector.h"

typedef struct waiting {
    double   rho;  /* p / q rounded: decides unless equal */
    uint32_t slot; /* where the rest is, which is seldom looked at and does not move */
} waiting;

typedef struct slot {
    hs_ready task;
    uint64_t sequence; /* of pushing; of a free slot: the next free one */
} slot;

typedef struct running {
    hs_ready task;
    double   end;
    uint32_t place; /* in its type's heap; NOT_THERE */
} running;

#define NOT_THERE UINT32_MAX

struct hs_queue {
    unsigned   cpus, gpus;
    hsi_vector heap;      /* of waiting, an interval heap */
    hsi_vector slots;     /* of slot */
    uint32_t   free_slot; /* the first of a list; NOT_THERE */
    size_t     size;
    uint64_t   pushed;
    running   *worker;
    uint32_t  *victims[2]; /* heaps of workers of a type */
    uint32_t   victim_count[2];
};

static int nearer_of_equals(const hs_queue *q, const waiting *a, const waiting *b)
{
    const slot *x = (const slot *)q->slots.data + a->slot;
    const slot *y = (const slot *)q->slots.data + b->slot;
    int tie, first = hsi_queue_before(x->task.cpu, x->task.gpu, x->task.priority, y->task.cpu,
                                      y->task.gpu, y->task.priority, &tie);

    return tie ? x->sequence < y->sequence : first;
}

static inline int nearer_to_gpus(const hs_queue *q, const waiting *a, const waiting *b)
{
    return a->rho != b->rho ? a->rho > b->rho : nearer_of_equals(q, a, b);
}

static void swap(waiting *a, waiting *b)
{
    waiting t = *a;

    *a = *b;
    *b = t;
}

/* Up the heap of fronts (side 0) or of backs (side 1) from node `node`. */
static void rise(const hs_queue *q, size_t node, int side)
{
    waiting *heap = q->heap.data;

    while (node > 0) {
        size_t   parent = (node - 1) / 2;
        waiting *child_task = &heap[2 * node + side], *parent_task = &heap[2 * parent + side];

        if (!(side == 0 ? nearer_to_gpus(q, child_task, parent_task)
                        : nearer_to_gpus(q, parent_task, child_task)))
            return;
        swap(child_task, parent_task);
        node = parent;
    }
}

static void settle_last(struct hs_queue *q)
{
    waiting *heap = q->heap.data;
    size_t   last = q->size - 1, node = last / 2;

    if (last & 1) { /* its node is full now */
        if (nearer_to_gpus(q, &heap[last], &heap[last - 1])) {
            swap(&heap[last], &heap[last - 1]);
            rise(q, node, 0);
        } else {
            rise(q, node, 1);
        }
        return;
    }
    if (node == 0)
        return;
    /* A lone task is both ends of its node: it may have to rise on either side. */
    if (nearer_to_gpus(q, &heap[last], &heap[2 * ((node - 1) / 2)])) {
        rise(q, node, 0);
    } else if (nearer_to_gpus(q, &heap[2 * ((node - 1) / 2) + 1], &heap[last])) {
        swap(&heap[last], &heap[2 * ((node - 1) / 2) + 1]);
        rise(q, (node - 1) / 2, 1);
    }
}

/* Index of the task on one side of a node: a lone task is on both. */
static size_t on_side(const hs_queue *q, size_t node, int side)
{
    size_t at = 2 * node + side;

    return at < q->size ? at : 2 * node;
}

/* The task at the top of one side was replaced: let it sink there. */
static void sink(hs_queue *q, int side)
{
    waiting *heap = q->heap.data;
    size_t   node = 0, nodes = (q->size + 1) / 2;

    for (;;) {
        size_t at = on_side(q, node, side), child = 2 * node + 1, child_at, other;

        other = 2 * node + 1 - side;
        if (other < q->size && other != at &&
            (side == 0 ? nearer_to_gpus(q, &heap[other], &heap[at])
                       : nearer_to_gpus(q, &heap[at], &heap[other])))
            swap(&heap[other], &heap[at]);
        if (child >= nodes)
            return;
        child_at = on_side(q, child, side);
        if (child + 1 < nodes) {
            size_t second = on_side(q, child + 1, side);

            if (side == 0 ? nearer_to_gpus(q, &heap[second], &heap[child_at])
                          : nearer_to_gpus(q, &heap[child_at], &heap[second])) {
                child++;
                child_at = second;
            }
        }
        if (!(side == 0 ? nearer_to_gpus(q, &heap[child_at], &heap[at])
                        : nearer_to_gpus(q, &heap[at], &heap[child_at])))
            return;
        swap(&heap[child_at], &heap[at]);
        node = child;
    }
}

static hs_status check_task(const hs_queue *q, const hs_ready *task)
{
    if (!(task->cpu > 0) || !(task->gpu > 0))
        return HS_ETIME;
    if ((q->cpus == 0 || isinf(task->cpu)) && (q->gpus == 0 || isinf(task->gpu)))
        return HS_EWORKER;
    return HS_OK;
}

/* Room for one more task in either array. */
static int reserve_one(hs_queue *q)
{
    if (hsi_vector_reserve(&q->heap, sizeof(waiting)))
        return -1;
    return q->free_slot == NOT_THERE ? hsi_vector_reserve(&q->slots, sizeof(slot)) : 0;
}

static uint32_t take_slot(hs_queue *q)
{
    slot    *slots = q->slots.data;
    uint32_t at = q->free_slot;

    if (at == NOT_THERE) {
        at = (uint32_t)(q->slots.size / sizeof *slots);
        q->slots.size += sizeof *slots;
    } else {
        q->free_slot = (uint32_t)slots[at].sequence;
    }
    return at;
}

hs_status hs_queue_push(hs_queue *q, const hs_ready *task)
{
    waiting  *added;
    slot     *kept;
    hs_status st;

    if (!q || !task)
        return HS_EINVAL;
    st = check_task(q, task);
    if (st != HS_OK)
        return st;
    if (q->size >= HS_MAX_TASKS)
        return HS_ETOOBIG;
    if (reserve_one(q))
        return HS_ENOMEM;
    added = (waiting *)q->heap.data + q->size++;
    q->heap.size += sizeof *added;
    added->slot = take_slot(q);
    kept = (slot *)q->slots.data + added->slot;
    kept->task = *task;
    if (q->cpus == 0)
        kept->task.cpu = INFINITY;
    if (q->gpus == 0)
        kept->task.gpu = INFINITY;
    kept->sequence = q->pushed++;
    added->rho = kept->task.cpu / kept->task.gpu;
    settle_last(q);
    return HS_OK;
}

int hs_queue_take(hs_queue *q, hs_type type, hs_ready *task)
{
    waiting *heap = q->heap.data;
    slot    *kept;
    int      side = type == HS_GPU ? 0 : 1;
    size_t   at;

    if (q->size == 0)
        return 0;
    at = on_side(q, 0, side);
    kept = (slot *)q->slots.data + heap[at].slot;
    if (isinf(type == HS_GPU ? kept->task.gpu : kept->task.cpu))
        return 0;
    *task = kept->task;
    kept->sequence = q->free_slot;
    q->free_slot = heap[at].slot;
    q->size--;
    q->heap.size -= sizeof *heap;
    if (at != q->size) {
        heap[at] = heap[q->size];
        sink(q, side);
    }
    return 1;
}

size_t hs_queue_size(const hs_queue *q)
{
    return q->size;
}

static hs_type type_of(const hs_queue *q, unsigned worker)
{
    return worker < q->cpus ? HS_CPU : HS_GPU;
}

static int ends_later(const hs_queue *q, uint32_t a, uint32_t b)
{
    const running *x = &q->worker[a], *y = &q->worker[b];

    if (x->end != y->end)
        return x->end > y->end;
    if (x->task.priority != y->task.priority)
        return x->task.priority > y->task.priority;
    return x->task.tag < y->task.tag;
}

static void put_victim(hs_queue *q, hs_type type, uint32_t place, uint32_t worker)
{
    q->victims[type][place] = worker;
    q->worker[worker].place = place;
}

static void victim_up(hs_queue *q, hs_type type, uint32_t place, uint32_t worker)
{
    while (place && ends_later(q, worker, q->victims[type][(place - 1) / 2])) {
        put_victim(q, type, place, q->victims[type][(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put_victim(q, type, place, worker);
}

static void victim_down(hs_queue *q, hs_type type, uint32_t place, uint32_t worker)
{
    uint32_t *heap = q->victims[type], count = q->victim_count[type], child;

    while ((child = 2 * place + 1) < count) {
        if (child + 1 < count && ends_later(q, heap[child + 1], heap[child]))
            child++;
        if (!ends_later(q, heap[child], worker))
            break;
        put_victim(q, type, place, heap[child]);
        place = child;
    }
    put_victim(q, type, place, worker);
}

static void forget_victim(hs_queue *q, unsigned worker)
{
    hs_type  type = type_of(q, worker);
    uint32_t place = q->worker[worker].place, last;

    if (place == NOT_THERE)
        return;
    q->worker[worker].place = NOT_THERE;
    last = q->victims[type][--q->victim_count[type]];
    if (last == worker)
        return;
    if (place && ends_later(q, last, q->victims[type][(place - 1) / 2]))
        victim_up(q, type, place, last);
    else
        victim_down(q, type, place, last);
}

hs_status hs_queue_start(hs_queue *q, unsigned worker, const hs_ready *task, double end)
{
    hs_type type;

    if (!q || !task || worker >= q->cpus + q->gpus || isnan(end))
        return HS_EINVAL;
    forget_victim(q, worker);
    type = type_of(q, worker);
    q->worker[worker].task = *task;
    q->worker[worker].end = end;
    victim_up(q, type, q->victim_count[type]++, worker);
    return HS_OK;
}

void hs_queue_stop(hs_queue *q, unsigned worker)
{
    if (worker < q->cpus + q->gpus)
        forget_victim(q, worker);
}

int hs_queue_victim(hs_queue *q, hs_type type, double now, unsigned *worker, hs_ready *task)
{
    hs_type other = type == HS_CPU ? HS_GPU : HS_CPU;

    while (q->victim_count[other]) {
        unsigned       top = q->victims[other][0];
        const running *run = &q->worker[top];

        if (now + (type == HS_CPU ? run->task.cpu : run->task.gpu) < run->end) {
            *worker = top;
            *task = run->task;
            return 1;
        }
        forget_victim(q, top);
    }
    return 0;
}

hs_status hs_queue_create(unsigned cpus, unsigned gpus, size_t capacity, hs_queue **out)
{
    unsigned  workers = cpus + gpus, w;
    hs_queue *q;

    if (!out || cpus > HS_MAX_WORKERS || gpus > HS_MAX_WORKERS || workers == 0)
        return HS_EINVAL;
    if (capacity > HS_MAX_TASKS)
        return HS_ETOOBIG;
    q = calloc(1, sizeof *q);
    if (!q)
        return HS_ENOMEM;
    q->cpus = cpus;
    q->gpus = gpus;
    q->free_slot = NOT_THERE;
    q->worker = calloc(workers, sizeof *q->worker);
    q->victims[HS_CPU] = malloc((cpus + 1) * sizeof **q->victims);
    q->victims[HS_GPU] = malloc((gpus + 1) * sizeof **q->victims);
    if (!q->worker || !q->victims[HS_CPU] || !q->victims[HS_GPU] ||
        hsi_vector_reserve(&q->heap, capacity * sizeof(waiting)) ||
        hsi_vector_reserve(&q->slots, capacity * sizeof(slot))) {
        hs_queue_free(q);
        return HS_ENOMEM;
    }
    for (w = 0; w < workers; w++)
        q->worker[w].place = NOT_THERE;
    *out = q;
    return HS_OK;
}

void hs_queue_free(hs_queue *q)
{
    if (!q)
        return;
    hsi_vector_free(&q->heap);
    hsi_vector_free(&q->slots);
    free(q->victims[HS_CPU]);
    free(q->victims[HS_GPU]);
    free(q->worker);
    free(q);
}
