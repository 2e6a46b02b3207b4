/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: tables of the page, and the parts of all tables. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "common/escape.h"
#include "exec/html/html.h"

enum { COMMAND_SHORT = 60, COMMAND_MOST = 4096 };

void html_table_begin(FILE *out, const char *title, const char *order, const char *kind,
                      const char *heading, ...)
{
    va_list args;

    fprintf(out, "<h2>%s", title);
    if (order)
        fprintf(out, "<span class=\"order\">, %s</span>", order);
    fprintf(out, "</h2>\n<div class=\"card %s\"><table>\n<thead><tr>", kind);
    va_start(args, heading);
    vfprintf(out, heading, args);
    va_end(args);
    fputs("</tr></thead>\n<tbody>\n", out);
}

void html_table_end(FILE *out)
{
    fputs("</tbody>\n</table></div>\n", out);
}

void html_printed(FILE *out, size_t rows)
{
    /* rows printed on paper; the style in common/page.c has the same number */
    enum { PRINTED_MOST = 30 };

    if (rows > PRINTED_MOST)
        fprintf(out, "<p class=\"key printed\">Printed: the first %d of the %zu on the page.</p>\n",
                PRINTED_MOST, rows);
}

void html_number(FILE *out, double value, int digits)
{
    char text[32];

    hs_format_rounded(value, digits, text);
    fprintf(out, "<td>%s</td>", text);
}

void html_estimate(FILE *out, hs_cost_source source, double value, int digits)
{
    if (hs_cost_is_guess(source) || isnan(value))
        fputs("<td></td>", out);
    else
        html_number(out, value, digits);
}

void html_long(FILE *out, const char *text)
{
    fputs("<td class=\"long\">", out);
    html_text(out, text);
    fputs("</td>", out);
}

const char *html_command_heading(const page *p)
{
    return p->has_commands ? "<th class=\"name\">command</th>" : "";
}

/* Write a command, or its first `most` bytes and an ellipsis. */
static void put_beginning(FILE *out, const char *command, size_t most)
{
    char   part[COMMAND_MOST + 1];
    size_t length = strlen(command);

    if (length > most)
        for (length = most; length > 0 && (command[length] & 0xc0) == 0x80;)
            length--;
    memcpy(part, command, length);
    part[length] = '\0';
    fputs("<code>", out);
    html_text(out, part);
    fputs(command[length] ? "&hellip;</code>" : "</code>", out);
}

void html_command(const page *p, uint32_t task, hs_type type)
{
    const char *command = exec_command(p->job, task, type);
    bool        is_long = strlen(command) > COMMAND_SHORT;

    if (!p->has_commands)
        return;
    fputs("<td class=\"long command\">", p->out);
    if (is_long) {
        fputs("<details><summary>", p->out);
        put_beginning(p->out, command, COMMAND_SHORT);
        fputs("</summary>", p->out);
    }
    if (*command)
        put_beginning(p->out, command, COMMAND_MOST);
    if (strlen(command) > COMMAND_MOST)
        fprintf(p->out, " the first %d of %zu bytes", COMMAND_MOST, strlen(command));
    fputs(is_long ? "</details></td>" : "</td>", p->out);
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

    fputs("<tr><td class=\"name\">", p->out);
    if (w->node) {
        html_text(p->out, w->node);
        putc('/', p->out);
    }
    fprintf(p->out, "%s</td><td>%zu</td>", w->name, w->tasks);
    html_number(p->out, w->busy, 5);
    html_number(p->out, w->lost, 5);
    html_number(p->out, w->idle, 5);
    html_number(p->out, w->no_task, 5);
    html_number(p->out, w->victims, 5);
    html_number(p->out, w->data, 5);
    fprintf(p->out,
            "<td>%.1f</td><td><div class=\"bar\"><i class=\"of-busy\" "
            "style=\"width:%.2f%%\"></i><i class=\"of-lost\" style=\"width:%.2f%%\"></i></div>"
            "</td></tr>\n",
            100 * w->busy / all, 100 * w->busy / all, 100 * w->lost / all);
}

void html_workers(const page *p)
{
    const char *u = p->unit;

    html_table_begin(p->out, "Workers", NULL, "",
                     "<th class=\"name\">worker</th><th>tasks</th><th>busy (%s)</th>"
                     "<th>lost (%s)</th><th>idle (%s)</th><th>no task ready (%s)</th>"
                     "<th>for victims (%s)</th><th>for data (%s)</th><th>busy (%%)</th><th></th>",
                     u, u, u, u, u, u);
    for (unsigned w = 0; w < p->m->cpus + p->m->gpus; w++)
        put_worker(p, &p->m->workers[w]);
    html_table_end(p->out);
    fputs("<p class=\"key\"><i class=\"of-busy\"></i>busy"
          "<i class=\"of-lost\"></i>lost in attempts that were spoliated or failed"
          "<i class=\"of-idle\"></i>idle</p>\n",
          p->out);
}

/* Write a cell with a mean and a deviation. */
static void put_deviation(FILE *out, double mean, double deviation)
{
    char a[32], b[32];

    hs_format_rounded(mean, 4, a);
    hs_format_rounded(deviation, 2, b);
    fprintf(out, "<td>%s &plusmn; %s</td>", a, b);
}

static void put_kernel(const page *p, const exec_kernel *k)
{
    fputs("<tr>", p->out);
    html_long(p->out, k->name);
    fprintf(p->out, "<td>%s</td><td>%zu</td>", exec_type_name(k->type), k->count);
    if (p->job->has_unknown)
        fprintf(p->out, "<td class=\"name\">%s</td>", exec_source_name(k->source));
    html_estimate(p->out, k->source, k->estimated, 5);
    html_number(p->out, k->mean, 5);
    html_number(p->out, k->deviation, 3);
    if (k->estimates > 0)
        put_deviation(p->out, k->error, k->error_spread);
    else
        fputs("<td></td>", p->out);
    fputs("</tr>\n", p->out);
}

void html_kernels(const page *p)
{
    const exec_kernels *kernels = exec_kernels_shown(p->job, p->m);
    const char         *u = p->unit;

    if (kernels->count == 0)
        return;
    html_table_begin(p->out, "Kernels", "most time in all first", "",
                     "<th class=\"name\">kernel</th><th>type</th><th>tasks</th>%s"
                     "<th>estimated (%s)</th><th>measured (%s)</th><th>deviation (%s)</th>"
                     "<th>measured / estimated (&times;)</th>",
                     p->job->has_unknown ? "<th class=\"name\">source</th>" : "", u, u, u);
    for (size_t i = 0; i < kernels->count; i++)
        put_kernel(p, &kernels->of[i]);
    html_table_end(p->out);
    if (p->job->has_unknown)
        fputs("<p class=\"key\">Source of the estimates: the table (given), executions of the same "
              "task or of equal tasks (history), a law of the size (power), of work and bytes "
              "(learned), or rates of the machine (roofline). Guesses are not compared with what "
              "was measured.</p>\n",
              p->out);
}
