/* SPDX-License-Identifier: BSD-3-Clause */
/* The incumbent: the best schedule and bound so far, and the values of tasks in bounds. */
#include "refine/exact/exact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/algorithm.h"
#include "bound/configuration/configuration.h"
#include "bound/grid.h"
#include "config.h"
#include "core/order.h"
#include "core/solve_report.h"
#include "refine/refine.h"

bool hsi_exact_is_proved(const hsi_exact *pf)
{
    return pf->shortest || pf->longest <= pf->bound * (1 + pf->settings->gap);
}

static void set_bound(hsi_exact *pf, double bound, const char *name)
{
    pf->bound = bound;
    snprintf(pf->bound_name, sizeof pf->bound_name, "%s", name);
}

void hsi_exact_raise_bound(hsi_exact *pf, double bound, const char *name)
{
    bound = hsi_grid_round_up(bound, pf->grid);
    if (bound > pf->bound)
        set_bound(pf, bound, name);
}

/* Keep an assignment if its certified makespan is shorter. */
static hs_status take_if_shorter(hsi_exact *pf, const uint32_t *worker)
{
    hs_schedule *s = NULL;
    hs_status    st = hsi_assignment_schedule(&pf->pb, worker, &s);
    double       longest;

    if (st != HS_OK)
        return st;
    longest = hsi_certified_makespan(pf->in, s, NULL, pf->pb.token);
    if (longest >= pf->longest) { /* the assignment is shorter by rounded sums only */
        hs_schedule_free(s);
        return HS_OK;
    }
    hs_schedule_free(pf->best);
    pf->best = s;
    pf->longest = longest;
    snprintf(pf->found_by, sizeof pf->found_by, "%s", hsi_alg_exact.about.name);
    return HS_OK;
}

hs_status hsi_exact_apply_verdict(hsi_exact *pf, double target, hsi_verdict verdict,
                                  const uint32_t *assignment)
{
    if (verdict == HSI_FOUND)
        return take_if_shorter(pf, assignment);
    if (verdict == HSI_REFUTED) {
        pf->shortest = target >= nextafter(pf->longest, 0);
        hsi_exact_raise_bound(pf, hsi_grid_next_above(target, pf->grid), hsi_alg_exact.about.name);
    }
    return HS_OK;
}

void hsi_exact_report_progress(const hsi_exact *pf)
{
    hs_progress progress = {sizeof progress, hsi_stop_seconds_elapsed(&pf->stop),
                            pf->longest,     pf->bound,
                            pf->nodes,       "proof"};

    if (pf->settings->progress)
        pf->settings->progress(pf->settings->progress_data, &progress);
}

hs_settings hsi_exact_settings_for_share(const hsi_exact *pf, double time_share,
                                         double most_seconds)
{
    hs_settings settings = *pf->settings;

    settings.time_limit = fmin(time_share * hsi_stop_seconds_left(&pf->stop), most_seconds);
    if (!(settings.time_limit > 0))
        settings.time_limit = 1e-3;
    return settings;
}

hs_status hsi_exact_improve_schedule(hsi_exact *pf, double time_share, double most_seconds,
                                     double gap)
{
    hs_settings  settings = hsi_exact_settings_for_share(pf, time_share, most_seconds);
    hs_report    report;
    hs_schedule *s = NULL;
    hs_status    st;

    settings.start = pf->best ? pf->best : pf->settings->start;
    settings.gap = fmax(settings.gap, gap);
    hs_report_init(&report);
    st = hsi_alg_best.search(pf->members, pf->in, &settings, &s, &report);
    if (st != HS_OK)
        return st;
    if (!pf->best || report.certified < pf->longest) {
        hs_schedule_free(pf->best);
        pf->best = s;
        pf->longest = report.certified;
        memcpy(pf->found_by, report.found_by, sizeof pf->found_by);
    } else {
        hs_schedule_free(s);
    }
    pf->shortest |= report.proved && settings.gap == 0;
    if (report.bound > pf->bound)
        set_bound(pf, report.bound, report.bound_name);
    return HS_OK;
}

hs_status hsi_exact_worths_by_area(hsi_exact *pf, double *worth)
{
    atomic_int    halt = 0;
    hsi_interrupt interrupt = {.stop = &pf->stop, .halt = &halt};
    uint32_t     *order = malloc((pf->pb.n + 1) * sizeof *order);
    double        pivot = 0;
    hs_status     st = order ? hsi_order_by_rho(&pf->pb, HSI_RHO_UP, order) : HS_ENOMEM;

    if (st == HS_OK)
        st = hsi_split_by_ratio(&pf->pb, order, 1, &interrupt, NULL, &pivot);
    if (st == HS_OK)
        hsi_worths_of_pivot(&pf->pb, pivot, worth);
    free(order);
    return st;
}

#ifdef HAVE_GLPK
hs_status hsi_exact_worths_by_configuration(hsi_exact *pf, double *worth, int *found)
{
    hs_settings        settings = hsi_exact_settings_for_share(pf, 0.2, 20);
    hsi_stop           slice = hsi_stop_after(&settings, 1);
    hsi_configuration *cf = NULL;
    hs_status          st = hsi_configuration_open(&pf->pb, 0, &cf);
    size_t             i;

    *found = 0;
    if (st != HS_OK)
        return st == HS_ETOOBIG || st == HS_ESOLVER ? HS_OK : st;
    while (st == HS_OK && !hsi_configuration_ended(cf) && !hsi_stop_is_due(&slice))
        st = hsi_configuration_improve_bound(cf, &slice);
    hsi_exact_raise_bound(pf, hsi_configuration_bound(cf), "configuration");
    for (i = 0; i < pf->pb.n; i++)
        worth[i] = hsi_configuration_row_worth(cf, i);
    hsi_configuration_close(cf);
    *found = st != HS_ENOMEM;
    return *found ? HS_OK : HS_ENOMEM;
}
#endif
