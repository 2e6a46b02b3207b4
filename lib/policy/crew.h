/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_POLICY_CREW_H
#define HSI_POLICY_CREW_H

#include <hybridsched/policy.h>

#include "core/problem.h"
#include "policy/experience.h"
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

typedef struct hsi_member {
    double   start;       /* of the task */
    uint32_t task;        /* that it runs, or HSI_NONE */
    uint32_t thief;       /* for whom it was asked to abort that, or HSI_NONE */
    uint32_t victim;      /* whose task it waits for, or HSI_NONE */
    uint32_t wanted;      /* that task */
    uint32_t kept;        /* task that was aborted for it, or HSI_NONE */
    uint32_t ahead;       /* task that waits for it, or HSI_NONE */
    uint32_t ahead_thief; /* for whom it was asked to give that up, or HSI_NONE */
    double   there;       /* when that one's inputs are */
} hsi_member;

/* What may be taken, and what comes first: what is left equal, the smaller number does. */
typedef struct hsi_taking {
    enum {
        HSI_END_FIRST,  /* by later end, then higher priority */
        HSI_RANK_FIRST, /* the other way round */
        HSI_RANK_ALONE  /* by higher priority, then place in the graph */
    } order;
    int    anyhow; /* whoever would end it first; else only what the thief would end earlier */
    double leave;  /* only what has p/q of at least this; 0: all */
} hsi_taking;

typedef struct hsi_crew {
    const hsi_problem *pb;
    double             tolerance;
    hsi_member        *member;
    hsi_experience     experience;
    unsigned char     *barred;   /* of tasks: 1 << t, not to be taken by hs_type t */
    double             quiet[2]; /* by hs_type: before that, nothing is worth taking */
    const hsi_memory  *memory;   /* where transfers count; NULL: nowhere */
    hsi_taking         taking;
    const double      *due; /* of tasks: what began no later is taken only when late; NULL: never */
} hsi_crew;

/* `pb` must outlive it. */
hs_status hsi_crew_open(hsi_crew *crew, const hsi_problem *pb, const hs_instance *estimates,
                        double tolerance);
void      hsi_crew_close(hsi_crew *crew);

static inline hs_type hsi_crew_type(const hsi_crew *crew, unsigned worker)
{
    return worker < crew->pb->m ? HS_CPU : HS_GPU;
}

/* What a task is estimated to take. */
static inline double hsi_crew_time(const hsi_crew *crew, hs_type type, uint32_t task)
{
    return type == HS_GPU ? crew->pb->q[task] : crew->pb->p[task];
}

static inline void hsi_crew_start(hsi_crew *crew, unsigned worker, uint32_t task, double now)
{
    crew->member[worker].start = now;
    crew->member[worker].task = task;
}

/* A task waits for the worker until it has ended what it runs; its inputs are `there` then. */
static inline void hsi_crew_ahead(hsi_crew *crew, unsigned worker, uint32_t task, double there)
{
    crew->member[worker].ahead = task;
    crew->member[worker].there = there;
}

/* 1 and that task. */
static inline int hsi_crew_waiting(const hsi_crew *crew, unsigned worker, uint32_t *task)
{
    *task = crew->member[worker].ahead;
    return *task != HSI_NONE;
}

/*
 * 1: the task is anybody's now; 0: it is over, or kept for whoever asked for it. Those who
 * found nothing to take are to look again if it taught something.
 */
int hsi_crew_ended(hsi_crew *crew, unsigned worker, uint32_t task, hs_ending how, double now,
                   hs_wake *wake);

/*
 * A worker goes out of service: what it waits for is nobody's. 1 and the task if
 * one was kept for it.
 */
int hsi_crew_retire(hsi_crew *crew, unsigned worker, uint32_t *task);

/*
 * 1 if a worker has asked for a task that somebody ran: it starts it if it was
 * aborted for it, else it still takes it.
 */
int hsi_crew_pending(hsi_crew *crew, unsigned worker, hs_decision *out);

/* When what a worker runs is expected to end by its estimate, or, late, if it needs as long again
 * as it has run; `now` if it runs nothing. */
double hsi_crew_end(const hsi_crew *crew, unsigned worker, double now);

/* When what waits for it is, too. */
double hsi_crew_end_of_all(const hsi_crew *crew, unsigned worker, double now);

/*
 * From when on something that takes `time` would end before the worker has run its task
 * and then others that take `load`: `now` if so now, INFINITY if it is not to be
 * expected. An idle worker is about to start: that is when to ask again.
 */
double hsi_crew_worth(const hsi_crew *crew, unsigned worker, double load, double time, double now);

/* From when on the other type is to take the very task that the worker runs; likewise. */
double hsi_crew_worth_taking(const hsi_crew *crew, unsigned worker, double now);

/*
 * The worker of the other type whose task the thief is to take now, and that task, the first as
 * `taking` has it. HSI_NONE if there is none. O(workers of the other type).
 */
uint32_t hsi_crew_victim(const hsi_crew *crew, unsigned thief, double now, uint32_t *task);

/* When there may be one at the earliest if there is none now: of one worker, or of all. */
double hsi_crew_next_booty(const hsi_crew *crew, unsigned thief, unsigned worker, double now);
double hsi_crew_next_victim(const hsi_crew *crew, unsigned thief, double now);

/* The thief asks for a task of the victim's. */
void hsi_crew_ask(hsi_crew *crew, unsigned thief, unsigned victim, uint32_t task);

#endif
