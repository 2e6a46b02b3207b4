/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `best` on tasks of few kinds: the gap is searched from both sides before anything is
 * annealed. Small factorisations end here, with a proof, in milliseconds.
 */
#include <math.h>
#include <stdlib.h>

#include "core/report.h"
#include "refine/search.h"
#include "refine/best/squeeze.h"
#include "refine/best/target.h"

/* Of the time, or of the iterations; annealing has what is left. */
static const double share = 0.5;

/* The multipliers of two bounds, as far as one may be computed whose time is not counted. */
static hs_status value(hsi_search *search, hsi_squeeze *sq)
{
    double   *worth = malloc(search->pb.n * sizeof *worth);
    hs_status st = HS_OK;

    if (!worth)
        return HS_ENOMEM;
    if (hsi_lower_promises(search)) {
        st = hsi_lower_value(search, share / 2 * hsi_stop_left(&search->stop), worth);
        hsi_squeeze_value(sq, worth);
    }
    hsi_area_worth(&search->pb, search->pivot, worth);
    hsi_squeeze_value(sq, worth);
    free(worth);
    return st;
}

static double last_target(const hsi_search *search)
{
    return hsi_last_target(hsi_certified_makespan(search->in, search->found),
                           search->settings->gap, 0);
}

static hs_status learn(hsi_search *search, hsi_squeeze *sq, const hsi_squeeze_answer *answer)
{
    double    before = hsi_certified_makespan(search->in, search->found);
    hs_status st;

    search->report->iterations += answer->nodes;
    if (answer->verdict == HSI_REFUTED)
        hsi_lower_refuted(search, answer->target);
    if (answer->verdict != HSI_FOUND)
        return HS_OK;
    st = hsi_search_offer_exact(search, answer->worker);
    if (st == HS_OK && hsi_certified_makespan(search->in, search->found) >= before)
        hsi_squeeze_vain(sq);
    return st;
}

static int is_over(const hsi_search *search, const hsi_squeeze *sq, const hsi_stop *slice,
                   uint64_t most)
{
    return hsi_squeeze_ended(sq) || hsi_search_met(search) || hsi_watch_ends(&search->watch) ||
           (search->counted ? search->report->iterations >= most : hsi_stop_now(slice));
}

static hs_status ask_all(hsi_search *search, hsi_squeeze *sq)
{
    hsi_stop  slice = search->stop;
    uint64_t  most = (uint64_t)(share * (double)search->settings->iterations);
    hs_status st = HS_OK;

    if (!search->counted)
        slice.end = hsi_now() + share * hsi_stop_left(&search->stop);
    while (st == HS_OK && !is_over(search, sq, &slice, most)) {
        hsi_squeeze_answer answer;
        uint64_t           left = search->counted ? most - search->report->iterations : 0;

        st = hsi_squeeze_ask(sq, search->bound, last_target(search), left, &slice, &answer);
        if (st == HS_OK)
            st = learn(search, sq, &answer);
    }
    return st;
}

hs_status hsi_narrow(hsi_search *search)
{
    hsi_squeeze *sq = NULL;
    hs_status    st = hsi_squeeze_open(&search->pb, &sq);

    if (st == HS_ETOOBIG)
        return HS_OK;
    if (st != HS_OK)
        return st;
    search->phase = "search by kinds";
    st = value(search, sq);
    if (st == HS_OK)
        st = ask_all(search, sq);
    hsi_squeeze_close(sq);
    return st;
}
