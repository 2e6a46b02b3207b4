/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HeteroPrio's ready queue, hs_queue. Waiting tasks are in slots, which do not move; an ordered set
 * has their slot numbers, the GPU end first. Running tasks are in one set per type, the latest end
 * first; a task leaves the set when it ends or when the other type can no longer end it earlier.
 */
#include <hybridsched/queue.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/order.h"
#include "support/ordered_set.h"
#include "support/ratio.h"
#include "support/sized.h"
#include "support/vector.h"

typedef struct queue_slot {
    hs_queue_task task;
    uint64_t      sequence; /* number of the push; in a free slot: index of the next free slot */
    bool          is_taken; /* whether the slot has a task */
} queue_slot;

typedef struct started_task {
    hs_queue_task task;
    double        end;
    bool          is_victim; /* whether the running task is in `victims`: it may be spoliated */
} started_task;

struct hs_queue {
    unsigned        cpus, gpus;
    hsi_ordered_set waiting;   /* slot numbers */
    hsi_vector      slots;     /* queue_slot each */
    uint32_t        free_slot; /* first slot of the list of free slots; HS_NONE: no free slot */
    uint64_t        pushed;
    double          width; /* width of the cells in which ratios count as equal; 0: exact ratios */
    started_task   *worker;
    hsi_ordered_set victims[2]; /* indexed by hs_type: workers, the latest end first */
};

/* Return a task's time on a type; INFINITY if the type has no workers. */
static inline double time_on(const hs_queue *q, hs_type type, const hs_queue_task *task)
{
    if (type == HS_CPU)
        return q->cpus ? task->cpu : INFINITY;
    return q->gpus ? task->gpu : INFINITY;
}

/* Order of slots; with equal ratios and priorities the earlier push is nearer to the GPU end. */
static int is_nearer_to_gpus(const void *queue, uint32_t a, uint32_t b)
{
    const hs_queue   *q = queue;
    const queue_slot *slots = q->slots.data, *x = &slots[a], *y = &slots[b];
    int sign = hsi_heteroprio_compare(time_on(q, HS_CPU, &x->task), time_on(q, HS_GPU, &x->task),
                                      x->task.priority, time_on(q, HS_CPU, &y->task),
                                      time_on(q, HS_GPU, &y->task), y->task.priority, q->width > 0);

    return sign ? sign > 0 : x->sequence < y->sequence;
}

static hs_status check_task(const hs_queue *q, const hs_queue_task *task)
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
    return q->free_slot == HS_NONE ? hsi_vector_reserve(&q->slots, sizeof(queue_slot)) : 0;
}

static uint32_t take_slot(hs_queue *q)
{
    queue_slot *slots = q->slots.data;
    uint32_t    at = q->free_slot;

    if (at == HS_NONE) {
        at = (uint32_t)(q->slots.size / sizeof *slots);
        q->slots.size += sizeof *slots;
    } else {
        q->free_slot = (uint32_t)slots[at].sequence;
    }
    return at;
}

static double key_of(const hs_queue *q, const hs_queue_task *task)
{
    double cpu = time_on(q, HS_CPU, task), gpu = time_on(q, HS_GPU, task);

    return q->width > 0 ? hsi_heteroprio_cell(cpu, gpu, q->width) : hsi_heteroprio_key(cpu, gpu);
}

hs_status hs_queue_push(hs_queue *q, const hs_queue_task *task, hs_queue_handle *handle)
{
    queue_slot *kept;
    uint32_t    at;
    hs_status   st;

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
    kept = (queue_slot *)q->slots.data + at;
    *kept = (queue_slot){*task, q->pushed++, true};
    hsi_set_insert(&q->waiting, key_of(q, task), at);
    if (handle)
        *handle = (hs_queue_handle){kept->sequence, at};
    return HS_OK;
}

static hsi_set_end end_of(hs_type type)
{
    return type == HS_GPU ? HSI_SET_FRONT : HSI_SET_BACK;
}

/* Return the slot at the type's end, or HS_NONE if the type cannot run its task. */
static uint32_t first_of(const hs_queue *q, hs_type type)
{
    const queue_slot *slots = q->slots.data;
    uint32_t          at;

    if (q->waiting.count == 0)
        return HS_NONE;
    at = hsi_set_at(&q->waiting, end_of(type), 0);
    return isinf(time_on(q, type, &slots[at].task)) ? HS_NONE : at;
}

/* Free a slot whose number has left the set, and return its task. */
static hs_queue_task remove_slot(hs_queue *q, uint32_t slot)
{
    queue_slot *kept = (queue_slot *)q->slots.data + slot;

    kept->is_taken = false;
    kept->sequence = q->free_slot;
    q->free_slot = slot;
    return kept->task;
}

int hs_queue_take(hs_queue *q, hs_type type, hs_queue_task *task)
{
    uint32_t at = first_of(q, type);

    if (at == HS_NONE)
        return 0;
    hsi_set_remove_end(&q->waiting, end_of(type));
    *task = remove_slot(q, at);
    return 1;
}

int hs_queue_peek(const hs_queue *q, hs_type type, hs_queue_task *task)
{
    uint32_t at = first_of(q, type);

    if (at == HS_NONE)
        return 0;
    *task = ((const queue_slot *)q->slots.data)[at].task;
    return 1;
}

/* Remove a waiting task at a slot from the set and from the slot, and return it. */
static hs_queue_task remove_waiting(hs_queue *q, uint32_t slot)
{
    hsi_set_remove(&q->waiting, key_of(q, &((const queue_slot *)q->slots.data)[slot].task), slot);
    return remove_slot(q, slot);
}

/* Return true if the ratios of two tasks count as equal. Exact ratios may have equal keys. */
static bool is_of_ratio(const hs_queue *q, const hs_queue_task *a, const hs_queue_task *b)
{
    if (key_of(q, a) != key_of(q, b))
        return false;
    return q->width > 0 || hsi_compare_ratios(time_on(q, HS_CPU, a), time_on(q, HS_GPU, a),
                                              time_on(q, HS_CPU, b), time_on(q, HS_GPU, b)) == 0;
}

/* Return the slot of the task of least cost as hs_queue_take_best() takes it, or HS_NONE. */
static uint32_t find_best(const hs_queue *q, hs_type type, size_t most, hs_queue_cost *cost,
                          void *data)
{
    const queue_slot *slots = q->slots.data;
    uint32_t          best = HS_NONE;
    double            least = INFINITY;
    size_t            i, of_ratio = 0;

    for (i = 0; i < q->waiting.count && of_ratio < most && !(least <= 0); i++) {
        uint32_t          at = hsi_set_at(&q->waiting, end_of(type), i);
        const queue_slot *slot = &slots[at];
        double            price;

        /* behind a task that the type cannot run, only such tasks follow */
        if (isinf(time_on(q, type, &slot->task)) ||
            (best != HS_NONE && !is_of_ratio(q, &slots[best].task, &slot->task)))
            break;
        price = cost(data, &(hs_queue_handle){slot->sequence, at}, &slot->task);
        if (isnan(price))
            return HS_NONE;
        if (price < least) {
            least = price;
            best = at;
        }
        of_ratio += best != HS_NONE;
    }
    return best;
}

int hs_queue_take_best(hs_queue *q, hs_type type, size_t most, hs_queue_cost *cost, void *data,
                       hs_queue_task *task)
{
    uint32_t best = find_best(q, type, most, cost, data);

    if (best == HS_NONE)
        return 0;
    *task = remove_waiting(q, best);
    return 1;
}

typedef struct choice {
    hs_queue_accept *accept;
    void            *data;
} choice;

static double cost_of_choice(void *data, const hs_queue_handle *handle, const hs_queue_task *task)
{
    const choice *c = data;
    int           answer = c->accept(c->data, handle, task);

    if (answer < 0)
        return NAN;
    return answer > 0 ? 0 : INFINITY;
}

int hs_queue_take_if(hs_queue *q, hs_type type, hs_queue_accept *accept, void *data,
                     hs_queue_task *task)
{
    return hs_queue_take_best(q, type, 1, cost_of_choice, &(choice){accept, data}, task);
}

static queue_slot *find_slot(const hs_queue *q, const hs_queue_handle *handle)
{
    queue_slot *slots = q->slots.data;

    if (handle->slot >= q->slots.size / sizeof *slots || !slots[handle->slot].is_taken ||
        slots[handle->slot].sequence != handle->number)
        return NULL;
    return &slots[handle->slot];
}

int hs_queue_remove(hs_queue *q, const hs_queue_handle *handle, hs_queue_task *task)
{
    const queue_slot *kept = find_slot(q, handle);
    hs_queue_task     found;

    if (!kept)
        return 0;
    found = remove_waiting(q, handle->slot);
    if (task)
        *task = found;
    return 1;
}

hs_status hs_queue_update(hs_queue *q, const hs_queue_handle *handle, const hs_queue_task *task)
{
    queue_slot *kept;
    hs_status   st;

    if (!q || !handle || !task)
        return HS_EINVAL;
    kept = find_slot(q, handle);
    if (!kept)
        return HS_EINVAL;
    st = check_task(q, task);
    if (st != HS_OK)
        return st;
    if (hsi_set_reserve(&q->waiting, q->waiting.count + 1))
        return HS_ENOMEM;
    hsi_set_remove(&q->waiting, key_of(q, &kept->task), handle->slot);
    kept->task = *task;
    hsi_set_insert(&q->waiting, key_of(q, task), handle->slot);
    return HS_OK;
}

size_t hs_queue_size(const hs_queue *q)
{
    return q->waiting.count;
}

static hs_type type_of(const hs_queue *q, unsigned worker)
{
    return worker < q->cpus ? HS_CPU : HS_GPU;
}

/* Order of two running tasks with equal ends: the higher priority first, then the smaller tag. */
static int is_taken_first(const void *context, uint32_t a, uint32_t b)
{
    const started_task *x = &((const hs_queue *)context)->worker[a];
    const started_task *y = &((const hs_queue *)context)->worker[b];

    if (x->task.priority != y->task.priority)
        return x->task.priority > y->task.priority;
    return x->task.tag < y->task.tag;
}

static void forget_victim(hs_queue *q, unsigned worker)
{
    if (q->worker[worker].is_victim)
        hsi_set_remove(&q->victims[type_of(q, worker)], -q->worker[worker].end, worker);
    q->worker[worker].is_victim = false;
}

hs_status hs_queue_record_start(hs_queue *q, unsigned worker, const hs_queue_task *task, double end)
{
    if (!q || !task || worker >= q->cpus + q->gpus || isnan(end))
        return HS_EINVAL;
    forget_victim(q, worker);
    q->worker[worker] = (started_task){*task, end, true};
    hsi_set_insert(&q->victims[type_of(q, worker)], -end, worker);
    return HS_OK;
}

void hs_queue_record_end(hs_queue *q, unsigned worker)
{
    if (worker < q->cpus + q->gpus)
        forget_victim(q, worker);
}

int hs_queue_find_victim(hs_queue *q, hs_type type, double now, unsigned *worker,
                         hs_queue_task *task)
{
    hs_type other = type == HS_CPU ? HS_GPU : HS_CPU;

    while (q->victims[other].count) {
        unsigned            top = hsi_set_at(&q->victims[other], HSI_SET_FRONT, 0);
        const started_task *run = &q->worker[top];

        if (now + (type == HS_CPU ? run->task.cpu : run->task.gpu) < run->end) {
            *worker = top;
            *task = run->task;
            return 1;
        }
        forget_victim(q, top);
    }
    return 0;
}

void hs_queue_settings_init_sized(hs_queue_settings *settings, size_t size)
{
    memset(settings, 0, size);
    settings->struct_size = size;
}

hs_status hs_queue_create(unsigned cpus, unsigned gpus, size_t capacity, hs_queue **out)
{
    return hs_queue_create_with(cpus, gpus, capacity, NULL, out);
}

hs_status hs_queue_create_with(unsigned cpus, unsigned gpus, size_t capacity,
                               const hs_queue_settings *settings, hs_queue **out)
{
    unsigned          workers = cpus + gpus;
    hs_queue_settings full = {0};
    hs_queue         *q;

    if (settings && !hsi_sized_copy_in(&full, sizeof full, settings))
        return HS_EINVAL;
    if (!hsi_is_cell_width(full.tolerance))
        return HS_EINVAL;
    if (!out || cpus > HS_MAX_WORKERS || gpus > HS_MAX_WORKERS || workers == 0)
        return HS_EINVAL;
    if (capacity > HS_MAX_TASKS)
        return HS_ETOOBIG;
    q = calloc(1, sizeof *q);
    if (!q)
        return HS_ENOMEM;
    q->cpus = cpus;
    q->gpus = gpus;
    q->free_slot = HS_NONE;
    q->width = full.tolerance;
    hsi_set_open(&q->waiting, is_nearer_to_gpus, q);
    q->worker = calloc(workers, sizeof *q->worker);
    hsi_set_open(&q->victims[HS_CPU], is_taken_first, q);
    hsi_set_open(&q->victims[HS_GPU], is_taken_first, q);
    if (!q->worker || hsi_set_reserve(&q->victims[HS_CPU], cpus) ||
        hsi_set_reserve(&q->victims[HS_GPU], gpus) || hsi_set_reserve(&q->waiting, capacity) ||
        hsi_vector_reserve(&q->slots, capacity * sizeof(queue_slot))) {
        hs_queue_free(q);
        return HS_ENOMEM;
    }
    *out = q;
    return HS_OK;
}

void hs_queue_free(hs_queue *q)
{
    if (!q)
        return;
    hsi_set_close(&q->waiting);
    hsi_vector_free(&q->slots);
    hsi_set_close(&q->victims[HS_CPU]);
    hsi_set_close(&q->victims[HS_GPU]);
    free(q->worker);
    free(q);
}
