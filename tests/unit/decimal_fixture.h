/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HS_TEST_DECIMAL_FIXTURE_H
#define HS_TEST_DECIMAL_FIXTURE_H

/* What the tests of reading and of writing decimals share. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "support/decimal.h"
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

/* A number such as people write: few digits. */
static inline double random_round(void)
{
    return below(1000000) / pow(10, below(7));
}

/* Reads from memory that ends where the text does; the length read, 0 for no number. */
static inline size_t read_exactly(const char *text, size_t length, double *value)
{
    char       *copy = malloc(length + 1);
    const char *end;
    size_t      used;

    if (!copy)
        abort();
    memcpy(copy + 1, text, length); /* at an odd address, too */
    end = hsi_decimal_read(copy + 1, copy + 1 + length, value);
    used = end ? (size_t)(end - copy) - 1 : 0;
    free(copy);
    return used;
}

#endif
