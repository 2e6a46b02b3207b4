/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_SMALL_OPTIMUM_H
#define TESTS_SMALL_OPTIMUM_H

#include "core/problem.h"

enum { OPTIMUM_WORKERS = 4 }; /* maximum number of workers */

/* Return the optimal makespan by exhaustive search; only for few tasks. */
double optimum_of(const hsi_problem *pb);

/* Return the makespan with task i on worker[i]; every number must be a valid worker. */
double makespan_of(const hsi_problem *pb, const uint32_t *worker);

#endif
