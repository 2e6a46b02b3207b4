/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_PROPERTY_NAIVE_CLOCK_H
#define TEST_PROPERTY_NAIVE_CLOCK_H

#include "sample.h"

/*
 * A naive virtual clock: after every event, each waiting worker requests a decision again. The
 * decider is the library's policy, through its public calls, or a literal transcription.
 */
typedef struct decider {
    void *self;
    int (*own)(void *self, unsigned worker, uint32_t *task); /* NULL: not provided */
    void (*next)(void *self, unsigned worker, double now, hs_decision *out);
    void (*ended)(void *self, unsigned worker, uint32_t task, hs_ending how, double now);
} decider;

hs_schedule *naive_clock_simulate(const sample *s, const hs_instance *truth, const decider *d);

/* Return a decider that calls the library's policy, with or without hs_policy_take_own(). */
decider decider_of_policy(hs_policy *policy, int with_own);

/*
 * Literal transcription of `heteroprio` (plan NULL) or `plan+steal`: each request examines
 * everything, and the next time to ask is found by bisection over doubles.
 */
typedef struct literal_policy literal_policy;

literal_policy *literal_policy_create(const sample *s, const hs_schedule *plan, double tolerance);
void            literal_policy_free(literal_policy *l);
decider         literal_policy_decider(literal_policy *l);

#endif
