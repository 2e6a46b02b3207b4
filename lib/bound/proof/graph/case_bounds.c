/* SPDX-License-Identifier: BSD-3-Clause */
/* Prove a case of a graph's schedules, or choose a split of the case. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bound/graph/path_search.h"
#include "bound/graph/task_spans.h"
#include "bound/graph/type_windows.h"
#include "bound/grid.h"
#include "bound/proof/graph/tree.h"

static const double whole = 0.01; /* a share this near to 0 or 1 counts as whole */

static double time_on(const hsi_graph_prover *pr, uint32_t task, int type)
{
    return (type == HS_CPU ? pr->p : pr->q)[task];
}

static uint32_t workers_of(const hsi_graph_prover *pr, int type)
{
    return type == HS_CPU ? pr->pb->m : pr->pb->k;
}

/* Extend the crowd of `size` tasks to one more task than the type has workers: tasks that only this
 * type can run and that pairwise run beside each other. Return true if found. */
static bool find_crowd(const hsi_graph_prover *pr, int type, uint32_t *crowd, uint32_t size)
{
    if (size > workers_of(pr, type))
        return true;
    for (uint32_t task = size ? crowd[size - 1] + 1 : 0; task < pr->pb->n; task++) {
        int fits = isinf(time_on(pr, task, !type));

        for (uint32_t i = 0; fits && i < size; i++)
            fits = *hsi_tree_are_apart(pr, crowd[i], task);
        crowd[size] = task;
        if (fits && find_crowd(pr, type, crowd, size + 1))
            return true;
    }
    return false;
}

/* Keep the crowd as a proof: a single path with the tasks as steps. */
static hs_status keep_crowd(hsi_graph_case *c, const uint32_t *crowd, size_t size, double target)
{
    hsi_proof_path *path = calloc(1, sizeof *path);

    if (path)
        path->step = malloc(size * sizeof *path->step);
    if (!path || !path->step) {
        free(path);
        return HS_ENOMEM;
    }
    memcpy(path->step, crowd, size * sizeof *crowd);
    path->steps = size;
    c->proof = (hsi_proof_node){.step = HSI_STEP_CROWD, .path = path, .paths = 1};
    c->own = target;
    return HS_OK;
}

static hs_status look_for_crowds(hsi_graph_prover *pr, hsi_graph_case *c)
{
    uint32_t crowd[HSI_TREE_VERTICES + 1];

    for (int type = HS_CPU; type <= HS_GPU; type++)
        if (workers_of(pr, type) < pr->pb->n && find_crowd(pr, type, crowd, 0))
            return keep_crowd(c, crowd, (size_t)workers_of(pr, type) + 1, pr->target);
    return HS_OK;
}

/* Close types on which a task would end too late, until no more close; *none: 1 if a task has no
 * type left. */
static hs_status close_types(hsi_graph_prover *pr, int *none)
{
    bool      closed = true;
    hs_status st = HS_OK;

    *none = 0;
    while (closed && !*none && st == HS_OK) {
        hsi_mark       mark = hsi_arena_mark(&pr->arena);
        hsi_task_spans spans;

        closed = false;
        st = hsi_task_spans_find(&pr->now, &pr->arena, &spans);
        for (size_t i = 0; st == HS_OK && i < pr->pb->n; i++) {
            bool cpu = isfinite(pr->p[i]) && spans.cpu[i] >= pr->target;
            bool gpu = isfinite(pr->q[i]) && spans.gpu[i] >= pr->target;

            closed |= cpu | gpu;
            if (cpu)
                pr->p[i] = INFINITY;
            if (gpu)
                pr->q[i] = INFINITY;
            *none |= isinf(pr->p[i]) && isinf(pr->q[i]);
        }
        hsi_arena_release(&pr->arena, mark);
    }
    return st;
}

static bool is_free(const hsi_graph_prover *pr, uint32_t task)
{
    return isfinite(pr->p[task]) && isfinite(pr->q[task]);
}

/* Split by the type of the task that the LP cuts most. */
static bool split_by_type(const hsi_graph_prover *pr, const double *share, double least,
                          hsi_graph_case *c)
{
    double most = 0;

    for (uint32_t task = 0; task < pr->pb->n; task++) {
        double part = fmin(share[task], 1 - share[task]), cut;

        if (!is_free(pr, task) || part < least)
            continue;
        cut = (part + whole) * fmin(pr->p[task], pr->q[task]);
        if (cut > most) {
            most = cut;
            c->split = (hsi_proof_node){.step = HSI_STEP_TYPE, .kind = task};
        }
    }
    return most > 0;
}

/* The earliest starts of tasks, each on the type of its larger share. */
typedef struct starts {
    double start[HSI_TREE_VERTICES], end[HSI_TREE_VERTICES];
    int    type[HSI_TREE_VERTICES];
    double last;
} starts;

static void find_starts(const hsi_graph_prover *pr, hsi_path_search *s, starts *at)
{
    for (uint32_t task = 0; task < pr->pb->n; task++) {
        at->type[task] = is_free(pr, task) ? s->lp.share[task] < 0.5 : isinf(pr->p[task]);
        s->share[task] = at->type[task] == HS_CPU;
    }
    at->last = hsi_longest_paths_find(&s->paths, s->share);
    for (uint32_t task = 0; task < pr->pb->n; task++) {
        at->end[task] = s->paths.head[task];
        at->start[task] = at->end[task] - s->paths.time[task];
    }
}

/* List `task` and the tasks running on that type when `task` starts; return the number. */
static uint32_t running_with(const hsi_graph_prover *pr, const starts *at, uint32_t task,
                             uint32_t *running)
{
    double   now = at->start[task] + 1e-12 * at->last;
    uint32_t count = 0;

    for (uint32_t other = 0; other < pr->pb->n; other++)
        if (other == task ||
            (at->type[other] == at->type[task] && at->start[other] <= now && at->end[other] > now))
            running[count++] = other;
    return count;
}

/* Choose two of these tasks whose order is open; prefer long paths for either order. */
static void split_pair(const hsi_graph_prover *pr, const hsi_path_search *s,
                       const uint32_t *running, uint32_t count, double *most, hsi_graph_case *c)
{
    const hsi_tasks_between *b = &s->between;
    const double            *head = s->paths.head, *tail = s->paths.tail;

    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i + 1; j < count; j++) {
            uint32_t first = running[i], second = running[j];
            double   length = fmin(head[first] + tail[second], head[second] + tail[first]);

            if (*hsi_tree_are_apart(pr, first, second) || length <= *most ||
                hsi_task_precedes(b, b->position[first], b->position[second]) ||
                hsi_task_precedes(b, b->position[second], b->position[first]))
                continue;
            *most = length;
            c->split = (hsi_proof_node){.step = HSI_STEP_ORDER, .kind = first, .cut = second};
        }
}

/* Split by the order of two tasks where the earliest starts run more tasks than a type has
 * workers. */
static bool split_by_order(const hsi_graph_prover *pr, hsi_path_search *s, hsi_graph_case *c)
{
    uint32_t running[HSI_TREE_VERTICES];
    double   most = 0;
    starts   at;

    find_starts(pr, s, &at);
    for (uint32_t task = 0; task < pr->pb->n; task++) {
        uint32_t count = running_with(pr, &at, task, running);

        if (count > workers_of(pr, at.type[task]))
            split_pair(pr, s, running, count, &most, c);
    }
    return most > 0;
}

static void choose_split(const hsi_graph_prover *pr, hsi_path_search *s, hsi_graph_case *c)
{
    if (split_by_type(pr, s->lp.share, whole, c) || split_by_order(pr, s, c))
        return;
    if (!split_by_type(pr, s->lp.share, 0, c))
        c->split = (hsi_proof_node){.step = HSI_STEP_GRAPH};
}

static hs_status keep_paths(const hsi_path_search *s, double proved, hsi_graph_case *c)
{
    hs_certificate found = {.paths = 0};
    hs_status      st = hsi_path_search_certify(s, proved, &found);

    c->proof = (hsi_proof_node){.step = HSI_STEP_GRAPH, .path = found.path, .paths = found.paths};
    memcpy(c->proof.multiplier, found.multiplier, sizeof found.multiplier);
    c->own = proved;
    return st;
}

static hs_status by_paths(hsi_graph_prover *pr, hsi_graph_case *c)
{
    hsi_path_search s = {.pb = &pr->now, .stop = *pr->stop, .jumps = true};
    double          proved;
    hs_status       st = hsi_path_search_run(&s, &proved);

    if (st == HS_OK)
        st = keep_paths(&s, fmin(hsi_grid_round_up(proved, pr->grid), pr->target), c);
    if (st == HS_OK && c->own < pr->goal && !s.limit_reached)
        choose_split(pr, &s, c);
    hsi_path_search_close(&s);
    return st;
}

/* Where transfers take time: prove the target by windows, or nothing. */
static hs_status by_windows(const hsi_graph_prover *pr, hsi_graph_case *c)
{
    hsi_proof_node proof;
    hs_status      st;

    if (!pr->pb->links->has[HS_H2D])
        return HS_OK;
    st = hsi_prove_by_windows(&pr->now, pr->target, &proof);
    if (st == HS_OK && proof.step == HSI_STEP_WINDOWS) {
        c->proof = proof;
        c->own = pr->target;
        return HS_OK;
    }
    hsi_proof_node_free(&proof);
    return st;
}

hs_status hsi_graph_prover_bound_case(hsi_graph_prover *pr, hsi_graph_case *c)
{
    int       none = 0;
    hs_status st = by_windows(pr, c); /* before close_types(), which the windows do by rows */

    if (st == HS_OK && c->own < pr->goal)
        st = close_types(pr, &none);
    if (st == HS_OK && none) {
        c->proof = (hsi_proof_node){.step = HSI_STEP_GRAPH};
        c->own = pr->target;
        return HS_OK;
    }
    if (st == HS_OK && c->own < pr->goal)
        st = look_for_crowds(pr, c);
    return st == HS_OK && c->own < pr->goal ? by_paths(pr, c) : st;
}
