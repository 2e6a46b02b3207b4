/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_PACKING_PRICING_H
#define HSI_BOUND_PACKING_PRICING_H

#include <stdint.h>

#include "support/arena.h"

/*
 * What a worker can hold of kinds of whole weights, and which of that is worth the most: by tables
 * over all capacities, which do not mind that worth and weight are nearly proportional.
 */
typedef struct hsi_pricing {
    size_t         kinds;
    const int64_t *weight; /* of a kind, > 0; borrowed */
    int64_t        capacity;
    double        *front, *back; /* the most that the first so many, the others are worth */
    uint32_t      *active;       /* the kinds that tables are about */
    uint32_t      *limit;
    double        *value;
    size_t         count;
} hsi_pricing;

/* The tables' doubles for that; they are taken from an arena. */
size_t hsi_pricing_room(size_t kinds, int64_t capacity);
int    hsi_pricing_open(hsi_pricing *p, hsi_arena *arena, size_t kinds, const int64_t *weight,
                        int64_t capacity);

/* Of each kind up to `limit` copies, each worth so much. */
void hsi_pricing_solve(hsi_pricing *p, const double *value, const uint32_t *limit);

/* What the best set is worth; `take`: how many it has of each kind. */
double hsi_pricing_best(const hsi_pricing *p, uint32_t *take);

/* The same for the best set with exactly one of active kind number `at`. */
double hsi_pricing_best_with(const hsi_pricing *p, size_t at, uint32_t *take);

/* The most that a set is worth, in integers. `row`: scratch of capacity + 1. */
int64_t hsi_pricing_most(size_t kinds, const int64_t *weight, const uint32_t *limit,
                         const int64_t *worth, int64_t capacity, int64_t *row);

#endif
