/* SPDX-License-Identifier: BSD-3-Clause */
/* The best schedule and the best bound so far. */
#include "refine/exact/exact.h"

#include <math.h>
#include <stdio.h>

#include "algorithm/algorithm.h"
#include "bound/grid.h"
#include "core/report.h"
#include "refine/refine.h"

int hsi_exact_is_proved(const hsi_exact *pf)
{
    return pf->shortest || pf->longest <= pf->bound * (1 + pf->settings->gap);
}

static void know_bound(hsi_exact *pf, double bound, const char *name)
{
    pf->bound = bound;
    snprintf(pf->bound_name, sizeof pf->bound_name, "%s", name);
}

void hsi_exact_raise(hsi_exact *pf, double bound, const char *name)
{
    bound = hsi_grid_up(bound, pf->grid);
    if (bound > pf->bound)
        know_bound(pf, bound, name);
}

hs_status hsi_exact_take(hsi_exact *pf)
{
    hs_schedule *s = NULL;
    hs_status    st = hsi_assignment_schedule(&pf->pb, pf->worker, &s);
    double       longest;

    if (st != HS_OK)
        return st;
    longest = hsi_certified_makespan(pf->in, s);
    if (longest >= pf->longest) { /* but for rounding it was shorter */
        hs_schedule_free(s);
        return HS_OK;
    }
    hs_schedule_free(pf->best);
    pf->best = s;
    pf->longest = longest;
    return HS_OK;
}

void hsi_exact_tell(const hsi_exact *pf)
{
    hs_progress progress = {hsi_stop_elapsed(&pf->stop), pf->longest, pf->bound, pf->nodes,
                            "proof"};

    if (pf->settings->progress)
        pf->settings->progress(pf->settings->progress_data, &progress);
}

hs_settings hsi_exact_share(const hsi_exact *pf, double part, double most)
{
    hs_settings settings = *pf->settings;

    settings.time_limit = fmin(part * hsi_stop_left(&pf->stop), most);
    if (!(settings.time_limit > 0))
        settings.time_limit = 1e-3;
    return settings;
}

hs_status hsi_exact_schedule(hsi_exact *pf, double part, double most, double gap)
{
    hs_settings  settings = hsi_exact_share(pf, part, most);
    hs_report    report;
    hs_schedule *s = NULL;
    hs_status    st;

    settings.start = pf->best ? pf->best : pf->settings->start;
    settings.gap = fmax(settings.gap, gap);
    hs_report_init(&report);
    st = hsi_alg_best.method->search(pf->in, &settings, &s, &report);
    if (st != HS_OK)
        return st;
    if (!pf->best || report.certified < pf->longest) {
        hs_schedule_free(pf->best);
        pf->best = s;
        pf->longest = report.certified;
    } else {
        hs_schedule_free(s);
    }
    pf->shortest |= report.proved && settings.gap == 0;
    if (report.bound > pf->bound)
        know_bound(pf, report.bound, report.bound_name);
    return HS_OK;
}
