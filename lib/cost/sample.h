/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_COST_SAMPLE_H
#define HSI_COST_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>

/* Executions with equal features, as one point of a fit. */
typedef struct hsi_sample {
    double size, flops, bytes_in, bytes_out;
    double seconds; /* mean */
    double weight;  /* executions */
} hsi_sample;

#endif
