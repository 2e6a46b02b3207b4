/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_COST_POWER_LAW_H
#define HSI_COST_POWER_LAW_H

#include <hybridsched/cost.h>

#include "cost/sample.h"

/*
 * Fit T = a D^b + c with a, c >= 0 and b in [1/8, 4] to samples of known size D, by least squares
 * of the weighted relative errors. Return false if the samples have fewer than 3 sizes.
 */
bool hsi_fit_power_law(const hsi_sample *samples, size_t count, hs_power_law *law);

/* Return the law's time; 0: the size is outside the range of the law. */
double hsi_power_law_time(const hs_power_law *law, double size);

#endif
