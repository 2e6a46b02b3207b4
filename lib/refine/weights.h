/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_WEIGHTS_H
#define HSI_REFINE_WEIGHTS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Tasks of one weight are a kind. Fills the weights of the kinds, longest first (with room for
 * `n`), the kind of each task and how many tasks each kind has; returns how many kinds there are.
 */
size_t hsi_kinds_by_weight(size_t n, const int64_t *weight, int64_t *of_kind, uint32_t *kind,
                           uint32_t *count);

/* The first kind that is no longer than that; `kinds`: none is. */
size_t hsi_kind_within(size_t kinds, const int64_t *of_kind, int64_t most);

#endif
