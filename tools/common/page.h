/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_PAGE_H
#define TOOLS_PAGE_H

#include <stdio.h>

/* What HTML pages of tools share. */

/** The <style> of a page; the classes of pictures in it have names of one or two letters, its own
 * longer ones. */
void page_style(FILE *out);

/** An SVG without its XML declaration, which only a file of its own may have. */
void page_inline(FILE *out, FILE *svg);

#endif
