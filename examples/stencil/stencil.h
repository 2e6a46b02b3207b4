/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXAMPLES_STENCIL_H
#define EXAMPLES_STENCIL_H

#include <stddef.h>

/* Heat in a plate: a step replaces each temperature by the mean of itself and its four neighbours.
 * Beyond the left and the right edge the temperature is 0. */

enum { COLUMNS = 500 };

/* Compute a row of the next step from the present row and the rows above and below it. */
static inline void relax_row(const double *above, const double *row, const double *below,
                             double *next)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        double left = i > 0 ? row[i - 1] : 0, right = i + 1 < COLUMNS ? row[i + 1] : 0;

        next[i] = (above[i] + left + row[i] + right + below[i]) / 5;
    }
}

#endif
