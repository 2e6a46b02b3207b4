/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A policy under a virtual clock. The next worker to act is the one whose task or wait ends first;
 * among equals GPUs first, then lower numbers: rank j is GPU j, rank k + i is CPU i. A waiting
 * worker is asked again when an event wakes it.
 *
 * If the policy groups endings (always in a graph), all tasks that end at one time are recorded
 * before any worker is asked, and idle workers are asked until none is woken any more. Only then do
 * the decided tasks begin, so that a task aborted at that time leaves no entry. A held task starts
 * when its last input has arrived; behind it the worker may have a prefetched task.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/error.h"
#include "core/impossible_decision.h"
#include "core/recorder.h"
#include "core/problem.h"
#include "policy/policy.h"
#include "support/cancel.h"
#include "support/sized.h"
#include "support/worker_tree.h"

typedef enum activity {
    IDLE,
    HOLDS,
    RUNS,
    WAITS
} activity; /* actor states: HOLDS has a decided task that has not started yet */

typedef struct actor {
    double   free_at; /* end of the latest entry in the recorder */
    double   start;   /* start of the task held or run */
    uint32_t task;
    uint32_t prefetched; /* prefetched task; HS_NONE */
    activity doing;
} actor;

typedef struct policy_simulation {
    hs_policy         *policy;
    const hs_instance *in;    /* tasks with their true times */
    hs_error          *error; /* fault of the policy; may be NULL */
    bool               groups_endings;
    bool               prefetches;
    hsi_problem        truth;
    hsi_worker_tree    due;   /* indexed by rank: time of the next event */
    hsi_worker_tree    asked; /* by rank: 0 if the worker must be asked now (policies that group
                                 endings), else INFINITY */
    actor         *actors;
    unsigned char *taken; /* by task: 1: the task was assigned to a worker, or is done */
    hsi_recorder   recorder;
    size_t         done;
    double         now;     /* time of the latest event */
    unsigned       waiting; /* number of waiting workers; the simulation ends when all wait */
} policy_simulation;

static uint32_t worker_of(const policy_simulation *sim, uint32_t rank)
{
    return rank < sim->truth.k ? sim->truth.m + rank : rank - sim->truth.k;
}

static uint32_t rank_of(const policy_simulation *sim, uint32_t worker)
{
    return worker < sim->truth.m ? sim->truth.k + worker : worker - sim->truth.m;
}

static double time_of(const policy_simulation *sim, uint32_t rank, uint32_t task)
{
    return rank < sim->truth.k ? sim->truth.q[task] : sim->truth.p[task];
}

static bool is_busy(const actor *a)
{
    return a->doing == HOLDS || a->doing == RUNS;
}

static void ask_later(policy_simulation *sim, uint32_t rank, double now)
{
    if (sim->groups_endings)
        hsi_worker_tree_set(&sim->asked, rank, 0);
    else
        hsi_worker_tree_set(&sim->due, rank, now);
}

static void wake_worker(policy_simulation *sim, uint32_t rank, double now)
{
    if (sim->actors[rank].doing == WAITS)
        ask_later(sim, rank, now);
}

static void wake_all(policy_simulation *sim, const hs_wake *woken, double now)
{
    uint32_t first = woken->types & 1u << HS_GPU ? 0 : sim->truth.k, rank;
    uint32_t last = woken->types & 1u << HS_CPU ? sim->due.size : sim->truth.k;
    unsigned i;

    if ((!woken->types && !woken->count) || !sim->waiting)
        return; /* the usual case */
    for (rank = first; rank < last; rank++)
        wake_worker(sim, rank, now);
    for (i = 0; i < woken->count; i++)
        if (woken->worker[i] < sim->policy->workers)
            wake_worker(sim, rank_of(sim, woken->worker[i]), now);
}

static void start_task(policy_simulation *sim, uint32_t rank, const hs_decision *d, double now)
{
    actor *a = &sim->actors[rank];

    a->start = sim->groups_endings ? d->start : now;
    a->task = d->task;
    a->doing = a->start > now ? HOLDS : RUNS;
    if (a->prefetched == d->task)
        a->prefetched = HS_NONE;
    sim->taken[d->task] = 1;
    hsi_worker_tree_set(&sim->due, rank,
                        a->doing == HOLDS ? a->start : a->start + time_of(sim, rank, d->task));
}

/* Append the entry of a worker's running task, complete or aborted at `now`, to the recorder. */
static hs_status record_entry(policy_simulation *sim, uint32_t rank, hs_ending how, double now)
{
    actor    *a = &sim->actors[rank];
    hs_status st = hsi_recorder_reserve(&sim->recorder, &sim->truth, 3);

    if (st != HS_OK)
        return st;
    if (a->free_at != a->start)
        hsi_record_next_start(&sim->recorder, worker_of(sim, rank), a->start);
    hsi_record_run(&sim->recorder, a->task, worker_of(sim, rank),
                   a->start + time_of(sim, rank, a->task));
    if (how != HS_ENDING_DONE)
        hsi_record_abort(&sim->recorder, worker_of(sim, rank), now);
    a->free_at = now;
    return HS_OK;
}

static void report_ending(policy_simulation *sim, uint32_t rank, uint32_t task, hs_ending how,
                          double now)
{
    hs_wake woken = {0};

    hs_policy_ended(sim->policy, worker_of(sim, rank), task, how, now, &woken);
    wake_all(sim, &woken, now);
}

/* End a worker's task, complete or aborted, and report the ending to the policy. */
static hs_status end_task(policy_simulation *sim, uint32_t rank, hs_ending how, double now)
{
    actor    *a = &sim->actors[rank];
    hs_status st = HS_OK;

    if (how == HS_ENDING_DONE || !sim->groups_endings || a->start < now)
        st = record_entry(sim, rank, how, now);
    if (st != HS_OK)
        return st;
    a->doing = IDLE;
    if (how == HS_ENDING_DONE)
        sim->done++;
    else
        sim->taken[a->task] = 0;
    if (how != HS_ENDING_DONE)
        ask_later(sim, rank, now);
    if (sim->groups_endings)
        hsi_worker_tree_set(&sim->due, rank, INFINITY);
    report_ending(sim, rank, a->task, how, now);
    return HS_OK;
}

/* Abort the victim's running or prefetched task at once. */
static hs_status abort_task(policy_simulation *sim, const hs_decision *d, double now)
{
    uint32_t rank = rank_of(sim, d->victim);
    actor   *victim = &sim->actors[rank];

    if (victim->prefetched != d->task)
        return end_task(sim, rank, HS_ENDING_ABORTED, now);
    victim->prefetched = HS_NONE;
    sim->taken[d->task] = 0;
    report_ending(sim, rank, d->task, HS_ENDING_ABORTED, now);
    return HS_OK;
}

static bool runs_or_waits_on(const policy_simulation *sim, unsigned worker, uint32_t task)
{
    const actor *victim;

    if (worker >= sim->policy->workers || task >= sim->truth.n)
        return false;
    victim = &sim->actors[rank_of(sim, worker)];
    return is_busy(victim) && (victim->task == task || victim->prefetched == task);
}

/* Return why the decision is impossible; NULL: it is possible. The policy may be an application's.
 */
static const char *why_impossible(const policy_simulation *sim, uint32_t rank, const hs_decision *d,
                                  double now)
{
    switch (d->kind) {
    case HS_DECIDE_START:
        if (isnan(d->start))
            return HSI_NOT_READY;
        if (sim->taken[d->task] && sim->actors[rank].prefetched != d->task)
            return HSI_TAKEN;
        return isinf(time_of(sim, rank, d->task)) ? HSI_CANNOT_RUN : NULL;
    case HS_DECIDE_SPOLIATE:
        return runs_or_waits_on(sim, d->victim, d->task) ? NULL : HSI_NO_VICTIM;
    case HS_DECIDE_WAIT:
        return d->until > now ? NULL : HSI_NOT_LATER;
    }
    return HSI_NO_SUCH_KIND;
}

/* Check a decision. HS_ESCHEDULE: *sim->error has the fault. */
static hs_status check_decision(const policy_simulation *sim, uint32_t rank, const hs_decision *d,
                                bool is_prefetch, double now)
{
    const char *reason = why_impossible(sim, rank, d, now);

    if (is_prefetch && d->kind != HS_DECIDE_START)
        reason = HSI_ONLY_PREFETCHES;
    return reason
               ? hsi_impossible_decision(sim->in, worker_of(sim, rank), d, now, reason, sim->error)
               : HS_OK;
}

/* Ask the policy for a worker's next decision. After a spoliation the thief is asked again at once,
 * to start the task. */
static hs_status ask_worker(policy_simulation *sim, uint32_t rank, double now)
{
    hs_wake     woken = {0};
    hs_decision decision;
    hs_status   st = HS_OK;

    sim->waiting -= sim->actors[rank].doing == WAITS;
    sim->actors[rank].doing = IDLE;
    do {
        hs_policy_next(sim->policy, worker_of(sim, rank), now, &decision, &woken);
        st = check_decision(sim, rank, &decision, false, now);
        if (st == HS_OK && decision.kind == HS_DECIDE_SPOLIATE)
            st = abort_task(sim, &decision, now);
    } while (st == HS_OK && decision.kind == HS_DECIDE_SPOLIATE);
    if (st != HS_OK)
        return st;
    wake_all(sim, &woken, now);
    if (decision.kind == HS_DECIDE_START) {
        start_task(sim, rank, &decision, now);
        return HS_OK;
    }
    sim->actors[rank].doing = WAITS;
    sim->waiting++;
    hsi_worker_tree_set(&sim->due, rank, decision.until);
    return HS_OK;
}

/* Handle the next event of one worker and ask the worker at once: for policies that do not group
 * endings. */
static hs_status take_turn(policy_simulation *sim, double now)
{
    uint32_t  rank = hsi_worker_tree_first(&sim->due);
    hs_status st = HS_OK;

    if (sim->actors[rank].doing == RUNS)
        st = end_task(sim, rank, HS_ENDING_DONE, now);
    return st == HS_OK ? ask_worker(sim, rank, now) : st;
}

/* Handle all events at `now`: end running tasks, start held tasks, and mark idle workers to be
 * asked. */
static hs_status handle_events(policy_simulation *sim, double now)
{
    hs_status st = HS_OK;

    while (st == HS_OK && hsi_worker_tree_time(&sim->due) == now) {
        uint32_t rank = hsi_worker_tree_first(&sim->due);
        actor   *a = &sim->actors[rank];

        if (a->doing == HOLDS) {
            a->doing = RUNS;
            hsi_worker_tree_set(&sim->due, rank, a->start + time_of(sim, rank, a->task));
            continue;
        }
        hsi_worker_tree_set(&sim->due, rank, INFINITY);
        hsi_worker_tree_set(&sim->asked, rank, 0);
        if (a->doing == RUNS)
            st = end_task(sim, rank, HS_ENDING_DONE, now);
    }
    return st;
}

static hs_status ask_idle(policy_simulation *sim, double now)
{
    hs_status st = HS_OK;

    while (st == HS_OK && hsi_worker_tree_time(&sim->asked) == 0) {
        uint32_t rank = hsi_worker_tree_first(&sim->asked);

        hsi_worker_tree_set(&sim->asked, rank, INFINITY);
        st = ask_worker(sim, rank, now);
    }
    return st;
}

/* Let busy GPUs choose a task to prefetch, until another worker must be asked. */
static hs_status choose_prefetches(policy_simulation *sim, double now)
{
    for (uint32_t rank = 0; rank < sim->truth.k; rank++) {
        actor      *a = &sim->actors[rank];
        hs_wake     woken = {0};
        hs_decision decision;
        hs_status   st;

        if (a->doing != RUNS || a->prefetched != HS_NONE)
            continue;
        hs_policy_prefetch(sim->policy, worker_of(sim, rank), now, &decision, &woken);
        if (decision.kind == HS_DECIDE_WAIT)
            continue;
        st = check_decision(sim, rank, &decision, true, now);
        if (st != HS_OK)
            return st;
        a->prefetched = decision.task;
        sim->taken[decision.task] = 1;
        wake_all(sim, &woken, now);
        if (hsi_worker_tree_time(&sim->asked) == 0)
            break;
    }
    return HS_OK;
}

static hs_status ask_until_settled(policy_simulation *sim, double now)
{
    hs_wake   woken = {0};
    hs_status st = handle_events(sim, now);

    hs_policy_collect_ready(sim->policy, now, NULL, &woken);
    if (sim->policy->token.cancelled)
        return HS_ECANCELED; /* after a failure the order of the ready tasks is undefined */
    wake_all(sim, &woken, now);
    do {
        if (st == HS_OK)
            st = ask_idle(sim, now);
        if (st == HS_OK && sim->prefetches)
            st = choose_prefetches(sim, now);
    } while (st == HS_OK && hsi_worker_tree_time(&sim->asked) == 0);
    return st;
}

/* Return a task that was never started: a prefetched task, or a task without worker. */
static uint32_t find_left_task(const policy_simulation *sim)
{
    uint32_t task = 0, rank = 0;

    while (task < sim->truth.n && sim->taken[task])
        task++;
    if (task < sim->truth.n)
        return task;
    while (sim->actors[rank].prefetched == HS_NONE)
        rank++;
    return sim->actors[rank].prefetched;
}

/* Return the status at the end: HS_EOVERFLOW if a task does not end before infinity, HS_ESCHEDULE
 * if tasks were never started. */
static hs_status final_status(const policy_simulation *sim)
{
    uint32_t rank;

    for (rank = 0; rank < sim->due.size; rank++)
        if (is_busy(&sim->actors[rank]))
            return HS_EOVERFLOW;
    if (sim->done == sim->truth.n)
        return HS_OK;
    return hsi_task_is_left(sim->in, find_left_task(sim), sim->now, sim->error);
}

static hs_status run_simulation(policy_simulation *sim)
{
    size_t turn = 16 * ((size_t)sim->policy->workers + 1); /* cost of one event, in steps of the
                                                              cancel token */
    hs_status st = HS_OK;
    double    now;

    if (sim->groups_endings) /* tasks are ready at 0 even if all workers are available later */
        st = ask_until_settled(sim, 0);
    while (st == HS_OK && !isinf(now = hsi_worker_tree_time(&sim->due))) {
        if (hsi_poll_after_work(&sim->policy->token, turn))
            return HS_ECANCELED;
        if (sim->waiting == sim->policy->workers && now > sim->now)
            break;
        sim->now = now;
        st = sim->groups_endings ? ask_until_settled(sim, now) : take_turn(sim, now);
    }
    return st == HS_OK ? final_status(sim) : st;
}

static hs_status open_simulation(policy_simulation *sim, const double *available)
{
    unsigned  workers = sim->policy->workers, rank;
    hs_status st;

    sim->groups_endings = sim->policy->groups_endings;
    sim->prefetches = sim->policy->kind.prefetch && hsi_inputs_are_tracked(&sim->policy->inputs);
    sim->actors = calloc(workers, sizeof *sim->actors);
    sim->taken = calloc(sim->truth.n + 1, 1);
    if (!sim->actors || !sim->taken || hsi_worker_tree_open(&sim->due, workers) ||
        hsi_worker_tree_open(&sim->asked, workers))
        return HS_ENOMEM;
    for (rank = 0; rank < workers; rank++) {
        sim->actors[rank].prefetched = HS_NONE;
        hsi_worker_tree_set(&sim->asked, rank, INFINITY);
        if (available)
            hsi_worker_tree_set(&sim->due, rank, available[worker_of(sim, rank)]);
    }
    st = hsi_recorder_open(&sim->recorder, &sim->truth, 0);
    return st;
}

/* Mark tasks that were done before the start as taken and done. */
static void skip_done(policy_simulation *sim, const unsigned char *skip, const uint32_t *worker)
{
    for (uint32_t task = 0; skip && task < sim->truth.n; task++) {
        if (hsi_poll_at_iteration(&sim->policy->token, task))
            return;
        if (!skip[task])
            continue;
        hs_policy_mark_done(sim->policy, task, worker ? worker[task] : HS_NONE);
        sim->taken[task] = 1;
        sim->done++;
    }
}

hs_status hsi_policy_run_virtually(hs_policy *policy, const hs_instance *truth,
                                   const hs_policy_settings *settings, hs_schedule **out,
                                   hs_error *error)
{
    policy_simulation sim = {.policy = policy, .in = truth, .error = error};
    hs_schedule      *s = NULL;
    hs_status         st;

    policy->token = (hsi_token){settings->cancel, settings->cancel_data, false, 0};
    st = hsi_problem_of_tasks(truth, &policy->token, &sim.truth);
    if (st != HS_OK)
        return st;
    st = open_simulation(&sim, settings->available);
    if (st == HS_OK) {
        skip_done(&sim, settings->skip, settings->skip_worker);
        st = run_simulation(&sim);
    }
    if (st == HS_OK)
        st = hsi_recorder_build_schedule(&sim.recorder, &sim.truth, &s);
    if (st == HS_OK)
        st = hsi_inputs_move_transfers(&policy->inputs, s);
    if (st == HS_OK)
        *out = s;
    else
        hs_schedule_free(s);
    hsi_recorder_close(&sim.recorder);
    hsi_worker_tree_close(&sim.due);
    hsi_worker_tree_close(&sim.asked);
    free(sim.actors);
    free(sim.taken);
    hsi_problem_close(&sim.truth);
    return st;
}

/* Return true if both instances have the same tasks and workers, and times are finite where
 * estimates are. */
static bool are_alike(const hs_instance *estimates, const hs_instance *truth)
{
    size_t i, tasks = hs_instance_tasks(estimates);

    if (hs_instance_cpus(estimates) != hs_instance_cpus(truth) ||
        hs_instance_gpus(estimates) != hs_instance_gpus(truth) || hs_instance_tasks(truth) != tasks)
        return false;
    for (i = 0; i < tasks && estimates != truth; i++)
        if ((isinf(hs_instance_time(truth, i, HS_CPU)) &&
             !isinf(hs_instance_time(estimates, i, HS_CPU))) ||
            (isinf(hs_instance_time(truth, i, HS_GPU)) &&
             !isinf(hs_instance_time(estimates, i, HS_GPU))))
            return false;
    return true;
}

static bool are_times(const double *available, const hs_instance *in)
{
    unsigned workers = hs_instance_cpus(in) + hs_instance_gpus(in), w;

    for (w = 0; w < workers; w++)
        if (!(available[w] >= 0 && available[w] <= DBL_MAX / 4))
            return false;
    return true;
}

hs_status hs_policy_simulate(const hs_policy_kind *kind, const hs_instance *estimates,
                             const hs_schedule *plan, const hs_instance *truth,
                             const hs_policy_settings *settings, hs_schedule **out, hs_error *error)
{
    hs_policy_settings full = {0};
    hs_policy         *policy = NULL;
    hs_status          st;

    if (!kind || !estimates || !truth || !out || !are_alike(estimates, truth))
        return hsi_error_set_status(error, HS_EINVAL);
    if (settings)
        (void)hsi_sized_copy_in(&full, sizeof full, settings);
    if (full.available && !are_times(full.available, estimates))
        return hsi_error_set_status(error, HS_EINVAL);
    st = hs_policy_create(kind, estimates, plan, settings, &policy);
    if (st == HS_ESCHEDULE)
        hsi_error_set(error, st, "the plan does not run each task exactly once where it can run");
    if (st == HS_OK)
        st = hsi_policy_run_virtually(policy, truth, &full, out, error);
    if (st != HS_ESCHEDULE)
        hsi_error_set_status(error, st);
    hs_policy_free(policy);
    return st;
}
