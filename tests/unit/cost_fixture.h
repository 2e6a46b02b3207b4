/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_COST_FIXTURE_H
#define TESTS_COST_FIXTURE_H

#include <string.h>

#include <hybridsched/cost.h>

#include "suite.h"

static inline hs_features features_of(const char *key, uint64_t what, double size, double flops)
{
    hs_features f;

    hs_features_init(&f);
    strcpy(f.key, key);
    f.what = what;
    f.size = size;
    f.flops = flops;
    return f;
}

static inline void observe(hs_cost *cost, hs_type type, hs_features f, double seconds)
{
    ck_assert_int_eq(hs_cost_observe(cost, type, &f, seconds, 5), HS_OK);
}

static inline hs_cost *new_cost(void)
{
    hs_cost *cost = NULL;

    ck_assert_int_eq(hs_cost_create(&cost), HS_OK);
    return cost;
}

#endif
