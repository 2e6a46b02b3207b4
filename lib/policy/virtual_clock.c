/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A policy under a virtual clock. Who is asked next is whoever's task ends first, or
 * whose wait does; among equals GPUs first, then lower numbers: rank j is GPU j, rank
 * k + i is CPU i. Who waits is asked again when the policy has news for its type.
 */
#include <math.h>
#include <stdlib.h>

#include "core/problem.h"
#include "policy/policy.h"
#include "support/vector.h"
#include "support/worker_tree.h"

typedef enum activity { IDLE, RUNS, WAITS } activity;

typedef struct actor {
    size_t   entry; /* what it runs */
    activity doing;
} actor;

typedef struct simulation {
    hs_policy      *policy;
    hsi_problem     truth;
    hsi_worker_tree due; /* when each is to be asked */
    actor          *actors;
    hsi_vector      entries; /* hs_placement */
    size_t          done;
} simulation;

static uint32_t worker_of(const simulation *sim, uint32_t rank)
{
    return rank < sim->truth.k ? sim->truth.m + rank : rank - sim->truth.k;
}

static uint32_t rank_of(const simulation *sim, uint32_t worker)
{
    return worker < sim->truth.m ? sim->truth.k + worker : worker - sim->truth.m;
}

static hs_status start(simulation *sim, uint32_t rank, uint32_t task, double now)
{
    const double *time = rank < sim->truth.k ? sim->truth.q : sim->truth.p;
    hs_placement  entry = {now, now + time[task], task, worker_of(sim, rank), HS_RUN};

    sim->actors[rank] = (actor){sim->entries.size / sizeof entry, RUNS};
    hsi_worker_tree_set(&sim->due, rank, entry.end);
    return hsi_vector_append(&sim->entries, &entry, sizeof entry) ? HS_ENOMEM : HS_OK;
}

/* What a worker runs ends, in one way or the other. */
static void end(simulation *sim, uint32_t rank, hs_ending how, double now)
{
    hs_placement *entry = (hs_placement *)sim->entries.data + sim->actors[rank].entry;

    sim->actors[rank].doing = IDLE;
    if (how == HS_ENDING_DONE) {
        sim->done++;
    } else {
        entry->state = HS_ABORTED;
        entry->end = now;
        hsi_worker_tree_set(&sim->due, rank, now);
    }
    hs_policy_ended(sim->policy, entry->worker, entry->task, how, now);
}

/* Victims do as they are told at once, so that the thief, asked again, starts. */
static hs_status ask(simulation *sim, uint32_t rank, double now)
{
    hs_decision decision;

    for (;;) {
        hs_policy_next(sim->policy, worker_of(sim, rank), now, &decision);
        if (decision.kind != HS_DECIDE_TAKE)
            break;
        end(sim, rank_of(sim, decision.victim), HS_ENDING_ABORTED, now);
    }
    if (decision.kind == HS_DECIDE_START)
        return start(sim, rank, decision.task, now);
    sim->actors[rank].doing = WAITS;
    hsi_worker_tree_set(&sim->due, rank, decision.until);
    return HS_OK;
}

static void spread_news(simulation *sim, double now)
{
    unsigned char *news = sim->policy->news;
    uint32_t       first = news[HS_GPU] ? 0 : sim->truth.k, rank;
    uint32_t       last = news[HS_CPU] ? sim->due.size : sim->truth.k;

    for (rank = first; rank < last; rank++)
        if (sim->actors[rank].doing == WAITS)
            hsi_worker_tree_set(&sim->due, rank, now);
    news[HS_CPU] = news[HS_GPU] = 0;
}

static hs_status run(simulation *sim)
{
    hs_status st = HS_OK;
    double    now;

    while (st == HS_OK && !isinf(now = hsi_worker_tree_time(&sim->due))) {
        uint32_t rank = hsi_worker_tree_first(&sim->due);

        if (sim->actors[rank].doing == RUNS)
            end(sim, rank, HS_ENDING_DONE, now);
        st = ask(sim, rank, now);
        if (sim->policy->news[HS_CPU] || sim->policy->news[HS_GPU])
            spread_news(sim, now);
    }
    /* What does not end before infinity is all that can be left. */
    return st == HS_OK && sim->done < sim->truth.n ? HS_EOVERFLOW : st;
}

static hs_status simulate(hs_policy *policy, const hs_instance *truth, hs_schedule **out)
{
    simulation sim = {.policy = policy};
    hs_status  st = hsi_problem_of_tasks(truth, &sim.truth);

    if (st != HS_OK)
        return st;
    sim.actors = calloc(policy->workers, sizeof *sim.actors);
    if (!sim.actors || hsi_worker_tree_open(&sim.due, policy->workers) ||
        hsi_vector_reserve(&sim.entries, sim.truth.n * sizeof(hs_placement)))
        st = HS_ENOMEM;
    if (st == HS_OK)
        st = run(&sim);
    if (st == HS_OK)
        st = hs_schedule_build(sim.truth.m, sim.truth.k, sim.entries.size / sizeof(hs_placement),
                               sim.entries.data, out);
    hsi_vector_free(&sim.entries);
    hsi_worker_tree_close(&sim.due);
    free(sim.actors);
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

    if (!estimates || !truth || !out || !are_alike(estimates, truth))
        return HS_EINVAL;
    st = hs_policy_create(kind, estimates, plan, tolerance, &policy);
    if (st == HS_OK)
        st = simulate(policy, truth, out);
    hs_policy_free(policy);
    return st;
}
