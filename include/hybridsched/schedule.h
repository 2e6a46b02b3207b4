/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_SCHEDULE_H
#define HYBRIDSCHED_SCHEDULE_H

#include <hybridsched/instance.h>

HS_BEGIN_DECLS

typedef enum hs_state {
    HS_RUN = 0,    /* the task ran to its end */
    HS_ABORTED = 1 /* spoliated: what it had done is lost */
} hs_state;

/** One execution on some worker. The end of a run is start + time, rounded to nearest. */
typedef struct hs_entry {
    double   start, end;
    uint32_t task;
    uint32_t state; /* an hs_state */
} hs_entry;

/** An entry together with its worker: what hs_schedule_build() takes. */
typedef struct hs_placement {
    double   start, end;
    uint32_t task;
    uint32_t worker;
    uint32_t state;
} hs_placement;

/** For each worker, what it executes in order of time. Immutable. */
typedef struct hs_schedule hs_schedule;

/**
 * A schedule from `count` placements in any order (they are copied). The
 * workers' numbers and finite, ordered times are checked here; whether it is a
 * schedule of some instance is hs_schedule_check()'s to say. O(count log count).
 */
HS_API hs_status hs_schedule_build(unsigned cpus, unsigned gpus, size_t count,
                                   const hs_placement *placements, hs_schedule **out);
HS_API void      hs_schedule_free(hs_schedule *s);

HS_API unsigned hs_schedule_cpus(const hs_schedule *s);
HS_API unsigned hs_schedule_gpus(const hs_schedule *s);

/** When the last entry ends, aborted ones included; 0 if there is none. */
HS_API double hs_schedule_makespan(const hs_schedule *s);

/** All entries; and those of one worker, by time. Owned by the schedule. */
HS_API size_t          hs_schedule_size(const hs_schedule *s);
HS_API const hs_entry *hs_schedule_entries(const hs_schedule *s, unsigned worker, size_t *count);

/**
 * A copy of data from one memory to another, numbered as hs_instance_node() has them: 0 is the
 * host's, 1 + g that of GPU g.
 */
typedef struct hs_transfer {
    double   start, end;
    double   bytes;
    uint32_t data; /* the instance's number of it; UINT32_MAX: it has no name */
    uint32_t from, to;
} hs_transfer;

/**
 * A worker's wait until another one, the victim, has given up a task that it takes over; or, if it
 * is its own victim, until the inputs of its task would be there.
 */
typedef struct hs_wait {
    double   start, end;
    uint32_t task;
    unsigned worker, victim;
} hs_wait;

/**
 * What is moved over an instance's links so that all is there in time, sorted by where to, then
 * start; owned by the schedule. Whose maker was not asked for it (settings.transfers) has none.
 */
HS_API const hs_transfer *hs_schedule_transfers(const hs_schedule *s, size_t *count);

/** Name of a worker as files have it, `cpu3` or `gpu0`: at most 16 bytes with the NUL. */
HS_API void hs_worker_name(unsigned cpus, unsigned worker, char name[16]);

/** Sums over one worker type. */
typedef struct hs_type_metrics {
    size_t tasks;        /* runs */
    size_t aborted;      /* aborted entries: tasks that were taken away */
    double busy;         /* time in runs */
    double idle;         /* workers x makespan - busy: aborted time counts as idle */
    double acceleration; /* sum of p / sum of q over what it ran; NaN if it ran nothing */
} hs_type_metrics;

typedef struct hs_metrics {
    double          makespan;
    hs_type_metrics type[2]; /* indexed by hs_type */
} hs_metrics;

/** O(entries). */
HS_API void hs_schedule_metrics(const hs_instance *in, const hs_schedule *s, hs_metrics *out);

/** Time from 0 to the makespan in which a worker had no entry, by why. */
typedef struct hs_idle {
    double no_task; /* none that it could run was ready */
    double other;   /* one was: it was for others, or on its way to this one */
} hs_idle;

/**
 * By worker. A task is ready from when all that it comes after has run until its last entry begins;
 * without entries it was done before the start. O(edges + entries log entries); HS_ENOMEM.
 */
HS_API hs_status hs_schedule_idle(const hs_instance *in, const hs_schedule *s, hs_idle *idle);

/**
 * The idle time of a type as a share of what so many workers of it could do until `bound`, a lower
 * bound (`paths` on graphs): what a schedule wastes beyond what any must. Above 1 where the
 * schedule is that much longer than the bound; NaN without workers or a bound.
 */
HS_API double hs_metrics_idle_share(const hs_metrics *metrics, hs_type type, unsigned workers,
                                    double bound);

/** Time that one worker spends in runs. */
HS_API double hs_schedule_load(const hs_schedule *s, unsigned worker);

typedef enum hs_violation_kind {
    HS_VALID = 0,
    HS_WORKERS_DIFFER,    /* the schedule is for other numbers of workers */
    HS_UNKNOWN_TASK,      /* an entry's task is not in the instance */
    HS_NOT_FINITE,        /* a time is not a finite number >= 0 */
    HS_CANNOT_RUN,        /* the task has no implementation on that type */
    HS_WRONG_END,         /* a run's end is not start + time */
    HS_ABORTED_TOO_LATE,  /* an aborted entry lasts longer than the task would */
    HS_OVERLAP,           /* an entry starts before its worker's previous one ends */
    HS_RUN_TWICE,         /* a task is run to its end twice */
    HS_NEVER_RUN,         /* a task is never run to its end */
    HS_RUN_BEFORE_ABORT,  /* a task is run before its aborted execution ends */
    HS_TASK_OVERLAP,      /* two aborted executions of a task are on at a time */
    HS_TOO_EARLY,         /* a task starts before one that it comes after has ended */
    HS_INPUT_LATE,        /* a task starts before what it reads can be there */
    HS_NOT_AVAILABLE      /* an entry starts before its worker is available */
} hs_violation_kind;

/** The first violation found. Fields that do not apply are 0. */
typedef struct hs_violation {
    hs_violation_kind kind;
    unsigned          worker;
    size_t            entry;    /* position on that worker */
    size_t            task;
    double            expected; /* what the time in question should be, if it is one */
    double            found;
    size_t            before;   /* HS_TOO_EARLY, HS_INPUT_LATE: the task that it comes after or
                                   reads from; SIZE_MAX: what was there from the start */
} hs_violation;

/**
 * Is `s` a schedule of `in`? HS_OK if so, HS_ESCHEDULE and *first (if not NULL)
 * if not. Shares no code with the algorithms. O(tasks + entries + a log a), with a aborted ones,
 * and each entry with all that its row comes after and accesses.
 */
HS_API hs_status   hs_schedule_check(const hs_instance *in, const hs_schedule *s,
                                     hs_violation *first);

/** The same of a schedule in which worker w starts nothing before available[w]; NULL: 0. */
HS_API hs_status   hs_schedule_check_available(const hs_instance *in, const hs_schedule *s,
                                               const double *available, hs_violation *first);
HS_API const char *hs_violation_text(hs_violation_kind kind);

HS_END_DECLS

#endif
