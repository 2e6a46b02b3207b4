/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Reading doubles. The digits become an integer w, eight at a time, and w * 10^q a double by one
 * multiplication with the leading 64 bits of 10^q, rarely all 128 (Eisel and Lemire; D. Lemire,
 * "Number parsing at a gigabyte per second", 2021). The product is known up to an interval; exact
 * arithmetic decides if the interval is not enough. For few digits (e.g. "12.5") digits and power
 * of ten are both doubles, so one division rounds correctly (W. Clinger, "How to read floating
 * point numbers accurately", 1990), given the usual rounding mode.
 */

#include "support/decimal/decimal.h"

#include <float.h>
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

static const uint64_t small_powers[9] = {
    1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000,
};

/* Load eight bytes, the first into the lowest byte. */
static inline uint64_t load_bytes(const char *p)
{
    uint64_t v;

    memcpy(&v, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v;
}

static inline uint64_t load_half(const char *p)
{
    uint32_t v;

    memcpy(&v, p, 4);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap32(v);
#endif
    return v;
}

/* Load `count` < 8 bytes, the first into the lowest byte; the remaining bytes are 0. */
static inline uint64_t load_few_bytes(const char *p, ptrdiff_t count)
{
    ptrdiff_t middle = count / 2, last = count - 1;

    if (count >= 4)
        return load_half(p) | load_half(p + count - 4) << (8 * (count - 4));
    if (count <= 0)
        return 0;
    return (uint64_t)(unsigned char)p[0] | (uint64_t)(unsigned char)p[middle] << (8 * middle) |
           (uint64_t)(unsigned char)p[last] << (8 * last);
}

/*
 * Return the value of eight digits, the first in the lowest byte. Neighbours are joined to pairs,
 * then each factor of a product weighs two of the four pairs.
 */
static inline uint64_t join_digits(uint64_t digits)
{
    const uint64_t pair_mask = UINT64_C(0x000000ff000000ff);
    uint64_t       pairs = digits * 10 + (digits >> 8);
    uint64_t       odd = (pairs & pair_mask) * (100 + (UINT64_C(1000000) << 32));
    uint64_t       even = ((pairs >> 16) & pair_mask) * (1 + (UINT64_C(10000) << 32));

    return (odd + even) >> 32;
}

/*
 * Find the digits among eight bytes. *others has a top bit set at the first non-digit (and perhaps
 * bits above it), and is 0 for eight digits.
 */
static inline uint64_t find_digits(uint64_t bytes, uint64_t *others)
{
    uint64_t digits = bytes ^ UINT64_C(0x3030303030303030);

    *others = (digits | (digits + UINT64_C(0x7676767676767676))) & UINT64_C(0x8080808080808080);
    return digits;
}

/*
 * Append to *word the digits before the first non-digit; return their number. They are shifted to
 * the top of eight bytes, with zeros in front.
 */
static inline int append_few_digits(uint64_t digits, uint64_t others, uint64_t *word)
{
    int at = __builtin_ctzll(others); /* equals 8 * count + 7 */

    *word = *word * small_powers[at / 8] + join_digits(digits << (at ^ 63) << 8);
    return at / 8;
}

/* Append the digits from p on to *word (modulo 2^64) and return their end. */
static inline const char *read_digits(const char *p, const char *end, uint64_t *word)
{
    for (;;) {
        uint64_t bytes = end - p >= 8 ? load_bytes(p) : load_few_bytes(p, end - p);
        uint64_t others, digits = find_digits(bytes, &others);

        if (others)
            return p + append_few_digits(digits, others, word);
        *word = *word * small_powers[8] + join_digits(digits);
        p += 8;
    }
}

/*
 * A positive number x with `high` <= x < high + 2; its lowest `drop` bits must be rounded away.
 * `base` is the exponent's contribution to the bits of the double: the biased exponent minus one,
 * because the hidden bit adds one.
 */
typedef struct product {
    uint64_t high;
    int      drop;
    uint64_t base;
} product;

/* Return 1 if the dropped bits of an integer are exactly one half. */
static inline bool is_tie(const product *x, uint64_t integer)
{
    uint64_t half = (uint64_t)1 << (x->drop - 1);

    return (integer & (2 * half - 1)) == half;
}

/* Round to the nearest, a tie upwards. */
static inline uint64_t round_half_up(const product *x)
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
static bool decide_near_tie(product *x, uint64_t w, int q)
{
    const hsi_power *power = hsi_power_of_ten(q);
    bool             exact = q >= 0 && q <= HSI_POWER_EXACT;
    __uint128_t      lower = (__uint128_t)w * power->low;
    __uint128_t      upper = (__uint128_t)w * power->high + (uint64_t)(lower >> 64);
    __uint128_t      rest = upper << 64 | (uint64_t)lower;

    x->high = (uint64_t)(upper >> 64);
    if (rest == 0 && is_tie(x, x->high)) {
        bool even = !(x->high >> x->drop & 1);

        x->high -= even || !exact; /* if x is the tie, an even significand stays */
        return exact;
    }
    return exact || rest + w >= rest || !is_tie(x, x->high + 1);
}

/*
 * Compute the bits of the double nearest to w * 10^q, w > 0. Returns false if undecided: the result
 * is then *bits or *bits + 1.
 */
static inline bool scale(uint64_t w, int64_t q, uint64_t *bits)
{
    product x;
    int     zeros = __builtin_clzll(w), exponent;

    *bits = 0;
    if (q < HSI_POWER_MIN)
        return true;
    *bits = INFINITY_BITS;
    if (q > MAX_EXPONENT)
        return true;

    w <<= zeros;
    x.high = (uint64_t)((__uint128_t)w * hsi_power_of_ten((int)q)->high >> 64);
    x.drop = 10 + (int)(x.high >> 63); /* 53 bits remain */
    exponent = x.drop + hsi_power_log2((int)q) + 1 - zeros + 1075;
    if (exponent < 1) { /* subnormal: fewer bits remain */
        x.drop += 1 - exponent;
        exponent = 1;
        *bits = 0;
        if (x.drop >= 64) /* at most the least double, and below half of it past 64 */
            return x.drop > 64;
    }
    x.base = (uint64_t)(exponent - 1) << 52;
    if (is_tie(&x, x.high) || is_tie(&x, x.high + 1)) {
        bool known = decide_near_tie(&x, w, (int)q);

        *bits = round_half_up(&x);
        return known;
    }
    *bits = round_half_up(&x);
    return true;
}

/*
 * Compute the bits as scale() does in the ordinary case: q is in the range that gives a normal
 * double for every w, and the number is not near a tie. Returns false otherwise: call scale().
 */
static inline bool scale_normal(uint64_t w, int64_t q, uint64_t *bits)
{
    const int64_t least = -307, most = 288;
    int           zeros = __builtin_clzll(w), top;
    uint64_t      high, half;

    if ((uint64_t)(q - least) > (uint64_t)(most - least))
        return false;
    high = (uint64_t)((__uint128_t)(w << zeros) * hsi_power_of_ten((int)q)->high >> 64);
    top = (int)(high >> 63);
    half = (uint64_t)512 << top;
    if (((high + 1) & (2 * half - 1)) - half <= 1)
        return false;
    *bits = (uint64_t)(top + hsi_power_log2((int)q) + 1085 - zeros) << 52;
    *bits += ((high >> (9 + top)) + 1) >> 1;
    return true;
}

/* Compute w / 10^digits for few digits, by one division of exact doubles. */
static inline bool divide(uint64_t w, int64_t digits, double *value)
{
#if FLT_EVAL_METHOD == 0
    const volatile double tiny = 0x1p-100;

    if (digits > 8 || w >> 53 || 1 + tiny != 1 - tiny) /* an unusual rounding mode */
        return false;
    *value = (double)w / (double)small_powers[digits];
    return true;
#else
    (void)w;
    (void)digits;
    (void)value;
    return false;
#endif
}

static inline bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/*
 * Compute the bits of digits * 10^q for more than WORD_DIGITS digits in [begin, end), or for a
 * number that scale() leaves undecided. The leading digits bound the number from both sides;
 * rounding is monotone, so bounds that round to one double decide.
 */
static uint64_t read_hard(const char *begin, const char *end, int64_t q)
{
    const char *p;
    uint64_t    w = 0, bits, next;
    int64_t     left = 0;
    int         count = 0;
    bool        known;

    for (p = begin; p < end; p++) {
        if (*p == '.' || (*p == '0' && count == 0))
            continue;
        if (count == WORD_DIGITS) {
            left++;
            continue;
        }
        w = w * 10 + (uint64_t)(*p - '0');
        count++;
    }
    if (count == 0)
        return 0;
    known = scale(w, q + left, &bits);
    if (known && left > 0)
        known = scale(w + 1, q + left, &next) && next == bits;
    return known ? bits : hsi_decimal_exact(begin, end, q, bits);
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

static const char *read_any(const char *begin, const char *end, double *value)
{
    const char *p = begin, *digits, *digits_end;
    uint64_t    w = 0, bits = 0, sign = 0;
    int64_t     count, q = 0;

    if (p < end && (*p == '-' || *p == '+'))
        sign = (uint64_t)(*p++ == '-') << 63;
    digits = p;
    p = read_digits(p, end, &w);
    count = p - digits;
    if (p < end && *p == '.') {
        const char *fraction = p + 1;

        p = read_digits(fraction, end, &w);
        q = fraction - p;
        count -= q;
    }
    digits_end = p;
    if (count == 0) {
        p = match_infinity(digits, end);
        if (p)
            store_double(value, sign, INFINITY_BITS);
        return p;
    }
    if (p < end && (*p | 0x20) == 'e')
        p = read_exponent(p, end, &q);
    if (count > WORD_DIGITS || (w != 0 && !scale(w, q, &bits)))
        bits = read_hard(digits, digits_end, q);
    store_double(value, sign, bits);
    return p;
}

/*
 * readable bytes that read_plain() needs: twice WORD_DIGITS, a point, 24 digits and the next
 * character
 */
#define PLAIN_ROOM 64

/* Read digits as read_digits() does, but at most 24; more than a word holds. */
static inline const char *read_fraction(const char *p, uint64_t *word)
{
    for (int i = 0; i < 3; i++, p += 8) {
        uint64_t others, digits = find_digits(load_bytes(p), &others);

        if (others)
            return p + append_few_digits(digits, others, word);
        *word = *word * small_powers[8] + join_digits(digits);
    }
    return p;
}

/* Read a number without sign or exponent whose digits fit in 64 bits. NULL: not such a number. */
static inline const char *read_plain(const char *begin, double *value)
{
    const char *p = begin, *first = begin;
    uint64_t    w = 0, bits;
    int64_t     decimals = 0;

    while (p - begin < WORD_DIGITS && is_digit(*p))
        w = w * 10 + (uint64_t)(*p++ - '0');
    if (*p == '.') {
        const char *point = p++;

        while (w == 0 && p - point < WORD_DIGITS && *p == '0')
            p++;
        first = w == 0 ? p : first + 1;
        p = read_fraction(p, &w);
        decimals = p - point - 1;
    }
    if (p - first > WORD_DIGITS || w == 0 || is_digit(*p) || (*p | 0x20) == 'e')
        return NULL;
    if (divide(w, decimals, value))
        return p;
    if (!scale_normal(w, -decimals, &bits))
        return NULL;
    store_double(value, 0, bits);
    return p;
}

const char *hsi_decimal_read(const char *begin, const char *end, double *value)
{
    const char *p = end - begin >= PLAIN_ROOM ? read_plain(begin, value) : NULL;

    return p ? p : read_any(begin, end, value);
}
