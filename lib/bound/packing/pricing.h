/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_PACKING_PRICING_H
#define HSI_BOUND_PACKING_PRICING_H

#include <stdint.h>

#include "support/arena.h"

/* The sets of kinds with whole weights that fit on a worker, and their best worth: by tables over
 * all capacities, which work also if worth and weight are nearly proportional. */
typedef struct hsi_pricing {
    size_t         kinds;
    const int64_t *weight; /* weight of each kind, > 0; borrowed */
    int64_t        capacity;
    double        *front, *back; /* tables of the most worth: kinds before a position, kinds from it
                                    on */
    uint32_t      *active;       /* kinds in the tables */
    uint32_t      *limit;
    double        *value;
    size_t         count;
} hsi_pricing;

/* hsi_pricing_room() returns the number of doubles in the tables; hsi_pricing_open() takes them
 * from the arena and returns 0, or -1 if memory is short. */
size_t hsi_pricing_room(size_t kinds, int64_t capacity);
int    hsi_pricing_open(hsi_pricing *p, hsi_arena *arena, size_t kinds, const int64_t *weight,
                        int64_t capacity);

/* Fill the tables for values of the kinds, and up to `limit` copies of each. */
void hsi_pricing_solve(hsi_pricing *p, const double *value, const uint32_t *limit);

/* Return the worth of the best set; `take`: its number of each kind. */
double hsi_pricing_best(const hsi_pricing *p, uint32_t *take);

/* Do the same for the best set with exactly one copy of active kind number `at`. */
double hsi_pricing_best_with(const hsi_pricing *p, size_t at, uint32_t *take);

/* Return the most worth of a set, in integers. `row`: scratch of capacity + 1 numbers. */
int64_t hsi_pricing_most(size_t kinds, const int64_t *weight, const uint32_t *limit,
                         const int64_t *worth, int64_t capacity, int64_t *row);

#endif
