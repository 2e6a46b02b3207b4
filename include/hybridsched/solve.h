/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_SOLVE_H
#define HYBRIDSCHED_SOLVE_H

#include <hybridsched/rank.h>
#include <hybridsched/schedule.h>

HS_BEGIN_DECLS

/** DADA: running `task` on `worker` is worth `score` (its data are there already). */
typedef struct hs_affinity {
    uint32_t task;
    uint32_t worker;
    double   score;
} hs_affinity;

/** How far a search has come, for the progress callback. */
typedef struct hs_progress {
    double      seconds;  /* since the call began */
    double      makespan; /* of the best schedule so far; INFINITY: none yet */
    double      bound;    /* best lower bound so far */
    uint64_t    iterations;
    const char *phase; /* static: "portfolio", "local search", "configuration bound", ... */
} hs_progress;

/** What an algorithm may be told. Always start from hs_settings_init(). */
typedef struct hs_settings {
    size_t             struct_size; /* set by hs_settings_init() */
    double             alpha;       /* dada: share of the guess given to affinity, in [0, 1]; 0 */
    const hs_affinity *affinities;  /* dada: preferences, one a task at most; NULL */
    size_t             affinity_count;
    int (*cancel)(void *cancel_data); /* asked every 0.1 s or more often, but within one call
                                         of GLPK: nonzero, then and from then on, stops with
                                         HS_ECANCELED, but best and exact with the best schedule
                                         that they have, if there is one; NULL */
    void *cancel_data;

    /* best, exact and the bounds that take time */
    double time_limit;   /* seconds of wall clock; 0: 1 for best, 10 for exact
                            and for a bound; INFINITY: none */
    uint64_t iterations; /* best: stop after so many, for the same schedule
                            everywhere; 0: the time limit alone. Tiny graphs
                            are searched through before that */
    uint64_t           seed;
    unsigned           threads; /* 0: 1 */
    double             gap;     /* stop when makespan <= (1 + gap) x bound; 0 */
    const hs_schedule *start;   /* a valid schedule of the instance to start from; NULL */
    void (*progress)(void *progress_data, const hs_progress *progress); /* NULL */
    void *progress_data;

    hs_rank  rank;      /* what orders tasks; HS_RANK_DEFAULT: what the algorithm does by itself */
    double   band;      /* hp-corrected: p/q from which on GPUs take by rank; 0: 8 */
    double   leave;     /* hp-corrected: p/q from which on they also take what CPUs run; 0: 16 */
    unsigned threshold; /* h-ratio, d-rank: tasks that may wait for workers; 0: twice as many */

    /* Workers that are still at something else: available[w] is when worker w is free, >= 0, and
       nothing starts there before. What does not take it refuses it with HS_EBUSY. */
    const double *available;
    size_t        available_count; /* as many as workers */

    /* The schedule has hs_schedule_transfers(): a policy's as it started them, when it decided what
       goes where; others as soon as there is something to move, as all is decided beforehand. */
    int transfers;
} hs_settings;

HS_API void hs_settings_init_sized(hs_settings *settings, size_t size);
#define hs_settings_init(s) hs_settings_init_sized((s), sizeof *(s))

/**
 * An algorithm. One of an application's own is passed wherever one of the registry is; it is
 * static, never freed, and its schedules are checked before anybody sees them. Members that its
 * struct_size leaves out are NULL.
 */
typedef struct hs_algorithm {
    size_t      struct_size; /* sizeof(hs_algorithm) */
    const char *name;        /* without commas */
    const char *summary;     /* one line, as are the next two; NULL: nothing is said */
    const char *source;      /* paper, theorem */
    const char *cost;        /* running time */
    /* At most this times the optimum, or INFINITY. NULL: nothing is promised. */
    double (*guarantee)(unsigned cpus, unsigned gpus, const hs_settings *settings);
    /* All of the settings are there, defaults filled in. *out is the caller's, set on HS_OK only.
       NULL in the library's own, which are run in other ways: a copy of one is no algorithm. */
    hs_status (*run)(const hs_instance *in, const hs_settings *settings, hs_schedule **out);
    int graphs; /* it takes tasks that depend on each other; those that do not refuse them with
                   HS_EDEPENDENT */
    unsigned ranks; /* 1 << r for each hs_rank r that it takes beside HS_RANK_DEFAULT */
    int available;  /* it takes settings.available; those that do not refuse it with HS_EBUSY */
} hs_algorithm;

/* The registry: every algorithm of this build, in the order of the manual. */
HS_API size_t              hs_algorithm_count(void);
HS_API const hs_algorithm *hs_algorithm_at(size_t index);
HS_API const hs_algorithm *hs_algorithm_find(const char *name); /* NULL if there is none */
HS_API const char         *hs_algorithm_name(const hs_algorithm *alg);
HS_API const char         *hs_algorithm_summary(const hs_algorithm *alg); /* one line */
HS_API const char         *hs_algorithm_source(const hs_algorithm *alg);  /* these three: "" if */
HS_API const char         *hs_algorithm_cost(const hs_algorithm *alg);    /* nothing is said */
HS_API int                 hs_algorithm_graphs(const hs_algorithm *alg);
HS_API unsigned            hs_algorithm_ranks(const hs_algorithm *alg);
HS_API int                 hs_algorithm_available(const hs_algorithm *alg);

/**
 * The makespan is at most this times the optimum, on every instance with these
 * workers whose tasks may all be restarted and do not depend on each other (of graphs nothing
 * is promised); INFINITY where nothing is promised of those either.
 * NULL settings mean defaults.
 */
HS_API double hs_algorithm_guarantee(const hs_algorithm *alg, unsigned cpus, unsigned gpus,
                                     const hs_settings *settings);

/**
 * Schedule `in` with `alg`; NULL settings mean defaults. On HS_OK the caller
 * owns *out, otherwise *out is untouched. Re-entrant. Same instance and
 * settings, same schedule, bit for bit. HS_EDEPENDENT: the tasks depend on each other,
 * and the algorithm does not take graphs. HS_EWORKER: a task cannot run on the one type that it
 * uses. HS_EBUSY: it does not take settings.available. HS_EINVAL: bad settings, or a rank that it
 * does not take. HS_ESCHEDULE: an algorithm that is not the library's has made what is no schedule
 * of the instance, or starts too early.
 */
HS_API hs_status hs_solve(const hs_algorithm *alg, const hs_instance *in,
                          const hs_settings *settings, hs_schedule **out);

/** What came of a solve. Always start from hs_report_init(). */
typedef struct hs_report {
    size_t struct_size;
    double bound; /* lower bound proved on the way; 0: none was computed */
    char   bound_name[32];
    int    proved;          /* certified: the makespan (as the exact sums of times, rounded up)
                               is within `gap` of the optimum; with gap 0: it is optimal */
    int      limit_reached; /* stopped by time_limit or iterations */
    double   certified;     /* largest exact sum of times of a worker, rounded up; of a graph
                               it is the makespan, or the bound if rounded
                               ends lie below that */
    uint64_t iterations;
    char     members[256]; /* best: the portfolio members it finished, "a,b,c" */
    uint64_t aborted;      /* executions that were aborted */
} hs_report;

HS_API void hs_report_init_sized(hs_report *report, size_t size);
#define hs_report_init(r) hs_report_init_sized((r), sizeof *(r))

/** As hs_solve(), and says what was proved. `report` may be NULL. */
HS_API hs_status hs_solve_reported(const hs_algorithm *alg, const hs_instance *in,
                                   const hs_settings *settings, hs_schedule **out,
                                   hs_report *report);

/**
 * Memory for calls that follow one another: a call that needs no more than one
 * before it allocates nothing. For one thread at a time.
 */
typedef struct hs_workspace hs_workspace;

HS_API hs_status hs_workspace_create(hs_workspace **out);
HS_API void      hs_workspace_free(hs_workspace *ws);

/**
 * As hs_solve_reported(), but *out belongs to the workspace, and is gone when it
 * is next used or freed. What searches (best, exact) allocates as always.
 */
HS_API hs_status hs_solve_in(hs_workspace *ws, const hs_algorithm *alg, const hs_instance *in,
                             const hs_settings *settings, const hs_schedule **out,
                             hs_report *report);

/**
 * Only the makespan, that of hs_solve()'s schedule to the last bit, and the report
 * (may be NULL). No schedule is kept, and heteroprio, clb2c, lpt and heft do not
 * expand rows with counts: their memory grows with the rows, not with the tasks.
 * `ws` may be NULL.
 */
HS_API hs_status hs_solve_makespan(hs_workspace *ws, const hs_algorithm *alg, const hs_instance *in,
                                   const hs_settings *settings, double *makespan,
                                   hs_report *report);

/**
 * Longest processing time first within each type, for a given allocation:
 * type[i] is the hs_type of task i. HS_EWORKER if a task cannot run there.
 * At most (2 - 1/w) times the best schedule of that allocation. O(n log n).
 */
HS_API hs_status hs_solve_lpt(const hs_instance *in, const unsigned char *type, hs_schedule **out);

HS_END_DECLS

#endif
