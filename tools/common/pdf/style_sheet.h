/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_PDF_STYLE_SHEET_H
#define TOOLS_PDF_STYLE_SHEET_H

#include <stdbool.h>
#include <stddef.h>

/* The style rules in the <style> element of a plot, up to its first media query. */

enum { STYLE_DASHES = 4 };

/* How an element is drawn. Colours are 0xRRGGBB; negative: none. */
typedef struct element_style {
    long     fill, stroke;
    double   fill_opacity, stroke_opacity, stroke_width, font_size;
    double   dash[STYLE_DASHES];
    unsigned dashes;
    int      cap, join; /* as in PDF: 0 butt or miter, 1 round, 2 square */
    bool     bold;
    double   anchor; /* part of a text's width that is left of its place: 0, 0.5 or 1 */
} element_style;

/**
 * Return the style of an element `tag` with a list of classes, separated by blanks, from the rules in
 * `sheet`. Later rules precede earlier ones. O(length of the sheet).
 */
element_style style_of_element(const char *sheet, const char *tag, const char *classes);

#endif
