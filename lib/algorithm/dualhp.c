/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DualHP: for a guess, tasks too long for one type run on the other; the rest fill the GPUs by
 * decreasing rho until these are full on average, and then the CPUs.
 *
 * Sums over GPUs run from the most accelerated task down, sums over CPUs from the least accelerated
 * up, with forced tasks summed apart.
 */
#include <math.h>

#include "algorithm/bisect_guess.h"
#include "algorithm/lpt.h"
#include "core/order.h"

/* Sums for guesses. The forced tasks depend only on the two task times around a guess: the sums are
 * kept, and another guess between the same times costs a binary search. */
typedef struct dual {
    const hsi_problem *pb;
    uint32_t          *order;       /* tasks by decreasing rho */
    double            *p, *q;       /* times by position in `order` */
    double             least;       /* lower bound of all guesses: the largest min(p, q) */
    double             from, below; /* the sums hold for guesses in [from, below) */
    double             forced_cpu, forced_gpu;
    double            *gpu_before; /* GPU time of unforced tasks before a position */
    double            *cpu_after;  /* CPU time of unforced tasks from a position on */
} dual;

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Compute the sums for a guess, without branches: adding 0 changes no sum and is cheaper than a
 * branch that is often mispredicted. */
static void sum_for(dual *d, double guess)
{
    double gpu = 0, cpu = 0, forced_gpu = 0, forced_cpu = 0, from = 0, below = INFINITY;
    size_t i, n = d->pb->n;

    for (i = 0; i < n; i++) {
        double p = d->p[i], q = d->q[i];

        d->gpu_before[i] = gpu;
        forced_gpu += p > guess ? q : 0;
        gpu += p <= guess && q <= guess ? q : 0;
        from = larger(from, larger(p <= guess ? p : 0, q <= guess ? q : 0));
        below = smaller(below, smaller(p > guess ? p : INFINITY, q > guess ? q : INFINITY));
    }
    d->gpu_before[n] = gpu;
    d->cpu_after[n] = 0;
    hsi_poll(d->pb->token);
    for (i = n; i > 0; i--) {
        double p = d->p[i - 1], q = d->q[i - 1];

        forced_cpu += q > guess ? p : 0;
        cpu += p <= guess && q <= guess ? p : 0;
        d->cpu_after[i - 1] = cpu;
    }
    d->from = from;
    d->below = below;
    d->forced_cpu = forced_cpu;
    d->forced_gpu = forced_gpu;
}

/* Return the position at which the GPUs are full and the CPUs' part begins. */
static size_t find_split(const dual *d, double guess)
{
    double room = d->pb->k * guess;
    size_t low = 0, high = d->pb->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (d->forced_gpu + d->gpu_before[middle] < room)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int accepts(void *context, double guess)
{
    dual *d = context;

    if (guess < d->least)
        return 0;
    if (guess < d->from || guess >= d->below)
        sum_for(d, guess);
    if (d->forced_gpu > d->pb->k * guess)
        return 0;
    return d->forced_cpu + d->cpu_after[find_split(d, guess)] <= d->pb->m * guess;
}

static void allocate(dual *d, double guess, unsigned char *type)
{
    size_t i, split = accepts(d, guess) ? find_split(d, guess) : 0;

    for (i = 0; i < d->pb->n; i++) {
        bool on_gpu = d->p[i] > guess || (d->q[i] <= guess && i < split);

        hsi_poll_at_iteration(d->pb->token, i);
        type[d->order[i]] = on_gpu ? HS_GPU : HS_CPU;
    }
}

static hs_status open_dual(dual *d, const hsi_problem *pb)
{
    hs_status st = HS_ENOMEM;
    size_t    i, n = pb->n;

    *d = (dual){.pb = pb, .below = -1};
    d->order = hsi_arena_alloc(pb->arena, n, sizeof *d->order);
    if (d->order)
        st = hsi_order_by_rho(pb, HSI_RHO_DOWN, d->order);
    if (st != HS_OK)
        return st;
    d->p = hsi_arena_alloc(pb->arena, n, sizeof *d->p);
    d->q = hsi_arena_alloc(pb->arena, n, sizeof *d->q);
    d->gpu_before = hsi_arena_alloc(pb->arena, n + 1, sizeof *d->gpu_before);
    d->cpu_after = hsi_arena_alloc(pb->arena, n + 1, sizeof *d->cpu_after);
    if (!d->p || !d->q || !d->gpu_before || !d->cpu_after)
        return HS_ENOMEM;
    st = hsi_gather_times(d->order, n, pb->p, d->p, pb->token);
    if (st == HS_OK)
        st = hsi_gather_times(d->order, n, pb->q, d->q, pb->token);
    for (i = 0; i < n && st == HS_OK; i++)
        d->least = larger(d->least, smaller(pb->p[i], pb->q[i]));
    return st;
}

static hs_status run(const hsi_problem *pb, const hs_settings *settings, hsi_recorder *recorder)
{
    unsigned char *type = hsi_arena_alloc(pb->arena, pb->n, 1);
    hsi_mark       mark = hsi_arena_mark(pb->arena);
    dual           d;
    double         guess, makespan;
    hs_status      st = type ? open_dual(&d, pb) : HS_ENOMEM;

    (void)settings;
    if (st == HS_OK)
        st = hsi_bisect_makespan(pb, accepts, &d, &guess);
    if (st != HS_OK)
        return st;
    allocate(&d, guess, type);
    hsi_arena_release(pb->arena, mark); /* the memory is reused */
    st = hsi_recorder_open(recorder, pb, 0);
    return st == HS_OK ? hsi_lpt_once(pb, type, recorder, &makespan) : st;
}

const hsi_algorithm hsi_alg_dualhp = {
    .about =
        {
            .struct_size = sizeof(hs_algorithm),
            .name = "dualhp",
            .summary =
                "bisects a guess of the makespan, fills the GPUs by acceleration, LPT in each type",
            .source = "Bleuse et al. 2015; Beaumont, Eyraud-Dubois, Kumar 2017, section 6",
            .cost = "O(n log n + n g) for g guesses of the makespan; g is small",
            .guarantee = hsi_guarantee_2,
            .supports_graphs = true,
            .supports_available = true,
            .supported_ranks = HSI_ANY_RANK,
        },
    .run = run,
    .policy = "dualhp",
    .available_by_policy = true,
};
