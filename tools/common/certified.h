/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_COMMON_CERTIFIED_H
#define TOOLS_COMMON_CERTIFIED_H

#include <hybridsched/schedule.h>

/**
 * What a valid schedule proves of the optimum: the largest load of a worker, as
 * the exact sum of the times it runs, rounded up. The makespan may lie a little
 * below it, because each end is rounded to nearest, and above it by idle time.
 * No true lower bound exceeds it. O(entries).
 *
 * Where tasks depend on each other, workers wait: then it is the makespan, if that is larger. Its
 * ends are rounded, each by at most half a unit: a true bound may exceed it by certified_slack().
 */
double certified_makespan(const hs_instance *in, const hs_schedule *s);
double certified_slack(const hs_instance *in, const hs_schedule *s);

/**
 * What to print as the makespan beside a bound: the larger of the two, which no true lower bound
 * exceeds, idle time or not. On a graph a true bound may lie above both by the rounding of ends:
 * then each schedule takes that at least, this one too, and it is printed.
 */
double certified_time(const hs_instance *in, const hs_schedule *s, double bound);

/** The same of a makespan that is known, of a schedule that has so many entries. */
double certified_beside(const hs_instance *in, double makespan, size_t entries, double bound);

/**
 * Hold a bound against a valid schedule that takes `makespan`, as certified_time() has it, and has
 * so many entries. A bound that is higher by more than the rounding of ends is a defect of this
 * software: then EXIT_WORK after a message that names `what` was solved and the digest of `in`.
 * Else 0. O(1) unless there is a message.
 */
int certified_check_bound(const char *what, const hs_instance *in, double makespan, size_t entries,
                          const char *name, double bound);

/** How far `s` may be from the optimum: what it takes over `bound`, less 1; 0: it is optimal. */
double certified_gap(const hs_instance *in, const hs_schedule *s, double bound);

#endif
