/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_RANDOM_H
#define HSI_SUPPORT_RANDOM_H

#include <stdint.h>

/* The generator xoshiro256** (Blackman, Vigna 2018): equal numbers on every machine. */
typedef struct hsi_random {
    uint64_t state[4];
} hsi_random;

/*
 * Seed a stream. The state is words 4*stream .. 4*stream + 3 of the splitmix64 sequence that begins
 * at `seed`, so the streams of one seed are unrelated.
 */
void hsi_random_seed(hsi_random *r, uint64_t seed, uint64_t stream);

uint64_t hsi_random_next(hsi_random *r);

/* Return a uniform number in (0, 1), excluding both ends: an odd multiple of 2^-53. */
double hsi_random_unit(hsi_random *r);

/* Return a uniform number in 0 .. bound - 1, without bias; bound > 0. */
uint64_t hsi_random_below(hsi_random *r, uint64_t bound);

/* Return a standard normal number, by the polar method. */
double hsi_random_normal(hsi_random *r);

#endif
