/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_GRAPH_DECODE_H
#define HSI_REFINE_GRAPH_DECODE_H

#include <hybridsched/schedule.h>

#include "core/graph/arcs.h"

/*
 * List scheduling. The place of each task (the CPUs, or one GPU) is given; an idle worker starts
 * the task with the highest rank among those whose inputs are at its place. The rank is the longest
 * path to the end of the graph with these places, times a weight of the task. Transfers start as
 * soon as the data is written.
 *
 * Ranks follow from the places, so a change of few places and weights gives a consistent new
 * schedule; searches vary these. Workers never wait for a task that comes later, so that some
 * schedules cannot be decoded.
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
    double         *level;   /* longest path from each task to the end of the graph, with the
                                task */
    double         *arrive;  /* arrival of each task's last input */
    uint32_t       *trigger; /* predecessor of each task whose data arrives last; HS_NONE: none */
    uint32_t       *left;    /* number of each task's unfinished predecessors */
    double         *start;   /* start of each task */
    uint32_t       *worker;  /* worker of each task */
    uint32_t       *cause;   /* task whose end or data let each task start; HS_NONE: none */
    hsi_queue      *ready;   /* ready tasks of each place, by decreasing rank */
    hsi_keyed      *items;   /* memory of `ready`, place by place */
    hsi_queue       coming;  /* ends of tasks and arrivals of inputs, by time */
    uint32_t       *idle;    /* idle workers, one stack per place */
    uint32_t       *idle_count;
    uint32_t       *freed; /* task that ended last on each place */
    uint32_t        last;  /* the task that ends last */
    double          makespan, now;
    const uint32_t *place;
    const double   *weight;
    hsi_arena       arena;
} hsi_decoder;

hs_status hsi_decoder_open(hsi_decoder *d, const hsi_arcs *arcs);
void      hsi_decoder_close(hsi_decoder *d);

/* Decode a schedule and return its makespan; INFINITY: the makespan is at least `limit`, up to
 * rounding, and decoding stopped early. O(arcs + tasks log tasks). */
double hsi_decode_genes(hsi_decoder *d, const uint32_t *place_of_task, const double *weight,
                        double limit);

/* Write the chain of tasks behind the makespan, from the last task back: the end of each let the
 * previous entry start. Return the length of the chain. */
size_t hsi_decoded_critical_chain(const hsi_decoder *d, uint32_t *chain);

/* Build the last schedule that was decoded completely; the caller owns *out. */
hs_status hsi_decoded_build_schedule(const hsi_decoder *d, hs_schedule **out);

#endif
