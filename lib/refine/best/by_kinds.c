/* SPDX-License-Identifier: BSD-3-Clause */
/* `best` for tasks of few kinds: close the gap from both sides before annealing. Small
 * factorisations are proved optimal here within milliseconds. */
#include <stdlib.h>

#include "refine/best/best.h"
#include "refine/kinds_gap.h"

/* share of the time or iterations; the rest is for annealing */
static const double part = 0.5;

/* Set the multipliers of the gap search: those of the configuration bound, if its time is not
 * counted, and of the area bound. */
static hs_status set_multipliers(hsi_best *best, hsi_kinds_gap *gap)
{
    double   *worth = malloc(best->pb.n * sizeof *worth);
    int       known = 0;
    hs_status st;

    if (!worth)
        return HS_ENOMEM;
    st = hsi_bounds_compute_worths(best, part / 2 * hsi_stop_seconds_left(&best->stop), worth,
                                   &known);
    if (known)
        hsi_kinds_gap_set_multipliers(gap, worth);
    hsi_worths_of_pivot(&best->pb, best->pivot, worth);
    hsi_kinds_gap_set_multipliers(gap, worth);
    free(worth);
    return st;
}

static hs_status test_all_targets(hsi_best *best, hsi_kinds_gap *gap)
{
    hsi_stop  slice = best->stop;
    uint64_t  most = (uint64_t)(part * (double)best->settings->iterations);
    hs_status st = HS_OK;

    if (!best->counted)
        slice.end = hsi_clock_seconds() + part * hsi_stop_seconds_left(&best->stop);
    while (st == HS_OK && !hsi_kinds_gap_ended(gap) && hsi_best_may_continue(best) &&
           (best->counted ? best->report->iterations < most : !hsi_stop_is_due(&slice))) {
        hsi_kinds_gap_answer answer;
        uint64_t       left = best->counted ? most - best->report->iterations : 0;

        st = hsi_kinds_gap_test_target(gap, best->bound, hsi_best_certified_makespan(best), left,
                                       &slice, &answer);
        if (st != HS_OK)
            break;
        best->report->iterations += answer.nodes;
        if (answer.verdict == HSI_REFUTED)
            hsi_bounds_raise_by_refutation(best, answer.target);
        if (answer.verdict == HSI_FOUND)
            st = hsi_best_offer_assignment(best, answer.worker);
    }
    return st;
}

hs_status hsi_best_search_by_kinds(hsi_best *best)
{
    hsi_kinds_gap *gap = NULL;
    hs_status      st = hsi_kinds_gap_open(&best->asking, best->settings->gap, &gap);

    if (st == HS_ETOOBIG)
        return HS_OK;
    if (st != HS_OK)
        return st;
    best->phase = "search by kinds";
    st = set_multipliers(best, gap);
    if (st == HS_OK)
        st = test_all_targets(best, gap);
    hsi_kinds_gap_close(gap);
    return st;
}
