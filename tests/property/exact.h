/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_PROPERTY_EXACT_H
#define TEST_PROPERTY_EXACT_H

#include <stdint.h>

/*
 * Exact sums of doubles >= 0: an integer multiple of 2^-1074, least significant limb first, with
 * room for 2^60 times the largest double.
 */
enum { EXACT_LIMBS = 34 };

typedef struct exact {
    uint64_t limb[EXACT_LIMBS];
} exact;

void exact_add(exact *sum, double x);

/* Return the sign of a - b. */
int exact_compare(const exact *a, const exact *b);
int exact_compare_double(const exact *a, double b);

#endif
