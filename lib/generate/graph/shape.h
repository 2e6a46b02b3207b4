/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_GENERATE_GRAPH_SHAPE_H
#define HSI_GENERATE_GRAPH_SHAPE_H

#include <hybridsched/generate.h>

#include "support/random.h"

/* Numbers of the random streams, one for each drawn quantity. */
enum { HSI_STREAM_CPU, HSI_STREAM_GPU, HSI_STREAM_EDGES, HSI_STREAM_BYTES, HSI_STREAM_KINDS };

/* A graph with its tasks, while edges are drawn. */
typedef struct hsi_drawing {
    const hs_shaped *spec;
    hs_builder      *builder;
    hsi_random       edges, bytes;
    double           mean_bytes; /* mean bytes of an edge */
    size_t          *marked; /* scratch for drawing without repetition: a word per task,
                                initially 0 */
} hsi_drawing;

/* Add the tasks; *mean is set to the mean of their finite times. */
hs_status hsi_draw_tasks(const hs_shaped *spec, hs_builder *b, double *mean);

/* Add an edge with random bytes. */
hs_status hsi_draw_edge(hsi_drawing *d, size_t later, size_t earlier);

/* A function that draws the edges of a shape. */
typedef hs_status (*hsi_shape)(hsi_drawing *d);

hs_status hsi_draw_levels(hsi_drawing *d);

/* Return the function that draws a shape; NULL: unknown shape. */
hsi_shape hsi_shape_function(hs_shape shape);

#endif
