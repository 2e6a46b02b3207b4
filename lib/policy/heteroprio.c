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
#include "policy/policy.h"
#include "policy/pool.h"

struct hs_policy_state {
    hsi_problem pb;
    hsi_pool    queue;
    hsi_crew    crew;
};

static void heteroprio_free(hs_policy_state *hp)
{
    hsi_crew_close(&hp->crew);
    hsi_pool_close(&hp->queue);
    hsi_problem_close(&hp->pb);
    free(hp);
}

static hs_status heteroprio_create(const hs_instance *estimates, const hs_schedule *plan,
                                   double tolerance, hs_policy_state **out)
{
    hs_policy_state *hp = calloc(1, sizeof *hp);
    hs_status        st;

    (void)plan;
    if (!hp)
        return HS_ENOMEM;
    st = hsi_problem_of_tasks(estimates, &hp->pb);
    if (st == HS_OK)
        st = hsi_pool_open(&hp->queue, &hp->pb, 1);
    if (st == HS_OK)
        st = hsi_crew_open(&hp->crew, &hp->pb, tolerance);
    if (st == HS_OK)
        *out = hp;
    else
        heteroprio_free(hp);
    return st;
}

/* The first moment at which something that runs now is worth taking for `type`. */
static double quiet_until(const hs_policy_state *hp, hs_type type, double now)
{
    unsigned begin = type == HS_GPU ? 0 : hp->pb.m;
    unsigned end = type == HS_GPU ? hp->pb.m : hp->pb.m + hp->pb.k, w;
    double   until = INFINITY;

    for (w = begin; w < end; w++)
        until = fmin(until, hsi_crew_worth_taking(&hp->crew, w, now));
    return until;
}

/* If the other type has found nothing so far, this may be something for it. */
static void start(hs_policy_state *hp, unsigned worker, double now, uint32_t task, hs_wake *wake)
{
    hs_type other = hsi_crew_type(&hp->crew, worker) == HS_CPU ? HS_GPU : HS_CPU;
    double  worth;

    hsi_crew_start(&hp->crew, worker, task, now);
    if (hp->crew.quiet[other] <= now)
        return;
    worth = hsi_crew_worth_taking(&hp->crew, worker, now);
    if (worth < hp->crew.quiet[other]) {
        hp->crew.quiet[other] = worth;
        hs_wake_type(wake, other);
    }
}

static void spoliate_or_wait(hs_policy_state *hp, unsigned worker, double now, hs_decision *out)
{
    hs_type  type = hsi_crew_type(&hp->crew, worker);
    uint32_t victim;

    if (now >= hp->crew.quiet[type]) {
        victim = hsi_crew_victim(&hp->crew, type, now);
        if (victim != HSI_NONE) {
            hsi_crew_ask(&hp->crew, worker, victim);
            hs_decide_take(out, hp->crew.member[victim].task, victim);
            return;
        }
        hp->crew.quiet[type] = quiet_until(hp, type, now);
    }
    hs_decide_wait(out, hp->crew.quiet[type]);
}

static void heteroprio_next(hs_policy_state *hp, unsigned worker, double now, hs_decision *out,
                            hs_wake *wake)
{
    uint32_t task;

    if (!hsi_pool_serves(&hp->queue, worker)) {
        hs_decide_wait(out, INFINITY);
    } else if (hsi_crew_pending(&hp->crew, worker, out)) {
        if (out->kind == HS_DECIDE_START)
            start(hp, worker, now, out->task, wake);
    } else if (hsi_pool_take(&hp->queue, hsi_crew_type(&hp->crew, worker), &task)) {
        hs_decide_start(out, task);
        start(hp, worker, now, task, wake);
    } else {
        spoliate_or_wait(hp, worker, now, out);
    }
}

static void put_back(hs_policy_state *hp, uint32_t task, hs_wake *wake)
{
    hsi_pool_add(&hp->queue, task);
    hs_wake_all(wake);
}

static void heteroprio_ended(hs_policy_state *hp, unsigned worker, uint32_t task, hs_ending how,
                             double now, hs_wake *wake)
{
    if (hsi_crew_ended(&hp->crew, worker, task, how, now))
        put_back(hp, task, wake);
}

static void heteroprio_skip(hs_policy_state *hp, uint32_t task)
{
    hsi_pool_remove(&hp->queue, task);
}

static void heteroprio_retire(hs_policy_state *hp, unsigned worker, hs_wake *wake)
{
    uint32_t task;

    if (hsi_pool_retire(&hp->queue, worker) && hsi_crew_retire(&hp->crew, worker, &task))
        put_back(hp, task, wake);
}

static int heteroprio_stranded(hs_policy_state *hp, uint32_t *task)
{
    return hsi_pool_stranded(&hp->queue, task);
}

const hs_policy_kind hsi_policy_heteroprio = {
    .struct_size = sizeof(hs_policy_kind),
    .name = "heteroprio",
    .summary = "GPUs take the most accelerated task, CPUs the least; idle workers spoliate",
    .create = heteroprio_create,
    .free = heteroprio_free,
    .next = heteroprio_next,
    .ended = heteroprio_ended,
    .skip = heteroprio_skip,
    .retire = heteroprio_retire,
    .stranded = heteroprio_stranded,
};
