/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_BEST_ANNEAL_H
#define HSI_REFINE_BEST_ANNEAL_H

#include "refine/refine.h"
#include "support/random.h"

/*
 * Simulated annealing. A machine is a worker, or all workers of a type that has
 * many tasks for each: those are told apart only afterwards, by hsi_pack(). The
 * energy is what the machines do beyond a target, in CPU seconds.
 */
typedef struct hsi_anneal hsi_anneal;

typedef struct hsi_anneal_run {
    double   makespan;    /* of the start */
    double   bound;       /* no target below it makes sense */
    double   enough;      /* ends when this is reached */
    double   hot, cold;   /* temperatures at the beginning and the end, in CPU seconds */
    uint64_t moves;
    int      apart;       /* no pools, whatever there is to share out */
    int      pools;       /* nothing but pools, whatever it may lose */
    uint64_t made;        /* out */
    double   cooling;     /* out: seconds spent on the moves */
    double   height;      /* out: the makespan, were pools shared out evenly */
} hsi_anneal_run;

/* `pivot` as from hsi_split(). */
hs_status hsi_anneal_open(const hsi_problem *pb, double pivot, hsi_anneal **out);
void      hsi_anneal_close(hsi_anneal *a);

/* From `worker` on; what it ends with replaces `worker`, and may be worse. */
hs_status hsi_anneal_go(hsi_anneal *a, hsi_random *random, hsi_anneal_run *run,
                        const hsi_interrupt *interrupt, uint32_t *worker);

#endif
