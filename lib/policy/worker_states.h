/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_POLICY_WORKER_STATES_H
#define HSI_POLICY_WORKER_STATES_H

#include <hybridsched/policy.h>

#include "core/problem.h"
#include "policy/history.h"
#include "policy/memory.h"

/*
 * Who runs what since when, and who waits for whose task: spoliation as it is done live. A task
 * is taken by who is expected to end it strictly earlier, as in the algorithm. What is expected is
 * learnt, as ratios of time to estimate of what is done, and is the estimate while all were right.
 *
 * Who has the task is held to take the mean of what tasks of the kind did there that lasted as
 * long, or if none did, of all tasks there. If none of these did either it is late, past its
 * estimate by more than the tolerance, and held to run as long again as it has, or half of that
 * where nothing is known of the kind on the thief's type or all its estimates were wrong. The
 * thief is held to take a time that is longer than the mean where its ratios are spread: what it
 * may lose counts three times what it may win. Once the task is late, that time is multiplied by
 * what the task has taken so far over its estimate.
 *
 * A type takes a task once, and none that was late on that type and taken from it: so wrong
 * estimates do not send it to and fro. Where transfers count, estimates are believed until a task
 * is late. Who has chosen ahead has a second task waiting, which starts when the first has ended
 * and its inputs are there, and may be taken as the first may.
 */
#define HSI_NONE UINT32_MAX

typedef struct hsi_worker_state {
    double   start;            /* of the task */
    uint32_t task;             /* that it runs, or HSI_NONE */
    uint32_t thief;            /* for whom it was asked to abort that, or HSI_NONE */
    uint32_t victim;           /* whose task it waits for, or HSI_NONE */
    uint32_t requested;        /* that task */
    uint32_t reserved;         /* task that was aborted for it, or HSI_NONE */
    uint32_t prefetched;       /* task that waits for it, or HSI_NONE */
    uint32_t prefetched_thief; /* for whom it was asked to give that up, or HSI_NONE */
    double   inputs_at;        /* when that one's inputs are */
} hsi_worker_state;

/* What may be taken, and what comes first: what is left equal, the smaller number does. */
typedef struct hsi_spoliation_rule {
    enum {
        HSI_END_FIRST,  /* by later end, then higher priority */
        HSI_RANK_FIRST, /* the other way round */
        HSI_RANK_ALONE  /* by higher priority, then place in the graph */
    } order;
    int    always;      /* whoever would end it first; else only what the thief would end earlier */
    double least_ratio; /* only what has p/q of at least this; 0: all */
} hsi_spoliation_rule;

typedef struct hsi_worker_states {
    const hsi_problem  *pb;
    double              tolerance;
    hsi_worker_state   *of;
    hsi_history         history;
    unsigned char      *barred;   /* of tasks: 1 << t, not to be taken by hs_type t */
    double              quiet[2]; /* by hs_type: before that, nothing is worth taking */
    const hsi_memory   *memory;   /* where transfers count; NULL: nowhere */
    hsi_spoliation_rule rule;
    const double *due; /* of tasks: what began no later is taken only when late; NULL: never */
} hsi_worker_states;

/* `pb` must outlive it. */
hs_status hsi_states_open(hsi_worker_states *states, const hsi_problem *pb,
                          const hs_instance *estimates, double tolerance);
void      hsi_states_close(hsi_worker_states *states);

static inline hs_type hsi_states_type(const hsi_worker_states *states, unsigned worker)
{
    return worker < states->pb->m ? HS_CPU : HS_GPU;
}

/* What a task is estimated to take. */
static inline double hsi_states_time(const hsi_worker_states *states, hs_type type, uint32_t task)
{
    return type == HS_GPU ? states->pb->q[task] : states->pb->p[task];
}

static inline void hsi_states_start(hsi_worker_states *states, unsigned worker, uint32_t task,
                                    double now)
{
    states->of[worker].start = now;
    states->of[worker].task = task;
}

/* A task waits for the worker until it has ended what it runs; its inputs are `there` then. */
static inline void hsi_states_prefetch(hsi_worker_states *states, unsigned worker, uint32_t task,
                                       double inputs_at)
{
    states->of[worker].prefetched = task;
    states->of[worker].inputs_at = inputs_at;
}

/* 1 and that task. */
static inline int hsi_states_prefetched(const hsi_worker_states *states, unsigned worker,
                                        uint32_t *task)
{
    *task = states->of[worker].prefetched;
    return *task != HSI_NONE;
}

/*
 * 1: the task is anybody's now; 0: it is over, or reserved for whoever asked for it. Those who
 * found nothing to take are to look again if it taught something.
 */
int hsi_states_ended(hsi_worker_states *states, unsigned worker, uint32_t task, hs_ending how,
                     double now, hs_wake *wake);

/*
 * A worker goes out of service: what it waits for is nobody's. 1 and the task if
 * one was reserved for it.
 */
int hsi_states_retire(hsi_worker_states *states, unsigned worker, uint32_t *task);

/*
 * 1 if a worker has asked for a task that somebody ran: it starts it if it was
 * aborted for it, else it still takes it.
 */
int hsi_states_pending(hsi_worker_states *states, unsigned worker, hs_decision *out);

/* When what a worker runs is expected to end by its estimate, or, late, if it needs as long again
 * as it has run; `now` if it runs nothing. */
double hsi_states_end(const hsi_worker_states *states, unsigned worker, double now);

/* When what waits for it is, too. */
double hsi_states_end_of_all(const hsi_worker_states *states, unsigned worker, double now);

/*
 * From when on something that takes `time` would end before the worker has run its task
 * and then others that take `load`: `now` if so now, INFINITY if it is not to be
 * expected. An idle worker is about to start: that is when to ask again.
 */
double hsi_states_worth(const hsi_worker_states *states, unsigned worker, double load, double time,
                        double now);

/* From when on the other type is to take the very task that the worker runs; likewise. */
double hsi_states_worth_spoliating(const hsi_worker_states *states, unsigned worker, double now);

/*
 * The worker of the other type whose task the thief is to take now, and that task, the first as
 * `taking` has it. HSI_NONE if there is none. O(workers of the other type).
 */
uint32_t hsi_states_victim(const hsi_worker_states *states, unsigned thief, double now,
                           uint32_t *task);

/* When there may be one at the earliest if there is none now: of one worker, or of all. */
double hsi_states_next_candidate(const hsi_worker_states *states, unsigned thief, unsigned worker,
                                 double now);
double hsi_states_next_victim(const hsi_worker_states *states, unsigned thief, double now);

/* The thief asks for a task of the victim's. */
void hsi_states_request(hsi_worker_states *states, unsigned thief, unsigned victim, uint32_t task);

#endif
