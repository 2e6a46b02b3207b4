/* SPDX-License-Identifier: BSD-3-Clause */
/* Proof for tasks of few kinds: close the gap from both sides (kinds_gap.h). */
#include <stdlib.h>

#include "config.h"
#include "refine/exact/exact.h"
#include "refine/kinds_gap.h"

static hs_status test_targets(hsi_exact *pf, hsi_kinds_gap *gap)
{
    hs_status st = HS_OK;

    while (st == HS_OK && !hsi_exact_is_proved(pf) && !hsi_kinds_gap_ended(gap) &&
           !hsi_stop_is_due(&pf->stop)) {
        hsi_kinds_gap_answer answer;

        hsi_exact_report_progress(pf);
        st = hsi_kinds_gap_test_target(gap, pf->bound, pf->longest, 0, &pf->stop, &answer);
        if (st != HS_OK)
            break;
        pf->nodes += answer.nodes;
        st = hsi_exact_apply_verdict(pf, answer.target, answer.verdict, answer.worker);
    }
    return st;
}

hs_status hsi_exact_search_by_kinds(hsi_exact *pf)
{
    hsi_kinds_gap *gap = NULL;
    double        *value = malloc((pf->pb.n + 1) * sizeof *value);
    hs_status      st = value ? hsi_kinds_gap_open(&pf->pb, pf->settings->gap, &gap) : HS_ENOMEM;
#ifdef HAVE_GLPK
    int found = 0;

    if (st == HS_OK)
        st = hsi_exact_worths_by_configuration(pf, value, &found);
    if (found)
        hsi_kinds_gap_set_multipliers(gap, value);
#endif
    if (st == HS_OK)
        st = hsi_exact_worths_by_area(pf, value);
    if (st == HS_OK) {
        hsi_kinds_gap_set_multipliers(gap, value);
        st = test_targets(pf, gap);
    }
    hsi_kinds_gap_close(gap);
    free(value);
    return st == HS_ETOOBIG ? HS_OK : st;
}
