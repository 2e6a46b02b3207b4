/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_H
#define HSI_BOUND_H

#include <hybridsched/bound.h>

#include "core/problem.h"

struct hs_bound {
    const char *name;
    const char *summary;
    const char *source;
    const char *cost;
    hs_status (*compute)(const hsi_problem *rows, const hs_settings *settings, double *value);
};

extern const hs_bound hsi_bound_theorem2, hsi_bound_min_time, hsi_bound_deadline, hsi_bound_area;

#endif
