/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <hybridsched/hybridsched.h>

/* What another solver makes of an instance in the same time. */
typedef struct peer_result {
    double makespan; /* INFINITY: it found no schedule */
    double bound;    /* that it claims */
    double seconds;
} peer_result;

/* Tasks times workers up to which it is asked at all. */
enum { PEER_MOST_COLUMNS = 20000 };

/*
 * GLPK's branch and cut on the assignment model: a binary variable for each task and
 * worker, a row for each of both, presolve, all cuts, the feasibility pump.
 * 0 if this build lacks GLPK or the instance is too large for that.
 */
int peer_glpk(const hs_instance *in, double seconds, peer_result *result);

#endif
