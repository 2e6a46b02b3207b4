/* SPDX-License-Identifier: BSD-3-Clause */
#include "refine/graph/places/place_leaf.h"

#include <math.h>

hs_status hsi_place_leaf_open(hsi_place_leaf *leaf, const hsi_place_model *model)
{
    hsi_arena *arena = &leaf->arena;
    size_t     n = model->n;

    *leaf = (hsi_place_leaf){.model = model};
    leaf->start = hsi_arena_alloc(arena, n, sizeof *leaf->start);
    leaf->end = hsi_arena_alloc(arena, n, sizeof *leaf->end);
    leaf->waits = hsi_arena_alloc(arena, n, sizeof *leaf->waits);
    leaf->ready = hsi_arena_alloc(arena, n, sizeof *leaf->ready);
    leaf->chosen = hsi_arena_alloc(arena, n + 1, sizeof *leaf->chosen);
    leaf->least = hsi_arena_alloc(arena, n + 2, sizeof *leaf->least);
    leaf->free_at = hsi_arena_alloc(arena, (size_t)model->arcs->pb->m + 1, sizeof *leaf->free_at);
    return leaf->start && leaf->end && leaf->waits && leaf->ready && leaf->chosen && leaf->least &&
                   leaf->free_at
               ? HS_OK
               : HS_ENOMEM;
}

void hsi_place_leaf_close(hsi_place_leaf *leaf)
{
    hsi_arena_close(&leaf->arena);
}

/* Let `later` start no earlier than `from`. Return 1 if it now waits for nothing. */
static size_t release(hsi_place_leaf *leaf, uint32_t later, double from, size_t ready)
{
    leaf->start[later] = fmax(leaf->start[later], from);
    if (--leaf->waits[later] > 0)
        return 0;
    leaf->ready[ready] = later;
    return 1;
}

static void count_waits(hsi_place_leaf *leaf, const hsi_place_state *state)
{
    const hsi_place_model *model = leaf->model;

    for (uint32_t task = 0; task < model->n; task++)
        leaf->waits[task] = model->arcs->waits[task];
    for (uint32_t task = 0; task < model->n; task++)
        for (uint32_t later = 0; later < model->n; later++)
            leaf->waits[later] += hsi_set_has(state->order + task * model->words, later);
}

void hsi_place_leaf_compute(hsi_place_leaf *leaf, const hsi_place_state *state)
{
    const hsi_place_model *model = leaf->model;
    const hsi_arcs        *arcs = model->arcs;
    size_t                 done = 0, ready = 0;

    count_waits(leaf, state);
    leaf->makespan = 0;
    for (uint32_t task = 0; task < model->n; task++) {
        leaf->start[task] =
            fmax(state->release[task],
                 hsi_initial_data_arrival(arcs, task, hsi_fixed_place(state, task)));
        if (leaf->waits[task] == 0)
            leaf->ready[ready++] = task;
    }
    for (; done < ready; done++) {
        uint32_t task = leaf->ready[done], place = hsi_fixed_place(state, task);
        double   end = leaf->start[task] + model->time[task * model->places + place];

        leaf->end[task] = end;
        leaf->makespan = fmax(leaf->makespan, end);
        for (size_t i = arcs->after_at[task]; i < arcs->after_at[task + 1]; i++) {
            const hsi_arc *arc = &arcs->after[i];
            uint32_t       to = hsi_fixed_place(state, arc->task);

            ready +=
                release(leaf, arc->task, end + hsi_arc_transfer_time(arcs, arc, place, to), ready);
        }
        for (uint32_t later = 0; later < model->n; later++)
            if (hsi_set_has(state->order + task * model->words, later))
                ready += release(leaf, later, end, ready);
    }
    leaf->is_complete = done == model->n;
}

/* Return the least makespan, by heads and tails, if one task ends before another starts. */
static double least_in_order(const hsi_place_model *model, const hsi_place_state *state,
                             uint32_t first, uint32_t second)
{
    uint32_t place = hsi_fixed_place(state, first);
    size_t   a = (size_t)first * model->places + place;
    size_t   b = (size_t)second * model->places + place;

    return hsi_down(hsi_down(hsi_down(state->head[a] + model->time[a]) + model->time[b]) +
                    state->tail[b]);
}

static bool overlap(const hsi_place_leaf *leaf, uint32_t a, uint32_t b)
{
    return leaf->start[a] < leaf->end[b] && leaf->start[b] < leaf->end[a];
}

/* Find the pair that overlaps on one worker whose better order takes longest. Return false if no
 * pair overlaps. */
static bool find_tightest_pair(hsi_place_leaf *leaf, const hsi_place_state *state)
{
    const hsi_place_model *model = leaf->model;
    double                 tightest = -1;

    for (uint32_t a = 1; a < model->n; a++)
        for (uint32_t b = 0; b < a; b++) {
            double least;

            if (state->open[a] != state->open[b] || !(state->open[a] & model->unary) ||
                !overlap(leaf, a, b))
                continue;
            least = fmin(least_in_order(model, state, a, b), least_in_order(model, state, b, a));
            if (least <= tightest)
                continue;
            tightest = least;
            leaf->chosen[0] = a;
            leaf->chosen[1] = b;
        }
    return tightest >= 0;
}

/* Return whether a task of the host keeps a CPU busy from the start of another task of the host on,
 * which takes a CPU too. */
static bool is_busy_at(const hsi_place_leaf *leaf, uint32_t task, uint32_t other)
{
    bool is_empty = leaf->end[other] == leaf->start[other]; /* a time below the rounding error */

    return leaf->start[other] < leaf->end[task] &&
           (is_empty ? leaf->start[task] < leaf->start[other]
                     : leaf->start[task] <= leaf->start[other]);
}

/* Collect in `chosen` a task and the tasks of the host that hold a CPU when it starts, up to `most`
 * of them, those that end last first. Return their number. */
static uint32_t collect_crowd(hsi_place_leaf *leaf, const hsi_place_state *state, uint32_t task,
                              uint32_t most)
{
    uint32_t count = 1;

    leaf->chosen[0] = task;
    for (uint32_t other = 0; other < leaf->model->n; other++) {
        uint32_t at = count;

        if (other == task || state->open[other] != 1 || !is_busy_at(leaf, other, task))
            continue;
        for (; at > 1 && leaf->end[leaf->chosen[at - 1]] < leaf->end[other]; at--)
            if (at < most)
                leaf->chosen[at] = leaf->chosen[at - 1];
        if (at < most)
            leaf->chosen[at] = other;
        count += count < most;
    }
    return count;
}

/* Find a time at which m + 1 tasks of the host overlap, although the host has m CPUs. Choose the
 * earliest such time, and collect the m + 1 tasks. */
static bool find_crowd(hsi_place_leaf *leaf, const hsi_place_state *state)
{
    uint32_t n = leaf->model->n, most = leaf->model->arcs->pb->m + 1, first = HS_NONE;

    for (uint32_t task = 0; most > 2 && most <= n && task < n; task++)
        if (state->open[task] == 1 &&
            (first == HS_NONE || leaf->start[task] < leaf->start[first]) &&
            collect_crowd(leaf, state, task, most) == most)
            first = task;
    return first != HS_NONE && collect_crowd(leaf, state, first, most) == most;
}

/* Append a choice unless its least makespan reaches the limit, before all choices from `from` on
 * that have a smaller one. The vector has room. */
static void append_choice(const hsi_place_rules *rules, const hsi_place_choice *choice,
                          double least, double *least_of, hsi_vector *choices, size_t from)
{
    hsi_place_choice *all = choices->data;
    size_t            at = choices->size / sizeof *choice;

    if (least >= rules->limit)
        return;
    for (; at > from && least_of[at - 1 - from] < least; at--) {
        all[at] = all[at - 1];
        least_of[at - from] = least_of[at - 1 - from];
    }
    all[at] = *choice;
    least_of[at - from] = least;
    choices->size += sizeof *choice;
}

static void append_orders(hsi_place_leaf *leaf, const hsi_place_rules *rules,
                          const hsi_place_state *state, hsi_vector *choices)
{
    size_t from = choices->size / sizeof(hsi_place_choice);

    for (int i = 0; i < 2; i++) {
        hsi_place_choice choice = {.task = leaf->chosen[i], .other = leaf->chosen[1 - i]};

        choice.place = hsi_fixed_place(state, choice.task);
        append_choice(rules, &choice, least_in_order(leaf->model, state, choice.task, choice.other),
                      leaf->least, choices, from);
    }
}

/* Append for each of the chosen tasks that it starts last, after the first end of the others. */
static void append_last_starts(hsi_place_leaf *leaf, const hsi_place_rules *rules,
                               const hsi_place_state *state, hsi_vector *choices)
{
    size_t   from = choices->size / sizeof(hsi_place_choice);
    uint32_t places = leaf->model->places, count = leaf->model->arcs->pb->m + 1;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t         task = leaf->chosen[i];
        hsi_place_choice choice = {.task = task, .other = HS_NONE, .release = INFINITY};

        for (uint32_t j = 0; j < count; j++) {
            if (j == i)
                continue;
            choice.release = fmin(choice.release, leaf->end[leaf->chosen[j]]);
            hsi_set_add(choice.first, leaf->chosen[j]);
        }
        append_choice(rules, &choice,
                      hsi_down(hsi_down(choice.release * (1 - leaf->model->error) +
                                        leaf->model->time[task * places]) +
                               state->tail[task * places]),
                      leaf->least, choices, from);
    }
}

hs_status hsi_place_leaf_branch(hsi_place_leaf *leaf, const hsi_place_rules *rules,
                                const hsi_place_state *state, hsi_vector *choices, bool *conflict)
{
    bool pair = find_tightest_pair(leaf, state);

    *conflict = pair || find_crowd(leaf, state);
    if (!*conflict)
        return HS_OK;
    if (hsi_vector_reserve(choices, (leaf->model->n + 1) * sizeof(hsi_place_choice)))
        return HS_ENOMEM;
    if (pair)
        append_orders(leaf, rules, state, choices);
    else
        append_last_starts(leaf, rules, state, choices);
    return HS_OK;
}

/* Let a task start last among tasks that overlap with it: no earlier than their heads, and its
 * latest start is theirs too. */
static void start_last(hsi_place_rules *rules, hsi_place_state *state,
                       const hsi_place_choice *choice)
{
    const hsi_place_model *model = rules->model;
    double                 error = model->error * rules->limit;
    size_t                 at = choice->task * model->places;
    double                 after = hsi_down(model->time[at] + state->tail[at]) - error;

    state->release[choice->task] = fmax(state->release[choice->task], choice->release);
    hsi_place_raise(rules, state, choice->task, 0, choice->release - error, false);
    for (uint32_t task = 0; task < model->n; task++) {
        size_t of_task = task * model->places;

        if (!hsi_set_has(choice->first, task))
            continue;
        hsi_place_raise(rules, state, choice->task, 0, state->head[of_task] - 2 * error, false);
        hsi_place_raise(rules, state, task, 0, hsi_down(after - model->time[of_task]) - error,
                        true);
    }
}

void hsi_place_decide(hsi_place_rules *rules, hsi_place_state *state,
                      const hsi_place_choice *choice)
{
    state->named |= 1u << choice->place;
    if (choice->release > 0)
        start_last(rules, state, choice);
    else if (choice->other != HS_NONE)
        hsi_place_add_order(rules, state, choice->task, choice->other);
    else
        hsi_place_keep_open(rules, state, choice->task, 1u << choice->place);
}

/* Return true if a task comes before another in a list by start: empty tasks first, then by
 * topological position. */
static bool comes_before(const hsi_place_leaf *leaf, uint32_t a, uint32_t b)
{
    const hs_graph *g = leaf->model->arcs->pb->graph;

    if (leaf->start[a] != leaf->start[b])
        return leaf->start[a] < leaf->start[b];
    if (leaf->end[a] != leaf->end[b])
        return leaf->end[a] < leaf->end[b];
    return hsi_position(g, a) < hsi_position(g, b);
}

/* Return the free CPU that has been free for the shortest time. */
static uint32_t choose_cpu(const hsi_place_leaf *leaf, double start)
{
    uint32_t best = 0;

    for (uint32_t cpu = 1; cpu < leaf->model->arcs->pb->m; cpu++)
        if (leaf->free_at[cpu] <= start &&
            (leaf->free_at[best] > start || leaf->free_at[cpu] > leaf->free_at[best]))
            best = cpu;
    return best;
}

hs_status hsi_place_leaf_build(hsi_place_leaf *leaf, const hsi_place_state *state,
                               hs_schedule **out)
{
    const hsi_problem *pb = leaf->model->arcs->pb;
    uint32_t           n = leaf->model->n;
    hs_placement       all[HSI_PLACE_TREE_TASKS];

    for (uint32_t cpu = 0; cpu < pb->m; cpu++)
        leaf->free_at[cpu] = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = i;

        for (; at > 0 && comes_before(leaf, i, leaf->ready[at - 1]); at--)
            leaf->ready[at] = leaf->ready[at - 1];
        leaf->ready[at] = i;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t task = leaf->ready[i], place = hsi_fixed_place(state, task), worker;

        worker = place == 0 ? choose_cpu(leaf, leaf->start[task])
                            : hsi_first_worker_at(leaf->model->arcs, place);
        if (place == 0)
            leaf->free_at[worker] = leaf->end[task];
        all[i] = (hs_placement){.start = leaf->start[task],
                                .end = leaf->end[task],
                                .task = task,
                                .worker = worker,
                                .state = HS_RUN};
    }
    return hs_schedule_build(pb->m, pb->k, n, all, out);
}
