/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SOLVER_PATH_LP_H
#define HSI_SOLVER_PATH_LP_H

#include "core/certificate.h"
#include "core/problem.h"
#include "core/stop.h"
#include "support/arena.h"

/*
 * The area LP of a graph's tasks, to which paths are added: a share of each task runs on CPUs, the
 * rest on GPUs; no type has more work than its workers times T, and what a path's tasks take, by
 * their shares, is no more than T either.
 *
 * Whatever comes out is a hint: nothing may be trusted to be exact.
 */
typedef struct hsi_path_lp {
    const hsi_problem *pb;
    hsi_arena          arena;    /* of the arrays */
    struct glp_prob   *lp;       /* lives under the guard, between build and drop */
    int                exponent; /* times are divided by 2 to this */
    int               *column;   /* of tasks; 0: the task can run on one type only */
    uint32_t          *order;    /* of tasks, by rising p / q */
    int               *index;    /* scratch: of a row */
    double            *value;
    double            *share;         /* out: of each task, on CPUs */
    double             makespan;      /* out: T */
    double             multiplier[2]; /* out: of the types' loads, with m u + k v + z = 1 */
} hsi_path_lp;

hs_status hsi_path_lp_open(hsi_path_lp *path_lp, const hsi_problem *pb);
void      hsi_path_lp_close(hsi_path_lp *path_lp);

/* The rest only under the guard (solver/guard.h), in one run of it. */
void hsi_path_lp_build(hsi_path_lp *path_lp);
void hsi_path_lp_drop(hsi_path_lp *path_lp);

void hsi_path_lp_add(hsi_path_lp *path_lp, const hsi_counted *counted, size_t count);

/* HS_ESOLVER: nothing is known. *optimal: 0 if the time was too short. */
hs_status hsi_path_lp_solve(hsi_path_lp *path_lp, const hsi_stop *stop, int *optimal);

/* The multiplier of the i-th path that was added. */
double hsi_path_lp_multiplier(const hsi_path_lp *path_lp, size_t i);

#endif
