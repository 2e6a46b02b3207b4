/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_SOLVE_CREW_H
#define TOOLS_SOLVE_CREW_H

#include "solve/solve.h"

/** An instance's work: solve_instance()'s exit code, and what it leaves to the caller. */
typedef struct solve_job {
    const char  *path;
    int          code;
    solve_result result;
    hs_instance *in;
    hs_schedule *best;
    int          done;
    char        *messages; /* of the work; NULL: they were printed at once */
    size_t       length;   /* of these */
} solve_job;

typedef struct solve_crew solve_crew;

/** Begin on all instances, in as many threads as the request's settings say. */
solve_crew *solve_crew_start(const solve_request *request, char *const *paths, size_t count);

/**
 * Wait for the next job, in the order of the paths, and print its messages. It is the
 * crew's until solve_crew_release() frees it, which lets the work go on: call that before
 * the next one.
 */
solve_job *solve_crew_next(solve_crew *crew);
void       solve_crew_release(solve_crew *crew, solve_job *job);

/** After the last job. */
void solve_crew_end(solve_crew *crew);

#endif
