/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HeteroPrio, decided as it goes: idle GPUs take from the front of the queue, idle
 * CPUs from its back, and whoever finds nothing there spoliates. With exact
 * estimates and no tolerance it makes, under a virtual clock, the very schedules of
 * the algorithm of that name.
 */
#include <math.h>
#include <stdlib.h>

#include "policy/crew.h"
#include "policy/pool.h"

typedef struct heteroprio {
    hs_policy   base;
    hsi_problem pb;
    hsi_pool    queue;
    hsi_crew    crew;
} heteroprio;

static void heteroprio_free(hs_policy *policy)
{
    heteroprio *hp = (heteroprio *)policy;

    hsi_crew_close(&hp->crew);
    hsi_pool_close(&hp->queue);
    hsi_problem_close(&hp->pb);
    free(hp);
}

static hs_status heteroprio_create(const hs_policy_kind *kind, const hs_instance *estimates,
                                   const hs_schedule *plan, double tolerance, hs_policy **out)
{
    heteroprio *hp = calloc(1, sizeof *hp);
    hs_status   st;

    (void)kind;
    (void)plan;
    if (!hp)
        return HS_ENOMEM;
    st = hsi_problem_of_tasks(estimates, &hp->pb);
    if (st == HS_OK)
        st = hsi_pool_open(&hp->queue, &hp->pb, 1);
    if (st == HS_OK)
        st = hsi_crew_open(&hp->crew, &hp->pb, tolerance);
    if (st == HS_OK)
        *out = &hp->base;
    else
        heteroprio_free(&hp->base);
    return st;
}

/* The first moment at which something that runs now is worth taking for `type`. */
static double quiet_until(const heteroprio *hp, hs_type type, double now)
{
    unsigned begin = type == HS_GPU ? 0 : hp->pb.m;
    unsigned end = type == HS_GPU ? hp->pb.m : hp->pb.m + hp->pb.k, w;
    double   until = INFINITY;

    for (w = begin; w < end; w++)
        until = fmin(until, hsi_crew_worth_taking(&hp->crew, w, now));
    return until;
}

/* If the other type has found nothing so far, this may be something for it. */
static void start(heteroprio *hp, unsigned worker, double now, const hs_decision *decision)
{
    hs_type other = hsi_crew_type(&hp->crew, worker) == HS_CPU ? HS_GPU : HS_CPU;
    double  worth;

    hsi_crew_start(&hp->crew, worker, decision->task, now);
    if (hp->crew.quiet[other] <= now)
        return;
    worth = hsi_crew_worth_taking(&hp->crew, worker, now);
    if (worth < hp->crew.quiet[other]) {
        hp->crew.quiet[other] = worth;
        hp->base.news[other] = 1;
    }
}

static void spoliate_or_wait(heteroprio *hp, unsigned worker, double now, hs_decision *out)
{
    hs_type  type = hsi_crew_type(&hp->crew, worker);
    uint32_t victim;

    if (now >= hp->crew.quiet[type]) {
        victim = hsi_crew_victim(&hp->crew, type, now);
        if (victim != HSI_NONE) {
            hsi_crew_ask(&hp->crew, worker, victim);
            hsi_decide_take(out, hp->crew.member[victim].task, victim);
            return;
        }
        hp->crew.quiet[type] = quiet_until(hp, type, now);
    }
    hsi_decide_wait(out, hp->crew.quiet[type]);
}

static void heteroprio_next(hs_policy *policy, unsigned worker, double now, hs_decision *out)
{
    heteroprio *hp = (heteroprio *)policy;
    uint32_t    task;

    if (!hsi_pool_serves(&hp->queue, worker)) {
        hsi_decide_wait(out, INFINITY);
    } else if (hsi_crew_pending(&hp->crew, worker, out)) {
        if (out->kind == HS_DECIDE_START)
            start(hp, worker, now, out);
    } else if (hsi_pool_take(&hp->queue, hsi_crew_type(&hp->crew, worker), &task)) {
        hsi_decide_start(out, task);
        start(hp, worker, now, out);
    } else {
        spoliate_or_wait(hp, worker, now, out);
    }
}

/* Every task may be wanted by anybody until it is over. */
static int heteroprio_own(hs_policy *policy, unsigned worker, uint32_t *task)
{
    (void)policy;
    (void)worker;
    (void)task;
    return 0;
}

static void put_back(heteroprio *hp, uint32_t task)
{
    hsi_pool_add(&hp->queue, task);
    hp->base.news[HS_CPU] = hp->base.news[HS_GPU] = 1;
}

static void heteroprio_ended(hs_policy *policy, unsigned worker, uint32_t task, hs_ending how,
                             double now)
{
    heteroprio *hp = (heteroprio *)policy;

    if (hsi_crew_ended(&hp->crew, worker, task, how, now))
        put_back(hp, task);
}

static void heteroprio_skip(hs_policy *policy, uint32_t task)
{
    hsi_pool_remove(&((heteroprio *)policy)->queue, task);
}

static void heteroprio_retire(hs_policy *policy, unsigned worker)
{
    heteroprio *hp = (heteroprio *)policy;
    uint32_t    task;

    if (hsi_pool_retire(&hp->queue, worker) && hsi_crew_retire(&hp->crew, worker, &task))
        put_back(hp, task);
}

static int heteroprio_stranded(hs_policy *policy, uint32_t *task)
{
    return hsi_pool_stranded(&((heteroprio *)policy)->queue, task);
}

const hs_policy_kind hsi_policy_heteroprio = {
    .name = "heteroprio",
    .summary = "GPUs take the most accelerated task, CPUs the least; idle workers spoliate",
    .create = heteroprio_create,
    .free = heteroprio_free,
    .next = heteroprio_next,
    .own = heteroprio_own,
    .ended = heteroprio_ended,
    .skip = heteroprio_skip,
    .retire = heteroprio_retire,
    .stranded = heteroprio_stranded,
};
