/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_DECIMAL_DECIMAL_H
#define HSI_SUPPORT_DECIMAL_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

/*
 * Conversion between decimal text and numbers: exact, independent of the locale and of the rounding
 * mode.
 */

/**
 * Read the longest prefix of [begin, end) that is a number:
 *
 *     [+-] (digits [. [digits]] | . digits) [(e|E) [+-] digits]
 *     [+-] (inf | infinity), in upper or lower case
 *
 * without white space, "nan" or hexadecimal. *value is the nearest double (on a tie the one with an
 * even significand), for any number of digits and any exponent: too large gives infinity, too small
 * zero. Returns the end of the number, or NULL, with *value untouched, without a number. Never
 * reads *end or beyond. Time O(length).
 */
const char *hsi_decimal_read(const char *begin, const char *end, double *value);

/** Room for any number, its NUL, and bytes overwritten beyond both. */
#define HSI_DECIMAL_MAX 32

/**
 * Write the decimal of fewest digits that reads back to `value`, and among these the nearest: as
 * "17711" or "123.25" if 1e-5 <= |value| < 1e17, otherwise as "1.5e-300"; also "0", "-0", "inf",
 * "-inf" and "nan" (not readable by hsi_decimal_read()). Returns the length without the final NUL.
 * May overwrite all HSI_DECIMAL_MAX bytes of the buffer.
 */
size_t hsi_decimal_write(double value, char buffer[HSI_DECIMAL_MAX]);

/** Write an integer; returns the length without the final NUL. */
size_t hsi_decimal_write_u64(uint64_t value, char buffer[HSI_DECIMAL_MAX]);
size_t hsi_decimal_write_i64(int64_t value, char buffer[HSI_DECIMAL_MAX]);

#endif
