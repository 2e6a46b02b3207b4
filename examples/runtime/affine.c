/* SPDX-License-Identifier: BSD-3-Clause */
/* A scheduling policy of a program, for task graphs. */
#include <math.h>
#include <stdlib.h>

#include "affine.h"

/* The ready tasks, in no order. */
struct hs_policy_state {
    const hs_instance *estimates;
    uint32_t          *ready;
    size_t             count;
};

static hs_status affine_create(hs_policy *policy, const hs_instance *estimates,
                               const hs_schedule *plan, const hs_policy_settings *settings,
                               hs_policy_state **out)
{
    hs_policy_state *state = malloc(sizeof *state);
    uint32_t        *ready = calloc(hs_instance_tasks(estimates) + 1, sizeof *ready);

    (void)policy, (void)plan, (void)settings;
    if (!state || !ready) {
        free(state);
        free(ready);
        return HS_ENOMEM;
    }
    state->estimates = estimates;
    state->ready = ready;
    state->count = 0;
    *out = state;
    return HS_OK;
}

static void affine_free(hs_policy_state *state)
{
    free(state->ready);
    free(state);
}

static void affine_add_ready(hs_policy_state *state, const uint32_t *tasks, size_t count,
                             double now, hs_wake *wake)
{
    (void)now;
    while (count--)
        state->ready[state->count++] = *tasks++;
    hs_wake_all(wake);
}

/* Start the ready task whose time on the type of the worker is the smallest share of its time on
 * the other type. */
static void affine_next(hs_policy_state *state, unsigned worker, double now, hs_decision *out,
                        hs_wake *wake)
{
    const hs_type own = worker < hs_instance_cpus(state->estimates) ? HS_CPU : HS_GPU;
    double        least = INFINITY;
    size_t        i, best = state->count;

    (void)now, (void)wake;
    for (i = 0; i < state->count; i++) {
        const double here = hs_instance_time(state->estimates, state->ready[i], own);
        const double there = hs_instance_time(state->estimates, state->ready[i], !own);

        if (isfinite(here) && here / there < least) {
            least = here / there;
            best = i;
        }
    }
    if (best == state->count) {
        hs_decide_wait(out, INFINITY);
        return;
    }
    hs_decide_start(out, state->ready[best]);
    state->ready[best] = state->ready[--state->count];
}

/* A task that failed may be returned. */
static void affine_ended(hs_policy_state *state, unsigned worker, uint32_t task, hs_ending how,
                         double now, hs_wake *wake)
{
    (void)worker;
    if (how == HS_ENDING_RETURNED)
        affine_add_ready(state, &task, 1, now, wake);
}

/* A task that is done before the start never becomes ready. */
static void affine_mark_done(hs_policy_state *state, uint32_t task)
{
    (void)state, (void)task;
}

const hs_policy_kind affine = {
    .struct_size = sizeof(hs_policy_kind),
    .name = "affine",
    .summary = "an idle worker takes the ready task with the smallest share of its time elsewhere",
    .create = affine_create,
    .free = affine_free,
    .next = affine_next,
    .ended = affine_ended,
    .mark_done = affine_mark_done,
    .supports_graphs = true,
    .add_ready = affine_add_ready,
};
