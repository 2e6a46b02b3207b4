/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: the critical path of the run, a row per step. */
#include <math.h>
#include <stdlib.h>

#include "exec/html/html.h"

enum { STEPS_MOST = 2000 };

static const hs_entry *entry_of(const page *p, const hs_critical_step *step)
{
    size_t count;

    return hs_schedule_entries(p->m->happened, step->worker, &count) + step->entry;
}

static void put_step(const page *p, const hs_critical_step *step, size_t number, double before)
{
    const hs_entry *e = entry_of(p, step);
    hs_type         type = step->worker < p->m->cpus ? HS_CPU : HS_GPU;

    fprintf(p->out, "<tr><td>%zu</td>", number + 1);
    html_task(p, e->task);
    html_long(p->out, exec_kernel_name(p->job, p->m, e->task, type));
    html_command(p, e->task, type);
    fprintf(p->out,
            "<td class=\"name\">%s</td><td class=\"name\">%s</td><td class=\"name\">%s</td>",
            p->m->workers[step->worker].name, e->state == HS_RUN ? "done" : "aborted or failed",
            step->by_task ? "the task above"
            : number > 0  ? "its worker"
                          : "nothing");
    html_number(p->out, fmax(0, e->start - before), 4);
    html_number(p->out, e->start, 6);
    html_number(p->out, e->end - e->start, 5);
    fputs("</tr>\n", p->out);
}

/* Explain the steps and write their share of the makespan. */
static void put_sum(const page *p, const hs_critical_step *step, size_t count)
{
    double time = 0;

    for (size_t i = 0; i < count; i++)
        time += entry_of(p, &step[i])->end - entry_of(p, &step[i])->start;
    fprintf(
        p->out,
        "<p class=\"key\">Each step began when the one above it had ended: a task that it comes "
        "after, with the transfer of its result, or its worker's task before. Tasks ran during "
        "%.1f%% of the makespan; the rest are gaps between steps.</p>\n",
        p->m->achieved > 0 ? fmin(100, 100 * time / p->m->achieved) : 0);
    if (count > STEPS_MOST)
        fprintf(p->out, "<p class=\"key\">The last %d of %zu steps.</p>\n", STEPS_MOST, count);
    html_printed(p->out, count < STEPS_MOST ? count : STEPS_MOST);
}

hs_status html_critical(const page *p)
{
    hs_critical_step *step = NULL;
    size_t            count, first;
    hs_status         status = hs_critical_path(p->job->plan.in, p->m->happened, &step, &count);

    if (status != HS_OK || count == 0) {
        free(step);
        return status;
    }
    html_table_begin(p->out, "Critical path of what happened", "from the start", "tall tasks",
                     "<th>step</th><th class=\"name\">task</th><th class=\"name\">kernel</th>%s"
                     "<th class=\"name\">worker</th><th class=\"name\">outcome</th>"
                     "<th class=\"name\">waited for</th><th>gap before (%s)</th><th>start (%s)</th>"
                     "<th>time (%s)</th>",
                     html_command_heading(p), p->unit, p->unit, p->unit);
    first = count > STEPS_MOST ? count - STEPS_MOST : 0;
    for (size_t i = first; i < count; i++)
        put_step(p, &step[i], i, i > 0 ? entry_of(p, &step[i - 1])->end : 0);
    html_table_end(p->out);
    put_sum(p, step, count);
    free(step);
    return HS_OK;
}
