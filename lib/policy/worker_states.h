/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_POLICY_WORKER_STATES_H
#define HSI_POLICY_WORKER_STATES_H

#include <hybridsched/policy.h>

#include "core/problem.h"
#include "policy/inputs.h"
#include "policy/history.h"

/*
 * The state of workers for spoliation: the task that each runs, since when, and which thief waits
 * for which victim. A thief spoliates a task only if the expected end on the thief is strictly
 * before the expected end on the victim, as in the algorithm. The history of the run (ratios of
 * measured time to estimate) corrects expected times; without misestimates they equal the
 * estimates.
 *
 * The victim's expected ratio is the mean over finished tasks of the same kernel and type that
 * lasted at least as long as the task so far; without such tasks, over all finished tasks of the
 * type. Without any, the task is late (past its estimate by more than the tolerance) and is
 * expected to run as long again as it has, or half of that if the thief's type has no history of
 * the kernel or only misestimates. The thief's time is increased with the spread of its ratios: a
 * second of possible loss counts three times a second of possible gain. Once the victim is late,
 * elapsed time over estimate multiplies the thief's time.
 *
 * Each type spoliates a task at most once, and never a task that was late on this type and
 * spoliated there: this bounds the number of restarts under any estimates. If transfers take time,
 * the history is unused: the estimates hold until a task is late. A worker may also have a
 * prefetched task, which starts when the worker is idle and the inputs have arrived, and which can
 * be spoliated like the running one.
 */
typedef struct hsi_worker_state {
    double   start;            /* start of `task`, when all inputs are in the worker's memory */
    uint32_t task;             /* running task, or HS_NONE */
    uint32_t thief;            /* worker that requested `task`, RETIRED, or HS_NONE */
    uint32_t victim;           /* worker whose task this worker requested, or HS_NONE */
    uint32_t requested;        /* the task requested from `victim` */
    uint32_t reserved;         /* aborted task that only this worker may start, or HS_NONE */
    uint32_t prefetched;       /* task that starts after `task` on this worker, or HS_NONE */
    uint32_t prefetched_thief; /* worker that requested `prefetched`, or HS_NONE */
    double   inputs_at;        /* arrival of the last input of `prefetched` */
} hsi_worker_state;

/* Which running tasks a thief may spoliate, and in which order they are tried. Ties go to the
 * smaller number. */
typedef struct hsi_spoliation_rule {
    enum {
        HSI_END_FIRST,  /* later expected end first, then higher priority */
        HSI_RANK_FIRST, /* higher priority first, then later expected end */
        HSI_RANK_ALONE  /* higher priority first, then topological order */
    } order;
    bool always;        /* whether to spoliate even if the thief ends the task later than the
                           victim */
    double least_ratio; /* smallest p/q of a task that may be spoliated; 0: any */
} hsi_spoliation_rule;

typedef struct hsi_worker_states {
    const hsi_problem *pb;
    double             tolerance;
    hsi_worker_state  *of; /* indexed by worker */
    hsi_history        history;
    unsigned char *barred; /* indexed by task: bit 1 << t: hs_type t may not spoliate the task */
    double no_spoliation_before[2]; /* indexed by hs_type: no task is worth spoliating before this
                                       time */
    const hsi_inputs   *inputs;     /* data inputs; NULL: transfers take no time */
    hsi_spoliation_rule rule;
    const double *due; /* indexed by task: a task that started by due[task] is spoliated only when
                          late; NULL: no such limit */
} hsi_worker_states;

/* Create the states of all workers, all idle. `pb` must outlive `states`; `estimates` is read
 * during the call only. HS_ENOMEM leaves `states` zeroed. */
hs_status hsi_states_open(hsi_worker_states *states, const hsi_problem *pb,
                          const hs_instance *estimates, double tolerance);
void      hsi_states_close(hsi_worker_states *states);

/* Return the type of a worker. */
static inline hs_type hsi_states_type(const hsi_worker_states *states, unsigned worker)
{
    return worker < states->pb->m ? HS_CPU : HS_GPU;
}

/* Return the estimated time of a task on a type, INFINITY if the type cannot run the task. */
static inline double hsi_states_time(const hsi_worker_states *states, hs_type type, uint32_t task)
{
    return type == HS_GPU ? states->pb->q[task] : states->pb->p[task];
}

/* Record that `worker` starts a task at `now`. */
static inline void hsi_states_record_start(hsi_worker_states *states, unsigned worker,
                                           uint32_t task, double now)
{
    states->of[worker].start = now;
    states->of[worker].task = task;
}

/* Record a prefetched task: the task starts on `worker` after the running task; its last input
 * arrives at `inputs_at`. */
static inline void hsi_states_record_prefetch(hsi_worker_states *states, unsigned worker,
                                              uint32_t task, double inputs_at)
{
    states->of[worker].prefetched = task;
    states->of[worker].inputs_at = inputs_at;
}

/* Return true and the prefetched task of a worker; false: the worker has no prefetched task. */
static inline bool hsi_states_get_prefetched(const hsi_worker_states *states, unsigned worker,
                                             uint32_t *task)
{
    *task = states->of[worker].prefetched;
    return *task != HS_NONE;
}

/*
 * Record that a task, running or prefetched, has ended on `worker`. Return true if the policy must
 * give the task to another worker; false if the task is finished or reserved for its thief. If the
 * history changed, wake the types whose workers found nothing to spoliate.
 */
bool hsi_states_record_end(hsi_worker_states *states, unsigned worker, uint32_t task, hs_ending how,
                           double now, hs_wake *wake);

/* Remove a retiring worker: cancel its request. Return true and the task that was reserved for the
 * worker, which the policy must give to another one; 0: no task was reserved. */
bool hsi_states_retire(hsi_worker_states *states, unsigned worker, uint32_t *task);

/* Return true and the decision of a worker with a reserved task (start the task), an open request
 * (repeat the request) or a prefetched task (start the task); false if the worker has none of the
 * three. */
bool hsi_states_pending_decision(hsi_worker_states *states, unsigned worker, hs_decision *out);

/* Return the expected end of the running task by its estimate; for a late task, `now` plus its
 * elapsed time. Return `now` for an idle worker. */
double hsi_states_expected_end(const hsi_worker_states *states, unsigned worker, double now);

/* Return the expected end of the running and the prefetched task, by the same rule as
 * hsi_states_expected_end(). */
double hsi_states_expected_end_with_prefetched(const hsi_worker_states *states, unsigned worker,
                                               double now);

/*
 * Return the earliest time at which a task of length `time`, started on another worker, would end
 * before this worker has run its current task and then `load` more. `now`: at once; INFINITY: not
 * expected. For an idle worker that is about to start a task, ask again after the start.
 */
double hsi_states_steal_time(const hsi_worker_states *states, unsigned worker, double load,
                             double time, double now);

/* Return the earliest time at which the other type should spoliate the running task: `now`: at
 * once; INFINITY: not expected. Requires a history, thus no transfers. */
double hsi_states_spoliation_time(const hsi_worker_states *states, unsigned worker, double now);

/*
 * Find the task that `thief` should spoliate now, the first in the order of `rule`. Return the
 * victim, a worker of the other type, and set *task; HS_NONE: no task is worth spoliating.
 * O(workers of the other type).
 */
uint32_t hsi_states_find_victim(const hsi_worker_states *states, unsigned thief, double now,
                                uint32_t *task);

/* Return the earliest time after `now` at which a task of `victim`, or of any worker of the other
 * type, may be worth spoliating for `thief`; INFINITY: not expected. */
double hsi_states_next_spoliation_from(const hsi_worker_states *states, unsigned thief,
                                       unsigned victim, double now);
double hsi_states_next_spoliation(const hsi_worker_states *states, unsigned thief, double now);

/* Record the request of `thief` for the running or prefetched `task` of `victim`. */
void hsi_states_request_spoliation(hsi_worker_states *states, unsigned thief, unsigned victim,
                                   uint32_t task);

#endif
