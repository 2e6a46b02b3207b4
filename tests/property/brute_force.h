/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_PROPERTY_BRUTE_FORCE_H
#define TEST_PROPERTY_BRUTE_FORCE_H

#include "exact.h"
#include "sample.h"

enum { BRUTE_FORCE_TASKS = 10, BRUTE_FORCE_WORKERS = 16 };

typedef struct optimum {
    double makespan; /* rounded */
    exact  value;    /* not rounded */
} optimum;

/* Of all assignments of tasks to workers: exponential in the number of tasks. */
void brute_force(const sample *s, optimum *out);

/* Workers come when they are available; one that has nothing to do does not count. */
void brute_force_available(const sample *s, const double *available, optimum *out);

#endif
