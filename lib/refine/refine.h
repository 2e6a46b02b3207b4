/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_H
#define HSI_REFINE_H

#include <stdatomic.h>

#include <hybridsched/solve.h>

#include "core/problem.h"
#include "core/time_limit.h"

/* Data and functions shared by all searches. An assignment represents a schedule: worker[i] is the
 * worker of task i, CPUs first. Workers run their tasks by index, without pauses. */

/* Stop conditions of the threads of a search. */
typedef struct hsi_interrupt {
    const hsi_stop *stop;
    atomic_int     *halt;  /* flag of all threads; nonzero: stop */
    bool            leads; /* whether this is the caller's own thread, which calls
                              report_progress and polls the caller */
    void (*report_progress)(void *report_data); /* may be NULL */
    void      *report_data;
    hsi_token *token; /* the caller's cancel token, without time limit, used if `leads`; NULL:
                         none */
} hsi_interrupt;

static inline int hsi_interrupted(const hsi_interrupt *interrupt)
{
    if (interrupt->leads && interrupt->report_progress)
        interrupt->report_progress(interrupt->report_data);
    if (!atomic_load_explicit(interrupt->halt, memory_order_relaxed) &&
        (interrupt->leads ? hsi_stop_is_due(interrupt->stop)
                          : hsi_clock_seconds() >= interrupt->stop->end))
        atomic_store_explicit(interrupt->halt, 1, memory_order_relaxed);
    return atomic_load_explicit(interrupt->halt, memory_order_relaxed);
}

static inline double hsi_time_on(const hsi_problem *pb, size_t task, uint32_t worker)
{
    return worker < pb->m ? pb->p[task] : pb->q[task];
}

/*
 * Return the makespan of the schedule from hsi_assignment_schedule(); `load` is scratch for m + k
 * entries. This and the next functions poll the cancel token of `pb`, or of the interrupt if given;
 * functions without a status continue when cancelled.
 */
double hsi_assignment_makespan(const hsi_problem *pb, const uint32_t *assignment, double *load);

hs_status hsi_assignment_schedule(const hsi_problem *pb, const uint32_t *assignment,
                                  hs_schedule **out);

/* Write the worker of each task in a valid schedule, without aborted entries. `token` may be
 * NULL. */
void hsi_assignment_of(const hs_schedule *s, hsi_token *token, uint32_t *assignment);

/*
 * Cut the order of increasing p/q in two, CPU tasks first, near the balance of both sides, and run
 * LPT on each side; keep the best of up to `most_places` cuts. *pivot is p/q at the balance: the
 * value of a GPU second in CPU seconds. `assignment`: NULL: compute the pivot alone. O(most_places
 * x n log(m + k)). HS_ECANCELED.
 */
hs_status hsi_split_by_ratio(const hsi_problem *pb, const uint32_t *order, unsigned most_places,
                             const hsi_interrupt *interrupt, uint32_t *assignment, double *pivot);

/* Compute the value of each task in the area bound, min(p, pivot q). */
void hsi_worths_of_pivot(const hsi_problem *pb, double pivot, double *worth);

/* Distribute the tasks that `assignment` assigns to a type over the workers of this type: LPT, then
 * hsi_level_loads(). Does nothing for a type without workers. O(n log n), plus the exchanges. */
hs_status hsi_pack_tasks(const hsi_problem *pb, hs_type type, const hsi_interrupt *interrupt,
                         uint32_t *assignment);

/* Improve an assignment on one type: exchange a task of the worker that ends last for another
 * worker's task, or for none, until no exchange helps. */
hs_status hsi_level_loads(const hsi_problem *pb, hs_type type, const hsi_interrupt *interrupt,
                          uint32_t *assignment);

#endif
