/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Proof task by task: test whether a schedule of at most a target makespan exists, by a search over
 * the tasks (refute.c). Each answer gives a shorter schedule or a higher bound. A test may take 2^n
 * nodes; later rounds allow more nodes.
 */
#include "refine/exact/exact.h"

#include <math.h>
#include <stdlib.h>

#include "bound/proof/refute.h"
#include "config.h"
#include "refine/target.h"

static hs_status find_multipliers(hsi_exact *pf)
{
    double   *value = malloc((pf->pb.n + 1) * sizeof *value);
    hs_status st = value ? hsi_exact_worths_by_area(pf, value) : HS_ENOMEM;

    if (st == HS_OK)
        hsi_refute_scale_worths(pf->pb.n, value, pf->worth[pf->worths++]);
#ifdef HAVE_GLPK
    int found = 0;

    if (st == HS_OK)
        st = hsi_exact_worths_by_configuration(pf, value, &found);
    if (found)
        hsi_refute_scale_worths(pf->pb.n, value, pf->worth[pf->worths++]);
#endif
    free(value);
    return st;
}

static double last_target(const hsi_exact *pf)
{
    return hsi_target_that_closes_gap(pf->longest, pf->settings->gap, pf->grid);
}

static double middle_target(const hsi_exact *pf)
{
    double last = last_target(pf), middle = pf->bound + (last - pf->bound) / 2;

    if (pf->grid > 0)
        middle = floor(middle / pf->grid) * pf->grid;
    return last - pf->bound < 1e-5 * last || middle <= pf->bound ? last : middle;
}

/* Test a target with each set of multipliers in turn, since the best set is unknown beforehand:
 * each turn allows four times the nodes of the one before, up to `most` (0: no limit). */
static hs_status refute_target(hsi_exact *pf, double target, uint64_t most, hsi_verdict *verdict)
{
    hsi_refutation r = {.pb = &pf->pb, .worker = pf->worker, .target = target};
    uint64_t       nodes = 20000;
    hs_status      st = HS_OK;
    int            turn;

    *verdict = HSI_STOPPED;
    for (; (most == 0 || nodes <= most) && !hsi_stop_is_due(&pf->stop); nodes *= 4) {
        for (turn = 0; turn < pf->worths; turn++) {
            r.worth = pf->worth[turn];
            r.most_nodes = nodes;
            st = hsi_refutation_search(&r, &pf->stop, verdict);
            pf->nodes += r.nodes;
            if (st != HS_OK || *verdict != HSI_STOPPED)
                return st;
        }
    }
    return st;
}

/* Test the last target, which would complete the proof; if it resists, raise the bound by a target
 * half way, then repeat with more nodes. */
hs_status hsi_exact_search_by_tasks(hsi_exact *pf, unsigned rounds)
{
    uint64_t  patience = 400000;
    hs_status st = pf->worths ? HS_OK : find_multipliers(pf);

    for (; rounds-- && st == HS_OK && !hsi_exact_is_proved(pf) && !hsi_stop_is_due(&pf->stop);
         patience *= 4) {
        hsi_verdict verdict = HSI_FOUND;
        double      target = 0, before = INFINITY;

        while (st == HS_OK && verdict == HSI_FOUND && pf->longest < before &&
               !hsi_exact_is_proved(pf)) {
            hsi_exact_report_progress(pf);
            before = pf->longest;
            target = last_target(pf);
            st = refute_target(pf, target, patience, &verdict);
            if (st == HS_OK)
                st = hsi_exact_apply_verdict(pf, target, verdict, pf->worker);
        }
        if (st != HS_OK || hsi_exact_is_proved(pf) || verdict == HSI_REFUTED)
            continue;
        target = middle_target(pf);
        st = refute_target(pf, target, patience, &verdict);
        if (st == HS_OK)
            st = hsi_exact_apply_verdict(pf, target, verdict, pf->worker);
    }
    return st;
}
