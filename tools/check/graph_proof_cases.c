/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Proofs by cases for a graph: by the type of a task, or by the order of two tasks.
 * hsched-formats(5) has the argument.
 */
#include <stdlib.h>
#include <string.h>

#include "check/proof_tree.h"
#include "check/graph_proof.h"
#include "common/checked_memory.h"

enum { VERTICES = 128, DEPTH = 1024 }; /* largest number of vertices, and of nested branches */

typedef struct level {
    unsigned char edge[VERTICES][VERTICES]; /* edge[from][to]: whether the order has this edge */
    unsigned char beside[VERTICES * VERTICES];
    unsigned char closed[VERTICES][2];
} level;

typedef struct walk {
    const certificate      *c;
    const graph_proof_case *whole;
    mpq_srcptr              value;
    limits                 *l;
    size_t                  at; /* index of the next node */
    size_t                  tasks, vertices;
    level                  *level; /* per depth: the order and the types of the case */
    size_t                  before_at[VERTICES + 1], after_at[VERTICES + 1];
    uint32_t                before[VERTICES * VERTICES], after[VERTICES * VERTICES];
} walk;

static void take_graph(walk *w)
{
    for (size_t v = 0; v < w->vertices; v++) {
        size_t          count;
        const uint32_t *after = order_successors(&w->whole->task_order, v, &count);

        for (size_t i = 0; i < count; i++)
            w->level->edge[v][after[i]] = 1;
    }
}

static void list_edges(walk *w, const level *at)
{
    size_t in = 0, out = 0;

    for (size_t v = 0; v < w->vertices; v++) {
        w->before_at[v] = in;
        w->after_at[v] = out;
        for (uint32_t other = 0; other < w->vertices; other++) {
            if (at->edge[other][v])
                w->before[in++] = other;
            if (at->edge[v][other])
                w->after[out++] = other;
        }
    }
    w->before_at[w->vertices] = in;
    w->after_at[w->vertices] = out;
}

static const char *flaw_of_leaf(walk *w, const level *at, const proof_node *node)
{
    graph_proof_case of = {.in = w->whole->in,
                           .task_order = {.tasks = w->tasks,
                                          .vertices = w->vertices,
                                          .before_at = w->before_at,
                                          .after_at = w->after_at,
                                          .before = w->before,
                                          .after = w->after},
                           .closed = at->closed,
                           .beside = at->beside};

    if (node->step != STEP_GRAPH && node->step != STEP_CROWD && node->step != STEP_WINDOWS)
        return "a case is proved by what is no proof of a graph";
    list_edges(w, at);
    return graph_proof_leaf_flaw(w->c, node, &of, w->value, w->l);
}

/* Return whether a path leads from the first to the second vertex. */
static int reaches(const walk *w, const level *at, size_t first, size_t second)
{
    unsigned char met[VERTICES] = {0};
    size_t        stack[VERTICES], size = 0;

    stack[size++] = first;
    while (size > 0) {
        size_t from = stack[--size];

        for (size_t to = 0; to < w->vertices; to++)
            if (at->edge[from][to] && !met[to]) {
                met[to] = 1;
                stack[size++] = to;
            }
    }
    return met[second];
}

/* Add edges from all predecessors of the first to all successors of the second. */
static void cross(const walk *w, level *at, size_t first, size_t second)
{
    for (size_t from = 0; from < w->vertices; from++)
        for (size_t to = 0; at->edge[from][first] && to < w->vertices; to++)
            at->edge[from][to] |= at->edge[second][to];
}

static void enter_part(const walk *w, level *at, const proof_node *node, size_t part)
{
    size_t a = node->branch.kind, b = node->branch.cut;

    if (node->step == STEP_TYPE) {
        at->closed[a][!part] = 1;
    } else if (part == 0) {
        at->edge[a][b] = 1;
    } else if (part == 1) {
        at->edge[b][a] = 1;
    } else {
        at->beside[a * w->tasks + b] = at->beside[b * w->tasks + a] = 1;
        cross(w, at, a, b);
        cross(w, at, b, a);
    }
}

static const char *flaw_of_branch(const walk *w, const level *at, const proof_node *node)
{
    size_t a = node->branch.kind, b = node->branch.cut;

    if (a >= w->tasks || (node->step == STEP_ORDER && b >= w->tasks))
        return "a branch is about a task that is not there";
    if (node->step == STEP_ORDER && (a == b || reaches(w, at, a, b) || reaches(w, at, b, a)))
        return "a branch is about two tasks of which it is known who comes first";
    return NULL;
}

/* Verify the case of the next node, with all its subcases. */
static const char *flaw_of_case(walk *w, size_t depth)
{
    const proof_node *node = &w->c->node[w->at];
    level            *at = &w->level[depth];
    const char       *flaw;

    if (w->at++ == w->c->nodes)
        return "a case is missing";
    if (!limits_allow(w->l, sizeof *at / 16))
        return flaw_too_much;
    if (node->step != STEP_TYPE && node->step != STEP_ORDER)
        return flaw_of_leaf(w, at, node);
    flaw = depth + 1 < DEPTH ? flaw_of_branch(w, at, node) : flaw_too_much;
    for (size_t part = 0; !flaw && part < (node->step == STEP_ORDER ? 3 : 2); part++) {
        w->level[depth + 1] = *at;
        enter_part(w, &w->level[depth + 1], node, part);
        flaw = flaw_of_case(w, depth + 1);
    }
    return flaw;
}

const char *graph_proof_tree_flaw(const certificate *c, const graph_proof_case *whole,
                                  mpq_srcptr value, limits *l)
{
    const char *flaw;
    walk       *w;

    if (whole->task_order.vertices > VERTICES)
        return "the graph is too large for cases";
    w = checked_calloc(1, sizeof *w);
    w->level = checked_calloc(DEPTH, sizeof *w->level);
    w->c = c;
    w->whole = whole;
    w->value = value;
    w->l = l;
    w->tasks = whole->task_order.tasks;
    w->vertices = whole->task_order.vertices;
    take_graph(w);
    flaw = flaw_of_case(w, 0);
    if (!flaw && w->at < c->nodes)
        flaw = "there are more cases than branches";
    free(w->level);
    free(w);
    return flaw;
}
