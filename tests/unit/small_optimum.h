/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_SMALL_OPTIMUM_H
#define TESTS_SMALL_OPTIMUM_H

#include "core/problem.h"

enum { OPTIMUM_WORKERS = 4 }; /* at the most */

/* By trying everything: for few tasks. */
double optimum_of(const hsi_problem *pb);

/* With each task where `worker` says, which must be a worker. */
double makespan_of(const hsi_problem *pb, const uint32_t *worker);

#endif
