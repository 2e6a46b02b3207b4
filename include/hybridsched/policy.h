/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_POLICY_H
#define HYBRIDSCHED_POLICY_H

#include <hybridsched/rank.h>
#include <hybridsched/schedule.h>

HS_BEGIN_DECLS

/**
 * A policy decides, a clock drives it: ready -> decide -> start -> ended. It is told what
 * happens and says what an idle worker is to do, and whom what happened concerns; it knows
 * the times of the tasks only as estimates. Under a virtual clock (hs_policy_simulate()) it
 * gives a schedule; under the wall clock it is what hsched-exec runs. Times are in the
 * instance's unit, from the start.
 *
 * A handle is not to be shared between threads without a lock, but for what workers do by
 * themselves: hs_policy_own(), and hs_policy_ended() with HS_ENDING_DONE for a task that it
 * gave, may be called for different workers at once, and together with any call about
 * other workers.
 */
typedef struct hs_policy hs_policy;

typedef struct hs_policy_kind hs_policy_kind; /* static, never freed; below */

/*
 * The registry: plan, plan+steal, heteroprio. Ties are broken by fixed rules: the same
 * calls get the same answers.
 *
 * heteroprio and plan+steal make a worker that has nothing else to do take a running task
 * from the other type (spoliation) if it would end it strictly earlier; what is not
 * restartable is left alone. They learn while they run: where estimates of a kernel and type
 * turn out to be wrong, by more than the tolerance, a task is expected to take what tasks did
 * that lasted as long already, or, if none did, as long again as it has run, and is taken
 * only where that gains more than what is thrown away, the less the better the estimates of
 * the taker's type are. Once the victim has outlasted its estimate by more than the tolerance, the
 * taker's time is multiplied by elapsed time over that estimate, at most by 256. Each type takes a
 * task once, and none that was taken from it late: so no two workers take a task from each other
 * for ever, however wrong its estimates are.
 *
 * In a graph plan+steal leaves what is on time to the plan, which may have a worker wait for good
 * reason. What is ready later than it starts by the plan goes to whoever is idle and would end it
 * before its worker is expected to, what is due first before the rest; and what runs is taken only
 * if it began late or has outlasted its estimate.
 */
HS_API size_t                hs_policy_count(void);
HS_API const hs_policy_kind *hs_policy_at(size_t index);
HS_API const hs_policy_kind *hs_policy_find(const char *name); /* NULL if there is none */
HS_API const char           *hs_policy_name(const hs_policy_kind *kind);
HS_API const char           *hs_policy_summary(const hs_policy_kind *kind); /* one line */
HS_API int                   hs_policy_graphs(const hs_policy_kind *kind);
HS_API unsigned              hs_policy_ranks(const hs_policy_kind *kind);

/** Does it follow a plan, so that one must be given? */
HS_API int hs_policy_needs_plan(const hs_policy_kind *kind);

/**
 * What a policy may be told. Always start from hs_policy_settings_init(); NULL settings mean
 * defaults.
 */
typedef struct hs_policy_settings {
    size_t struct_size;
    double tolerance; /* the part of its estimate by which a task may be late before it is taken
                         for late; 0, as under an exact clock */
    hs_rank  rank;       /* HS_RANK_DEFAULT */
    double   band;       /* hp-corrected: p/q from which on GPUs take by rank; 0: 8 */
    double   leave;      /* hp-corrected: p/q from which on they also take what CPUs run; 0: 16 */
    unsigned threshold;  /* h-ratio, d-rank: tasks that may wait for workers; 0: twice as many */
    int (*cancel)(void *cancel_data); /* hs_policy_create(), hs_policy_simulate(): asked every
                                         0.1 s or more often; not 0: no more, HS_ECANCELED. Not
                                         asked once it is created. NULL: nobody */
    void *cancel_data;
    double ratio_tolerance; /* heteroprio and its like: ratios that count as the same, as
                               hs_queue_settings.tolerance; 0: those that are */
    const double *available; /* hs_policy_simulate(): by worker, when it is asked for the first
                                time, >= 0; NULL: all at 0 */
    const unsigned char *skip; /* hs_policy_simulate(): by task, not 0: it is done already, as
                                  hs_policy_skip() says, and not in the schedule; NULL: none is */
    int transfers; /* they are recorded: hs_policy_transfers(), and hs_policy_simulate()'s schedule
                      has hs_schedule_transfers() */
} hs_policy_settings;

HS_API void hs_policy_settings_init_sized(hs_policy_settings *settings, size_t size);
#define hs_policy_settings_init(s) hs_policy_settings_init_sized((s), sizeof *(s))

/**
 * A policy for the tasks and workers of `estimates`, which must outlive it; so
 * must `plan`, a valid schedule of it (its aborted entries are not repeated), or
 * NULL where none is needed.
 * HS_EINVAL: a plan for other workers, bad settings, a rank that the kind does not take, or a
 * kind that lacks what it needs; HS_ESCHEDULE: a plan that does
 * not run each task once, where its estimate is finite; HS_ECANCELED. All memory is taken here: no
 * later call can fail. O(n log n), mostly O(n).
 */
HS_API hs_status hs_policy_create(const hs_policy_kind *kind, const hs_instance *estimates,
                                  const hs_schedule *plan, const hs_policy_settings *settings,
                                  hs_policy **out);
HS_API void      hs_policy_free(hs_policy *policy);

enum { HS_WAKE_ROOM = 6 };

/**
 * Who, of the workers that were told to wait, is to ask again: calls add to it. Nobody at
 * first: {0}. To ask more workers changes nothing but the time that it takes.
 */
typedef struct hs_wake {
    unsigned types;                /* 1 << t: every worker of hs_type t */
    unsigned count;                /* and these */
    unsigned worker[HS_WAKE_ROOM]; /* when there is no room for one, all are woken */
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
    HS_DECIDE_TAKE,  /* `victim`, which runs `task`, is to abort it: ask again when it has */
    HS_DECIDE_WAIT   /* nothing now: ask again at `until`, or when woken; when everybody waits, it
                        is over */
} hs_decision_kind;

typedef struct hs_decision {
    hs_decision_kind kind;
    uint32_t         task;
    unsigned         victim;
    double           until; /* > now; INFINITY: only when woken */
    double           start; /* when the last input is there, >= now; hs_policy_next() says so, and
                               not the kind of policy */
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
    HS_ENDING_ABORTED, /* as HS_DECIDE_TAKE asked: it is kept for whoever asked */
    HS_ENDING_BACK,    /* not done, and anybody may run it again */
    HS_ENDING_DROPPED, /* not done, and not to be run again */
    HS_ENDING_HELD     /* not done: the caller keeps it, and may yet say that it is done, by any
                          worker, or dropped */
} hs_ending;

/*
 * In the calls below `wake` says whom the event concerns; NULL: the caller asks everybody
 * who waits. Numbers that do not exist are passed over.
 */

/**
 * What has become ready since it was asked last, in topological order, and whom that concerns; the
 * tasks lie there until it is asked again. When all that ends at one time has ended, and before
 * anybody is asked; for the first time before the first question. Independent tasks are ready
 * from the start, and it need not be asked for them where the kind does not settle. Nor need it
 * where workers run their own tasks of a graph, under plan where nothing takes time to be moved: it
 * does not settle then, and what becomes ready after the start is not told.
 */
HS_API size_t hs_policy_ready(hs_policy *policy, double now, const uint32_t **tasks, hs_wake *wake);

/** Is it a kind for which all that ends at one time is to end before anybody is asked? */
HS_API int hs_policy_settles(const hs_policy *policy);

/**
 * What does `worker`, idle, do at `now`? What it starts is held to run from `now` on, and
 * others may have been waiting for that. Who was told to take a task and asks again before
 * it ended is told so again. plan: O(log n); heteroprio: O(log n), and O(m + k) where it has
 * to find a victim; plan+steal: O(1), in a graph O(log n), and
 * O(m + k) where it has to steal.
 */
HS_API void hs_policy_next(hs_policy *policy, unsigned worker, double now, hs_decision *out,
                           hs_wake *wake);

/**
 * 1 and a task that is this worker's own, whatever the others do, which it then runs; 0:
 * hs_policy_next() has to say. A worker may have several of its own under way at a time.
 */
HS_API int hs_policy_own(hs_policy *policy, unsigned worker, uint32_t *task);

/**
 * What hs_policy_own() gives this worker, in that order, if it is known before the start;
 * else NULL, and *count as it was; it stays as it is until all is given. After the last
 * hs_policy_skip(), before the worker's first question; for different workers at once.
 */
HS_API const uint32_t *hs_policy_list(hs_policy *policy, unsigned worker, size_t *count);

/**
 * What will `worker` do next, which runs something and has nothing waiting? A task that waits for
 * it then, and whose inputs are on their way: hs_policy_next() starts it. Where inputs have to be
 * moved others may take it as they may take what it runs. HS_DECIDE_WAIT: nothing; it is asked
 * again when something has happened.
 */
HS_API void hs_policy_ahead(hs_policy *policy, unsigned worker, double now, hs_decision *out,
                            hs_wake *wake);

/**
 * 1 and the first of the tasks that wait until `worker` has ended what it runs, if there is one:
 * what it reads may be brought there meanwhile. Another worker may run it all the same.
 */
HS_API int hs_policy_waiting(hs_policy *policy, unsigned worker, uint32_t *task);

/*
 * For kinds of policies. When would the last input of `task`, which is ready, be in the memory of
 * `worker` if it were to run it, and the longest of the transfers that this takes; and it is
 * decided: they start. To start a task decides it, too.
 */
HS_API double hs_policy_arrival(const hs_policy *policy, uint32_t task, unsigned worker,
                                double now);
HS_API double hs_policy_transfer(const hs_policy *policy, uint32_t task, unsigned worker);
HS_API double hs_policy_fetch(hs_policy *policy, uint32_t task, unsigned worker, double now);

/**
 * With settings.transfers: those that have started so far, where links take time, as far as there
 * was memory to record them; sorted by where to, then start. Owned by the policy, until it is asked
 * something else.
 */
HS_API const hs_transfer *hs_policy_transfers(hs_policy *policy, size_t *count);

/** What `worker` ran, given by either call, has ended. */
HS_API void hs_policy_ended(hs_policy *policy, unsigned worker, uint32_t task, hs_ending how,
                            double now, hs_wake *wake);

/** Before the first question: `task` is done already. */
HS_API void hs_policy_skip(hs_policy *policy, uint32_t task);

/** `worker`, idle, is out of service: what was meant for it goes to the others. */
HS_API void hs_policy_retire(hs_policy *policy, unsigned worker, hs_wake *wake);

/** 1 and a task that none of the workers in service can run (each is given once), else 0. */
HS_API int hs_policy_stranded(hs_policy *policy, uint32_t *task);

/** What a policy works with: each kind defines this structure for itself. */
typedef struct hs_policy_state hs_policy_state;

/**
 * A kind of policy. One of an application's own is passed wherever one of the registry is.
 * Each function does what the call of its name above promises; the library has compared
 * workers and tasks with the numbers there are, and passes a `wake` that is never NULL.
 * None of them may fail but create(), which takes all memory; what it returns is set only
 * on HS_OK. The same calls are to get the same answers.
 */
struct hs_policy_kind {
    size_t      struct_size; /* sizeof(hs_policy_kind) */
    const char *name;        /* without commas */
    const char *summary;     /* one line */
    int         needs_plan;
    /* The policy is for hs_policy_arrival() and its like, later; all settings are there. */
    hs_status (*create)(hs_policy *policy, const hs_instance *estimates, const hs_schedule *plan,
                        const hs_policy_settings *settings, hs_policy_state **out);
    void (*free)(hs_policy_state *state);
    void (*next)(hs_policy_state *state, unsigned worker, double now, hs_decision *out,
                 hs_wake *wake);
    void (*ended)(hs_policy_state *state, unsigned worker, uint32_t task, hs_ending how, double now,
                  hs_wake *wake);
    void (*skip)(hs_policy_state *state, uint32_t task);
    int (*own)(hs_policy_state *state, unsigned worker, uint32_t *task); /* NULL: always 0 */
    const uint32_t *(*list)(hs_policy_state *state, unsigned worker,
                            size_t *count);                      /* NULL: it is not known */
    void (*retire)(hs_policy_state *state, unsigned worker, hs_wake *wake); /* NULL: nothing
                                                   is meant for one worker rather than another */
    int (*stranded)(hs_policy_state *state, uint32_t *task); /* NULL: always 0. Then such tasks
                                                   are not run, and nobody says why */
    int graphs; /* it takes tasks that depend on each other; those that do not refuse them with
                   HS_EDEPENDENT */
    unsigned ranks;  /* 1 << r for each hs_rank r that it takes beside HS_RANK_DEFAULT */
    int      settles; /* as hs_policy_settles() where tasks are independent, too */
    /* As hs_policy_ready(); a kind that takes graphs or settles has it. */
    void (*ready)(hs_policy_state *state, const uint32_t *tasks, size_t count, double now,
                  hs_wake *wake);
    void (*ahead)(hs_policy_state *state, unsigned worker, double now, hs_decision *out,
                  hs_wake *wake); /* NULL: nothing is chosen ahead */
    int (*waiting)(hs_policy_state *state, unsigned worker, uint32_t *task); /* NULL: always 0 */
};

/**
 * The same policy under a virtual clock: it decides by the times of `estimates`,
 * the tasks take those of `truth` (same tasks, same workers, and finite wherever the
 * estimate is, else HS_EINVAL); what depends on what, data and links are those of `estimates`.
 * Among workers that are idle at one time GPUs act first, then lower numbers. With exact estimates
 * and no tolerance heteroprio gives the schedule of the algorithm of that name, and plan+steal one
 * that is not longer than plan's, but for the rounding of sums; in a graph it is plan's. What is skipped has made what it
 * makes in the host's memory; all that it comes after is to be skipped, too. HS_EOVERFLOW: it would
 * last longer than a double can tell; HS_ESCHEDULE: the policy decides what cannot be done, or
 * leaves a task.
 */
HS_API hs_status hs_policy_simulate(const hs_policy_kind *kind, const hs_instance *estimates,
                                    const hs_schedule *plan, const hs_instance *truth,
                                    const hs_policy_settings *settings, hs_schedule **out);

HS_END_DECLS

#endif
