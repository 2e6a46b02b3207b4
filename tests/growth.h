/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_GROWTH_H
#define TESTS_GROWTH_H

/*
 * What there was of something, looked at again and again with as much work in between. What is
 * made once and kept, by a driver or an allocator, is there in few of the steps, whenever that
 * is; a leak is there in most of them.
 */
enum { GROWTH_LOOKS = 11 };

/* The median of the steps. */
long growth_by_step(const long looks[GROWTH_LOOKS]);

/* Before all else, and before resident memory is looked at: malloc gives back what it can. */
void growth_begin(void);
void growth_trim(void);

/* Is there less memory where some was freed? Sanitizers keep it. */
int growth_counts_memory(void);

#endif
