/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_EXEC_HTML_HTML_H
#define TOOLS_EXEC_HTML_HTML_H

#include "exec/exec.h"

/* The report as a page: what its parts share. It needs no other file, and no script. */

typedef struct page {
    FILE                *out;
    const exec_job      *job;
    const exec_measured *m;
    const char          *unit;
    char                *folder; /* where the page is going to be; NULL: not known */
} page;

/** At the end, a script that sorts a table by the column that is clicked on (sort.c). */
void html_script(FILE *out);

/** Numbers beside each other on top, what went wrong first (tiles.c). */
void html_tiles(const page *p);

/** When, where and how the run was (origin.c). */
void html_origin(const page *p);

/** The chart, wide, and narrow for telephones (chart.c). */
hs_status html_chart(const page *p);

void html_failures(const page *p); /* failures.c */
void html_blocked(const page *p);
void html_workers(const page *p);  /* tables.c */
void html_kernels(const page *p);

/** The attempts, slowest first (tasks.c). HS_ENOMEM. */
hs_status html_tasks(const page *p);

/** A table in a card, `heading` its <th> elements; and its end. */
void html_table_begin(FILE *out, const char *title, const char *kind, const char *heading);
void html_table_end(FILE *out);

/** A cell with a number, of so many digits. */
void html_number(FILE *out, double value, int digits);

/** A cell with text that may be long. */
void html_long(FILE *out, const char *text);

/** The name of a task, in such a cell. */
void html_task(const page *p, uint32_t task);

/** `text` as a link to what an attempt printed, or `error`: on standard error, where that is kept
 * and not empty (link.c). 0: it is not, and nothing is put. */
int html_link(const page *p, uint32_t task, uint32_t number, int error, const char *text);

/** The folder in which the file `path` is, for links from it; to be freed. NULL: not known. */
char *html_folder_of(const char *path);

#endif
