/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Branch and bound. A node restricts one cell's range of its parent; its two children split the
 * range of one cell between integers, so that the leaves together contain every solution. Each
 * node's bound is proved from GLPK's multipliers (model.c) and never taken from GLPK; a failed LP
 * only weakens it.
 *
 * Why the result is safe. For any cutoff C, each solution of the MIP is in an open node, in a
 * closed one, or uses a cell closed at the root because its time is at least C. A node is closed
 * when its proved bound reaches C / (1 + tolerance), or when nothing is left to branch on; the
 * least bound of closed nodes is kept. So the least of this bound, of C and of the bounds of open
 * nodes is a lower bound at any time. If the makespan is an integer, bounds of nodes are rounded
 * up, since their solutions are integers too.
 */
#include <math.h>

#include "glpk/assignment_lp.h"
#include "glpk/guard.h"
#include "glpk/branching.h"

#define TOLERANCE 1e-9 /* for closing nodes: with real times, an MIP rarely ends without one */

typedef struct tree {
    hsi_model       model;
    glp_prob       *lp;
    const hsi_stop *stop;
    int             ended;     /* 1: no node is open, so the time limit had no effect */
    hsi_tree_nodes  nodes;
    uint32_t        here;      /* current node, whose bounds model and LP have */
    double          tolerance; /* relative tolerance of closed nodes */
    double          closed;    /* least bound of the closed nodes */
    double          least;     /* known lower bound; all three are scaled */
    double          last_report;     /* time of the last progress report */
    uint64_t        seen;      /* number of nodes examined */
    uint64_t        dive;      /* value of `seen` when the last dive began, or when the next one
                                  will */
    int             diving;
} tree;

static void apply(tree *t, const hsi_tree_node *nd)
{
    hsi_model *model = &t->model;
    size_t     first = nd->cell - nd->cell % model->groups;
    unsigned   g;

    if (nd->kind == HSI_AT_LEAST && model->lower[nd->cell] < nd->value)
        model->lower[nd->cell] = nd->value;
    if (nd->kind == HSI_AT_MOST && model->upper[nd->cell] > nd->value)
        model->upper[nd->cell] = nd->value;
    for (g = 0; nd->kind == HSI_NOT_ON_TYPE && g < model->groups; g++)
        if (hsi_model_type(model, g) == (int)nd->value)
            model->upper[first + g] = 0;
}

static void undo(tree *t, const hsi_tree_node *nd)
{
    hsi_model *model = &t->model;
    size_t     cell = nd->cell - nd->cell % model->groups, end = cell + model->groups;

    for (; cell < end; cell++) {
        model->lower[cell] = 0;
        model->upper[cell] = model->most[cell];
    }
}

static const hsi_tree_node *at(const tree *t, uint32_t index)
{
    return hsi_tree_node_at(&t->nodes, index);
}

/* Return 1 if the node has a cut of its own, unlike the root. */
static int is_cut(const tree *t, uint32_t index)
{
    return index != HS_NONE && at(t, index)->cell != HS_NONE;
}

static void show_path(tree *t, uint32_t i)
{
    for (; is_cut(t, i); i = at(t, i)->parent)
        hsi_assignment_lp_row(t->lp, &t->model, at(t, i)->cell / t->model.groups);
}

/* Move model and LP to another node, and transfer the use from the old one. */
static void go_to(tree *t, uint32_t target)
{
    uint32_t i, old = t->here;

    if (old != HS_NONE && at(t, target)->parent == old) {
        apply(t, at(t, target));
        hsi_assignment_lp_row(t->lp, &t->model, at(t, target)->cell / t->model.groups);
    } else {
        for (i = old; is_cut(t, i); i = at(t, i)->parent)
            undo(t, at(t, i));
        for (i = target; is_cut(t, i); i = at(t, i)->parent)
            apply(t, at(t, i));
        show_path(t, old);
        show_path(t, target);
    }
    t->here = target;
    hsi_tree_nodes_drop(&t->nodes, old);
}

static double whole(const tree *t, double bound)
{
    if (!t->model.integral || !isfinite(bound))
        return bound;
    return ldexp(ceil(ldexp(bound, t->model.exponent)), -t->model.exponent);
}

static int is_closed(const tree *t, double bound)
{
    return bound * (1 + t->tolerance) >= t->model.cutoff;
}

static void lower_cutoff(tree *t, double solution)
{
    size_t i;

    if (!(solution < t->model.cutoff))
        return;
    hsi_model_cut(&t->model, solution);
    if (t->lp)
        for (i = 0; i < t->model.rows->n; i++)
            hsi_assignment_lp_row(t->lp, &t->model, i);
}

/* Open both children; in a dive the second becomes the next node instead. */
static hs_status branch(tree *t, uint32_t parent, const hsi_branching *s, uint32_t *next)
{
    int side;

    *next = HS_NONE;
    for (side = 0; side < 2; side++) {
        const hsi_tree_node *from = at(t, parent);
        hsi_tree_node        child = {parent, s->cell, s->value[side], from->depth + 1, 1,
                                      s->kind[side], from->bound};
        uint32_t             index;
        hs_status            st = hsi_tree_nodes_add(&t->nodes, child, &index);

        if (st == HS_OK && side && t->diving)
            *next = index;
        else if (st == HS_OK)
            st = hsi_tree_nodes_push(&t->nodes, index);
        if (st != HS_OK)
            return st;
    }
    return HS_OK;
}

static void close_node(tree *t, double bound)
{
    if (bound < t->closed)
        t->closed = bound;
}

/* Raise *bound by estimate; prove it exactly only if the result depends on it. */
static void prove(tree *t, double *bound)
{
    *bound = fmax(*bound, whole(t, hsi_model_estimate(&t->model)));
    if (is_closed(t, *bound) && *bound < t->model.cutoff)
        *bound = fmax(*bound, whole(t, hsi_model_prove(&t->model)));
}

/* Prove a bound of the current node. Return 0 if stopped before the end. */
static int examine(tree *t, double *bound)
{
    hsi_model      *model = &t->model;
    hsi_simplex_end end;

    prove(t, bound); /* the previous node's multipliers are often good enough */
    if (is_closed(t, *bound))
        return 1;
    end = hsi_assignment_lp_solve(t->lp, model, t->stop, model->cutoff * (1 + 1e-6));
    if (end == HSI_SIMPLEX_ABOVE) {
        prove(t, bound);
        if (is_closed(t, *bound))
            return 1;
        end = hsi_assignment_lp_solve(t->lp, model, t->stop, INFINITY);
    }
    if (end == HSI_SIMPLEX_OPTIMAL) {
        prove(t, bound);
        lower_cutoff(t, hsi_model_round(model));
    }
    return end != HSI_SIMPLEX_STOPPED;
}

static double lower_bound(const tree *t, uint32_t current)
{
    double least = fmin(t->closed, t->model.cutoff);

    if (hsi_tree_nodes_open(&t->nodes))
        least = fmin(least, at(t, hsi_tree_nodes_first(&t->nodes))->bound);
    if (current != HS_NONE)
        least = fmin(least, at(t, current)->bound);
    return fmax(least, t->least);
}

static void report_progress(tree *t, uint32_t current)
{
    const hs_settings *settings = t->stop->settings;
    hs_progress        progress = {sizeof progress, hsi_stop_elapsed(t->stop), INFINITY, 0, t->seen,
                                   "GLPK"};

    if (!settings->progress || progress.seconds < t->last_report + 0.1)
        return;
    t->last_report = progress.seconds;
    progress.bound = ldexp(lower_bound(t, current), t->model.exponent);
    settings->progress(settings->progress_data, &progress);
}

/* Close or branch the current node. */
static hs_status step(tree *t, uint32_t *current)
{
    uint32_t index = *current;
    double   bound = at(t, index)->bound;
    int      done;

    if (is_closed(t, bound)) {
        close_node(t, bound);
        hsi_tree_nodes_drop(&t->nodes, index);
        *current = HS_NONE;
        return HS_OK;
    }
    go_to(t, index);
    t->seen++;
    done = examine(t, &bound);
    hsi_tree_node_at(&t->nodes, index)->bound = bound;
    if (!done)
        return HS_OK;
    *current = HS_NONE;
    if (!is_closed(t, bound)) {
        hsi_branching s = hsi_branching_choose(&t->model, bound);

        if (s.rank != HSI_BRANCHING_NOTHING)
            return branch(t, index, &s, current);
    }
    close_node(t, bound);
    return HS_OK;
}

/* Choose the open node with the least bound, which alone can raise the result; start dives from it
 * for a better cutoff, for a fifth of the nodes. */
static uint32_t choose_open(tree *t)
{
    if (t->diving) {
        t->dive = t->seen + 4 * (t->seen - t->dive);
        t->diving = 0;
    }
    if (t->seen >= t->dive) {
        t->dive = t->seen;
        t->diving = 1;
    }
    return hsi_tree_nodes_pop(&t->nodes);
}

static hs_status search(tree *t, double *least)
{
    const hsi_tree_node root = {HS_NONE, HS_NONE, 0, 0, 1, HSI_AT_MOST, 0};
    uint32_t       current;
    hs_status      st = hsi_tree_nodes_add(&t->nodes, root, &current);

    while (st == HS_OK && !hsi_stop_now(t->stop)) {
        if (current == HS_NONE) {
            if (hsi_tree_nodes_open(&t->nodes) == 0) {
                t->ended = 1;
                break;
            }
            current = choose_open(t);
        }
        st = step(t, &current);
        if (st == HS_OK)
            report_progress(t, current);
    }
    if (st == HS_OK && hsi_cancelled(t->stop->settings))
        st = HS_ECANCELED;
    if (st == HS_OK)
        *least = lower_bound(t, current);
    return st;
}

typedef struct work {
    tree  *t;
    double value;
} work;

static hs_status solve(void *data)
{
    work     *w = data;
    hs_status st;

    lower_cutoff(w->t, hsi_model_round(&w->t->model));
    w->t->lp = hsi_assignment_lp(&w->t->model);
    st = search(w->t, &w->value);
    glp_delete_prob(w->t->lp);
    return st;
}

hs_status hsi_assignment_bound(const hsi_problem *rows, hsi_grouping grouping, double least,
                               const hsi_stop *stop, double *value, int *limit_reached)
{
    tree      t = {.stop = stop, .here = HS_NONE, .closed = INFINITY, .diving = 1};
    work      w = {&t, 0};
    hs_status st = hsi_model_open(&t.model, rows, grouping, least);

    t.nodes.unused = HS_NONE;
    t.tolerance = fmax(TOLERANCE, stop->settings->gap);
    t.least = ldexp(least, -t.model.exponent);
    if (st == HS_OK)
        st = hsi_glpk_guarded(solve, &w);
    if (st == HS_OK)
        *value = fmax(least, ldexp(w.value, t.model.exponent));
    *limit_reached = !t.ended;
    hsi_tree_nodes_free(&t.nodes);
    hsi_model_close(&t.model);
    return st;
}
