/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_H
#define HSI_REFINE_H

#include <stdatomic.h>

#include <hybridsched/solve.h>

#include "core/problem.h"
#include "core/stop.h"
#include "support/random.h"

/*
 * What `best` is made of. A schedule is an assignment here: worker[i] of task i,
 * numbered as everywhere, the CPUs first. Workers run their tasks in the order of
 * their indices, without a pause.
 */

/* What the threads of one call look at to know when to end. */
typedef struct hsi_watch {
    const hsi_stop *stop;
    atomic_int     *halt;  /* nonzero: everybody ends */
    int             leads; /* the caller's own thread: asks and tells the caller */
    void (*tell)(void *tell_data); /* may be NULL */
    void           *tell_data;
} hsi_watch;

static inline int hsi_watch_ends(const hsi_watch *watch)
{
    if (watch->leads && watch->tell)
        watch->tell(watch->tell_data);
    if (!atomic_load_explicit(watch->halt, memory_order_relaxed) &&
        (watch->leads ? hsi_stop_now(watch->stop) : hsi_now() >= watch->stop->end))
        atomic_store_explicit(watch->halt, 1, memory_order_relaxed);
    return atomic_load_explicit(watch->halt, memory_order_relaxed);
}

static inline double hsi_time_on(const hsi_problem *pb, size_t task, uint32_t worker)
{
    return worker < pb->m ? pb->p[task] : pb->q[task];
}

/* Makespan of the schedule that hsi_assignment_schedule() makes; `load`: m + k, scratch. */
double hsi_assignment_makespan(const hsi_problem *pb, const uint32_t *worker, double *load);

hs_status hsi_assignment_schedule(const hsi_problem *pb, const uint32_t *worker,
                                  hs_schedule **out);

/* Where a valid schedule runs its tasks; what it aborted is left out. */
void hsi_assignment_of(const hs_schedule *s, uint32_t *worker);

/*
 * Cuts the order of rising p/q in two, the CPUs' tasks first, near where the two
 * sides balance, and runs LPT on each side; the best of up to `places` cuts.
 * *pivot, if wanted, is p/q where they balance: what a GPU's second is worth in
 * CPU seconds. `worker`: NULL for the pivot alone. O(places x n log(m + k)).
 */
hs_status hsi_split(const hsi_problem *pb, const uint32_t *order, unsigned places,
                    const hsi_watch *watch, uint32_t *worker, double *pivot);

/* What the area bound values tasks at: a GPU's second is worth `pivot` CPU seconds. */
void hsi_area_worth(const hsi_problem *pb, double pivot, double *worth);

/*
 * Spreads the tasks of one type that `worker` puts there anew over that type's
 * workers: LPT, then exchanges of a task for one or none with the worker that
 * ends last, until none helps. O(n log n), and the exchanges.
 */
hs_status hsi_pack(const hsi_problem *pb, hs_type type, const hsi_watch *watch,
                   uint32_t *worker);

/* Only the exchanges, from the assignment as it is. */
hs_status hsi_level(const hsi_problem *pb, hs_type type, const hsi_watch *watch,
                    uint32_t *worker);

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

/* `pivot` as from hsi_split(); `order` by rising p/q. */
hs_status hsi_anneal_open(const hsi_problem *pb, const uint32_t *order, double pivot,
                          hsi_anneal **out);
void      hsi_anneal_close(hsi_anneal *a);

/* From `worker` on; what it ends with replaces `worker`, and may be worse. */
hs_status hsi_anneal_go(hsi_anneal *a, hsi_random *random, hsi_anneal_run *run,
                        const hsi_watch *watch, uint32_t *worker);

#endif
