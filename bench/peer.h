/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <hybridsched/hybridsched.h>

/* The result of another solver in equal time. */
typedef struct peer_result {
    double makespan; /* INFINITY: no schedule found */
    double bound;    /* lower bound claimed by the solver */
    double seconds;
} peer_result;

/* Limit of tasks times workers for running the solver. */
enum { PEER_MOST_COLUMNS = 20000 };

/*
 * Run GLPK's branch and cut on the assignment model: a binary variable per task and worker, a row
 * per task and per worker, presolve, all cuts, the feasibility pump. Returns false if this build
 * lacks GLPK or the instance is too large.
 */
bool peer_glpk(const hs_instance *in, double seconds, peer_result *result);

#endif
