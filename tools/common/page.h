/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_PAGE_H
#define TOOLS_PAGE_H

#include <stdio.h>

#include <hybridsched/status.h>

#include "common/plot/plot.h"

/* The common parts of the tools' HTML pages. */

/**
 * Write the <style> of a page. Class names of embedded pictures have one or two letters, names of
 * the page are longer.
 */
void page_write_style(FILE *out);

/**
 * Write the <script> at the end of a page (page_script.c). The script sorts a table by the
 * clicked column and notes the order in the title before the card, and puts a filter above a table
 * in a card of the class `filtered`, with a list for each heading that has a data-filter.
 */
void page_write_script(FILE *out);

/** Write an SVG without its XML declaration, which is only allowed in a file of its own. */
void page_write_svg(FILE *out, FILE *svg);

/** Write a plot in a card. HS_EIO: errno says why. */
hs_status page_plot(FILE *out, const plot_spec *plot);

#endif
