/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Topcuoglu's random graphs. The number of levels is uniform with mean sqrt(v) / alpha; widths are
 * uniform with mean alpha sqrt(v), here rescaled to v tasks in total; out-degrees are uniform from
 * 1 to twice the mean less 1. The paper does not specify the successors. Here each task of a level
 * has a predecessor in the previous level, so levels are depths, and the rest of a task's
 * out-degree is drawn from all later levels.
 */
#include <math.h>
#include <stdlib.h>

#include "generate/graph/shape.h"

#define NO_TASK SIZE_MAX

typedef struct levels {
    size_t  count;
    size_t *start; /* first task of each level; start[count] is the number of tasks */
    size_t *first; /* per task: head of its list of required successors, linked by `next` */
    size_t *next;
    size_t *degree; /* per task: out-degree */
    size_t *left;   /* per task: successors still to draw */
    size_t *open;   /* tasks of a level with successors left to draw */
} levels;

/* Draw a whole number >= 1 and at most `most`, uniform with this mean. */
static size_t draw_size(hsi_random *random, double mean, size_t most)
{
    double range = mean < 1 ? 1 : floor(2 * mean);

    if (range > (double)most * 2)
        range = (double)most * 2;
    range = range > 1 ? range - 1 : 1;
    return 1 + (size_t)hsi_random_below(random, (uint64_t)range);
}

/* Give each level one task, and distribute the rest in proportion to the drawn widths. */
static hs_status draw_widths(hsi_drawing *d, levels *l)
{
    size_t tasks = d->spec->tasks, spare;
    double root = sqrt((double)tasks), *before, all = 0;

    l->count = draw_size(&d->edges, root / d->spec->alpha, tasks);
    if (l->count > tasks)
        l->count = tasks;
    l->start = calloc(l->count + 1, sizeof *l->start);
    before = calloc(l->count + 1, sizeof *before);
    if (!l->start || !before) {
        free(before);
        return HS_ENOMEM;
    }
    for (size_t i = 0; i < l->count; i++) {
        before[i] = all;
        all += (double)draw_size(&d->edges, root * d->spec->alpha, tasks);
    }
    before[l->count] = all;
    spare = tasks - l->count;
    for (size_t i = 0; i <= l->count; i++)
        l->start[i] = i + (size_t)floor((double)spare * (before[i] / all));
    free(before);
    return HS_OK;
}

/* Draw the out-degrees of a level's tasks and list them in `open`. */
static size_t draw_degrees(hsi_drawing *d, levels *l, size_t level)
{
    size_t first = l->start[level], last = l->start[level + 1];

    for (size_t task = first; task < last; task++) {
        l->degree[task] = 1 + (size_t)hsi_random_below(&d->edges, 2 * d->spec->degree - 1);
        if (l->degree[task] > d->spec->tasks - last)
            l->degree[task] = d->spec->tasks - last;
        l->left[task] = l->degree[task];
        l->open[task - first] = task;
    }
    return last - first;
}

/* Choose a task of a level with out-degree left; if there is none, any task. */
static size_t draw_parent(hsi_drawing *d, levels *l, size_t level, size_t *open)
{
    size_t first = l->start[level], pick, task;

    if (*open == 0)
        return first + (size_t)hsi_random_below(&d->edges, l->start[level + 1] - first);
    pick = (size_t)hsi_random_below(&d->edges, *open);
    task = l->open[pick];
    if (--l->left[task] == 0)
        l->open[pick] = l->open[--*open];
    return task;
}

/* Give each task of the next level a predecessor in this level. */
static hs_status tie_level(hsi_drawing *d, levels *l, size_t level)
{
    size_t    open = draw_degrees(d, l, level);
    hs_status st = HS_OK;

    for (size_t task = l->start[level + 1]; task < l->start[level + 2] && st == HS_OK; task++) {
        size_t before = draw_parent(d, l, level, &open);

        l->next[task] = l->first[before];
        l->first[before] = task;
        st = hsi_draw_edge(d, task, before);
    }
    return st;
}

/* Draw the rest of a task's out-degree from later levels, as far as they have tasks. */
static hs_status add_successors(hsi_drawing *d, levels *l, size_t task, size_t later)
{
    size_t    there = d->spec->tasks - later, have = 0;
    hs_status st = HS_OK;

    for (size_t s = l->first[task]; s != NO_TASK; s = l->next[s], have++)
        d->marked[s] = task + 1;
    while (have < l->degree[task] && st == HS_OK) {
        size_t successor = later + (size_t)hsi_random_below(&d->edges, there);

        if (d->marked[successor] == task + 1) /* `successor` is a successor already */
            continue;
        d->marked[successor] = task + 1;
        have++;
        st = hsi_draw_edge(d, successor, task);
    }
    return st;
}

static hs_status draw_edges(hsi_drawing *d, levels *l)
{
    hs_status st = HS_OK;

    for (size_t i = 0; i < d->spec->tasks; i++)
        l->first[i] = NO_TASK;
    for (size_t level = 0; level + 1 < l->count && st == HS_OK; level++) {
        st = tie_level(d, l, level);
        for (size_t task = l->start[level]; task < l->start[level + 1] && st == HS_OK; task++)
            st = add_successors(d, l, task, l->start[level + 1]);
    }
    return st;
}

hs_status hsi_draw_levels(hsi_drawing *d)
{
    size_t    tasks = d->spec->tasks;
    levels    l = {0};
    hs_status st = tasks ? draw_widths(d, &l) : HS_OK;

    if (st == HS_OK && tasks > 0) {
        l.first = malloc(tasks * sizeof *l.first);
        l.next = malloc(tasks * sizeof *l.next);
        l.degree = malloc(tasks * sizeof *l.degree);
        l.left = malloc(tasks * sizeof *l.left);
        l.open = malloc(tasks * sizeof *l.open);
        st = l.first && l.next && l.degree && l.left && l.open ? draw_edges(d, &l) : HS_ENOMEM;
    }
    free(l.start);
    free(l.first);
    free(l.next);
    free(l.degree);
    free(l.left);
    free(l.open);
    return st;
}
