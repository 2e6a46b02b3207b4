/* SPDX-License-Identifier: BSD-3-Clause */
/* The portfolio: run the other algorithms in turn; local search then improves the shortest
 * schedule. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/run_algorithm.h"
#include "refine/best/best.h"

/* Members after heteroprio, fast ones first. Instances with more than `most` tasks skip the member,
 * since levelling uses the time better. */
static const struct member {
    const hsi_algorithm *algorithm;
    size_t               most;
} members[] = {
    {&hsi_alg_heteroprio_ns, 1000000},
    {&hsi_alg_balanced_estimate, 1000000},
    {&hsi_alg_clb2c, 300000},
    {&hsi_alg_lpt, 300000},
    {&hsi_alg_heft, 300000},
    {&hsi_alg_heft_min, 300000},
    {&hsi_alg_dualhp, 100000},
    {&hsi_alg_dada, 100000},
    {&hsi_alg_balanced_makespan, 30000},
};

void hsi_report_add_member(hs_report *report, const char *name)
{
    size_t used = strlen(report->members);

    if (used + strlen(name) + 2 <= sizeof report->members)
        snprintf(report->members + used, sizeof report->members - used, "%s%s", used ? "," : "",
                 name);
}

void hsi_best_set_member(hsi_best *best, const char *name, hs_rank rank)
{
    if (!name)
        best->member[0] = '\0';
    else if (rank == HS_RANK_DEFAULT)
        snprintf(best->member, sizeof best->member, "%s", name);
    else
        snprintf(best->member, sizeof best->member, "%s:%s", name, hs_rank_name(rank));
}

/* Offer the schedule of a member, which has finished. */
static hs_status offer_of_member(hsi_best *best, const char *name, hs_schedule *s)
{
    hs_status st;

    hsi_report_add_member(best->report, name);
    hsi_best_set_member(best, name, HS_RANK_DEFAULT);
    st = hsi_best_offer(best, s);
    hsi_best_set_member(best, NULL, HS_RANK_DEFAULT);
    return st;
}

/* Cancel function of the members: return 1 when the portfolio's part of the time is over. */
static int portfolio_over(void *data)
{
    hsi_best *best = data;

    return hsi_interrupted(&best->interrupt) ||
           (!best->counted &&
            hsi_stop_seconds_elapsed(&best->stop) > 0.3 * (best->stop.end - best->stop.begin));
}

static hs_status run_member(hsi_best *best, const hsi_algorithm *alg, const hs_settings *settings)
{
    hs_schedule *s = NULL;
    hs_status    st = settings->available && alg->available_by_policy
                          ? best->members->run(&alg->about, best->in, settings, &s)
                          : hsi_run_algorithm(alg, best->in, settings, &s);

    if (st == HS_ECANCELED)
        return HS_OK;
    if (st != HS_OK)
        return st;
    return offer_of_member(best, alg->about.name, s);
}

hs_status hsi_portfolio_run_first(hsi_best *best)
{
    hs_settings settings;

    hs_schedule *s = NULL;
    hs_status    st;

    hs_settings_init(&settings);
    settings.cancel = best->settings->cancel;
    settings.cancel_data = best->settings->cancel_data;
    settings.available = best->settings->available;
    st = hsi_run_algorithm(&hsi_alg_heteroprio, best->in, &settings, &s);
    if (st != HS_OK)
        return st;
    return offer_of_member(best, hsi_alg_heteroprio.about.name, s);
}

static hs_status run_split(hsi_best *best)
{
    size_t    n = best->pb.n;
    unsigned  places = n < 20000 ? 81 : n < 1000000 ? (unsigned)(1600000 / n) : 1;
    uint32_t *worker = malloc((n + 1) * sizeof *worker);
    hs_status st = HS_ENOMEM;

    if (!worker)
        return st;
    st = hsi_split_by_ratio(&best->asking, best->order, places, &best->interrupt, worker,
                            &best->pivot);
    hsi_best_set_member(best, "split", HS_RANK_DEFAULT);
    if (st == HS_OK)
        st = hsi_best_offer_assignment(best, worker);
    if (st == HS_OK)
        hsi_report_add_member(best->report, "split");
    hsi_best_set_member(best, NULL, HS_RANK_DEFAULT);
    free(worker);
    return st;
}

hs_status hsi_portfolio_run_others(hsi_best *best)
{
    hs_settings settings;
    hs_status   st = best->pb.available ? HS_OK : run_split(best);
    size_t      i;

    hs_settings_init(&settings);
    settings.cancel = portfolio_over;
    settings.cancel_data = best;
    settings.available = best->settings->available;
    settings.available_count = best->settings->available_count;
    for (i = 0; i < sizeof members / sizeof *members && st == HS_OK; i++) {
        if (portfolio_over(best) || hsi_best_has_met_gap(best))
            break;
        if (best->pb.n <= members[i].most &&
            (members[i].algorithm->about.supports_available || !best->pb.available))
            st = run_member(best, members[i].algorithm, &settings);
    }
    best->members_done = true;
    return st;
}
