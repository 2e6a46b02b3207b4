/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_PROPERTY_INVARIANTS_H
#define TEST_PROPERTY_INVARIANTS_H

#include <hybridsched/hybridsched.h>

/* An instance, the limits of its optimum, and which bounds and checkers the comparison runs. */
typedef struct invariants {
    const hs_instance *in;
    double             low, high; /* computed from the optimum: no makespan is below `low`,
                                     no bound above `high`; 0 and INFINITY: unknown */
    bool               slow;      /* run the bounds that solve mixed integer programs, too */
    /* Return whether the certificate is accepted by a checker; NULL: no checker. */
    bool (*verify)(const hs_instance *in, const hs_schedule *plan, const hs_certificate *c);
} invariants;

/*
 * Run every algorithm, bound and certificate on a small instance, and compare the results with each
 * other and with the optimum. Return NULL if every promise of the library holds, else the broken
 * promise, in memory of this file.
 */
const char *invariants_broken(const invariants *v);

#endif
