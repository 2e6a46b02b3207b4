/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_PROPERTY_LITERAL_CLOCK_H
#define TEST_PROPERTY_LITERAL_CLOCK_H

#include "literal_moves.h"

/*
 * The policies on graphs once more, as their rules read: time by time, whoever is first in the
 * order does one thing, and everything is looked at again. Those that take from others what runs,
 * and dualhp, with exact estimates only.
 */
typedef struct literal_rules {
    const char               *name;
    const hs_policy_settings *settings; /* NULL: defaults */
    const hs_schedule        *plan;     /* of plan, plan+steal; else NULL */
    const hs_instance        *truth;
    literal_moves            *moves; /* gets what is moved; NULL: that is not wanted */
} literal_rules;

/* Placements, each worker's in order of time; `most` of them at most. Their number. */
size_t literal_graph(const graph_sample *s, const literal_rules *rules, hs_placement *out,
                     size_t most);

/* b(t), and w(t) + max(c + w(s)). */
void literal_ranks(const graph_sample *s, hs_rank rank, double *out);
void literal_next_ranks(const graph_sample *s, double *out);

#endif
