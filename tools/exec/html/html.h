/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_EXEC_HTML_HTML_H
#define TOOLS_EXEC_HTML_HTML_H

#include "exec/exec.h"

/* The HTML report: declarations of its parts. The page is one file, readable without scripts. */

typedef struct page {
    FILE                *out;
    const exec_job      *job;
    const exec_measured *m;
    const char          *unit;
    char                *folder;       /* where the page is going to be; NULL: not known */
    int                  has_commands; /* some task has one */
} page;

/** Numbers beside each other on top, what went wrong first (tiles.c). */
void html_tiles(const page *p);

/** When, where and how the run was (origin.c). */
void html_origin(const page *p);

/** The chart, wide, and narrow for telephones (chart.c). */
hs_status html_chart(const page *p);

/** What lets people enlarge and move it, and open the details of a bar (zoom.c). */
void html_zoom(FILE *out);

void html_failures(const page *p); /* failures.c */
void html_blocked(const page *p);
void html_workers(const page *p); /* tables.c */
void html_kernels(const page *p);
void html_idle(const page *p); /* in words (idle.c) */

/** Utilisation over time, and measured / estimated of kernels (plots.c). */
hs_status html_utilisation(const page *p);
hs_status html_boxes(const page *p);

/** The critical path of what happened, as a table (critical.c). HS_ENOMEM. */
hs_status html_critical(const page *p);

/** The run beside an earlier one, if that is asked for (compare.c). HS_ENOMEM. */
hs_status html_compare(const page *p);

/** The attempts, failed ones first, then the slowest (tasks.c). HS_ENOMEM. */
hs_status html_tasks(const page *p);

/**
 * A table in a card of the classes `kind`, and its end. `order`, if not NULL, stands behind the
 * title, until the reader sorts the table otherwise. `heading`, the <th> elements, is a format.
 */
void html_table_begin(FILE *out, const char *title, const char *order, const char *kind,
                      const char *heading, ...) __attribute__((format(printf, 5, 6)));
void html_table_end(FILE *out);

/** Put a note, for print alone, on how many of the `rows` of a table of the class `tasks` are
 * printed. */
void html_printed(FILE *out, size_t rows);

/** A cell with a number, of so many digits. */
void html_number(FILE *out, double value, int digits);

/** A cell with text that may be long. */
void html_long(FILE *out, const char *text);

/** A cell with the command of a task on a type, which opens if it is long, and its heading; both
 * are nothing where no task has a command. */
void        html_command(const page *p, uint32_t task, hs_type type);
const char *html_command_heading(const page *p);

/** The name of a task, in such a cell. */
void html_task(const page *p, uint32_t task);

/** `text` as a link to what an attempt printed, or `error`: on standard error, where that is kept
 * and not empty (link.c). 0: it is not, and nothing is put. */
int html_link(const page *p, uint32_t task, uint32_t number, int error, const char *text);

/** The folder in which the file `path` is, for links from it; to be freed. NULL: not known. */
char *html_folder_of(const char *path);

#endif
