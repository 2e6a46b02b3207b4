/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_PROPERTY_POLICY_SAMPLE_H
#define TEST_PROPERTY_POLICY_SAMPLE_H

/* Samples for policies: instances, plans, actual times, and schedules by simulation. */

#include "dice.h"
#include "sample.h"

void draw(sample *s, uint64_t seed);

/* Return a plan for the sample by a random algorithm. */
hs_schedule *some_plan(const sample *s, dice *d);

/* Return actual times: each estimate times a random factor. */
hs_instance *some_truth(const sample *s, dice *d, double error);

const hs_policy_kind *kind_of(const char *name);

/* Return settings with the tolerance; valid until the next call. */
const hs_policy_settings *tolerant_settings(double tolerance);

/* Simulate the policy and return the schedule, which has passed the checker. */
hs_schedule *simulate(const sample *s, const char *name, const hs_schedule *plan,
                      const hs_instance *truth, double tolerance);

void require_same(const sample *s, const char *name, const hs_schedule *expected,
                  const hs_schedule *found);

#endif
