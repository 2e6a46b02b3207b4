/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_SOLVE_SOLVE_H
#define TOOLS_SOLVE_SOLVE_H

#include <stdio.h>

#include <hybridsched/hybridsched.h>

#include "common/transfer_totals.h"
#include "common/output.h"
#include "common/plugin.h"
#include "common/profile.h"
#include "common/summary.h"
#include "common/time_sources.h"

/* The data of hsched-solve: the request, the results, and their outputs. */

typedef enum solve_format { SOLVE_TEXT, SOLVE_CSV, SOLVE_JSON } solve_format;

/* Indices of the output files. */
enum {
    SOLVE_PLAN,
    SOLVE_GANTT,
    SOLVE_TRACE,
    SOLVE_DOT,
    SOLVE_CERTIFICATE,
    SOLVE_FILLED,
    SOLVE_FILES
};

typedef struct wanted_bound {
    const hs_bound *bound;
    bool            by_name; /* whether -b names the bound; one selected by `all` may be left out */
    bool            slow;    /* whether the bound is left out if a schedule is proved optimal */
} wanted_bound;

typedef struct wanted_algorithm {
    const hs_algorithm *algorithm;
    hs_rank             rank;
    char                name[PLUGIN_RANKED]; /* name for the report: NAME or NAME:RANK */
    /* whether -a names the algorithm; one selected by `all` may be left out */
    bool                by_name;
} wanted_algorithm;

typedef struct solve_request {
    wanted_algorithm *algorithms;
    size_t            algorithm_count;
    wanted_bound     *bounds;
    size_t            bound_count;
    int               reports_bounds; /* whether to report the bounds: -b was given */
    hs_settings       settings;
    const char       *affinity;          /* path; NULL: none */
    const char       *available;         /* argument of --available; NULL: all workers at 0 */
    const char       *start;             /* path of the initial plan; NULL: none */
    times_profile    *times;             /* profile for unknown times; NULL: none */
    double            part_time;  /* longest undivided matrix product, in seconds; 0: any */
    unsigned          most_parts; /* largest number of parts; 0: by the number of workers */
    int               metrics;           /* whether to report metrics */
    /* whether to print a summary of all instances instead of tables */
    int               summary;
    int               has_gap;           /* whether a gap must be reached, otherwise exit code 1 */
    /* settings for reading, with the numbers of workers if given */
    hs_read_settings  reading;
    output           *file[SOLVE_FILES]; /* output files; NULL: not requested */
    solve_format      format;
} solve_request;

/** The result of an algorithm or a bound on one instance. */
typedef struct solve_row {
    const char *name;
    /* certified makespan, which no true bound exceeds; of a bound its value */
    double      value;
    double      gap;       /* value / best bound - 1; 0: proved optimal */
    size_t      spoliated; /* number of aborted executions */
    double      seconds;
    hs_metrics  metrics;  /* metrics of the schedule, if requested */
    transfer_totals copied;   /* number and bytes of copies, if requested */
    /* whether the algorithm was selected by `all` and does not accept the tasks */
    bool        left_out;
    bool        stopped;  /* whether a signal stopped the algorithm before any result */
    /* whether the search proved the schedule optimal; its rounded makespan may exceed the bound */
    bool        optimal;
    /* finished members of best's portfolio, separated by commas */
    char        members[sizeof(((hs_report *)0)->members)];
    /* portfolio member or search step that found the schedule */
    char found_by[sizeof(((hs_report *)0)->found_by)];
} solve_row;

typedef struct solve_result {
    const char     *path; /* path of the instance */
    hs_instance    *in;
    bool            filled;  /* whether unknown times were predicted */
    time_sources    sources; /* where the times come from, if filled */
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

/**
 * Replace the unknown times of an instance by predictions (unknown_times.c); several threads may
 * call this function. Return 0, or an exit code after a message.
 */
int solve_fill(const solve_request *request, solve_result *result);

/**
 * Divide the long matrix products of an instance as requested (unknown_times.c), after solve_fill().
 * Return 0, or an exit code after a message.
 */
int solve_partition(const solve_request *request, solve_result *result);

/**
 * Return whether the schedule is optimal and the certificate proves it, up to a relative 1e-11 as
 * hs_report.proved.
 */
bool solve_is_certified(const solve_result *result, const solve_row *row);

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
