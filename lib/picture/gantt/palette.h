/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_PICTURE_GANTT_PALETTE_H
#define HSI_PICTURE_GANTT_PALETTE_H

#include <hybridsched/instance.h>

#include "io/text/output.h"

enum {
    HSI_KERNELS = 8, /* with a colour of their own */
    HSI_SCALE = 10,  /* steps of the scale at most */
    HSI_REST = 10,   /* class of the other kernels, or of what only a CPU can run */
    HSI_GPU_ONLY = 11,
    HSI_COLOURS = 12
};

/*
 * A task's class says how it is coloured: by kernel if the instance has some,
 * else by its acceleration factor p/q on a scale of powers of two.
 */
typedef struct hsi_palette {
    int         by_kernel;
    unsigned    count;               /* classes 0 .. count-1 are in use */
    int         used[HSI_COLOURS];
    const char *kernel[HSI_KERNELS]; /* the instance's */
    int         low, step;           /* class c begins at p/q = 2^(low + c*step) */
    int narrow; /* hatches and rules have other names than in a wide chart on the same page */
} hsi_palette;

/** O(rows log rows). HS_ENOMEM. */
hs_status hsi_palette_choose(const hs_instance *in, hsi_palette *palette);

unsigned hsi_palette_class(const hsi_palette *palette, const hs_instance *in, size_t task);

/** Rules ".c0{...}" and the hatched ".a0{...}", of a narrow chart ".narrow .a0{...}", for a
 * <style>. */
void hsi_palette_style(hsi_output *out, const hsi_palette *palette);

/** The hatches for <defs>, fine enough for rows of that height. */
void hsi_palette_hatches(hsi_output *out, const hsi_palette *palette, double height);

/** The attribute for the head of a takeover's arrow. */
static inline const char *hsi_takeover_head(const hsi_palette *palette)
{
    return palette->narrow ? " marker-end=\"url(#tn)\"" : " marker-end=\"url(#ta)\"";
}

/** Is text on that class to be light? */
int hsi_palette_dark(const hsi_palette *palette, unsigned class);

/* The legend: entries in lines, each placed by the layout and drawn later (legend.c). */
typedef enum hsi_legend_kind {
    HSI_LEGEND_WORDS,
    HSI_LEGEND_SCALE, /* of the palette */
    HSI_LEGEND_CLASS,
    HSI_LEGEND_ABORTED,
    HSI_LEGEND_FAILED,
    HSI_LEGEND_IDLE,
    HSI_LEGEND_KEPT,
    HSI_LEGEND_TAKEN,
    HSI_LEGEND_WAIT,
    HSI_LEGEND_COPY,
    HSI_LEGEND_CRITICAL,
    HSI_LEGEND_BEFORE, /* arrows that a pointer brings */
    HSI_LEGEND_AFTER
} hsi_legend_kind;

typedef struct hsi_legend_entry {
    hsi_legend_kind kind;
    unsigned        class;
    const char     *text;
    double          x, y; /* from the legend's corner */
} hsi_legend_entry;

#define HSI_LEGEND_LINE 22.0 /* the height of a line */

typedef struct hsi_legend {
    double           width, x; /* in all, and taken so far of the last line */
    double           box;      /* the width of a step of the scale */
    unsigned         lines, count;
    hsi_legend_entry entry[HSI_COLOURS + 12];
} hsi_legend;

/** Place what explains the colours, and entries that were aborted or failed if there are some. */
void hsi_legend_layout(hsi_legend *legend, const hsi_palette *palette, int aborted, int failed,
                       double width);

/** What a class stands for, in words. */
void hsi_put_class_name(hsi_output *out, const hsi_palette *palette, unsigned class);

/** Behind that: how merged bars are to be read; arrows of takeovers; waits; copies; of a graph,
 * idle time with something ready, where that is known, and the critical path; arrows for
 * dependencies, or that there are none. */
void hsi_legend_add_merged(hsi_legend *legend);
void hsi_legend_add_takeovers(hsi_legend *legend, const char *text);
void hsi_legend_add_waits(hsi_legend *legend);
void hsi_legend_add_copies(hsi_legend *legend);
void hsi_legend_add_graph(hsi_legend *legend, int has_run);
void hsi_legend_add_arrows(hsi_legend *legend, int shown);

void hsi_legend_draw(hsi_output *out, const hsi_legend *legend, const hsi_palette *palette,
                     double x, double y);

#endif
