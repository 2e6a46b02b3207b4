/* SPDX-License-Identifier: BSD-3-Clause */
#include "refine/graph/seeds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_TASKS = 200000, /* limit of the tasks: decoding takes a tenth of a second at this size */
    ROUNDINGS = 16
};

static hs_status open_genes(hsi_seeds *seeds, hsi_genes *genes)
{
    size_t n = seeds->arcs.pb->n;

    genes->place = hsi_arena_alloc(&seeds->arena, n, sizeof *genes->place);
    genes->weight = hsi_arena_alloc(&seeds->arena, n, sizeof *genes->weight);
    genes->makespan = INFINITY;
    for (size_t i = 0; genes->weight && i < n; i++)
        genes->weight[i] = 1;
    return genes->place && genes->weight ? HS_OK : HS_ENOMEM;
}

hs_status hsi_seeds_open(const hsi_problem *pb, hsi_seeds **out)
{
    hsi_seeds *seeds;
    hs_status  st;

    if (pb->n > MOST_TASKS)
        return HS_ETOOBIG;
    seeds = calloc(1, sizeof *seeds);
    if (!seeds)
        return HS_ENOMEM;
    st = hsi_arcs_open(pb, &seeds->arcs);
    if (st == HS_OK)
        st = hsi_decoder_open(&seeds->decoder, &seeds->arcs);
    if (st == HS_OK)
        st = open_genes(seeds, &seeds->best);
    if (st == HS_OK)
        st = open_genes(seeds, &seeds->tried);
    if (st == HS_OK)
        *out = seeds;
    else
        hsi_seeds_close(seeds);
    return st;
}

void hsi_seeds_close(hsi_seeds *seeds)
{
    if (!seeds)
        return;
    hsi_decoder_close(&seeds->decoder);
    hsi_arcs_close(&seeds->arcs);
    hsi_arena_close(&seeds->arena);
    free(seeds);
}

void hsi_seeds_keep_if_better(hsi_seeds *seeds, const hsi_genes *genes)
{
    size_t n = seeds->arcs.pb->n;

    if (!(genes->makespan < seeds->best.makespan))
        return;
    memcpy(seeds->best.place, genes->place, n * sizeof *genes->place);
    memcpy(seeds->best.weight, genes->weight, n * sizeof *genes->weight);
    seeds->best.makespan = genes->makespan;
}

static void try_places(hsi_seeds *seeds)
{
    hsi_genes *tried = &seeds->tried;

    tried->makespan =
        hsi_decode_genes(&seeds->decoder, tried->place, tried->weight, seeds->best.makespan);
    hsi_seeds_keep_if_better(seeds, tried);
}

void hsi_seeds_add_schedule(hsi_seeds *seeds, const hs_schedule *s)
{
    unsigned workers = seeds->arcs.pb->m + seeds->arcs.pb->k;

    for (unsigned w = 0; w < workers; w++) {
        size_t          count;
        const hs_entry *entries = hs_schedule_entries(s, w, &count);

        for (size_t i = 0; i < count; i++)
            if (entries[i].state == HS_RUN)
                seeds->tried.place[entries[i].task] = hsi_place_of_worker(&seeds->arcs, w);
    }
    try_places(seeds);
}

/* Return the first place with workers of the type. If there is none, no task has a finite time
 * there. */
static uint32_t first_place(const hsi_arcs *arcs, hs_type type)
{
    uint32_t place = 0;

    if (type == HS_GPU)
        return arcs->hosts;
    while (place + 1 < arcs->hosts && hsi_worker_count_at(arcs, place) == 0)
        place++;
    return place;
}

/* Place each task on the first place of the type if possible, else on that of the other type. */
static void try_single_place(hsi_seeds *seeds, hs_type type)
{
    const hsi_arcs *arcs = &seeds->arcs;
    uint32_t        place = first_place(arcs, type), other = first_place(arcs, (hs_type)!type);

    for (uint32_t task = 0; task < arcs->pb->n; task++)
        seeds->tried.place[task] =
            isfinite(hsi_task_time_at(arcs, task, place)) ? place : other;
    try_places(seeds);
}

void hsi_seeds_add_single_places(hsi_seeds *seeds)
{
    for (int type = HS_CPU; type <= HS_GPU; type++)
        try_single_place(seeds, (hs_type)type);
}

/* Return `was` if it is a host, else a random host with CPUs. */
static uint32_t random_host(const hsi_seeds *seeds, uint32_t was, hsi_random *random)
{
    const hsi_arcs *arcs = &seeds->arcs;

    while (was >= arcs->hosts || hsi_worker_count_at(arcs, was) == 0)
        was = (uint32_t)hsi_random_below(random, arcs->hosts);
    return was;
}

/* Return a host if the share exceeds `from`, else a GPU; a task always gets a place that can run
 * it. */
static uint32_t round_share(const hsi_seeds *seeds, uint32_t task, double share, double from,
                            hsi_random *random)
{
    const hsi_problem *pb = seeds->arcs.pb;
    uint32_t           was = seeds->best.place[task], hosts = seeds->arcs.hosts;

    if (isinf(pb->q[task]) || (isfinite(pb->p[task]) && share > from))
        return hosts == 1 ? 0 : random_host(seeds, was, random);
    return was >= hosts ? was
                        : hosts + (uint32_t)hsi_random_below(random, seeds->arcs.places - hosts);
}

void hsi_seeds_add_cpu_shares(hsi_seeds *seeds, const double *cpu_share, hsi_random *random)
{
    for (int i = 0; i < ROUNDINGS; i++) {
        for (uint32_t task = 0; task < seeds->arcs.pb->n; task++) {
            double from = i % 2 ? hsi_random_unit(random) : (i + 1.0) / ROUNDINGS;

            seeds->tried.place[task] = round_share(seeds, task, cpu_share[task], from, random);
        }
        try_places(seeds);
    }
}

hs_status hsi_seeds_offer_best(hsi_best *best)
{
    hsi_seeds   *seeds = best->seeds;
    hs_schedule *s = NULL;
    hs_status    st;

    if (!(seeds->best.makespan < best->makespan))
        return HS_OK;
    hsi_decode_genes(&seeds->decoder, seeds->best.place, seeds->best.weight, INFINITY);
    st = hsi_decoded_build_schedule(&seeds->decoder, &s);
    return st == HS_OK ? hsi_best_offer(best, s) : st;
}
