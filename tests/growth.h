/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_GROWTH_H
#define TESTS_GROWTH_H

#include <stdbool.h>

/*
 * Detection of leaks by growth: a test measures an amount, such as resident memory, GROWTH_LOOKS
 * times, with equal work between two measurements. A leak grows in most steps; memory that a driver
 * or an allocator makes once and keeps grows in few.
 */
enum { GROWTH_LOOKS = 11 };

/* Return the median of the steps between measurements. */
long growth_median_step(const long looks[GROWTH_LOOKS]);

/* Call growth_begin() at the start of the program, and growth_trim_heap() before each measurement
 * of resident memory: malloc then returns free memory to the system. */
void growth_begin(void);
void growth_trim_heap(void);

/* Return true if freed memory leaves the measured amount; sanitizers keep freed memory. */
bool growth_counts_memory(void);

#endif
