/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_SOLVE_SOLVE_INSTANCE_H
#define TOOLS_SOLVE_SOLVE_INSTANCE_H

#include "solve/solve.h"

/* Internals of solve_instance(), shared by solve_instance.c, certify.c and report.c. */

/* Names separated by commas; `text` has room for all names of the library. */
typedef struct name_list {
    char   text[512];
    size_t used;
} name_list;

/* The state of solve_instance(). */
typedef struct run {
    const solve_request *request;
    solve_result        *result;
    const hs_instance   *in;
    hs_settings          settings; /* settings of the request, completed for this instance */
    double               best_makespan;
    name_list            stopped;    /* bounds and algorithms without a result due to a signal */
    /* whether a schedule exists, so that a signal may stop the work; atomic */
    int                  has_result;
    size_t               step;
} run;

/** Print a message about the failed step `what`; return the exit code of `status`. */
int solve_failed(const run *r, const char *what, hs_status status);

/**
 * Return 0, or EXIT_WORK after a message if the bound is above a valid schedule. Such a bound is a
 * defect, and the caller must not report it.
 */
int solve_check_bound(const run *r, const char *name, double bound);

bool solve_certificate_wanted(const run *r);

/** Compute a bound and its certificate; set *value to the certified bound. */
hs_status solve_certify(run *r, const hs_bound *bound, double *value);

/**
 * Certify a bound that a search proved beyond the certificate, unless a signal requests a stop.
 * Return 0, or an exit code after a message.
 */
int solve_certify_best(run *r);

#endif
