/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-bench: write a campaign as a single HTML file without references to other files. */
#include <stdlib.h>
#include <string.h>

#include "bench/page/page.h"
#include "bench/paper.h"
#include "common/escape.h"
#include "common/page.h"

static const char style[] =
    "<style>\n"
    ".theirs{color:#b0006d}"
    "@media screen and (prefers-color-scheme:dark){.theirs{color:#ff7ac6}}\n"
    "@media print{.theirs{print-color-adjust:exact;-webkit-print-color-adjust:exact}}\n"
    "</style>\n";

hs_status bench_page_put(const bench_page *p, const bench_plot *plot, const plot_spec *drawn)
{
    char what[64];

    if (!p->paper)
        return page_plot(p->out, drawn);
    if (!plot_is_valid(drawn))
        return HS_EINVAL;
    snprintf(what, sizeof what, "%s%s", plot->performance ? "profile-" : "",
             bench_measure_name(plot->measure));
    bench_paper_figure(p->paper, what, drawn);
    return HS_OK;
}

static void put_start(const bench_page *p)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          p->out);
    html_text(p->out, p->c->title);
    fputs("</title>\n", p->out);
    page_write_style(p->out);
    fputs(style, p->out);
    fputs("</head>\n<body>\n<main>\n<h1>", p->out);
    html_text(p->out, p->c->title);
    fputs("</h1>\n<p class=\"sub\">", p->out);
    if (p->c->source)
        html_text(p->out, p->c->source);
    if (p->c->published_count > 0)
        fprintf(p->out, "%s<span class=\"theirs\">published values are marked like this</span>",
                p->c->source ? "; " : "");
    fputs("</p>\n", p->out);
}

static void put_notes(const bench_page *p)
{
    if (p->c->note_count == 0)
        return;
    fputs("<h2>To read it</h2>\n<div class=\"card\"><ul>\n", p->out);
    for (size_t i = 0; i < p->c->note_count; i++) {
        fputs("<li>", p->out);
        html_text(p->out, p->c->notes[i]);
        fputs("</li>\n", p->out);
    }
    fputs("</ul></div>\n", p->out);
}

/* Write the versions of the program that made the rows; usually a single version. */
static void put_versions(const bench_page *p)
{
    const bench_rows *rows = p->rows;
    const char       *last = "";

    fputs("<dt>version</dt><dd>hybridsched ", p->out);
    for (size_t i = 0; i < rows->cases * rows->algorithms; i++) {
        const char *own = rows->row[i].version;

        if (!own || strcmp(own, last) == 0)
            continue;
        if (*last)
            fputs(", ", p->out);
        html_text(p->out, own);
        last = own;
    }
    fputs("</dd>\n", p->out);
}

static void put_origin(const bench_page *p)
{
    fputs("<h2>This campaign</h2>\n<div class=\"card\"><dl>\n", p->out);
    put_versions(p);
    fputs("<dt>machine</dt><dd>", p->out);
    html_text(p->out, bench_machine());
    fputs("</dd>\n<dt>bounds</dt><dd>", p->out);
    html_text(p->out, p->c->bounds);
    fputs("</dd>\n", p->out);
    if (p->c->iterations > 0)
        fprintf(p->out, "<dt>iterations</dt><dd>%llu</dd>\n", (unsigned long long)p->c->iterations);
    if (p->c->time_limit > 0)
        fprintf(p->out, "<dt>time limit</dt><dd>%g s</dd>\n", p->c->time_limit);
    for (size_t i = 0; i < p->c->family_count; i++) {
        fputs("<dt>", p->out);
        html_text(p->out, p->c->families[i].label);
        fprintf(p->out, "</dt><dd><code>%s",
                bench_is_generated(&p->c->families[i]) ? "hsched-gen " : "");
        html_text(p->out, p->c->families[i].recipe);
        fputs("</code></dd>\n", p->out);
    }
    fputs("</dl></div>\n", p->out);
}

hs_status bench_page_write(FILE *out, const bench_campaign *c, const bench_case *cases,
                           const bench_rows *rows)
{
    bench_page p = {.out = out, .c = c, .cases = cases, .rows = rows};
    hs_status  status;

    put_start(&p);
    status = bench_page_plots(&p);
    bench_page_comparisons(&p);
    bench_page_tables(&p);
    put_notes(&p);
    put_origin(&p);
    fputs("</main>\n", out);
    page_write_script(out);
    fputs("</body>\n</html>\n", out);
    return status;
}
