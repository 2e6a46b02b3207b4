/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: the attempts at tasks, failed ones first, then the slowest. */
#include <stdlib.h>

#include "exec/html/html.h"

enum { SHOWN_MOST = 10000 };

static int failed_and_slowest_first(const void *a, const void *b)
{
    const exec_attempt *x = *(const exec_attempt *const *)a, *y = *(const exec_attempt *const *)b;

    if (!x->failure != !y->failure)
        return x->failure ? -1 : 1;
    if (x->time != y->time)
        return x->time > y->time ? -1 : 1;
    return x < y ? -1 : x > y;
}

static void put_outcome(const page *p, const exec_attempt *a)
{
    const char *outcome = exec_outcome(a);

    fprintf(p->out, "<td class=\"name%s\">", a->failure ? " bad" : "");
    if (!html_link(p, a->task, a->number, false, outcome))
        fputs(outcome, p->out);
    putc(' ', p->out);
    html_link(p, a->task, a->number, true, "errors");
    fputs("</td>", p->out);
}

static void put_attempt(const page *p, const exec_attempt *a)
{
    const hs_instance *in = p->job->plan.in;
    double             estimated = hs_instance_time(in, a->task, a->type);
    hs_cost_source     source = hs_instance_source(in, a->task, a->type);

    fputs("<tr>", p->out);
    html_task(p, a->task);
    html_long(p->out, exec_kernel_name(p->job, p->m, a->task, a->type));
    html_command(p, a->task, a->type);
    fprintf(p->out, "<td class=\"name\">%s</td>", p->m->workers[a->worker].name);
    put_outcome(p, a);
    html_number(p->out, a->start, 6);
    html_number(p->out, a->time, 5);
    html_estimate(p->out, source, estimated, 5);
    html_estimate(p->out, source, a->time / estimated, 3);
    fputs("</tr>\n", p->out);
}

static void put_table(const page *p, const exec_attempt **attempts, size_t count)
{
    size_t shown = count < SHOWN_MOST ? count : SHOWN_MOST;

    html_table_begin(p->out, "Tasks",
                     p->m->known_count ? "failed first, then slowest first" : "slowest first",
                     "tall tasks filtered",
                     "<th class=\"name\">task</th><th class=\"name\">kernel</th>%s"
                     "<th class=\"name\" data-filter=\"worker\">worker</th>"
                     "<th class=\"name\" data-filter=\"outcome\">outcome</th><th>start (%s)</th>"
                     "<th>time (%s)</th><th>estimated (%s)</th><th>time / estimated (&times;)</th>",
                     html_command_heading(p), p->unit, p->unit, p->unit);
    for (size_t i = 0; i < shown; i++)
        put_attempt(p, attempts[i]);
    html_table_end(p->out);
    if (shown < count)
        fprintf(p->out,
                "<p class=\"key\">Here are %zu of %zu attempts, those that failed and then the "
                "slowest, and the filter finds only these; <code>--joblog</code> has all.</p>\n",
                shown, count);
    html_printed(p->out, shown);
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
    qsort(attempts, count, sizeof *attempts, failed_and_slowest_first);
    put_table(p, attempts, count);
    free(attempts);
    return HS_OK;
}
