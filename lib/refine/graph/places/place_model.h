/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_GRAPH_PLACES_MODEL_H
#define HSI_REFINE_GRAPH_PLACES_MODEL_H

#include "core/graph/relatives.h"
#include "support/exact.h"

enum {
    HSI_PLACE_TREE_TASKS = 192, /* limit of the tasks of a graph */
    HSI_PLACE_TREE_PLACES = 32  /* limit of the places: the bits of a set */
};

/* The graph as the rules of the search read it. Task and place index `time`; sets of tasks take
 * `words` words each. A place is unary if it has one worker. */
typedef struct hsi_place_model {
    const hsi_arcs *arcs;
    uint32_t        n, places;
    size_t          words;
    uint32_t        unary;     /* bit set of the places with one worker */
    double         *time;      /* time of each task on each place; INFINITY: impossible */
    size_t         *before_at; /* first arc of each task in `before`, and the number of arcs */
    hsi_arc        *before;    /* arcs by target; their `task` is the source */
    uint32_t       *position;  /* position of each task in the topological order */
    uint64_t       *ancestors, *descendants; /* set of each task */
    double    error; /* relative error of a schedule's ends, sums of at most 2 n rounded times */
    hsi_arena arena;
} hsi_place_model;

/* Create the model. HS_ETOOBIG: the graph is empty, above one of the limits, on several nodes or
 * without links, so that a GPU is not a place. */
hs_status hsi_place_model_open(hsi_place_model *model, const hsi_arcs *arcs);
void      hsi_place_model_close(hsi_place_model *model);

static inline bool hsi_is_unary(const hsi_place_model *model, uint32_t place)
{
    return model->unary >> place & 1;
}

#endif
