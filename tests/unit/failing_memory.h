/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_FAILING_MEMORY_H
#define TESTS_FAILING_MEMORY_H

#include <stddef.h>

/*
 * Memory that is short when a test says so. The linker sends malloc() and its kin here, those
 * of the library's objects and the test's own; see WRAP_MEMORY in the makefile.
 */

/* The next `allocations` succeed, and one fails; all from there on, if so. Negative: none. */
void memory_fails(long allocations, int from_there_on);

/* All succeed again. How many have failed. */
long memory_restored(void);

/* For what is to fail as an allocation does, and is counted as one. */
int allocation_fails(void);

/* Blocks that were not freed, but for those that were had by other ways. */
long memory_blocks(void);

/* The most bytes that were asked for at a time since the last call. */
size_t memory_largest(void);

#endif
