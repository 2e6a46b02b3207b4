/* SPDX-License-Identifier: BSD-3-Clause */
#include "bound/graph/climb.h"

#include <float.h>
#include <math.h>

static const double step = 0.01; /* relative distance of the second guess */

bool hsi_climb(hsi_refute *refute, void *data, double near, const hsi_stop *stop, double *value)
{
    double distance = near, high = INFINITY;

    while (high > *value * (1 + near)) {
        double guess = isinf(high) ? *value * (1 + distance) : *value + (high - *value) / 2;

        if (!(guess > *value && guess < high && guess < DBL_MAX / 4))
            return false;
        if (hsi_stop_is_due(stop))
            return true;
        if (refute(data, guess)) {
            *value = guess;
            distance = distance < step ? step : 2 * distance;
        } else {
            high = guess;
        }
    }
    return false;
}
