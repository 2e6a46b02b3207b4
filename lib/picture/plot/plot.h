/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_PICTURE_PLOT_PLOT_H
#define HSI_PICTURE_PLOT_PLOT_H

#include <hybridsched/plot.h>

#include "io/text/output.h"
#include "picture/svg.h"

/*
 * A plot has a frame (plot.c), one or two axes (axis.c), and boxes (boxes.c), lines (lines.c) or
 * areas (areas.c). The number of a series selects one of the colours `s0` to `s7`, visible on light
 * and on dark pages.
 */
enum { HSI_PLOT_COLOURS = 8 };

typedef struct hsi_plot_axis {
    int    log;
    double from, to;   /* range of values */
    double start, end; /* coordinates of the range */
    double room;       /* room for a tick's label */
} hsi_plot_axis;

typedef struct hsi_plot {
    hsi_output    out;
    hs_plot       plot;
    hsi_plot_axis x, y; /* boxes have their values on x */
    double        width, height;
    double        top; /* of the frame, below the title */
} hsi_plot;

/** Widen the axis to the x or y values of all series, and to the range of the plot. */
void hsi_plot_axis_fit(hsi_plot_axis *axis, const hs_plot *plot, int of_x);

/** Return the coordinate of a value. */
double hsi_plot_at(const hsi_plot_axis *axis, double value);

/**
 * Choose the ticks of an axis and return their number. A decimal axis is widened to its outer
 * ticks.
 */
enum { HSI_PLOT_TICKS = 40 };
size_t hsi_plot_ticks(hsi_plot_axis *axis, double value[HSI_PLOT_TICKS]);

void hsi_plot_x_axis(hsi_plot *p, double bottom, const char *name);
void hsi_plot_y_axis(hsi_plot *p, double left, double right);

/** Compute the layout of a kind of plot, with its size; then draw it. HS_ENOMEM. */
hs_status hsi_boxes_layout(hsi_plot *p);
hs_status hsi_boxes_draw(hsi_plot *p);
hs_status hsi_areas_layout(hsi_plot *p);
hs_status hsi_areas_draw(hsi_plot *p);
hs_status hsi_lines_layout(hsi_plot *p);
hs_status hsi_lines_draw(hsi_plot *p);

/** Write `<text class="KIND" x= y=>` with the text, escaped, and its end. */
void hsi_plot_text(hsi_plot *p, const char *kind, double x, double y, const char *text);

#endif
