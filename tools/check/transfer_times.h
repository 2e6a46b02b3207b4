/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_TRANSFER_TIMES_H
#define TOOLS_CHECK_TRANSFER_TIMES_H

#include <hybridsched/hybridsched.h>

#include "check/limits.h"

/** The links of an instance, and the data that its graph moves. */
typedef struct transfer_times {
    const hs_instance *in;
    const hs_graph    *g;
    bool               has[HS_LINKS];
    double             latency[HS_LINKS], bandwidth[HS_LINKS]; /* bandwidth: bytes per second */
    double             second;                                 /* units of time per second */
} transfer_times;

/** Read the links. HS_ENOMEM: the graph could not be built. */
hs_status transfer_times_open(transfer_times *t, const hs_instance *in);

/** Return the time of a transfer of `bytes` from a worker of the other type to `type`. */
double transfer_time_to(const transfer_times *t, int type, double bytes);

/** Set *bytes to the largest piece of data that a task directly passes to a later one, perhaps 0;
 * return false beyond the limits. */
bool transfer_bytes(const transfer_times *t, uint32_t from, uint32_t to, limits *l, double *bytes);

/** Return the earliest time at which all inputs of a task that no task has written can be in one
 * memory of a type. */
double transfer_first_arrival(const transfer_times *t, uint32_t task, int type);

#endif
