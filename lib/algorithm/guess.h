/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_ALGORITHM_GUESS_H
#define HSI_ALGORITHM_GUESS_H

#include "algorithm/algorithm.h"

/*
 * Dual approximation: a guess of the makespan that is refused is below the
 * optimum. Bisects from [0, sum of min(p, q)] until no double lies between a
 * refused guess and an accepted one; *guess is the latter.
 */
typedef int (*hsi_accepts)(void *context, double guess);

hs_status hsi_bisect_guess(const hsi_problem *pb, hsi_accepts accepts, void *context,
                           double *guess);

#endif
