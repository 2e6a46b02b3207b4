/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_ALLOC_SCENARIO_H
#define TESTS_ALLOC_SCENARIO_H

/*
 * Scenarios with failing allocations: each allocation fails once alone, and once with every later
 * allocation. The call returns HS_ENOMEM or its usual result, leaks no memory, and a repeated call
 * gives the usual result.
 */

#include <hybridsched/hybridsched.h>

/* Run a library call and free all its memory; on HS_OK set *result to a digest of the outcome. */
typedef hs_status (*scenario)(const void *context, uint64_t *result);

/* Check a scenario in both ways; `name` appears in messages. */
void check_single_and_lasting_failures(const char *name, scenario run, const void *context);

/* Build an instance with every optional member of rows; make up to `attempts` attempts at each step
 * that fails with HS_ENOMEM. */
hs_status build(hs_instance **out, int attempts);

#endif
