/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_POLICY_CREW_H
#define HSI_POLICY_CREW_H

#include <hybridsched/policy.h>

#include "core/problem.h"

/*
 * Who runs what since when, and who waits for whose task: spoliation as it is done
 * live. A task is expected to end when its estimate says so; once it is late, that
 * is past its estimate by more than the tolerance, to need as long again as it has
 * run. One that is aborted late is held from then on to take that time, twice what
 * it had run, on that type: else two idle workers could take a task with a wrong
 * estimate from each other for ever.
 */
#define HSI_NONE UINT32_MAX

typedef struct hsi_member {
    double   start;  /* of the task */
    uint32_t task;   /* that it runs, or HSI_NONE */
    uint32_t thief;  /* for whom it was asked to abort that, or HSI_NONE */
    uint32_t victim; /* whose task it waits for, or HSI_NONE */
    uint32_t kept;   /* task that was aborted for it, or HSI_NONE */
} hsi_member;

typedef struct hsi_crew {
    const hsi_problem *pb;
    double             tolerance;
    hsi_member        *member;
    double            *lesson[2]; /* by hs_type, of tasks: what is known to be needed at least */
    int                learnt;    /* is there any lesson? */
    double             quiet[2];  /* by hs_type: before that, nothing is worth taking */
} hsi_crew;

/* `pb` must outlive it. */
hs_status hsi_crew_open(hsi_crew *crew, const hsi_problem *pb, double tolerance);
void      hsi_crew_close(hsi_crew *crew);

static inline hs_type hsi_crew_type(const hsi_crew *crew, unsigned worker)
{
    return worker < crew->pb->m ? HS_CPU : HS_GPU;
}

/* What a task is expected to take from its start. */
static inline double hsi_crew_time(const hsi_crew *crew, hs_type type, uint32_t task)
{
    double estimate = type == HS_GPU ? crew->pb->q[task] : crew->pb->p[task];

    if (crew->learnt && crew->lesson[type][task] > estimate)
        return crew->lesson[type][task];
    return estimate;
}

static inline void hsi_crew_start(hsi_crew *crew, unsigned worker, uint32_t task, double now)
{
    crew->member[worker].start = now;
    crew->member[worker].task = task;
}

/* 1: the task is anybody's now; 0: it is over, or kept for whoever asked for it. */
int hsi_crew_ended(hsi_crew *crew, unsigned worker, uint32_t task, hs_ending how, double now);

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

/* When what a worker runs is expected to end; `now` if it runs nothing. */
double hsi_crew_end(const hsi_crew *crew, unsigned worker, double now);

/*
 * From when on something that takes `time` would end before the worker has run its task
 * and then others that take `load`: `now` if so now, INFINITY if it is not to be
 * expected. An idle worker is about to start: that is when to ask again.
 */
double hsi_crew_worth(const hsi_crew *crew, unsigned worker, double load, double time, double now);

/* The same for the very task that the worker runs, on the other type. */
double hsi_crew_worth_taking(const hsi_crew *crew, unsigned worker, double now);

/*
 * Which worker's task would one of `type` end strictly earlier, starting now? By
 * decreasing expected end, then higher priority, then the smaller task. HSI_NONE if
 * there is none. O(workers of the other type).
 */
uint32_t hsi_crew_victim(const hsi_crew *crew, hs_type type, double now);

/* The thief asks for the victim's task. */
void hsi_crew_ask(hsi_crew *crew, unsigned thief, unsigned victim);

#endif
