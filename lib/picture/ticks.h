/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_PICTURE_TICKS_H
#define HSI_PICTURE_TICKS_H

/* The step between ticks of a decimal axis: mantissa * 10^exponent. */
typedef struct hsi_tick_step {
    int mantissa, exponent;
} hsi_tick_step;

/** Return the smallest of 1, 2, 5 times a power of ten that is at least `least` > 0. */
hsi_tick_step hsi_tick_step_choose(double least);

/** Return i * mantissa * 10^exponent, rounded once. */
double hsi_tick_value(int i, hsi_tick_step step);

#endif
