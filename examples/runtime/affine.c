/* SPDX-License-Identifier: BSD-3-Clause */
/* A scheduling policy of a program, for task graphs. */
#include <math.h>
#include <stdlib.h>

#include "affine.h"

/* The ready tasks, in no order. */
typedef struct affine_state {
    const hs_instance *estimates;
    uint32_t          *ready;
    size_t             count;
} affine_state;

static hs_status affine_create(void *data, hs_policy *policy, const hs_instance *estimates,
                               const hs_schedule *plan, const hs_policy_settings *settings,
                               void **out)
{
    affine_state *own = malloc(sizeof *own);
    uint32_t     *ready = calloc(hs_instance_tasks(estimates) + 1, sizeof *ready);

    (void)data, (void)policy, (void)plan, (void)settings;
    if (!own || !ready) {
        free(own);
        free(ready);
        return HS_ENOMEM;
    }
    *own = (affine_state){estimates, ready, 0};
    *out = own;
    return HS_OK;
}

static void affine_free(void *state)
{
    affine_state *own = state;

    free(own->ready);
    free(own);
}

static void affine_add_ready(void *state, const uint32_t *tasks, size_t count, double now,
                             hs_wake *wake)
{
    affine_state *own = state;

    (void)now;
    while (count--)
        own->ready[own->count++] = *tasks++;
    hs_wake_all(wake);
}

/* Start the ready task whose time on the type of the worker is the smallest share of its time on
 * the other type. */
static void affine_next(void *state, unsigned worker, double now, hs_decision *out, hs_wake *wake)
{
    affine_state *own = state;
    const hs_type type = hs_instance_worker_type(own->estimates, worker);
    double        least = INFINITY;
    size_t        i, best = own->count;

    (void)now, (void)wake;
    for (i = 0; i < own->count; i++) {
        const double here = hs_instance_time(own->estimates, own->ready[i], type);
        const double there = hs_instance_time(own->estimates, own->ready[i], !type);

        if (isfinite(here) && here / there < least) {
            least = here / there;
            best = i;
        }
    }
    if (best == own->count) {
        hs_decide_wait(out, INFINITY);
        return;
    }
    hs_decide_start(out, own->ready[best]);
    own->ready[best] = own->ready[--own->count];
}

/* A task that failed may be returned. */
static void affine_ended(void *state, unsigned worker, uint32_t task, hs_ending how, double now,
                         hs_wake *wake)
{
    (void)worker;
    if (how == HS_ENDING_RETURNED)
        affine_add_ready(state, &task, 1, now, wake);
}

/* A task that is done before the start never becomes ready. */
static void affine_mark_done(void *state, uint32_t task)
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
