/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_LEAF_H
#define TOOLS_CHECK_LEAF_H

#include <gmp.h>

#include "check/read/read.h"

/** A proof by cases that is being verified: what is so of all of it, and the case at hand. */
typedef struct tree {
    const certificate *c;
    unsigned           workers[2];
    long               exponent;
    mpz_t             *time[2];    /* of each kind; -1: cannot run there */
    mpz_t              longest;    /* makespan that is to be refuted */
    mpq_t              longest_q;  /* the same, not in units */
    uint64_t          *low, *high; /* of each kind: how many run on CPUs in the case at hand */
    uint64_t           looks, searched, packed, chosen; /* work so far, of each sort */
} tree;

/** Why the leaf does not prove the case at hand; NULL: it does. */
const char *leaf_flaw(tree *t, const tree_node *node);

#endif
