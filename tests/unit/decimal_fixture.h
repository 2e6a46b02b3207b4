/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HS_TEST_DECIMAL_FIXTURE_H
#define HS_TEST_DECIMAL_FIXTURE_H

/* Random numbers and helpers for the tests of decimals. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "support/decimal/decimal.h"
#include "support/random.h"

#define FRACTION_BITS (((uint64_t)1 << 52) - 1)
#define INFINITY_BITS ((uint64_t)0x7ff << 52)

static hsi_random source;

static inline void seed(void)
{
    hsi_random_seed(&source, 20240217, 0);
}

static inline int below(int bound)
{
    return (int)hsi_random_below(&source, (uint64_t)bound);
}

static inline uint64_t to_bits(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double from_bits(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double random_finite(void)
{
    double value;

    do
        value = from_bits(hsi_random_next(&source));
    while (!isfinite(value));
    return value;
}

/* Return a random number with few digits. */
static inline double random_round(void)
{
    return below(1000000) / pow(10, below(7));
}

/* Read a number twice, from a block of memory that ends with the text, and with other text behind:
 * both results must be equal. Return the number of bytes read, 0 if the text is no number. */
static inline size_t read_exactly(const char *text, size_t length, double *value)
{
    enum { BEHIND = 80 };
    char       *copy = malloc(length + 1), *amid = malloc(length + 1 + BEHIND);
    const char *end, *other;
    double      again = *value;
    size_t      used;

    if (!copy || !amid)
        abort();
    memcpy(copy + 1, text, length); /* copy of the text at an odd address */
    memcpy(amid + 1, text, length);
    memset(amid + 1 + length, ',', BEHIND);
    end = hsi_decimal_read(copy + 1, copy + 1 + length, value);
    other = hsi_decimal_read(amid + 1, amid + 1 + length + BEHIND, &again);
    used = end ? (size_t)(end - copy) - 1 : 0;
    if (used != (other ? (size_t)(other - amid) - 1 : 0) || memcmp(value, &again, sizeof again))
        ck_abort_msg("%.*s is read otherwise amid text: %a, not %a", (int)length, text, again,
                     *value);
    free(copy);
    free(amid);
    return used;
}

#endif
