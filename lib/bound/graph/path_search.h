/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_GRAPH_PATH_SEARCH_H
#define HSI_BOUND_GRAPH_PATH_SEARCH_H

#include "bound/graph/flow.h"
#include "core/certificate.h"
#include "solver/path_lp.h"

/*
 * The area LP in which no path through the graph may take longer than T. There are too many paths
 * to write them all down: those are added that the shares of the LP so far make longer than T,
 * until there are none.
 *
 * Paths are not looked for at the LP's own shares, which jump from corner to corner, but halfway
 * from them to the best shares that were seen. What is too long there, for the T halfway, is too
 * long at the LP's too; and if nothing is, that is a better place, with a T that can be had.
 * So the values at both ends close in on each other.
 *
 * Each LP's multipliers prove a value (bound/graph/flow.h): it may be stopped at any time.
 */
typedef struct hsi_path_search {
    const hsi_problem *pb;
    hsi_stop           stop;
    int                jumps; /* paths may jump over what has to be done between their tasks */
    const hsi_flow    *known; /* of a search on the same graph, to begin with its ways; or NULL */
    hsi_arena          arena;
    hsi_path_lp        lp;
    hsi_flow           flow;
    double            *share, *best; /* of tasks on CPUs: halfway, and the best seen */
    double             span;         /* what the best takes; INFINITY: none was seen */
    hsi_between        between;
    hsi_ways           ways;    /* in the shares halfway */
    uint32_t          *step;    /* room for one, */
    hsi_counted       *counted; /* and for its tasks */
    unsigned char     *seen;    /* of vertices: on a path of this round */
    int                limit_reached;
} hsi_path_search;

/* Of a search with the first four and nothing else: what its multipliers prove. */
hs_status hsi_path_search_run(hsi_path_search *s, double *value);
void      hsi_path_search_close(hsi_path_search *s);

/* The multipliers, and the ways on which something flows, as what proves the value. */
hs_status hsi_path_search_keep(const hsi_path_search *s, double value, hs_certificate *c);

#endif
