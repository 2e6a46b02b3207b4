/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: tables of the page, and what all of them are made of. */
#include "common/escape.h"
#include "exec/html/html.h"

void html_table_begin(FILE *out, const char *title, const char *kind, const char *heading)
{
    fprintf(out,
            "<h2>%s</h2>\n<div class=\"card %s\"><table>\n<thead><tr>%s</tr></thead>\n<tbody>\n",
            title, kind, heading);
}

void html_table_end(FILE *out)
{
    fputs("</tbody>\n</table></div>\n", out);
}

void html_number(FILE *out, double value, int digits)
{
    char text[32];

    hs_format_rounded(value, digits, text);
    fprintf(out, "<td>%s</td>", text);
}

void html_long(FILE *out, const char *text)
{
    fputs("<td class=\"long\">", out);
    html_text(out, text);
    fputs("</td>", out);
}

void html_task(const page *p, uint32_t task)
{
    char name[HS_MAX_ID + 16];

    hs_instance_name(p->job->plan.in, task, name, sizeof name);
    html_long(p->out, name);
}

static void put_worker(const page *p, const exec_worker *w)
{
    double all = p->m->achieved > 0 ? p->m->achieved : 1;

    fprintf(p->out, "<tr><td class=\"name\">%s</td><td>%zu</td>", w->name, w->tasks);
    html_number(p->out, w->busy, 5);
    html_number(p->out, w->lost, 5);
    html_number(p->out, w->idle, 5);
    html_number(p->out, w->no_task, 5);
    html_number(p->out, w->victims, 5);
    html_number(p->out, w->data, 5);
    fprintf(p->out,
            "<td>%.1f&#8239;%%</td><td><div class=\"bar\"><i class=\"of-busy\" "
            "style=\"width:%.2f%%\"></i><i class=\"of-lost\" style=\"width:%.2f%%\"></i></div>"
            "</td></tr>\n",
            100 * w->busy / all, 100 * w->busy / all, 100 * w->lost / all);
}

void html_workers(const page *p)
{
    char heading[256];

    snprintf(heading, sizeof heading,
             "<th class=\"name\">worker</th><th>tasks</th><th>busy (%s)</th><th>lost</th>"
             "<th>idle</th><th>no task ready</th><th>for victims</th><th>for data</th><th>busy</th>"
             "<th></th>",
             p->unit);
    html_table_begin(p->out, "Workers", "", heading);
    for (unsigned w = 0; w < p->m->cpus + p->m->gpus; w++)
        put_worker(p, &p->m->workers[w]);
    html_table_end(p->out);
    fputs("<p class=\"key\"><i class=\"of-busy\"></i>busy"
          "<i class=\"of-lost\"></i>lost in attempts that were taken over or failed"
          "<i class=\"of-idle\"></i>idle</p>\n",
          p->out);
}

static void put_kernel(const page *p, const exec_kernel *k)
{
    fputs("<tr>", p->out);
    html_long(p->out, k->name);
    fprintf(p->out, "<td>%s</td><td>%zu</td>", exec_type_name(k->type), k->count);
    html_number(p->out, k->estimated, 5);
    html_number(p->out, k->mean, 5);
    html_number(p->out, k->deviation, 3);
    fprintf(p->out, "<td>%.4g &plusmn; %.2g</td></tr>\n", k->error, k->error_spread);
}

void html_kernels(const page *p)
{
    char heading[256];

    if (p->m->kernel_count == 0)
        return;
    snprintf(heading, sizeof heading,
             "<th class=\"name\">kernel</th><th>type</th><th>tasks</th><th>estimated (%s)</th>"
             "<th>measured</th><th>deviation</th><th>measured / estimated</th>",
             p->unit);
    html_table_begin(p->out, "Kernels", "", heading);
    for (size_t i = 0; i < p->m->kernel_count; i++)
        put_kernel(p, &p->m->kernels[i]);
    html_table_end(p->out);
}
