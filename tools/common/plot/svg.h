/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_PLOT_SVG_H
#define TOOLS_PLOT_SVG_H

#include <stdio.h>

/* Elements of SVG. */

/** Style rules of a plot; the dark rules begin a media query that the caller closes. */
extern const char svg_style[], svg_dark_style[];

/**
 * Write like fprintf() without locale: %s text, %c, %u, %f a coordinate, which is rounded to two
 * decimals without trailing zeros, %%. No further conversions exist.
 */
void svg_format(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Write `text`, escaped; cut to `limit` bytes and an ellipsis if it is longer. */
void svg_name(FILE *out, const char *text, size_t limit);

/** Return the number of columns of `text` in a monospaced font. */
unsigned svg_text_columns(const char *text);

/** Write `<rect class="KIND" x= y= width= height=`; the caller closes the element. */
void svg_rect(FILE *out, const char *css_class, double x, double y, double width, double height);

/** Write `<text class="KIND" x= y=>`; the caller closes the element. */
void svg_text_begin(FILE *out, const char *css_class, double x, double y);

void svg_line(FILE *out, const char *css_class, double x1, double y1, double x2, double y2);

#endif
