/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_WEIGHTS_H
#define HSI_REFINE_WEIGHTS_H

#include <stddef.h>
#include <stdint.h>

/* Group tasks by weight. Fill the weights of the kinds, longest first (room for `n`), the kind of
 * each task and the number of tasks of each kind. Return the number of kinds. */
size_t hsi_kinds_by_weight(size_t n, const int64_t *weight, int64_t *of_kind, uint32_t *kind,
                           uint32_t *copies);

/* Return the first kind with a weight of at most `most`, or `kinds`. */
size_t hsi_kind_within(size_t kinds, const int64_t *of_kind, int64_t most);

#endif
