/* SPDX-License-Identifier: BSD-3-Clause */
#include "bound/graph/type_windows.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "support/exact.h"

enum { MOST_ROUNDS = 50 /* limit of the passes forward and backward for one guess */ };

static const double notable = 1e-6; /* share of the guess by which a value must rise for another
                                       round */

static hs_status open_joins(hsi_type_windows *windows)
{
    size_t     n = windows->n;
    hsi_arena *arena = &windows->arena;

    if (n > HSI_JOINED_TASKS)
        return HS_OK;
    windows->visited = hsi_arena_alloc(arena, n, sizeof *windows->visited);
    windows->value = hsi_arena_alloc(arena, n, sizeof *windows->value);
    windows->load = hsi_arena_alloc(arena, n * HSI_WINDOW_MULTIPLIERS, sizeof *windows->load);
    if (!windows->visited || !windows->value || !windows->load)
        return HS_ENOMEM;
    return hsi_relatives_find(windows->arcs, arena, &windows->relatives);
}

hs_status hsi_type_windows_open(hsi_type_windows *windows, const hsi_arcs *arcs)
{
    size_t     n = arcs->pb->n;
    hsi_arena *arena = &windows->arena;
    hs_status  st = HS_ENOMEM;

    *windows = (hsi_type_windows){.arcs = arcs, .n = (uint32_t)n};
    windows->side[0] = hsi_arena_alloc(arena, n, sizeof *windows->side[0]);
    windows->side[1] = hsi_arena_alloc(arena, n, sizeof *windows->side[1]);
    windows->open = hsi_arena_alloc(arena, n, sizeof *windows->open);
    if (windows->side[0] && windows->side[1] && windows->open)
        st = hsi_arcs_reverse(arcs, arena, &windows->before_at, &windows->before);
    if (st == HS_OK)
        st = hsi_window_loads_open(&windows->loads, arcs->pb, arena);
    return st == HS_OK ? open_joins(windows) : st;
}

void hsi_type_windows_close(hsi_type_windows *windows)
{
    hsi_arena_close(&windows->arena);
}

/* Begin with all types open on which the tasks can run. */
static void clear_windows(hsi_type_windows *windows)
{
    const hsi_problem *pb = windows->arcs->pb;

    for (uint32_t i = 0; i < windows->n; i++) {
        for (int type = HS_CPU; type <= HS_GPU; type++) {
            windows->side[0][i][type] = hsi_earliest_initial_data(windows->arcs, i, (hs_type)type);
            windows->side[1][i][type] = 0;
        }
        windows->open[i][HS_CPU] = isfinite(pb->p[i]);
        windows->open[i][HS_GPU] = isfinite(pb->q[i]);
    }
}

/* Return a task's head, or tail, plus its time on a type; INFINITY if the type is closed. */
static double end_on(const hsi_type_windows *windows, uint32_t task, hs_type type, bool backward)
{
    const hsi_problem *pb = windows->arcs->pb;

    return windows->open[task][type] ? hsi_add_down(windows->side[backward][task][type],
                                                    (type == HS_CPU ? pb->p : pb->q)[task])
                                     : INFINITY;
}

/* Return the least end of the task at the other end of an arc, with the transfer to a type. */
static double least_over_arc(const hsi_type_windows *windows, const hsi_arc *arc, hs_type type,
                             bool backward)
{
    const double *move = windows->arcs->move + (size_t)HS_LINKS * arc->move;
    hs_type       other = (hs_type)!type;
    double        transfer = move[(type == HS_GPU) != backward ? HS_H2D : HS_D2H];

    return fmin(end_on(windows, arc->task, type, backward),
                hsi_add_down(end_on(windows, arc->task, other, backward), transfer));
}

/* Raise a value; return whether it rises. */
static bool raise_value(hsi_type_windows *windows, double *value, double to)
{
    if (!(to > *value))
        return false;
    windows->changed |= to > *value + notable * windows->limit;
    *value = to;
    return true;
}

/* The earliest time at which all workers can have executed some relatives of a task: those among
 * the first `visited` visited tasks, with the multipliers `pair`. */
typedef struct join {
    double end;
    size_t visited, pair;
} join;

static const uint64_t *relatives_of(const hsi_type_windows *windows, uint32_t task, bool backward)
{
    const hsi_relatives *all = &windows->relatives;

    return (backward ? all->descendants : all->ancestors) + task * all->words;
}

/* Find the latest join: the largest sum of a value and of the loads of the relatives with at least
 * this value. */
static join join_relatives(const hsi_type_windows *windows, uint32_t task, bool backward)
{
    const uint64_t *set = relatives_of(windows, task, backward);
    size_t          multipliers = windows->loads.multipliers;
    double          sum[HSI_WINDOW_MULTIPLIERS] = {0};
    join            latest = {.end = 0};

    for (size_t i = 0; i < windows->count; i++) {
        const double *load = windows->load + windows->visited[i] * multipliers;

        for (size_t j = 0; hsi_set_has(set, windows->visited[i]) && j < multipliers; j++) {
            double end;

            sum[j] = hsi_down(sum[j] + load[j]);
            end = hsi_down(windows->value[i] + sum[j]);
            if (end > latest.end)
                latest = (join){end, i + 1, j};
        }
    }
    return latest;
}

/* Log that a join raised values of a task. Relatives without a load are left out. */
static void log_join(hsi_type_windows *windows, uint32_t task, uint32_t types, const join *by,
                     bool backward)
{
    const uint64_t *set = relatives_of(windows, task, backward);
    size_t          multipliers = windows->loads.multipliers;
    hsi_shared_load load = {.task = windows->set};

    if (!windows->log || types == 0)
        return;
    memcpy(load.multiplier, windows->loads.multiplier[by->pair], sizeof load.multiplier);
    for (size_t i = 0; i < by->visited; i++)
        if (hsi_set_has(set, windows->visited[i]) &&
            windows->load[windows->visited[i] * multipliers + by->pair] > 0)
            windows->set[load.tasks++] = windows->visited[i];
    hsi_window_log_load(windows->log, backward, task, types, &load);
}

/* Insert a task into the visited tasks. */
static void note_visit(hsi_type_windows *windows, uint32_t task, bool backward)
{
    const bool *open = windows->open[task];
    double      value = hsi_least_of_types(windows->side[backward][task], open);
    size_t      at = windows->count++;

    for (; at > 0 && windows->value[at - 1] < value; at--) {
        windows->value[at] = windows->value[at - 1];
        windows->visited[at] = windows->visited[at - 1];
    }
    windows->value[at] = value;
    windows->visited[at] = task;
    for (size_t j = 0; j < windows->loads.multipliers; j++)
        windows->load[task * windows->loads.multipliers + j] =
            hsi_window_load_of(&windows->loads, task, open, j);
}

/* Close the types on which a task's window is too short. Return false if no type remains open. */
static bool close_types(hsi_type_windows *windows, uint32_t task)
{
    bool *open = windows->open[task];

    for (int type = HS_CPU; type <= HS_GPU; type++)
        if (open[type] && hsi_add_down(end_on(windows, task, (hs_type)type, false),
                                       windows->side[1][task][type]) >= windows->limit) {
            open[type] = false;
            windows->changed = true;
        }
    if (open[HS_CPU] || open[HS_GPU])
        return true;
    windows->stuck = task;
    return false;
}

/* Return the arc over which a task's head, or tail, on a type is latest, and set *to to this time;
 * NULL: no arc raises *to. */
static const hsi_arc *latest_arc(const hsi_type_windows *windows, uint32_t task, hs_type type,
                                 bool backward, double *to)
{
    const hsi_arcs *arcs = windows->arcs;
    const size_t   *at = (backward ? arcs->after_at : windows->before_at) + task;
    const hsi_arc  *arc = backward ? arcs->after : windows->before, *latest = NULL;

    for (size_t i = at[0]; i < at[1]; i++) {
        double time = least_over_arc(windows, &arc[i], type, backward);

        if (time > *to) {
            *to = time;
            latest = &arc[i];
        }
    }
    return latest;
}

/* Raise a task's heads over its incoming arcs, or its tails over its outgoing arcs. Return false if
 * no type remains open. */
static bool visit_task(hsi_type_windows *windows, uint32_t task, bool backward)
{
    double  *value = windows->side[backward][task];
    join     by = windows->visited ? join_relatives(windows, task, backward) : (join){.end = 0};
    uint32_t joined = 0;

    for (int type = HS_CPU; type <= HS_GPU; type++) {
        double         to = by.end;
        const hsi_arc *arc = latest_arc(windows, task, (hs_type)type, backward, &to);

        if (!raise_value(windows, &value[type], to))
            continue;
        if (!arc)
            joined |= 1u << type;
        else if (windows->log)
            hsi_window_log_arc(windows->log, backward, task, (uint32_t)type, arc->task);
    }
    log_join(windows, task, joined, &by, backward);
    if (!close_types(windows, task))
        return false;
    if (windows->visited)
        note_visit(windows, task, backward);
    return true;
}

/* Visit all tasks, each after those on the other side of its arcs. Return false if the guess is
 * refuted; true also if cancelled. */
static bool pass(hsi_type_windows *windows, bool backward)
{
    const hsi_arcs *arcs = windows->arcs;

    windows->count = 0;
    for (uint32_t i = 0; i < windows->n; i++) {
        uint32_t task = arcs->order[backward ? windows->n - 1 - i : i];

        if (hsi_poll_after_work(arcs->pb->token,
                                32 * (1 + windows->count) +
                                    32 * (arcs->after_at[task + 1] - arcs->after_at[task])))
            return true;
        if (!visit_task(windows, task, backward))
            return false;
    }
    return true;
}

/* Return true if no schedule is shorter than `limit`; false also if cancelled. */
static bool refute(hsi_type_windows *windows, double limit)
{
    windows->limit = limit;
    windows->stuck = HS_NONE;
    clear_windows(windows);
    windows->changed = true;
    for (int round = 0; windows->changed && round < MOST_ROUNDS; round++) {
        windows->changed = false;
        if (!pass(windows, false) || !pass(windows, true))
            return true;
    }
    return !hsi_window_loads_fit(&windows->loads, windows->side[0], windows->side[1], windows->open,
                                 windows->limit);
}

bool hsi_type_windows_refute(hsi_type_windows *windows, double guess)
{
    return refute(windows, guess * (1 + (windows->n + 2.0) * DBL_EPSILON));
}

/* Make the proof of what was refuted. */
static hs_status make_proof(hsi_type_windows *windows, hsi_proof_node *proof)
{
    hsi_shared_load load = {.task = windows->set};

    if (windows->stuck == HS_NONE)
        load.tasks = hsi_window_loads_overfull(&windows->loads, windows->set, load.multiplier);
    return hsi_window_log_prove(windows->log, windows->stuck, &load, proof);
}

/* Refute the target again, with a log. */
static hs_status prove(hsi_type_windows *windows, double target, hsi_proof_node *proof)
{
    hsi_window_log log;
    hs_status      st = hsi_window_log_open(&log, windows->n);

    windows->log = &log;
    windows->set = hsi_arena_alloc(&windows->arena, windows->n, sizeof *windows->set);
    if (!windows->set)
        st = HS_ENOMEM;
    if (st == HS_OK && refute(windows, target))
        st = make_proof(windows, proof);
    hsi_window_log_close(&log);
    return st;
}

hs_status hsi_prove_by_windows(const hsi_problem *pb, double target, hsi_proof_node *proof)
{
    hsi_type_windows windows;
    hsi_arcs         arcs;
    hs_status        st = hsi_arcs_open(pb, &arcs);

    *proof = (hsi_proof_node){.step = HSI_STEP_GRAPH};
    if (st == HS_OK) {
        st = hsi_type_windows_open(&windows, &arcs);
        if (st == HS_OK)
            st = prove(&windows, target, proof);
        hsi_type_windows_close(&windows);
    }
    hsi_arcs_close(&arcs);
    return st;
}
