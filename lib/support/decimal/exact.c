/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The last resort of read.c: decide whether a decimal is above, at or below the midpoint of two
 * neighbouring doubles. Decimal and midpoint are integers times powers of two and five, scaled to a
 * common power and compared as integers.
 */

#include "support/decimal/exact.h"

#include <stdbool.h>

/*
 * A midpoint of two doubles is an odd multiple of a power of two not below 2^-1075, and less than
 * 2^54 times this power, so it has at most 768 significant digits: of later digits only matters
 * whether one is not zero.
 */
enum { KEPT_DIGITS = 768, CHUNK_DIGITS = 19 };

/*
 * One operand keeps its power of two: the decimal, of 769 digits or 2555 bits; or the midpoint, of
 * 54 bits times at most 5^1075, 2551 bits. The other operand grows to about this size: within a
 * factor of four near zero, closer elsewhere.
 */
enum { LIMBS = 42 };

/* A natural number, least significant limb first; the top limb is not 0. */
typedef struct natural {
    int      count;
    uint64_t limb[LIMBS];
} natural;

static void append_limb(natural *a, uint64_t limb)
{
    if (limb)
        a->limb[a->count++] = limb;
}

static void multiply_add(natural *a, uint64_t factor, uint64_t term)
{
    uint64_t carry = term;

    for (int i = 0; i < a->count; i++) {
        __uint128_t product = (__uint128_t)a->limb[i] * factor + carry;

        a->limb[i] = (uint64_t)product;
        carry = (uint64_t)(product >> 64);
    }
    append_limb(a, carry);
}

static uint64_t small_power(unsigned base, int exponent)
{
    uint64_t p = 1;

    while (exponent-- > 0)
        p *= base;
    return p;
}

static void multiply_by_power_of_five(natural *a, int64_t exponent)
{
    const int      step = 27; /* 5^27 < 2^63 */
    const uint64_t factor = small_power(5, step);

    for (; exponent >= step; exponent -= step)
        multiply_add(a, factor, 0);
    multiply_add(a, small_power(5, (int)exponent), 0);
}

/* Multiply a > 0 by 2^n. */
static void shift_left(natural *a, int64_t bits)
{
    int limbs = (int)(bits / 64);

    multiply_add(a, (uint64_t)1 << (bits % 64), 0);
    for (int i = a->count - 1; i >= 0; i--)
        a->limb[i + limbs] = a->limb[i];
    for (int i = 0; i < limbs; i++)
        a->limb[i] = 0;
    a->count += limbs;
}

static int compare_naturals(const natural *a, const natural *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (int i = a->count - 1; i >= 0; i--)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

/* the number digits * 10^exponent */
typedef struct long_decimal {
    natural digits;
    int64_t exponent;
} long_decimal;

static bool only_zeros(const char *p, const char *end)
{
    while (p < end && (*p == '0' || *p == '.'))
        p++;
    return p == end;
}

/*
 * Read up to KEPT_DIGITS digits from the first that is not '0'. A single '1' replaces a nonzero
 * rest: it leaves the number on the same side of every midpoint.
 */
static void load_decimal(long_decimal *d, const char *p, const char *end, int64_t exponent)
{
    uint64_t chunk = 0;
    int      held = 0, kept = 0;
    int64_t  left = end - p;

    for (const char *dot = p; dot < end; dot++)
        left -= *dot == '.';
    d->digits.count = 0;
    for (; p < end && kept < KEPT_DIGITS; p++) {
        if (*p == '.')
            continue;
        left--;
        if (*p == '0' && kept == 0)
            continue;
        kept++;
        chunk = chunk * 10 + (uint64_t)(*p - '0');
        if (++held == CHUNK_DIGITS) {
            multiply_add(&d->digits, small_power(10, held), chunk);
            chunk = 0;
            held = 0;
        }
    }
    multiply_add(&d->digits, small_power(10, held), chunk);
    d->exponent = exponent + left;
    if (!only_zeros(p, end)) {
        multiply_add(&d->digits, 10, 1);
        d->exponent--;
    }
}

/* Compare with the midpoint between the double of these bits and the next double. */
static int compare_with_midpoint(const long_decimal *d, uint64_t bits)
{
    const uint64_t hidden_bit = (uint64_t)1 << 52;
    uint64_t       significand = bits & (hidden_bit - 1);
    int64_t        exponent = (int64_t)(bits >> 52), shift;
    natural        left = d->digits, midpoint = {0, {0}};

    if (exponent > 0)
        significand += hidden_bit;
    else
        exponent = 1; /* exponent of the least normal number */
    append_limb(&midpoint, 2 * significand + 1);
    exponent -= 1076;

    if (d->exponent >= 0)
        multiply_by_power_of_five(&left, d->exponent);
    else
        multiply_by_power_of_five(&midpoint, -d->exponent);
    shift = d->exponent - exponent;
    if (shift >= 0)
        shift_left(&left, shift);
    else
        shift_left(&midpoint, -shift);
    return compare_naturals(&left, &midpoint);
}

uint64_t hsi_decimal_round_exactly(const char *begin, const char *end, int64_t exponent,
                                   uint64_t bits)
{
    long_decimal d;
    int          side;

    load_decimal(&d, begin, end, exponent);
    side = compare_with_midpoint(&d, bits);
    return bits + (side > 0 || (side == 0 && (bits & 1)));
}
