/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_SOLVE_RUN_H
#define TOOLS_SOLVE_RUN_H

#include "solve/solve.h"

/* The work on one instance, between the files that do it. */

/* Names with commas between them; there is room for all that the library has. */
typedef struct name_list {
    char   text[512];
    size_t used;
} name_list;

/* What solve_instance() works on. */
typedef struct run {
    const solve_request *request;
    solve_result        *result;
    const hs_instance   *in;
    hs_settings          settings; /* the request's, and what is this instance's own */
    double               best_makespan;
    name_list            stopped;    /* bounds and algorithms that have no result, by a signal */
    int                  has_result; /* 0: a signal has to wait for a schedule; atomic */
    size_t               step;
} run;

/** A message about what failed; returns its exit code. */
int solve_failed(const run *r, const char *what, hs_status status);

/**
 * No bound is above a valid schedule. One that is, is a defect: EXIT_WORK after a message, so that
 * it is not reported as if it proved anything. Else 0.
 */
int solve_check_bound(const run *r, const char *name, double bound);

int solve_certificate_wanted(const run *r);

/** Compute a bound and what proves it; `value` is what is proved. */
hs_status solve_certify(run *r, const hs_bound *bound, double *value);

/**
 * A search may have proved more than the certificate does: certify that bound, unless a signal asks
 * to stop. 0, or an exit code after a message.
 */
int solve_certify_best(run *r);

#endif
