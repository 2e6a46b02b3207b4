/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_GEN_ADVERSARY_CASE_H
#define TOOLS_GEN_ADVERSARY_CASE_H

#include <hybridsched/hybridsched.h>

enum { CASE_TASKS = 64 };

/*
 * An instance with whole times, and a schedule of it, the witness: each worker runs its tasks by
 * rising index, each as soon as its predecessors have ended. The optimum is at most the witness's
 * makespan, so the ratio is a lower bound on how bad the algorithm is.
 */
typedef struct bad_case {
    unsigned cpus, gpus;
    size_t   count;
    double   time[2][CASE_TASKS]; /* indexed by hs_type */
    int64_t  priority[CASE_TASKS];
    uint64_t after[CASE_TASKS];  /* bit i: the task follows task i, which has a smaller index */
    uint32_t worker[CASE_TASKS]; /* worker of each task in the witness */
    double   makespan, witness;  /* makespans of the algorithm and of the witness */
} bad_case;

/** The evaluation of cases: the algorithm, and memory for it. */
typedef struct case_judge {
    const hs_algorithm *algorithm;
    hs_settings         settings;
    hs_workspace       *workspace;
    hs_builder         *builder;
    int                 graph; /* whether tasks may depend on each other */
} case_judge;

hs_status case_judge_open(case_judge *judge);
void      case_judge_close(case_judge *judge);

static inline double case_ratio(const bad_case *c)
{
    return c->witness > 0 ? c->makespan / c->witness : 0;
}

static inline hs_type case_type(const bad_case *c, size_t task)
{
    return c->worker[task] < c->cpus ? HS_CPU : HS_GPU;
}

/** Return the time of the task in the witness. */
static inline double case_length(const bad_case *c, size_t task)
{
    return c->time[case_type(c, task)][task];
}

/** Improve the witness by simple moves, and compute both makespans. */
hs_status case_compute_makespans(case_judge *judge, bad_case *c);

/** Take the schedule `s` of the case as the witness; tasks of a graph are renumbered by start. */
void case_set_witness(bad_case *c, const hs_schedule *s);

/** Return the witness as a schedule of the case's instance. */
hs_status case_witness_schedule(const bad_case *c, hs_schedule **out);

/** Append a copy of a task; remove a task. */
void case_copy_task(bad_case *c, size_t task);
void case_drop_task(bad_case *c, size_t task);

/**
 * Build the instance, with notes (pairs of key and value, terminated by NULL) or without (NULL).
 */
hs_status case_instance(hs_builder *builder, const bad_case *c, const char *const *notes,
                        hs_instance **out);

#endif
