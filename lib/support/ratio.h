/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_RATIO_H
#define HSI_SUPPORT_RATIO_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* A positive finite double as mantissa x 2^exponent, with bit 52 of the mantissa set. */
typedef struct hsi_parts {
    uint64_t mantissa;
    int      exponent;
} hsi_parts;

static inline hsi_parts hsi_double_parts(double x)
{
    hsi_parts parts;
    uint64_t  bits;

    memcpy(&bits, &x, sizeof bits);
    parts.mantissa = bits & (((uint64_t)1 << 52) - 1);
    parts.exponent = (int)(bits >> 52);
    if (parts.exponent) {
        parts.mantissa |= (uint64_t)1 << 52;
    } else { /* subnormal number */
        int shift = __builtin_clzll(parts.mantissa) - 11;

        parts.mantissa <<= shift;
        parts.exponent = 1 - shift;
    }
    return parts;
}

/* Return the sign of a*b - c*d, exactly; all four are positive and finite. */
static inline int hsi_compare_products(double a, double b, double c, double d)
{
    hsi_parts   pa = hsi_double_parts(a), pb = hsi_double_parts(b);
    hsi_parts   pc = hsi_double_parts(c), pd = hsi_double_parts(d);
    __uint128_t left = (__uint128_t)pa.mantissa * pb.mantissa;
    __uint128_t right = (__uint128_t)pc.mantissa * pd.mantissa;
    int         left_exponent = pa.exponent + pb.exponent;
    int         right_exponent = pc.exponent + pd.exponent;

    /* Both products have their top bit at 104 or 105. */
    if (left_exponent != right_exponent) {
        if (left_exponent > right_exponent + 1)
            return 1;
        if (right_exponent > left_exponent + 1)
            return -1;
        if (left_exponent > right_exponent)
            left <<= 1;
        else
            right <<= 1;
    }
    return left > right ? 1 : left < right ? -1 : 0;
}

/*
 * Return the sign of p1/q1 - p2/q2, exactly. At most one of p and q of a task is infinite: q =
 * INFINITY makes the ratio 0, p = INFINITY makes it infinite.
 */
static inline int hsi_compare_ratios(double p1, double q1, double p2, double q2)
{
    if (isinf(p1) || isinf(p2))
        return (isinf(p1) != 0) - (isinf(p2) != 0);
    if (isinf(q1) || isinf(q2))
        return (isinf(q2) != 0) - (isinf(q1) != 0);
    return hsi_compare_products(p1, q2, p2, q1);
}

#endif
