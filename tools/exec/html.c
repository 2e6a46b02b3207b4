/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: the report as one HTML file, which needs nothing else. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/escape.h"
#include "exec/exec.h"

/* The picture's own style has names of one or two letters: here they are longer. */
static const char style[] =
    ":root{color-scheme:light dark;--page:#f6f7f9;--card:#fff;--text:#1f2937;--dim:#5b6472;"
    "--rule:#e2e5ea;--busy:#2a7fb8;--lost:#d97706;--idle:#dfe3ea;--bad:#b91c1c}\n"
    "@media(prefers-color-scheme:dark){:root{--page:#14171c;--card:#1d2128;--text:#e5e7eb;"
    "--dim:#9aa3b2;--rule:#323842;--busy:#4c9fd6;--lost:#f0a030;--idle:#3a414d;--bad:#f87171}}\n"
    "body{margin:0;background:var(--page);color:var(--text);"
    "font:15px/1.5 system-ui,-apple-system,\"Segoe UI\",Roboto,\"Helvetica Neue\",Arial,"
    "\"DejaVu Sans\",sans-serif}\n"
    "main{max-width:1160px;margin:0 auto;padding:24px 20px 48px}\n"
    "h1{font-size:24px;margin:0;overflow-wrap:anywhere}h2{font-size:17px;margin:32px 0 10px}\n"
    ".sub{color:var(--dim);margin:2px 0 20px}\n"
    ".tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(165px,1fr));gap:12px}\n"
    ".tile,.card{background:var(--card);border:1px solid var(--rule);border-radius:8px}\n"
    ".tile{padding:10px 14px}.tile b{display:block;font-size:20px;font-weight:600}\n"
    ".tile span{color:var(--dim);font-size:13px}.bad{color:var(--bad)}\n"
    ".card{padding:6px 14px;overflow-x:auto}.picture{background:#fff;padding:0}\n"
    ".picture svg{display:block;max-width:100%;height:auto;min-width:760px;border-radius:8px}\n"
    "table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}\n"
    "th{color:var(--dim);font-weight:500;font-size:13px}th,td{text-align:right;padding:5px 10px;"
    "border-bottom:1px solid var(--rule);white-space:nowrap}\n"
    "tr:last-child td{border-bottom:0}.name{text-align:left}.long{white-space:normal;"
    "overflow-wrap:anywhere;text-align:left}\n"
    ".bar{display:flex;width:220px;height:12px;border-radius:3px;overflow:hidden;"
    "background:var(--idle)}.bar i{display:block;height:100%}\n"
    ".of-busy{background:var(--busy)}.of-lost{background:var(--lost)}.of-idle{background:"
    "var(--idle)}\n"
    ".key{color:var(--dim);font-size:13px;margin:8px 0 0}.key i{display:inline-block;width:11px;"
    "height:11px;border-radius:2px;margin:0 5px 0 12px}\n";

static void put_start(FILE *out, const exec_job *job)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          out);
    html_text(out, job->plan.path);
    fputs(": run</title>\n<style>\n", out);
    fputs(style, out);
    fputs("</style>\n</head>\n<body>\n<main>\n", out);
}

static void put_plural(FILE *out, uint64_t count, const char *what)
{
    fprintf(out, "%llu %s%s", (unsigned long long)count, what, plural(count));
}

static void put_heading(FILE *out, const exec_job *job, const exec_measured *m)
{
    fputs("<h1>", out);
    html_text(out, job->plan.path);
    fputs("</h1>\n<p class=\"sub\">", out);
    put_plural(out, job->report.tasks, "task");
    fprintf(out, " by the policy <b>%s</b> on ", hs_policy_name(job->request->settings.policy));
    put_plural(out, m->cpus, "CPU");
    fputs(" and ", out);
    put_plural(out, m->gpus, "GPU");
    if (job->plan.info.algorithm[0]) {
        fputs("; the plan is by ", out);
        html_text(out, job->plan.info.algorithm);
    }
    if (job->signal)
        fputs("; stopped by a signal", out);
    fputs("</p>\n", out);
}

/* A number and what it is; between the two, and behind them, printf() goes on. */
#define TILE      "<div class=\"tile\"><b>"
#define TILE_BAD  "<div class=\"tile\"><b class=\"bad\">"
#define TILE_WHAT "</b><span>"
#define TILE_END  "</span></div>\n"

static void put_count_tiles(FILE *out, const hs_exec_report *r)
{
    fprintf(out, TILE "%llu / %llu" TILE_WHAT "tasks done", (unsigned long long)r->done,
            (unsigned long long)r->tasks);
    if (r->resumed > 0)
        fprintf(out, ", %llu earlier", (unsigned long long)r->resumed);
    fputs(TILE_END, out);
    if (r->unrecorded > 0)
        fprintf(out, TILE "%llu" TILE_WHAT "more done, but not recorded" TILE_END,
                (unsigned long long)r->unrecorded);
    if (r->failed + r->not_run > 0)
        fprintf(out, TILE_BAD "%llu" TILE_WHAT "failed, %llu not run" TILE_END,
                (unsigned long long)r->failed, (unsigned long long)r->not_run);
}

static void put_tiles(FILE *out, const exec_job *job, const exec_measured *m)
{
    const hs_exec_report *r = &job->report;
    const char           *unit = exec_unit_name(job);

    fputs("<div class=\"tiles\">\n", out);
    fprintf(out, TILE "%.6g %s" TILE_WHAT "achieved makespan", m->achieved, unit);
    if (r->resumed == 0 && r->done == r->tasks && m->predicted > 0)
        fprintf(out, ", %.4g &times; predicted", m->achieved / m->predicted);
    fprintf(out, TILE_END TILE "%.6g %s" TILE_WHAT "predicted makespan%s" TILE_END, m->predicted,
            unit, r->resumed > 0 ? " of the whole plan" : "");
    if (isfinite(m->bound) && m->bound > 0)
        fprintf(out,
                TILE "%.6g %s" TILE_WHAT "area bound, measured, achieved %.4g &times;" TILE_END,
                m->bound, unit, m->achieved / m->bound);
    put_count_tiles(out, r);
    if (r->aborted + r->retried > 0)
        fprintf(out, TILE "%llu / %llu" TILE_WHAT "attempts taken over / tried again" TILE_END,
                (unsigned long long)r->aborted, (unsigned long long)r->retried);
    fprintf(out,
            TILE "%.*f &micro;s" TILE_WHAT "overhead a task, %.*f &micro;s without waits for work"
            TILE_END "</div>\n",
            r->overhead < 1e-4 ? 3 : 0, 1e6 * r->overhead, r->dispatch < 1e-4 ? 3 : 0,
            1e6 * r->dispatch);
}

/* The SVG without its XML declaration, which only a file of its own may have. */
static hs_status put_picture(FILE *out, const exec_job *job, const exec_measured *m)
{
    FILE     *svg = tmpfile();
    char      block[16384];
    size_t    got;
    hs_status status = HS_EIO;

    if (!svg)
        return HS_EIO;
    fputs("<h2>What happened, beside what was planned</h2>\n<div class=\"card picture\">\n", out);
    status = exec_write_picture(hs_gantt_write, fileno(svg), job, m);
    if (status == HS_OK && fseek(svg, 0, SEEK_SET) != 0)
        status = HS_EIO;
    for (int c = 0; status == HS_OK && c != '\n' && c != EOF;)
        c = getc(svg);
    while (status == HS_OK && (got = fread(block, 1, sizeof block, svg)) > 0)
        fwrite(block, 1, got, out);
    fclose(svg);
    fputs("</div>\n", out);
    return status;
}

static void put_worker(FILE *out, const exec_measured *m, const exec_worker *w)
{
    double all = m->achieved > 0 ? m->achieved : 1;

    fprintf(out,
            "<tr><td class=\"name\">%s</td><td>%zu</td><td>%.5g</td><td>%.5g</td><td>%.5g</td>"
            "<td>%.1f&#8239;%%</td><td><div class=\"bar\"><i class=\"of-busy\" "
            "style=\"width:%.2f%%\"></i><i class=\"of-lost\" style=\"width:%.2f%%\"></i></div>"
            "</td></tr>\n",
            w->name, w->tasks, w->busy, w->lost, w->idle, 100 * w->busy / all,
            100 * w->busy / all, 100 * w->lost / all);
}

static void put_workers(FILE *out, const exec_job *job, const exec_measured *m)
{
    fprintf(out,
            "<h2>Workers</h2>\n<div class=\"card\"><table>\n<tr><th class=\"name\">worker</th>"
            "<th>tasks</th><th>busy (%s)</th><th>lost</th><th>idle</th><th>busy</th><th></th>"
            "</tr>\n",
            exec_unit_name(job));
    for (unsigned w = 0; w < m->cpus + m->gpus; w++)
        put_worker(out, m, &m->workers[w]);
    fputs("</table></div>\n<p class=\"key\"><i class=\"of-busy\"></i>busy"
          "<i class=\"of-lost\"></i>lost in attempts that were taken over or failed"
          "<i class=\"of-idle\"></i>idle</p>\n",
          out);
}

static void put_kernels(FILE *out, const exec_job *job, const exec_measured *m)
{
    if (m->kernel_count == 0)
        return;
    fprintf(out,
            "<h2>Kernels</h2>\n<div class=\"card\"><table>\n<tr><th class=\"name\">kernel</th>"
            "<th>type</th><th>tasks</th><th>estimated (%s)</th><th>measured</th>"
            "<th>deviation</th><th>measured / estimated</th></tr>\n",
            exec_unit_name(job));
    for (size_t i = 0; i < m->kernel_count; i++) {
        const exec_kernel *k = &m->kernels[i];

        fputs("<tr><td class=\"long\">", out);
        html_text(out, k->name);
        fprintf(out,
                "</td><td>%s</td><td>%zu</td><td>%.5g</td><td>%.5g</td><td>%.3g</td>"
                "<td>%.4g &plusmn; %.2g</td></tr>\n",
                exec_type_name(k->type), k->count, k->estimated, k->mean, k->deviation, k->error,
                k->error_spread);
    }
    fputs("</table></div>\n", out);
}

static void put_failure(FILE *out, const exec_job *job, const hs_exec_failure *f)
{
    char task[HS_MAX_ID + 16], worker[16];

    hs_instance_name(job->plan.in, f->task, task, sizeof task);
    hs_worker_name(hs_instance_cpus(job->plan.in), f->worker, worker);
    fputs("<tr><td class=\"long\">", out);
    html_text(out, task);
    fprintf(out,
            "</td><td class=\"name\">%s</td><td>%u</td><td class=\"name%s</td>"
            "<td class=\"long\">",
            worker, (unsigned)f->number, f->final ? " bad\">for good" : "\">tried again");
    html_text(out, f->why ? f->why : "");
    if (f->log && job->keeps_logs) {
        fputs(" (output in ", out);
        html_text(out, f->log);
        putc(')', out);
    }
    fputs("</td></tr>\n", out);
}

static void put_failures(FILE *out, const exec_job *job)
{
    hs_exec_failure f;

    hs_exec_failure_init(&f);
    if (!hs_exec_failure_at(job->exec, 0, &f))
        return;
    fputs("<h2>Failures</h2>\n<div class=\"card\"><table>\n<tr><th class=\"name\">task</th>"
          "<th class=\"name\">worker</th><th>attempt</th><th class=\"name\">failed</th>"
          "<th class=\"name\">why</th></tr>\n",
          out);
    for (size_t i = 0; hs_exec_failure_at(job->exec, i, &f); i++)
        put_failure(out, job, &f);
    fputs("</table></div>\n", out);
}

hs_status exec_write_html(FILE *out, const exec_job *job, const exec_measured *m)
{
    hs_status status;

    put_start(out, job);
    put_heading(out, job, m);
    put_tiles(out, job, m);
    status = put_picture(out, job, m);
    put_workers(out, job, m);
    put_kernels(out, job, m);
    put_failures(out, job);
    fputs("</main>\n</body>\n</html>\n", out);
    return status;
}
