/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DADA: like DualHP, but the schedule is built task by task on the earliest available worker. With
 * affinities and alpha > 0, tasks first go to the workers that have their data, as long as no
 * worker's load exceeds alpha x guess.
 */
#include <math.h>
#include <string.h>

#include "algorithm/bisect_guess.h"
#include "core/order.h"
#include "support/worker_tree.h"

typedef struct dada {
    const hsi_problem *pb;
    double             alpha;  /* 0 without affinities */
    uint32_t          *by_rho; /* tasks by decreasing rho */
    hs_affinity       *wish;   /* affinities by decreasing score */
    size_t             wishes;
    unsigned char     *granted; /* by task: 1: placed by affinity or on a GPU */
    double            *load;    /* load of each worker from affinities */
    hsi_worker_tree    cpus, gpus;
} dada;

/* Start each worker after its load from affinities. */
static void start_from(hsi_worker_tree *workers, const double *load)
{
    uint32_t i;

    hsi_worker_tree_reset(workers);
    for (i = 0; i < workers->size; i++)
        if (load[i] > 0)
            hsi_worker_tree_set(workers, i, load[i]);
}

static void put(hsi_recorder *recorder, uint32_t task, uint32_t worker, double end)
{
    if (recorder)
        hsi_record_run(recorder, task, worker, end);
}

static void grant_wishes(dada *d, double guess, hsi_recorder *recorder)
{
    const hsi_problem *pb = d->pb;
    size_t             i;

    memset(d->granted, 0, pb->n);
    memset(d->load, 0, ((size_t)pb->m + pb->k) * sizeof *d->load);
    for (i = 0; i < d->wishes; i++) {
        const hs_affinity *wish = &d->wish[i];
        double             time = wish->worker < pb->m ? pb->p[wish->task] : pb->q[wish->task];

        if (d->load[wish->worker] + time > d->alpha * guess)
            continue;
        d->load[wish->worker] += time;
        d->granted[wish->task] = 1;
        put(recorder, wish->task, wish->worker, d->load[wish->worker]);
    }
}

static void place_on_gpu(dada *d, uint32_t task, hsi_recorder *recorder)
{
    uint32_t rank = hsi_worker_tree_first(&d->gpus);
    double   end = hsi_worker_tree_time(&d->gpus) + d->pb->q[task];

    d->granted[task] = 1;
    put(recorder, task, d->pb->m + rank, end);
    hsi_worker_tree_set(&d->gpus, rank, end);
}

static bool any_forced(const hsi_problem *pb, double guess)
{
    size_t i;
    bool   any = false;

    for (i = 0; i < pb->n; i++)
        any |= pb->p[i] > guess;
    return any;
}

/* Place the tasks too long for a CPU on GPUs. Return false if the guess is infeasible. */
static bool place_forced(dada *d, double guess, hsi_recorder *recorder)
{
    const hsi_problem *pb = d->pb;
    double             forced = 0;
    size_t             i;

    if (!any_forced(pb, guess))
        return true;
    for (i = 0; i < pb->n && !hsi_poll_at_iteration(pb->token, i); i++) {
        uint32_t task = d->by_rho[i];

        if (d->granted[task] || pb->p[task] <= guess)
            continue;
        if (pb->q[task] > guess)
            return false;
        forced += pb->q[task];
        place_on_gpu(d, task, recorder);
    }
    return forced <= pb->k * guess;
}

static void fill_gpus(dada *d, double guess, hsi_recorder *recorder)
{
    enum { AHEAD = 16 };
    const hsi_problem *pb = d->pb;
    double             full = (1 + d->alpha) * guess;
    size_t             i;

    if (pb->k == 0)
        return;
    for (i = 0; i < pb->n && hsi_worker_tree_time(&d->gpus) < full; i++) {
        uint32_t task = d->by_rho[i];

        if (hsi_poll_at_iteration(pb->token, i))
            return;
        if (pb->n - i > AHEAD)
            __builtin_prefetch(&pb->q[d->by_rho[i + AHEAD]]);
        if (!d->granted[task] && pb->q[task] <= guess)
            place_on_gpu(d, task, recorder);
    }
}

static double load_left_for_cpus(const dada *d)
{
    double cpu = 0;
    size_t i;

    for (i = d->pb->n; i > 0 && !hsi_poll_at_iteration(d->pb->token, i); i--)
        if (!d->granted[d->by_rho[i - 1]])
            cpu += d->pb->p[d->by_rho[i - 1]];
    return cpu;
}

/* Place the remaining tasks on CPUs, longest first. */
static hs_status place_on_cpus(dada *d, hsi_recorder *recorder)
{
    enum { AHEAD = 16 };
    const hsi_problem *pb = d->pb;
    uint32_t          *left = d->by_rho; /* by_rho is no longer needed */
    size_t             i, count = 0;
    hs_status          st;

    for (i = 0; i < pb->n; i++) {
        left[count] = (uint32_t)i;
        count += !d->granted[i];
    }
    st = hsi_sort_by_time(pb->arena, pb->p, count, left, pb->token);
    if (st != HS_OK)
        return st;
    start_from(&d->cpus, d->load);
    for (i = 0; i < count && !hsi_poll_at_iteration(pb->token, i); i++) {
        uint32_t rank = hsi_worker_tree_first(&d->cpus);
        double   end = hsi_worker_tree_time(&d->cpus) + pb->p[left[i]];

        if (count - i > AHEAD)
            __builtin_prefetch(&pb->p[left[i + AHEAD]]);
        hsi_record_run(recorder, left[i], rank, end);
        hsi_worker_tree_set(&d->cpus, rank, end);
    }
    return HS_OK;
}

/* Place the GPUs' tasks for a guess. Return false if the guess is infeasible. */
static bool place_on_gpus(dada *d, double guess, hsi_recorder *recorder)
{
    grant_wishes(d, guess, recorder);
    start_from(&d->gpus, d->load + d->pb->m);
    if (!place_forced(d, guess, recorder))
        return false;
    fill_gpus(d, guess, recorder);
    return true;
}

/* Return 1 if the CPUs can run the remaining load within the guess. */
static int accepts(void *context, double guess)
{
    dada *d = context;

    return place_on_gpus(d, guess, NULL) && load_left_for_cpus(d) <= d->pb->m * guess;
}

static int by_decreasing_score(const void *a, const void *b)
{
    const hs_affinity *x = a, *y = b;

    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x->task < y->task ? -1 : x->task > y->task;
}

/* Copy and check the affinities: valid tasks, each at most once, valid workers, no NaN. HS_EINVAL
 * otherwise. */
static hs_status read_wishes(dada *d, const hs_settings *settings)
{
    const hsi_problem *pb = d->pb;
    size_t             i;

    if (settings->parameters.alpha == 0 || settings->affinity_count == 0)
        return HS_OK;
    memset(d->granted, 0, pb->n);
    for (i = 0; i < settings->affinity_count; i++) {
        const hs_affinity *wish = &settings->affinities[i];

        if (wish->task >= pb->n || wish->worker >= pb->m + pb->k || isnan(wish->score) ||
            d->granted[wish->task])
            return HS_EINVAL;
        d->granted[wish->task] = 1;
    }
    d->wish = hsi_arena_alloc(pb->arena, settings->affinity_count, sizeof *d->wish);
    if (!d->wish)
        return HS_ENOMEM;
    memcpy(d->wish, settings->affinities, settings->affinity_count * sizeof *d->wish);
    qsort(d->wish, settings->affinity_count, sizeof *d->wish, by_decreasing_score);
    d->wishes = settings->affinity_count;
    d->alpha = settings->parameters.alpha;
    return HS_OK;
}

static hs_status open_dada(dada *d, const hsi_problem *pb, const hs_settings *settings)
{
    hsi_arena *arena = pb->arena;
    hs_status  st;

    *d = (dada){.pb = pb};
    d->by_rho = hsi_arena_alloc(arena, pb->n, sizeof *d->by_rho);
    d->granted = hsi_arena_alloc(arena, pb->n, 1);
    d->load = hsi_arena_alloc(arena, (size_t)pb->m + pb->k, sizeof *d->load);
    if (!d->by_rho || !d->granted || !d->load || hsi_worker_tree_open_in(&d->cpus, arena, pb->m) ||
        hsi_worker_tree_open_in(&d->gpus, arena, pb->k))
        return HS_ENOMEM;
    st = read_wishes(d, settings);
    return st == HS_OK ? hsi_order_by_rho(pb, HSI_RHO_DOWN, d->by_rho) : st;
}

static hs_status run(const hsi_problem *pb, const hs_settings *settings, hsi_recorder *recorder)
{
    dada      d;
    double    guess;
    hs_status st = open_dada(&d, pb, settings);

    if (st == HS_OK)
        st = hsi_bisect_makespan(pb, accepts, &d, &guess);
    if (st == HS_OK)
        st = hsi_recorder_open(recorder, pb, 0);
    if (st != HS_OK)
        return st;
    place_on_gpus(&d, guess, recorder);
    return place_on_cpus(&d, recorder);
}

static double guarantee(void *data, unsigned cpus, unsigned gpus, const hs_settings *settings)
{
    (void)data;
    (void)cpus;
    (void)gpus;
    return settings->affinity_count ? 2 + settings->parameters.alpha : 2;
}

const hsi_algorithm hsi_alg_dada = {
    .about = {
        .struct_size = sizeof(hs_algorithm),
        .name = "dada",
        .summary = "as dualhp, built task by task; may first honour affinities (alpha)",
        .source = "Bleuse, Gautier, Lima, Mounie, Trystram 2014; 2 + alpha",
        .cost = "O(n log n + n g log k) for g guesses of the makespan; g is small",
        .guarantee = guarantee,
    },
    .run = run,
};
