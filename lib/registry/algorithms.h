/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SOLVE_ALGORITHMS_H
#define HSI_SOLVE_ALGORITHMS_H

#include "algorithm/algorithm.h"

/* Return the library's own algorithm that `alg` points to; NULL: an application's algorithm. */
const hsi_algorithm *hsi_algorithm_builtin(const hs_algorithm *alg);

/* Return a complete copy of an algorithm; fields beyond its struct_size are NULL. */
hs_algorithm hsi_algorithm_complete_copy(const hs_algorithm *alg);

#endif
