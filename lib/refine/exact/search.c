/* SPDX-License-Identifier: BSD-3-Clause */
/* Is there a schedule that takes no more than a target? One question after another. */
#include "refine/exact/exact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/algorithm.h"
#include "bound/configuration/configuration.h"
#include "bound/grid.h"
#include "bound/proof/refute.h"
#include "config.h"
#include "core/order.h"
#include "refine/refine.h"
#include "refine/best/squeeze.h"
#include "refine/best/target.h"

static hs_status value_by_area(hsi_exact *pf, double *value)
{
    atomic_int halt = 0;
    hsi_watch  watch = {.stop = &pf->stop, .halt = &halt};
    uint32_t  *order = malloc((pf->pb.n + 1) * sizeof *order);
    double     pivot = 0;
    hs_status  st = order ? hsi_order_by_rho(&pf->pb, HSI_RHO_UP, order) : HS_ENOMEM;

    if (st == HS_OK)
        st = hsi_split(&pf->pb, order, 1, &watch, NULL, &pivot);
    if (st == HS_OK)
        hsi_area_worth(&pf->pb, pivot, value);
    free(order);
    return st;
}

#ifdef HAVE_GLPK
/* The configuration bound, and what it values the tasks at. */
static hs_status value_by_configuration(hsi_exact *pf, double *value)
{
    hs_settings        settings = hsi_exact_share(pf, 0.2, 20);
    hsi_stop           slice = hsi_stop_after(&settings, 1);
    hsi_configuration *cf = NULL;
    hs_status          st = hsi_configuration_open(&pf->pb, 0, &cf);
    size_t             i;

    if (st != HS_OK)
        return st;
    while (st == HS_OK && !hsi_configuration_ended(cf) && !hsi_stop_now(&slice))
        st = hsi_configuration_step(cf, &slice);
    hsi_exact_raise(pf, hsi_configuration_bound(cf), "configuration");
    for (i = 0; i < pf->pb.n; i++)
        value[i] = hsi_configuration_worth(cf, i);
    hsi_configuration_close(cf);
    return st == HS_ENOMEM ? st : HS_OK;
}
#endif

static hs_status find_multipliers(hsi_exact *pf)
{
    double   *value = malloc((pf->pb.n + 1) * sizeof *value);
    hs_status st = value ? value_by_area(pf, value) : HS_ENOMEM;

    if (st == HS_OK)
        hsi_refute_worth(pf->pb.n, value, pf->worth[pf->worths++]);
#ifdef HAVE_GLPK
    if (st == HS_OK)
        st = value_by_configuration(pf, value);
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

/* Learns what the verdict on a target says. */
static hs_status learn(hsi_exact *pf, double target, hsi_verdict verdict)
{
    if (verdict == HSI_FOUND)
        return hsi_exact_take(pf);
    if (verdict == HSI_REFUTED) {
        pf->shortest = target >= nextafter(pf->longest, 0);
        hsi_exact_raise(pf, hsi_grid_above(target, pf->grid), hsi_alg_exact.name);
    }
    return HS_OK;
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
            hsi_exact_tell(pf);
            before = pf->longest;
            target = last_target(pf);
            st = refute_target(pf, target, patience, &verdict);
            if (st == HS_OK)
                st = learn(pf, target, verdict);
        }
        if (st != HS_OK || hsi_exact_is_proved(pf) || verdict == HSI_REFUTED)
            continue;
        target = middle_target(pf);
        st = refute_target(pf, target, patience, &verdict);
        if (st == HS_OK)
            st = learn(pf, target, verdict);
    }
    return st;
}

static hs_status ask_by_kinds(hsi_exact *pf, hsi_squeeze *sq)
{
    hs_status st = HS_OK;

    while (st == HS_OK && !hsi_exact_is_proved(pf) && !hsi_squeeze_ended(sq) &&
           !hsi_stop_now(&pf->stop)) {
        hsi_squeeze_answer answer;
        double before = pf->longest, last = hsi_last_target(before, pf->settings->gap, 0);

        hsi_exact_tell(pf);
        st = hsi_squeeze_ask(sq, pf->bound, last, 0, &pf->stop, &answer);
        if (st != HS_OK)
            break;
        pf->nodes += answer.nodes;
        if (answer.verdict == HSI_FOUND)
            memcpy(pf->worker, answer.worker, pf->pb.n * sizeof *pf->worker);
        st = learn(pf, answer.target, answer.verdict);
        if (answer.verdict == HSI_FOUND && pf->longest >= before)
            hsi_squeeze_vain(sq);
    }
    return st;
}

hs_status hsi_exact_by_kinds(hsi_exact *pf)
{
    hsi_squeeze *sq = NULL;
    double      *value = malloc((pf->pb.n + 1) * sizeof *value);
    hs_status    st = value ? hsi_squeeze_open(&pf->pb, &sq) : HS_ENOMEM;

#ifdef HAVE_GLPK
    if (st == HS_OK)
        st = value_by_configuration(pf, value);
    if (st == HS_OK)
        hsi_squeeze_value(sq, value);
#endif
    if (st == HS_OK)
        st = value_by_area(pf, value);
    if (st == HS_OK) {
        hsi_squeeze_value(sq, value);
        st = ask_by_kinds(pf, sq);
    }
    hsi_squeeze_close(sq);
    free(value);
    return st == HS_ETOOBIG ? HS_OK : st;
}
