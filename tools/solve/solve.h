/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_SOLVE_SOLVE_H
#define TOOLS_SOLVE_SOLVE_H

#include <stdio.h>

#include <hybridsched/hybridsched.h>

#include "common/transfer_totals.h"
#include "common/output.h"
#include "common/plugin.h"
#include "common/summary.h"

/* The data of hsched-solve: the request, the results, and their outputs. */

typedef enum solve_format { SOLVE_TEXT, SOLVE_CSV, SOLVE_JSON } solve_format;

/* Indices of the output files. */
enum { SOLVE_PLAN, SOLVE_GANTT, SOLVE_TRACE, SOLVE_DOT, SOLVE_CERTIFICATE, SOLVE_FILES };

typedef struct wanted_bound {
    const hs_bound *bound;
    bool            by_name; /* 0: selected by `all`, may be left out */
    bool            slow;    /* also left out if a schedule is proved optimal */
} wanted_bound;

typedef struct wanted_algorithm {
    const hs_algorithm *algorithm;
    hs_rank             rank;
    char                name[PLUGIN_RANKED]; /* NAME or NAME:RANK */
    bool                by_name;             /* 0: selected by `all`, may be left out */
} wanted_algorithm;

typedef struct solve_request {
    wanted_algorithm *algorithms;
    size_t            algorithm_count;
    wanted_bound     *bounds;
    size_t            bound_count;
    int               reports_bounds; /* -b was given: report the bounds */
    hs_settings       settings;
    const char       *affinity;          /* path; NULL: none */
    const char       *available;         /* argument of --available; NULL: all workers at 0 */
    const char       *start;             /* path of the initial plan; NULL: none */
    int               metrics;           /* --metrics was given */
    int               summary;           /* print a summary of all instances, no tables */
    int               has_gap;           /* --gap was given: exit code 1 if not reached */
    hs_read_settings  reading;           /* may override the numbers of workers */
    output           *file[SOLVE_FILES]; /* NULL: not requested */
    solve_format      format;
} solve_request;

/** The result of an algorithm or a bound on one instance. */
typedef struct solve_row {
    const char *name;
    double      value;     /* certified makespan, which no true bound exceeds; or the bound */
    double      gap;       /* to the best bound; 0: proved optimal */
    size_t      spoliated; /* number of aborted executions */
    double      seconds;
    hs_metrics  metrics;  /* set if requested, like `copied` */
    transfer_totals copied;   /* transfers over links */
    bool        left_out; /* does not accept these tasks, and was selected by `all` */
    bool        stopped;  /* by a signal, without a result */
    bool        optimal;  /* proved by the search; rounded sums may exceed the bound */
    char        members[sizeof(((hs_report *)0)->members)]; /* of best's portfolio */
} solve_row;

typedef struct solve_result {
    const char     *path; /* of the instance */
    hs_instance    *in;
    solve_row      *algorithms; /* in the order of the request, without those left out */
    size_t          algorithm_count;
    solve_row      *bounds; /* in the order of the request, without those left out */
    size_t          bound_count;
    hs_schedule    *best;        /* best schedule; NULL: not needed */
    hs_named_bound  bound;       /* the best bound */
    hs_certificate *certificate; /* certificate of the best certified bound; NULL: none */
} solve_result;

/** Return the number of steps of the progress line for one instance. */
size_t solve_steps(const solve_request *request);

/**
 * Read the instance `path` and compute all requested results; solve_write() writes the files.
 * `step` is the number of progress steps done before. Return 0, or an exit code after a message.
 * *result is zeroed before the call, and the caller frees it in any case. A signal ends the work as
 * soon as a schedule exists (common/stop.h); after a signal before the instance was read, the
 * result has no algorithm.
 */
int  solve_instance(const solve_request *request, const char *path, size_t step,
                    solve_result *result);
void solve_result_free(solve_result *result);

/** Write and close all requested files, or none of them. Return an exit code. */
int solve_write(solve_request *request, const solve_result *result);

/** Return EXIT_WORK after a message if no algorithm reached the requested gap; otherwise 0. */
int solve_gap_code(const solve_request *request, const solve_result *result);

/**
 * Read the plan `path` as a schedule of `in`; its tasks may have a different order (start.c).
 * Return 0, or an exit code after a message. On 0 the caller frees *out.
 */
int solve_start(const char *path, const hs_instance *in, hs_schedule **out);

/** Print the results of an instance; `first`: nothing was printed before. */
void solve_report(const solve_request *request, const solve_result *result, int first);

/** Print the results as aligned tables, best first (text.c). */
void solve_text(const solve_request *request, const solve_result *result, int first);

/**
 * Return the idle time of a type over the capacity of its workers until the bound `paths`, or the
 * best bound if `paths` was not computed.
 */
double solve_idle(const solve_result *result, const solve_row *row, hs_type type);

/** Return makespan / bound; 1 if both are 0. */
double solve_ratio(double makespan, double bound);

/** Create the summary of many instances, add an instance, and print it in the requested format. */
summary *solve_summary_create(const solve_request *request);
void     solve_summary_add(const solve_request *request, const solve_result *result, summary *s);
void     solve_summary_print(const solve_request *request, const summary *s);

/** Complete the output; `first`: nothing was printed. */
void solve_report_end(const solve_request *request, int first);

/**
 * Print the text of --list; guarantees are for the workers in `reading`, or for 20 CPUs + 4 GPUs.
 */
void solve_list(const hs_read_settings *reading);

#endif
