/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_COST_LOG_LINEAR_H
#define HSI_COST_LOG_LINEAR_H

#include "cost/sample.h"

enum { HSI_LOG_FEATURES = 3 }; /* work, bytes read, bytes written */

/* A regression ln T = level + sum of coefficient * (ln(1 + feature) - centre). */
typedef struct hsi_log_linear {
    double coefficient[HSI_LOG_FEATURES], centre[HSI_LOG_FEATURES];
    double level;
    double low[HSI_LOG_FEATURES], high[HSI_LOG_FEATURES]; /* range of each feature */
    double spread; /* root mean square of the residuals of ln T */
} hsi_log_linear;

/*
 * Fit the regression by weighted least squares with a small ridge. Return false if there are fewer
 * than 8 executions or fewer than 4 different triples of features.
 */
bool hsi_fit_log_linear(const hsi_sample *samples, size_t count, hsi_log_linear *fit);

/* Return the predicted time; 0: a feature is outside its range. */
double hsi_log_linear_time(const hsi_log_linear *fit, const hsi_sample *features);

#endif
