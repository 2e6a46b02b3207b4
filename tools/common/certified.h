/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_COMMON_CERTIFIED_H
#define TOOLS_COMMON_CERTIFIED_H

#include <hybridsched/schedule.h>

/**
 * Return the lower bound on the makespan that a valid schedule certifies: the largest load of a
 * worker, the exact sum of the times it runs, rounded up. The makespan may lie a little below this
 * load, because each end is rounded to nearest, and above it by idle time. No true lower bound
 * exceeds the load if tasks are independent. O(entries).
 *
 * For a task graph, workers wait: return the makespan if it is larger. Each end is rounded by at
 * most half a unit in the last place, so a true bound may exceed the result by certified_slack().
 */
double certified_makespan(const hs_instance *in, const hs_schedule *s);
double certified_slack(const hs_instance *in, const hs_schedule *s);

/**
 * Return the makespan to print beside a bound: the larger of the makespan and certified_makespan(),
 * with or without idle time. On a graph a true bound may lie above both by the rounding of ends:
 * every schedule takes at least the bound, so the bound is returned.
 */
double certified_time_beside(const hs_instance *in, const hs_schedule *s, double bound);

/** Do the work of certified_time_beside() for a known makespan and a schedule with `entries`
 * entries. */
double certified_makespan_beside(const hs_instance *in, double makespan, size_t entries,
                                 double bound);

/**
 * Check a bound against a valid schedule of `entries` entries with the makespan
 * certified_time_beside() returns. A bound higher by more than the rounding of ends is a defect of
 * this software: print a message with `solved` was solved and the digest of `in`, and return
 * EXIT_WORK. Otherwise return 0. O(1) without a message.
 */
int certified_check_bound(const char *solved, const hs_instance *in, double makespan,
                          size_t entries, const char *bound_name, double bound);

/** Return how far `s` may be from the optimum: its makespan / bound - 1; 0 means optimal. */
double certified_gap(const hs_instance *in, const hs_schedule *s, double bound);

#endif
