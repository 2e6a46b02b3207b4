/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_PAGE_H
#define TOOLS_PAGE_H

#include <stdio.h>

#include <hybridsched/plot.h>

/* What HTML pages of tools share. */

/** The <style> of a page; the classes of pictures in it have names of one or two letters, its own
 * longer ones. */
void page_style(FILE *out);

/**
 * The <script> at the end of a page (page_script.c), which sorts a table by the column that is
 * clicked on and says so in the title before its card, and puts a filter above a table in a card of
 * the class `filtered`, with a list for each heading that has a data-filter.
 */
void page_script(FILE *out);

/** An SVG without its XML declaration, which only a file of its own may have. */
void page_inline(FILE *out, FILE *svg);

/** A plot in a card. HS_EIO: errno says why. */
hs_status page_plot(FILE *out, const hs_plot *plot);

#endif
