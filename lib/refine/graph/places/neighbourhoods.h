/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_GRAPH_PLACES_NEIGHBOURHOODS_H
#define HSI_REFINE_GRAPH_PLACES_NEIGHBOURHOODS_H

#include <hybridsched/schedule.h>

#include "core/graph/arcs.h"
#include "refine/refine.h"
#include "support/random.h"

/*
 * Search of large neighbourhoods of a schedule on a graph with transfer times. A neighbourhood
 * frees some tasks: connected ones, those of a time window, or random ones. The other tasks keep
 * their places and mostly their order, and branch and bound over places (place_tree.h) looks for a
 * shorter schedule, in a limited number of steps. Neighbourhoods grow while they are searched
 * completely, and shrink otherwise.
 */
typedef struct hsi_neighbourhoods hsi_neighbourhoods;

/* Create a search of the graph in `arcs`. HS_ETOOBIG: see place_model.h. */
hs_status hsi_neighbourhoods_open(const hsi_arcs *arcs, hsi_neighbourhoods **out);
void      hsi_neighbourhoods_close(hsi_neighbourhoods *search);

typedef struct hsi_neighbourhood_run {
    uint64_t steps;  /* steps to make, each an application of rules; 0: run until `end` */
    double   end;    /* time of hsi_clock_seconds(), used if steps = 0 */
    double   enough; /* makespan that ends the run */
    uint64_t made;   /* out: steps made */
} hsi_neighbourhood_run;

/* Begin with a complete schedule without aborted entries. */
void hsi_neighbourhoods_begin(hsi_neighbourhoods *search, const hs_schedule *s);

/* Search from the schedule of hsi_neighbourhoods_begin(). *found is a shorter one or NULL; the
 * caller owns it. HS_ENOMEM. */
hs_status hsi_neighbourhoods_run(hsi_neighbourhoods *search, hsi_random *random,
                                 hsi_neighbourhood_run *run, const hsi_interrupt *interrupt,
                                 hs_schedule **found);

#endif
