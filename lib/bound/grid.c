/* SPDX-License-Identifier: BSD-3-Clause */
/* Units that divide all times. A double is a whole mantissa times a power of two; trailing zeros of
 * the mantissa show which larger powers divide the double. */
#include "bound/grid.h"

#include <float.h>

int hsi_grid_exponent(double time)
{
    int      exponent;
    uint64_t mantissa;

    if (isinf(time))
        return HSI_GRID_MOST_EXPONENT;
    mantissa = (uint64_t)ldexp(frexp(time, &exponent), 53);
    return exponent - 53 + __builtin_ctzll(mantissa);
}

double hsi_grid_of_times(const hsi_problem *pb)
{
    double sum = 0, grid = INFINITY;
    size_t i;

    for (i = 0; i < pb->n; i++) {
        double p = isinf(pb->p[i]) ? pb->q[i] : pb->p[i], q = isinf(pb->q[i]) ? p : pb->q[i];

        if (hsi_poll_after_work(pb->token, 16))
            return 0;
        grid = fmin(grid, ldexp(1, hsi_grid_exponent(p)));
        grid = fmin(grid, ldexp(1, hsi_grid_exponent(q)));
        sum += fmax(p, q);
        if (!(sum < 0x1p53 * grid))
            return 0;
    }
    return isfinite(grid) ? grid : 0;
}

double hsi_grid_cells_to_time(int64_t cells, int exponent)
{
    int beyond = 64 - DBL_MANT_DIG - __builtin_clzll((uint64_t)cells | 1);

    return ldexp((double)(beyond > 0 ? cells >> beyond << beyond : cells), exponent);
}
