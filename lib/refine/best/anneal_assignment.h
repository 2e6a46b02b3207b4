/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_BEST_ANNEAL_H
#define HSI_REFINE_BEST_ANNEAL_H

#include "refine/refine.h"
#include "support/random.h"

/*
 * Simulated annealing of an assignment. A machine is a worker, or a pool: all workers of a type
 * with many tasks per worker, among which hsi_pack_tasks() spreads the tasks afterwards. The energy
 * is the work of all machines beyond a target makespan, in CPU seconds.
 */
typedef struct hsi_anneal hsi_anneal;

typedef struct hsi_anneal_run {
    double   makespan;  /* makespan of the start */
    double   bound;     /* lower bound of all targets */
    double   enough;    /* makespan that ends the run */
    double   hot, cold; /* first and last temperature, in CPU seconds */
    uint64_t moves;
    bool     apart;   /* true: no pools */
    bool     pools;   /* whether to make both types pools */
    uint64_t made;    /* out: moves made */
    double   seconds; /* result: seconds spent on the moves */
    double   height;  /* result: the makespan with the loads of pools spread evenly */
} hsi_anneal_run;

/* Allocate the state for runs on `pb`, which must outlive it. `pivot` is that of
 * hsi_split_by_ratio(). HS_ENOMEM. */
hs_status hsi_anneal_open(const hsi_problem *pb, double pivot, hsi_anneal **out);
void      hsi_anneal_close(hsi_anneal *a);

/* Anneal from the assignment `assignment`; the result replaces it and may be worse. HS_ENOMEM,
 * HS_ECANCELED. */
hs_status hsi_anneal_run_streams(hsi_anneal *a, hsi_random *random, hsi_anneal_run *run,
                                 const hsi_interrupt *interrupt, uint32_t *assignment);

#endif
