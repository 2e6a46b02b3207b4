/* SPDX-License-Identifier: BSD-3-Clause */
#include "refine/graph/schedule_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    NODES_PER_CHECK = 64, /* nodes between two looks at the clock */
    MOST_CHILDREN = 4096  /* of a node of the search, on several nodes of the instance */
};

/* A ready task on a place. */
typedef struct child {
    uint32_t task, worker, place;
    double   start, end;
    double   tail; /* least time from the end of the task to the end of the graph */
} child;

/* A node on the path from the root: the task added to its parent, and the children left to
 * search. */
typedef struct node {
    uint32_t task;
    double   free_at;  /* free time of the task's worker, before the task */
    double   last;     /* latest start of the tasks before */
    size_t   from, to; /* range of the children in `stack` that are left to search */
} node;

struct hsi_schedule_tree {
    const hsi_arcs *arcs;
    hsi_windows     windows;
    hsi_partial     partial, nothing;
    node            path[HSI_SCHEDULE_TREE_TASKS + 1];
    uint32_t        depth;
    child          *stack;
    size_t          size, room;
    double         *free_at; /* memory of `partial` and `nothing` */
    uint64_t        nodes;
    bool            begun, ended, found;
};

/* Return true if unused GPUs may differ. */
static bool has_unequal_gpus(const hsi_arcs *arcs)
{
    return arcs->initial != NULL;
}

hs_status hsi_schedule_tree_open(const hsi_arcs *arcs, hsi_schedule_tree **out)
{
    size_t             workers = (size_t)arcs->pb->m + arcs->pb->k, n = arcs->pb->n, most;
    hsi_schedule_tree *b;
    hs_status          st;

    if (n == 0 || n > HSI_SCHEDULE_TREE_TASKS ||
        ((arcs->nodes || has_unequal_gpus(arcs)) && n * arcs->places > MOST_CHILDREN))
        return HS_ETOOBIG;
    b = calloc(1, sizeof *b);
    if (!b)
        return HS_ENOMEM;
    b->arcs = arcs;
    most = has_unequal_gpus(arcs) ? arcs->places : arcs->nodes ? 2 * (arcs->hosts + n) : n;
    b->room = n * n * (2 + (arcs->places < most ? arcs->places : most));
    b->stack = malloc(b->room * sizeof *b->stack);
    b->free_at = calloc(2 * workers, sizeof *b->free_at);
    st = b->stack && b->free_at ? hsi_windows_open(&b->windows, arcs) : HS_ENOMEM;
    if (st != HS_OK) {
        hsi_schedule_tree_close(b);
        return st;
    }
    b->partial.free_at = b->free_at;
    b->nothing.free_at = b->free_at + workers;
    *out = b;
    return HS_OK;
}

void hsi_schedule_tree_close(hsi_schedule_tree *b)
{
    if (!b)
        return;
    hsi_windows_close(&b->windows);
    free(b->stack);
    free(b->free_at);
    free(b);
}

/* Return the arrival of a ready task's inputs at a place. */
static double arrival_of_inputs(const hsi_schedule_tree *b, uint32_t task, uint32_t place)
{
    const hsi_windows *w = &b->windows;
    double             inputs_at = hsi_initial_data_arrival(b->arcs, task, place);

    for (size_t i = w->before_at[task]; i < w->before_at[task + 1]; i++) {
        const hsi_arc *arc = &w->before[i];
        uint32_t       from = arc->task;

        inputs_at =
            fmax(inputs_at, b->partial.end[from] +
                                hsi_arc_transfer_time(b->arcs, arc, b->partial.place[from], place));
    }
    return inputs_at;
}

/* Return the worker free by `when` with the latest free time; if no worker is free by then, the
 * earliest. */
static uint32_t choose_worker(const hsi_schedule_tree *b, uint32_t place, double when)
{
    uint32_t      first = hsi_first_worker_at(b->arcs, place), best = first;
    const double *free_at = b->partial.free_at;

    for (uint32_t i = first + 1; i < first + hsi_worker_count_at(b->arcs, place); i++) {
        bool better = free_at[i] <= when ? free_at[best] > when || free_at[i] > free_at[best]
                                        : free_at[i] < free_at[best];

        if (better)
            best = i;
    }
    return best;
}

/* Return true if this GPU and the GPU before, of the same node, are unused and equal: trying the
 * first is enough. */
static bool is_like_another(const hsi_schedule_tree *b, uint32_t place)
{
    const hsi_node_list *nodes = b->arcs->nodes;

    if (place <= b->arcs->hosts || has_unequal_gpus(b->arcs) ||
        (nodes && hsi_node_of_memory(nodes, place) != hsi_node_of_memory(nodes, place - 1)))
        return false;
    return b->partial.free_at[hsi_first_worker_at(b->arcs, place)] == 0 &&
           b->partial.free_at[hsi_first_worker_at(b->arcs, place - 1)] == 0;
}

/* The earliest end of a possible task, with the transfers of its outputs. */
typedef struct earliest_end {
    double at;
    bool   vanishes; /* a task with this end starts at it: its time is lost in rounding */
} earliest_end;

static void note_end(earliest_end *done, double start, double end)
{
    if (end < done->at)
        *done = (earliest_end){.at = end, .vanishes = start == end};
    else if (end == done->at && start == end)
        done->vanishes = true;
}

static void add_child(hsi_schedule_tree *b, uint32_t task, uint32_t place, earliest_end *done)
{
    const hsi_windows *w = &b->windows;
    hs_type            type = hsi_type_at(b->arcs, place);
    double             time = hsi_task_time_at(b->arcs, task, place), inputs_at;
    child              c = {.task = task, .place = place};

    if (hsi_worker_count_at(b->arcs, place) == 0 || isinf(time) || is_like_another(b, place))
        return;
    inputs_at = arrival_of_inputs(b, task, place);
    c.worker = choose_worker(b, place, inputs_at);
    c.start = fmax(inputs_at, b->partial.free_at[c.worker]);
    c.end = c.start + time;
    c.tail = w->tail[task][type];
    note_end(done, c.start, c.end + w->leaving[task][type]);
    if (w->open[task][type])
        b->stack[b->size++] = c;
}

/* Return true if the child may follow the task added last: tasks are added by start, and by position
 * among equal starts. A task whose time vanishes may come before every task of its start, because both
 * may be on one worker. */
static bool is_after(const hsi_schedule_tree *b, const child *c)
{
    const hs_graph *g = b->arcs->pb->graph;
    uint32_t        last = b->path[b->depth].task;

    if (b->depth == 0 || c->start > b->partial.last)
        return true;
    return c->start == b->partial.last &&
           (hsi_position(g, c->task) > hsi_position(g, last) ||
            b->partial.end[last] == b->partial.start[last]);
}

/* Order of the stack, whose top is searched first: the earliest start, then the longest path. */
static bool comes_later(const child *a, const child *b)
{
    if (a->start != b->start)
        return a->start > b->start;
    return a->end + a->tail < b->end + b->tail;
}

static void sort_children(child *c, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        child  moved = c[i];
        size_t at = i;

        for (; at > 0 && comes_later(&moved, &c[at - 1]); at--)
            c[at] = c[at - 1];
        c[at] = moved;
    }
}

/* Return true if the child starts before a possible task ends. A schedule in which all tasks left start
 * later is no shorter than with that task first. If the task ends when it starts, children of the same
 * start count, too. */
static bool is_in_time(const child *c, const earliest_end *done)
{
    return c->start < done->at || (done->vanishes && c->start == done->at);
}

static void find_children(hsi_schedule_tree *b)
{
    node        *at = &b->path[b->depth];
    earliest_end done = {.at = INFINITY};
    size_t       kept = b->size;

    at->from = at->to = b->size;
    for (uint32_t task = 0; task < b->windows.n; task++) {
        if (b->partial.done >> task & 1 || b->windows.lead[task] & ~b->partial.done)
            continue;
        for (uint32_t place = 0; place < b->arcs->places; place++)
            add_child(b, task, place, &done);
    }
    for (size_t i = at->from; i < b->size; i++)
        if (is_in_time(&b->stack[i], &done) && is_after(b, &b->stack[i]))
            b->stack[kept++] = b->stack[i];
    b->size = at->to = kept;
    sort_children(b->stack + at->from, at->to - at->from);
}

static void add_task(hsi_schedule_tree *b, const child *c)
{
    hsi_partial *partial = &b->partial;
    node        *at = &b->path[++b->depth];

    *at = (node){.task = c->task,
                 .free_at = partial->free_at[c->worker],
                 .last = partial->last,
                 .from = b->size,
                 .to = b->size};
    partial->done |= 1ull << c->task;
    partial->start[c->task] = c->start;
    partial->end[c->task] = partial->free_at[c->worker] = c->end;
    partial->worker[c->task] = c->worker;
    partial->place[c->task] = c->place;
    partial->last = c->start;
}

static void remove_last_task(hsi_schedule_tree *b)
{
    const node *at = &b->path[b->depth--];

    b->partial.done &= ~(1ull << at->task);
    b->partial.free_at[b->partial.worker[at->task]] = at->free_at;
    b->partial.last = at->last;
    b->size = at->from;
}

static bool is_complete(const hsi_schedule_tree *b)
{
    return b->depth == b->windows.n;
}

static double makespan_of(const hsi_schedule_tree *b)
{
    double makespan = 0;

    for (uint32_t task = 0; task < b->windows.n; task++)
        makespan = fmax(makespan, b->partial.end[task]);
    return makespan;
}

/* Search the current node: push its children unless the node is pruned. */
static void expand_node(hsi_schedule_tree *b)
{
    b->nodes++;
    if (hsi_windows_can_complete(&b->windows, &b->partial))
        find_children(b);
}

/* Go to the next node. Return false if none is left. */
static bool next_node(hsi_schedule_tree *b)
{
    while (b->path[b->depth].from == b->path[b->depth].to) {
        if (b->depth == 0)
            return false;
        remove_last_task(b);
    }
    b->path[b->depth].to--;
    b->size = b->path[b->depth].to;
    add_task(b, &b->stack[b->size]);
    return true;
}

void hsi_schedule_tree_continue(hsi_schedule_tree *b, double cutoff, uint64_t most_nodes,
                                const hsi_interrupt *interrupt)
{
    b->nodes = 0;
    b->found = false;
    if (b->ended)
        return;
    if (b->windows.cutoff != cutoff && !hsi_windows_set_cutoff(&b->windows, &b->nothing, cutoff)) {
        b->ended = true;
        return;
    }
    if (!b->begun)
        expand_node(b);
    b->begun = true;
    while (!most_nodes || b->nodes < most_nodes) {
        if (b->nodes % NODES_PER_CHECK == 0 && hsi_interrupted(interrupt))
            return;
        if (!next_node(b)) {
            b->ended = true;
            return;
        }
        if (is_complete(b) && makespan_of(b) < cutoff) {
            b->found = true;
            return;
        }
        if (!is_complete(b))
            expand_node(b);
    }
}

int hsi_schedule_tree_ended(const hsi_schedule_tree *b)
{
    return b->ended;
}

int hsi_schedule_tree_has_found(const hsi_schedule_tree *b)
{
    return b->found;
}

uint64_t hsi_schedule_tree_nodes(const hsi_schedule_tree *b)
{
    return b->nodes;
}

hs_status hsi_schedule_tree_build_found(const hsi_schedule_tree *b, hs_schedule **out)
{
    const hsi_problem *pb = b->arcs->pb;
    hs_placement       all[HSI_SCHEDULE_TREE_TASKS];

    for (uint32_t task = 0; task < pb->n; task++)
        all[task] = (hs_placement){.start = b->partial.start[task],
                                   .end = b->partial.end[task],
                                   .task = task,
                                   .worker = b->partial.worker[task],
                                   .state = HS_RUN};
    return hs_schedule_build(pb->m, pb->k, pb->n, all, out);
}

double hsi_schedule_tree_bound(hsi_schedule_tree *b, double low, double high)
{
    return hsi_windows_largest_refuted(&b->windows, &b->nothing, low, high);
}
