/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_PDF_PDF_H
#define TOOLS_PDF_PDF_H

#include <stdio.h>

/**
 * Write a plot, an SVG of plot_write(), as a PDF of one page, whose size is that of the SVG at 96
 * pixels an inch. Texts are in Helvetica, one of the standard fonts that readers have; characters that
 * it lacks become question marks. The colours are the light ones. Return whether the SVG has only
 * elements that plots have; otherwise nothing is written.
 */
int pdf_write(FILE *out, const char *svg);

#endif
