/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_ALLOC_SCENARIO_H
#define TESTS_ALLOC_SCENARIO_H

/*
 * Every allocation fails once, and every one from some point on: the call says so,
 * nothing leaks, nothing is half done, and the next call gives what it always gave.
 */

#include <hybridsched/hybridsched.h>

/* Does something, frees all of it, and says what came of it if that is HS_OK. */
typedef hs_status (*scenario)(const void *context, uint64_t *result);

void check_both_ways(const char *name, scenario run, const void *context);

/* An instance with all that rows may have; each step may be tried so often. */
hs_status build(hs_instance **out, int attempts);

#endif
