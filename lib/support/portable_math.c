/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/portable_math.h"

#include <math.h>

/* log 2 in two parts; a whole number under 2^13 times LOG2_HIGH is exact. */
#define LOG2_HIGH 0x1.62e42fefa2p-1
#define LOG2_LOW  0x1.9ef35793c7673p-41
#define LOG2_INVERSE 0x1.71547652b82fep+0
#define SQRT_HALF 0x1.6a09e667f3bcdp-1

/*
 * Write x = 2^e m with m in [sqrt(1/2), sqrt(2)). With f = m - 1 (exact) and s = f / (2 + f), log m
 * = 2 atanh s = 2s + sR for the series R below. Since 2s = f - sf, log m = f - s(f - R): the
 * rounded part is small compared with f.
 */
double hsi_log(double x)
{
    int    e;
    double m = frexp(x, &e), f, s, z, series;

    if (m < SQRT_HALF) {
        m *= 2;
        e--;
    }
    f = m - 1;
    s = f / (2 + f);
    z = s * s; /* under 0.0295, so the first omitted term is under 2^-57 */
    series = 2.0 / 21;
    series = series * z + 2.0 / 19;
    series = series * z + 2.0 / 17;
    series = series * z + 2.0 / 15;
    series = series * z + 2.0 / 13;
    series = series * z + 2.0 / 11;
    series = series * z + 2.0 / 9;
    series = series * z + 2.0 / 7;
    series = series * z + 2.0 / 5;
    series = series * z + 2.0 / 3;
    series *= z;
    return e * LOG2_HIGH + (f - (s * (f - series) - e * LOG2_LOW));
}

/* Write x = k log 2 + r with |r| < 0.35, and sum the series of e^r; the result is 2^k e^r. */
double hsi_exp(double x)
{
    double k, high, low, r, series = 1;
    int    i;

    if (x != x)
        return x;
    if (x > 710)
        return INFINITY;
    if (x < -746)
        return 0;
    k = floor(x * LOG2_INVERSE + 0.5);
    high = x - k * LOG2_HIGH; /* exact */
    low = k * LOG2_LOW;
    r = high - low;
    for (i = 14; i > 1; i--)
        series = series * r / i + 1;
    /* series is now (e^r - 1) / r */
    return ldexp(1 + (high - (low - r * (series - 1))), (int)k);
}
