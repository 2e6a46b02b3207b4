/* SPDX-License-Identifier: BSD-3-Clause */
/* Graphs by shape. Rows are in topological order: the predecessors of a task are earlier rows. */
#include <math.h>

#include "generate/graph/shape.h"
#include "support/portable_math.h"

hs_status hsi_draw_edge(hsi_drawing *d, size_t later, size_t earlier)
{
    double bytes = 0;

    if (d->mean_bytes > 0)
        bytes = ceil(2 * d->mean_bytes * hsi_random_unit(&d->bytes));
    return hs_builder_add_predecessor(d->builder, later, earlier, 0, bytes);
}

static size_t width_of(const hs_shaped *spec)
{
    return spec->width ? spec->width : (size_t)ceil(sqrt((double)spec->tasks));
}

static hs_status draw_chain(hsi_drawing *d)
{
    hs_status st = HS_OK;

    for (size_t i = 1; i < d->spec->tasks && st == HS_OK; i++)
        st = hsi_draw_edge(d, i, i - 1);
    return st;
}

/*
 * Draw a fork, its parallel tasks, and the join, which is the next fork; the last task is a join.
 */
static hs_status draw_fork_join(hsi_drawing *d)
{
    size_t    tasks = d->spec->tasks, width = width_of(d->spec), fork = 0;
    hs_status st = HS_OK;

    while (fork + 1 < tasks && st == HS_OK) {
        size_t join = tasks - 1 - fork <= width ? tasks - 1 : fork + width + 1;

        for (size_t i = fork + 1; i < join && st == HS_OK; i++) {
            st = hsi_draw_edge(d, i, fork);
            if (st == HS_OK)
                st = hsi_draw_edge(d, join, i);
        }
        if (join == fork + 1 && st == HS_OK)
            st = hsi_draw_edge(d, join, fork);
        fork = join;
    }
    return st;
}

/*
 * Draw `count` different predecessors from the tasks first .. first + size - 1, or all of them
 * (Floyd's sampling).
 */
static hs_status draw_before(hsi_drawing *d, size_t later, size_t first, size_t size, size_t count)
{
    hs_status st = HS_OK;

    for (size_t i = count < size ? size - count : 0; i < size && st == HS_OK; i++) {
        size_t pick = (size_t)hsi_random_below(&d->edges, i + 1);

        if (d->marked[first + pick] == later)
            pick = i;
        d->marked[first + pick] = later;
        st = hsi_draw_edge(d, later, first + pick);
    }
    return st;
}

static hs_status draw_layered(hsi_drawing *d)
{
    size_t    width = width_of(d->spec);
    hs_status st = HS_OK;

    for (size_t i = width; i < d->spec->tasks && st == HS_OK; i++)
        st = draw_before(d, i, (i / width - 1) * width, width, d->spec->degree);
    return st;
}

/*
 * Choose each of the n (n - 1) / 2 pairs with equal probability, such that n `degree` edges are
 * expected. The number of pairs up to the next edge is geometric, so the cost is per edge, not per
 * pair.
 */
static hs_status draw_random(hsi_drawing *d)
{
    double    chance = 2.0 * d->spec->degree / ((double)d->spec->tasks - 1);
    double    slope = chance < 1 ? hsi_log(1 - chance) : 0;
    size_t    later = 1;
    double    earlier = -1; /* start of the edge, once reduced below `later` */
    hs_status st = HS_OK;

    while (st == HS_OK) {
        earlier += 1;
        if (chance < 1)
            earlier += floor(hsi_log(hsi_random_unit(&d->edges)) / slope);
        while (later < d->spec->tasks && earlier >= (double)later)
            earlier -= (double)later++;
        if (later >= d->spec->tasks)
            break;
        st = hsi_draw_edge(d, later, (size_t)earlier);
    }
    return st;
}

/* Draw a heap of arity `degree`, reversed, with its root last. */
static hs_status draw_reduction(hsi_drawing *d)
{
    size_t    last = d->spec->tasks - 1;
    hs_status st = HS_OK;

    for (size_t i = 0; i < d->spec->tasks && i < last && st == HS_OK; i++)
        st = hsi_draw_edge(d, last - (last - i - 1) / d->spec->degree, i);
    return st;
}

hsi_shape hsi_shape_function(hs_shape shape)
{
    static const hsi_shape shapes[] = {
        [HS_CHAIN] = draw_chain,         [HS_FORK_JOIN] = draw_fork_join,
        [HS_LAYERED] = draw_layered,     [HS_RANDOM] = draw_random,
        [HS_REDUCTION] = draw_reduction, [HS_TOPCUOGLU] = hsi_draw_levels,
    };

    return (size_t)shape < sizeof shapes / sizeof *shapes ? shapes[shape] : NULL;
}
