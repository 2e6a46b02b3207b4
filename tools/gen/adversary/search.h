/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_GEN_ADVERSARY_SEARCH_H
#define TOOLS_GEN_ADVERSARY_SEARCH_H

#include "gen/adversary/moves.h"

/** What a search is given. */
typedef struct search_request {
    case_limits limits;
    unsigned    cpus, gpus;
    uint64_t    seed;
    uint64_t    iterations; /* cases to judge */
    double      seconds;    /* INFINITY: no limit */
    uint64_t    stopped_at; /* set by the search: cases that were judged until a signal; 0: none */
} search_request;

/**
 * Look for a case on which the judge's algorithm does badly: rounds of local search, by turns from
 * a random case and from changes of the worst so far. The same request, the same case, unless the
 * seconds or a signal (common/stop.h) ended it. After a signal the worst case may have no task.
 */
hs_status search_worst(search_request *request, case_judge *judge, bad_case *worst);

#endif
