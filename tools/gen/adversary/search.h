/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_GEN_ADVERSARY_SEARCH_H
#define TOOLS_GEN_ADVERSARY_SEARCH_H

#include "gen/adversary/moves.h"

/** The input of a search. */
typedef struct search_request {
    case_limits limits;
    unsigned    cpus, gpus;
    uint64_t    seed;
    uint64_t    iterations; /* number of cases to judge */
    double      seconds;    /* time limit in seconds; INFINITY: no limit */
    uint64_t    stopped_at; /* output: cases judged before a signal; 0: no signal */
} search_request;

/**
 * Search for a case with a bad ratio for the judge's algorithm: rounds of local search, in turn
 * from a random case and from changes of the worst case so far. Equal requests give equal cases,
 * unless the time limit or a signal (common/stop.h) ended the search. After a signal the worst case
 * may have no task.
 */
hs_status search_worst(search_request *request, case_judge *judge, bad_case *worst);

#endif
