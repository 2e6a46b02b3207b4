/* SPDX-License-Identifier: BSD-3-Clause */
#include "refine/graph/graph_proof.h"

#include <math.h>
#include <stdlib.h>

#include "algorithm/algorithm.h"
#include "refine/graph/schedule_tree.h"
#include "refine/graph/seeds.h"
#include "refine/target.h"

struct hsi_best_prover {
    hsi_best          *best;
    hsi_schedule_tree *branch;
};

hs_status hsi_best_prover_open(hsi_best *best, hsi_best_prover **out)
{
    hsi_best_prover *prover = calloc(1, sizeof *prover);
    hs_status        st;

    *out = NULL;
    if (!prover)
        return HS_ENOMEM;
    prover->best = best;
    st = hsi_schedule_tree_open(&best->seeds->arcs, &prover->branch);
    if (st != HS_OK) {
        hsi_best_prover_close(prover);
        return st == HS_ETOOBIG ? HS_OK : st;
    }
    hsi_bounds_raise_to(best, hsi_schedule_tree_bound(prover->branch, best->bound, best->makespan),
                        hsi_alg_exact.about.name);
    *out = prover;
    return HS_OK;
}

void hsi_best_prover_close(hsi_best_prover *prover)
{
    if (!prover)
        return;
    hsi_schedule_tree_close(prover->branch);
    free(prover);
}

bool hsi_best_prover_ended(const hsi_best_prover *prover)
{
    return !prover || hsi_schedule_tree_ended(prover->branch);
}

/* Record that no schedule is shorter than the cutoff. */
static void record_refutation(hsi_best *best, double cutoff)
{
    if (best->settings->gap > 0)
        hsi_bounds_raise_to(best, fmin(cutoff, best->makespan), hsi_alg_exact.about.name);
    else
        hsi_bounds_raise_by_refutation(best, nextafter(best->makespan, 0));
}

static hs_status take_found_schedule(hsi_best_prover *prover)
{
    hs_schedule *s = NULL;
    hs_status    st = hsi_schedule_tree_build_found(prover->branch, &s);

    return st == HS_OK ? hsi_best_offer(prover->best, s) : st;
}

hs_status hsi_best_prover_continue(hsi_best_prover *prover, double seconds, uint64_t most_nodes)
{
    hsi_best     *best = prover->best;
    hsi_stop      slice = {hsi_clock_seconds(), 0, best->settings};
    atomic_int    halt = 0;
    hsi_interrupt interrupt = {
        &slice, &halt, true, best->interrupt.report_progress, best->interrupt.report_data, NULL};
    hs_status st = HS_OK;
    uint64_t  done = 0;

    best->phase = "branch and bound";
    slice.end = best->counted ? best->stop.end : fmin(slice.begin + seconds, best->stop.end);
    do {
        double cutoff = hsi_useful_makespan_limit(best->makespan, best->settings->gap,
                                                  hsi_bounds_makespan_grid(best));

        hsi_schedule_tree_continue(prover->branch, cutoff, best->counted ? most_nodes - done : 0,
                                   &interrupt);
        done += hsi_schedule_tree_nodes(prover->branch);
        if (hsi_schedule_tree_has_found(prover->branch))
            st = take_found_schedule(prover);
        if (hsi_schedule_tree_ended(prover->branch))
            record_refutation(best, cutoff);
    } while (st == HS_OK && hsi_schedule_tree_has_found(prover->branch) &&
             (!best->counted || done < most_nodes));
    best->report->iterations += done;
    return st;
}
