/* SPDX-License-Identifier: BSD-3-Clause */
#include <hybridsched/io.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/decimal/decimal.h"

/* largest number of digits before the point that is printed without an exponent */
enum { PLAIN_MOST = 12 };

size_t hs_format_double(double value, char buffer[32])
{
    _Static_assert(HSI_DECIMAL_MAX <= 32, "the public promise");
    return hsi_decimal_write(value, buffer);
}

/* Return the shortest decimal of `value`, as digits * 10^exponent. */
static uint64_t shortest_digits(double value, int *exponent)
{
    char     text[HSI_DECIMAL_MAX];
    uint64_t digits = 0;
    bool     fraction = false;

    *exponent = 0;
    hsi_decimal_write(value, text);
    for (const char *c = text; *c; c++) {
        if (*c == 'e') {
            *exponent += (int)strtol(c + 1, NULL, 10);
            break;
        }
        if (*c == '.') {
            fraction = true;
        } else {
            digits = digits * 10 + (unsigned)(*c - '0');
            *exponent -= fraction;
        }
    }
    return digits;
}

static int count_digits(uint64_t number)
{
    int count = 1;

    while (number /= 10)
        count++;
    return count;
}

/* Round a number to `most` digits, halves up, and remove trailing zeros. */
static uint64_t round_digits(uint64_t digits, int most, int *exponent)
{
    uint64_t unit = 1;

    for (int drop = count_digits(digits) - most; drop > 0; drop--) {
        unit *= 10;
        ++*exponent;
    }
    for (digits = (digits + unit / 2) / unit; digits % 10 == 0; digits /= 10)
        ++*exponent;
    return digits;
}

size_t hs_format_rounded(double value, int significant_digits, char buffer[32])
{
    char     text[HSI_DECIMAL_MAX];
    int      exponent, count, point;
    uint64_t number;

    if (!(value > 0) || isinf(value))
        return hsi_decimal_write(value, buffer);
    number = shortest_digits(value, &exponent);
    point = count_digits(number) + exponent;
    if (significant_digits < point && point <= PLAIN_MOST)
        significant_digits = point;
    count = (int)hsi_decimal_write_u64(round_digits(number, significant_digits, &exponent), text);
    point = count + exponent; /* the value is 0.TEXT * 10^point */
    if (point <= -4 || point > PLAIN_MOST)
        return (size_t)snprintf(buffer, 32, "%c%s%se%d", text[0], count > 1 ? "." : "", text + 1,
                                point - 1);
    if (point <= 0)
        return (size_t)snprintf(buffer, 32, "0.%.*s%s", -point, "000", text);
    if (point >= count)
        return (size_t)snprintf(buffer, 32, "%s%.*s", text, point - count, "00000000000");
    return (size_t)snprintf(buffer, 32, "%.*s.%s", point, text, text + point);
}

/*
 * Format a duration of `count` `unit`s in two units, such as "8 h 38 min"; a `larger` unit has
 * `per` of them.
 */
static size_t two_units(double count, unsigned per, const char *larger, const char *unit,
                        char buffer[32])
{
    double whole = floor(count / per), rest = count - whole * per;

    if (rest > 0)
        return (size_t)snprintf(buffer, 32, "%.0f %s %.0f %s", whole, larger, rest, unit);
    return (size_t)snprintf(buffer, 32, "%.0f %s", whole, larger);
}

size_t hs_format_long_duration(double seconds, char buffer[32])
{
    buffer[0] = '\0';
    if (!(seconds >= 120) || seconds > 1e15)
        return 0;
    if (round(seconds) < 3600)
        return two_units(round(seconds), 60, "min", "s", buffer);
    if (round(seconds / 60) < 24 * 60)
        return two_units(round(seconds / 60), 60, "h", "min", buffer);
    return two_units(round(seconds / 3600), 24, "d", "h", buffer);
}
