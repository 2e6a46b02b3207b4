/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/run.h"
#include "refine/search.h"

/*
 * The members after heteroprio, quick ones first. `most`: tasks beyond which one
 * is not tried, as it would take the time that levelling makes better use of.
 */
static const struct member {
    const hs_algorithm *algorithm;
    size_t              most;
} members[] = {
    {&hsi_alg_heteroprio_ns, 1000000},   {&hsi_alg_balanced_estimate, 1000000},
    {&hsi_alg_clb2c, 300000},            {&hsi_alg_lpt, 300000},
    {&hsi_alg_heft, 300000},             {&hsi_alg_heft_min, 300000},
    {&hsi_alg_dualhp, 100000},           {&hsi_alg_dada, 100000},
    {&hsi_alg_balanced_makespan, 30000},
};

static void list(hs_report *report, const char *name)
{
    size_t used = strlen(report->members);

    if (used + strlen(name) + 2 <= sizeof report->members)
        snprintf(report->members + used, sizeof report->members - used, "%s%s", used ? "," : "",
                 name);
}

/* A part of the time is for the portfolio; a member that asks is told when it is over. */
static int portfolio_over(void *data)
{
    hsi_search *search = data;

    return hsi_watch_ends(&search->watch) ||
           (!search->counted && hsi_stop_elapsed(&search->stop) >
                                    0.3 * (search->stop.end - search->stop.begin));
}

static hs_status run_member(hsi_search *search, const hs_algorithm *alg,
                            const hs_settings *settings)
{
    hs_schedule *s = NULL;
    hs_status    st = hsi_run(alg, search->in, settings, &s);

    if (st == HS_ECANCELED)
        return HS_OK;
    if (st != HS_OK)
        return st;
    list(search->report, alg->name);
    return hsi_search_offer(search, s);
}

hs_status hsi_portfolio_first(hsi_search *search)
{
    hs_settings settings;

    hs_settings_init(&settings);
    return run_member(search, &hsi_alg_heteroprio, &settings);
}

static hs_status run_split(hsi_search *search)
{
    size_t    n = search->pb.n;
    unsigned  places = n < 20000 ? 81 : n < 1000000 ? (unsigned)(1600000 / n) : 1;
    uint32_t *worker = malloc((n + 1) * sizeof *worker);
    hs_status st = HS_ENOMEM;

    if (!worker)
        return st;
    st = hsi_split(&search->pb, search->order, places, &search->watch, worker, &search->pivot);
    if (st == HS_OK)
        st = hsi_search_offer_assignment(search, worker);
    if (st == HS_OK)
        list(search->report, "split");
    free(worker);
    return st;
}

hs_status hsi_portfolio_rest(hsi_search *search)
{
    hs_settings settings;
    hs_status   st = run_split(search);
    size_t      i;

    hs_settings_init(&settings);
    settings.cancel = portfolio_over;
    settings.cancel_data = search;
    for (i = 0; i < sizeof members / sizeof *members && st == HS_OK; i++) {
        if (portfolio_over(search) || hsi_search_met(search))
            break;
        if (search->pb.n <= members[i].most)
            st = run_member(search, members[i].algorithm, &settings);
    }
    return st;
}
