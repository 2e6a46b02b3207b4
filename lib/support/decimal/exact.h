/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_DECIMAL_EXACT_H
#define HSI_SUPPORT_DECIMAL_EXACT_H

#include <stdint.h>

/**
 * The bits of the double nearest to a positive number, in exact arithmetic, given
 * that they are `bits` or one more. The number is what the digits in [begin, end)
 * say (a '.' among them is skipped) times 10^exponent; they may be of any count, and
 * one of them is not '0'. Microseconds and O(length); no allocation.
 */
uint64_t hsi_decimal_exact(const char *begin, const char *end, int64_t exponent, uint64_t bits);

#endif
