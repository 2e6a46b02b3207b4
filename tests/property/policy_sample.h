/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_PROPERTY_POLICY_SAMPLE_H
#define TEST_PROPERTY_POLICY_SAMPLE_H

/* Samples for policies: instances, plans, actual times, and schedules by simulation. */

#include "dice.h"
#include "sample.h"

void draw(sample *s, uint64_t seed);

/* Return a plan for the sample by a random algorithm. */
hs_schedule *random_plan(const sample *s, dice *d);

/* Return actual times: each estimate times a random factor. */
hs_instance *random_true_times(const sample *s, dice *d, double error);

const hs_policy_kind *kind_of(const char *name);

/* Return settings with the tolerance; valid until the next call. */
const hs_policy_settings *settings_with_tolerance(double tolerance);

/* Simulate the policy and return the schedule, which has passed the checker. */
hs_schedule *simulate(const sample *s, const char *name, const hs_schedule *plan,
                      const hs_instance *truth, double tolerance);

void require_same_schedule(const sample *s, const char *name, const hs_schedule *expected,
                           const hs_schedule *found);

#endif
