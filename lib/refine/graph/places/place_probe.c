/* SPDX-License-Identifier: BSD-3-Clause */
#include "refine/graph/places/place_probe.h"

#include <math.h>
#include <stdlib.h>

#include <hybridsched/schedule.h>

hs_status hsi_place_prober_open(hsi_place_prober *prober, hsi_place_rules *rules)
{
    *prober = (hsi_place_prober){.rules = rules};
    prober->trial = hsi_place_state_alloc(rules->model);
    prober->hull = hsi_place_state_alloc(rules->model);
    return prober->trial && prober->hull ? HS_OK : HS_ENOMEM;
}

void hsi_place_prober_close(hsi_place_prober *prober)
{
    free(prober->trial);
    free(prober->hull);
}

void hsi_place_prober_begin(hsi_place_prober *prober)
{
    prober->next = 0;
    prober->best = HS_NONE;
}

/* Return the sum of all tasks' heads and tails. */
static double measure_of(const hsi_place_model *model, const hsi_place_state *state)
{
    double sum = 0;

    for (uint32_t task = 0; task < model->n; task++)
        sum += hsi_least_open(model, state, state->head, task) +
               hsi_least_open(model, state, state->tail, task);
    return sum;
}

/* Weaken *a, which holds only if `open_in_a`, to hold also where `b` holds. */
static void weaken(double *a, double b, bool open_in_a)
{
    *a = open_in_a ? fmin(*a, b) : b;
}

/* Weaken the hull to what also holds in the trial. */
static void add_to_hull(const hsi_place_model *model, hsi_place_state *hull,
                        const hsi_place_state *trial)
{
    for (uint32_t task = 0; task < model->n; task++) {
        for (uint32_t open = trial->open[task]; open; open &= open - 1) {
            uint32_t place = (uint32_t)__builtin_ctz(open);
            size_t   at = (size_t)task * model->places + place;
            bool     is_open = hull->open[task] >> place & 1;

            weaken(&hull->head[at], trial->head[at], is_open);
            weaken(&hull->tail[at], trial->tail[at], is_open);
        }
        hull->open[task] |= trial->open[task];
    }
}

/* Add what the hull says to the state; the hull has at least one open place of each task, all of
 * them open in the state. */
static void apply_hull(hsi_place_rules *rules, hsi_place_state *state, const hsi_place_state *hull)
{
    const hsi_place_model *model = rules->model;

    for (uint32_t task = 0; task < model->n; task++) {
        hsi_place_keep_open(rules, state, task, hull->open[task]);
        for (uint32_t open = state->open[task]; open; open &= open - 1) {
            uint32_t place = (uint32_t)__builtin_ctz(open);
            size_t   at = (size_t)task * model->places + place;

            hsi_place_raise(rules, state, task, place, hull->head[at], false);
            hsi_place_raise(rules, state, task, place, hull->tail[at], true);
        }
    }
}

/* Apply the rules with a task fixed on one place. Return false if they refute the place. */
static bool probe_place(hsi_place_prober *prober, const hsi_place_state *state, uint32_t task,
                        uint32_t place)
{
    hsi_place_state_copy(prober->rules->model, prober->trial, state);
    hsi_place_keep_open(prober->rules, prober->trial, task, 1u << place);
    return hsi_place_rules_apply_to_changes(prober->rules, prober->trial);
}

static void keep_if_best(hsi_place_prober *prober, uint32_t task, uint32_t places,
                         const double *measure)
{
    double score = INFINITY;

    for (uint32_t left = places; left; left &= left - 1)
        score = fmin(score, measure[__builtin_ctz(left)]);
    if (prober->best != HS_NONE && score <= prober->best_score)
        return;
    prober->best = task;
    prober->best_score = score;
    prober->best_places = places;
    for (uint32_t place = 0; place < prober->rules->model->places; place++)
        prober->best_measure[place] = measure[place];
}

/* Probe a task's places, of GPUs without a name the first. Close what is refuted, and return the
 * places that were not refuted. */
static uint32_t probe_task(hsi_place_prober *prober, hsi_place_state *state, uint32_t task,
                           double *measure)
{
    const hsi_place_model *model = prober->rules->model;
    uint32_t               alike = hsi_unnamed_gpus(model, state) & state->open[task], left = 0;
    uint32_t               skipped = alike & (alike - 1);

    for (uint32_t open = state->open[task] & ~skipped; open; open &= open - 1) {
        uint32_t place = (uint32_t)__builtin_ctz(open);

        if (!probe_place(prober, state, task, place)) {
            state->open[task] &= ~(alike >> place & 1 ? alike : 1u << place);
            continue;
        }
        measure[place] = measure_of(model, prober->trial);
        if (left == 0)
            hsi_place_state_copy(model, prober->hull, prober->trial);
        else
            add_to_hull(model, prober->hull, prober->trial);
        left |= 1u << place;
    }
    return left;
}

/* Fix a task that only GPUs without a name may run on the first of them, as the only decision of
 * its kind. The first of the other GPUs is another GPU then, so probing begins again. */
static bool name_first_gpu(hsi_place_prober *prober, hsi_place_state *state, uint32_t task)
{
    hsi_place_keep_open(prober->rules, state, task, ~(state->open[task] - 1));
    state->named |= state->open[task];
    hsi_place_prober_begin(prober);
    return hsi_place_rules_apply_to_changes(prober->rules, state);
}

bool hsi_place_prober_step(hsi_place_prober *prober, hsi_place_state *state)
{
    hsi_place_rules *rules = prober->rules;
    uint32_t         task = prober->next++, was = state->open[task], left;
    uint32_t         alike = hsi_unnamed_gpus(rules->model, state);
    double           measure[HSI_PLACE_TREE_PLACES] = {0};

    if (!(was & (was - 1)))
        return true;
    if ((was & alike) != alike) /* closing a place closes every place like it */
        state->open[task] &= ~alike;
    else if (was == alike)
        return name_first_gpu(prober, state, task);
    left = state->open[task] ? probe_task(prober, state, task, measure) : 0;
    if (left == 0)
        return false;
    rules->changed = false;
    if (state->open[task] != was)
        hsi_place_mark(rules, task);
    if (left == state->open[task])
        apply_hull(rules, state, prober->hull);
    if (left & (left - 1))
        keep_if_best(prober, task, left, measure);
    return !rules->changed || hsi_place_rules_apply_to_changes(rules, state);
}
