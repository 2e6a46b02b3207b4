/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Writing numbers. Doubles are written by R. Giulietti's Schubfach ("The Schubfach way to render
 * doubles", 2022). Consider the interval that rounds to a double: at the power of ten just below
 * its width it contains decimals, and at ten times this power at most one. 128 bits of the power of
 * ten suffice to decide.
 */

#include "support/decimal/decimal.h"

#include <stdbool.h>
#include <string.h>

#include "support/decimal/powers.h"

#define HIDDEN_BIT ((uint64_t)1 << 52)
#define EXPONENT_FIELD 0x7ff

/* number of digits of the largest integer */
#define MAX_DIGITS 20

/* limits of plain notation: 10^MIN_PLAIN <= |value| < 10^(MAX_PLAIN + 1) */
#define MIN_PLAIN (-5)
#define MAX_PLAIN 16

static char *write_integer(char *p, uint64_t value)
{
    char text[MAX_DIGITS], *first = text + MAX_DIGITS;

    do
        *--first = (char)('0' + value % 10);
    while (value /= 10);
    memcpy(p, first, (size_t)(text + MAX_DIGITS - first));
    return p + (text + MAX_DIGITS - first);
}

/* Terminate the number with NUL and return its length. */
static inline size_t copy_to_front(const char *buffer, char *end)
{
    *end = '\0';
    return (size_t)(end - buffer);
}

size_t hsi_decimal_write_u64(uint64_t value, char buffer[HSI_DECIMAL_MAX])
{
    return copy_to_front(buffer, write_integer(buffer, value));
}

size_t hsi_decimal_write_i64(int64_t value, char buffer[HSI_DECIMAL_MAX])
{
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

    buffer[0] = '-';
    return copy_to_front(buffer, write_integer(buffer + (value < 0), magnitude));
}

/* the number digits * 10^exponent; the digits may end in zeros */
typedef struct decimal {
    uint64_t digits;
    int      exponent;
} decimal;

/*
 * Return floor(x * power / 2^128), with the lowest bit set for a nonzero remainder. The power is
 * rounded up, which adds less than 2^64 to the product, so an exact quotient still has a middle
 * word of 0. Any other remainder is far enough from 0 and from 2^128: neither the middle word
 * becomes 0 nor the quotient changes. The only exception over all doubles, 8887055249355788 *
 * 2^664, has the bit set anyway.
 */
static inline uint64_t multiply_sticky(hsi_ten_power power, uint64_t x)
{
    __uint128_t low = (__uint128_t)x * power.low;
    __uint128_t product = (__uint128_t)x * power.high + (uint64_t)(low >> 64);

    return (uint64_t)(product >> 64) | ((uint64_t)product != 0);
}

/*
 * Find the shortest decimal. The interval and the double are measured in quarters of 10^exponent,
 * so the interval's ends and the midpoint of two decimals are integers.
 */
static inline decimal shortest_decimal(uint64_t significand, int exponent, bool is_power_of_two)
{
    /* floor(log10(w)) of the interval's width w: 2^exponent, or 3/4 of it */
    int           k = (exponent * 1262611 - (is_power_of_two ? 524031 : 0)) >> 22;
    int           shift = exponent + hsi_power_of_ten_log2(-k) + 1;
    hsi_ten_power power = *hsi_power_of_ten(-k);
    uint64_t odd = significand & 1; /* for an odd significand the ends round to the neighbours */
    uint64_t lower, middle, upper, s, tens;
    bool     below, above;

    power.high += ++power.low == 0; /* round up; harmless if exact */
    lower = multiply_sticky(power, (4 * significand - (is_power_of_two ? 1 : 2)) << shift) + odd;
    middle = multiply_sticky(power, 4 * significand << shift);
    upper = multiply_sticky(power, (4 * significand + 2) << shift) - odd;

    s = middle / 4;
    tens = s / 10 * 10;
    below = lower <= 4 * tens;
    above = 4 * (tens + 10) <= upper;
    if (below != above)
        return (decimal){above ? tens + 10 : tens, k};
    below = lower <= 4 * s;
    above = 4 * (s + 1) <= upper;
    if (below == above)
        above = middle % 4 + (s & 1) > 2; /* choose the nearer one, on a tie the even one */
    return (decimal){s + above, k};
}

/* Write `count` digits with a point after the first `whole`, 0 < whole; zeros fill up the digits
 * before the point, and the point is omitted at the end. */
static char *write_with_point(char *p, const char *digits, int count, int whole)
{
    int before = count < whole ? count : whole;

    memcpy(p, digits, (size_t)before);
    memset(p + before, '0', (size_t)(whole - before));
    p += whole;
    if (count <= whole)
        return p;
    *p++ = '.';
    memcpy(p, digits + whole, (size_t)(count - whole));
    return p + count - whole;
}

/* Write a decimal other than 0. */
static char *write_decimal(char *p, decimal d)
{
    char text[MAX_DIGITS];
    int  count, first; /* number of digits; exponent of the first digit */

    while (d.digits % 10 == 0) {
        d.digits /= 10;
        d.exponent++;
    }
    count = (int)(write_integer(text, d.digits) - text);
    first = d.exponent + count - 1;
    if (first >= 0 && first <= MAX_PLAIN)
        return write_with_point(p, text, count, first + 1);
    if (first < 0 && first >= MIN_PLAIN) {
        memcpy(p, "0.0000", 6);
        memcpy(p + 1 - first, text, (size_t)count);
        return p + 1 - first + count;
    }
    p = write_with_point(p, text, count, 1);
    *p++ = 'e';
    if (first < 0)
        *p++ = '-';
    return write_integer(p, (uint64_t)(first < 0 ? -first : first));
}

/* Write a finite number that is not negative. */
static inline char *write_magnitude(char *p, int biased, uint64_t fraction)
{
    uint64_t significand = biased == 0 ? fraction : fraction | HIDDEN_BIT;
    int      exponent = (biased == 0 ? 1 : biased) - 1075;

    if (significand == 0)
        return write_integer(p, 0);
    if (exponent <= 0 && exponent > -53) { /* a whole number below 2^53 has no shorter form */
        uint64_t below_one = significand & (((uint64_t)1 << -exponent) - 1);

        if (below_one == 0)
            return write_integer(p, significand >> -exponent);
    }
    return write_decimal(p, shortest_decimal(significand, exponent, fraction == 0 && biased > 1));
}

size_t hsi_decimal_write(double value, char buffer[HSI_DECIMAL_MAX])
{
    char    *p = buffer;
    uint64_t bits, fraction;
    int      biased;

    memcpy(&bits, &value, sizeof bits);
    fraction = bits & (HIDDEN_BIT - 1);
    biased = (int)(bits >> 52) & EXPONENT_FIELD;
    *p = '-';
    p += bits >> 63;
    if (biased != EXPONENT_FIELD) {
        p = write_magnitude(p, biased, fraction);
    } else {
        p = fraction ? buffer : p; /* the sign of a NaN is meaningless */
        memcpy(p, fraction ? "nan" : "inf", 3);
        p += 3;
    }
    return copy_to_front(buffer, p);
}
