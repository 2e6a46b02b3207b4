/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_PDF_CONTENT_H
#define TOOLS_PDF_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/pdf/style_sheet.h"

enum { PDF_STATES = 16 };

/* The drawing operators of a page. */
typedef struct pdf_content {
    FILE  *out;
    double width, height; /* of the SVG, in pixels */
    char  *sheet;         /* style rules; NULL: not yet met */
    struct {
        double fill, stroke;
    } state[PDF_STATES]; /* opacities that the page uses */
    size_t state_count;
} pdf_content;

/** Convert the elements of an SVG. Return false if it has others than plots have. */
bool pdf_content_convert(pdf_content *content, const char *svg);

/** Write the operators of an SVG path; return false if it has commands that plots do not have. */
bool pdf_path(FILE *out, const char *d);

/** Write a string of PDF in its encoding from escaped UTF-8, and return its width in Helvetica. */
double pdf_text(FILE *out, const char *text, size_t length);

#endif
