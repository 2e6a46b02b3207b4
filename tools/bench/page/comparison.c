/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-bench: the tables of the page that compare the algorithms with the baseline. */
#include <math.h>
#include <stdlib.h>

#include "bench/compare/compare.h"
#include "bench/page/page.h"
#include "common/escape.h"

static void put_cell(FILE *out, const char *format, double value)
{
    fputs("<td>", out);
    if (isnan(value))
        fputs("\xe2\x80\x93", out);
    else
        fprintf(out, format, value);
    fputs("</td>", out);
}

static void put_interval(FILE *out, const interval *of)
{
    put_cell(out, "%.4f", of->mean);
    put_cell(out, "%.4f", of->low);
    put_cell(out, "%.4f", of->high);
}

/* Write the rows of a group; its label is a column of its own if `of_groups`. */
static void put_rows(const bench_page *p, const bench_group *group, bool of_groups)
{
    size_t      count;
    comparison *row = compare_group(p->c, p->cases, p->rows, group, &count);

    for (size_t i = 0; i < count; i++) {
        if (of_groups && compare_is_baseline(p->c, &row[i]))
            continue;
        fputs("<tr><td class=\"name\">", p->out);
        html_text(p->out, row[i].algorithm);
        fprintf(p->out, "</td><td>%zu</td>", row[i].quotient.count);
        if (!of_groups)
            put_interval(p->out, &row[i].mean);
        put_interval(p->out, &row[i].quotient);
        fprintf(p->out, "<td>%zu</td><td>%zu</td><td>%zu</td>", row[i].wins.less,
                row[i].wins.equal, row[i].wins.more);
        put_cell(p->out, "%.2g", row[i].p);
        put_cell(p->out, "%.2g", row[i].adjusted);
        if (of_groups) {
            fputs("<td class=\"name\">", p->out);
            html_text(p->out, group->label);
            fputs("</td>", p->out);
        }
        fputs("</tr>\n", p->out);
    }
    free(row);
}

static void begin_table(const bench_page *p, const char *title, bool of_groups)
{
    static const char interval_heads[] = "<th>95 % from</th><th>to</th>";

    fprintf(p->out, "<h2>%s ", title);
    html_text(p->out, p->c->algorithms[p->c->baseline].name);
    fprintf(p->out,
            "</h2>\n<div class=\"card\"><table>\n<thead><tr><th class=\"name\">algorithm</th>"
            "<th>pairs</th>%s%s<th>makespan / base</th>%s<th>less</th><th>equal</th><th>more</th>"
            "<th>p</th><th>Holm</th>%s</tr></thead>\n<tbody>\n",
            of_groups ? "" : "<th>makespan / bound</th>", of_groups ? "" : interval_heads,
            interval_heads, of_groups ? "<th class=\"name\">kind</th>" : "");
}

static void end_table(const bench_page *p)
{
    fputs("</tbody>\n</table></div>\n", p->out);
}

void bench_page_comparisons(const bench_page *p)
{
    bench_groups groups;

    if (p->c->baseline == BENCH_NO_BASELINE)
        return;
    begin_table(p, "Compared with", false);
    put_rows(p, &(bench_group){.label = "all"}, false);
    end_table(p);
    groups = bench_groups_of(p->c);
    if (groups.count > 0) {
        begin_table(p, "Each kind of instances compared with", true);
        for (size_t i = 0; i < groups.count; i++)
            put_rows(p, &groups.of[i], true);
        end_table(p);
    }
    bench_groups_free(&groups);
}
