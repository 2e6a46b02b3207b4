/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_PROPERTY_EXACT_H
#define TEST_PROPERTY_EXACT_H

#include <stdint.h>

/*
 * Sums of doubles >= 0 without any rounding: a whole number of 2^-1074, least
 * significant limb first, with room for 2^60 of the largest double.
 */
enum { EXACT_LIMBS = 34 };

typedef struct exact {
    uint64_t limb[EXACT_LIMBS];
} exact;

void exact_add(exact *sum, double x);

/* Sign of a - b. */
int exact_compare(const exact *a, const exact *b);
int exact_compare_double(const exact *a, double b);

#endif
