/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_GEN_ADVERSARY_CASE_H
#define TOOLS_GEN_ADVERSARY_CASE_H

#include <hybridsched/hybridsched.h>

enum { CASE_TASKS = 64 };

/*
 * An instance of whole times together with a schedule of it, the witness: each worker runs its
 * tasks by rising index, as soon as what they come after has ended. The optimum is at most what
 * the witness takes; so an algorithm is at least as bad as the ratio says, whatever the optimum is.
 */
typedef struct bad_case {
    unsigned cpus, gpus;
    size_t   count;
    double   time[2][CASE_TASKS]; /* by hs_type */
    int64_t  priority[CASE_TASKS];
    uint64_t after[CASE_TASKS];  /* bit i: it comes after task i, which is a smaller index */
    uint32_t worker[CASE_TASKS]; /* in the witness */
    double   makespan, witness;  /* what the algorithm takes, and what the witness takes */
} bad_case;

/** What evaluates cases: the algorithm, and memory for it. */
typedef struct case_judge {
    const hs_algorithm *algorithm;
    hs_settings         settings;
    hs_workspace       *workspace;
    hs_builder         *builder;
    int                 graph; /* tasks may depend on each other */
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

/** What the task takes in the witness. */
static inline double case_length(const bad_case *c, size_t task)
{
    return c->time[case_type(c, task)][task];
}

/** Improves the witness where that is easy, and sets what it and the algorithm take. */
hs_status case_judge_it(case_judge *judge, bad_case *c);

/** The witness becomes `s`, a schedule of the case; tasks of a graph are numbered as they start. */
void case_adopt(bad_case *c, const hs_schedule *s);

/** The witness as a schedule of the case's instance. */
hs_status case_witness(const bad_case *c, hs_schedule **out);

/** A copy of a task at the end, and the end of a task. */
void case_copy_task(bad_case *c, size_t task);
void case_drop_task(bad_case *c, size_t task);

/** The instance, with notes (pairs of key and value, NULL behind the last) or without (NULL). */
hs_status case_instance(hs_builder *builder, const bad_case *c, const char *const *notes,
                        hs_instance **out);

#endif
