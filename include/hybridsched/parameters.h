/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_PARAMETERS_H
#define HYBRIDSCHED_PARAMETERS_H

#include <stdint.h>

#include <hybridsched/status.h>

HS_BEGIN_DECLS

/**
 * Parameters of single algorithms and policies: a part of hs_settings, hs_policy_settings and
 * hs_exec_settings. 0 selects a parameter's default. A later version puts new parameters into
 * `reserved`, so the struct keeps its size; leave these places 0.
 */
typedef struct hs_parameters {
    double alpha; /* dada: share of the guessed makespan for affinity, in [0, 1]; default 0 */
    double band;  /* hp-corrected: least p/q of tasks that GPUs take in the order of ranks;
                     default 8 */
    double leave; /* hp-corrected: least p/q of tasks that GPUs spoliate; default 16 */
    double ratio_tolerance; /* the policy heteroprio and its variants: relative difference up to
                               which acceleration ratios count as equal, from 1e-12 to 1, see
                               hs_queue_settings.tolerance; default: exact comparison */
    unsigned threshold;     /* h-ratio, d-rank: limit of tasks assigned to workers and not started;
                               default: twice the number of workers */
    unsigned reserved_word;
    uint64_t reserved[11];
} hs_parameters;

HS_END_DECLS

#endif
