/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_PLOT_H
#define TOOLS_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Plots of many results: box plots, lines, areas and points, for the pages of the tools. */

typedef enum plot_kind {
    PLOT_BOXES, /* one row per name, with a box plot of its values */
    PLOT_LINES, /* values over x */
    PLOT_POINTS, /* a mark at each point (x, y); both axes have one range, log_x is for both */
    PLOT_AREAS  /* step function, filled: each value holds until the next x; the last x ends
                      the area, and its value is not drawn */
} plot_kind;

typedef struct plot_series {
    const char   *name;
    size_t        count;
    const double *x;         /* not for boxes: x coordinates; increasing for lines and areas */
    const double *y;         /* values; for boxes in any order */
    /*
     * whether the values come from a publication: drawn differently from measured values; for boxes
     * the least and largest value, drawn as a range in the row of this name
     */
    bool          published;
    bool          square; /* points: whether marks are squares, not circles */
    unsigned      colour; /* points: number of the colour */
    bool          dots; /* lines: whether to draw only the marks */
    /* lines: the ends of a bar at each point, for example quartiles; NULL: no bars */
    const double *low, *high;
    /* lines: a curve in the colour of the series, x increasing, e.g. a law fitted to the values */
    size_t        curve_count;
    const double *curve_x, *curve_y;
} plot_series;

/** A plot of one or more series. All zero is a plot of boxes without series. */
typedef struct plot_spec {
    plot_kind          kind;
    const char        *title;           /* also the text for screen readers; NULL: none */
    const char        *x_name, *y_name; /* axis labels; boxes use only y_name; NULL: none */
    int                log_x, log_y;
    size_t             count;
    const plot_series *series;
    double             reference; /* value of a reference line, e.g. a limit; 0: none */
    const char        *reference_name; /* of the line, or of the diagonal of points; NULL: none */
    double             width; /* at least 240; 0: 380, which fits telephones and columns */

    /* Minimal extent of the axes, to make several plots comparable; for boxes y_range applies to
       the axis of their values. Two equal numbers: fit the values. */
    double x_range[2], y_range[2];
} plot_spec;

/**
 * Return whether plot_write() can draw the plot: all values are finite and not negative, and above
 * 0 on a logarithmic axis; the width is at least 240.
 */
bool plot_is_valid(const plot_spec *plot);

/**
 * Write one self-contained SVG element, dark in dark mode. Boxes extend from the first to the third
 * quartile, whiskers to the last value within 1.5 times this range; values beyond the whiskers are
 * dots. The plot must be valid. Without memory the program ends. O(n log n).
 */
void plot_write(FILE *out, const plot_spec *plot);

/** Return the q-quantile of sorted values by linear interpolation; NaN if count is 0. */
double quantile(const double *sorted, size_t count, double q);

#endif
