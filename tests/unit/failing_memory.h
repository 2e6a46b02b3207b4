/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_FAILING_MEMORY_H
#define TESTS_FAILING_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Allocations that fail on request. The linker redirects malloc(), free() and related functions of
 * the library and of the test to these functions; see WRAP_MEMORY in the makefile.
 */

/* Let the next `allocations` allocations succeed, then one fail, or all if `from_there_on` is 1.
 * Negative: no allocation fails. */
void memory_fail_after(long allocations, int from_there_on);

/* End the failures. Return the number of failed allocations. */
long memory_stop_failing(void);

/* Count an allocation and return true if it must fail, for a wrapper of another function. */
bool allocation_fails(void);

/* Return the number of blocks allocated here and not yet freed. */
long memory_live_blocks(void);

/* Return the size in bytes of the largest requested block since the last call. */
size_t memory_largest_request(void);

/* Return the sum of the sizes of all requests so far. */
size_t memory_requested(void);

#endif
