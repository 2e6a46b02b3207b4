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

#define HIDDEN_BIT     ((uint64_t)1 << 52)
#define EXPONENT_FIELD 0x7ff

/* number of digits of the largest significand */
#define MAX_DIGITS 17

/* limits of plain notation: 10^MIN_PLAIN <= |value| < 10^(MAX_PLAIN + 1) */
#define MIN_PLAIN (-5)
#define MAX_PLAIN 16

static const uint64_t powers[MAX_DIGITS + 1] = {
    1,
    10,
    100,
    1000,
    10000,
    100000,
    1000000,
    10000000,
    100000000,
    1000000000,
    10000000000,
    100000000000,
    1000000000000,
    10000000000000,
    100000000000000,
    1000000000000000,
    10000000000000000,
    100000000000000000,
};

/* Store eight bytes, the lowest first. */
static inline void store_bytes(char *p, uint64_t v)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    memcpy(p, &v, 8);
}

static inline uint64_t to_text(uint64_t digits)
{
    return digits | UINT64_C(0x3030303030303030);
}

/*
 * Return the eight digits of x < 10^8, the first in the lowest byte: split x into halves, the
 * halves into pairs, and the pairs into digits, in parallel. The factors are 2^20 / 100 and 2^10 /
 * 10, rounded up; the quotients are exact.
 */
static inline uint64_t split_digits(uint32_t x)
{
    uint64_t halves = x / 10000 | (uint64_t)(x % 10000) << 32;
    uint64_t high = (halves * 10486 >> 20) & UINT64_C(0x0000007f0000007f);
    uint64_t pairs = high | (halves - 100 * high) << 16;

    high = (pairs * 103 >> 10) & UINT64_C(0x000f000f000f000f);
    return high | (pairs - 10 * high) << 8;
}

/* Write x < 10^8 without leading zeros; overwrites eight bytes. */
static inline char *write_short(char *p, uint32_t x)
{
    uint64_t digits = split_digits(x);
    int      zeros = __builtin_ctzll(digits | (uint64_t)1 << 56) / 8; /* 0 keeps one digit */

    store_bytes(p, to_text(digits) >> (8 * zeros));
    return p + 8 - zeros;
}

static inline char *write_eight(char *p, uint32_t x)
{
    store_bytes(p, to_text(split_digits(x)));
    return p + 8;
}

static inline char *write_integer(char *p, uint64_t value)
{
    const uint64_t block = powers[8];

    if (value < block)
        return write_short(p, (uint32_t)value);
    if (value < block * block) {
        p = write_short(p, (uint32_t)(value / block));
    } else {
        p = write_short(p, (uint32_t)(value / (block * block)));
        p = write_eight(p, (uint32_t)(value / block % block));
    }
    return write_eight(p, (uint32_t)(value % block));
}

/* Terminate the number with NUL and return its length. */
static inline size_t finish(const char *buffer, char *end)
{
    *end = '\0';
    return (size_t)(end - buffer);
}

size_t hsi_decimal_write_u64(uint64_t value, char buffer[HSI_DECIMAL_MAX])
{
    return finish(buffer, write_integer(buffer, value));
}

size_t hsi_decimal_write_i64(int64_t value, char buffer[HSI_DECIMAL_MAX])
{
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

    buffer[0] = '-';
    return finish(buffer, write_integer(buffer + (value < 0), magnitude));
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
static inline uint64_t multiply_sticky(hsi_power power, uint64_t x)
{
    __uint128_t low = (__uint128_t)x * power.low;
    __uint128_t product = (__uint128_t)x * power.high + (uint64_t)(low >> 64);

    return (uint64_t)(product >> 64) | ((uint64_t)product != 0);
}

/*
 * Find the shortest decimal. The interval and the double are measured in quarters of 10^exponent,
 * so the interval's ends and the midpoint of two decimals are integers.
 */
static inline decimal shortest(uint64_t significand, int exponent, bool is_power_of_two)
{
    /* floor(log10(w)) of the interval's width w: 2^exponent, or 3/4 of it */
    int       k = (exponent * 1262611 - (is_power_of_two ? 524031 : 0)) >> 22;
    int       shift = exponent + hsi_power_log2(-k) + 1;
    hsi_power power = *hsi_power_of_ten(-k);
    uint64_t  odd = significand & 1; /* for an odd significand the ends round to the neighbours */
    uint64_t  lower, middle, upper, s, tens;
    bool      below, above;

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

/* The text of a decimal: 17 digits, of which the first `kept` are significant. */
typedef struct digits {
    char     first;
    uint64_t middle, last; /* eight digits each, the first in the lowest byte */
    int      kept;
    int      exponent;     /* exponent of the first digit */
} digits;

/* Count the digits of x > 0. */
static inline int count_digits(uint64_t x)
{
    int n = (64 - __builtin_clzll(x)) * 1233 >> 12; /* by log10(2): right, or one too low */

    return n + (x >= powers[n]);
}

/* Count the zero bytes at the top of x != 0. */
static inline int zeros_at_end(uint64_t x)
{
    return __builtin_clzll(x) / 8;
}

static inline digits split_decimal(decimal d)
{
    int      length = count_digits(d.digits);
    uint64_t all = d.digits * powers[MAX_DIGITS - length];
    uint64_t rest = all % powers[16];
    uint64_t middle = split_digits((uint32_t)(rest / powers[8]));
    uint64_t last = split_digits((uint32_t)(rest % powers[8]));
    digits   t = {(char)('0' + all / powers[16]), to_text(middle), to_text(last), 1, 0};

    if (last)
        t.kept = 17 - zeros_at_end(last);
    else if (middle)
        t.kept = 9 - zeros_at_end(middle);
    t.exponent = d.exponent + length - 1;
    return t;
}

static inline void store_digits(char *p, const digits *t)
{
    p[0] = t->first;
    store_bytes(p + 1, t->middle);
    store_bytes(p + 9, t->last);
}

/*
 * Write a number >= 1 in plain notation. The digits after the point come from registers: reading
 * memory just written in pieces is slow.
 */
static inline char *write_large(char *p, const digits *t)
{
    int         whole = t->exponent + 1;
    char       *point = p + whole;
    __uint128_t fraction;

    store_digits(p, t);
    if (t->kept <= whole)
        return point;
    fraction = ((__uint128_t)t->last << 64 | t->middle) >> (8 * t->exponent);
    *point = '.';
    store_bytes(point + 1, (uint64_t)fraction);
    if (whole <= 8)
        store_bytes(point + 9, (uint64_t)(fraction >> 64));
    return point + 1 + t->kept - whole;
}

static inline char *write_small(char *p, const digits *t)
{
    char *start = p + 1 - t->exponent;

    memcpy(p, "0.000000", 8);
    store_digits(start, t);
    return start + t->kept;
}

static char *write_scientific(char *p, const digits *t)
{
    char *end;

    store_digits(p + 1, t);
    p[0] = p[1];
    p[1] = '.';
    end = t->kept > 1 ? p + 1 + t->kept : p + 1;
    *end++ = 'e';
    if (t->exponent < 0)
        *end++ = '-';
    return write_short(end, (uint32_t)(t->exponent < 0 ? -t->exponent : t->exponent));
}

static inline char *write_decimal(char *p, decimal d)
{
    digits t = split_decimal(d);

    if (t.exponent < MIN_PLAIN || t.exponent > MAX_PLAIN)
        return write_scientific(p, &t);
    return t.exponent < 0 ? write_small(p, &t) : write_large(p, &t);
}

/* Write a finite number that is not negative. */
static inline char *write_magnitude(char *p, int biased, uint64_t fraction)
{
    uint64_t significand = biased == 0 ? fraction : fraction | HIDDEN_BIT;
    int      exponent = (biased == 0 ? 1 : biased) - 1075;

    if (significand == 0)
        return write_short(p, 0);
    if (exponent <= 0 && exponent > -53) { /* a whole number below 2^53 has no shorter form */
        uint64_t below_one = significand & (((uint64_t)1 << -exponent) - 1);

        if (below_one == 0)
            return write_integer(p, significand >> -exponent);
    }
    return write_decimal(p, shortest(significand, exponent, fraction == 0 && biased > 1));
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
    return finish(buffer, p);
}
