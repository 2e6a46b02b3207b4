/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_EXACT_H
#define HSI_SUPPORT_EXACT_H

#include <float.h>
#include <math.h>

/*
 * A sum of doubles with an error bound: the true sum lies within `error` of high + low. A sum that
 * fits in two doubles, e.g. of integers, is exact and has error 0. fma() is correctly rounded
 * everywhere, so the products below are exact up to underflow, which the error includes.
 */
typedef struct hsi_sum {
    double high, low, error;
} hsi_sum;

/* Split a + b into *sum + the return value, exactly. */
static inline double hsi_add_with_error(double a, double b, double *sum)
{
    double s = a + b, bb = s - a;

    *sum = s;
    return (a - (s - bb)) + (b - bb);
}

/* Add numbers >= 0, rounding down. */
static inline double hsi_add_down(double a, double b)
{
    double sum, lost = hsi_add_with_error(a, b, &sum);

    return lost < 0 ? nextafter(sum, 0) : sum;
}

/* Round a rounded sum of numbers >= 0 down: the result is below the exact sum, by at least one
 * rounding error of it. */
static inline double hsi_down(double sum)
{
    return sum * (1 - 0x1.8p-52);
}

static inline void hsi_sum_add(hsi_sum *s, double x)
{
    double low = hsi_add_with_error(s->high, x, &s->high);
    double lost = hsi_add_with_error(s->low, low, &s->low);

    if (lost != 0)
        s->error += fabs(lost) * (1 + DBL_EPSILON);
    if (s->error != 0)
        s->error *= 1 + DBL_EPSILON;
}

static inline void hsi_sum_add_product(hsi_sum *s, double a, double b)
{
    double product = a * b;

    hsi_sum_add(s, product);
    hsi_sum_add(s, fma(a, b, -product));
    if (a != 0 && b != 0 && fabs(product) < 0x1p-900 && a != floor(a) && b != floor(b))
        s->error += 0x1p-1070; /* the product's low part may have underflowed */
}

static inline void hsi_sum_add_sum_times(hsi_sum *s, const hsi_sum *other, double factor)
{
    hsi_sum_add_product(s, other->high, factor);
    hsi_sum_add_product(s, other->low, factor);
    s->error += other->error * fabs(factor) * (1 + 4 * DBL_EPSILON);
}

/* Return true if the true sum is certainly >= 0. */
static inline bool hsi_sum_surely_nonnegative(const hsi_sum *s)
{
    double high, low = hsi_add_with_error(s->high, s->low, &high);

    if (s->error == 0)
        return high > 0 || (high == 0 && low >= 0);
    return high > 0 && high * (1 - 4 * DBL_EPSILON) > s->error * (1 + 8 * DBL_EPSILON);
}

/* Return true if the true sum is certainly > 0. */
static inline bool hsi_sum_surely_positive(const hsi_sum *s)
{
    double high, low = hsi_add_with_error(s->high, s->low, &high);

    return s->error == 0 ? high > 0 || (high == 0 && low > 0) : hsi_sum_surely_nonnegative(s);
}

/* Return a double certainly <= numerator / denominator: the largest, or nearly. */
static inline double hsi_divide_down(const hsi_sum *numerator, const hsi_sum *denominator)
{
    double quotient = (numerator->high + numerator->low) / (denominator->high + denominator->low);
    double step = 0;
    int    units = 5;

    /* Three roundings cause an error of at most two units in either direction: begin above. */
    quotient = nextafter(nextafter(quotient, INFINITY), INFINITY);
    while (quotient > 0) {
        hsi_sum rest = *numerator;

        hsi_sum_add_sum_times(&rest, denominator, -quotient);
        if (hsi_sum_surely_nonnegative(&rest))
            return quotient;
        quotient = fmin(nextafter(quotient, 0), quotient * (1 - step));
        if (--units < 0)
            step = 2 * step + DBL_EPSILON;
    }
    return 0;
}

static inline double hsi_divide_down_by(const hsi_sum *numerator, double denominator)
{
    hsi_sum d = {denominator, 0, 0};

    return hsi_divide_down(numerator, &d);
}

#endif
