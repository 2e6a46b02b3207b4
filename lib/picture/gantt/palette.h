/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_PICTURE_GANTT_PALETTE_H
#define HSI_PICTURE_GANTT_PALETTE_H

#include <hybridsched/instance.h>

#include "io/text/output.h"

enum {
    HSI_KERNELS = 8, /* number of kernels with their own colour */
    HSI_SCALE = 10,  /* largest number of steps of the scale */
    HSI_REST = 10,   /* class of the remaining kernels, or of CPU-only and unknown tasks */
    HSI_GPU_ONLY = 11,
    HSI_COLOURS = 12
};

/*
 * The colours of tasks. A task's class depends on its kernel if the instance has kernels, otherwise
 * on its acceleration p/q, on a scale of powers of two; the acceleration is unknown if p or q is a
 * guess.
 */
typedef struct hsi_palette {
    bool        by_kernel;
    bool        has_cpu_only, has_unknown; /* tasks of class HSI_REST without kernels */
    /* number of kernels or steps: classes 0 .. count - 1 are in use */
    unsigned    count;
    int         used[HSI_COLOURS];
    const char *kernel[HSI_KERNELS]; /* kernel of each class; owned by the instance */
    int         low, step;           /* class c begins at p/q = 2^(low + c * step) */
    /*
     * whether hatches and rules have names of their own, because a wide chart is on the same page
     */
    bool narrow;
} hsi_palette;

/** Choose the colours of an instance. O(rows log rows). HS_ENOMEM. */
hs_status hsi_palette_choose(const hs_instance *in, hsi_palette *palette);

/** Return the name of the class HSI_REST. */
const char *hsi_palette_rest_name(const hsi_palette *palette);

unsigned hsi_palette_class_of_task(const hsi_palette *palette, const hs_instance *in, size_t task);

/**
 * Write rules ".c0{...}" and the hatched ".a0{...}" for a <style>; in a narrow chart ".narrow
 * .a0{...}".
 */
void hsi_palette_style(hsi_output *out, const hsi_palette *palette);

/** Write the hatches for <defs>, fine enough for rows of `height`. */
void hsi_palette_hatches(hsi_output *out, const hsi_palette *palette, double height);

/** Return the attribute for the head of a spoliation arrow. */
static inline const char *hsi_spoliation_head(const hsi_palette *palette)
{
    return palette->narrow ? " marker-end=\"url(#tn)\"" : " marker-end=\"url(#ta)\"";
}

/** Return whether text on the colour of the class must be light. */
bool hsi_palette_is_dark(const hsi_palette *palette, unsigned class);

/* The legend: entries in lines, placed by the layout and drawn later (legend.c). */
typedef enum hsi_legend_kind {
    HSI_LEGEND_WORDS,
    HSI_LEGEND_SCALE, /* the steps of the acceleration scale */
    HSI_LEGEND_CLASS,
    HSI_LEGEND_ABORTED,
    HSI_LEGEND_FAILED,
    HSI_LEGEND_IDLE,
    HSI_LEGEND_KEPT,
    HSI_LEGEND_TAKEN,
    HSI_LEGEND_WAIT,
    HSI_LEGEND_COPY,
    HSI_LEGEND_CRITICAL,
    HSI_LEGEND_BEFORE, /* dependency arrows on hover */
    HSI_LEGEND_AFTER
} hsi_legend_kind;

typedef struct hsi_legend_entry {
    hsi_legend_kind kind;
    unsigned        class;
    const char     *text;
    double          x, y; /* place relative to the legend's corner */
} hsi_legend_entry;

#define HSI_LEGEND_LINE 22.0 /* height of a line */

typedef struct hsi_legend {
    double           width, x; /* total width; used width of the last line */
    double           box;      /* width of a step of the scale */
    unsigned         lines, count;
    hsi_legend_entry entry[HSI_COLOURS + 12];
} hsi_legend;

/** Place the entries for colours, and for aborted or failed entries if there are any. */
void hsi_legend_layout(hsi_legend *legend, const hsi_palette *palette, bool aborted, bool failed,
                       double width);

/** Write what a class stands for: a kernel, or a range of accelerations. */
void hsi_put_class_name(hsi_output *out, const hsi_palette *palette, unsigned class);

/**
 * Add entries: merged bars; spoliation arrows; waits; copies; for a graph the critical path and,
 * after a run, idle time with a ready task; dependency arrows, or their absence.
 */
void hsi_legend_add_merged(hsi_legend *legend);
void hsi_legend_add_spoliations(hsi_legend *legend, const char *text);
void hsi_legend_add_waits(hsi_legend *legend);
void hsi_legend_add_copies(hsi_legend *legend);
void hsi_legend_add_graph(hsi_legend *legend, bool has_run);
void hsi_legend_add_arrows(hsi_legend *legend, bool shown);

void hsi_legend_draw(hsi_output *out, const hsi_legend *legend, const hsi_palette *palette,
                     double x, double y);

#endif
