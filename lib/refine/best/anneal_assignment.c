/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A move shifts an item to another machine, or exchanges two items of two machines. Metropolis'
 * rule accepts a move that raises the energy by at most the temperature times -log of a random
 * number. The target follows the temperature, so that the energy stays positive; the state with the
 * lowest highest machine is kept. A move costs O(1).
 *
 * Items are the tasks that may move, in the order of their times on a type that is not a pool, so
 * that the partner of an exchange can be drawn from nearby: late in a run only exchanges of nearly
 * equal times are accepted.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "refine/best/anneal_assignment.h"
#include "support/arena.h"
#include "support/portable_math.h"
#include "support/sort.h"

enum {
    POOL_FROM = 8,       /* tasks per worker from which a type is a pool */
    WINDOW = 48,         /* number of items if both types are pools */
    FEW_KINDS = 32,      /* limit of the kinds of items for drawing a kind first */
    POOL_MOVES = 100000, /* limit of moves if both types are pools */
    LEAST_WINDOW = 16,   /* limit of the items of one pool: this many plus half the number of
                            other tasks */
    BLOCK = 512,         /* moves at one temperature and target */
    SPREAD_BITS = 10     /* log2 of the size of the threshold table */
};

/* The energy that the target maintains, per machine, in units of the temperature. */
static const double PRESSURE = 2.5;

typedef struct machine {
    double   load, capacity, weight;
    uint32_t type, workers, first; /* number of the machine's workers, and the first one */
} machine;

struct hsi_anneal {
    const hsi_problem *pb;
    hsi_arena          arena; /* memory of the arrays */
    double             pivot;
    double            *time;  /* times of each item: CPU, GPU */
    uint32_t          *task;  /* task of each item */
    uint32_t          *where; /* machine of each item */
    uint32_t          *best;  /* copy of `where` in the best state */
    machine           *machines;
    uint32_t           items, count;
    uint32_t           kinds, kind[FEW_KINDS + 1]; /* first item of each kind; kinds is 0 if
                                                      there are too many */
    double   *threshold;                           /* -log of evenly spaced numbers in (0, 1) */
    uint64_t *keys;                                /* keys and scratch of a sort, 2n */
    double    fixed[2];                            /* load of each pool without the items that
                                                      may move */
    double edge;                                   /* largest loss of an item of a pool */
};

hs_status hsi_anneal_open(const hsi_problem *pb, double pivot, hsi_anneal **out)
{
    hsi_anneal *a = calloc(1, sizeof *a);
    size_t      workers = (size_t)pb->m + pb->k, n = pb->n + 1, i;

    if (!a)
        return HS_ENOMEM;
    a->pb = pb;
    a->pivot = pivot;
    a->time = hsi_arena_alloc(&a->arena, 2 * n, sizeof *a->time);
    a->task = hsi_arena_alloc(&a->arena, n, sizeof *a->task);
    a->where = hsi_arena_alloc(&a->arena, n, sizeof *a->where);
    a->best = hsi_arena_alloc(&a->arena, n, sizeof *a->best);
    a->machines = hsi_arena_alloc(&a->arena, workers, sizeof *a->machines);
    a->threshold = hsi_arena_alloc(&a->arena, (size_t)1 << SPREAD_BITS, sizeof *a->threshold);
    a->keys = hsi_arena_alloc(&a->arena, 2 * n, sizeof *a->keys);
    if (!a->time || !a->task || !a->where || !a->best || !a->machines || !a->threshold ||
        !a->keys) {
        hsi_anneal_close(a);
        return HS_ENOMEM;
    }
    for (i = 0; i < (size_t)1 << SPREAD_BITS; i++)
        a->threshold[i] = -hsi_log(((double)i + 0.5) / (double)(1 << SPREAD_BITS));
    *out = a;
    return HS_OK;
}

void hsi_anneal_close(hsi_anneal *a)
{
    if (!a)
        return;
    hsi_arena_close(&a->arena);
    free(a);
}

static void add_machine(hsi_anneal *a, hs_type type, uint32_t workers, uint32_t first)
{
    a->machines[a->count++] = (machine){
        .weight = type == HS_CPU ? 1 : a->pivot, .type = type, .workers = workers, .first = first};
}

static void make_machines(hsi_anneal *a, const int pooled[2])
{
    uint32_t count[2] = {a->pb->m, a->pb->k}, first = 0, w;
    int      type;

    a->count = 0;
    for (type = 0; type < 2; type++) {
        if (pooled[type])
            add_machine(a, (hs_type)type, count[type], first);
        else
            for (w = 0; w < count[type]; w++)
                add_machine(a, (hs_type)type, 1, first + w);
        first += count[type];
    }
}

static void choose_pools(const hsi_anneal *a, const uint32_t *worker, int pooled[2])
{
    size_t tasks[2] = {0, 0}, i;

    for (i = 0; i < a->pb->n; i++)
        tasks[worker[i] >= a->pb->m]++;
    pooled[HS_CPU] = a->pb->m > 0 && tasks[HS_CPU] / a->pb->m >= POOL_FROM;
    pooled[HS_GPU] = a->pb->k > 0 && tasks[HS_GPU] / a->pb->k >= POOL_FROM;
}

static uint32_t machine_of(const hsi_anneal *a, const int pooled[2], uint32_t worker)
{
    uint32_t gpus_from = pooled[HS_CPU] ? 1 : a->pb->m;

    if (worker < a->pb->m)
        return pooled[HS_CPU] ? 0 : worker;
    return pooled[HS_GPU] ? gpus_from : gpus_from + worker - a->pb->m;
}

/* Return the cost, in CPU seconds, of running a task on the type that the pivot does not prefer. */
static double loss_of(const hsi_anneal *a, uint32_t task)
{
    return fabs(a->pb->p[task] - a->pivot * a->pb->q[task]);
}

static uint64_t loss_key(const void *context, uint32_t task)
{
    return hsi_key_of_double(loss_of(context, task));
}

static int loses_less(const void *context, uint32_t a, uint32_t b)
{
    uint64_t key_a = loss_key(context, a), key_b = loss_key(context, b);

    return key_a < key_b || (key_a == key_b && a < b);
}

/* Write the tasks that may move to task[]: all tasks outside of pools, and the tasks of pools with
 * the smallest loss. HS_ECANCELED. */
static hs_status choose_items(hsi_anneal *a, const int pooled[2], const uint32_t *worker,
                              hsi_token *token)
{
    const hsi_problem    *pb = a->pb;
    const hsi_index_order how = {loses_less, a, token};
    uint32_t              from_pools = 0, apart, most, i;

    for (i = 0; i < pb->n && !hsi_poll_at_iteration(token, i); i++)
        if (pooled[worker[i] >= pb->m]) {
            a->keys[from_pools] = loss_key(a, i);
            a->task[from_pools++] = i;
        }
    if (hsi_sort_by_keys(a->keys, a->keys + from_pools, from_pools, &how, a->task, a->task))
        return HS_ECANCELED;
    apart = (uint32_t)pb->n - from_pools;
    most = pooled[HS_CPU] && pooled[HS_GPU] ? WINDOW : apart / 2 + LEAST_WINDOW;
    a->items = from_pools < most ? from_pools : most;
    a->edge = a->items ? loss_of(a, a->task[a->items - 1]) : 0;
    for (i = 0; i < pb->n; i++)
        if (!pooled[worker[i] >= pb->m])
            a->task[a->items++] = i;
    return HS_OK;
}

/* Order of items: by time on one type, then on the other, then as chosen. */
typedef struct item_order {
    const uint32_t *task;
    const double   *major, *minor;
} item_order;

static uint64_t item_key(const void *context, uint32_t item)
{
    const item_order *by = context;

    return hsi_key_of_double(by->major[by->task[item]]);
}

static int item_before(const void *context, uint32_t a, uint32_t b)
{
    const item_order *by = context;
    uint32_t          x = by->task[a], y = by->task[b];

    if (by->major[x] != by->major[y])
        return by->major[x] < by->major[y];
    return by->minor[x] != by->minor[y] ? by->minor[x] < by->minor[y] : a < b;
}

static hs_status sort_items(hsi_anneal *a, bool by_gpu, hsi_token *token)
{
    const hsi_problem    *pb = a->pb;
    const item_order      by = {a->task, by_gpu ? pb->q : pb->p, by_gpu ? pb->p : pb->q};
    const hsi_index_order how = {item_before, &by, token};
    uint32_t             *order = a->best, *chosen = a->where, i; /* these arrays are not yet in
                                                                     use */

    for (i = 0; i < a->items; i++)
        a->keys[i] = item_key(&by, i);
    if (hsi_sort_by_keys(a->keys, a->keys + a->items, a->items, &how, NULL, order))
        return HS_ECANCELED;
    memcpy(chosen, a->task, a->items * sizeof *chosen);
    for (i = 0; i < a->items; i++)
        a->task[i] = chosen[order[i]];
    return HS_OK;
}

/* Find the first item of each kind, if there are few kinds. */
static void find_kinds(hsi_anneal *a)
{
    uint32_t i;

    a->kinds = 0;
    for (i = 0; i < a->items; i++) {
        if (i && a->time[2 * i] == a->time[2 * i - 2] && a->time[2 * i + 1] == a->time[2 * i - 1])
            continue;
        if (a->kinds == FEW_KINDS || 2 * a->kinds > a->items) {
            a->kinds = 0;
            return;
        }
        a->kind[a->kinds++] = i;
    }
    a->kind[a->kinds] = a->items;
}

static hs_status make_items(hsi_anneal *a, const int pooled[2], const uint32_t *worker,
                            hsi_token *token)
{
    const hsi_problem *pb = a->pb;
    hs_status          st = choose_items(a, pooled, worker, token);
    size_t             i;

    if (st == HS_OK)
        st = sort_items(a, pooled[HS_CPU] && !pooled[HS_GPU], token);
    if (st != HS_OK)
        return st;
    memset(a->fixed, 0, sizeof a->fixed);
    for (i = 0; i < pb->n && !hsi_poll_at_iteration(token, i); i++)
        if (pooled[worker[i] >= pb->m])
            a->fixed[worker[i] >= pb->m] += hsi_time_on(pb, i, worker[i]);
    for (i = 0; i < a->items; i++) {
        uint32_t task = a->task[i];

        a->time[2 * i] = pb->p[task];
        a->time[2 * i + 1] = pb->q[task];
        a->where[i] = machine_of(a, pooled, worker[task]);
        if (pooled[worker[task] >= pb->m])
            a->fixed[worker[task] >= pb->m] -= hsi_time_on(pb, task, worker[task]);
    }
    find_kinds(a);
    return token && token->cancelled ? HS_ECANCELED : HS_OK;
}

static inline double excess_energy(const machine *at, double load)
{
    double over = load - at->capacity;

    return over > 0 ? at->weight * over : 0;
}

/* Recompute the loads of the workers and return the energy of the assignment. */
static double recompute_energy(hsi_anneal *a)
{
    double   sum = 0;
    uint32_t i;

    for (i = 0; i < a->count; i++)
        a->machines[i].load = a->machines[i].workers > 1 ? a->fixed[a->machines[i].type] : 0;
    for (i = 0; i < a->items; i++) {
        machine *at = &a->machines[a->where[i]];

        at->load += a->time[2 * i + at->type];
    }
    for (i = 0; i < a->count; i++)
        sum += excess_energy(&a->machines[i], a->machines[i].load);
    return sum;
}

static void set_target(hsi_anneal *a, double target)
{
    uint32_t i;

    for (i = 0; i < a->count; i++)
        a->machines[i].capacity = target * a->machines[i].workers;
}

/* Return the makespan with each pool's load spread evenly. */
static double levelled_makespan(const hsi_anneal *a)
{
    double   highest = 0;
    uint32_t i;

    for (i = 0; i < a->count; i++)
        highest = fmax(highest, a->machines[i].load / a->machines[i].workers);
    return highest;
}

/* Give two machines new loads if the energy rises by at most `limit`. Return true and set *change,
 * else false. */
static inline bool accept_loads(machine *from, double from_load, machine *to, double to_load,
                                double limit, double *change)
{
    *change = excess_energy(from, from_load) + excess_energy(to, to_load) -
              excess_energy(from, from->load) - excess_energy(to, to->load);
    if (!(*change <= limit)) {
        *change = 0;
        return false;
    }
    from->load = from_load;
    to->load = to_load;
    return true;
}

/* Try to move an item to another machine. Return the change of the energy, 0 if rejected. */
static inline double try_shift(hsi_anneal *a, uint32_t item, uint32_t to, double limit)
{
    machine *x = &a->machines[a->where[item]], *y = &a->machines[to];
    double   change;

    if (accept_loads(x, x->load - a->time[2 * item + x->type], y,
                     y->load + a->time[2 * item + y->type], limit, &change))
        a->where[item] = to;
    return change;
}

static inline double try_swap(hsi_anneal *a, uint32_t item, uint32_t other, double limit)
{
    uint32_t from = a->where[item], to = a->where[other];
    machine *x = &a->machines[from], *y = &a->machines[to];
    double   x_load = x->load - a->time[2 * item + x->type] + a->time[2 * other + x->type];
    double   y_load = y->load - a->time[2 * other + y->type] + a->time[2 * item + y->type];
    double   change;

    if (accept_loads(x, x_load, y, y_load, limit, &change)) {
        a->where[item] = to;
        a->where[other] = from;
    }
    return change;
}

static inline uint32_t scale_bits_below(uint64_t bits32, uint32_t bound)
{
    return (uint32_t)((bits32 * bound) >> 32);
}

static inline uint32_t of_some_kind(const hsi_anneal *a, uint64_t bits)
{
    uint32_t kind = scale_bits_below(bits & 0xffff, a->kinds << 16);
    uint32_t from = a->kind[kind];

    return from + scale_bits_below(bits >> 16 & 0xffffffff, a->kind[kind + 1] - from);
}

/* Return an item near the given one: short distances are more likely. */
static inline uint32_t item_near(const hsi_anneal *a, uint32_t item, uint64_t bits)
{
    uint32_t reach = a->items >> (bits & 7);
    uint32_t far = 1 + scale_bits_below(bits >> 8 & 0xffffffff, reach ? reach : 1);
    uint32_t j = bits & 128 ? item + far : item - far;

    if (j >= a->items) /* also reached after an underflow */
        j = bits & 128 ? item - far : item + far;
    return j < a->items ? j : item;
}

/* Run a block of moves at one temperature; stop when the energy falls to `target_energy`. Return
 * the energy. */
static double run_block(hsi_anneal *a, hsi_random *random, double energy, double target_energy,
                        double temperature, uint64_t *moves)
{
    uint32_t left;

    for (left = BLOCK; left > 0 && energy > target_energy; left--) {
        uint64_t bits = hsi_random_next(random), more = hsi_random_next(random);
        uint32_t i =
            a->kinds ? of_some_kind(a, bits) : scale_bits_below(bits & 0xffffffff, a->items);
        double limit = temperature * a->threshold[bits >> (64 - SPREAD_BITS)];

        if ((bits >> 48 & 15) < 3) {
            uint32_t to = scale_bits_below(more & 0xffffffff, a->count);

            if (to != a->where[i])
                energy += try_shift(a, i, to, limit);
        } else {
            uint32_t j = a->kinds ? of_some_kind(a, more) : item_near(a, i, more);

            if (a->where[i] != a->where[j])
                energy += try_swap(a, i, j, limit);
        }
    }
    *moves += BLOCK - left;
    return energy;
}

/* Set the target at which the energy is `wanted`, but not below `bound`. Return the energy. */
static double aim_for(hsi_anneal *a, double wanted, double bound)
{
    double target = bound, e = 0;
    int    step;

    for (step = 0; step < 30; step++) { /* Newton's method: convex, from the left */
        double   slope = 0, next;
        uint32_t i;

        for (e = 0, i = 0; i < a->count; i++) {
            const machine *at = &a->machines[i];
            double         over = at->load - target * at->workers;

            if (over > 0) {
                e += at->weight * over;
                slope += at->weight * at->workers;
            }
        }
        if (e <= wanted * 1.000001 || slope <= 0)
            break;
        next = target + (e - wanted) / slope;
        if (!(next > target))
            break;
        target = next;
    }
    set_target(a, target);
    return e;
}

/* Copy the current state to `best` if its makespan is the least so far. */
static void keep_if_best(hsi_anneal *a, double *least)
{
    double reached = levelled_makespan(a);

    if (reached < *least) {
        *least = reached;
        memcpy(a->best, a->where, a->items * sizeof *a->best);
    }
}

static void run_cooling(hsi_anneal *a, hsi_random *random, hsi_anneal_run *run,
                        const hsi_interrupt *interrupt)
{
    double   least = INFINITY, e;
    uint64_t blocks = (run->moves + BLOCK - 1) / BLOCK, i;

    for (i = 0; i < blocks && run->made < run->moves; i++) {
        double part = (double)i / (double)blocks;
        double temperature = run->hot * hsi_exp(part * hsi_log(run->cold / run->hot));

        if (i % 64 == 0)
            recompute_energy(a); /* recompute the loads against rounding errors */
        keep_if_best(a, &least);
        if (least <= run->enough)
            break;
        e = aim_for(a, PRESSURE * temperature * a->count, run->bound);
        run_block(a, random, e, -1, temperature, &run->made);
        if (i % 8 == 7 && hsi_interrupted(interrupt))
            break;
    }
    recompute_energy(a);
    keep_if_best(a, &least);
    memcpy(a->where, a->best, a->items * sizeof *a->best);
    run->height = least;
}

/* Move each task to the type preferred by the pivot, unless its time there exceeds the makespan;
 * for runs on two pools. */
static void follow_pivot(const hsi_anneal *a, double makespan, hsi_token *token, uint32_t *worker)
{
    const hsi_problem *pb = a->pb;
    size_t             i;

    for (i = 0; i < pb->n && !hsi_poll_at_iteration(token, i); i++) {
        bool gpu = pb->p[i] > a->pivot * pb->q[i];

        if (gpu ? pb->q[i] > makespan : pb->p[i] > makespan)
            gpu = !gpu;
        if (gpu != (worker[i] >= pb->m))
            worker[i] = gpu ? pb->m : 0;
    }
}

static hs_status write_back(hsi_anneal *a, const int pooled[2], const hsi_interrupt *interrupt,
                            uint32_t *worker)
{
    hs_status st = HS_OK;
    uint32_t  i;

    for (i = 0; i < a->items; i++)
        if (machine_of(a, pooled, worker[a->task[i]]) != a->where[i])
            worker[a->task[i]] = a->machines[a->where[i]].first;
    if (pooled[HS_CPU])
        st = hsi_pack_tasks(a->pb, HS_CPU, interrupt, worker);
    if (st == HS_OK && pooled[HS_GPU])
        st = hsi_pack_tasks(a->pb, HS_GPU, interrupt, worker);
    return st;
}

hs_status hsi_anneal_run_streams(hsi_anneal *a, hsi_random *random, hsi_anneal_run *run,
                                 const hsi_interrupt *interrupt, uint32_t *assignment)
{
    int       pooled[2], only_pools;
    double    begin;
    hs_status st;

    run->made = 0;
    run->height = run->makespan;
    choose_pools(a, assignment, pooled);
    if (run->apart)
        pooled[HS_CPU] = pooled[HS_GPU] = 0;
    if (run->pools) {
        pooled[HS_CPU] = a->pb->m > 0;
        pooled[HS_GPU] = a->pb->k > 0;
    }
    only_pools = pooled[HS_CPU] && pooled[HS_GPU];
    if (only_pools)
        follow_pivot(a, run->makespan, interrupt->token, assignment);
    make_machines(a, pooled);
    st = make_items(a, pooled, assignment, interrupt->token);
    if (st != HS_OK)
        return st;
    if (only_pools && a->edge > 0) { /* the items' losses determine the temperature */
        run->hot = a->edge;
        run->cold = a->edge / 1000;
        run->moves = run->moves < POOL_MOVES ? run->moves : POOL_MOVES;
    }
    begin = hsi_clock_seconds();
    if (a->count > 1 && a->items > 1 && run->hot > 0)
        run_cooling(a, random, run, interrupt);
    run->seconds = hsi_clock_seconds() - begin;
    return write_back(a, pooled, interrupt, assignment);
}
