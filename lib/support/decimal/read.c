/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Reading doubles. The first 19 digits become an integer w, and w * 10^q a double by one
 * multiplication with the leading 64 bits of 10^q, rarely all 128 (Eisel and Lemire; D. Lemire,
 * "Number parsing at a gigabyte per second", 2021). The product is known up to an interval; exact
 * arithmetic decides if the interval is not enough.
 */

#include "support/decimal/decimal.h"

#include <stdbool.h>
#include <string.h>

#include "support/decimal/exact.h"
#include "support/decimal/powers.h"

#define INFINITY_BITS ((uint64_t)0x7ff << 52)

/* a number of digits that always fits in 64 bits */
#define WORD_DIGITS 19

/* 10^309 exceeds every double. */
#define MAX_EXPONENT 308

/* Larger exponents saturate: no text has enough digits to compensate. */
#define EXPONENT_LIMIT INT64_C(100000000000000000)

/*
 * A positive number x with `high` <= x < high + 2; its lowest `drop` bits must be rounded away.
 * `base` is the exponent's contribution to the bits of the double: the biased exponent minus one,
 * because the hidden bit adds one.
 */
typedef struct scaled_word {
    uint64_t high;
    int      drop;
    uint64_t base;
} scaled_word;

/* Return 1 if the dropped bits of an integer are exactly one half. */
static inline bool is_tie(const scaled_word *x, uint64_t integer)
{
    uint64_t half = (uint64_t)1 << (x->drop - 1);

    return (integer & (2 * half - 1)) == half;
}

/* Round to the nearest, a tie upwards. */
static inline uint64_t round_half_up(const scaled_word *x)
{
    uint64_t bits = x->base + (x->high >> x->drop) + (x->high >> (x->drop - 1) & 1);

    return bits < INFINITY_BITS ? bits : INFINITY_BITS;
}

/*
 * With a tie at `high` or high + 1, decide by all 128 bits of the power on which side of the tie x
 * is, such that round_half_up() is right. `rest` is the first 128 bits of x - high; unless the
 * power is exact, the omitted part may add almost w. Returns false, with x below the tie, if x may
 * be on either side. w is normalised.
 */
static bool decide_near_tie(scaled_word *x, uint64_t significand, int exponent)
{
    const hsi_ten_power *power = hsi_power_of_ten(exponent);
    bool                 exact = exponent >= 0 && exponent <= HSI_POWER_EXACT;
    __uint128_t          lower = (__uint128_t)significand * power->low;
    __uint128_t          upper = (__uint128_t)significand * power->high + (uint64_t)(lower >> 64);
    __uint128_t          rest = upper << 64 | (uint64_t)lower;

    x->high = (uint64_t)(upper >> 64);
    if (rest == 0 && is_tie(x, x->high)) {
        bool even = !(x->high >> x->drop & 1);

        x->high -= even || !exact; /* if x is the tie, an even significand stays */
        return exact;
    }
    return exact || rest + significand >= rest || !is_tie(x, x->high + 1);
}

/*
 * Compute the bits of the double nearest to w * 10^q, w > 0. Returns false if undecided: the result
 * is then *bits or *bits + 1.
 */
static inline bool scale_to_double(uint64_t significand, int64_t q, uint64_t *bits)
{
    scaled_word x;
    int         zeros = __builtin_clzll(significand), exponent;

    *bits = 0;
    if (q < HSI_POWER_MIN)
        return true;
    *bits = INFINITY_BITS;
    if (q > MAX_EXPONENT)
        return true;

    significand <<= zeros;
    x.high = (uint64_t)((__uint128_t)significand * hsi_power_of_ten((int)q)->high >> 64);
    x.drop = 10 + (int)(x.high >> 63); /* 53 bits remain */
    exponent = x.drop + hsi_power_of_ten_log2((int)q) + 1 - zeros + 1075;
    if (exponent < 1) { /* subnormal: fewer bits remain */
        x.drop += 1 - exponent;
        exponent = 1;
        *bits = 0;
        if (x.drop >= 64) /* at most the least double, and below half of it past 64 */
            return x.drop > 64;
    }
    x.base = (uint64_t)(exponent - 1) << 52;
    if (is_tie(&x, x.high) || is_tie(&x, x.high + 1)) {
        bool known = decide_near_tie(&x, significand, (int)q);

        *bits = round_half_up(&x);
        return known;
    }
    *bits = round_half_up(&x);
    return true;
}

/* The digits of a number. */
typedef struct digits {
    uint64_t word;    /* the first WORD_DIGITS digits from the first that is not 0 */
    int      kept;    /* number of digits in `word` */
    int64_t  dropped; /* number of digits after those */
} digits;

static inline bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* Append the digits from p on, and return their end. */
static inline const char *read_digits(const char *p, const char *end, digits *d)
{
    for (; p < end && is_digit(*p); p++) {
        if (d->kept == WORD_DIGITS) {
            d->dropped++;
            continue;
        }
        d->word = d->word * 10 + (uint64_t)(*p - '0');
        d->kept += d->word != 0;
    }
    return p;
}

/*
 * Return the bits of the double nearest to digits * 10^q; [begin, end) is the text of the digits.
 * With dropped digits, `word` bounds the number from both sides; rounding is monotone, so bounds
 * that round to one double decide.
 */
static inline uint64_t nearest_double(const digits *d, int64_t exponent, const char *begin,
                                      const char *end)
{
    uint64_t bits, next;
    bool     known;

    if (d->word == 0)
        return 0;
    known = scale_to_double(d->word, exponent + d->dropped, &bits);
    if (known && d->dropped > 0)
        known = scale_to_double(d->word + 1, exponent + d->dropped, &next) && next == bits;
    return known ? bits : hsi_decimal_round_exactly(begin, end, exponent, bits);
}

/* Read an exponent from the 'e' at p on and add it to *q; returns p without an exponent. */
static const char *read_exponent(const char *p, const char *end, int64_t *q)
{
    const char *at = p + 1;
    int64_t     exponent = 0;
    bool        negative = at < end && *at == '-';

    if (at < end && (*at == '-' || *at == '+'))
        at++;
    if (at == end || !is_digit(*at))
        return p;
    for (; at < end && is_digit(*at); at++)
        if (exponent < EXPONENT_LIMIT)
            exponent = exponent * 10 + (*at - '0');
    *q += negative ? -exponent : exponent;
    return at;
}

/* Return the end of "inf" or "infinity" at p, or NULL. */
static const char *match_infinity(const char *p, const char *end)
{
    static const char word[] = "infinity";
    int               same = 0;

    while (same < 8 && p + same < end && (p[same] | 0x20) == word[same])
        same++;
    return same == 8 ? p + 8 : same >= 3 ? p + 3 : NULL;
}

static inline void store_double(double *value, uint64_t sign, uint64_t bits)
{
    bits |= sign;
    memcpy(value, &bits, sizeof *value);
}

const char *hsi_decimal_read(const char *begin, const char *end, double *value)
{
    const char *p = begin, *first, *last;
    digits      d = {0, 0, 0};
    uint64_t    sign = 0;
    int64_t     point = 0, q = 0;

    if (p < end && (*p == '-' || *p == '+'))
        sign = (uint64_t)(*p++ == '-') << 63;
    first = p;
    p = read_digits(p, end, &d);
    if (p < end && *p == '.') {
        const char *fraction = p + 1;

        point = 1;
        p = read_digits(fraction, end, &d);
        q = fraction - p;
    }
    last = p;
    if (last - first == point) {
        p = match_infinity(first, end);
        if (p)
            store_double(value, sign, INFINITY_BITS);
        return p;
    }
    if (p < end && (*p | 0x20) == 'e')
        p = read_exponent(p, end, &q);
    store_double(value, sign, nearest_double(&d, q, first, last));
    return p;
}
