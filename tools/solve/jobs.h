/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_SOLVE_JOBS_H
#define TOOLS_SOLVE_JOBS_H

#include "solve/solve.h"

/*
 * Threads that solve instances, several at a time.
 */

/** The work on one instance: exit code and result of solve_instance(). */
typedef struct solve_job {
    const char  *path;
    int          code;
    solve_result result;
    bool         done;
    char        *messages; /* messages held until the job is reported; NULL: printed at once */
    size_t       length;   /* length of `messages` */
} solve_job;

typedef struct solve_jobs solve_jobs;

/** Start solving all instances, in the number of threads of the request's settings. */
solve_jobs *solve_jobs_start(const solve_request *request, char *const *paths, size_t count);

/**
 * Wait for the next job, in the order of the paths, and print its messages. Release each job before
 * asking for the next: this frees its result and lets the threads continue. Return NULL if a signal
 * came before this job began (common/stop.h).
 */
solve_job *solve_jobs_next(solve_jobs *all);
void       solve_jobs_release(solve_jobs *all, solve_job *job);

/**
 * Join the threads and free all jobs. Call after solve_jobs_next() returned the last job or NULL.
 */
void solve_jobs_end(solve_jobs *all);

#endif
