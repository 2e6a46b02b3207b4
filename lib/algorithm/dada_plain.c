/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The list schedule of dada_plain.h. Invariant: for guesses in [from, below) and i < known,
 * earliest[i] is the time at which a GPU is free after the forced tasks and the tasks before
 * position i. It increases with i, so a guess finds its position by bisection.
 */
#include "algorithm/dada_plain.h"

#include <math.h>

#include "core/order.h"

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

hs_status hsi_dada_plain_open(hsi_dada_plain *plain, const hsi_problem *pb, const uint32_t *by_rho)
{
    hsi_arena *arena = pb->arena;
    size_t     i, n = pb->n;
    hs_status  st;

    *plain = (hsi_dada_plain){.pb = pb, .below = -1, .accepted = INFINITY};
    plain->p = hsi_arena_take(arena, n, sizeof *plain->p);
    plain->q = hsi_arena_take(arena, n, sizeof *plain->q);
    plain->earliest = hsi_arena_take(arena, n + 1, sizeof *plain->earliest);
    plain->cpu_after = hsi_arena_take(arena, n + 1, sizeof *plain->cpu_after);
    plain->to_cpus = hsi_arena_take(arena, n + 1, sizeof *plain->to_cpus);
    if (!plain->p || !plain->q || !plain->earliest || !plain->cpu_after || !plain->to_cpus ||
        hsi_worker_tree_open_in(&plain->gpus, arena, pb->k))
        return HS_ENOMEM;
    st = hsi_gather(by_rho, n, pb->p, plain->p, pb->token);
    if (st == HS_OK)
        st = hsi_gather(by_rho, n, pb->q, plain->q, pb->token);
    for (i = 0; i < n && st == HS_OK; i++)
        plain->least = larger(plain->least, smaller(pb->p[i], pb->q[i]));
    return st;
}

static void put_on_gpu(hsi_dada_plain *plain, double time)
{
    hsi_worker_tree_set(&plain->gpus, hsi_worker_tree_first(&plain->gpus),
                        hsi_worker_tree_time(&plain->gpus) + time);
}

/* Compute the CPUs' sums from the last position back, and the times adjacent to the guess. */
static void sum_for_cpus(hsi_dada_plain *plain, double guess)
{
    const hsi_problem *pb = plain->pb;
    double             cpu = 0, from = 0, below = INFINITY;
    size_t             i;

    plain->to_cpus_count = 0;
    plain->cpu_after[pb->n] = 0;
    for (i = pb->n; i > 0; i--) {
        double p = plain->p[i - 1], q = plain->q[i - 1];

        if (q > guess)
            plain->to_cpus[plain->to_cpus_count++] = (uint32_t)(i - 1);
        cpu += p <= guess ? p : 0;
        plain->cpu_after[i - 1] = cpu;
        from = larger(from, larger(p <= guess ? p : 0, q <= guess ? q : 0));
        below = smaller(below, smaller(p > guess ? p : INFINITY, q > guess ? q : INFINITY));
    }
    plain->from = from;
    plain->below = below;
}

static void force_on_gpus(hsi_dada_plain *plain, double guess)
{
    size_t i;

    hsi_worker_tree_reset(&plain->gpus);
    plain->forced = 0;
    for (i = 0; i < plain->pb->n && !hsi_poll_at(plain->pb->token, i); i++) {
        if (plain->p[i] <= guess)
            continue;
        plain->forced += plain->q[i];
        put_on_gpu(plain, plain->q[i]);
    }
}

/* Fill the GPUs as far as any smaller guess may need. */
static void fill_gpus(hsi_dada_plain *plain, double guess)
{
    const hsi_problem *pb = plain->pb;
    double             enough = smaller(plain->below, plain->accepted);
    size_t             i;

    for (i = 0; i < pb->n && !hsi_poll_at(pb->token, i); i++) {
        double p = plain->p[i], q = plain->q[i];

        plain->earliest[i] = hsi_worker_tree_time(&plain->gpus);
        if (plain->earliest[i] >= enough)
            break;
        if (p <= guess && q <= guess)
            put_on_gpu(plain, q);
    }
    plain->known = i;
}

/* Return the position up to which GPUs take tasks before all of them reach the guess. */
static size_t find_split(const hsi_dada_plain *plain, double guess)
{
    size_t low = 0, high = plain->known;

    if (plain->pb->k == 0)
        return 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (plain->earliest[middle] < guess)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static double load_of_cpus(const hsi_dada_plain *plain, size_t split)
{
    double cpu = plain->cpu_after[split];
    size_t i;

    for (i = 0; i < plain->to_cpus_count; i++)
        if (plain->to_cpus[i] < split)
            cpu += plain->p[plain->to_cpus[i]];
    return cpu;
}

int hsi_dada_plain_accepts(void *context, double guess)
{
    hsi_dada_plain *plain = context;
    int             accepted;

    if (guess < plain->least)
        return 0;
    if (guess < plain->from || guess >= plain->below) {
        sum_for_cpus(plain, guess);
        force_on_gpus(plain, guess);
        fill_gpus(plain, guess);
    }
    if (plain->forced > plain->pb->k * guess)
        return 0;
    accepted = load_of_cpus(plain, find_split(plain, guess)) <= plain->pb->m * guess;
    if (accepted)
        plain->accepted = guess;
    return accepted;
}
