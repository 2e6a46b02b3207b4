/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_POLICY_H
#define HYBRIDSCHED_POLICY_H

#include <hybridsched/cost.h>
#include <hybridsched/parameters.h>
#include <hybridsched/rank.h>
#include <hybridsched/schedule.h>

HS_BEGIN_DECLS

/**
 * A policy decides what an idle worker does next. The caller reports events (tasks became ready, a
 * task ended) and asks for decisions; the policy returns the decision for an idle worker, and adds
 * the waiting workers affected by an event to a wake set. The policy sees task times only as
 * estimates. Under a virtual clock (hs_policy_simulate()) the result is a schedule; under the wall
 * clock the policy drives hsched-exec. Times are in the instance's unit, from the start of the run.
 *
 * Threads must not use one handle at once without a lock, except for a worker's own tasks:
 * hs_policy_take_own(), and hs_policy_ended() with HS_ENDING_DONE for a task from
 * hs_policy_take_own(), may be called concurrently for different workers, and together with any
 * call about other workers.
 */
typedef struct hs_policy hs_policy;

typedef struct hs_policy_kind hs_policy_kind; /* static, never freed; defined below */

/*
 * The registry: every policy of this build, e.g. plan, plan+steal, heteroprio. Ties are broken by
 * fixed rules: equal calls give equal decisions.
 *
 * heteroprio and plan+steal spoliate: an otherwise idle worker (the thief) aborts a restartable
 * task that runs on the other type (on the victim) if the thief would end the task strictly
 * earlier. These policies keep a history of measured times. As long as the estimates of a kernel
 * and type are right within the tolerance, expected times are the estimates. After a misestimate:
 *
 * - A running task is expected to last as long as past tasks that lasted at least as long; without
 *   such a task, twice the time already run.
 * - Spoliation must gain more than the work that it discards; the required gain falls as the
 *   estimates of the thief's type improve.
 * - If the victim's elapsed time exceeds its estimate by more than the tolerance, the thief's time
 *   is multiplied by elapsed time over estimate, at most by 256.
 *
 * Each type spoliates a task at most once, and never a task that was late on this type when the
 * other type spoliated the task: two workers never exchange a task forever, however wrong its
 * estimates are.
 *
 * In a graph plan+steal leaves punctual tasks to the plan, which may let a worker wait on purpose.
 * A task that is ready later than its planned start goes to any idle worker that would end the task
 * before its planned worker is expected to, earliest planned start first. A running task is
 * spoliated only if the task started late or has outlasted its estimate.
 */
HS_API size_t                hs_policy_count(void);
HS_API const hs_policy_kind *hs_policy_at(size_t index);
HS_API const hs_policy_kind *hs_policy_find(const char *name); /* NULL: unknown name */
HS_API const char           *hs_policy_name(const hs_policy_kind *kind);
HS_API const char           *hs_policy_summary(const hs_policy_kind *kind); /* one line */

/** Return 1 if the policy accepts instances with dependent tasks. */
HS_API int hs_policy_supports_graphs(const hs_policy_kind *kind);

/** Return a bit mask: 1 << r for each hs_rank r that the policy accepts beside HS_RANK_DEFAULT. */
HS_API unsigned hs_policy_supported_ranks(const hs_policy_kind *kind);

/** Return 1 if the policy follows a plan, so hs_policy_create() requires one. */
HS_API int hs_policy_needs_plan(const hs_policy_kind *kind);

/**
 * Return 1 if each worker runs the tasks of its part of the plan, in the plan's order, until a
 * worker or a task fails: the policy neither steals nor spoliates.
 */
HS_API int hs_policy_keeps_plan(const hs_policy_kind *kind);

/** How `explore` uses guessed times. */
typedef enum hs_guess_use {
    HS_GUESSES_TRIED,   /* each class of tasks is tried once on a type where its time is a guess */
    HS_GUESSES_TRUSTED, /* a guess is used like a measured time */
    HS_GUESSES_DOUBTED  /* as TRUSTED, but the time of a kernel without executions on a type is at
                           least the longest time measured there in this run */
} hs_guess_use;

/** Settings of a policy. Initialise with hs_policy_settings_init(); NULL settings mean defaults. */
typedef struct hs_policy_settings {
    size_t struct_size;
    double tolerance;   /* delay, relative to the estimate, up to which a task is not late; 0, as
                           under an exact clock */
    hs_rank       rank; /* order of tasks; default: HS_RANK_DEFAULT */
    hs_parameters parameters;         /* parameters of single policies */
    int (*cancel)(void *cancel_data); /* cancel callback of hs_policy_create() and
                                         hs_policy_simulate(), called at least every 0.1 s; result
                                         other than 0: return HS_ECANCELED. NULL: none */
    void         *cancel_data;
    const double *available; /* hs_policy_simulate(): time >= 0, by worker, of the worker's
                                first decision; NULL: all 0 */
    const unsigned char
        *skip;     /* hs_policy_simulate(): flag by task; 1: done before the start, as by
                      hs_policy_mark_done(), and absent from the schedule; NULL: none */
    const hs_cost *cost; /* explore: executions of earlier runs, copied by hs_policy_create(); NULL:
                            none */
    hs_guess_use   guesses; /* explore; default: HS_GUESSES_TRIED */
    const uint32_t *skip_worker; /* hs_policy_simulate(): by task, worker that ran a skipped task;
                                    HS_NONE, or another number that is no worker: its results are
                                    in the first host's memory; NULL: all HS_NONE */
    int transfers; /* whether transfers are recorded for hs_policy_transfers() and for
                      hs_schedule_transfers() of a simulation */
} hs_policy_settings;

HS_API void hs_policy_settings_init_sized(hs_policy_settings *settings, size_t size);
#define hs_policy_settings_init(s) hs_policy_settings_init_sized((s), sizeof *(s))

/**
 * Create a policy for the tasks and workers of `estimates`. On HS_OK the caller owns *out, and
 * frees the policy with hs_policy_free(); `estimates` and `plan` must outlive the policy. `plan` is
 * a valid schedule of `estimates` (aborted entries are not repeated), or NULL for a policy without
 * plan. HS_EINVAL: a plan for other workers, bad settings, an unsupported rank, or a kind with
 * missing members; HS_EDEPENDENT: the instance has a graph, and the policy does not support graphs;
 * HS_ESCHEDULE: the plan does not run each task exactly once on a type with a finite estimate;
 * HS_ECANCELED. The call allocates all memory, so later calls cannot fail. O(n log n).
 */
HS_API hs_status hs_policy_create(const hs_policy_kind *kind, const hs_instance *estimates,
                                  const hs_schedule *plan, const hs_policy_settings *settings,
                                  hs_policy **out);
HS_API void      hs_policy_free(hs_policy *policy);

enum { HS_WAKE_ROOM = 6 };

/**
 * Wake set: the waiting workers for which hs_policy_next() must be called again. Each policy call
 * adds workers. Start from {0}, the empty set. Extra workers cost time but change no decision.
 */
typedef struct hs_wake {
    unsigned types;                /* bit mask of types to wake, 1 << t: every worker of hs_type
                                      t */
    unsigned count;                /* number of single workers in `worker` */
    unsigned worker[HS_WAKE_ROOM]; /* single workers; an overflow wakes every worker */
} hs_wake;

/** Add workers to a wake set: every worker of a type, every worker, or a single worker. */
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
    HS_DECIDE_START,    /* run `task`, from `start` on */
    HS_DECIDE_SPOLIATE, /* abort `task` on worker `victim`, then call hs_policy_next() again */
    HS_DECIDE_WAIT      /* do nothing until `until` or a wake-up; the run is over when every worker
                           waits */
} hs_decision_kind;

typedef struct hs_decision {
    hs_decision_kind kind;
    uint32_t         task;
    unsigned         victim; /* worker that runs `task` */
    double           until;  /* end of the wait, > now; INFINITY: wait for a wake-up */
    double           start;  /* arrival of the task's last input, >= now, or NaN: the task does not
                                exist or is not ready, a fault of the policy kind. Set by
                                hs_policy_next(), not by the policy kind */
} hs_decision;

/** Set *out to a decision of the kind: start a task, spoliate a task of a victim, or wait. */

static inline void hs_decide_start(hs_decision *out, uint32_t task)
{
    hs_decision d = {HS_DECIDE_START, task, 0, 0, 0};

    *out = d;
}

static inline void hs_decide_spoliate(hs_decision *out, uint32_t task, unsigned victim)
{
    hs_decision d = {HS_DECIDE_SPOLIATE, task, victim, 0, 0};

    *out = d;
}

static inline void hs_decide_wait(hs_decision *out, double until)
{
    hs_decision d = {HS_DECIDE_WAIT, 0, 0, until, 0};

    *out = d;
}

typedef enum hs_ending {
    HS_ENDING_DONE,
    HS_ENDING_ABORTED,  /* the task was aborted after HS_DECIDE_SPOLIATE, and is reserved for the
                           thief */
    HS_ENDING_RETURNED, /* the task is not done; any worker may run it again */
    HS_ENDING_DROPPED,  /* the task is not done, and must not run again */
    HS_ENDING_HELD      /* the task is not done; the caller keeps it and may later report it
                           done, by any worker, or dropped */
} hs_ending;

/*
 * In the calls below an event adds the affected workers to `wake`; NULL: the caller calls
 * hs_policy_next() for every waiting worker after each event. Invalid task and worker numbers are
 * ignored.
 */

/**
 * Tell the policy which tasks became ready through the endings reported since the last call. Return
 * the number of these tasks and set *tasks to them, in topological order; the array is owned by the
 * policy and valid until the next call. `tasks` may be NULL. Call it before the first
 * hs_policy_next(), and then after all tasks that end at one time have ended and before any
 * hs_policy_next(). The call may be omitted if hs_policy_groups_endings() returns 0.
 */
HS_API size_t hs_policy_collect_ready(hs_policy *policy, double now, const uint32_t **tasks,
                                      hs_wake *wake);

/** Return 1 if all tasks that end at one time must be reported before the next hs_policy_next(). */
HS_API int hs_policy_groups_endings(const hs_policy *policy);

/**
 * Decide what idle `worker` does at `now`. A started task counts as running from `now` on, which
 * may wake other workers. After HS_DECIDE_SPOLIATE, calls for the thief return the same decision
 * until the victim's task has ended. plan: O(log n); heteroprio: O(log n), and O(m + k) for a
 * search of a victim; plan+steal: O(1), in a graph O(log n), and O(m + k) for a search of a task to
 * steal.
 */
HS_API void hs_policy_next(hs_policy *policy, unsigned worker, double now, hs_decision *out,
                           hs_wake *wake);

/**
 * Take the next task that belongs to this worker whatever other workers do. Return 1, and the
 * worker runs *task; or 0: call hs_policy_next(). A worker may have several own tasks in flight.
 */
HS_API int hs_policy_take_own(hs_policy *policy, unsigned worker, uint32_t *task);

/**
 * Return the tasks that hs_policy_take_own() will give this worker, in order, and their number in
 * *count, if the list is known before the start; else NULL, with *count unchanged. The list is
 * owned by the policy and valid until its last task was taken. Call after the last
 * hs_policy_mark_done() and before the worker's first decision; concurrent calls for different
 * workers are allowed.
 */
HS_API const uint32_t *hs_policy_own_list(hs_policy *policy, unsigned worker, size_t *count);

/**
 * Choose a task to prefetch for `worker`, which runs a task and has no prefetched task.
 * HS_DECIDE_START: the transfers of the task begin, and hs_policy_next() starts the task later;
 * where links take time other workers may steal the task. HS_DECIDE_WAIT: no task to prefetch; call
 * again after the next event.
 */
HS_API void hs_policy_prefetch(hs_policy *policy, unsigned worker, double now, hs_decision *out,
                               hs_wake *wake);

/**
 * Get the task that `worker` is expected to start after its running task. Return 1, or 0 if no such
 * task is known. The caller may prefetch its inputs, but another worker may still run the task.
 */
HS_API int hs_policy_peek(hs_policy *policy, unsigned worker, uint32_t *task);

/*
 * Calls for policy kinds. `task` is ready and `worker` can run it.
 */

/** Return when the last input of the task would arrive at the worker, >= now. */
HS_API double hs_policy_input_arrival(const hs_policy *policy, uint32_t task, unsigned worker,
                                      double now);

/** Return the duration of the longest transfer that the task needs on the worker; 0: none. */
HS_API double hs_policy_longest_transfer(const hs_policy *policy, uint32_t task, unsigned worker);

/**
 * Commit the task to the worker: start its transfers now, and return the arrival of the last input,
 * >= now. The start of a task does the same.
 */
HS_API double hs_policy_start_transfers(hs_policy *policy, uint32_t task, unsigned worker,
                                        double now);

/**
 * Return the bytes of the task's inputs that are neither in the worker's memory nor on their way to
 * it; 0 without links.
 */
HS_API double hs_policy_missing_bytes(const hs_policy *policy, uint32_t task, unsigned worker);

/**
 * Return 1 if the memory node, see hs_instance_memory_node(), has the newest version of a handle,
 * or a transfer brings it there. Without links data is in every memory: 1.
 */
HS_API int hs_policy_has_replica(const hs_policy *policy, uint32_t handle, uint32_t memory_node);

/**
 * Return the predecessor by whose end the ready task became ready, and set *worker (may be NULL) to
 * the worker of this predecessor. HS_NONE, with *worker unchanged: the task was ready from the
 * start, or the policy keeps its plan. O(1).
 */
HS_API uint32_t hs_policy_released_by(const hs_policy *policy, uint32_t task, unsigned *worker);

/**
 * With settings.transfers: return the transfers started so far, where links take time, sorted by
 * destination, then start, and their number in *count; incomplete if memory ran out. Owned by the
 * policy, valid until its next call.
 */
HS_API const hs_transfer *hs_policy_transfers(hs_policy *policy, size_t *count);

/* Report the end of a task that hs_policy_next() or hs_policy_take_own() gave to `worker`. */
HS_API void hs_policy_ended(hs_policy *policy, unsigned worker, uint32_t task, hs_ending how,
                            double now, hs_wake *wake);

/**
 * Mark a task as already done. Its results are in the memory of `worker`, or of the first host if
 * that is HS_NONE. Call before the first decision.
 */
HS_API void hs_policy_mark_done(hs_policy *policy, uint32_t task, unsigned worker);

/**
 * Mark a task as one that another process runs: the policy gives it to no worker, and its
 * successors wait for hs_policy_ended_elsewhere(). Call before the first decision.
 */
HS_API void hs_policy_mark_elsewhere(hs_policy *policy, uint32_t task);

/** Report that a task of another process is done, once; its results are in the first host's memory.
 */
HS_API void hs_policy_ended_elsewhere(hs_policy *policy, uint32_t task, double now, hs_wake *wake);

/** Take the idle `worker` out of service and return its reserved tasks to other workers. */
HS_API void hs_policy_retire(hs_policy *policy, unsigned worker, hs_wake *wake);

/**
 * Take a task that no worker in service can run. Return 1, once for each task, or 0 if there is
 * none.
 */
HS_API int hs_policy_take_stranded(hs_policy *policy, uint32_t *task);

/**
 * A kind of policy. An application's own kind is accepted wherever a registered kind is. Each
 * function implements the public call of its name above; the library has already checked worker and
 * task numbers, and `wake` is never NULL. Only create() may fail, and it allocates all memory.
 * Equal calls must give equal decisions.
 */
struct hs_policy_kind {
    size_t      struct_size; /* sizeof(hs_policy_kind) */
    const char *name;        /* without commas */
    const char *summary;     /* one line */
    bool        needs_plan;  /* see hs_policy_needs_plan() */
    /* Create the state of a policy, with complete settings, and set *out to the state only on
       HS_OK. `data` is the kind's; `policy` is for later calls for policy kinds, see above. */
    hs_status (*create)(void *data, hs_policy *policy, const hs_instance *estimates,
                        const hs_schedule *plan, const hs_policy_settings *settings, void **out);
    void (*free)(void *state);
    void (*next)(void *state, unsigned worker, double now, hs_decision *out,
                 hs_wake *wake);
    void (*ended)(void *state, unsigned worker, uint32_t task, hs_ending how, double now,
                  hs_wake *wake);
    void (*mark_done)(void *state, uint32_t task);

    /* optional; NULL: the worker has no list of its own */
    int (*take_own)(void *state, unsigned worker, uint32_t *task);
    const uint32_t *(*own_list)(void *state, unsigned worker, size_t *count);
    /* optional; NULL: the loss of a worker changes no decision */
    void (*retire)(void *state, unsigned worker, hs_wake *wake);
    /* optional; NULL: tasks that no remaining worker can run are never returned, and do not run */
    int (*take_stranded)(void *state, uint32_t *task);

    bool supports_graphs; /* whether instances with a graph are accepted, not HS_EDEPENDENT */
    unsigned supported_ranks; /* see hs_policy_supported_ranks() */
    bool groups_endings; /* whether all ends of one time are reported together, even of independent
                            tasks: see hs_policy_groups_endings() */
    /* Add the tasks that became ready, see hs_policy_collect_ready(); required if supports_graphs
       or groups_endings is 1. */
    void (*add_ready)(void *state, const uint32_t *tasks, size_t count, double now,
                      hs_wake *wake);
    void (*prefetch)(void *state, unsigned worker, double now, hs_decision *out,
                     hs_wake *wake); /* NULL: never prefetches */
    int (*peek)(void *state, unsigned worker, uint32_t *task); /* NULL: returns 0 */
    bool keeps_plan; /* whether the kind follows its plan, see hs_policy_keeps_plan(); requires
                        needs_plan */
    void *data;      /* the application's, passed to create(); may be NULL */
    bool  accepts_arrivals; /* whether tasks may arrive while the policy runs: the kind then reads
                               the tasks of `estimates` from add_ready() until their end, keeps
                               nothing of a task beyond it, and reads no graph, see arrivals.h;
                               requires groups_endings or supports_graphs */
};

/**
 * Simulate a policy under a virtual clock. On HS_OK the caller owns the schedule *out. The policy
 * decides by the times of `estimates`, but tasks take the times of `truth`, which must have equal
 * tasks and workers, and finite times wherever the estimate is finite (else HS_EINVAL).
 * Dependencies, data and links are those of `estimates`. Among workers idle at one
 * time GPUs decide first, then lower numbers. With exact estimates and no tolerance heteroprio
 * gives the schedule of the algorithm heteroprio; plan+steal gives a schedule no longer than the
 * plan, up to rounding of sums, and in a graph the plan itself. Every predecessor of a skipped task
 * must be skipped, too. HS_EOVERFLOW: the makespan exceeds the range of a double; HS_ESCHEDULE: the
 * policy made an impossible decision, or left a task; *error (may be NULL) then names the time, the
 * worker, the task and the reason.
 */
HS_API hs_status hs_policy_simulate(const hs_policy_kind *kind, const hs_instance *estimates,
                                    const hs_schedule *plan, const hs_instance *truth,
                                    const hs_policy_settings *settings, hs_schedule **out,
                                    hs_error *error);

HS_END_DECLS

#endif
