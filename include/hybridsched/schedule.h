/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_SCHEDULE_H
#define HYBRIDSCHED_SCHEDULE_H

#include <hybridsched/instance.h>

HS_BEGIN_DECLS

typedef enum hs_state {
    HS_RUN = 0,    /* the task ran to its end */
    HS_ABORTED = 1 /* the task was spoliated: its work is lost */
} hs_state;

/**
 * One execution of a task on a worker. The end of a completed run is start + time, rounded to
 * nearest.
 */
typedef struct hs_entry {
    double   start, end;
    uint32_t task;
    uint32_t state; /* an hs_state */
} hs_entry;

/** An entry together with its worker, for hs_schedule_build(). */
typedef struct hs_placement {
    double   start, end;
    uint32_t task;
    uint32_t worker;
    uint32_t state;
} hs_placement;

/** The entries of each worker in order of time. Immutable. */
typedef struct hs_schedule hs_schedule;

/**
 * Build a schedule from `count` placements in any order (copied). This call checks worker numbers
 * and requires finite, ordered times; hs_schedule_check() compares the schedule with an instance.
 * O(count log count).
 */
HS_API hs_status hs_schedule_build(unsigned cpus, unsigned gpus, size_t count,
                                   const hs_placement *placements, hs_schedule **out);
HS_API void      hs_schedule_free(hs_schedule *s);

HS_API unsigned hs_schedule_cpus(const hs_schedule *s);
HS_API unsigned hs_schedule_gpus(const hs_schedule *s);

/** End of the last entry, aborted entries included; 0 without entries. */
HS_API double hs_schedule_makespan(const hs_schedule *s);

/** Number of entries of all workers. */
HS_API size_t hs_schedule_entry_count(const hs_schedule *s);

/**
 * Entries of one worker in order of time; owned by the schedule. The entries of the next worker
 * follow in memory, so the entries of worker 0 begin an array of hs_schedule_entry_count() entries.
 */
HS_API const hs_entry *hs_schedule_entries(const hs_schedule *s, unsigned worker, size_t *count);

/**
 * A transfer of data between two memory nodes, see hs_instance_memory_node(): the hosts, then the
 * GPUs.
 */
typedef struct hs_transfer {
    double   start, end;
    double   bytes;
    uint32_t data; /* number of the handle in the instance; HS_NONE: data of an edge, without
                      handle */
    uint32_t from, to;
} hs_transfer;

/**
 * A worker's wait for a victim to abort a task for spoliation; or, with the worker as its own
 * victim, for the inputs of its task.
 */
typedef struct hs_wait {
    double   start, end;
    uint32_t task;
    unsigned worker, victim;
} hs_wait;

/**
 * Transfers over an instance's links, sorted by destination, then start; owned by the schedule.
 * None were recorded without settings.transfers.
 */
HS_API const hs_transfer *hs_schedule_transfers(const hs_schedule *s, size_t *count);

/** Write the name of a worker in files, `cpu3` or `gpu0`: at most 16 bytes with the NUL. */
HS_API void hs_worker_name(unsigned cpus, unsigned worker, char name[16]);

/** Sums over the workers of one type. */
typedef struct hs_type_metrics {
    size_t tasks;        /* completed runs */
    size_t aborted;      /* aborted entries: tasks spoliated from this type */
    double busy;         /* time in completed runs */
    double idle;         /* workers x makespan - busy; aborted time counts as idle */
    double acceleration; /* sum of p / sum of q over the completed tasks; NaN without tasks */
} hs_type_metrics;

typedef struct hs_metrics {
    size_t          struct_size;
    double          makespan;
    hs_type_metrics type[2]; /* indexed by hs_type */
} hs_metrics;

/**
 * Compute the metrics of a schedule. *out may be uninitialised: all `size` bytes are written,
 * including struct_size. O(entries).
 */
HS_API void hs_schedule_compute_metrics_sized(const hs_instance *in, const hs_schedule *s,
                                              hs_metrics *out, size_t size);
#define hs_schedule_compute_metrics(in, s, out)                                                    \
    hs_schedule_compute_metrics_sized((in), (s), (out), sizeof *(out))

/** Idle time of a worker between 0 and the makespan, by cause. */
typedef struct hs_idle {
    double no_task; /* time in which no ready task could run on this worker */
    double other;   /* time in which such a task was ready, but reserved for another worker or
                       still waiting for its inputs */
} hs_idle;

/**
 * Compute the idle time of each worker. A task is ready from the end of its last predecessor until
 * its last entry begins; a task without entries was done before the start. O(edges + entries log
 * entries); HS_ENOMEM.
 */
HS_API hs_status hs_schedule_compute_idle(const hs_instance *in, const hs_schedule *s,
                                          hs_idle *idle);

/**
 * Idle time of a type as a share of the capacity of `workers` workers until `bound`, a lower bound
 * (`paths` for graphs): the avoidable waste of a schedule. May exceed 1 for a schedule much longer
 * than the bound; NaN without workers or a bound.
 */
HS_API double hs_metrics_idle_share(const hs_metrics *metrics, hs_type type, unsigned workers,
                                    double bound);

/** Time that one worker spends in completed runs. */
HS_API double hs_schedule_load(const hs_schedule *s, unsigned worker);

typedef enum hs_violation_kind {
    HS_VALID = 0,
    HS_WORKERS_DIFFER,    /* the schedule is for other numbers of workers */
    HS_UNKNOWN_TASK,      /* an entry's task is not in the instance */
    HS_NOT_FINITE,        /* a time is not a finite number >= 0 */
    HS_CANNOT_RUN,        /* the task has no implementation on this type */
    HS_WRONG_END,         /* a run's end is not start + time */
    HS_ABORTED_TOO_LATE,  /* an aborted entry lasts longer than its task would */
    HS_OVERLAP,           /* an entry starts before its worker's previous one ends */
    HS_RUN_TWICE,         /* a task is completed twice */
    HS_NEVER_RUN,         /* a task is never completed */
    HS_RUN_BEFORE_ABORT,  /* a task is run before its aborted execution ends */
    HS_TASK_OVERLAP,      /* two aborted executions of a task overlap */
    HS_TOO_EARLY,         /* a task starts before the end of a predecessor */
    HS_INPUT_LATE,        /* a task starts before the arrival of an input */
    HS_NOT_AVAILABLE,     /* an entry starts before its worker is available */
    HS_RUN_AGAIN          /* a task has an entry, but was done before the start */
} hs_violation_kind;

/** The first violation found. Unused fields are 0. Always start from hs_violation_init(). */
typedef struct hs_violation {
    size_t            struct_size;
    hs_violation_kind kind;
    unsigned          worker;
    size_t            entry; /* index of the entry among the worker's entries */
    size_t            task;
    double            expected;    /* expected value of `found`, for a violation about a time */
    double            found;
    size_t            predecessor; /* HS_TOO_EARLY, HS_INPUT_LATE: predecessor or last writer;
                                      SIZE_MAX: initial data */
} hs_violation;

HS_API void hs_violation_init_sized(hs_violation *violation, size_t size);
#define hs_violation_init(v) hs_violation_init_sized((v), sizeof *(v))

/**
 * Check whether `s` is a schedule of `in`: HS_OK, or HS_ESCHEDULE with the first violation in
 * *error (may be NULL). Shares no code with the algorithms. O(tasks + entries + a log a) with a
 * aborted entries, plus for each entry the predecessors and accesses of its row. HS_ENOMEM.
 */
HS_API hs_status hs_schedule_check(const hs_instance *in, const hs_schedule *s, hs_error *error);

/**
 * Check as hs_schedule_check() does, and require that worker w starts nothing before available[w];
 * NULL: 0.
 */
HS_API hs_status hs_schedule_check_available(const hs_instance *in, const hs_schedule *s,
                                             const double *available, hs_error *error);

/**
 * Check a schedule of the rest of a run as hs_schedule_check_available() does. Tasks with skip[task]
 * = 1 are done: they have no entries, and what they wrote is in the memory of the worker
 * skip_worker[task] from 0 on, or in the first host's if that is no worker or `skip_worker` is NULL.
 */
HS_API hs_status hs_schedule_check_rest(const hs_instance *in, const hs_schedule *s,
                                        const double *available, const unsigned char *skip,
                                        const uint32_t *skip_worker, hs_error *error);

/** Check as hs_schedule_check_rest() does, and return the first violation as numbers. */
HS_API hs_status hs_schedule_find_violation(const hs_instance *in, const hs_schedule *s,
                                            const double *available, const unsigned char *skip,
                                            const uint32_t *skip_worker, hs_violation *violation);

HS_END_DECLS

#endif
