/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_PROPERTY_POLICY_SAMPLE_H
#define TEST_PROPERTY_POLICY_SAMPLE_H

/* Samples for policies: plans for them, times that were not foreseen, and what comes of both. */

#include "dice.h"
#include "sample.h"

void draw(sample *s, uint64_t seed);

/* Any plan for the sample, by one of the algorithms. */
hs_schedule *some_plan(const sample *s, dice *d);

/* The times that tasks really take, each its estimate by a factor. */
hs_instance *some_truth(const sample *s, dice *d, double error);

const hs_policy_kind *kind_of(const char *name);

/* Settings with that tolerance, until it is called again. */
const hs_policy_settings *tolerant(double tolerance);

/* A schedule that has passed the checker. */
hs_schedule *simulate(const sample *s, const char *name, const hs_schedule *plan,
                      const hs_instance *truth, double tolerance);

void require_same(const sample *s, const char *name, const hs_schedule *expected,
                  const hs_schedule *found);

#endif
