/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_DECIMAL_EXACT_H
#define HSI_SUPPORT_DECIMAL_EXACT_H

#include <stdint.h>

/**
 * Choose in exact arithmetic between `bits` and `bits` + 1: return the bits of the double nearest
 * to a positive number. The number is the digits in [begin, end) (a '.' is skipped) times
 * 10^exponent; any count of digits, not all '0'. Microseconds and O(length); no allocation.
 */
uint64_t hsi_decimal_round_exactly(const char *begin, const char *end, int64_t exponent,
                                   uint64_t bits);

#endif
