/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: the whole report as one HTML file. */
#include <stdlib.h>

#include "common/escape.h"
#include "common/page.h"
#include "exec/html/html.h"

static void put_start(const page *p)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          p->out);
    html_text(p->out, p->job->plan.path);
    fputs(": run</title>\n", p->out);
    page_write_style(p->out);
    fputs("</head>\n<body>\n<main>\n", p->out);
}

static void put_plural(FILE *out, uint64_t count, const char *what)
{
    fprintf(out, "%llu %s%s", (unsigned long long)count, what, plural(count));
}

static void put_heading(const page *p)
{
    const exec_job *job = p->job;

    fputs("<h1>", p->out);
    html_text(p->out, job->plan.path);
    fputs("</h1>\n<p class=\"sub\">", p->out);
    put_plural(p->out, job->report.tasks, "task");
    fputs(" by the policy <b>", p->out);
    html_text(p->out, job->request->policy);
    fputs("</b> on ", p->out);
    put_plural(p->out, p->m->cpus, "CPU");
    fputs(" and ", p->out);
    put_plural(p->out, p->m->gpus, "GPU");
    if (job->plan.info.algorithm[0]) {
        fputs("; the plan is by ", p->out);
        html_text(p->out, job->plan.info.algorithm);
    }
    if (job->signal)
        fputs("; stopped by a signal", p->out);
    fputs("</p>\n", p->out);
}

static bool has_commands(const hs_instance *in)
{
    hs_task row;

    for (size_t i = 0; i < hs_instance_rows(in); i++) {
        hs_instance_row(in, i, &row);
        if ((row.cpu_command && row.cpu_command[0]) || (row.gpu_command && row.gpu_command[0]))
            return true;
    }
    return false;
}

/* Write the parts from the chart to the tasks. */
static hs_status put_details(const page *p)
{
    hs_status status = html_chart(p);

    if (status == HS_OK)
        status = html_utilisation(p);
    html_idle(p);
    html_workers(p);
    html_kernels(p);
    if (status == HS_OK)
        status = html_boxes(p);
    if (status == HS_OK)
        status = html_scatter(p);
    if (status == HS_OK)
        status = html_critical(p);
    return status == HS_OK ? html_tasks(p) : status;
}

hs_status exec_write_html(FILE *out, const exec_job *job, const exec_measured *m)
{
    page      p = {.out = out,
                   .job = job,
                   .m = m,
                   .unit = exec_unit_name(job),
                   .folder = html_folder_of(job->request->report),
                   .has_commands = has_commands(job->plan.in)};
    hs_status status;

    put_start(&p);
    put_heading(&p);
    html_tiles(&p);
    html_failures(&p);
    html_blocked(&p);
    status = html_compare(&p);
    if (status == HS_OK)
        status = put_details(&p);
    if (status == HS_OK) { /* with HS_EIO errno has the reason, and the page is not kept */
        html_origin(&p);
        fputs("</main>\n", out);
        page_write_script(out);
        fputs("</body>\n</html>\n", out);
    }
    free(p.folder);
    return status;
}
