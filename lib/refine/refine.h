/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_H
#define HSI_REFINE_H

#include <stdatomic.h>

#include <hybridsched/solve.h>

#include "core/problem.h"
#include "core/stop.h"

/*
 * What all searches use. A schedule is an assignment here: worker[i] of task i, numbered as
 * everywhere, the CPUs first. Workers run their tasks in the order of their indices, without
 * a pause.
 */

/* What the threads of one call look at to know when to end. */
typedef struct hsi_interrupt {
    const hsi_stop *stop;
    atomic_int     *halt;  /* nonzero: everybody ends */
    int             leads; /* the caller's own thread: asks and tells the caller */
    void (*report_progress)(void *report_data); /* may be NULL */
    void      *report_data;
    hsi_asker *asker; /* the caller's alone, not the time's, where `leads`; NULL: nobody */
} hsi_interrupt;

static inline int hsi_interrupted(const hsi_interrupt *interrupt)
{
    if (interrupt->leads && interrupt->report_progress)
        interrupt->report_progress(interrupt->report_data);
    if (!atomic_load_explicit(interrupt->halt, memory_order_relaxed) &&
        (interrupt->leads ? hsi_stop_now(interrupt->stop) : hsi_now() >= interrupt->stop->end))
        atomic_store_explicit(interrupt->halt, 1, memory_order_relaxed);
    return atomic_load_explicit(interrupt->halt, memory_order_relaxed);
}

static inline double hsi_time_on(const hsi_problem *pb, size_t task, uint32_t worker)
{
    return worker < pb->m ? pb->p[task] : pb->q[task];
}

/*
 * Makespan of the schedule that hsi_assignment_schedule() makes; `load`: m + k, scratch. This and
 * what follows ask the problem's asker, or that of the interrupt where there is one; what returns
 * no status goes on.
 */
double hsi_assignment_makespan(const hsi_problem *pb, const uint32_t *worker, double *load);

hs_status hsi_assignment_schedule(const hsi_problem *pb, const uint32_t *worker, hs_schedule **out);

/* Where a valid schedule runs its tasks; what it aborted is left out. `asker` may be NULL. */
void hsi_assignment_of(const hs_schedule *s, hsi_asker *asker, uint32_t *worker);

/*
 * Cuts the order of rising p/q in two, the CPUs' tasks first, near where the two
 * sides balance, and runs LPT on each side; the best of up to `places` cuts.
 * *pivot, if wanted, is p/q where they balance: what a GPU's second is worth in
 * CPU seconds. `worker`: NULL for the pivot alone. O(places x n log(m + k)). HS_ECANCELED:
 * the problem's asker wants no more.
 */
hs_status hsi_split(const hsi_problem *pb, const uint32_t *order, unsigned places,
                    const hsi_interrupt *interrupt, uint32_t *worker, double *pivot);

/* What the area bound values tasks at: a GPU's second is worth `pivot` CPU seconds. */
void hsi_area_worth(const hsi_problem *pb, double pivot, double *worth);

/*
 * Spreads the tasks that `worker` puts on one type, anywhere there, over that type's workers:
 * LPT, then hsi_level(). Nothing is done where the type has no worker. O(n log n), and the
 * exchanges.
 */
hs_status hsi_pack(const hsi_problem *pb, hs_type type, const hsi_interrupt *interrupt,
                   uint32_t *worker);

/*
 * From the assignment as it is: exchanges of a task for one or none with the worker of the
 * type that ends last, until none helps.
 */
hs_status hsi_level(const hsi_problem *pb, hs_type type, const hsi_interrupt *interrupt,
                    uint32_t *worker);

#endif
