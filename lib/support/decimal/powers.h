/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_DECIMAL_POWERS_H
#define HSI_SUPPORT_DECIMAL_POWERS_H

#include <stdint.h>

/*
 * Powers of ten to 128 bits, for reading (read.c) and writing (write.c) doubles. The leading 128
 * bits of 10^q, rounded down, are
 *
 *     P = high * 2^64 + low,    2^127 <= P < 2^128,
 *     P <= 10^q * 2^(127 - hsi_power_of_ten_log2(q)) < P + 1,
 *
 * and P is exact for 0 <= q <= HSI_POWER_EXACT, where 5^q fits in 128 bits. Below HSI_POWER_MIN
 * even 2^64 * 10^q rounds to 0; HSI_POWER_MAX is needed to write the smallest doubles.
 */
#define HSI_POWER_MIN (-342)
#define HSI_POWER_MAX 324
#define HSI_POWER_EXACT 55

typedef struct hsi_ten_power {
    uint64_t high, low;
} hsi_ten_power;

/*
 * Element i is 10^(HSI_POWER_MIN + i). The declaration, too, is marked hidden, to avoid access
 * through the GOT.
 */
extern const hsi_ten_power hsi_powers[HSI_POWER_MAX - HSI_POWER_MIN + 1]
    __attribute__((visibility("hidden")));

static inline const hsi_ten_power *hsi_power_of_ten(int exponent)
{
    return &hsi_powers[exponent - HSI_POWER_MIN];
}

/** Return floor(log2(10^q)) for every q of the table: 217706 / 2^16 slightly exceeds log2(10). */
static inline int hsi_power_of_ten_log2(int exponent)
{
    return (exponent * 217706) >> 16;
}

#endif
