/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_PORTABLE_MATH_H
#define HSI_SUPPORT_PORTABLE_MATH_H

/*
 * Logarithm and exponential built from +, -, *, / and exact scaling only: equal bits on every IEEE
 * machine, a promise that no libm makes. Error within 2 ulp.
 */

/* Return the natural logarithm of a finite x > 0. */
double hsi_log(double x);

/* Return e to the x; 0 or infinity beyond the range of a double. */
double hsi_exp(double x);

#endif
