/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_GEN_ADVERSARY_PROVE_H
#define TOOLS_GEN_ADVERSARY_PROVE_H

#include "gen/adversary/case.h"

/** Remove tasks, edges, priorities and common divisors as long as the ratio does not fall. */
hs_status simplify_case(case_judge *judge, bad_case *c);

/** The proved facts about the optimum of a case. */
typedef struct case_proof {
    hs_schedule    *schedule; /* best schedule found */
    double          makespan; /* makespan of `schedule` */
    double          bound;    /* proved lower bound */
    char            bound_name[32];
    bool            optimal;     /* proved by the search; the certificate may prove less */
    hs_certificate *certificate; /* NULL: not requested */
} case_proof;

/** Solve the case by `exact`, starting from its witness; make a certificate if `certified`. */
hs_status prove_case(hs_builder *builder, const bad_case *c, int certified, case_proof *proof);

#endif
