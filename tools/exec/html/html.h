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
    char                *folder;       /* folder of the page's file; NULL: unknown */
    bool                 has_commands; /* whether any task has a command */
} page;

/** Write the key figures on top of the page, failures first (tiles.c). */
void html_tiles(const page *p);

/** Write date, host, version and command line of the run (origin.c). */
void html_origin(const page *p);

/** Write the chart in a wide version and a narrow version for telephones (chart.c). */
hs_status html_chart(const page *p);

/** Write the script for zooming and moving the chart and for the details of a bar (zoom.c). */
void html_zoom(FILE *out);

/** Write the table of failed attempts; of the tasks not run because of failures. */
void html_failures(const page *p);
void html_blocked(const page *p);

/** Write the table of the workers; of the kernels. */
void html_workers(const page *p);
void html_kernels(const page *p);

/** Write a sentence with the causes of idle time and their shares. */
void html_idle(const page *p);

/** Write plots: utilisation over time, and measured / estimated by kernel (plots.c). */
hs_status html_utilisation(const page *p);
hs_status html_boxes(const page *p);

/** Write a plot of measured and estimated times, a point per task (scatter.c). HS_ENOMEM. */
hs_status html_scatter(const page *p);

/** Write the critical path of the run as a table (critical.c). HS_ENOMEM. */
hs_status html_critical(const page *p);

/** Write the comparison with an earlier run, if requested (compare.c). HS_ENOMEM. */
hs_status html_compare(const page *p);

/** Write the attempts, failed ones first, then the slowest (tasks.c). HS_ENOMEM. */
hs_status html_tasks(const page *p);

/**
 * Begin and end a table in a card of the classes `kind`. `order`, if not NULL, follows the title
 * until the reader sorts the table. `heading`, the <th> elements, is a printf() format.
 */
void html_table_begin(FILE *out, const char *title, const char *order, const char *kind,
                      const char *heading, ...) __attribute__((format(printf, 5, 6)));
void html_table_end(FILE *out);

/** Write a note, for print only, on how many `rows` of a table of the class `tasks` are printed. */
void html_printed(FILE *out, size_t rows);

/** Write a cell with a number of `digits` significant digits. */
void html_number(FILE *out, double value, int digits);

/** Write a cell with a number derived from an estimate of this source; empty if it was guessed. */
void html_estimate(FILE *out, hs_cost_source source, double value, int digits);

/** Write a cell with text of any length. */
void html_long(FILE *out, const char *text);

/**
 * Write a cell with the command of a task on a type, which opens if it is long; and its heading.
 * Both are empty if no task has a command.
 */
void        html_command(const page *p, uint32_t task, hs_type type);
const char *html_command_heading(const page *p);

/** Write a cell with the name of a task. */
void html_task(const page *p, uint32_t task);

/**
 * Write `text` as a link to the kept log of an attempt, of standard error if `error` (log_link.c).
 * Return false and write nothing if the log is not kept or empty.
 */
bool html_link(const page *p, uint32_t task, uint32_t number, bool error, const char *text);

/** Return the folder of the file `path`, for relative links; the caller frees it. NULL: unknown. */
char *html_folder_of(const char *path);

#endif
