/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_POLICY_H
#define HYBRIDSCHED_POLICY_H

#include <hybridsched/parameters.h>
#include <hybridsched/rank.h>
#include <hybridsched/schedule.h>

HS_BEGIN_DECLS

/**
 * A policy makes the decisions, a clock drives it: ready -> decide -> start -> ended. The caller
 * reports events; the policy returns the decision for an idle worker, and the waiting workers
 * affected by an event. The policy sees task times only as estimates. Under a virtual clock
 * (hs_policy_simulate()) the result is a schedule; under the wall clock the policy drives
 * hsched-exec. Times are in the instance's unit, from the start.
 *
 * Threads must not use one handle at once without a lock, except for a worker's own tasks:
 * hs_policy_own(), and hs_policy_ended() with HS_ENDING_DONE for a task from hs_policy_own(), may
 * be called concurrently for different workers, and together with any call about other workers.
 */
typedef struct hs_policy hs_policy;

typedef struct hs_policy_kind hs_policy_kind; /* static, never freed; defined below */

/*
 * The registry: every policy of this build, e.g. plan, plan+steal, heteroprio. Ties are broken by
 * fixed rules: equal calls give equal decisions.
 *
 * heteroprio and plan+steal spoliate: an otherwise idle worker aborts a restartable task running on
 * the other type if it would finish the task strictly earlier. The policies keep a history of
 * measured times. Once the estimates of a kernel and type prove wrong by more than the tolerance,
 * the expected duration of a running task is the duration of past tasks that lasted at least as
 * long, or, without a longer one, twice the time already run. Spoliation must then gain more than
 * the work it discards; the required gain falls as the estimates of the thief's type improve. Once
 * the victim's elapsed time exceeds its estimate by more than the tolerance, the thief's time is
 * multiplied by elapsed time over estimate, at most by 256. Each type spoliates a task once, and
 * not after a late spoliation of the task from this type, so two workers never exchange a task
 * forever, however wrong its estimates are.
 *
 * In a graph plan+steal leaves punctual tasks to the plan, which may let a worker wait on purpose.
 * A task ready later than its planned start goes to any idle worker that would finish it before its
 * planned worker is expected to, earliest due first; a running task is spoliated only if it began
 * late or has outlasted its estimate.
 */
HS_API size_t                hs_policy_count(void);
HS_API const hs_policy_kind *hs_policy_at(size_t index);
HS_API const hs_policy_kind *hs_policy_find(const char *name); /* NULL: unknown name */
HS_API const char           *hs_policy_name(const hs_policy_kind *kind);
HS_API const char           *hs_policy_summary(const hs_policy_kind *kind); /* one line */
HS_API int                   hs_policy_supports_graphs(const hs_policy_kind *kind);
HS_API unsigned              hs_policy_supported_ranks(const hs_policy_kind *kind);

/** Return 1 if the policy follows a plan, so hs_policy_create() requires one. */
HS_API int hs_policy_needs_plan(const hs_policy_kind *kind);

/**
 * Return 1 if each worker runs the tasks of its part of the plan, in the plan's order, until a
 * worker or a task fails: the policy neither steals nor spoliates.
 */
HS_API int hs_policy_keeps_plan(const hs_policy_kind *kind);

/**
 * Options of a policy. Always start from hs_policy_settings_init(); NULL settings mean defaults.
 */
typedef struct hs_policy_settings {
    size_t struct_size;
    double tolerance; /* delay, relative to the estimate, up to which a task is not late; 0, as
                         under an exact clock */
    hs_rank rank;      /* default: HS_RANK_DEFAULT */
    hs_parameters parameters;
    int (*cancel)(void *cancel_data); /* cancel callback of hs_policy_create() and
                                         hs_policy_simulate(): called at least every 0.1 s; not
                                         0: return HS_ECANCELED. Not called after creation. NULL:
                                         none */
    void                *cancel_data;
    const double *available; /* hs_policy_simulate(): time >= 0, by worker, of its first
                                hs_policy_next(); NULL: all 0 */
    const unsigned char *skip; /* hs_policy_simulate(): flag by task; not 0: done before the
                                  start, as by hs_policy_skip(), and absent from the schedule;
                                  NULL: none */
    int transfers; /* record transfers for hs_policy_transfers() and for hs_schedule_transfers()
                      of a simulation */
} hs_policy_settings;

HS_API void hs_policy_settings_init_sized(hs_policy_settings *settings, size_t size);
#define hs_policy_settings_init(s) hs_policy_settings_init_sized((s), sizeof *(s))

/**
 * Create a policy for the tasks and workers of `estimates`. `estimates` and `plan` must outlive it.
 * `plan` is a valid schedule of `estimates` (aborted entries are not repeated), or NULL for a
 * policy without plan. HS_EINVAL: a plan for other workers, bad settings, an unsupported rank, or a
 * kind with missing members; HS_ESCHEDULE: the plan does not run each task exactly once on a type
 * with a finite estimate; HS_ECANCELED. All memory is allocated here, so later calls cannot fail.
 * O(n log n), mostly O(n).
 */
HS_API hs_status hs_policy_create(const hs_policy_kind *kind, const hs_instance *estimates,
                                  const hs_schedule *plan, const hs_policy_settings *settings,
                                  hs_policy **out);
HS_API void      hs_policy_free(hs_policy *policy);

enum { HS_WAKE_ROOM = 6 };

/**
 * Waiting workers for which hs_policy_next() must be called again; each call adds to the set. Start
 * from {0}, the empty set. Extra workers cost time but change no decision.
 */
typedef struct hs_wake {
    unsigned types;                /* bit mask, 1 << t: every worker of hs_type t */
    unsigned count;                /* number of single workers in `worker` */
    unsigned worker[HS_WAKE_ROOM]; /* single workers; an overflow wakes every worker */
} hs_wake;

static inline void hs_wake_type(hs_wake *wake, hs_type type)
{
    wake->types |= 1u << type;
}

static inline void hs_wake_all(hs_wake *wake)
{
    wake->types = 1u << HS_CPU | 1u << HS_GPU;
}

static inline void hs_wake_worker(hs_wake *wake, unsigned worker)
{
    if (wake->count < HS_WAKE_ROOM)
        wake->worker[wake->count++] = worker;
    else
        hs_wake_all(wake);
}

typedef enum hs_decision_kind {
    HS_DECIDE_START, /* run `task`, from `start` on */
    HS_DECIDE_TAKE,  /* abort `task` on worker `victim`, then call hs_policy_next() again */
    HS_DECIDE_WAIT   /* do nothing until `until` or a wake-up; the run is over when every worker
                        waits */
} hs_decision_kind;

typedef struct hs_decision {
    hs_decision_kind kind;
    uint32_t         task;
    unsigned         victim;
    double           until; /* > now; INFINITY: wait for a wake-up */
    double           start; /* arrival of the last input, >= now; set by hs_policy_next(), not by
                               the policy kind */
} hs_decision;

static inline void hs_decide_start(hs_decision *out, uint32_t task)
{
    hs_decision d = {HS_DECIDE_START, task, 0, 0, 0};

    *out = d;
}

static inline void hs_decide_take(hs_decision *out, uint32_t task, unsigned victim)
{
    hs_decision d = {HS_DECIDE_TAKE, task, victim, 0, 0};

    *out = d;
}

static inline void hs_decide_wait(hs_decision *out, double until)
{
    hs_decision d = {HS_DECIDE_WAIT, 0, 0, until, 0};

    *out = d;
}

typedef enum hs_ending {
    HS_ENDING_DONE,
    HS_ENDING_ABORTED, /* aborted after HS_DECIDE_TAKE; reserved for the thief */
    HS_ENDING_BACK,    /* not done; any worker may run the task again */
    HS_ENDING_DROPPED, /* not done, and must not run again */
    HS_ENDING_HELD     /* not done; the caller keeps the task and may later report it done, by
                          any worker, or dropped */
} hs_ending;

/*
 * In the calls below an event adds the affected workers to `wake`; NULL: the caller calls
 * hs_policy_next() for every waiting worker after each event. Invalid task and worker numbers are
 * ignored.
 */

/**
 * Return the tasks that became ready since the last call, in topological order, and add the
 * affected workers to `wake`. The array is valid until the next call. Call it before the first
 * hs_policy_next(), and then after all tasks that end at one time have ended and before any
 * hs_policy_next(). Independent tasks are ready from the start, so for a kind that does not settle
 * the call may be omitted. It may also be omitted for a graph without transfers under plan, where
 * workers run their own tasks: then plan does not settle, and tasks that become ready later are not
 * reported.
 */
HS_API size_t hs_policy_ready(hs_policy *policy, double now, const uint32_t **tasks, hs_wake *wake);

/** Return 1 if all tasks that end at one time must be reported before the next hs_policy_next(). */
HS_API int hs_policy_settles(const hs_policy *policy);

/**
 * Decide for idle `worker` at `now`. A started task counts as running from `now` on, which may wake
 * other workers. Until a victim's task has ended, repeated calls for its thief return the
 * HS_DECIDE_TAKE again. plan: O(log n); heteroprio: O(log n), and O(m + k) for a search of a
 * victim; plan+steal: O(1), in a graph O(log n), and O(m + k) for a search of a task to steal.
 */
HS_API void hs_policy_next(hs_policy *policy, unsigned worker, double now, hs_decision *out,
                           hs_wake *wake);

/**
 * Get the next task that belongs to this worker independently of other workers' actions: returns 1,
 * and the worker runs *task; or 0: call hs_policy_next(). A worker may have several own tasks in
 * flight.
 */
HS_API int hs_policy_own(hs_policy *policy, unsigned worker, uint32_t *task);

/**
 * Return the tasks that hs_policy_own() will give this worker, in order, if the list is known
 * before the start; else NULL, with *count unchanged. The list remains valid until every task on it
 * was given. Call after the last hs_policy_skip() and before the worker's first decision;
 * concurrent calls for different workers are allowed.
 */
HS_API const uint32_t *hs_policy_list(hs_policy *policy, unsigned worker, size_t *count);

/**
 * Choose a task to prefetch for `worker`, which runs a task and has no waiting task.
 * HS_DECIDE_START: the task now waits for the worker and its transfers begin; hs_policy_next()
 * starts it later. Where links take time other workers may steal it. HS_DECIDE_WAIT: no task to
 * prefetch; call again after the next event.
 */
HS_API void hs_policy_ahead(hs_policy *policy, unsigned worker, double now, hs_decision *out,
                            hs_wake *wake);

/**
 * Get the first task that waits until `worker` has ended its running task: returns 1, or 0 if none
 * waits. The caller may prefetch its inputs, but another worker may still run it.
 */
HS_API int hs_policy_waiting(hs_policy *policy, unsigned worker, uint32_t *task);

/*
 * Calls for policy kinds. hs_policy_arrival() returns the arrival time of the last input of a ready
 * task in the memory of `worker`; hs_policy_transfer() returns the longest transfer needed.
 * hs_policy_fetch() commits to the worker and starts the transfers, as does the start of the task.
 */
HS_API double hs_policy_arrival(const hs_policy *policy, uint32_t task, unsigned worker,
                                double now);
HS_API double hs_policy_transfer(const hs_policy *policy, uint32_t task, unsigned worker);
HS_API double hs_policy_fetch(hs_policy *policy, uint32_t task, unsigned worker, double now);

/**
 * With settings.transfers: return the transfers started so far, where links take time, sorted by
 * destination, then start; incomplete if memory ran out. Owned by the policy, valid until its next
 * call.
 */
HS_API const hs_transfer *hs_policy_transfers(hs_policy *policy, size_t *count);

/** Report the end of a task that ran on `worker`, from hs_policy_next() or hs_policy_own(). */
HS_API void hs_policy_ended(hs_policy *policy, unsigned worker, uint32_t task, hs_ending how,
                            double now, hs_wake *wake);

/** Mark a task as already done. Call before the first decision. */
HS_API void hs_policy_skip(hs_policy *policy, uint32_t task);

/** Take the idle `worker` out of service and return its reserved tasks to other workers. */
HS_API void hs_policy_retire(hs_policy *policy, unsigned worker, hs_wake *wake);

/**
 * Get a task that no worker in service can run: returns 1 (once for each task), or 0 if there is
 * none.
 */
HS_API int hs_policy_stranded(hs_policy *policy, uint32_t *task);

/** State of a policy, defined separately by each kind. */
typedef struct hs_policy_state hs_policy_state;

/**
 * A kind of policy. An application's own kind is accepted wherever a registered kind is. Each
 * function implements the public call of its name above; the library has already checked worker and
 * task numbers, and `wake` is never NULL. Only create() may fail, and it allocates all memory; it
 * sets *out only on HS_OK. Equal calls must give equal decisions.
 */
struct hs_policy_kind {
    size_t      struct_size; /* sizeof(hs_policy_kind) */
    const char *name;        /* without commas */
    const char *summary;     /* one line */
    int         needs_plan;
    /* Create the state. All settings are present. `policy` is for later calls of
       hs_policy_arrival(), hs_policy_transfer() and hs_policy_fetch(). */
    hs_status (*create)(hs_policy *policy, const hs_instance *estimates, const hs_schedule *plan,
                        const hs_policy_settings *settings, hs_policy_state **out);
    void (*free)(hs_policy_state *state);
    void (*next)(hs_policy_state *state, unsigned worker, double now, hs_decision *out,
                 hs_wake *wake);
    void (*ended)(hs_policy_state *state, unsigned worker, uint32_t task, hs_ending how, double now,
                  hs_wake *wake);
    void (*skip)(hs_policy_state *state, uint32_t task);
    /* NULL: always returns 0 */
    int (*own)(hs_policy_state *state, unsigned worker, uint32_t *task);
    const uint32_t *(*list)(hs_policy_state *state, unsigned worker,
                            size_t *count);                      /* NULL: no list is known */
    /* NULL: no task is reserved for a worker */
    void (*retire)(hs_policy_state *state, unsigned worker, hs_wake *wake);
    int (*stranded)(hs_policy_state *state, uint32_t *task); /* NULL: always returns 0; then
                                                                stranded tasks are silently left */
    int      supports_graphs; /* dependent tasks; 0: such instances fail with HS_EDEPENDENT */
    unsigned supported_ranks; /* bit mask, 1 << r for each hs_rank r beyond HS_RANK_DEFAULT */
    int      settles; /* hs_policy_settles() also for independent tasks */
    /* See hs_policy_ready(); required if `supports_graphs` or `settles` is set. */
    void (*ready)(hs_policy_state *state, const uint32_t *tasks, size_t count, double now,
                  hs_wake *wake);
    void (*ahead)(hs_policy_state *state, unsigned worker, double now, hs_decision *out,
                  hs_wake *wake); /* NULL: never prefetches */
    /* NULL: always returns 0 */
    int (*waiting)(hs_policy_state *state, unsigned worker, uint32_t *task);
    int keeps_plan; /* see hs_policy_keeps_plan(); needs_plan must be set, too */
};

/**
 * Run a policy under a virtual clock. It decides by the times of `estimates`, but tasks take the
 * times of `truth`: equal tasks and workers, and finite times wherever the estimate is finite, else
 * HS_EINVAL. Dependencies, data and links are taken from `estimates`. Among workers idle at one
 * time GPUs decide first, then lower numbers. With exact estimates and no tolerance heteroprio
 * gives the schedule of the algorithm heteroprio; plan+steal gives a schedule no longer than the
 * plan, up to rounding of sums, and in a graph the plan itself. Results of skipped tasks are in the
 * host's memory; every predecessor of a skipped task must be skipped, too. HS_EOVERFLOW: the
 * makespan exceeds the range of a double; HS_ESCHEDULE: the policy made an impossible decision, or
 * left a task.
 */
HS_API hs_status hs_policy_simulate(const hs_policy_kind *kind, const hs_instance *estimates,
                                    const hs_schedule *plan, const hs_instance *truth,
                                    const hs_policy_settings *settings, hs_schedule **out);

HS_END_DECLS

#endif
