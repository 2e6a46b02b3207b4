/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: the attempts at tasks, slowest first. */
#include <stdlib.h>

#include "exec/html/html.h"

enum { SHOWN_MOST = 5000, PRINTED_MOST = 30 }; /* the latter stands in the style, too */

static int slowest_first(const void *a, const void *b)
{
    const exec_attempt *x = *(const exec_attempt *const *)a, *y = *(const exec_attempt *const *)b;

    if (x->time != y->time)
        return x->time > y->time ? -1 : 1;
    return x < y ? -1 : x > y;
}

static void put_outcome(const page *p, const exec_attempt *a)
{
    const char *outcome = a->failure ? "failed" : a->done ? "done" : "aborted";

    fprintf(p->out, "<td class=\"name%s\">", a->failure ? " bad" : "");
    if (!html_link(p, a->task, a->number, 0, outcome))
        fputs(outcome, p->out);
    putc(' ', p->out);
    html_link(p, a->task, a->number, 1, "errors");
    fputs("</td>", p->out);
}

static void put_attempt(const page *p, const exec_attempt *a)
{
    double estimated = hs_instance_time(p->job->plan.in, a->task, a->type);

    fputs("<tr>", p->out);
    html_task(p, a->task);
    html_long(p->out, exec_kernel_name(p->job, a->task, a->type));
    fprintf(p->out, "<td class=\"name\">%s</td>", p->m->workers[a->worker].name);
    put_outcome(p, a);
    html_number(p->out, a->start, 6);
    html_number(p->out, a->time, 5);
    html_number(p->out, estimated, 5);
    html_number(p->out, a->time / estimated, 3);
    fputs("</tr>\n", p->out);
}

static void put_table(const page *p, const exec_attempt **attempts, size_t count)
{
    size_t shown = count < SHOWN_MOST ? count : SHOWN_MOST;
    char   heading[320];

    snprintf(heading, sizeof heading,
             "<th class=\"name\">task</th><th class=\"name\">kernel</th>"
             "<th class=\"name\">worker</th><th class=\"name\">outcome</th><th>start (%s)</th>"
             "<th>time</th><th>estimated</th><th>time / estimated</th>",
             p->unit);
    html_table_begin(p->out, "Tasks, slowest first", "tall tasks", heading);
    for (size_t i = 0; i < shown; i++)
        put_attempt(p, attempts[i]);
    html_table_end(p->out);
    if (shown < count)
        fprintf(p->out, "<p class=\"key\">The %zu slowest of %zu attempts.</p>\n", shown, count);
    if (shown > PRINTED_MOST)
        fprintf(p->out,
                "<p class=\"key printed\">Printed: the first %d of the %zu on the page."
                "</p>\n",
                PRINTED_MOST, shown);
}

hs_status html_tasks(const page *p)
{
    size_t               count = p->m->attempt_count;
    const exec_attempt **attempts;

    if (count == 0)
        return HS_OK;
    attempts = calloc(count, sizeof *attempts);
    if (!attempts)
        return HS_ENOMEM;
    for (size_t i = 0; i < count; i++)
        attempts[i] = &p->m->attempts[i];
    qsort(attempts, count, sizeof *attempts, slowest_first);
    put_table(p, attempts, count);
    free(attempts);
    return HS_OK;
}
