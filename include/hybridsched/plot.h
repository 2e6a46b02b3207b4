/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_PLOT_H
#define HYBRIDSCHED_PLOT_H

#include <stddef.h>

#include <hybridsched/status.h>

HS_BEGIN_DECLS

/* Pictures of many results: box plots and lines, as hsched-bench's pages have them. */

typedef enum hs_plot_kind {
    HS_PLOT_BOXES, /* a row a name, with the box plot of its values along the axis */
    HS_PLOT_LINES, /* values over x */
    HS_PLOT_AREAS  /* filled steps over x: a value holds until the next x; the last x ends the
                      area, and the last value is not drawn */
} hs_plot_kind;

typedef struct hs_plot_series {
    const char   *name;
    size_t        count;
    const double *x;         /* of lines and areas, increasing */
    const double *y;         /* values; of boxes in any order */
    int           published; /* by others, not measured, and drawn as such. Of boxes a range, of its
                                least and largest values, in the row of that name */
} hs_plot_series;

/** Always start from hs_plot_init(). */
typedef struct hs_plot {
    size_t                struct_size;
    hs_plot_kind          kind;
    const char           *title; /* also for readers that do not see it; NULL: none */
    const char           *x_name, *y_name; /* of axes; of boxes only y_name; NULL: none */
    int                   log_x, log_y;
    size_t                count;
    const hs_plot_series *series;
    double                reference; /* a value that is drawn as a line, as a limit; 0: none */
    const char           *reference_name;
    double                width; /* at least 240; 0: 380, which telephones and columns have room for */

    /* What each axis has room for at least, so that several plots compare; of boxes y_range is
       along the axis of their values. Two equal numbers: what the values need. */
    double x_range[2], y_range[2];
} hs_plot;

HS_API void hs_plot_init_sized(hs_plot *plot, size_t size);
#define hs_plot_init(p) hs_plot_init_sized((p), sizeof *(p))

/**
 * One self-contained SVG, dark on a screen that is. Boxes reach from the first to the third
 * quartile, whiskers to the last values within 1.5 times that, and what lies further is a dot.
 * HS_EINVAL: a value that is not finite or negative, or 0 on an axis of logarithms. O(n log n).
 */
HS_API hs_status hs_plot_write(int fd, const hs_plot *plot);

/** The q-quantile of sorted values, between two of them in proportion; NaN of none. */
HS_API double hs_quantile(const double *sorted, size_t count, double q);

HS_END_DECLS

#endif
