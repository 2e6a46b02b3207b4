/* SPDX-License-Identifier: BSD-3-Clause */
/* Proof by branch and price, in slices of one second, until no node below the best schedule is
 * open. */
#include "refine/exact/exact.h"

#include <math.h>

#include "refine/price_tree/price_tree.h"
#include "refine/target.h"

static hs_status search_tree(hsi_exact *pf, hsi_price_tree *tree)
{
    hs_status st = HS_OK;

    while (st == HS_OK && !hsi_exact_is_proved(pf) && !hsi_price_tree_ended(tree) &&
           !hsi_stop_is_due(&pf->stop)) {
        hs_settings     settings = hsi_exact_settings_for_share(pf, 1, 1);
        hsi_stop        slice = hsi_stop_after(&settings, 1);
        const uint32_t *found;

        hsi_exact_report_progress(pf);
        st = hsi_price_tree_continue(
            tree, hsi_useful_makespan_limit(pf->longest, pf->settings->gap, pf->grid), &slice);
        if (st != HS_OK)
            break;
        hsi_exact_raise_bound(pf, fmin(hsi_price_tree_bound(tree), pf->longest), "exact");
        found = hsi_price_tree_found_assignment(tree);
        if (found) {
            st = hsi_exact_apply_verdict(pf, 0, HSI_FOUND, found);
            if (st == HS_OK && !hsi_exact_is_proved(pf)) /* continue the search near the new
                                                            schedule */
                st = hsi_exact_improve_schedule(pf, 0.05, 0.2, 0);
        }
    }
    pf->nodes += hsi_price_tree_nodes(tree);
    return st;
}

hs_status hsi_exact_search_price_tree(hsi_exact *pf)
{
    hsi_price_tree *tree = NULL;
    hs_status       st;

    if (pf->pb.n > HSI_PRICE_TREE_MOST_TASKS)
        return HS_OK;
    st = hsi_price_tree_open(&pf->pb, pf->bound, &tree);
    if (st != HS_OK)
        return st;
    st = search_tree(pf, tree);
    hsi_price_tree_close(tree);
    return st;
}
