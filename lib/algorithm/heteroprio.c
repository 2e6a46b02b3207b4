/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HeteroPrio (Beaumont, Eyraud-Dubois, Kumar 2017, Algorithm 1) under a virtual clock. Tasks are in
 * a queue by acceleration; idle GPUs take from its front, idle CPUs from its back. A worker without
 * a task to take spoliates.
 *
 * Among workers idle at one time GPUs act first, then lower numbers: rank j is GPU j, rank k + i is
 * CPU i.
 *
 * Rows with counts are not expanded: only the rows at both ends of the queue are partly taken, and
 * their remaining copies are counted.
 */
#include <math.h>

#include "algorithm/algorithm.h"
#include "core/order.h"
#include "support/sort.h"
#include "support/worker_tree.h"

/* A task: a row and the number of its copy. */
typedef struct copy {
    uint32_t row, number;
} copy;

typedef struct candidate {
    double   end;
    int64_t  priority;
    copy     task;
    uint32_t rank;
} candidate;

/* Tasks of the other type, running when a type first found no task, in the order of spoliation. A
 * task that cannot be improved now never can. */
typedef struct candidates {
    candidate *list;  /* NULL: not collected yet */
    uint32_t  *order; /* order of spoliation */
    size_t     size, next;
} candidates;

typedef struct simulation {
    const hsi_problem *pb;
    hsi_recorder      *recorder;
    uint32_t          *queue; /* rows; [front, back) remain */
    size_t             front, back;
    uint32_t           front_copy, back_copy; /* range of remaining copies: from front_copy of the
                                                 first row to before back_copy of the last */
    hsi_worker_tree idle_at;
    copy           *running; /* task of each rank */
    candidates      seen[2]; /* candidates for each thief's hs_type */
} simulation;

static uint32_t worker_of(const simulation *sim, uint32_t rank)
{
    return rank < sim->pb->k ? sim->pb->m + rank : rank - sim->pb->k;
}

static hs_type type_of(const simulation *sim, uint32_t rank)
{
    return rank < sim->pb->k ? HS_GPU : HS_CPU;
}

/* Return the number of copies of a row. `count` is a parameter, so that the compiler specialises
 * callers without counts. */
static inline uint32_t copies_of(const uint32_t *count, uint32_t row)
{
    return count ? count[row] : 1;
}

static inline uint32_t pop_front(simulation *sim, const uint32_t *count)
{
    uint32_t number = sim->front_copy++;
    bool     last_row = sim->front + 1 == sim->back;

    if (sim->front_copy == (last_row ? sim->back_copy : copies_of(count, sim->queue[sim->front]))) {
        sim->front++;
        sim->front_copy = 0;
    }
    return number;
}

static inline uint32_t pop_back(simulation *sim, const uint32_t *count)
{
    uint32_t number = --sim->back_copy;
    bool     last_row = sim->front + 1 == sim->back;

    if (number == (last_row ? sim->front_copy : 0)) {
        sim->back--;
        sim->back_copy = last_row ? 0 : copies_of(count, sim->queue[sim->back - 1]);
    }
    return number;
}

/* Take the task at the type's end of the queue, if the type can run it. */
static inline bool take(simulation *sim, const uint32_t *count, hs_type type, copy *task,
                        double *time)
{
    if (sim->front == sim->back)
        return false;
    task->row = sim->queue[type == HS_GPU ? sim->front : sim->back - 1];
    task->number = 0;
    *time = type == HS_GPU ? sim->pb->q[task->row] : sim->pb->p[task->row];
    if (isinf(*time))
        return false;
    if (count)
        task->number = type == HS_GPU ? pop_front(sim, count) : pop_back(sim, count);
    else if (type == HS_GPU)
        sim->front++;
    else
        sim->back--;
    return true;
}

static inline void start(simulation *sim, copy task, uint32_t rank, double end)
{
    hsi_record_copy(sim->recorder, task.row, task.number, worker_of(sim, rank), end);
    sim->running[rank] = task;
    hsi_worker_tree_set(&sim->idle_at, rank, end);
}

/*
 * Run until a worker finds no task, which is nearly all of the simulation. The queue shows which
 * times are needed next, at random places in memory; the processor cannot predict whether a GPU or
 * a CPU is next. The prefetches are inline, since the compiler would drop a function without
 * visible effects.
 */
static inline void run_busy_phase(simulation *sim, const uint32_t *count)
{
    enum { AHEAD = 12 };
    const double   *p = sim->pb->p, *q = sim->pb->q;
    const uint32_t *queue = sim->queue;
    copy            task;
    double          time;
    size_t          taken;

    for (taken = 0; sim->front < sim->back && !hsi_poll_at_iteration(sim->pb->token, taken);
         taken++) {
        uint32_t rank = hsi_worker_tree_first(&sim->idle_at);

        if (sim->back - sim->front > AHEAD) {
            __builtin_prefetch(&q[queue[sim->front + AHEAD]]);
            __builtin_prefetch(&p[queue[sim->back - 1 - AHEAD]]);
        }
        if (!take(sim, count, type_of(sim, rank), &task, &time))
            break;
        start(sim, task, rank, hsi_worker_tree_time(&sim->idle_at) + time);
    }
}

/* Order of candidates: later end, then higher priority, then the smaller task. */
static int candidate_before(const void *context, uint32_t a, uint32_t b)
{
    const candidate *x = (const candidate *)context + a, *y = (const candidate *)context + b;

    if (x->end != y->end)
        return x->end > y->end;
    if (x->priority != y->priority)
        return x->priority > y->priority;
    if (x->task.row != y->task.row)
        return x->task.row < y->task.row;
    return x->task.number < y->task.number;
}

/* Collect all restartable tasks that the other type runs at `now`; that type starts no later task
 * that this type can run. */
static hs_status list_candidates(simulation *sim, hs_type looking, double now)
{
    candidates *seen = &sim->seen[looking];
    hsi_arena  *arena = sim->pb->arena;
    uint32_t    rank, *scratch;

    seen->list = hsi_arena_alloc(arena, sim->idle_at.size, sizeof *seen->list);
    seen->order = hsi_arena_alloc(arena, sim->idle_at.size, sizeof *seen->order);
    scratch = hsi_arena_alloc(arena, sim->idle_at.size, sizeof *scratch);
    if (!seen->list || !seen->order || !scratch)
        return HS_ENOMEM;
    for (rank = 0; rank < sim->idle_at.size; rank++) {
        double end = hsi_worker_tree_time_of(&sim->idle_at, rank);
        copy   task = sim->running[rank];

        if (type_of(sim, rank) != looking && end > now && !isinf(end) && task.row != HS_NONE &&
            hsi_is_restartable(sim->pb, task.row)) {
            seen->order[seen->size] = (uint32_t)seen->size;
            seen->list[seen->size++] =
                (candidate){end, hsi_priority_of(sim->pb, task.row), task, rank};
        }
    }
    hsi_sort_indices(seen->order, scratch, seen->size, candidate_before, seen->list);
    return HS_OK;
}

/* Return the first candidate that `type` would end strictly earlier if started now, or NULL. */
static const candidate *find_victim(simulation *sim, hs_type type, double now)
{
    candidates *seen = &sim->seen[type];

    while (seen->next < seen->size) {
        const candidate *c = &seen->list[seen->order[seen->next++]];
        double           time = type == HS_GPU ? sim->pb->q[c->task.row] : sim->pb->p[c->task.row];

        if (now + time < c->end)
            return c;
    }
    return NULL;
}

/* Let an idle worker spoliate, or retire it if no task can be improved. */
static hs_status spoliate_or_leave(simulation *sim, uint32_t thief, double now)
{
    hs_type          type = type_of(sim, thief);
    const candidate *victim;
    hs_status        st;

    if (!sim->seen[type].list) {
        st = list_candidates(sim, type, now);
        if (st != HS_OK)
            return st;
    }
    victim = find_victim(sim, type, now);
    if (!victim) {
        hsi_worker_tree_set(&sim->idle_at, thief, INFINITY);
        return HS_OK;
    }
    hsi_record_abort(sim->recorder, worker_of(sim, victim->rank), now);
    start(sim, victim->task, thief,
          now + (type == HS_GPU ? sim->pb->q : sim->pb->p)[victim->task.row]);
    hsi_worker_tree_set(&sim->idle_at, victim->rank, now); /* idle again */
    return HS_OK;
}

/* Run after a worker has found no task: workers still take tasks, others spoliate. */
static hs_status run_last_phase(simulation *sim, bool spoliation)
{
    hs_status st = HS_OK;
    copy      task;
    double    time;
    size_t    steps;

    for (steps = 0; st == HS_OK && !hsi_poll_at_iteration(sim->pb->token, steps); steps++) {
        uint32_t rank = hsi_worker_tree_first(&sim->idle_at);
        double   now = hsi_worker_tree_time(&sim->idle_at);

        if (isinf(now))
            break;
        if (take(sim, sim->pb->count, type_of(sim, rank), &task, &time))
            start(sim, task, rank, now + time);
        else if (spoliation)
            st = spoliate_or_leave(sim, rank, now);
        else
            hsi_worker_tree_set(&sim->idle_at, rank, INFINITY);
    }
    return st;
}

/* Start each worker at the time from which it is available, without a running task. */
static hs_status await_workers(simulation *sim)
{
    uint32_t workers = sim->idle_at.size, rank;
    double  *free_at = hsi_arena_alloc(sim->pb->arena, workers, sizeof *free_at);

    if (!free_at)
        return HS_ENOMEM;
    for (rank = 0; rank < workers; rank++) {
        free_at[rank] = sim->pb->available[worker_of(sim, rank)];
        sim->running[rank].row = HS_NONE;
    }
    hsi_worker_tree_start(&sim->idle_at, free_at);
    return HS_OK;
}

static hs_status simulate(const hsi_problem *pb, hsi_recorder *recorder, bool spoliation)
{
    uint32_t   workers = pb->m + pb->k;
    simulation sim = {.pb = pb, .recorder = recorder, .back = pb->n};
    hs_status  st;

    sim.queue = hsi_arena_alloc(pb->arena, pb->n, sizeof *sim.queue);
    sim.running = hsi_arena_alloc(pb->arena, workers, sizeof *sim.running);
    if (!sim.queue || !sim.running || hsi_worker_tree_open_in(&sim.idle_at, pb->arena, workers))
        return HS_ENOMEM;
    st = hsi_order_by_rho(pb, HSI_RHO_QUEUE, sim.queue);
    if (st == HS_OK && pb->available)
        st = await_workers(&sim);
    if (st == HS_OK)
        st = hsi_recorder_open(recorder, pb, pb->count || pb->n > workers ? workers : pb->n);
    if (st != HS_OK)
        return st;
    if (pb->n)
        sim.back_copy = hsi_row_count(pb, sim.queue[pb->n - 1]);
    if (pb->count)
        run_busy_phase(&sim, pb->count);
    else
        run_busy_phase(&sim, NULL);
    return run_last_phase(&sim, spoliation);
}

static hs_status run(const hsi_problem *pb, const hs_settings *settings, hsi_recorder *recorder)
{
    (void)settings;
    return simulate(pb, recorder, true);
}

static hs_status run_without_spoliation(const hsi_problem *pb, const hs_settings *settings,
                                        hsi_recorder *recorder)
{
    (void)settings;
    return simulate(pb, recorder, false);
}

/* Return the guarantee of Theorems 7, 9 and 12, if every task may be restarted; with one type, list
 * scheduling guarantees 2 - 1/w. */
static double guarantee(void *data, unsigned cpus, unsigned gpus, const hs_settings *settings)
{
    (void)data;
    (void)settings;
    if (cpus == 0 || gpus == 0)
        return 2 - 1.0 / (cpus + gpus);
    if (cpus == 1 && gpus == 1)
        return (1 + sqrt(5)) / 2;
    if (cpus == 1 || gpus == 1)
        return (3 + sqrt(5)) / 2;
    return 2 + sqrt(2);
}

const hsi_algorithm hsi_alg_heteroprio = {
    .about =
        {
            .struct_size = sizeof(hs_algorithm),
            .name = "heteroprio",
            .summary = "GPUs take the most accelerated task, CPUs the least; idle workers spoliate",
            .source = "Beaumont, Eyraud-Dubois, Kumar 2017, Algorithm 1; Theorems 7, 9, 12",
            .cost = "O(n log n + (n + m + k) log(m + k))",
            .guarantee = guarantee,
            .supports_graphs = true,
            .supports_available = true,
            .supported_ranks = HSI_ANY_RANK,
        },
    .by_rows = true,
    .run = run,
    .policy = "heteroprio",
};

const hsi_algorithm hsi_alg_heteroprio_ns = {
    .about =
        {
            .struct_size = sizeof(hs_algorithm),
            .name = "heteroprio-ns",
            .summary = "heteroprio without spoliation: the bare list schedule",
            .source = "Beaumont, Eyraud-Dubois, Kumar 2017, section 4.1",
            .cost = "O(n log n + (n + m + k) log(m + k))",
            .supports_graphs = true,
            .supports_available = true,
            .supported_ranks = HSI_ANY_RANK,
        },
    .by_rows = true,
    .run = run_without_spoliation,
    .policy = "heteroprio-ns",
};
