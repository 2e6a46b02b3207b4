/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_GEN_ADVERSARY_PROVE_H
#define TOOLS_GEN_ADVERSARY_PROVE_H

#include "gen/adversary/case.h"

/** Leave out tasks, edges, priorities and common divisors as long as the case is no less bad. */
hs_status simplify_case(case_judge *judge, bad_case *c);

/** What is known of the best schedule of a case. */
typedef struct case_proof {
    hs_schedule    *schedule; /* the best that was found */
    double          makespan; /* of it */
    double          bound;    /* no schedule is shorter */
    char            bound_name[32];
    int             optimal;     /* proved by the search; the certificate may prove less */
    hs_certificate *certificate; /* NULL: none was asked for */
} case_proof;

/** Solve the case by `exact`, from its witness on; with a certificate if `certified`. */
hs_status prove_case(hs_builder *builder, const bad_case *c, int certified, case_proof *proof);

#endif
