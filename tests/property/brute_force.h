/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_PROPERTY_BRUTE_FORCE_H
#define TEST_PROPERTY_BRUTE_FORCE_H

#include "exact.h"
#include "sample.h"

enum { BRUTE_FORCE_TASKS = 10, BRUTE_FORCE_WORKERS = 16 };

typedef struct optimum {
    double makespan; /* optimal makespan, rounded */
    exact  value;    /* optimal makespan, exact */
} optimum;

/* Set *out to the optimum over every assignment of tasks to workers. The time is exponential in the
 * number of tasks. */
void brute_force(const sample *s, optimum *out);

/* Set *out to the optimum if worker w is available from available[w] on (NULL: from 0 on). An
 * unused worker does not extend the makespan. */
void brute_force_available(const sample *s, const double *available, optimum *out);

#endif
