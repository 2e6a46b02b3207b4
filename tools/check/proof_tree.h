/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_PROOF_TREE_H
#define TOOLS_CHECK_PROOF_TREE_H

#include <gmp.h>

#include "check/task_kinds.h"
#include "check/limits.h"
#include "check/read/certificate_read.h"

/** The verification of a proof: its fixed data, and the present case. */
typedef struct cases {
    const certificate *c;
    const task_kind   *kind; /* the kinds of tasks, c->kinds in number */
    unsigned           workers[2];
    long               unit;       /* all times are multiples of 2^unit */
    mpz_t              longest;    /* makespan to refute, in units */
    /* per kind: range of the number of tasks on CPUs in the present case */
    uint32_t          *low, *high;
    limits            *l;
} cases;

/**
 * Return why the proof does not show that every schedule takes `value` or longer; NULL: it does.
 * `kind` has the kinds of the instance.
 */
const char *proof_tree_flaw(const certificate *c, const task_kind *kind, const unsigned workers[2],
                            const mpq_t value, limits *l);

/** Return why the leaf does not prove the present case; NULL: it does. */
const char *proof_leaf_flaw(cases *cs, const proof_node *node);

/** Return a positive finite time as mantissa 2^exponent with an odd mantissa. */
dyadic time_as_dyadic(double time);

/** Set `longest` to the greatest multiple of 2^unit below the value, divided by 2^unit. */
void greatest_multiple_below(mpz_t longest, const mpq_t value, long unit);

/** The reason for refusing a proof that takes too long to verify. */
extern const char flaw_too_much[];

#endif
