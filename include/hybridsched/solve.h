/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_SOLVE_H
#define HYBRIDSCHED_SOLVE_H

#include <hybridsched/parameters.h>
#include <hybridsched/rank.h>
#include <hybridsched/schedule.h>

HS_BEGIN_DECLS

/** A preference of dada: the memory of `worker` already has data of `task`. */
typedef struct hs_affinity {
    uint32_t task;
    uint32_t worker;
    double   score; /* value of running the task on the worker */
} hs_affinity;

/** Progress of a search, for the progress callback. */
typedef struct hs_progress {
    size_t      struct_size; /* sizeof(hs_progress) in the library's version */
    double      seconds;  /* time since the call began */
    double      makespan; /* makespan of the best schedule so far; INFINITY: none yet */
    double      bound;    /* best lower bound so far */
    uint64_t    iterations;
    const char *phase; /* static: "portfolio", "local search", "configuration bound", ... */
} hs_progress;

/** Options of an algorithm. Always start from hs_settings_init(). */
typedef struct hs_settings {
    size_t             struct_size; /* set by hs_settings_init() */
    hs_parameters      parameters;
    const hs_affinity *affinities;  /* dada: preferences, at most one per task; NULL: none */
    size_t             affinity_count;
    int (*cancel)(void *cancel_data); /* cancel callback, called at least every 0.1 s, except
                                         within a call of GLPK. A nonzero result is final: the
                                         call returns HS_ECANCELED, or for best and exact the
                                         best schedule so far, if any. NULL: none */
    void *cancel_data;

    /* Settings of best, exact and of bounds that search. */
    double time_limit;   /* wall-clock limit in seconds; 0: 1 for best, 10 for exact and for a
                            bound; INFINITY: none */
    uint64_t iterations; /* best: limit of iterations, for reproducible schedules; 0: only the
                            time limit. A tiny graph may be searched completely before this limit */
    uint64_t           seed;
    unsigned           threads; /* 0: 1 */
    double             gap;     /* stop when makespan <= (1 + gap) x bound; default 0 */
    const hs_schedule *start;   /* valid initial schedule of the instance; NULL: none */
    void (*progress)(void *progress_data, const hs_progress *progress); /* NULL: none */
    void *progress_data;

    hs_rank rank; /* order of tasks; HS_RANK_DEFAULT: the algorithm's default */

    /* Workers busy at the start: worker w is free from available[w] >= 0 on and starts nothing
       before. HS_EAVAILABLE: the algorithm or bound does not support this setting. */
    const double *available;
    size_t        available_count; /* number of workers */

    /* whether to record transfers for hs_schedule_transfers(). Transfers of a policy start at
     * the decision, transfers of other algorithms as soon as the data exist. */
    int transfers;

    /* The rest of a run: by task, 1 if the task was done before the start, with all its
     * predecessors; NULL: none. The schedule has no entries of done tasks, `start` has none, and a
     * bound counts the others only. Ranks and ties are those of an instance that consists of the
     * other tasks. */
    const unsigned char *skip;
    const uint32_t      *skip_worker; /* by task: worker that ran a done task, whose memory has the
                                         results from 0 on; HS_NONE, or another number that is no worker:
                                         the first host has them; NULL: all HS_NONE */
} hs_settings;

HS_API void hs_settings_init_sized(hs_settings *settings, size_t size);
#define hs_settings_init(s) hs_settings_init_sized((s), sizeof *(s))

/**
 * An algorithm. Every function below accepts an application's own algorithm: a static struct, never
 * freed. The library checks its schedules before returning them. Members beyond its struct_size
 * count as NULL.
 */
typedef struct hs_algorithm {
    size_t      struct_size; /* sizeof(hs_algorithm) */
    const char *name;        /* without commas */
    const char *summary;     /* description in a line, as are `source` and `cost`; NULL: absent */
    const char *source;      /* paper, theorem */
    const char *cost;        /* running time */
    /* Approximation ratio: at most this times the optimum, or INFINITY. NULL: no guarantee. */
    double (*guarantee)(void *data, unsigned cpus, unsigned gpus, const hs_settings *settings);
    /* Compute a schedule. All settings are present, with defaults filled in. The caller owns *out,
       set on HS_OK only. NULL for the library's own algorithms: a copy of such a struct cannot
       run. */
    hs_status (*run)(void *data, const hs_instance *in, const hs_settings *settings,
                     hs_schedule **out);
    bool supports_graphs;        /* whether dependent tasks are supported; else such instances
                                    fail with HS_EDEPENDENT */
    unsigned supported_ranks;    /* bit mask, 1 << r for each hs_rank r beyond HS_RANK_DEFAULT */
    bool     supports_available; /* whether settings.available is supported; else the setting
                                    fails with HS_EAVAILABLE */
    void *data; /* the application's, passed to guarantee() and run(); may be NULL */
} hs_algorithm;

/* The registry: every algorithm of this build, in the order of the manual. */
HS_API size_t              hs_algorithm_count(void);
HS_API const hs_algorithm *hs_algorithm_at(size_t index);
HS_API const hs_algorithm *hs_algorithm_find(const char *name); /* NULL: unknown name */
HS_API const char         *hs_algorithm_name(const hs_algorithm *alg);
HS_API const char         *hs_algorithm_summary(const hs_algorithm *alg); /* one line */
HS_API const char         *hs_algorithm_source(const hs_algorithm *alg);  /* "": absent */
HS_API const char         *hs_algorithm_cost(const hs_algorithm *alg);    /* "": absent */
HS_API int                 hs_algorithm_supports_graphs(const hs_algorithm *alg);
HS_API unsigned            hs_algorithm_supported_ranks(const hs_algorithm *alg);
HS_API int                 hs_algorithm_supports_available(const hs_algorithm *alg);

/**
 * Approximation ratio: the makespan is at most this times the optimum, on every instance with these
 * workers and independent, restartable tasks. INFINITY: no guarantee. Guarantees do not cover
 * graphs. NULL settings mean defaults.
 */
HS_API double hs_algorithm_guarantee(const hs_algorithm *alg, unsigned cpus, unsigned gpus,
                                     const hs_settings *settings);

/**
 * Schedule `in` with `alg`; NULL settings mean defaults. On HS_OK the caller owns *out, otherwise
 * *out is untouched. Re-entrant. Equal instances and settings give equal schedules, bit for bit.
 * HS_EDEPENDENT: the algorithm supports independent tasks only. HS_EWORKER: the algorithm uses one
 * type, and a task cannot run on it. HS_EAVAILABLE: it does not support settings.available.
 * HS_EINVAL: bad settings, an unsupported rank, or a predecessor of a done task is not done.
 * HS_ESCHEDULE: an application's algorithm returned
 * an invalid schedule, or one that starts too early.
 */
HS_API hs_status hs_solve(const hs_algorithm *alg, const hs_instance *in,
                          const hs_settings *settings, hs_schedule **out);

/** Outcome of a solve. Always start from hs_report_init(). */
typedef struct hs_report {
    size_t struct_size;
    double bound; /* lower bound proved during the solve; 0: none */
    char   bound_name[32];
    bool   proved;          /* whether the search proved that the makespan (as exact sums of times,
                               rounded up) is within `gap` of the optimum; with gap 0 the schedule
                               is optimal, in a graph up to a relative 1e-11 by which `bound` may be
                               below the makespan. hs_certificate_prove() certifies this */
    bool     limit_reached; /* whether time_limit or iterations stopped the search */
    double   certified;     /* largest exact sum of times of a worker, rounded up; for a graph
                               the makespan, or the bound if rounded ends lie below the bound */
    uint64_t iterations;
    char     members[256]; /* best: finished members of its portfolio, "a,b,c" */
    uint64_t aborted;      /* aborted executions */
    char     found_by[32]; /* best, exact: the member of the portfolio, or the step of the search,
                              that found the schedule; `start`: it is settings.start; else empty */
} hs_report;

HS_API void hs_report_init_sized(hs_report *report, size_t size);
#define hs_report_init(r) hs_report_init_sized((r), sizeof *(r))

/** Solve as hs_solve() does, and fill `report` (may be NULL). */
HS_API hs_status hs_solve_reported(const hs_algorithm *alg, const hs_instance *in,
                                   const hs_settings *settings, hs_schedule **out,
                                   hs_report *report);

/**
 * Memory reused by a sequence of calls: a call allocates only beyond the largest need of earlier
 * calls. For one thread at a time.
 */
typedef struct hs_workspace hs_workspace;

HS_API hs_status hs_workspace_create(hs_workspace **out);
HS_API void      hs_workspace_free(hs_workspace *ws);

/**
 * Solve as hs_solve_reported() does, but the workspace owns *out, until its next use or
 * hs_workspace_free(). The searches (best, exact) allocate memory of their own.
 */
HS_API hs_status hs_solve_in(hs_workspace *ws, const hs_algorithm *alg, const hs_instance *in,
                             const hs_settings *settings, const hs_schedule **out,
                             hs_report *report);

/**
 * Compute only the report (may be NULL) and the makespan, equal to hs_solve()'s to the last bit. No
 * schedule is kept; heteroprio, clb2c, lpt and heft do not expand rows with counts, so their memory
 * grows with the rows, not the tasks. `ws` may be NULL.
 */
HS_API hs_status hs_solve_makespan(hs_workspace *ws, const hs_algorithm *alg, const hs_instance *in,
                                   const hs_settings *settings, double *makespan,
                                   hs_report *report);

HS_END_DECLS

#endif
