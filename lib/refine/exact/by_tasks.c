/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Is there a schedule that takes no more than a target? One question after another, each
 * answered by a search over the tasks (refute.c), and each answer is a shorter schedule or a
 * higher bound. A task may take 2^n nodes at worst; rounds are the more patient the later.
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
    hs_status st = value ? hsi_exact_value_by_area(pf, value) : HS_ENOMEM;

    if (st == HS_OK)
        hsi_refute_worth(pf->pb.n, value, pf->worth[pf->worths++]);
#ifdef HAVE_GLPK
    if (st == HS_OK)
        st = hsi_exact_value_by_configuration(pf, value);
    if (st == HS_OK)
        hsi_refute_worth(pf->pb.n, value, pf->worth[pf->worths++]);
#endif
    free(value);
    return st;
}

static double last_target(const hsi_exact *pf)
{
    return hsi_last_target(pf->longest, pf->settings->gap, pf->grid);
}

static double middle_target(const hsi_exact *pf)
{
    double last = last_target(pf), middle = pf->bound + (last - pf->bound) / 2;

    if (pf->grid > 0)
        middle = floor(middle / pf->grid) * pf->grid;
    return last - pf->bound < 1e-5 * last || middle <= pf->bound ? last : middle;
}

/*
 * Which multipliers cut the search short is not known beforehand: they take turns,
 * each with four times the nodes of its last turn, up to `most` (0: until the end).
 */
static hs_status refute_target(hsi_exact *pf, double target, uint64_t most, hsi_verdict *verdict)
{
    hsi_refutation r = {.pb = &pf->pb, .worker = pf->worker, .target = target};
    uint64_t       nodes = 20000;
    hs_status      st = HS_OK;
    int            turn;

    *verdict = HSI_STOPPED;
    for (; (most == 0 || nodes <= most) && !hsi_stop_now(&pf->stop); nodes *= 4) {
        for (turn = 0; turn < pf->worths; turn++) {
            r.worth = pf->worth[turn];
            r.most_nodes = nodes;
            st = hsi_refute(&r, &pf->stop, verdict);
            pf->nodes += r.nodes;
            if (st != HS_OK || *verdict != HSI_STOPPED)
                return st;
        }
    }
    return st;
}

/*
 * The last target settles all; when it resists, one half way is next, which at least
 * raises the bound, and then the last one again with more nodes.
 */
hs_status hsi_exact_by_tasks(hsi_exact *pf, unsigned rounds)
{
    uint64_t  patience = 400000;
    hs_status st = pf->worths ? HS_OK : find_multipliers(pf);

    for (; rounds-- && st == HS_OK && !hsi_exact_is_proved(pf) && !hsi_stop_now(&pf->stop);
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
                st = hsi_exact_learn(pf, target, verdict, pf->worker);
        }
        if (st != HS_OK || hsi_exact_is_proved(pf) || verdict == HSI_REFUTED)
            continue;
        target = middle_target(pf);
        st = refute_target(pf, target, patience, &verdict);
        if (st == HS_OK)
            st = hsi_exact_learn(pf, target, verdict, pf->worker);
    }
    return st;
}
