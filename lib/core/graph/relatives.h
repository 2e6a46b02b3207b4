/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_GRAPH_RELATIVES_H
#define HSI_CORE_GRAPH_RELATIVES_H

#include "core/graph/arcs.h"

/* The sets of the direct and indirect predecessors (ancestors) and successors (descendants) of each
 * task of a graph. A set takes `words` words. */
typedef struct hsi_relatives {
    size_t    words;
    uint64_t *ancestors, *descendants; /* set of each task */
} hsi_relatives;

/* Find the relatives of all tasks, in the arena. O(arcs x tasks / 64). HS_ENOMEM, HS_ECANCELED. */
hs_status hsi_relatives_find(const hsi_arcs *arcs, hsi_arena *arena, hsi_relatives *relatives);

static inline bool hsi_set_has(const uint64_t *set, uint32_t task)
{
    return set[task / 64] >> task % 64 & 1;
}

static inline void hsi_set_add(uint64_t *set, uint32_t task)
{
    set[task / 64] |= 1ull << task % 64;
}

#endif
