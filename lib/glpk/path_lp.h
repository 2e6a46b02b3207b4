/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_GLPK_PATH_LP_H
#define HSI_GLPK_PATH_LP_H

#include "core/certificate.h"
#include "core/problem.h"
#include "core/time_limit.h"
#include "support/arena.h"

/*
 * The area LP of a graph's tasks with path constraints: a share of each task runs on CPUs, the rest
 * on GPUs; no type has more work than its workers times T, and no path is longer than T by its
 * tasks' shares.
 *
 * All results are hints without exactness.
 */
typedef struct hsi_path_lp {
    const hsi_problem *pb;
    hsi_arena          arena;    /* memory of the arrays */
    struct glp_prob   *lp;       /* valid under the guard, between build and drop */
    int                exponent; /* times are divided by 2^exponent */
    int               *column;   /* column of each task; 0: the task runs on one type only */
    uint32_t          *order;    /* tasks by increasing p / q */
    int               *index;    /* scratch for one row */
    double            *value;
    double            *share;         /* out: share of each task on CPUs */
    double             makespan;      /* out: T */
    double             multiplier[2]; /* out: multipliers u, v of the loads of types, with m u + k v
                                         + z = 1 (z: sum over paths) */
} hsi_path_lp;

hs_status hsi_path_lp_open(hsi_path_lp *path_lp, const hsi_problem *pb);
void      hsi_path_lp_close(hsi_path_lp *path_lp);

/* Create or delete GLPK's problem. These and all functions below run under one call of the guard
 * (glpk/error_guard.h). */
void hsi_path_lp_create_glpk_problem(hsi_path_lp *path_lp);
void hsi_path_lp_delete_glpk_problem(hsi_path_lp *path_lp);

void hsi_path_lp_add_path(hsi_path_lp *path_lp, const hsi_counted *counted, size_t count);

/* Solve the LP. *optimal = 0: the time was too short. HS_ESOLVER: no result. */
hs_status hsi_path_lp_solve(hsi_path_lp *path_lp, const hsi_stop *stop, int *optimal);

/* Return the multiplier of the i-th added path. */
double hsi_path_lp_multiplier(const hsi_path_lp *path_lp, size_t path);

#endif
