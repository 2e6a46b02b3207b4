/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_PROPERTY_FRACTION_H
#define TEST_PROPERTY_FRACTION_H

#include <math.h>
#include <stdint.h>

/* An exact number >= 0; both parts are below 2^40. denominator 0: infinite. */
typedef struct fraction {
    int64_t numerator, denominator;
} fraction;

/* Return the sign of a - b; at most one of a and b may be infinite. */
static inline int fraction_compare(fraction a, fraction b)
{
    __int128_t left = (__int128_t)a.numerator * b.denominator;
    __int128_t right = (__int128_t)b.numerator * a.denominator;

    return left < right ? -1 : left > right;
}

/* Return the sign of a - x, for a finite a and for x = 0 or x in [2^-20, 2^40]. */
static inline int fraction_compare_double(fraction a, double x)
{
    int        exponent;
    __int128_t mantissa = (__int128_t)ldexp(frexp(x, &exponent), 53);
    __int128_t left = a.numerator, right = mantissa * a.denominator;

    /* compare a.numerator * 2^(53 - exponent) with mantissa * a.denominator */
    if (mantissa == 0)
        return a.numerator > 0;
    left <<= 53 - exponent;
    return left < right ? -1 : left > right;
}

#endif
