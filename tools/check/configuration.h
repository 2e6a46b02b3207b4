/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_CONFIGURATION_H
#define TOOLS_CHECK_CONFIGURATION_H

#include <gmp.h>

#include "check/read/read.h"

/** Tasks by kinds, each with its count, and what is said of them. */
typedef struct configuration {
    long                  grid;
    int64_t               capacity, most[2];
    unsigned              workers[2];
    size_t                kinds;
    const certified_kind *kind;
} configuration;

/**
 * Why it does not prove that every schedule takes (capacity + 1) 2^grid; NULL: it does.
 * *work: see knapsack_check().
 */
const char *configuration_flaw(const configuration *c, uint64_t *work);

/** (capacity + 1) 2^grid */
void configuration_end(const configuration *c, mpq_t end);

/** A flaw that is none of the proof's own. */
extern const char flaw_too_large[];

#endif
