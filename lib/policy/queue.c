/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HeteroPrio's ready queue. Waiting tasks lie in slots, which do not move, and their slots in
 * an ordered set, the GPU end first. Running tasks lie in one heap a type, the latest end on top,
 * from which a task leaves when it ends or when the other type can no longer improve it.
 */
#include <hybridsched/queue.h>

#include <math.h>
#include <stdlib.h>

#include "core/order.h"
#include "support/ordered_set.h"
#include "support/vector.h"

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
    unsigned        cpus, gpus;
    hsi_ordered_set waiting;   /* slots */
    hsi_vector      slots;     /* of slot */
    uint32_t        free_slot; /* the first of a list; NOT_THERE */
    uint64_t        pushed;
    running        *worker;
    uint32_t       *victims[2]; /* heaps of workers of a type */
    uint32_t        victim_count[2];
};

/* Of equal ratios and priorities who came first is nearer to the GPU end. */
static int slot_before(const void *queue, uint32_t a, uint32_t b)
{
    const slot *slots = ((const hs_queue *)queue)->slots.data, *x = &slots[a], *y = &slots[b];
    int tie, first = hsi_queue_before(x->task.cpu, x->task.gpu, x->task.priority, y->task.cpu,
                                      y->task.gpu, y->task.priority, &tie);

    return tie ? x->sequence < y->sequence : first;
}

static hs_status check_task(const hs_queue *q, const hs_ready *task)
{
    if (!(task->cpu > 0) || !(task->gpu > 0))
        return HS_ETIME;
    if ((q->cpus == 0 || isinf(task->cpu)) && (q->gpus == 0 || isinf(task->gpu)))
        return HS_EWORKER;
    return HS_OK;
}

static int reserve_one(hs_queue *q)
{
    if (hsi_set_reserve(&q->waiting, q->waiting.count + 1))
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
    slot     *kept;
    uint32_t  at;
    hs_status st;

    if (!q || !task)
        return HS_EINVAL;
    st = check_task(q, task);
    if (st != HS_OK)
        return st;
    if (q->waiting.count >= HS_MAX_TASKS)
        return HS_ETOOBIG;
    if (reserve_one(q))
        return HS_ENOMEM;
    at = take_slot(q);
    kept = (slot *)q->slots.data + at;
    kept->task = *task;
    if (q->cpus == 0)
        kept->task.cpu = INFINITY;
    if (q->gpus == 0)
        kept->task.gpu = INFINITY;
    kept->sequence = q->pushed++;
    hsi_set_insert(&q->waiting, hsi_queue_key(kept->task.cpu, kept->task.gpu), at);
    return HS_OK;
}

int hs_queue_take(hs_queue *q, hs_type type, hs_ready *task)
{
    hsi_set_end end = type == HS_GPU ? HSI_SET_FRONT : HSI_SET_BACK;
    slot       *kept;
    uint32_t    at;

    if (q->waiting.count == 0)
        return 0;
    at = hsi_set_at(&q->waiting, end, 0);
    kept = (slot *)q->slots.data + at;
    if (isinf(type == HS_GPU ? kept->task.gpu : kept->task.cpu))
        return 0;
    hsi_set_take(&q->waiting, end);
    *task = kept->task;
    kept->sequence = q->free_slot;
    q->free_slot = at;
    return 1;
}

size_t hs_queue_size(const hs_queue *q)
{
    return q->waiting.count;
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
    hsi_set_open(&q->waiting, slot_before, q);
    q->worker = calloc(workers, sizeof *q->worker);
    q->victims[HS_CPU] = malloc((cpus + 1) * sizeof **q->victims);
    q->victims[HS_GPU] = malloc((gpus + 1) * sizeof **q->victims);
    if (!q->worker || !q->victims[HS_CPU] || !q->victims[HS_GPU] ||
        hsi_set_reserve(&q->waiting, capacity) ||
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
    hsi_set_close(&q->waiting);
    hsi_vector_free(&q->slots);
    free(q->victims[HS_CPU]);
    free(q->victims[HS_GPU]);
    free(q->worker);
    free(q);
}
