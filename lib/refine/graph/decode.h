/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_GRAPH_DECODE_H
#define HSI_REFINE_GRAPH_DECODE_H

#include <hybridsched/schedule.h>

#include "core/graph/arcs.h"

/*
 * List scheduling. Where each task runs (its place) is given; a worker that is idle starts what is
 * there for its place and has the highest rank: the longest way to the end of the graph in these
 * places, times a weight of the task's own. Inputs move as soon as they are made.
 *
 * Since ranks follow from the places, a few weights and places that change make a schedule that
 * is consistent again: that is what a search varies. Nobody waits for something that comes later,
 * so that not every schedule can be had.
 */
typedef struct hsi_keyed {
    double   key;
    uint32_t task;
} hsi_keyed;

/* A heap, the least key first. */
typedef struct hsi_queue {
    hsi_keyed *item;
    size_t     size;
} hsi_queue;

typedef struct hsi_decoder {
    const hsi_arcs *arcs;
    double         *level;   /* of tasks: the way to the end, the task included */
    double         *arrive;  /* of tasks: when their inputs are there */
    uint32_t       *trigger; /* of tasks: which of those before decides that; HS_NOBODY */
    uint32_t       *left;    /* of tasks: how many before them have not ended */
    double         *start;   /* of tasks */
    uint32_t       *worker;  /* of tasks */
    uint32_t       *cause;   /* of tasks: whose end let them start; HS_NOBODY */
    hsi_queue      *ready;   /* of places, by falling rank */
    hsi_keyed      *items;   /* of those, place by place */
    hsi_queue       coming;  /* ends, and arrivals, by time */
    uint32_t       *idle;    /* workers, place by place: stacks */
    uint32_t       *idle_count;
    uint32_t       *freed; /* of places: the last that ended there */
    uint32_t        last;  /* the task that ends last */
    double          makespan, now;
    const uint32_t *place;
    const double   *weight;
    hsi_arena       arena;
} hsi_decoder;

hs_status hsi_decoder_open(hsi_decoder *d, const hsi_arcs *arcs);
void      hsi_decoder_close(hsi_decoder *d);

/*
 * The makespan; INFINITY: it is surely `limit` or more, but for rounding, and the rest was left
 * out. O(arcs + tasks log tasks).
 */
double hsi_decode(hsi_decoder *d, const uint32_t *place, const double *weight, double limit);

/* The chain of tasks from the last that ends, each let start by the next; returns its length. */
size_t hsi_decoded_chain(const hsi_decoder *d, uint32_t *chain);

/* The schedule that was decoded to its end. */
hs_status hsi_decoded_schedule(const hsi_decoder *d, hs_schedule **out);

#endif
