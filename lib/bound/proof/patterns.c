/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks of few kinds: all schedules at once are searched by the patterns of counts that
 * workers can run (kinds.c). Whoever verifies it searches by himself, pruned by the same
 * worth of the tasks.
 */
#include <math.h>
#include <stdlib.h>

#include "bound/divisible.h"
#include "bound/kinds/kinds.h"
#include "bound/proof/prove.h"

enum {
    FIRST_PATIENCE = 100000, /* nodes */
    GROWTH = 8,
    MOST_PATIENCE = 1 << 23
};

/* What the area LP's multipliers make of the tasks. */
static hs_status value_by_area(const hsi_prover *pr, double *worth)
{
    double        multiplier[2];
    hsi_divisible d;
    hs_status     st = hsi_divisible_open(&d, &pr->kinds);
    size_t        kind;

    if (st == HS_OK)
        hsi_divisible_multipliers(&d, nextafter(pr->target, 0), multiplier);
    for (kind = 0; st == HS_OK && kind < pr->kinds.n; kind++) {
        double on_cpu = multiplier[HS_CPU] * pr->kinds.p[kind],
               on_gpu = multiplier[HS_GPU] * pr->kinds.q[kind];

        worth[kind] = fmin(on_cpu, on_gpu);
        if (!isfinite(on_cpu) || !isfinite(on_gpu))
            worth[kind] = isfinite(on_cpu) ? on_cpu : isfinite(on_gpu) ? on_gpu : 0;
    }
    hsi_divisible_close(&d);
    return st;
}

static hs_status value_tasks(const hsi_prover *pr, const hsi_case *c, hsi_kinds *kd)
{
    double   *worth = malloc((pr->kinds.n + 1) * sizeof *worth);
    hs_status st = worth ? HS_OK : HS_ENOMEM;
    size_t    kind;

    if (st == HS_OK && c->worth) {
        for (kind = 0; kind < pr->kinds.n; kind++)
            worth[kind] = c->worth[HSI_CLASSES * kind + HSI_FREE_TASKS];
        hsi_kinds_value(kd, worth);
    }
    if (st == HS_OK)
        st = value_by_area(pr, worth);
    if (st == HS_OK)
        hsi_kinds_value(kd, worth);
    free(worth);
    return st;
}

static hs_status keep(const hsi_prover *pr, hsi_case *c, const hsi_kinds *kd, uint64_t nodes,
                      double proved)
{
    hsi_proof_node proof = {
        .step = HSI_STEP_PATTERNS, .coarse = hsi_kinds_coarse(kd), .nodes = nodes};
    size_t kind;
    int    set;

    proof.worth = calloc(HSI_KINDS_WORTHS * pr->kinds.n, sizeof *proof.worth);
    if (!proof.worth)
        return HS_ENOMEM;
    for (set = 0; set < HSI_KINDS_WORTHS; set++) {
        proof.fine[set] = hsi_kinds_most_on_fine(kd, set);
        for (kind = 0; kind < pr->kinds.n; kind++)
            proof.worth[HSI_KINDS_WORTHS * kind + (size_t)set] = hsi_kinds_worth(kd, kind, set);
    }
    hsi_case_keep(c, &proof, proved);
    return HS_OK;
}

/*
 * Which type is better listed is not known beforehand: they take turns. If a schedule is
 * found it may be exactly as long as the target, and the last bit is given up.
 */
static hs_status ask(hsi_prover *pr, hsi_case *c, hsi_kinds *kd)
{
    double          target = pr->target;
    hsi_kinds_query query = {.most_nodes = FIRST_PATIENCE};
    hs_status       st = HS_OK;

    if (pr->unit > 0)
        target = hsi_prover_round(pr, target) - pr->unit;
    for (; st == HS_OK && query.most_nodes <= MOST_PATIENCE; query.most_nodes *= GROWTH)
        for (query.flip = 0; query.flip < 2; query.flip++) {
            hsi_verdict verdict;

            query.target = target;
            st = hsi_kinds_ask(kd, &query, pr->stop, &verdict);
            if (st == HS_OK && verdict == HSI_REFUTED)
                return keep(pr, c, kd, query.nodes, fmin(pr->target, target + pr->unit));
            if (st != HS_OK || hsi_stop_now(pr->stop))
                return st;
            if (verdict != HSI_FOUND)
                continue;
            if (pr->unit > 0 || target < pr->target)
                return HS_OK;
            target = nextafter(target, 0);
            query.flip--;
        }
    return st;
}

hs_status hsi_prover_patterns(hsi_prover *pr, hsi_case *c)
{
    hsi_kinds *kd = NULL;
    hs_status  st = hsi_kinds_open(&pr->kinds, &kd);

    if (st == HS_OK)
        st = value_tasks(pr, c, kd);
    if (st == HS_OK)
        st = ask(pr, c, kd);
    hsi_kinds_close(kd);
    return st == HS_ETOOBIG ? HS_OK : st;
}
