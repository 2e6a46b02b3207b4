/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_PORTABLE_MATH_H
#define HSI_SUPPORT_PORTABLE_MATH_H

/*
 * Logarithm and exponential from +, -, *, / and exact scaling alone: the same
 * bits on every IEEE machine, which no libm promises. Within 2 ulp.
 */

/* Natural logarithm of a finite x > 0. */
double hsi_ln(double x);

/* e to the x; 0 or infinity past the range of a double. */
double hsi_exp(double x);

#endif
