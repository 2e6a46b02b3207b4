/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_SOLVE_SOLVE_H
#define TOOLS_SOLVE_SOLVE_H

#include <stdio.h>

#include <hybridsched/hybridsched.h>

#include "common/copies.h"
#include "common/output.h"
#include "common/plugin.h"
#include "common/summary.h"

/* What hsched-solve is asked to do, what came of it, and how it says so. */

typedef enum solve_format { SOLVE_TEXT, SOLVE_CSV, SOLVE_JSON } solve_format;

/* What may be written of the best schedule. */
enum { SOLVE_PLAN, SOLVE_GANTT, SOLVE_TRACE, SOLVE_DOT, SOLVE_CERTIFICATE, SOLVE_FILES };

typedef struct wanted_bound {
    const hs_bound *bound;
    int             by_name; /* else it was among `all`, and may be left out */
    int             slow;    /* then also where nothing is left to prove */
} wanted_bound;

typedef struct wanted_algorithm {
    const hs_algorithm *algorithm;
    hs_rank             rank;
    char                name[PLUGIN_RANKED]; /* NAME or NAME:RANK */
    int                 by_name;             /* else it was among `all`, and may be left out */
} wanted_algorithm;

typedef struct solve_request {
    wanted_algorithm *algorithms;
    size_t            algorithm_count;
    wanted_bound     *bounds;
    size_t            bound_count;
    int               bounds_asked; /* -b was given: report them too */
    hs_settings       settings;
    const char       *affinity;          /* a file; NULL: none */
    const char       *available;         /* of workers; NULL: all are */
    const char       *start;             /* a plan to start from; NULL: none */
    int               metrics;           /* --metrics was given */
    int               summary;           /* of all instances, rather than a table of each */
    int               has_gap;           /* --gap was given: it must be reached */
    hs_read_options   reading;           /* other workers than the instance's, too */
    output           *file[SOLVE_FILES]; /* NULL: not wanted */
    solve_format      format;
} solve_request;

/** One algorithm's or one bound's work on one instance. */
typedef struct solve_row {
    const char *name;
    double      value;     /* makespan, certified: no true bound exceeds it; or the bound */
    double      gap;       /* to the best bound; 0: proved optimal */
    size_t      spoliated; /* executions that were aborted */
    double      seconds;
    hs_metrics  metrics;  /* if they were asked for, as is the next */
    copies      copied;   /* over links */
    int         left_out; /* it does not take such tasks, and was not asked for by name */
    int         stopped;  /* by a signal, before it had a result */
    int         optimal;  /* says the search that made it; sums may round above the bound */
    char        members[sizeof(((hs_report *)0)->members)]; /* of best's portfolio */
} solve_row;

typedef struct solve_result {
    const char     *path; /* of the instance */
    hs_instance    *in;
    solve_row      *algorithms; /* in the order of the request, less those left out */
    size_t          algorithm_count;
    solve_row      *bounds; /* likewise */
    size_t          bound_count;
    hs_schedule    *best;        /* of the algorithms; NULL: no schedule is wanted */
    hs_named_bound  bound;       /* the best of them */
    hs_certificate *certificate; /* of the best that has one; NULL: none, or not wanted */
} solve_result;

/** Steps of the progress line that one instance takes. */
size_t solve_steps(const solve_request *request);

/**
 * Read the instance `path` and do all that is asked of it; files are left to
 * solve_write(). `step` is the number of progress steps behind. 0, or an exit
 * code after a message. *result is all 0 before, and is freed in any case. A signal ends the work
 * as soon as there is a schedule (common/stop.h); where it came before the instance was read,
 * the result has no algorithm.
 */
int  solve_instance(const solve_request *request, const char *path, size_t step,
                    solve_result *result);
void solve_result_free(solve_result *result);

/** Write and close the files that are wanted: all of them, or none. Returns an exit code. */
int solve_write(solve_request *request, const solve_result *result);

/** EXIT_WORK after a message if no algorithm has reached the gap that was asked for; else 0. */
int solve_gap_code(const solve_request *request, const solve_result *result);

/**
 * Read the plan `path` as a schedule of `in`, whose tasks it may have in another order
 * (start.c). 0, or an exit code after a message. On 0 the caller frees *out.
 */
int solve_start(const char *path, const hs_instance *in, hs_schedule **out);

/** Print one instance's results; `first`: nothing was printed before. */
void solve_report(const solve_request *request, const solve_result *result, int first);

/** The same as aligned tables, best first (text.c). */
void solve_text(const solve_request *request, const solve_result *result, int first);

/** Idle time of a type over what its workers could do until the bound `paths`, or the best. */
double solve_idle(const solve_result *result, const solve_row *row, hs_type type);

/** Makespan over bound; 1 if both are 0. */
double solve_ratio(double makespan, double bound);

/**
 * The summary of many instances, as --format says; and what adds one to it.
 */
summary *solve_summary_create(const solve_request *request);
void     solve_summary_add(const solve_request *request, const solve_result *result, summary *s);
void     solve_summary_print(const solve_request *request, const summary *s);

/** What closes the output; `first`: nothing was printed. */
void solve_report_end(const solve_request *request, int first);

/** The answer to --list; guarantees are for the workers in `reading`, or for 20+4. */
void solve_list(const hs_read_options *reading);

#endif
