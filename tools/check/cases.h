/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_CASES_H
#define TOOLS_CHECK_CASES_H

#include <gmp.h>

#include "check/kinds.h"
#include "check/limits.h"
#include "check/read/read.h"

/** A proof that is being verified: what is so of all of it, and of the case at hand. */
typedef struct cases {
    const certificate *c;
    const task_kind   *kind; /* as many as the certificate says */
    unsigned           workers[2];
    long               unit;       /* all times are multiples of 2^unit */
    mpz_t              longest;    /* makespan that is to be refuted, in such units */
    uint32_t          *low, *high; /* of each kind: how many run on CPUs in the case at hand */
    limits            *l;
} cases;

/**
 * Why no schedule but one that takes `value` or longer is ruled out by the proof; NULL: it is.
 * The kinds are those of the instance.
 */
const char *cases_flaw(const certificate *c, const task_kind *kind, const unsigned workers[2],
                       const mpq_t value, limits *l);

/** Why the leaf does not prove the case at hand; NULL: it does. */
const char *leaf_flaw(cases *cs, const proof_node *node);

/** As mantissa 2^exponent with an odd mantissa; the time is positive and finite. */
dyadic time_as_dyadic(double time);

/** The greatest multiple of 2^unit below the value, over 2^unit. */
void longest_below(mpz_t longest, const mpq_t value, long unit);

/** What is said of a proof that it would take too long to verify. */
extern const char flaw_too_much[];

#endif
