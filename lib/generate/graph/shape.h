/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_GENERATE_GRAPH_SHAPE_H
#define HSI_GENERATE_GRAPH_SHAPE_H

#include <hybridsched/generate.h>

#include "support/random.h"

/* What is drawn, each from a stream of its own. */
enum { HSI_STREAM_CPU, HSI_STREAM_GPU, HSI_STREAM_EDGES, HSI_STREAM_BYTES, HSI_STREAM_KINDS };

/* A graph whose tasks are there, being given its edges. */
typedef struct hsi_drawing {
    const hs_shaped *spec;
    hs_builder      *builder;
    hsi_random       edges, bytes;
    double           mean_bytes; /* of an edge */
    size_t          *marked; /* a word a task, 0 at first, for those who draw without repetition */
} hsi_drawing;

/* Adds the tasks; *mean is the mean of their finite times. */
hs_status hsi_draw_tasks(const hs_shaped *spec, hs_builder *b, double *mean);

/* `later` comes after `earlier`, with bytes drawn. */
hs_status hsi_draw_edge(hsi_drawing *d, size_t later, size_t earlier);

/* The edges of a shape. */
typedef hs_status (*hsi_shape)(hsi_drawing *d);

hs_status hsi_draw_levels(hsi_drawing *d);

hsi_shape hsi_shape_of(hs_shape shape); /* NULL: there is none */

#endif
