/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_GRAPH_PLACES_AIMS_H
#define HSI_REFINE_GRAPH_PLACES_AIMS_H

#include <hybridsched/schedule.h>

#include "core/graph/arcs.h"
#include "refine/refine.h"

/*
 * Branch and bound over places (place_tree.h) below a cutoff that is an aim between the bound and
 * the makespan of the best schedule. A low aim closes many places, so that few nodes remain: it
 * leads to a much shorter schedule, or its refutation raises the bound. An aim that takes more than
 * a number of steps gives way to a higher one; after the highest, the first returns, with twice the
 * number of steps.
 */
typedef struct hsi_place_aims hsi_place_aims;

/* Create a search of the graph in `arcs`. HS_ETOOBIG: see place_model.h. */
hs_status hsi_place_aims_open(const hsi_arcs *arcs, hsi_place_aims **out);
void      hsi_place_aims_close(hsi_place_aims *aims);

/* One call of the search. */
typedef struct hsi_aims_run {
    uint64_t     steps;    /* limit of the steps, each an application of rules */
    double       bound;    /* no schedule is shorter; out: raised by refutation */
    double       makespan; /* makespan of the best schedule */
    uint64_t     made;     /* out: steps made */
    hs_schedule *found;    /* out: a shorter schedule, or NULL; the caller owns it */
} hsi_aims_run;

/* Return true if there is a gap for aims; a smaller one is left to a search below the makespan. */
static inline bool hsi_has_aims(double bound, double makespan)
{
    return makespan - bound > 1e-6 * makespan;
}

/* Continue the search until an aim is refuted, a schedule found, the steps are made or `interrupt`
 * stops it, or there is no gap for aims. HS_ENOMEM: the search must not continue. */
hs_status hsi_place_aims_continue(hsi_place_aims *aims, hsi_aims_run *run,
                                  const hsi_interrupt *interrupt);

#endif
