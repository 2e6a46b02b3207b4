/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prove a case by packing. The tasks that one type must run, as the case says or because they reach
 * the target on the other type, may not fit on its workers without one of them reaching the target.
 * A verifier repeats the packing search in a few lines (see capacity_search.c), so only searches of
 * few nodes are stored.
 *
 * Times are rounded down to whole cells, so loads that are short enough stay so in cells.
 */
#include <math.h>
#include <stdlib.h>

#include "bound/capacity_search.h"
#include "bound/grid.h"
#include "bound/proof/prove.h"

enum {
    CAPACITY_BITS = 63,
    MOST_SEARCHED = 1 << 23, /* nodes of all searches of a proof */
    MOST_DEPTH = 1 << 13     /* limit of workers x kinds, which the verifier has too */
};

/* The kinds that a type's workers must run, longest first. */
typedef struct shared {
    size_t   kinds;
    int64_t  weight[HSI_CAPACITY_MOST_KINDS], capacity;
    uint32_t count[HSI_CAPACITY_MOST_KINDS];
} shared;

static uint32_t count_bound_to(const hsi_prover *pr, size_t kind, hs_type type)
{
    double elsewhere = type == HS_CPU ? pr->kinds.q[kind] : pr->kinds.p[kind];

    if (elsewhere >= pr->target)
        return pr->kinds.count[kind];
    return type == HS_CPU ? pr->low[kind] : pr->kinds.count[kind] - pr->high[kind];
}

static void add_kind(shared *s, int64_t weight, uint32_t count)
{
    size_t at = s->kinds++;

    for (; at > 0 && s->weight[at - 1] < weight; at--) {
        s->weight[at] = s->weight[at - 1];
        s->count[at] = s->count[at - 1];
    }
    s->weight[at] = weight;
    s->count[at] = count;
}

/* Return the exponent of cells that divide all times of these tasks, if the capacity then has less
 * than 63 bits; else of the finest cells allowed. */
static int grid_of(const hsi_prover *pr, hs_type type, double target)
{
    const double *time = type == HS_CPU ? pr->kinds.p : pr->kinds.q;
    int           coarsest = HSI_GRID_MOST_EXPONENT, finest;
    size_t        i;

    for (i = 0; i < pr->kinds.n; i++)
        if (count_bound_to(pr, i, type) > 0 && hsi_grid_exponent(time[i]) < coarsest)
            coarsest = hsi_grid_exponent(time[i]);
    frexp(target, &finest);
    finest -= CAPACITY_BITS;
    return coarsest > finest && coarsest < HSI_GRID_MOST_EXPONENT ? coarsest : finest;
}

/* List the kinds. Return false if there are too many, or none. A time below one cell is left
 * out. */
static bool list_shared(const hsi_prover *pr, hs_type type, double target, shared *s)
{
    const double *time = type == HS_CPU ? pr->kinds.p : pr->kinds.q;
    int           grid = grid_of(pr, type, target);
    size_t        i;

    s->kinds = 0;
    s->capacity = (int64_t)ceil(ldexp(target, -grid)) - 1;
    for (i = 0; i < pr->kinds.n; i++) {
        uint32_t count = count_bound_to(pr, i, type);
        int64_t  weight = time[i] < target ? (int64_t)ldexp(time[i], -grid) : INT64_MAX;

        if (count == 0 || weight == 0)
            continue;
        if (s->kinds == HSI_CAPACITY_MOST_KINDS)
            return false;
        add_kind(s, weight, count);
    }
    return s->kinds > 0;
}

/* Search whether the tasks fit on the workers with every load below the target. */
static hs_status search_packing(hsi_prover *pr, const shared *s, unsigned workers,
                                uint64_t most_nodes, hsi_verdict *verdict)
{
    hsi_capacity_search fill = {.kinds = s->kinds,
                                .weight = s->weight,
                                .capacity = s->capacity,
                                .most_nodes = most_nodes,
                                .stop = pr->stop,
                                .take = malloc((workers * s->kinds + 1) * sizeof *fill.take)};

    if (!fill.take)
        return HS_ENOMEM;
    *verdict = hsi_fits_capacity(&fill, workers, s->count);
    pr->searched += fill.nodes;
    free(fill.take);
    return HS_OK;
}

/* Prove the target by packing. If rounding makes loads just below the target seem possible, try the
 * next smaller double. */
static hs_status prove_by_packing(hsi_prover *pr, hsi_case *c, hs_type type, uint64_t most_nodes)
{
    const hsi_proof_node proof = {.step = HSI_STEP_PACKING, .type = type};
    unsigned             workers = type == HS_CPU ? pr->kinds.m : pr->kinds.k;
    double               target = pr->target;
    hsi_verdict          verdict = HSI_FOUND;
    hs_status            st = HS_OK;
    int                  turn;
    shared               s;

    for (turn = 0; turn < 2 && st == HS_OK && verdict == HSI_FOUND; turn++) {
        if (!list_shared(pr, type, target, &s) || workers * s.kinds > MOST_DEPTH)
            break;
        st = search_packing(pr, &s, workers, most_nodes, &verdict);
        if (st == HS_OK && verdict == HSI_REFUTED)
            hsi_case_store_proof(c, &proof, target);
        target = nextafter(target, 0);
    }
    return st;
}

hs_status hsi_prover_pack_type_tasks(hsi_prover *pr, hsi_case *c, uint64_t most_nodes)
{
    hs_status st = HS_OK;
    hs_type   type;

    for (type = HS_CPU; type <= HS_GPU && st == HS_OK; type++)
        if (c->own < pr->goal && pr->searched < MOST_SEARCHED)
            st = prove_by_packing(pr, c, type, most_nodes);
    return st;
}
