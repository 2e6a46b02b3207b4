/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_PROPERTY_LITERAL_CLOCK_H
#define TEST_PROPERTY_LITERAL_CLOCK_H

#include "literal_transfers.h"

/*
 * Literal transcription of the policies on graphs: at each time, the first worker in order takes
 * one step, then every worker is examined again. Policies with spoliation, and dualhp, are covered
 * for exact estimates only.
 */
typedef struct literal_rules {
    const char               *name;
    const hs_policy_settings *settings; /* NULL: defaults */
    const hs_schedule        *plan;     /* plan that the policies plan and plan+steal follow;
                                           else NULL */
    const hs_instance *truth;
    literal_transfers *moves; /* list that receives the transfers; NULL: ignored */
} literal_rules;

/* Write at most `most` placements to `out`, in order of time for each worker; return their number.
 * */
size_t literal_graph_run(const graph_sample *s, const literal_rules *rules, hs_placement *out,
                         size_t most);

/* Set out[] to the rank b(t), or to the next rank w(t) + max(c + w(s)) over successors s. */
void literal_ranks(const graph_sample *s, hs_rank rank, double *out);
void literal_next_ranks(const graph_sample *s, double *out);

#endif
