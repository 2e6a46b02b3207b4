/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_LATEX_H
#define TOOLS_LATEX_H

#include <stdio.h>

/* Cells of LaTeX tables. */

/** Write text with LaTeX's special characters escaped. */
void latex_text(FILE *out, const char *text);

/** Write a number with a number of decimals; a dash for NaN, the sign of infinity. */
void latex_number(FILE *out, double value, int decimals);

/**
 * Write a p-value: two decimals, or two digits and a power of ten below 0.0095; a dash for NaN.
 */
void latex_p(FILE *out, double p);

#endif
