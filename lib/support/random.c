/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/random.h"

#include <math.h>

#include "support/portable_math.h"

#define GOLDEN_GAMMA UINT64_C(0x9e3779b97f4a7c15) /* step of splitmix64: 2^64 / golden ratio */

static uint64_t splitmix_next(uint64_t *state)
{
    uint64_t z = *state += GOLDEN_GAMMA;

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void hsi_random_seed(hsi_random *r, uint64_t seed, uint64_t stream)
{
    uint64_t state = seed + 4 * stream * GOLDEN_GAMMA;
    int      i;

    for (i = 0; i < 4; i++)
        r->state[i] = splitmix_next(&state);
}

static uint64_t rotate_left(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

uint64_t hsi_random_next(hsi_random *r)
{
    uint64_t *s = r->state;
    uint64_t  result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t  shifted = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate_left(s[3], 45);
    return result;
}

double hsi_random_unit(hsi_random *r)
{
    return ((double)(hsi_random_next(r) >> 12) + 0.5) * 0x1p-52;
}

/*
 * Return the high word of a 64 x 64 bit product. It is below `bound`, and uniform after rejection
 * of products whose low word is under 2^64 mod bound (Lemire 2019).
 */
uint64_t hsi_random_below(hsi_random *r, uint64_t bound)
{
    __uint128_t product;
    uint64_t    unfair = -bound % bound;

    do
        product = (__uint128_t)hsi_random_next(r) * bound;
    while ((uint64_t)product < unfair);
    return (uint64_t)(product >> 64);
}

double hsi_random_normal(hsi_random *r)
{
    double x, y, square;

    do {
        x = 2 * hsi_random_unit(r) - 1;
        y = 2 * hsi_random_unit(r) - 1;
        square = x * x + y * y;
    } while (square >= 1 || square == 0);
    return x * sqrt(-2 * hsi_log(square) / square);
}
