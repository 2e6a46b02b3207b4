/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SOLVE_ALGORITHMS_H
#define HSI_SOLVE_ALGORITHMS_H

#include "algorithm/algorithm.h"

/* The library's own that the pointer names; NULL: it is somebody else's. */
const hsi_algorithm *hsi_algorithm_own(const hs_algorithm *alg);

/* All of it that its maker knew; the rest is NULL. */
hs_algorithm hsi_algorithm_known(const hs_algorithm *alg);

#endif
