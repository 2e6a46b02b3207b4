/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CERTIFY_H
#define TOOLS_CERTIFY_H

#include <hybridsched/schedule.h>

/**
 * What a valid schedule proves of the optimum: the largest load of a worker, as
 * the exact sum of the times it runs, rounded up. The makespan may lie a little
 * below it, because each end is rounded to nearest, and above it by idle time.
 * No true lower bound exceeds it. O(entries).
 */
double certified_makespan(const hs_instance *in, const hs_schedule *s);

/** How far `s` may be from the optimum: what it takes over `bound`, less 1; 0: it is optimal. */
double certified_gap(const hs_instance *in, const hs_schedule *s, double bound);

#endif
