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
} search_request;

/**
 * Look for a case on which the judge's algorithm does badly: rounds of local search, by turns from
 * a random case and from changes of the worst so far. The same request, the same case, unless the
 * seconds ended it.
 */
hs_status search_worst(const search_request *request, case_judge *judge, bad_case *worst);

#endif
