/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A policy under a virtual clock. Who is asked next is whoever's task ends first, or
 * whose wait does; among equals GPUs first, then lower numbers: rank j is GPU j, rank
 * k + i is CPU i. Who waits is asked again when an event says that it concerns him.
 */
#include <math.h>
#include <stdlib.h>

#include "core/log.h"
#include "core/problem.h"
#include "policy/policy.h"
#include "support/worker_tree.h"

typedef enum activity { IDLE, RUNS, WAITS } activity;

typedef struct actor {
    double   free_at; /* end of the latest entry in the log */
    uint32_t task;    /* what it runs */
    activity doing;
} actor;

typedef struct simulation {
    hs_policy      *policy;
    hsi_problem     truth;
    hsi_worker_tree due; /* when each is to be asked */
    actor          *actors;
    unsigned char  *taken; /* by task: it runs or is done */
    hsi_log         log;
    size_t          done;
    double          now;     /* when somebody was asked last */
    unsigned        waiting; /* who waits; when everybody does, it is over */
} simulation;

static uint32_t worker_of(const simulation *sim, uint32_t rank)
{
    return rank < sim->truth.k ? sim->truth.m + rank : rank - sim->truth.k;
}

static uint32_t rank_of(const simulation *sim, uint32_t worker)
{
    return worker < sim->truth.m ? sim->truth.k + worker : worker - sim->truth.m;
}

static double time_of(const simulation *sim, uint32_t rank, uint32_t task)
{
    return rank < sim->truth.k ? sim->truth.q[task] : sim->truth.p[task];
}

static void wake(simulation *sim, uint32_t rank, double now)
{
    if (sim->actors[rank].doing == WAITS)
        hsi_worker_tree_set(&sim->due, rank, now);
}

static void wake_all(simulation *sim, const hs_wake *whom, double now)
{
    uint32_t first = whom->types & 1u << HS_GPU ? 0 : sim->truth.k, rank;
    uint32_t last = whom->types & 1u << HS_CPU ? sim->due.size : sim->truth.k;
    unsigned i;

    if (!whom->types && !whom->count)
        return; /* nearly always */
    for (rank = first; rank < last; rank++)
        wake(sim, rank, now);
    for (i = 0; i < whom->count; i++)
        if (whom->worker[i] < sim->policy->workers)
            wake(sim, rank_of(sim, whom->worker[i]), now);
}

static hs_status start(simulation *sim, uint32_t rank, uint32_t task, double now)
{
    actor    *a = &sim->actors[rank];
    double    end = now + time_of(sim, rank, task);
    hs_status st = hsi_log_reserve(&sim->log, &sim->truth, 2);

    if (st != HS_OK)
        return st;
    if (a->free_at != now)
        hsi_log_start(&sim->log, worker_of(sim, rank), now);
    hsi_log_put(&sim->log, task, worker_of(sim, rank), end);
    *a = (actor){end, task, RUNS};
    sim->taken[task] = 1;
    hsi_worker_tree_set(&sim->due, rank, end);
    return HS_OK;
}

/* What a worker runs ends, in one way or the other. */
static hs_status end(simulation *sim, uint32_t rank, hs_ending how, double now)
{
    actor    *a = &sim->actors[rank];
    hs_wake   whom = {0};
    hs_status st = HS_OK;

    a->doing = IDLE;
    if (how == HS_ENDING_DONE) {
        sim->done++;
    } else {
        st = hsi_log_reserve(&sim->log, &sim->truth, 1);
        if (st != HS_OK)
            return st;
        hsi_log_abort(&sim->log, worker_of(sim, rank), now);
        a->free_at = now;
        sim->taken[a->task] = 0;
        hsi_worker_tree_set(&sim->due, rank, now);
    }
    hs_policy_ended(sim->policy, worker_of(sim, rank), a->task, how, now, &whom);
    wake_all(sim, &whom, now);
    return HS_OK;
}

/* A policy may be anybody's. */
static int is_possible(const simulation *sim, uint32_t rank, const hs_decision *d, double now)
{
    const actor *victim;

    switch (d->kind) {
    case HS_DECIDE_START:
        return d->task < sim->truth.n && !sim->taken[d->task] &&
               !isinf(time_of(sim, rank, d->task));
    case HS_DECIDE_TAKE:
        if (d->victim >= sim->policy->workers)
            return 0;
        victim = &sim->actors[rank_of(sim, d->victim)];
        return victim->doing == RUNS && victim->task == d->task;
    case HS_DECIDE_WAIT:
    default:
        return d->kind == HS_DECIDE_WAIT && d->until > now;
    }
}

/* Victims do as they are told at once, so that the thief, asked again, starts. */
static hs_status ask(simulation *sim, uint32_t rank, double now)
{
    hs_wake     whom = {0};
    hs_decision decision;
    hs_status   st = HS_OK;

    sim->waiting -= sim->actors[rank].doing == WAITS;
    sim->actors[rank].doing = IDLE;
    do {
        hs_policy_next(sim->policy, worker_of(sim, rank), now, &decision, &whom);
        if (!is_possible(sim, rank, &decision, now))
            return HS_ESCHEDULE;
        if (decision.kind == HS_DECIDE_TAKE)
            st = end(sim, rank_of(sim, decision.victim), HS_ENDING_ABORTED, now);
    } while (st == HS_OK && decision.kind == HS_DECIDE_TAKE);
    if (st != HS_OK)
        return st;
    wake_all(sim, &whom, now);
    if (decision.kind == HS_DECIDE_START)
        return start(sim, rank, decision.task, now);
    sim->actors[rank].doing = WAITS;
    sim->waiting++;
    hsi_worker_tree_set(&sim->due, rank, decision.until);
    return HS_OK;
}

/* What does not end before infinity, or is never started. */
static hs_status what_is_left(const simulation *sim)
{
    uint32_t rank;

    for (rank = 0; rank < sim->due.size; rank++)
        if (sim->actors[rank].doing == RUNS)
            return HS_EOVERFLOW;
    return sim->done < sim->truth.n ? HS_ESCHEDULE : HS_OK;
}

static hs_status run(simulation *sim)
{
    hs_status st = HS_OK;
    double    now;

    while (st == HS_OK && !isinf(now = hsi_worker_tree_time(&sim->due))) {
        uint32_t rank = hsi_worker_tree_first(&sim->due);

        if (sim->waiting == sim->policy->workers && now > sim->now)
            break;
        sim->now = now;
        if (sim->actors[rank].doing == RUNS)
            st = end(sim, rank, HS_ENDING_DONE, now);
        if (st == HS_OK)
            st = ask(sim, rank, now);
    }
    return st == HS_OK ? what_is_left(sim) : st;
}

static hs_status simulate(hs_policy *policy, const hs_instance *truth, hs_schedule **out)
{
    simulation sim = {.policy = policy};
    hs_status  st = hsi_problem_of_tasks(truth, &sim.truth);

    if (st != HS_OK)
        return st;
    sim.actors = calloc(policy->workers, sizeof *sim.actors);
    sim.taken = calloc(sim.truth.n + 1, 1);
    if (!sim.actors || !sim.taken || hsi_worker_tree_open(&sim.due, policy->workers))
        st = HS_ENOMEM;
    if (st == HS_OK)
        st = hsi_log_open(&sim.log, &sim.truth, 0);
    if (st == HS_OK)
        st = run(&sim);
    if (st == HS_OK)
        st = hsi_log_schedule(&sim.log, &sim.truth, out);
    hsi_log_close(&sim.log);
    hsi_worker_tree_close(&sim.due);
    free(sim.actors);
    free(sim.taken);
    hsi_problem_close(&sim.truth);
    return st;
}

/* The same tasks and workers, and no task that is meant to run where it cannot. */
static int are_alike(const hs_instance *estimates, const hs_instance *truth)
{
    size_t i, tasks = hs_instance_tasks(estimates);

    if (hs_instance_cpus(estimates) != hs_instance_cpus(truth) ||
        hs_instance_gpus(estimates) != hs_instance_gpus(truth) || hs_instance_tasks(truth) != tasks)
        return 0;
    for (i = 0; i < tasks && estimates != truth; i++)
        if ((isinf(hs_instance_time(truth, i, HS_CPU)) &&
             !isinf(hs_instance_time(estimates, i, HS_CPU))) ||
            (isinf(hs_instance_time(truth, i, HS_GPU)) &&
             !isinf(hs_instance_time(estimates, i, HS_GPU))))
            return 0;
    return 1;
}

hs_status hs_policy_simulate(const hs_policy_kind *kind, const hs_instance *estimates,
                             const hs_schedule *plan, const hs_instance *truth, double tolerance,
                             hs_schedule **out)
{
    hs_policy *policy = NULL;
    hs_status  st;

    if (!kind || !estimates || !truth || !out || !are_alike(estimates, truth))
        return HS_EINVAL;
    st = hs_policy_create(kind, estimates, plan, tolerance, &policy);
    if (st == HS_OK)
        st = simulate(policy, truth, out);
    hs_policy_free(policy);
    return st;
}
