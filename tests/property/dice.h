/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_PROPERTY_DICE_H
#define TEST_PROPERTY_DICE_H

#include <stdint.h>

/* Random numbers for tests (splitmix64), independent of the library's generator. */
typedef struct dice {
    uint64_t state;
} dice;

static inline uint64_t dice_word(dice *d)
{
    uint64_t z = d->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Return an integer in 0 .. count - 1. */
static inline unsigned dice_below(dice *d, unsigned count)
{
    return (unsigned)((dice_word(d) >> 32) * count >> 32);
}

/* Return an integer in low .. high. */
static inline unsigned dice_between(dice *d, unsigned low, unsigned high)
{
    return low + dice_below(d, high - low + 1);
}

/* Return a number in (0, 1). */
static inline double dice_unit(dice *d)
{
    return ((double)(dice_word(d) >> 12) + 0.5) * 0x1p-52;
}

#endif
