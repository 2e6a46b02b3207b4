/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_PROPERTY_NAIVE_CLOCK_H
#define TEST_PROPERTY_NAIVE_CLOCK_H

#include "sample.h"

/*
 * The virtual clock once more, without thrift: after whatever happens everybody who
 * waits is asked again. What it asks is the library's policy, over its public calls,
 * or one written down a second time.
 */
typedef struct decider {
    void *self;
    int (*own)(void *self, unsigned worker, uint32_t *task); /* NULL: it has none */
    void (*next)(void *self, unsigned worker, double now, hs_decision *out);
    void (*ended)(void *self, unsigned worker, uint32_t task, hs_ending how, double now);
} decider;

hs_schedule *naive_clock_run(const sample *s, const hs_instance *truth, const decider *d);

/* The library's; with or without its fast path. */
decider library_policy(hs_policy *policy, int with_own);

/*
 * `heteroprio` (plan NULL) or `plan+steal`, as their rules read: everything is looked at
 * at every question, and when to ask again is found by bisection over all doubles.
 */
typedef struct literal_policy literal_policy;

literal_policy *literal_policy_create(const sample *s, const hs_schedule *plan, double tolerance);
void            literal_policy_free(literal_policy *l);
decider         literal_policy_decider(literal_policy *l);

#endif
