/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_PLOT_DRAWING_H
#define TOOLS_PLOT_DRAWING_H

#include <stdbool.h>

#include "common/plot/plot.h"
#include "common/plot/svg.h"

/*
 * A plot has a frame (plot.c), one or two axes (axis.c), and boxes (boxes.c), lines (lines.c), points
 * (points.c) or areas (areas.c). The number of a series selects one of the colours `s0` to `s7`, visible on light
 * and on dark pages.
 */
enum { PLOT_COLOURS = 8 };

typedef struct plot_axis {
    int    log;
    double from, to;   /* range of values */
    double start, end; /* coordinates of the range */
    double room;       /* pixels that a tick's label needs */
} plot_axis;

typedef struct plot_drawing {
    FILE     *out;
    plot_spec plot;
    plot_axis x, y; /* horizontal and vertical axis; boxes use only x, for their values */
    double    width, height;
    double    top; /* upper end of the frame, below the title */
} plot_drawing;

/** Widen the axis to the x or y values of all series, and to the range of the plot. */
void plot_axis_cover_values(plot_axis *axis, const plot_spec *plot, bool of_x);

/** Return the coordinate of a value. */
double plot_coordinate(const plot_axis *axis, double value);

void plot_x_axis(plot_drawing *p, double bottom, const char *name);
void plot_y_axis(plot_drawing *p, double left, double right);

/** Compute the layout of a kind of plot and its size; draw the plot. */
void plot_boxes_layout(plot_drawing *p);
void plot_boxes_draw(plot_drawing *p);
void plot_areas_layout(plot_drawing *p);
void plot_areas_draw(plot_drawing *p);
void plot_lines_layout(plot_drawing *p);
void plot_lines_draw(plot_drawing *p);
void plot_points_layout(plot_drawing *p);
void plot_points_draw(plot_drawing *p);

/** Return the height of the legend. */
double plot_legend_height(const plot_drawing *p);

/**
 * Draw the legend with its first line at `top`. draw_sample() draws the mark of a series in the 24
 * pixels right of (x, y).
 */
void plot_legend(plot_drawing *p, double top,
                 void (*draw_sample)(plot_drawing *p, size_t series, double x, double y));

/** Write a complete `<text class="KIND" x= y=>` element with the text escaped. */
void plot_text(plot_drawing *p, const char *css_class, double x, double y, const char *text);

#endif
