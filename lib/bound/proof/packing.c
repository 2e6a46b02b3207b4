/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tasks that one type has to run, because the case settles them so or because they take the
 * target or longer on the other type, may be more than its workers can share out among them
 * without one of them taking as long as the target. Whoever verifies that shares them out
 * himself, in a few lines (fill.c says how), so only what took few nodes is left to him.
 *
 * Times are whole cells, rounded down: loads that are short enough are so in cells too.
 */
#include <math.h>
#include <stdlib.h>

#include "bound/fill.h"
#include "bound/grid.h"
#include "bound/proof/prove.h"

enum {
    CAPACITY_BITS = 63,
    MOST_SEARCHED = 1 << 23, /* nodes, in all searches of a proof */
    MOST_DEPTH = 1 << 13     /* workers x kinds: of who verifies, as well */
};

/* What a type's workers share, longest first. */
typedef struct shared {
    size_t   kinds;
    int64_t  weight[HSI_FILL_MOST_KINDS], capacity;
    uint32_t count[HSI_FILL_MOST_KINDS];
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

/* Cells of which all those times are multiples, if a capacity is less than 2^63 then. */
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

/* 0: there are too many kinds, or none. What takes less than a cell is left out. */
static int list_shared(const hsi_prover *pr, hs_type type, double target, shared *s)
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
        if (s->kinds == HSI_FILL_MOST_KINDS)
            return 0;
        add_kind(s, weight, count);
    }
    return s->kinds > 0;
}

/* Whether the tasks can be shared out so that each worker takes less than the target. */
static hs_status search_packing(hsi_prover *pr, const shared *s, unsigned workers,
                                uint64_t most_nodes, hsi_verdict *verdict)
{
    hsi_fill fill = {.kinds = s->kinds,
                     .weight = s->weight,
                     .capacity = s->capacity,
                     .most_nodes = most_nodes,
                     .stop = pr->stop,
                     .take = malloc((workers * s->kinds + 1) * sizeof *fill.take)};

    if (!fill.take)
        return HS_ENOMEM;
    *verdict = hsi_fill_search(&fill, workers, s->count);
    pr->searched += fill.nodes;
    free(fill.take);
    return HS_OK;
}

/* Where cells are not exact what is just below the target may seem possible: a bit is given up. */
static hs_status pack(hsi_prover *pr, hsi_case *c, hs_type type, uint64_t most_nodes)
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
            hsi_case_keep(c, &proof, target);
        target = nextafter(target, 0);
    }
    return st;
}

hs_status hsi_prover_pack(hsi_prover *pr, hsi_case *c, uint64_t most_nodes)
{
    hs_status st = HS_OK;
    hs_type   type;

    for (type = HS_CPU; type <= HS_GPU && st == HS_OK; type++)
        if (c->own < pr->goal && pr->searched < MOST_SEARCHED)
            st = pack(pr, c, type, most_nodes);
    return st;
}
