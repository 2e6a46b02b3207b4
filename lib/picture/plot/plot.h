/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_PICTURE_PLOT_PLOT_H
#define HSI_PICTURE_PLOT_PLOT_H

#include <hybridsched/plot.h>

#include "io/text/output.h"
#include "picture/svg.h"

/*
 * A plot is a frame (plot.c), an axis or two (axis.c), and boxes (boxes.c), lines (lines.c) or
 * areas (areas.c) in it. A series has a colour by its number, `s0` to `s7`, that is seen on light pages and on dark
 * ones.
 */
enum { HSI_PLOT_COLOURS = 8 };

typedef struct hsi_plot_axis {
    int    log;
    double from, to;   /* values */
    double start, end; /* where these are */
    double room;       /* that a tick's label takes */
} hsi_plot_axis;

typedef struct hsi_plot {
    hsi_output    out;
    hs_plot       plot;
    hsi_plot_axis x, y; /* of boxes the values are on x */
    double        width, height;
    double        top; /* of the frame, below the title */
} hsi_plot;

/** Make the axis hold all values of the plot's series, those of x or those of y, and its range. */
void hsi_plot_axis_fit(hsi_plot_axis *axis, const hs_plot *plot, int of_x);

/** Where a value is. */
double hsi_plot_at(const hsi_plot_axis *axis, double value);

/** Its ticks: their number, `value` with room for so many. Moves the ends of a decimal axis to
 * ticks. */
enum { HSI_PLOT_TICKS = 40 };
size_t hsi_plot_ticks(hsi_plot_axis *axis, double value[HSI_PLOT_TICKS]);

void hsi_plot_x_axis(hsi_plot *p, double bottom, const char *name);
void hsi_plot_y_axis(hsi_plot *p, double left, double right);

/** What it is drawn on gets its size: then it is drawn. HS_ENOMEM. */
hs_status hsi_boxes_layout(hsi_plot *p);
hs_status hsi_boxes_draw(hsi_plot *p);
hs_status hsi_areas_layout(hsi_plot *p);
hs_status hsi_areas_draw(hsi_plot *p);
hs_status hsi_lines_layout(hsi_plot *p);
hs_status hsi_lines_draw(hsi_plot *p);

/** `<text class="KIND" x= y=>` with that text, escaped. */
void hsi_plot_text(hsi_plot *p, const char *kind, double x, double y, const char *text);

#endif
