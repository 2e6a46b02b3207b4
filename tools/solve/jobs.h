/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_SOLVE_JOBS_H
#define TOOLS_SOLVE_JOBS_H

#include "solve/solve.h"

/*
 * Threads that solve instances, several at a time.
 */

/** The work on one instance: solve_instance()'s exit code, and what it leaves to the caller. */
typedef struct solve_job {
    const char  *path;
    int          code;
    solve_result result;
    int          done;
    char        *messages; /* of the work; NULL: they were printed at once */
    size_t       length;   /* of these */
} solve_job;

typedef struct solve_jobs solve_jobs;

/** Begin on all instances, in as many threads as the request's settings say. */
solve_jobs *solve_jobs_start(const solve_request *request, char *const *paths, size_t count);

/**
 * Wait for the next job, in the order of the paths, and print its messages. Release it before
 * the next one: that frees what came of it, and lets the threads go on. NULL: a signal came before
 * this job or any after it was begun (common/stop.h).
 */
solve_job *solve_jobs_next(solve_jobs *all);
void       solve_jobs_release(solve_jobs *all, solve_job *job);

/** After the last job, or NULL. */
void solve_jobs_end(solve_jobs *all);

#endif
