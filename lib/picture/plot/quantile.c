/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include <hybridsched/plot.h>

double hs_quantile(const double *sorted, size_t count, double q)
{
    double at, below;
    size_t i;

    if (count == 0)
        return NAN;
    at = q * (double)(count - 1);
    below = floor(at);
    i = (size_t)below;
    if (i + 1 >= count)
        return sorted[count - 1];
    return sorted[i] + (at - below) * (sorted[i + 1] - sorted[i]);
}
