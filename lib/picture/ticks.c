/* SPDX-License-Identifier: BSD-3-Clause */
#include "picture/ticks.h"

#include <math.h>
#include <stdlib.h>

double hsi_tick_value(int i, hsi_tick_step step)
{
    double value = (double)i * step.mantissa, power = 1;

    for (int k = abs(step.exponent); k > 0; k--)
        power *= 10;
    return step.exponent >= 0 ? value * power : value / power;
}

hsi_tick_step hsi_tick_step_choose(double least)
{
    hsi_tick_step step = {1, (int)floor(log10(least)) - 1};

    while (hsi_tick_value(1, step) < least) {
        if (step.mantissa == 5)
            step.exponent++;
        step.mantissa = step.mantissa == 1 ? 2 : step.mantissa == 2 ? 5 : 1;
    }
    return step;
}
