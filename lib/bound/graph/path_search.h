/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_GRAPH_PATH_SEARCH_H
#define HSI_BOUND_GRAPH_PATH_SEARCH_H

#include "bound/graph/flow.h"
#include "core/certificate.h"
#include "glpk/path_lp.h"

/*
 * The area LP with the constraint that no path through the graph takes longer than T. The graph has
 * too many paths to list, so the search adds paths that the shares of the current LP make longer
 * than T, until none is.
 *
 * The search looks for paths halfway between the best shares so far and the LP's shares, since the
 * LP's jump from corner to corner. A path that is too long halfway, for the T halfway, is too long
 * at the LP's shares as well; and if no path is too long, the point halfway is better than the best
 * one, with a feasible T. So lower and upper value approach each other.
 *
 * The multipliers of each LP prove a value (bound/graph/flow.h), so the search can stop at any
 * time.
 */
typedef struct hsi_path_search {
    const hsi_problem *pb;
    hsi_stop           stop;
    bool               jumps; /* whether paths may jump over the work between two tasks */
    const hsi_flow    *known; /* flow of an earlier search on the same graph, whose paths start the
                                 LP; NULL: none */
    hsi_arena         arena;
    hsi_path_lp       lp;
    hsi_flow          flow;
    double            *share, *best; /* shares of tasks on CPUs: between the best shares and the
                                        LP's; the best so far */
    double             span;         /* makespan of the shares `best`; INFINITY: no shares yet */
    hsi_tasks_between  between;
    hsi_longest_paths paths;   /* longest paths at the shares halfway */
    uint32_t          *step;    /* scratch memory: steps of a path */
    hsi_counted       *counted; /* scratch memory: tasks of a path */
    unsigned char     *seen;    /* marks of the vertices on a path added in this round */
    bool              limit_reached;
} hsi_path_search;

/* Run a search with the first four fields set and the others 0. *value: the value that its
 * multipliers prove. Call hsi_path_search_close() in any case. */
hs_status hsi_path_search_run(hsi_path_search *s, double *value);
void      hsi_path_search_close(hsi_path_search *s);

/* Store the multipliers and the paths with a flow as the proof of the value in the certificate. */
hs_status hsi_path_search_certify(const hsi_path_search *s, double value, hs_certificate *c);

#endif
