/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_DECIMAL_DECIMAL_H
#define HSI_SUPPORT_DECIMAL_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

/*
 * Decimal text to numbers and back, exactly, and independent of the locale and
 * of the rounding mode.
 */

/**
 * Read the longest prefix of [begin, end) that is a number:
 *
 *     [+-] (digits [. [digits]] | . digits) [(e|E) [+-] digits]
 *     [+-] (inf | infinity), in upper or lower case
 *
 * without white space, "nan" or hexadecimal. *value is the double nearest to it
 * (of two as near, the one with an even significand), whatever the number of
 * digits and the exponent: too large is infinity, too small is zero. Returns
 * the end of what was read, or NULL (and *value is untouched) if there is no
 * number. Never looks at *end or beyond. Time O(length).
 */
const char *hsi_decimal_read(const char *begin, const char *end, double *value);

/** Room for any number, its NUL, and bytes that are written past both. */
#define HSI_DECIMAL_MAX 32

/**
 * Write the decimal of fewest digits that reads back to `value`, of those the
 * nearest to it: as "17711" or "123.25" if 1e-5 <= |value| < 1e17, otherwise as
 * "1.5e-300"; also "0", "-0", "inf", "-inf" and "nan" (which is not read back).
 * Returns the length without the NUL that follows. All HSI_DECIMAL_MAX bytes
 * of the buffer may be overwritten.
 */
size_t hsi_decimal_write(double value, char buffer[HSI_DECIMAL_MAX]);

/** The same for integers. */
size_t hsi_decimal_write_u64(uint64_t value, char buffer[HSI_DECIMAL_MAX]);
size_t hsi_decimal_write_i64(int64_t value, char buffer[HSI_DECIMAL_MAX]);

#endif
