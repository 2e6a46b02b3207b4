/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_WEIGHTS_H
#define HSI_REFINE_WEIGHTS_H

#include <stddef.h>
#include <stdint.h>

/* Group tasks by weight. Fill the weights of the kinds, longest first (room for `count`), the kind
 * of each task and the number of tasks of each kind. Return the number of kinds. */
size_t hsi_group_by_weight(size_t count, const int64_t *weight, int64_t *weight_of_kind,
                           uint32_t *kind_of_task, uint32_t *copies_of_kind);

/* Return the first kind with a weight of at most `most_weight`, or `kind_count`. */
size_t hsi_first_kind_within_weight(size_t kind_count, const int64_t *weight_of_kind,
                                    int64_t most_weight);

#endif
