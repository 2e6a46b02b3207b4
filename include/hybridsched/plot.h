/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_PLOT_H
#define HYBRIDSCHED_PLOT_H

#include <stddef.h>

#include <hybridsched/status.h>

HS_BEGIN_DECLS

/* Plots of many results: box plots and lines, for the pages of hsched-bench. */

typedef enum hs_plot_kind {
    HS_PLOT_BOXES, /* one row per name, with a box plot of its values */
    HS_PLOT_LINES, /* values over x */
    HS_PLOT_AREAS  /* step function, filled: each value holds until the next x; the last x ends
                      the area, and its value is not drawn */
} hs_plot_kind;

typedef struct hs_plot_series {
    const char   *name;
    size_t        count;
    const double *x;         /* lines and areas: x coordinates, increasing */
    const double *y;         /* values; for boxes in any order */
    int           published; /* 1: values from a publication, drawn differently from measured
                                values; for boxes the least and largest value, drawn as a range
                                in the row of this name */
} hs_plot_series;

/** Always start from hs_plot_init(). */
typedef struct hs_plot {
    size_t                struct_size;
    hs_plot_kind          kind;
    const char           *title; /* also the text for screen readers; NULL: none */
    const char           *x_name, *y_name; /* axis labels; boxes use only y_name; NULL: none */
    int                   log_x, log_y;
    size_t                count;
    const hs_plot_series *series;
    double                reference; /* value of a reference line, e.g. a limit; 0: none */
    const char           *reference_name;
    double                width; /* at least 240; 0: 380, which fits telephones and columns */

    /* Minimal extent of the axes, to make several plots comparable; for boxes y_range applies to
       the axis of their values. Two equal numbers: fit the values. */
    double x_range[2], y_range[2];
} hs_plot;

HS_API void hs_plot_init_sized(hs_plot *plot, size_t size);
#define hs_plot_init(p) hs_plot_init_sized((p), sizeof *(p))

/**
 * Write one self-contained SVG, dark in dark mode. Boxes extend from the first to the third
 * quartile, whiskers to the last value within 1.5 times this range; values beyond the whiskers are
 * dots. HS_EINVAL: a value is negative or not finite, or is 0 on a logarithmic axis. O(n log n).
 */
HS_API hs_status hs_plot_write(int fd, const hs_plot *plot);

/** q-quantile of sorted values by linear interpolation; NaN if count is 0. */
HS_API double hs_quantile(const double *sorted, size_t count, double q);

HS_END_DECLS

#endif
