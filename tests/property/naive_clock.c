/* SPDX-License-Identifier: BSD-3-Clause */
#include "naive_clock.h"

#include <math.h>
#include <stdlib.h>

#include "literal.h"

typedef struct naive_worker {
    enum { IDLE, RUNS, WAITS } doing;
    double at; /* time of the end of the running task, or of the next request */
    size_t entry;
} naive_worker;

typedef struct naive_clock {
    const sample      *s;
    const hs_instance *truth;
    const decider     *d;
    naive_worker      *of;
    plan               out;
} naive_clock;

static void end_task(naive_clock *c, unsigned worker, hs_ending how, double now)
{
    hs_placement *entry = &c->out.at[c->of[worker].entry];

    c->of[worker] = (naive_worker){IDLE, now, 0};
    if (how == HS_ENDING_ABORTED) {
        entry->end = now;
        entry->state = HS_ABORTED;
    }
    c->d->ended(c->d->self, worker, entry->task, how, now);
}

/* Request a decision for a worker and carry it out; return true if it starts a task. */
static bool ask_worker(naive_clock *c, unsigned worker, double now)
{
    hs_decision decision = {.kind = HS_DECIDE_START};
    hs_type     type = worker < c->s->m ? HS_CPU : HS_GPU;
    double      time;

    if (!c->d->own || !c->d->own(c->d->self, worker, &decision.task))
        c->d->next(c->d->self, worker, now, &decision);
    if (decision.kind == HS_DECIDE_WAIT) {
        REQUIRE(c->s, decision.until > now, "it is to ask again at %.17g", decision.until);
        c->of[worker] = (naive_worker){WAITS, decision.until, 0};
        return false;
    }
    if (decision.kind == HS_DECIDE_SPOLIATE) {
        REQUIRE(c->s, c->of[decision.victim].doing == RUNS, "a victim that runs nothing");
        end_task(c, decision.victim, HS_ENDING_ABORTED, now);
        return ask_worker(c, worker, now);
    }
    REQUIRE(c->s, c->out.count < 100 * (c->s->n + 1), "it never ends");
    time = hs_instance_time(c->truth, decision.task, type);
    c->of[worker] = (naive_worker){RUNS, now + time, c->out.count};
    plan_add_entry(&c->out, decision.task, worker, now, now + time);
    return true;
}

/* Return the worker with the earliest event, GPUs first on ties; -1: no event. */
static int first_worker(const naive_clock *c)
{
    unsigned workers = c->s->m + c->s->k, i;
    int      found = -1;

    for (i = 0; i < workers; i++) {
        unsigned w = (c->s->m + i) % workers;

        if (!isinf(c->of[w].at) && (found < 0 || c->of[w].at < c->of[found].at))
            found = (int)w;
    }
    return found;
}

hs_schedule *naive_clock_simulate(const sample *s, const hs_instance *truth, const decider *d)
{
    naive_clock  c = {.s = s, .truth = truth, .d = d};
    hs_schedule *out = NULL;
    int          worker;
    unsigned     w;

    c.of = literal_allocate((size_t)s->m + s->k, sizeof *c.of);
    while ((worker = first_worker(&c)) >= 0) {
        double now = c.of[worker].at;
        bool   happened = c.of[worker].doing == RUNS;

        if (happened)
            end_task(&c, (unsigned)worker, HS_ENDING_DONE, now);
        happened |= ask_worker(&c, (unsigned)worker, now);
        for (w = 0; w < s->m + s->k && happened; w++)
            if (c.of[w].doing == WAITS)
                c.of[w].at = now;
    }
    REQUIRE(s, hs_schedule_build(s->m, s->k, c.out.count, c.out.at, &out) == HS_OK,
            "hs_schedule_build");
    plan_free(&c.out);
    free(c.of);
    return out;
}

static int library_own(void *self, unsigned worker, uint32_t *task)
{
    return hs_policy_take_own(self, worker, task);
}

static void library_next(void *self, unsigned worker, double now, hs_decision *out)
{
    hs_policy_next(self, worker, now, out, NULL);
}

static void library_ended(void *self, unsigned worker, uint32_t task, hs_ending how, double now)
{
    hs_policy_ended(self, worker, task, how, now, NULL);
}

decider decider_of_policy(hs_policy *policy, int with_own)
{
    return (decider){policy, with_own ? library_own : NULL, library_next, library_ended};
}
