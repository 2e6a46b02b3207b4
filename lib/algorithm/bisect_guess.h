/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_ALGORITHM_BISECT_GUESS_H
#define HSI_ALGORITHM_BISECT_GUESS_H

#include "algorithm/algorithm.h"

/*
 * Dual approximation: a rejected guess of the makespan is below the optimum. hsi_bisect_makespan()
 * bisects from [0, sum of min(p, q)] until no double lies between a rejected and an accepted guess;
 * *guess is the latter. HS_ECANCELED.
 */
typedef int (*hsi_accepts)(void *context, double guess);

hs_status hsi_bisect_makespan(const hsi_problem *pb, hsi_accepts accepts, void *context,
                              double *makespan);

#endif
