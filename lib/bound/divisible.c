/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Why the value is safe. For any u, v >= 0, the sum of the LP's two constraints with weights u and
 * v gives T (m u + k v) >= sum over tasks of min(u p, v q), where a task that is forced to a type
 * has that type's term only. So for any pivot task i, even if a rounded comparison chose it, u =
 * q_i and v = p_i prove
 *
 *     T >= (u P + v Q + p_i q_i) / (m u + k v)
 *
 * with P the CPU times of the tasks before i in exact rho order (u p <= v q) and of those forced to
 * CPUs, and Q the GPU times of the others. If workers become available late, m T and k T are the
 * work that they can do by T (bound/release.h). The multipliers u = 1, v = 0 and u = 0, v = 1 prove
 * the forced loads. Sums carry their rounding errors, and the division rounds down.
 */
#include "bound/divisible.h"

#include "bound/graph/task_spans.h"
#include "core/order.h"
#include "support/exact.h"

enum { BLOCK = 512 };

/* Set the spans, in separate arrays only if spans differ from times. */
static hs_status open_spans(hsi_divisible *d, const uint32_t *order)
{
    const hsi_problem *rows = d->rows;
    hsi_task_spans     spans;
    hs_status          st = hsi_task_spans_find(rows, &d->arena, &spans);

    if (st != HS_OK)
        return st;
    d->cpu_span = d->p;
    d->gpu_span = d->q;
    if (spans.cpu == rows->p)
        return HS_OK;
    d->cpu_span = hsi_arena_alloc(&d->arena, rows->n, sizeof *d->cpu_span);
    d->gpu_span = hsi_arena_alloc(&d->arena, rows->n, sizeof *d->gpu_span);
    if (!d->cpu_span || !d->gpu_span)
        return HS_ENOMEM;
    st = hsi_gather_times(order, rows->n, spans.cpu, d->cpu_span, rows->token);
    return st == HS_OK ? hsi_gather_times(order, rows->n, spans.gpu, d->gpu_span, rows->token) : st;
}

hs_status hsi_divisible_open(hsi_divisible *d, const hsi_problem *rows)
{
    hsi_arena  *arena = &d->arena;
    hsi_problem work = *rows;
    uint32_t   *order;
    hs_status   st = HS_ENOMEM;
    size_t      i, n = rows->n;

    *d = (hsi_divisible){.rows = rows};
    work.arena = arena;
    if (hsi_arena_reserve_chunk(arena, 41 * n + 4096))
        return HS_ENOMEM;
    order = hsi_arena_alloc(arena, n, sizeof *order);
    if (order)
        st = hsi_order_by_rho(&work, HSI_RHO_UP, order);
    if (st != HS_OK)
        return st;
    d->p = hsi_arena_alloc(arena, n, sizeof *d->p);
    d->q = hsi_arena_alloc(arena, n, sizeof *d->q);
    d->suffix = hsi_arena_alloc(arena, n / BLOCK + 2, sizeof *d->suffix);
    if (rows->count)
        d->count = hsi_arena_alloc(arena, n, sizeof *d->count);
    if (!d->p || !d->q || !d->suffix || (rows->count && !d->count))
        return HS_ENOMEM;
    st = hsi_gather_times(order, n, rows->p, d->p, rows->token);
    if (st == HS_OK)
        st = hsi_gather_times(order, n, rows->q, d->q, rows->token);
    for (i = 0; i < n && rows->count && st == HS_OK; i++)
        d->count[i] = rows->count[order[i]];
    if (st == HS_OK)
        st = hsi_release_open(&d->release, rows, arena);
    return st == HS_OK ? open_spans(d, order) : st;
}

double hsi_divisible_longest_min_span(const hsi_divisible *d)
{
    const hsi_task_spans spans = {d->cpu_span, d->gpu_span};

    return hsi_task_spans_longest(d->rows, &spans);
}

void hsi_divisible_close(hsi_divisible *d)
{
    hsi_arena_close(&d->arena);
}

static inline uint32_t count_of(const hsi_divisible *d, size_t index)
{
    return d->count ? d->count[index] : 1;
}

static void add_times(hsi_sum *sum, uint32_t count, double time)
{
    if (count == 1)
        hsi_sum_add(sum, time);
    else
        hsi_sum_add_product(sum, count, time);
}

/* Add up the loads of the forced tasks. Return false if a task exceeds the deadline on both
 * types. */
static bool add_forced_tasks(const hsi_divisible *d, double deadline, hsi_sum *cpu, hsi_sum *gpu)
{
    size_t i;

    for (i = 0; i < d->rows->n; i++) {
        bool not_cpu = d->cpu_span[i] > deadline, not_gpu = d->gpu_span[i] > deadline;

        hsi_poll_at_iteration(d->rows->token, i);
        if (!(not_cpu | not_gpu))
            continue;
        if (not_cpu && not_gpu)
            return false;
        if (not_gpu)
            add_times(cpu, count_of(d, i), d->p[i]);
        else
            add_times(gpu, count_of(d, i), d->q[i]);
    }
    return true;
}

static inline bool is_divisible(const hsi_divisible *d, size_t index, double deadline)
{
    return d->cpu_span[index] <= deadline && d->gpu_span[index] <= deadline;
}

/* Fill suffix[b]: the GPUs' load from block b to the end. */
static void sum_blocks(hsi_divisible *d, double deadline, double forced_gpu)
{
    size_t i, n = d->rows->n;
    double gpu = forced_gpu;

    d->suffix[(n + BLOCK - 1) / BLOCK] = gpu;
    for (i = n; i > 0; i--) {
        hsi_poll_at_iteration(d->rows->token, i);
        if (is_divisible(d, i - 1, deadline))
            gpu += count_of(d, i - 1) * d->q[i - 1];
        if ((i - 1) % BLOCK == 0)
            d->suffix[(i - 1) / BLOCK] = gpu;
    }
}

/* Return true if CPUs with load `cpu` finish no earlier than GPUs with load `gpu`. */
static inline bool cpus_end_last(const hsi_divisible *d, double cpu, double gpu)
{
    if (!d->rows->available)
        return cpu * d->rows->k >= gpu * d->rows->m;
    return hsi_release_end_of_load(&d->release, HS_CPU, cpu) >=
           hsi_release_end_of_load(&d->release, HS_GPU, gpu);
}

/* Return the pivot if it is in the block, else the end of the block; `cpu` is the CPUs' load before
 * the block. */
static size_t find_in_block(const hsi_divisible *d, double deadline, size_t block, double cpu)
{
    size_t begin = block * BLOCK, n = d->rows->n - begin, i;
    double rest[BLOCK + 1];

    if (n > BLOCK)
        n = BLOCK;
    rest[n] = d->suffix[block + 1];
    for (i = n; i > 0; i--) {
        rest[i - 1] = rest[i];
        if (is_divisible(d, begin + i - 1, deadline))
            rest[i - 1] += count_of(d, begin + i - 1) * d->q[begin + i - 1];
    }
    for (i = 0; i < n; i++) {
        if (!is_divisible(d, begin + i, deadline))
            continue;
        cpu += count_of(d, begin + i) * d->p[begin + i];
        if (cpus_end_last(d, cpu, rest[i + 1]))
            break;
    }
    return begin + i;
}

/*
 * Return about where the loads cross: the first divisible task with which the CPUs finish no
 * earlier. The CPUs' load grows along the order, even rounded, so the loads at the ends of blocks
 * show the block.
 */
static size_t find_pivot(hsi_divisible *d, double deadline, double forced_cpu, double forced_gpu)
{
    const hsi_problem *rows = d->rows;
    double             cpu = forced_cpu;
    size_t             begin, end, i, n = rows->n;

    sum_blocks(d, deadline, forced_gpu);
    for (begin = 0; begin < n; begin = end) {
        double before = cpu;

        hsi_poll_at_iteration(rows->token, begin);
        end = n - begin > BLOCK ? begin + BLOCK : n;
        for (i = begin; i < end; i++)
            if (is_divisible(d, i, deadline))
                cpu += count_of(d, i) * d->p[i];
        if (!cpus_end_last(d, cpu, d->suffix[begin / BLOCK + 1]))
            continue;
        i = find_in_block(d, deadline, begin / BLOCK, before);
        if (i < end)
            return i;
    }
    return n;
}

/* Return an exponent that scales multipliers so that products with a small sum do not underflow. */
static int lift_of(double sum)
{
    int exponent;

    frexp(sum, &exponent);
    return exponent > 0 ? 0 : exponent < -1000 ? 1000 : -exponent;
}

/* A question to multipliers: which bound they prove, or whether they prove more than a makespan. */
typedef struct question {
    double deadline;
    bool   is_above; /* question: does the bound exceed the deadline? The answer is INFINITY:
                        certainly, or 0: not certainly */
} question;

static double bound_of_multipliers(const hsi_divisible *d, const question *wanted,
                                   const hsi_sum *numerator, double cpu_multiplier,
                                   double gpu_multiplier)
{
    hsi_sum room = {0, 0, 0}, rest = *numerator;

    if (!wanted->is_above)
        return hsi_release_time_of_weighted_work(&d->release, numerator, cpu_multiplier,
                                                 gpu_multiplier);
    hsi_sum_add_product(&room, d->rows->m, cpu_multiplier);
    hsi_sum_add_product(&room, d->rows->k, gpu_multiplier);
    hsi_sum_add_sum_times(&rest, &room, -wanted->deadline);
    return hsi_sum_surely_positive(&rest) ? INFINITY : 0;
}

/* Return the answer that the pivot's multipliers prove. */
static double pivot_bound(const hsi_divisible *d, const question *wanted, size_t pivot, hsi_sum cpu,
                          hsi_sum gpu, double multiplier[2])
{
    const hsi_problem *rows = d->rows;
    hsi_sum            numerator = {0, 0, 0};
    double             u, v;
    int                scale;
    size_t             i;

    for (i = 0; i < rows->n; i++) {
        hsi_poll_at_iteration(rows->token, i);
        if (!is_divisible(d, i, wanted->deadline))
            continue;
        if (i <= pivot)
            add_times(&cpu, count_of(d, i), d->p[i]); /* u and v of the pivot: u p_i = v q_i */
        else
            add_times(&gpu, count_of(d, i), d->q[i]);
    }
    frexp(fmax(d->p[pivot], d->q[pivot]), &scale);
    scale -= lift_of(cpu.high + gpu.high + d->release.latest);
    u = ldexp(d->q[pivot], -scale);
    v = ldexp(d->p[pivot], -scale);
    if (u < DBL_MIN || v < DBL_MIN)
        return 0; /* scaling would round: other bounds handle a ratio beyond 2^1000 */
    multiplier[HS_CPU] = u;
    multiplier[HS_GPU] = v;
    hsi_sum_add_sum_times(&numerator, &cpu, u);
    hsi_sum_add_sum_times(&numerator, &gpu, v);
    return bound_of_multipliers(d, wanted, &numerator, u, v);
}

/* Keep the better bound and its multipliers. */
static void keep_better(double bound, double cpu_multiplier, double gpu_multiplier, double *best,
                        double multiplier[2])
{
    if (!(bound > *best))
        return;
    *best = bound;
    multiplier[HS_CPU] = cpu_multiplier;
    multiplier[HS_GPU] = gpu_multiplier;
}

static double find_multipliers(hsi_divisible *d, const question *wanted, double multiplier[2])
{
    const hsi_problem *rows = d->rows;
    double             deadline = wanted->deadline;
    hsi_sum            cpu = {0, 0, 0}, gpu = {0, 0, 0};
    double             bound = 0, by_pivot, found[2] = {0, 0};
    size_t             pivot;

    multiplier[HS_CPU] = multiplier[HS_GPU] = 0;
    if (!add_forced_tasks(d, deadline, &cpu, &gpu))
        return INFINITY;
    if (cpu.high > 0)
        keep_better(bound_of_multipliers(d, wanted, &cpu, 1, 0), 1, 0, &bound, multiplier);
    if (gpu.high > 0)
        keep_better(bound_of_multipliers(d, wanted, &gpu, 0, 1), 0, 1, &bound, multiplier);
    pivot = find_pivot(d, deadline, cpu.high, gpu.high);
    if (pivot < rows->n) {
        by_pivot = pivot_bound(d, wanted, pivot, cpu, gpu, found);
        keep_better(by_pivot, found[HS_CPU], found[HS_GPU], &bound, multiplier);
    }
    return bound;
}

double hsi_divisible_multipliers(hsi_divisible *d, double deadline, double multiplier[2])
{
    const question wanted = {deadline, false};

    return find_multipliers(d, &wanted, multiplier);
}

bool hsi_divisible_exceeds(hsi_divisible *d, double makespan)
{
    const question wanted = {makespan, true};
    double         multiplier[2];

    return find_multipliers(d, &wanted, multiplier) > 0;
}

double hsi_divisible_bound(hsi_divisible *d, double deadline)
{
    double multiplier[2];

    return hsi_divisible_multipliers(d, deadline, multiplier);
}
